//! Rows of log scores to probabilities: p_k = exp(s_k − m) / Σ_l exp(s_l − m) with m the row's largest score.
//!
//! The log normaliser is m + ln Σ_l exp(s_l − m). The largest term is exactly 1, so a sum never vanishes
//! and never overflows. A row of nothing but −∞ has no probabilities: it is counted, its normaliser is −∞
//! and its entries are 0 (or −∞ as logs), for the caller to decide. NaN and +∞ make their row NaN.
//! Cost: one exponential per score, three visits to a block that stays in the first-level cache.

use super::exp::exp;
use super::ln::ln;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};

/// Scores that are worked on together: 8 KiB.
const BLOCK: usize = 1024;

/// Replaces rows of `classes` log scores by probabilities; writes the log normaliser of every row when
/// asked for. Returns the number of rows in which every class is impossible.
///
/// # Panics
/// When the scores are not whole rows, or `log_norm` is not one number per row.
pub fn softmax(scores: &mut [f64], classes: usize, log_norm: Option<&mut [f64]>) -> usize {
    run::<false>(arch(), scores, classes, log_norm)
}

/// As [`softmax`], but leaves log probabilities: s_k minus the log normaliser.
///
/// # Panics
/// When the scores are not whole rows, or `log_norm` is not one number per row.
pub fn log_softmax(scores: &mut [f64], classes: usize, log_norm: Option<&mut [f64]>) -> usize {
    run::<true>(arch(), scores, classes, log_norm)
}

fn run<const LOG: bool>(arch: Arch, scores: &mut [f64], classes: usize, mut log_norm: Option<&mut [f64]>) -> usize {
    if classes == 0 {
        return 0;
    }
    assert!(scores.len().is_multiple_of(classes), "whole rows of scores");
    assert!(log_norm.as_ref().is_none_or(|norm| norm.len() == scores.len() / classes), "one normaliser per row");
    let rows = (BLOCK / classes).max(1);
    let mut impossible = 0;
    let (mut tops, mut sums) = ([0.0; BLOCK], [0.0; BLOCK]);
    for (b, scores) in scores.chunks_mut(rows * classes).enumerate() {
        let count = scores.len() / classes;
        let norm = log_norm.as_deref_mut().map(|norm| &mut norm[b * rows..][..count]);
        impossible += arch.dispatch(Block::<LOG> { scores, classes, tops: &mut tops[..count], sums: &mut sums[..count], norm });
    }
    impossible
}

/// At most [`BLOCK`] rows.
struct Block<'a, const LOG: bool> {
    scores: &'a mut [f64],
    classes: usize,
    /// Room for the largest score of every row, and for the sum of its exponentials.
    tops: &'a mut [f64],
    sums: &'a mut [f64],
    norm: Option<&'a mut [f64]>,
}

impl<const LOG: bool> WithSimd for Block<'_, LOG> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        // Few classes are common: with their number known the loops over a row unroll.
        match self.classes {
            2 => self.rows::<S, 2>(),
            3 => self.rows::<S, 3>(),
            4 => self.rows::<S, 4>(),
            _ => self.rows::<S, 0>(),
        }
    }
}

impl<const LOG: bool> Block<'_, LOG> {
    /// `KNOWN` is the number of classes, or 0 when only the field knows it.
    #[inline(always)]
    fn rows<S: Simd, const KNOWN: usize>(self) -> usize {
        let Block { scores, classes, tops, sums, norm } = self;
        let classes = if KNOWN == 0 { classes } else { KNOWN };
        let impossible = shift_rows(scores, classes, tops);
        if LOG {
            sum_exponentials::<S>(scores, classes, sums);
        } else {
            for s in &mut *scores {
                *s = exp::<S>(*s);
            }
            for (row, sum) in scores.chunks_exact_mut(classes).zip(&mut *sums) {
                *sum = row.iter().sum();
                // Only an impossible row sums to 0; it keeps its zeros.
                let sum = if *sum == 0.0 { 1.0 } else { *sum };
                for p in row {
                    *p /= sum;
                }
            }
        }
        if !LOG && norm.is_none() {
            return impossible;
        }
        for sum in &mut *sums {
            *sum = if *sum == 0.0 { 0.0 } else { ln::<S>(*sum) };
        }
        if LOG {
            for (row, sum) in scores.chunks_exact_mut(classes).zip(&*sums) {
                for s in row {
                    *s -= sum;
                }
            }
        }
        if let Some(norm) = norm {
            for ((norm, top), sum) in norm.iter_mut().zip(&*tops).zip(&*sums) {
                *norm = top + sum;
            }
        }
        impossible
    }
}

/// Sums of the exponentials of every row; the scores stay. Either all rows fit a block, or there is one row.
#[inline(always)]
fn sum_exponentials<S: Simd>(scores: &[f64], classes: usize, sums: &mut [f64]) {
    let mut work = [0.0; BLOCK];
    sums.fill(0.0);
    for piece in scores.chunks(BLOCK) {
        let work = &mut work[..piece.len()];
        for (e, &s) in work.iter_mut().zip(piece) {
            *e = exp::<S>(s);
        }
        for (row, sum) in work.chunks(classes).zip(&mut *sums) {
            *sum = row.iter().fold(*sum, |sum, e| sum + e);
        }
    }
}

/// Subtracts the largest score of every row from the row and keeps it; counts the impossible rows, which
/// stay as they are.
#[inline(always)]
fn shift_rows(scores: &mut [f64], classes: usize, tops: &mut [f64]) -> usize {
    let mut impossible = 0;
    for (row, kept) in scores.chunks_exact_mut(classes).zip(tops) {
        let mut top = row[0];
        for &s in &row[1..] {
            top = if s > top || top.is_nan() { s } else { top };
        }
        *kept = top;
        if top == f64::NEG_INFINITY {
            impossible += usize::from(row.iter().all(|s| !s.is_nan()));
            continue;
        }
        for s in row {
            *s -= top;
        }
    }
    impossible
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch};
    use super::*;

    const NONE: f64 = f64::NEG_INFINITY;

    #[test]
    fn probabilities_and_normalisers_agree_with_plain_loops() {
        let mut random = Random::new(51);
        for classes in [1, 2, 3, 4, 5, 7, 20, 1023, 1500] {
            let rows = 1 + 3000 / classes;
            let scores: Vec<f64> = random.normals(rows * classes).iter().map(|s| s * 40.0 - 1e4).collect();
            for arch in every_arch() {
                let (mut p, mut norm) = (scores.clone(), vec![0.0; rows]);
                assert_eq!(run::<false>(arch, &mut p, classes, Some(&mut norm)), 0);
                let (mut log_p, mut log_norm) = (scores.clone(), vec![0.0; rows]);
                assert_eq!(run::<true>(arch, &mut log_p, classes, Some(&mut log_norm)), 0);
                assert_eq!(norm, log_norm);
                for (i, &norm) in norm.iter().enumerate() {
                    let range = i * classes..(i + 1) * classes;
                    let row = &scores[range.clone()];
                    let top = row.iter().copied().fold(NONE, f64::max);
                    let sum: f64 = row.iter().map(|s| libm::exp(s - top)).sum();
                    assert_close(norm, top + sum.ln(), 1e4, 4e-16, &(arch, classes, i));
                    for at in range.clone() {
                        let want = libm::exp(scores[at] - top) / sum;
                        assert_close(p[at], want, want, 2e-16 * classes as f64 + 4e-16, &(arch, classes, at));
                        assert_close(log_p[at], scores[at] - top - sum.ln(), (scores[at] - top).abs() + 1.0, 4e-16, &(arch, classes, at));
                    }
                    let total: f64 = p[range].iter().sum();
                    assert!((total - 1.0).abs() <= classes as f64 * f64::EPSILON, "{classes} classes sum to {total}");
                }
            }
        }
    }

    #[test]
    fn impossible_rows_are_counted_and_left_to_the_caller() {
        let scores = [NONE, NONE, NONE, NONE, 2.0, NONE, NONE, f64::NAN, NONE, f64::INFINITY, 0.0, 0.0];
        for arch in every_arch() {
            let (mut p, mut norm) = (scores, [0.0; 4]);
            assert_eq!(run::<false>(arch, &mut p, 3, Some(&mut norm)), 1);
            assert_eq!((&p[..6], &norm[..2]), (&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0][..], &[NONE, 2.0][..]));
            assert!(p[6..9].iter().chain(&p[9..10]).chain(&norm[2..]).all(|x| x.is_nan()), "{p:?} {norm:?}");
            let (mut p, mut norm) = (scores, [0.0; 4]);
            assert_eq!(run::<true>(arch, &mut p, 3, Some(&mut norm)), 1);
            assert_eq!((&p[..6], &norm[..2]), (&[NONE, NONE, NONE, NONE, 0.0, NONE][..], &[NONE, 2.0][..]));
            assert!(p[6..].iter().chain(&norm[2..]).all(|x| x.is_nan()), "{p:?} {norm:?}");
        }
    }
}
