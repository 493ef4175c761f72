//! Scores of sparse rows: out[i,k] += Σ value · table[word, k].
//!
//! The table is word-major and padded to groups of four classes: an entry reads the adjacent scores of all
//! classes, a few cache lines, and adds them as vectors to sums that stay in registers.
//! Cost: 12 bytes and 8·K bytes of the table read per entry.

use super::aligned::Aligned;
use super::{Position, SparseRows, WordMeasure, fused};
use crate::error::Result;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};

/// Classes that are added as one vector.
pub(super) const QUAD: usize = 4;
/// Groups of four whose sums fit the registers of every instruction set.
const GROUPS: usize = 8;

/// A table of `classes` numbers per entry in whole groups of four, zeros behind them.
pub(super) fn pad_table(table: &[f64], classes: usize) -> Aligned {
    Aligned::padded_rows(table, classes, classes.next_multiple_of(QUAD))
}

/// Scores of K classes from sparse rows.
#[derive(Debug, Clone)]
pub struct WordScores {
    arch: Arch,
    classes: usize,
    width: usize,
    table: Aligned,
}

impl WordScores {
    /// `table` holds K numbers per word, word after word.
    ///
    /// # Panics
    /// When the table does not have whole words.
    pub fn new(classes: usize, table: &[f64]) -> Self {
        Self::for_arch(arch(), classes, table)
    }

    pub(super) fn for_arch(arch: Arch, classes: usize, table: &[f64]) -> Self {
        let width = table.len() / classes.max(1);
        assert_eq!(table.len(), width * classes, "one number per word and class");
        WordScores { arch, classes, width, table: pad_table(table, classes) }
    }

    /// Adds the scores of the rows to `out` (n × K). An entry beyond the table is an error that names its
    /// row, counted from 1 within these rows.
    ///
    /// # Panics
    /// When `out` is not one number per row and class.
    pub fn add<P: Position, I: Position>(&self, rows: SparseRows<'_, P, I>, measure: WordMeasure, out: &mut [f64]) -> Result<()> {
        assert_eq!(out.len(), rows.rows() * self.classes, "one score per row and class");
        if self.classes == 0 {
            return Ok(());
        }
        let presence = measure == WordMeasure::Presence;
        match self.arch.dispatch(AddRows { scores: self, rows, presence, out }) {
            None => Ok(()),
            Some(row) => Err(rows.fault(row, self.width)),
        }
    }
}

struct AddRows<'a, P, I> {
    scores: &'a WordScores,
    rows: SparseRows<'a, P, I>,
    presence: bool,
    out: &'a mut [f64],
}

impl<P: Position, I: Position> WithSimd for AddRows<'_, P, I> {
    /// The first row with an entry outside the table.
    type Output = Option<usize>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let AddRows { scores, rows, presence, out } = self;
        for (i, out) in out.chunks_exact_mut(scores.classes).enumerate() {
            let (words, values) = rows.row(i);
            let inside = match values {
                None => add_row::<S, I>(
                    scores,
                    words,
                    #[inline(always)]
                    |_| 1.0,
                    out,
                ),
                Some(values) if presence => add_row::<S, I>(
                    scores,
                    words,
                    #[inline(always)]
                    |e| f64::from(u8::from(values[e] != 0.0)),
                    out,
                ),
                Some(values) => add_row::<S, I>(
                    scores,
                    words,
                    #[inline(always)]
                    |e| values[e],
                    out,
                ),
            };
            if !inside {
                return Some(i);
            }
        }
        None
    }
}

#[inline(always)]
fn add_row<S: Simd, I: Position>(scores: &WordScores, words: &[I], value: impl Fn(usize) -> f64, out: &mut [f64]) -> bool {
    let quads = scores.classes.div_ceil(QUAD);
    let mut first = 0;
    while first < quads {
        let inside = match quads - first {
            1 => add_groups::<S, I, 1>(scores, words, &value, first, out),
            2 => add_groups::<S, I, 2>(scores, words, &value, first, out),
            3 => add_groups::<S, I, 3>(scores, words, &value, first, out),
            4 => add_groups::<S, I, 4>(scores, words, &value, first, out),
            5 => add_groups::<S, I, 5>(scores, words, &value, first, out),
            6 => add_groups::<S, I, 6>(scores, words, &value, first, out),
            7 => add_groups::<S, I, 7>(scores, words, &value, first, out),
            _ => add_groups::<S, I, GROUPS>(scores, words, &value, first, out),
        };
        if !inside {
            return false;
        }
        first += GROUPS;
    }
    true
}

/// Adds the classes of `N` groups of four, from group `first` on; false when a word lies outside.
#[inline(always)]
fn add_groups<S: Simd, I: Position, const N: usize>(
    scores: &WordScores,
    words: &[I],
    value: &impl Fn(usize) -> f64,
    first: usize,
    out: &mut [f64],
) -> bool {
    let quads = scores.classes.div_ceil(QUAD);
    let (table, _) = scores.table.numbers().as_chunks::<QUAD>();
    let mut sums = [[0.0; QUAD]; N];
    for (e, word) in words.iter().enumerate() {
        let word = word.place();
        if word >= scores.width {
            return false;
        }
        let Some(entry) = table.get(word * quads + first..).and_then(|rest| rest.first_chunk::<N>()) else { return false };
        let value = value(e);
        for (sum, entry) in sums.iter_mut().zip(entry) {
            for (sum, entry) in sum.iter_mut().zip(entry) {
                *sum = fused::<S>(value, *entry, *sum);
            }
        }
    }
    for (out, sum) in out[first * QUAD..].iter_mut().zip(sums.as_flattened()) {
        *out += sum;
    }
    true
}
