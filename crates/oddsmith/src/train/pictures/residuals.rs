//! Whether rows scatter around their probabilities as they should: quantile residuals over the predicted probability (Dunn and Smyth).
//!
//! ```text
//! u drawn from [0, 1 − p] for a row without the event, from [1 − p, 1] for one with it;    residual = Φ⁻¹(u)
//! ```
//!
//! If the probabilities are right, u is uniform and the residual standard normal at every p, which the two bands of plain residuals of classes never look like. What is
//! drawn at random comes from a hash of the row's number, so that the picture is the same every time. One score for every row of the sample.

use super::probe::ProbeRows;
use super::row_digest::{KeptRow, RowDigest};
use crate::data::scattered;
use crate::error::{ErrorKind, Result};
use crate::model::{Classifier, Predictions, Predictor, Scale};
use crate::num::special::normal;
use crate::picture::{Axis, AxisScale, Mark, Panel, Picture, Role};

/// Most rows that are drawn one by one.
const POINTS: usize = 240;
/// Most groups of rows whose means are drawn, and the fewest rows of a group.
const GROUPS: usize = 12;
const FEWEST: usize = 15;
/// Standard deviations between which 95 % of residuals lie.
const USUAL: f64 = 1.96;

/// Residuals of the rows of a sample under a model of two classes.
pub fn residuals(model: &dyn Classifier, digest: &RowDigest) -> Result<Picture> {
    let layout = model.layout();
    let refused = |why: &str| {
        let what = "have residuals of probabilities".into();
        Err(ErrorKind::Unsupported { model: model.card().title, what, advice: why.into() }.into())
    };
    if model.scale() == Scale::Margin {
        return refused("its scores are margins and no probabilities");
    }
    if layout.classes().len() != 2 || !layout.words().is_empty() {
        return refused("they are of two classes, over columns that are no texts");
    }
    let rows: Vec<&KeptRow> = digest.scattered_rows();
    let mut probes = ProbeRows::new(model, digest);
    rows.iter().for_each(|row| probes.push_whole(&row.numbers, &row.codes));
    let mut predictions = Predictions::new();
    probes.with(|features| Predictor::new(model).predict(features, &mut predictions))?;
    let found = rows.iter().enumerate().map(|(i, row)| (predictions.row(i)[1], residual(predictions.row(i), row), row.label));
    let found: Vec<(f64, f64, u32)> = found.filter(|(p, r, _)| !p.is_nan() && r.is_finite()).collect();
    if found.is_empty() {
        return refused("no row has all the values that it needs and a class that it holds possible");
    }
    let classes = layout.classes();
    let mut marks = vec![Mark::Rule { role: Role::Reference, upright: false, at: 0.0 }];
    marks.extend([-USUAL, USUAL].map(|at| Mark::Rule { role: Role::Plain, upright: false, at }));
    for k in 0..2 {
        let points = found.iter().take(POINTS).filter(|(.., label)| *label == k).map(|(p, r, _)| (*p, *r)).collect();
        marks.push(Mark::Points { role: Role::of_class(k as usize, 2), name: classes.named(k as usize, layout.target()), points });
    }
    let means = means(&found);
    let (groups, far) = (means.len(), means.iter().filter(|(_, mean, limit)| mean.abs() > *limit).count());
    if groups > 1 {
        let points = means.into_iter().map(|(p, mean, _)| (p, mean)).collect();
        marks.push(Mark::Line { role: Role::Third, name: "mean of neighbours".into(), points });
    }
    let usual = found.iter().filter(|(_, r, _)| r.abs() <= USUAL).count();
    let told = if groups > 1 {
        format!(" Means of neighbours that are farther from 0 than 95% of such means would be: {far} of {groups}.")
    } else {
        String::new()
    };
    let summary = format!(
        "Quantile residuals over the predicted probability: standard normal everywhere if the probabilities are right. {usual} of {} lie between the lines at ±{USUAL}, where 95% should.{told}",
        found.len()
    );
    let event = classes.named(1, layout.target());
    let x = Axis { label: format!("Predicted probability of {event}"), scale: AxisScale::Proportion, ..Axis::default() };
    let y = Axis { label: "Quantile residual".into(), ..Axis::default() };
    Ok(Picture { name: "residuals".into(), title: "Residuals".into(), summary, panels: vec![Panel { x, y, marks }] })
}

/// The residual of a row: its place between 0 and 1 is drawn by its number.
fn residual(probabilities: &[f64], row: &KeptRow) -> f64 {
    // Hashed once more: the sample is chosen by the hash itself.
    let drawn = ((scattered(scattered(row.row)) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    match row.label {
        0 => normal::quantile(drawn * probabilities[0]),
        // From above, so that a probability near 1 loses no digits.
        _ => normal::quantile_upper(drawn * probabilities[1]),
    }
}

/// Means of rows with neighbouring probabilities: probability, mean residual, and how far from 0 95 % of such means lie.
fn means(found: &[(f64, f64, u32)]) -> Vec<(f64, f64, f64)> {
    let mut sorted: Vec<(f64, f64)> = found.iter().map(|(p, r, _)| (*p, *r)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let groups = (sorted.len() / FEWEST).clamp(1, GROUPS);
    let group = |at: usize| {
        let of = &sorted[sorted.len() * at / groups..sorted.len() * (at + 1) / groups];
        let count = of.len() as f64;
        (of.iter().map(|(p, _)| p).sum::<f64>() / count, of.iter().map(|(_, r)| r).sum::<f64>() / count, USUAL / count.sqrt())
    };
    (0..groups).map(group).collect()
}
