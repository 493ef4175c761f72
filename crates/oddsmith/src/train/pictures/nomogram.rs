//! The nomogram: rulers on which every column's share of the log odds is read as points, and the probability from their sum.
//!
//! For a model whose log odds are base + Σ_j f_j(x_j), a value is worth 100 · (f_j(x) − min f_j)/U points, U the widest range of a column; the total T
//! stands for the log odds base + Σ_j min f_j + T · U/100. Works for every model that splits its scores into addends of single columns; where a
//! column's addend depends on other columns there is no such ruler.

use super::probe::ProbeRows;
use super::row_digest::RowDigest;
use super::waterfall::plain;
use crate::data::Plane;
use crate::error::{ErrorKind, Result, visible};
use crate::model::{Classifier, Contributions};
use crate::picture::{Axis, AxisScale, Mark, Panel, Picture};

/// Ticks of a number column, about.
const TICKS: f64 = 6.0;
/// A number column with no more values than this is marked at each of them.
const FEW: usize = 4;
/// Most rulers.
const MOST: usize = 40;
/// Probabilities that are marked.
const SHARES: [f64; 15] = [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/// A column's values and what they add to the log odds.
struct Scale {
    name: String,
    values: Vec<(String, f64)>,
}

/// What a reader of the rulers computes with.
#[derive(Debug, Clone, PartialEq)]
pub struct Nomogram {
    /// Name, and values with their points.
    pub rulers: Vec<(String, Vec<(String, f64)>)>,
    /// Log odds at no points, and per point.
    pub line: (f64, f64),
    class: String,
}

impl Nomogram {
    /// The rulers of a model of two classes.
    pub fn of(model: &dyn Classifier, digest: &RowDigest) -> Result<Self> {
        let layout = model.layout();
        if layout.classes().len() != 2 {
            return Err(refused(model, "it needs two classes"));
        }
        if model.scale() == crate::model::Scale::Margin {
            return Err(refused(
                model,
                "its last ruler is a probability, and scores of this model are margins; calibrate it to have probabilities",
            ));
        }
        if !layout.words().is_empty() {
            return Err(refused(model, "it has a ruler per column, and not one per word"));
        }
        if layout.features().len() > MOST {
            let columns = layout.features().len();
            return Err(refused(
                model,
                &format!("it has a ruler per column, and {columns} are more than the {MOST} that a page has room for"),
            ));
        }
        let (mut scales, base) = scales(model, digest)?;
        scales.retain(|scale| !scale.values.is_empty());
        let least = |scale: &Scale| scale.values.iter().map(|(_, addend)| *addend).fold(f64::INFINITY, f64::min);
        let most = |scale: &Scale| scale.values.iter().map(|(_, addend)| *addend).fold(f64::NEG_INFINITY, f64::max);
        let widest = scales.iter().map(|scale| most(scale) - least(scale)).fold(0.0, f64::max);
        if !(widest.is_finite() && widest > 0.0) {
            return Err(refused(model, "a level has a probability of zero, or no column tells the classes apart"));
        }
        let start = scales.iter().fold(base, |sum, scale| sum + least(scale));
        let points = |scale: &Scale| {
            let from = least(scale);
            let of = |(text, addend): &(String, f64)| (text.clone(), 100.0 * (addend - from) / widest);
            (scale.name.clone(), scale.values.iter().map(of).collect())
        };
        Ok(Nomogram {
            rulers: scales.iter().map(points).collect(),
            line: (start, widest / 100.0),
            class: layout.classes().named(1, layout.target()),
        })
    }

    /// The picture.
    pub fn picture(&self) -> Picture {
        let most: f64 = self.rulers.iter().map(|(_, values)| values.iter().map(|(_, points)| *points).fold(0.0, f64::max)).sum();
        let total = nice_ticks(0.0, most, TICKS + 2.0);
        let end = total.last().copied().unwrap_or(most).max(most).max(1e-9);
        let mut rulers: Vec<(String, Vec<(f64, String)>)> =
            vec![("Points".into(), (0..=10).map(|at| (10.0 * f64::from(at), format!("{}", 10 * at))).collect())];
        rulers.extend(
            self.rulers.iter().map(|(name, values)| (name.clone(), values.iter().map(|(text, points)| (*points, text.clone())).collect())),
        );
        rulers.push(("Total points".into(), total.iter().map(|points| (100.0 * points / end, plain(*points))).collect()));
        let chance = |p: f64| ((p / (1.0 - p)).ln() - self.line.0) / self.line.1;
        let probabilities = SHARES.into_iter().map(|p| (chance(p), p)).filter(|(points, _)| (0.0..=end).contains(points));
        rulers.push((
            format!("Probability of {}", self.class),
            probabilities.map(|(points, p)| (100.0 * points / end, format!("{}%", plain(100.0 * p)))).collect(),
        ));
        rulers.reverse();
        let categories = rulers.iter().map(|(name, _)| name.clone()).collect();
        let marks = rulers.into_iter().enumerate().map(|(at, (_, ticks))| Mark::Ruler { at: at as f64, ticks }).collect();
        let x = Axis { range: Some((0.0, 100.0)), bare: true, ..Axis::default() };
        let y = Axis { scale: AxisScale::Categories, categories, ..Axis::default() };
        let summary = format!(
            "Read the points of each column on the top ruler, add them up, and read the probability of {} below the total.",
            self.class
        );
        Picture { name: "nomogram".into(), title: "Nomogram".into(), summary, panels: vec![Panel { x, y, marks }] }
    }
}

fn refused(model: &dyn Classifier, why: &str) -> crate::error::Error {
    ErrorKind::Unsupported { model: model.card().title, what: "be drawn as a nomogram".into(), advice: why.into() }.into()
}

/// Addends of every column at its values, and the base.
fn scales(model: &dyn Classifier, digest: &RowDigest) -> Result<(Vec<Scale>, f64)> {
    let layout = model.layout();
    let additive = model.contributions()?;
    let mut scales = Vec::new();
    let mut base = 0.0;
    for (j, feature) in layout.features().iter().enumerate() {
        let values: Vec<(String, f64, u32)> = match layout.plane(j) {
            Plane::Numbers(at) => {
                let (low, high) = digest.range(at).unwrap_or((0.0, 1.0));
                let values = digest.distinct(at, FEW).unwrap_or_else(|| ticks_from_end_to_end(low, high));
                values.into_iter().map(|value| (plain(value), value, 0)).collect()
            }
            Plane::Codes(_) => (0..).map_while(|level| Some((visible(&layout.level_name(j, level)?), 0.0, level as u32))).collect(),
            Plane::Words(_) => Vec::new(),
        };
        let mut addends = |numbers: Vec<f64>, codes: Vec<u32>| -> Result<Vec<f64>> {
            let mut rows = ProbeRows::new(model, digest).on(numbers, codes);
            for (_, value, code) in &values {
                match layout.plane(j) {
                    Plane::Numbers(at) => rows.push(&[(at, *value)], &[]),
                    Plane::Codes(at) => rows.push(&[], &[(at, *code)]),
                    Plane::Words(_) => {}
                }
            }
            rows.with(|features| {
                let mut out = Contributions::new();
                additive.contribute(features, &mut out)?;
                base = out.base()[1] - out.base()[0];
                Ok((0..values.len()).map(|i| out.addends(i, j)).map(|of| if of[0] == of[1] { 0.0 } else { of[1] - of[0] }).collect())
            })
        };
        let [first, second] = grounds(layout, digest);
        let found = addends(first.0, first.1)?;
        let again = addends(second.0, second.1)?;
        let together = found.iter().zip(&again).any(|(a, b)| (a - b).abs() > 1e-9 * (1.0 + a.abs()));
        if together {
            return Err(refused(model, &format!("what column `{}` adds depends on other columns", visible(&feature.name))));
        }
        let values = values.into_iter().zip(found).map(|((text, ..), addend)| (text, addend)).collect();
        scales.push(Scale { name: visible(&feature.name), values });
    }
    Ok((scales, base))
}

/// Two rows that differ in every column: an addend of one column alone is the same on both.
fn grounds(layout: &crate::data::Layout, digest: &RowDigest) -> [(Vec<f64>, Vec<u32>); 2] {
    [0.3, 0.8].map(|share| {
        let number = |at: usize| digest.range(at).map_or(share, |(low, high)| low + share * (high - low));
        let code = |levels: &usize| if share < 0.5 { 0 } else { levels.saturating_sub(1) as u32 };
        ((0..layout.numbers().len()).map(number).collect(), layout.level_counts().iter().map(code).collect())
    })
}

/// Round values of a column and its ends, so that every value of the rows can be read; a round value beside an end makes room for it. The ends are moved
/// out to a tenth of the power of ten of the range: more digits would be read by nobody.
fn ticks_from_end_to_end(low: f64, high: f64) -> Vec<f64> {
    let (low, high) = rounded_out(low, high);
    let round = nice_ticks(low, high, TICKS);
    let near = match round[..] {
        [first, second, ..] => 0.3 * (second - first),
        _ => 0.2 * (high - low),
    };
    let inner = round.into_iter().filter(|value| value - low > near && high - value > near);
    std::iter::once(low).chain(inner).chain([high]).collect()
}

fn rounded_out(low: f64, high: f64) -> (f64, f64) {
    let exponent = (high - low).log10().floor() - 1.0;
    if !exponent.is_finite() {
        return (low, high);
    }
    // Whole powers are divided or multiplied by, so that 2.4 is 24/10 and not 24 × 0.1.
    let power = 10f64.powf(exponent.abs());
    let scaled = |x: f64, to_steps: bool| if to_steps == (exponent < 0.0) { x * power } else { x / power };
    let [from, to] = [(scaled(low, true) + 1e-9).floor(), (scaled(high, true) - 1e-9).ceil()].map(|at| scaled(at, false));
    if from.is_finite() && to.is_finite() { (from, to) } else { (low, high) }
}

/// Multiples of 1, 2 or 5 times a power of ten within two ends.
pub(super) fn nice_ticks(low: f64, high: f64, wanted: f64) -> Vec<f64> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return vec![low];
    }
    let rough = span / wanted;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= rough).unwrap_or(10.0 * power);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_ruler_are_round_and_hold_all_values() {
        assert_eq!(rounded_out(0.085, 2.3548), (0.0, 2.4));
        assert_eq!(rounded_out(7.0, 79.25), (7.0, 80.0));
        assert_eq!(rounded_out(80.0, 250.0), (80.0, 250.0));
        assert_eq!(rounded_out(-0.013, 0.0), (-0.013, 0.0));
        assert_eq!(rounded_out(5.0, 5.0), (5.0, 5.0));
    }
}
