//! Totals of words, class by class: into[k, word] += w_i · value, or += w_i for every value that is not zero.
//!
//! Cost: 12 bytes read and one scattered addition per entry; the table of K × width numbers decides which
//! cache the additions meet.

use super::{Position, SparseRows};
use crate::error::Result;

/// What an entry adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordMeasure {
    /// Its value.
    Total,
    /// 1 when its value is not zero.
    Presence,
}

/// Adds sparse rows to `into`, `classes` × `width` numbers. An entry beyond `width` is an error that
/// names its row, counted from 1 within these rows; the sums are then incomplete.
///
/// # Panics
/// When the lengths of the slices contradict one another.
pub fn add_words<P: Position, I: Position>(
    rows: SparseRows<'_, P, I>,
    labels: &[u32],
    weights: Option<&[f64]>,
    measure: WordMeasure,
    (classes, width): (usize, usize),
    into: &mut [f64],
) -> Result<()> {
    assert_eq!((rows.rows(), into.len()), (labels.len(), classes * width), "one label per row, one sum per class and word");
    assert!(weights.is_none_or(|w| w.len() == labels.len()), "one weight per row");
    for (i, &label) in labels.iter().enumerate() {
        let k = label as usize;
        let weight = weights.map_or(1.0, |w| w[i]);
        if k >= classes || weight == 0.0 {
            continue;
        }
        let into = &mut into[k * width..(k + 1) * width];
        let (words, values) = rows.row(i);
        let inside = match (values, measure) {
            (None, _) => scatter(words, into, |_| weight),
            (Some(values), WordMeasure::Total) => scatter(words, into, |e| weight * values[e]),
            (Some(values), WordMeasure::Presence) => scatter(words, into, |e| if values[e] == 0.0 { 0.0 } else { weight }),
        };
        if !inside {
            return Err(rows.fault(i, width));
        }
    }
    Ok(())
}

/// Adds `term(e)` at the word of every entry e; false when a word lies outside.
#[inline(always)]
fn scatter<I: Position>(words: &[I], into: &mut [f64], term: impl Fn(usize) -> f64) -> bool {
    for (e, word) in words.iter().enumerate() {
        match into.get_mut(word.place()) {
            Some(cell) => *cell += term(e),
            None => return false,
        }
    }
    true
}
