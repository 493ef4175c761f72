//! Terms: pieces of a score that are linear in indicators or values of columns.
//!
//! Bernoulli, multinomial and categorical naive Bayes and LDA are sums of such terms, and so is the
//! [`LinearLogOdds`](super::LinearLogOdds) view of any of them.

mod flags;
mod levels;
mod limits;
mod numbers;
mod words;

pub use flags::FlagTerm;
pub use levels::LevelTerm;
pub use numbers::NumberTerm;
pub use words::WordTerm;

use super::{Contributions, Scores};
use crate::data::{Features, Layout};
use crate::error::Result;

/// A piece of every class's score.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// Weight times value of number columns.
    Numbers(NumberTerm),
    /// One of two addends by whether a number exceeds a threshold.
    Flags(FlagTerm),
    /// One addend per level of category columns.
    Levels(LevelTerm),
    /// Weight times count (or presence) of every word of a text column.
    Words(WordTerm),
}

impl Term {
    /// Adds the term to the scores of a batch.
    pub fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) -> Result<()> {
        match self {
            Term::Numbers(term) => term.add_scores(rows, scores),
            Term::Flags(term) => term.add_scores(rows, scores),
            Term::Levels(term) => term.add_scores(rows, scores),
            Term::Words(term) => return term.add_scores(rows, scores),
        }
        Ok(())
    }

    /// Adds the term to the evidence, feature by feature.
    pub fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) -> Result<()> {
        match self {
            Term::Numbers(term) => term.add_contributions(rows, layout, out),
            Term::Flags(term) => term.add_contributions(rows, layout, out),
            Term::Levels(term) => term.add_contributions(rows, layout, out),
            Term::Words(term) => return term.add_contributions(rows, layout, out),
        }
        Ok(())
    }

    /// Multiplies every addend by `factor`.
    pub fn stretch(&mut self, factor: f64) {
        let tables: [&mut Vec<f64>; 2] = match self {
            Term::Numbers(term) => [&mut term.base, &mut term.weights],
            Term::Flags(term) => [&mut term.absent, &mut term.present],
            Term::Levels(term) => [&mut term.table, &mut Vec::new()],
            Term::Words(term) => [&mut term.base, &mut term.table],
        };
        tables.into_iter().flatten().for_each(|value| *value *= factor);
    }

    /// The term with class `reference` subtracted from every class, or `None` when a difference is not finite.
    pub fn relative_to(&self, reference: usize, classes: usize) -> Option<Term> {
        match self {
            Term::Numbers(term) => term.relative_to(reference, classes).map(Term::Numbers),
            Term::Flags(term) => term.relative_to(reference, classes).map(Term::Flags),
            Term::Levels(term) => term.relative_to(reference, classes).map(Term::Levels),
            Term::Words(term) => term.relative_to(reference, classes).map(Term::Words),
        }
    }
}

/// A table of one row of `classes` values per cell with the reference class subtracted, when all differences are finite.
fn differences(table: &[f64], reference: usize, classes: usize) -> Option<Vec<f64>> {
    let relative: Vec<f64> = table.chunks_exact(classes).flat_map(|cell| cell.iter().map(move |v| v - cell[reference])).collect();
    relative.iter().all(|v| v.is_finite()).then_some(relative)
}

/// `count · weight`, where no count of an impossible word is no evidence against a class.
#[inline]
fn times(count: f64, weight: f64) -> f64 {
    if count == 0.0 { 0.0 } else { count * weight }
}
