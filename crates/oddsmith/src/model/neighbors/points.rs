//! Kept rows as points: exact distances, and the nearest of them.
//!
//! d² = Σ_j δ_j² · (columns / columns that both rows have): δ is the difference of numbers over the unit of the column, and 0 or 1 for equal
//! and different levels. A level that the rows never had says nothing, like a gap. Differences are taken before units, so rows that mirror each
//! other are equally far to the bit. Points without gaps are first screened ([`super::screen`]); every distance that counts is computed here.
//!
//! Where a range over its unit is so far from 1 that squares would leave the range of numbers, in single precision too, all distances are
//! taken times one power of two, which moves no digit.

use super::kept_rows::KeptRows;
use super::screen::Screen;
use super::votes::{Candidate, EQUAL};
use crate::data::{Features, MISSING, UNSEEN, Weighting};
use crate::model::Prepared;

/// Binary exponents of ranges whose squares, and sums of many of them, single precision holds.
const MOST_EXPONENT: i32 = 40;
/// The largest exponent of a power that ranges are taken times.
const FARTHEST: i32 = 1000;

/// Rows that are searched.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Points {
    pub(super) rows: KeptRows,
    /// One over the unit of every number column; 0 for columns that do not vary, which count for nothing.
    pub(super) units: Vec<f64>,
    /// The same times `shrink`.
    pub(super) inverse: Vec<f64>,
    /// The power of two that distances are taken times.
    pub(super) shrink: f64,
    /// The least that a row counts.
    least: f64,
    screen: Prepared<Screen>,
}

/// A row whose neighbours are looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Query {
    pub(super) numbers: Vec<f64>,
    pub(super) codes: Vec<u32>,
}

impl Query {
    /// Row `i` of a batch.
    pub(super) fn of(rows: &Features<'_>, i: usize) -> Self {
        let known = |code: u32| if code == UNSEEN { MISSING } else { code };
        Query {
            numbers: (0..rows.numbers.cols()).map(|j| rows.numbers.get(i, j)).collect(),
            codes: (0..rows.codes.cols()).map(|j| known(rows.codes.get(i, j))).collect(),
        }
    }
}

impl Points {
    pub(super) fn new(rows: KeptRows, units: Vec<f64>) -> Self {
        let frequency = rows.layout().weighting() == Weighting::Frequency;
        let least = if frequency { rows.weights.iter().copied().fold(1.0, f64::min) } else { 1.0 };
        let shrink = shrink(&rows, &units);
        let inverse = units.iter().map(|unit| unit * shrink).collect();
        Points { rows, units, inverse, shrink, least, screen: Prepared::default() }
    }

    /// Columns that count.
    pub(super) fn columns(&self) -> usize {
        self.inverse.iter().filter(|inverse| **inverse > 0.0).count() + self.rows.layout().codes().len()
    }

    pub(super) fn numbers(&self, row: usize) -> &[f64] {
        let width = self.inverse.len();
        &self.rows.numbers[row * width..(row + 1) * width]
    }

    pub(super) fn codes(&self, row: usize) -> &[u32] {
        let width = self.rows.layout().codes().len();
        &self.rows.codes[row * width..(row + 1) * width]
    }

    /// A kept row as a query.
    pub(super) fn query(&self, row: usize) -> Query {
        Query { numbers: self.numbers(row).to_vec(), codes: self.codes(row).to_vec() }
    }

    /// How many rows a row counts for.
    pub(super) fn count(&self, row: usize) -> f64 {
        if self.rows.layout().weighting() == Weighting::Frequency { self.rows.weights[row] } else { 1.0 }
    }

    /// Rows, each as often as it counts.
    pub(super) fn total(&self) -> f64 {
        (0..self.rows.rows()).map(|row| self.count(row)).sum()
    }

    /// A distance as it is without the power of two.
    pub(super) fn distance(&self, squared: f64) -> f64 {
        squared.sqrt() / self.shrink
    }

    /// The squared distance of a row times the square of `shrink`; infinite where the two have no column in common.
    pub(super) fn squared(&self, query: &Query, row: usize) -> f64 {
        let (mut sum, mut present) = (0.0, 0usize);
        for ((q, x), inverse) in query.numbers.iter().zip(self.numbers(row)).zip(&self.inverse) {
            let difference = (q - x) * inverse;
            if *inverse > 0.0 && !difference.is_nan() {
                sum += difference * difference;
                present += 1;
            }
        }
        for (q, x) in query.codes.iter().zip(self.codes(row)) {
            if *q != MISSING && *x != MISSING {
                sum += f64::from(u8::from(q != x)) * self.shrink * self.shrink;
                present += 1;
            }
        }
        match present {
            0 => f64::INFINITY,
            present if present == self.columns() => sum,
            present => sum * (self.columns() as f64 / present as f64),
        }
    }

    /// Whether nothing of a query is missing.
    pub(super) fn is_whole(&self, query: &Query) -> bool {
        let numbers = query.numbers.iter().zip(&self.inverse).all(|(q, inverse)| q.is_finite() || *inverse == 0.0);
        numbers && !query.codes.contains(&MISSING)
    }

    /// For every query the rows of the k nearest counts and all that are as far as the last of them, in rising distance, equal ones in the
    /// order of the table. `without` is a row that is left out, or one time of it where it stands for several.
    pub(super) fn nearest_of(&self, queries: &[Query], k: f64, without: &[Option<usize>]) -> Vec<Vec<Candidate>> {
        // As many rows as k and one that may be left out are enough where each counts at least once.
        let wanted = ((k / self.least).ceil() as usize + 1).min(self.rows.rows());
        let screen = self.screen.get(|| Screen::new(self));
        let mut found = screen.search(self, queries, wanted);
        let each = queries.iter().zip(&mut found).zip(without);
        each.map(|((query, rows), without)| self.sorted(query, std::mem::take(rows), (k, wanted), *without)).collect()
    }

    /// Candidates of rows among which all of the k nearest are; so many of them are `wanted` at most, those as far as the last aside.
    fn sorted(&self, query: &Query, rows: Vec<u32>, (k, wanted): (f64, usize), without: Option<usize>) -> Vec<Candidate> {
        let candidate = |row: u32| {
            let row = row as usize;
            let (count, class) = (self.count(row), self.rows.labels[row] as usize);
            let left = if without == Some(row) { (count - 1.0).max(0.0) } else { count };
            let mass = if self.rows.layout().weighting() == Weighting::Sampling { self.rows.weights[row] } else { left };
            (left > 0.0).then(|| Candidate { row, squared: self.squared(query, row), class, count: left, mass })
        };
        let mut candidates: Vec<Candidate> = rows.into_iter().filter_map(candidate).collect();
        // Putting them in order costs more than finding which of them can count.
        if candidates.len() > wanted {
            let (_, last, _) = candidates.select_nth_unstable_by(wanted - 1, |a, b| a.squared.total_cmp(&b.squared));
            let limit = last.squared * (1.0 + EQUAL);
            candidates.retain(|candidate| candidate.squared <= limit);
        }
        let place = |candidate: &Candidate| (self.rows.ids[candidate.row], candidate.row);
        candidates.sort_unstable_by(|a, b| a.squared.total_cmp(&b.squared).then(place(a).cmp(&place(b))));
        let mut counted = 0.0;
        let last = candidates.iter().position(|candidate| {
            counted += candidate.count;
            counted >= k
        });
        if let Some(last) = last {
            let limit = candidates[last].squared * (1.0 + EQUAL);
            let end = last + candidates[last..].iter().take_while(|candidate| candidate.squared <= limit).count();
            candidates.truncate(end);
        }
        candidates
    }
}

/// The power of two that brings the widest range over its unit near 1, or 1 where its square is far from the end of single precision.
/// Levels that differ are 1 apart; beside them small ranges stay as they are.
fn shrink(rows: &KeptRows, units: &[f64]) -> f64 {
    let range = |(j, unit): (usize, &f64)| {
        let cells = rows.numbers.iter().skip(j).step_by(units.len()).filter(|x| x.is_finite());
        let (low, high) = cells.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
        // Halves, as the difference of the largest numbers is none.
        if low < high { (0.5 * high - 0.5 * low) * unit } else { 0.0 }
    };
    let widest = units.iter().enumerate().map(range).fold(0.0, f64::max);
    let (_, exponent) = libm::frexp(widest);
    let least = if rows.layout().codes().is_empty() { -MOST_EXPONENT } else { i32::MIN };
    match widest > 0.0 && widest.is_finite() && !(least..=MOST_EXPONENT).contains(&exponent) {
        true => libm::ldexp(1.0, (-exponent).min(FARTHEST)),
        false => 1.0,
    }
}
