//! How far a model leans on each column, whatever kind of model it is: the bits per row that are lost when its values are dealt to other rows.
//! A column in the wrong rows misleads, so that may be more than all columns save together; below zero the model does better with the wrong values.
//!
//! ```text
//! loss of column j = mean over rows i and shifts s of  log₂ p(yᵢ | xᵢ) − log₂ p(yᵢ | xᵢ with column j of row i + s)
//! ```
//!
//! Rows stand in the order of the sample's hash, so a shift is as good as a shuffle and the same every time; a table of few rows meets all its shifts, which is the
//! mean over all pairs of rows. At most 8,000 scores, whatever the number of rows.

use super::probe::ProbeRows;
use super::row_digest::{KeptRow, RowDigest};
use crate::data::Plane;
use crate::error::{Error, ErrorKind, Result, visible};
use crate::model::{Classifier, Predictions, Predictor, Scale};
use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};

/// Most rows of the sample that are scored.
const ROWS: usize = 400;
/// Most scores.
const SCORES: usize = 8000;
/// Most columns that are drawn.
const MOST: usize = 20;

/// What is lost when columns are dealt.
pub struct Dealt {
    /// Bits per row, column by column.
    pub bits: Vec<f64>,
    /// Rows that it was counted on.
    rows: usize,
}

impl Dealt {
    /// Deals every column of a model to other rows of the sample.
    pub fn of(model: &dyn Classifier, digest: &RowDigest) -> Result<Self> {
        let layout = model.layout();
        let refused = |why: &str| {
            let what = "tell how far it leans on each column".into();
            Err(ErrorKind::Unsupported { model: model.card().title, what, advice: why.into() }.into())
        };
        if model.scale() == Scale::Margin {
            return refused("bits are counted on probabilities, and its scores are margins");
        }
        if !layout.words().is_empty() {
            return refused("it reads texts, whose words are no columns");
        }
        let rows: Vec<&KeptRow> = digest.scattered_rows().into_iter().take(ROWS).collect();
        let features = layout.features().len();
        if rows.len() < 2 || features == 0 {
            return refused("it takes two rows with known classes, and a column");
        }
        let shifts = (SCORES / (features * rows.len())).clamp(1, rows.len() - 1);
        let own = losses(model, digest, &rows, None)?;
        let mut bits = Vec::with_capacity(features);
        for feature in 0..features {
            let (mut sum, mut count) = (0.0, 0.0);
            for shift in (0..shifts).map(|k| 1 + k * (rows.len() - 1) / shifts) {
                let dealt = losses(model, digest, &rows, Some((layout.plane(feature), shift)))?;
                for (lost, kept) in dealt.iter().zip(&own).filter(|(lost, kept)| !lost.is_nan() && !kept.is_nan()) {
                    sum += lost - kept;
                    count += 1.0;
                }
            }
            bits.push(sum / count);
        }
        match bits.iter().all(|bits| bits.is_finite()) {
            true => Ok(Dealt { bits, rows: rows.len() }),
            false => Err(Error::data("some row has a class that the model calls impossible, or no row has all the values that it needs")),
        }
    }

    /// The columns of the model and their bits, the most first.
    pub fn picture(&self, model: &dyn Classifier) -> Picture {
        let names = model.layout().features().iter().map(|feature| visible(&feature.name));
        picture(names.zip(self.bits.iter().copied()).collect(), self.rows)
    }
}

/// Bits per row that a model loses when each of its columns is dealt to other rows, the most first.
pub fn column_bits(model: &dyn Classifier, digest: &RowDigest) -> Result<Picture> {
    Ok(Dealt::of(model, digest)?.picture(model))
}

/// Bits of every row's class, with one column of the rows so many places on; missing for a row that cannot be scored.
fn losses(model: &dyn Classifier, digest: &RowDigest, rows: &[&KeptRow], dealt: Option<(Plane, usize)>) -> Result<Vec<f64>> {
    let mut probes = ProbeRows::new(model, digest);
    for (i, row) in rows.iter().enumerate() {
        let (mut numbers, mut codes) = (row.numbers.clone(), row.codes.clone());
        let other = |shift: usize| rows[(i + shift) % rows.len()];
        match dealt {
            Some((Plane::Numbers(at), shift)) => numbers[at] = other(shift).numbers[at],
            Some((Plane::Codes(at), shift)) => codes[at] = other(shift).codes[at],
            _ => {}
        }
        probes.push_whole(&numbers, &codes);
    }
    let mut predictions = Predictions::new();
    probes.with(|features| Predictor::new(model).predict(features, &mut predictions))?;
    Ok(rows.iter().enumerate().map(|(i, row)| -predictions.row(i)[row.label as usize].log2()).collect())
}

fn picture(mut found: Vec<(String, f64)>, rows: usize) -> Picture {
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let rest = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let more = if rest > 0 { format!(" {rest} columns with less are not drawn.") } else { String::new() };
    let summary = format!(
        "Bits per row that the model loses when a column's values are dealt to other rows, and so mislead: how far it leans on the column where others do not tell the same. Counted on {}.{more}",
        crate::notice::counted(rows as u64, "row")
    );
    let panels = vec![bars_of_bits(found, "Bits per row lost when the column is dealt")];
    Picture { name: "columns".into(), title: "How far the model leans on each column".into(), summary, panels }
}

/// Bars of bits with their numbers, the largest above.
pub fn bars_of_bits(mut found: Vec<(String, f64)>, label: &str) -> Panel {
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    let bars = found.iter().enumerate().map(|(at, (_, bits))| (at as f64, 0.0, *bits)).collect();
    let cells = found.iter().map(|(_, bits)| thousandths(*bits)).collect();
    let y = Axis {
        scale: AxisScale::Categories,
        categories: found.into_iter().map(|(name, _)| name).collect(),
        columns: vec![Column { title: "bits".into(), cells, optional: false }],
        ..Axis::default()
    };
    let x = Axis { label: label.into(), ..Axis::default() };
    let marks = vec![Mark::Bars { role: Role::Other, bars }, Mark::Rule { role: Role::Reference, upright: true, at: 0.0 }];
    Panel { x, y, marks }
}

/// Bits with three decimals; what rounds to nothing has no sign.
fn thousandths(bits: f64) -> String {
    let text = format!("{bits:.3}");
    if text == "-0.000" { "0.000".into() } else { text.replace('-', "−") }
}
