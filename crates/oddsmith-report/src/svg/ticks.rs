//! Ticks at values that people like, with room between their texts.

use oddsmith::picture::AxisScale;

use super::place::Place;
use super::text::Style;

/// Units between the texts of two ticks.
const GAP: f64 = 12.0;
/// Shares that a scale of log odds is marked with, from one end to the middle.
const SHARES: [f64; 12] = [0.5, 0.2, 0.8, 0.05, 0.95, 0.01, 0.99, 0.001, 0.999, 0.1, 0.9, 0.35];

/// Ticks of a log scale below which it is marked as if it were none, and the ratio of its ends up to which that does.
const FEW: usize = 3;
const NEARLY_LINEAR: f64 = 4.0;

/// A value with its text.
pub(super) type Tick = (f64, String);

/// Ticks of an axis; `upright` ones need the height of a line, others their width.
pub(super) fn ticks(place: &Place, upright: bool) -> Vec<Tick> {
    let room = (place.end - place.start).abs();
    let wanted = (room / if upright { 44.0 } else { 76.0 }).clamp(2.0, 8.0);
    match place.scale {
        AxisScale::Categories => Vec::new(),
        AxisScale::Linear => linear(place, wanted, 1.0, upright),
        AxisScale::Proportion => linear(place, wanted.max(room / 70.0).min(6.0), 100.0, upright),
        AxisScale::Log => {
            let found = thinned(place, log(place.from, place.to), upright);
            // Within a short piece of a log scale, round numbers of a decade are too few.
            if found.len() < FEW && place.to < NEARLY_LINEAR * place.from { linear(place, wanted, 1.0, upright) } else { found }
        }
        AxisScale::Logit => thinned(place, logit(place.from, place.to), upright),
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, as near to the wanted number as their texts have room. Shares are written in per cent.
fn linear(place: &Place, wanted: f64, factor: f64, upright: bool) -> Vec<Tick> {
    let (from, to) = (place.from, place.to);
    let span = to - from;
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    // Rather a few more than too few: two ticks say little of what lies between them.
    let rough = if upright { 0.85 } else { 0.7 } * span / wanted;
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0].into_iter().map(|m| m * power).filter(|step| *step >= rough * 0.999);
    let mut found = Vec::new();
    for step in steps {
        found = multiples(from, to, step, factor);
        if thinned(place, found.clone(), upright).len() == found.len() {
            break;
        }
    }
    found
}

fn multiples(from: f64, to: f64, step: f64, factor: f64) -> Vec<Tick> {
    let (first, last) = ((from / step - 1e-9).ceil(), (to / step + 1e-9).floor());
    if !(first.is_finite() && last.is_finite() && step > 0.0 && last - first < 100.0) {
        return Vec::new();
    }
    let count = (last - first).max(-1.0) as i64;
    let largest = factor * first.abs().max(last.abs()) * step;
    (0..=count).map(|at| (first + at as f64) * step).map(|value| (value, decimal(value, step, factor, largest))).collect()
}

/// A tick of a step, with as many decimals as the step needs; all ticks of an axis are written as its largest is.
fn decimal(value: f64, step: f64, factor: f64, largest: f64) -> String {
    let sign = if factor == 1.0 { "" } else { "%" };
    let (value, step) = (value * factor, step * factor);
    if largest >= 1e6 || step < 1e-5 {
        return if value == 0.0 { format!("0{sign}") } else { format!("{}{sign}", power(value)) };
    }
    let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    let text = format!("{:.*}", decimals, value);
    let text =
        if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') { text.replace('-', "") } else { text.replace('-', "−") };
    format!("{text}{sign}")
}

/// A number by its power of ten.
fn power(value: f64) -> String {
    let text = format!("{value:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits}e{exponent}").replace('-', "−")
}

/// Powers of ten first, then threes, then twos and fives, within a decade what lies between them: those that come first win where there is no room for all.
fn log(from: f64, to: f64) -> Vec<Tick> {
    if !(from > 0.0 && to > from) {
        return Vec::new();
    }
    let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let every = ((last - first) / 8).max(1);
    let mut ticks = Vec::new();
    for factor in [1.0, 3.0, 2.0, 5.0, 7.0, 1.5] {
        if factor != 1.0 && last - first > 4 || [7.0, 1.5].contains(&factor) && to / from > 10.0 {
            break;
        }
        for exponent in (first..=last).filter(|exponent| exponent % every == 0) {
            let value = factor * 10f64.powi(exponent);
            if value >= from * (1.0 - 1e-9) && value <= to * (1.0 + 1e-9) && value.is_finite() && value > 0.0 {
                let plain = (1e-3..1e6).contains(&value);
                ticks.push((value, if plain { format!("{}", (value * 1e9).round() / 1e9) } else { power(value) }));
            }
        }
    }
    ticks
}

fn logit(from: f64, to: f64) -> Vec<Tick> {
    let inside = SHARES.into_iter().filter(|share| *share >= from && *share <= to);
    inside.map(|share| (share, percent(share))).collect()
}

/// A share in per cent with the digits that it needs.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Ticks that have room beside those before them in the list, in the order of the axis.
fn thinned(place: &Place, ticks: Vec<Tick>, upright: bool) -> Vec<Tick> {
    let mut kept: Vec<(f64, f64, Tick)> = Vec::new();
    for tick in ticks {
        let Some(at) = place.at(tick.0) else { continue };
        let half = if upright { 8.0 } else { Style::plain().width(&tick.1) / 2.0 + GAP / 2.0 };
        if kept.iter().all(|(other, room, _)| (at - other).abs() >= half + room) {
            kept.push((at, half, tick));
        }
    }
    kept.sort_by(|a, b| a.2.0.total_cmp(&b.2.0));
    kept.into_iter().map(|(.., tick)| tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: AxisScale, from: f64, to: f64) -> Vec<String> {
        let place = Place { scale, from, to, start: 0.0, end: 400.0 };
        ticks(&place, false).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(AxisScale::Linear, -0.3, 1.1), ["−0.2", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(AxisScale::Linear, 1.0, 10.0), ["2", "4", "6", "8", "10"]);
        assert_eq!(texts(AxisScale::Linear, 0.0, 30.0), ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(texts(AxisScale::Proportion, 0.0, 1.0), ["0%", "20%", "40%", "60%", "80%", "100%"]);
        assert_eq!(texts(AxisScale::Log, 0.2, 40.0), ["0.2", "0.3", "0.5", "1", "2", "3", "5", "10", "20", "30"]);
        assert_eq!(texts(AxisScale::Log, 0.65, 3.0), ["0.7", "1", "1.5", "2", "3"]);
        assert_eq!(texts(AxisScale::Logit, 0.005, 0.995), ["1%", "5%", "20%", "50%", "80%", "95%", "99%"]);
        assert_eq!(texts(AxisScale::Log, 0.955, 1.003), ["0.96", "0.97", "0.98", "0.99", "1.00"]);
        assert_eq!(texts(AxisScale::Linear, 0.0, 2.6e6), ["0", "5e5", "1e6", "1.5e6", "2e6", "2.5e6"]);
        assert_eq!(texts(AxisScale::Linear, 0.0, 6e8), ["0", "1e8", "2e8", "3e8", "4e8", "5e8", "6e8"]);
    }

    #[test]
    fn an_axis_without_length_has_no_ticks() {
        assert!(texts(AxisScale::Linear, 1.0, 1.0).is_empty());
        assert!(texts(AxisScale::Log, 0.0, 1.0).is_empty());
        assert!(texts(AxisScale::Linear, f64::MIN, f64::MAX).is_empty());
    }
}
