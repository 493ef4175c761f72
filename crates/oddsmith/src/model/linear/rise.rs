//! Coefficients at the supremum of a likelihood that rises forever along one direction: those that the direction moves are infinite.
//!
//! Rows are scored by the limit: one that the direction moves has log odds of plus or minus infinity, any other those of a finite point,
//! which all points along the direction share.

use crate::data::{DesignBlock, Features};
use crate::error::{Advice, Error, ErrorKind, Result};
use crate::model::Classifier;
use crate::model::linear::model::{LogOdds, LogisticModel, Parameters};
use crate::num::logspace::NeumaierSum;

/// What a sum may be of the sizes of its addends where it is zero.
const ROUNDING: f64 = 1e-10;

/// The direction, and a finite point.
#[derive(Debug, Clone, PartialEq)]
pub struct Rise {
    /// What the log odds at the centre of the columns gain.
    pub base: f64,
    /// What the coefficient of every design column gains.
    pub coefficients: Vec<f64>,
    /// What the intercept in the user's units gains.
    pub intercept: f64,
    /// Coefficients of a point that undecided rows cannot tell from the supremum.
    pub finite: Vec<f64>,
}

impl Parameters {
    /// The same, of two classes, where they rise forever along a direction.
    pub(crate) fn with_rise(mut self, base: f64, coefficients: Vec<f64>) -> Parameters {
        let addends = self.centre.iter().zip(&coefficients).map(|(centre, rise)| -centre * rise);
        let intercept = if self.intercept { sum_or_zero(std::iter::once(base).chain(addends)) } else { 0.0 };
        let infinite = |(value, rise): (&f64, &f64)| if *rise == 0.0 { *value } else { f64::INFINITY.copysign(*rise) };
        let reported = self.coefficients.iter().zip(&coefficients).map(infinite).collect();
        let finite = std::mem::replace(&mut self.coefficients, reported);
        Parameters { rise: Some(Rise { base, coefficients, intercept, finite }), ..self }
    }

    /// Coefficients that rows are scored by.
    pub(in crate::model::linear) fn scored(&self) -> &[f64] {
        self.rise.as_ref().map_or(&self.coefficients, |rise| &rise.finite)
    }
}

impl Rise {
    /// What the log odds of row `i` gain; exactly zero for an undecided one.
    fn of_row(&self, block: &DesignBlock, i: usize, centre: &[f64]) -> f64 {
        let cells = &block.cells[i * centre.len()..(i + 1) * centre.len()];
        let addends = cells.iter().zip(centre).zip(&self.coefficients).filter(|(_, rise)| **rise != 0.0);
        sum_or_zero(std::iter::once(self.base).chain(addends.map(|((cell, centre), rise)| (cell - centre) * rise)))
    }
}

impl LogisticModel {
    /// Whether some coefficients are infinite.
    pub(in crate::model::linear) fn is_infinite(&self) -> bool {
        self.parameters.rise.is_some()
    }

    /// Says that a question has no answer where coefficients are infinite.
    pub(in crate::model::linear) fn without_row_precision(&self, what: &str) -> Error {
        let advice = Advice::Set {
            option: "on-separation",
            value: "firth",
            to: "some of its coefficients are infinite; use Firth's penalised likelihood",
        };
        ErrorKind::Unsupported { model: self.card().title, what: what.into(), advice }.into()
    }

    /// Replaces the log odds of the rows `lo..hi` that the direction decides, where there is one.
    pub(in crate::model::linear) fn decide(&self, rows: &Features<'_>, lo: usize, hi: usize, work: &mut LogOdds) -> Result<()> {
        let Some(rise) = &self.parameters.rise else { return Ok(()) };
        self.design.expand(rows, lo, hi, &mut work.block)?;
        for (i, eta) in work.out.iter_mut().enumerate().filter(|(_, eta)| !eta.is_nan()) {
            let gain = rise.of_row(&work.block, i, &self.parameters.centre);
            if gain != 0.0 {
                *eta = f64::INFINITY.copysign(gain);
            }
        }
        Ok(())
    }
}

/// A sum; zero where it is nothing but the rounding of its addends.
fn sum_or_zero(addends: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut size) = (NeumaierSum::default(), 0.0);
    for addend in addends {
        sum.add(addend);
        size += addend.abs();
    }
    if sum.value().abs() <= ROUNDING * size { 0.0 } else { sum.value() }
}
