//! Probabilities of the classes of many rows, as they lie in memory, and the whole numbers that code two classes by them.

use super::class_coder::{ONE, whole};
use crate::error::{DataFault, Error};
use crate::info::distribution::ROUNDING;

/// Rows whose decisions are computed before they are coded: divisions of many rows overlap, and coding must go one by one.
pub(super) const BLOCK: usize = 256;

/// Probabilities of the classes of many rows.
#[derive(Debug, Clone, Copy)]
pub enum ProbabilityRows<'a> {
    /// Of all classes, row after row.
    OfAll {
        /// The probabilities.
        cells: &'a [f64],
        /// The number of classes.
        classes: usize,
    },
    /// Of the second of two classes.
    OfSecond(&'a [f64]),
}

impl<'a> ProbabilityRows<'a> {
    /// The number of classes.
    pub fn classes(&self) -> usize {
        match self {
            ProbabilityRows::OfAll { classes, .. } => *classes,
            ProbabilityRows::OfSecond(_) => 2,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            ProbabilityRows::OfAll { cells, classes } => cells.len() / (*classes).max(1),
            ProbabilityRows::OfSecond(cells) => cells.len(),
        }
    }

    /// Some of the rows.
    #[inline(always)]
    pub(super) fn part(&self, lo: usize, hi: usize) -> Self {
        match *self {
            ProbabilityRows::OfAll { cells, classes } => ProbabilityRows::OfAll { cells: &cells[lo * classes..hi * classes], classes },
            ProbabilityRows::OfSecond(cells) => ProbabilityRows::OfSecond(&cells[lo..hi]),
        }
    }

    /// The decisions of rows of two classes, as [`ClassProbabilities::set`] makes them, and whether all rows are probabilities.
    #[inline(always)]
    pub(super) fn decisions(&self, into: &mut [u32; BLOCK]) -> bool {
        self.each_of_two(into, |first, rest| whole(ONE * (first / rest)))
    }

    /// A number for every row of two classes, of the first probability and of the sum of both, and whether all rows are probabilities.
    #[inline(always)]
    pub(super) fn each_of_two(&self, into: &mut [u32], number: impl Fn(f64, f64) -> u32) -> bool {
        match self {
            ProbabilityRows::OfAll { cells, .. } => of_two(cells.as_chunks::<2>().0.iter().copied(), into, number),
            ProbabilityRows::OfSecond(cells) => of_two(cells.iter().map(|p| [1.0 - p, *p]), into, number),
        }
    }

    /// Why these are no probabilities.
    pub(super) fn refusal(&self) -> Error {
        for at in 0..self.rows() {
            let (mut row, mut sum) = (Vec::new(), 0.0);
            match self.part(at, at + 1) {
                ProbabilityRows::OfAll { cells, .. } => row.extend_from_slice(cells),
                ProbabilityRows::OfSecond(cells) => row.extend([1.0 - cells[0], cells[0]]),
            }
            row.iter().rev().for_each(|p| sum += p);
            let fault = |what: &str, value: f64| DataFault::new(what).row(at as u64 + 1).value(value.to_string());
            if let Some(p) = row.iter().rev().find(|p| p.is_nan() || **p < 0.0) {
                return fault("a probability cannot be", *p).accepted("numbers from 0 to 1").into();
            }
            if !is_one(sum) {
                return fault("the probabilities do not add up to 1, but to", sum).accepted("mend them, or leave the row out").into();
            }
        }
        Error::internal("probabilities were refused that add up")
    }
}

/// Whether a sum of probabilities is 1 but for rounding.
#[inline(always)]
pub(super) fn is_one(sum: f64) -> bool {
    (sum - 1.0).abs() <= ROUNDING
}

#[inline(always)]
fn of_two(rows: impl Iterator<Item = [f64; 2]>, into: &mut [u32], number: impl Fn(f64, f64) -> u32) -> bool {
    let mut fine = true;
    for (own, [first, second]) in into.iter_mut().zip(rows) {
        let rest = second + first;
        // No branches: a loop over this becomes vector code.
        fine &= (first >= 0.0) & (second >= 0.0) & is_one(rest);
        *own = number(first, rest);
    }
    fine
}
