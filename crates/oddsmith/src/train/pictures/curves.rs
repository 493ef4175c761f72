//! Models beside each other: bits over rows to learn from, and bits of all folds.

use crate::error::visible;
use crate::info::{TwoPart, two_part_picture};
use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};
use crate::train::{CandidateResult, CurvePoint, DescriptionLength};

/// How many times the bits of the class proportions a curve may need before it is drawn at the edge.
const FAR: f64 = 2.2;

fn role(at: usize) -> Role {
    Role::Series(u8::try_from(at % 200).unwrap_or(0))
}

/// Learning curves: one line per model with its band, over the rows that it learned from. `base` are the bits of the class proportions alone.
pub fn curve_picture(points: &[CurvePoint], base: Option<f64>) -> Picture {
    let mut models: Vec<&str> = Vec::new();
    points.iter().for_each(|point| {
        if !models.contains(&point.model.as_str()) {
            models.push(&point.model);
        }
    });
    let known = |model: &str| -> Vec<(f64, f64, f64, f64)> {
        let of = points.iter().filter(|point| point.model == model);
        of.filter_map(|point| {
            let bits = point.bits.as_ref().ok()?;
            let (low, high) = bits.interval.unwrap_or((bits.value, bits.value));
            Some((point.rows, bits.value, low, high))
        })
        .collect()
    };
    let (range, edge) = bits_range(points, base);
    let mut marks: Vec<Mark> = base.map(|at| Mark::Rule { role: Role::Reference, upright: false, at }).into_iter().collect();
    let mut told = Vec::new();
    for (at, model) in models.iter().enumerate() {
        let curve = known(model);
        // A band around a point beyond the scale would cover all that lies on it.
        let seen = |bits: f64| bits.is_finite() && range.is_none_or(|(_, high)| bits <= high);
        let band = curve.iter().filter(|(_, bits, ..)| seen(*bits)).map(|(rows, _, low, high)| (*rows, *low, *high)).collect();
        marks.push(Mark::Band { role: role(at), name: String::new(), points: band });
        marks.push(Mark::Line {
            role: role(at),
            name: String::new(),
            points: curve.iter().map(|(rows, bits, ..)| (*rows, *bits)).collect(),
        });
        marks.push(Mark::Points {
            role: role(at),
            name: (*model).to_owned(),
            points: curve.iter().map(|(rows, bits, ..)| (*rows, *bits)).collect(),
        });
        match curve.last() {
            Some((rows, bits, ..)) => {
                let all = points.iter().filter(|point| point.model == *model).count();
                let first = curve.first().map_or(0.0, |(rows, ..)| *rows);
                let lacking = if curve.len() < all { format!(" (no estimate from fewer than {first:.0} rows)") } else { String::new() };
                told.push(format!("{model} {bits:.3} bits from {rows:.0} rows{lacking}"));
            }
            None => told.push(format!("{model} has no estimate")),
        }
    }
    let line = if base.is_some() { " The line is what the class proportions alone need." } else { "" };
    let summary =
        format!("Bits per row on rows that were not learned from, with 95% intervals over folds: {}.{line}{edge}", told.join("; "));
    let x = Axis { label: "Rows to learn from (log scale)".into(), scale: AxisScale::Log, range: tried(points), ..Axis::default() };
    let y = Axis { label: "Bits per row, held out".into(), range, ..Axis::default() };
    Picture { name: "learning".into(), title: "Learning curves".into(), summary, panels: vec![Panel { x, y, marks }] }
}

/// Ends of the axis of rows: all that were tried, whether they gave an estimate or not.
fn tried(points: &[CurvePoint]) -> Option<(f64, f64)> {
    let ends = points.iter().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), point| (low.min(point.rows), high.max(point.rows)));
    (ends.0 > 0.0 && ends.1 > ends.0).then_some((0.93 * ends.0, 1.07 * ends.1))
}

/// Ends of the axis of bits: huge values of models of a few rows lie at the edge.
fn bits_range(points: &[CurvePoint], base: Option<f64>) -> (Option<(f64, f64)>, &'static str) {
    let known = || points.iter().filter_map(|point| point.bits.as_ref().ok());
    let bits: Vec<f64> = known().map(|bits| bits.value).collect();
    // Where no model comes near the class proportions, the best of them is what the scale is made for.
    let least = bits.iter().copied().fold(f64::INFINITY, f64::min);
    let far = base.map_or(f64::INFINITY, |base| FAR * base.max(0.2).max(if least.is_finite() { least / FAR } else { 0.0 }));
    // Bands of what lies near are seen whole, as far as the scale goes.
    let limits = known().filter(|bits| bits.value <= far).filter_map(|bits| bits.interval);
    let limits = limits.flat_map(|(low, high)| [low.max(0.0), high.min(far)]);
    let near = bits.iter().copied().filter(|bits| *bits <= far).chain(base).chain(limits);
    let ends = near.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), bits| (low.min(bits), high.max(bits)));
    let beyond = bits.iter().any(|bits| *bits > far);
    if !(ends.0.is_finite() && ends.1 > ends.0) {
        return (None, "");
    }
    let spare = 0.08 * (ends.1 - ends.0);
    (Some(((ends.0 - spare).max(0.0), ends.1 + spare)), if beyond { " Arrows are off the scale." } else { "" })
}

/// Descriptions of the classes in two parts by every model that has one, and without columns; the shortest first.
pub fn lengths_picture(models: &[(String, std::result::Result<DescriptionLength, String>)]) -> Picture {
    let found = models.iter().filter_map(|(name, length)| Some((visible(name), length.as_ref().ok()?)));
    let mut lengths: Vec<(String, TwoPart)> = found.map(|(name, length)| (name, length.parts)).collect();
    if let Some(length) = models.iter().find_map(|(_, found)| found.as_ref().ok()) {
        lengths.push(("no columns".into(), TwoPart { data: length.base_bits, model: 0.0 }));
    }
    lengths.sort_by(|a, b| a.1.total().total_cmp(&b.1.total()));
    two_part_picture(&lengths, ["the classes, given the model", "the model"], "Bits to tell the classes of all rows by each model.")
}

/// Bits per row of every model of a comparison, with intervals, the fewest first.
pub fn comparison_picture(results: &[CandidateResult]) -> Picture {
    let mut judged: Vec<(&str, f64, f64, f64, String)> = results
        .iter()
        .filter_map(|result| {
            let metrics = &result.outcome.as_ref().ok()?.metrics;
            let bits = metrics.bits.as_ref().ok()?;
            let (low, high) = bits.interval.unwrap_or((bits.value, bits.value));
            let area = metrics.auc.as_ref().map_or_else(|_| String::new(), |auc| format!("{:.3}", auc.value));
            Some((result.name.as_str(), bits.value, low, high, area))
        })
        .collect();
    judged.sort_by(|a, b| b.1.total_cmp(&a.1));
    let estimates = judged.iter().enumerate().map(|(at, (_, bits, low, high, _))| (at as f64, *bits, *low, *high)).collect();
    let bits = judged.iter().map(|(_, bits, ..)| format!("{bits:.3}")).collect();
    let areas: Vec<String> = judged.iter().map(|(.., area)| area.clone()).collect();
    let base = results.iter().find_map(|result| {
        let metrics = &result.outcome.as_ref().ok()?.metrics;
        Some(metrics.bits.as_ref().ok()?.value + metrics.bits_saved.as_ref().ok()?.value)
    });
    let mut marks: Vec<Mark> = base.map(|at| Mark::Rule { role: Role::Reference, upright: true, at }).into_iter().collect();
    marks.push(Mark::Intervals { role: Role::Other, estimates });
    let mut columns = vec![Column { title: "bits".into(), cells: bits, optional: false }];
    if areas.iter().any(|area| !area.is_empty()) {
        columns.push(Column { title: "AUC".into(), cells: areas, optional: true });
    }
    let failed = results.len() - judged.len();
    let rest = if failed > 0 { format!(" {failed} of {} models could not be judged.", results.len()) } else { String::new() };
    let best = judged.last().map_or_else(String::new, |(name, bits, ..)| format!(" {name} needs the fewest, {bits:.3}."));
    let line = if base.is_some() { " The line is what the class proportions alone need." } else { "" };
    let summary = format!("Bits per row of every model on rows that it has not seen, with 95% intervals.{best}{line}{rest}");
    let categories = judged.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let x = Axis { label: "Bits per row, held out".into(), ends: Some(("better".into(), "worse".into())), ..Axis::default() };
    let y = Axis { scale: AxisScale::Categories, categories, columns, ..Axis::default() };
    Picture { name: "comparison".into(), title: "Models beside each other".into(), summary, panels: vec![Panel { x, y, marks }] }
}
