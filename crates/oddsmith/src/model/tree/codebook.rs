//! What all passes after the first share: the codes of columns and the unit of weights.

use std::borrow::Cow;
use std::sync::Arc;

use super::bins::Bins;
use super::fixed_point::FixedPoint;
use super::survey::Survey;
use crate::data::{Layout, Rows, SKIP};
use crate::error::{Error, ErrorKind, Result};
use crate::model::check_classes;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

/// Classes that fit a byte.
const MOST_CLASSES: usize = 255;

/// Codes of columns, the unit of weights, and what the survey found.
#[derive(Debug, Clone)]
pub(super) struct Codebook {
    pub(super) layout: Arc<Layout>,
    pub(super) bins: Bins,
    pub(super) fixed: FixedPoint,
    /// Weight that counts as one row.
    pub(super) row_weight: f64,
    pub(super) classes: ClassWeights,
    /// The largest weight of a row, in units.
    pub(super) heaviest: u64,
    /// Threads on which trees may be grown.
    pub(super) threads: usize,
}

impl Codebook {
    /// From the first pass; refuses targets that teach nothing.
    pub(super) fn new(survey: &Survey, model: &str) -> Result<Self> {
        let layout = &survey.layout;
        check_classes(layout, &survey.classes)?;
        let classes = layout.classes().len();
        if classes > MOST_CLASSES {
            let (model, what) = (model.to_owned(), format!("tell {classes} classes apart"));
            return Err(
                ErrorKind::Unsupported { model, what, advice: "up to 255 classes can be told apart; join some of them".into() }.into()
            );
        }
        let fixed = survey.fixed_point();
        Ok(Codebook {
            bins: Bins::new(layout, survey),
            heaviest: fixed.units(survey.largest),
            fixed,
            row_weight: survey.row_weight(),
            classes: survey.classes.clone(),
            threads: survey.threads,
            layout: Arc::clone(layout),
        })
    }

    /// Bytes of a coded row: one per column, and the class.
    pub(super) fn stride(&self) -> usize {
        self.bins.width() + 1
    }

    /// Number of classes.
    pub(super) fn class_count(&self) -> usize {
        self.layout.classes().len()
    }

    /// The labels of rows, of classes that there are.
    pub(super) fn labels<'r>(&self, rows: &Rows<'r>) -> Result<Cow<'r, [u32]>> {
        let (labels, classes) = (rows.counted_labels()?, self.class_count());
        match labels.iter().find(|label| **label != SKIP && **label as usize >= classes) {
            Some(label) => Err(Error::internal(format!("a row has label {label} of {classes} classes"))),
            None => Ok(labels),
        }
    }

    /// Writes the codes and classes of the rows that count, one after the other, and their weights where they have some.
    pub(super) fn encode(&self, rows: &Rows<'_>, codes: &mut Vec<u8>, weights: &mut Vec<u64>) -> Result<()> {
        let (labels, stride, first) = (self.labels(rows)?, self.stride(), codes.len());
        codes.resize(first + labels.len() * stride, 0);
        self.bins.encode(&rows.features, &mut codes[first..], stride);
        let mut kept = first;
        for (i, label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let row = first + i * stride;
            codes[row + stride - 1] = *label as u8;
            if row != kept {
                codes.copy_within(row..row + stride, kept);
            }
            kept += stride;
            if let Some(all) = rows.weights {
                weights.push(self.fixed.units(all[i]));
            }
        }
        codes.truncate(kept);
        Ok(())
    }

    /// Writes down what a pass needs to know.
    pub(super) fn write(&self, point: &mut Record) {
        self.bins.write(point);
        point.put("shift", &[f64::from(self.fixed.shift())]);
    }

    /// Reads what was written; what only the last step needs is not there.
    pub(super) fn read(point: &Record, layout: &Arc<Layout>) -> Result<Self> {
        let shift = point.numbers("shift", 1)?[0];
        if shift.fract() != 0.0 || shift.abs() > 4096.0 {
            return Err(fault("`shift` is no power of two"));
        }
        Ok(Codebook {
            bins: Bins::read(point, layout)?,
            fixed: FixedPoint::from_shift(shift as i32),
            row_weight: 1.0,
            classes: ClassWeights::new(layout.classes().len()),
            heaviest: 1,
            threads: 1,
            layout: Arc::clone(layout),
        })
    }
}
