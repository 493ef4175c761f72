//! One number column: what the model says along it, with the rows, and the class that is called beside how sure it is.

use super::density::{POINTS, place_of, places};
use super::probe::ProbeRows;
use super::row_digest::{KeptRow, RowDigest};
use crate::error::{Result, visible};
use crate::model::{Classifier, Decision, Predictions, Predictor, Scale, Uncertainty};
use crate::num::special::normal;
use crate::picture::{Axis, AxisScale, Mark, Panel, Picture, Role, drawn_classes, drawn_role};

/// Most rows of a class that are drawn.
const MOST_ROWS: usize = 200;

/// What two classes are drawn between: probabilities from 0 to 1, called from a threshold up; margins from one label to the other, called by their sign.
struct Ends {
    low: f64,
    high: f64,
    cut: f64,
}

impl Ends {
    fn of(model: &dyn Classifier) -> Self {
        match (model.scale(), model.decision()) {
            (Scale::Margin, _) => Ends { low: -1.0, high: 1.0, cut: 0.0 },
            (_, Decision::Threshold(cut)) => Ends { low: 0.0, high: 1.0, cut },
            _ => Ends { low: 0.0, high: 1.0, cut: 0.5 },
        }
    }

    /// The class that is called, as a step wherever the curve crosses.
    fn called(&self, curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let side = |value: f64| if value >= self.cut { self.high } else { self.low };
        let mut steps: Vec<(f64, f64)> = curve.first().map(|(x, value)| (*x, side(*value))).into_iter().collect();
        for two in curve.windows(2) {
            let ((a, before), (b, after)) = (two[0], two[1]);
            if side(before) != side(after) {
                let at = a + (b - a) * (self.cut - before) / (after - before);
                steps.extend([(at, side(before)), (at, side(after))]);
            }
        }
        steps.extend(curve.last().map(|(x, value)| (*x, side(*value))));
        steps
    }
}

/// Probabilities along a column, or of two classes margins, the others open or typical: with the rows at their labels, the class that is called, and the limits of a model
/// that knows its errors.
pub fn sigmoid(model: &dyn Classifier, digest: &RowDigest, feature: usize) -> Result<Picture> {
    let (layout, at) = (model.layout(), place_of(model, feature)?);
    let grid = places(digest, at);
    let mut rows = ProbeRows::new(model, digest);
    grid.iter().for_each(|value| rows.push(&[(at, *value)], &[]));
    let mut predictions = Predictions::new();
    let classes = layout.classes();
    let two = classes.len() == 2;
    // Margins of two classes are one line; those of several are no curves that could be held against each other.
    let margins = two && model.scale() == Scale::Margin;
    rows.with(|features| {
        let predictor = Predictor::new(model);
        if margins { predictor.ordered(features, &mut predictions) } else { predictor.predict(features, &mut predictions) }
    })?;
    let value = |i: usize, k: usize| if margins { predictions.scores().row(i)[k] } else { predictions.row(i)[k] };
    let curve = |k: usize| grid.iter().enumerate().map(|(i, x)| (*x, value(i, k))).collect::<Vec<(f64, f64)>>();
    let ends = Ends::of(model);
    let mut marks = Vec::new();
    if two {
        marks.push(Mark::Line { role: Role::Reference, name: "called".into(), points: ends.called(&curve(1)) });
        marks.extend(limits(model, &mut rows, &grid)?);
    }
    let what = if margins { "score" } else { "probability" };
    let drawn = if two { vec![1] } else { drawn_classes(&digest.class_weights) };
    for &k in &drawn {
        let label = classes.named(k, layout.target());
        let name = if two { format!("{what} of {label}") } else { label };
        marks.push(Mark::Line { role: drawn_role(k, &drawn, classes.len()), name, points: curve(k) });
    }
    // Where rows may only be seen together, none is drawn and none is spoken of.
    let sample = if digest.together() == 1 { digest.rows() } else { Vec::new() };
    for k in 0..if two { 2 } else { 0 } {
        let own = sample.iter().filter(|row| row.label as usize == k).take(MOST_ROWS);
        let height = |row: &KeptRow| (ends.high - ends.low) * scatter(row);
        let points = own.map(|row| (row.numbers[at], if k == 1 { ends.high - height(row) } else { ends.low + height(row) })).collect();
        marks.push(Mark::Points { role: Role::of_class(k, 2), name: classes.named(k, layout.target()), points });
    }
    let name = visible(&layout.features()[feature].name);
    let rest = match (layout.features().len(), model.scale()) {
        (1, _) => "",
        (_, Scale::LogJoint) => ", other columns left open",
        _ => ", other columns at their mean or most frequent level",
    };
    let what = if margins { "Score" } else { "Probability" };
    let step = if two { " The step is the class that is called." } else { "" };
    let data = match margins {
        _ if !two || sample.is_empty() => "",
        false => " Rows stand at the top or the bottom, scattered a little so that they can be told apart.",
        true => " Rows stand at 1 and −1, their labels, scattered a little so that they can be told apart.",
    };
    let x = Axis { label: name.clone(), range: Some((grid[0], grid[POINTS - 1])), ..Axis::default() };
    let scale = if margins { AxisScale::Linear } else { AxisScale::Proportion };
    let y = Axis { label: what.into(), scale, ..Axis::default() };
    let (title, summary) = (format!("{what} along {name}"), format!("{what} along {name}{rest}.{data}{step}"));
    Ok(Picture { name: "sigmoid".into(), title, summary, panels: vec![Panel { x, y, marks }] })
}

/// The limits of a model of two classes that knows its errors.
fn limits(model: &dyn Classifier, rows: &mut ProbeRows<'_>, grid: &[f64]) -> Result<Option<Mark>> {
    let Some(known) = model.limits() else { return Ok(None) };
    let mut found = Uncertainty::default();
    rows.with(|features| known.uncertainty(features, &mut found))?;
    let quantile = normal::quantile_upper(0.025);
    let points = grid.iter().enumerate().map(|(i, value)| {
        let (low, high) = found.limits(i, 1, quantile);
        (*value, low, high)
    });
    Ok(Some(Mark::Band { role: Role::Event, name: "95% limits".into(), points: points.collect() }))
}

/// A little height for a row, always the same.
fn scatter(row: &KeptRow) -> f64 {
    0.035 * ((row.row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24))
}
