//! Scores of numbers read as flags: out[i,k] += Σ_j present[j,k] where x_ij is above a threshold, absent[j,k] where it is not. A NaN
//! adds nothing, and an addend may be −∞.
//!
//! Cost: 8·n·p bytes read, two comparisons and three operations per number and class.

use super::aligned::Aligned;
use super::{Panel, PanelRows, padded};
use crate::num::MatrixView;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};

/// Addends of flags, padded to whole vectors.
#[derive(Debug, Clone)]
pub struct FlagScores {
    arch: Arch,
    threshold: f64,
    cols: usize,
    classes: usize,
    /// Per class: addends of flags that are not set, then of those that are.
    table: Aligned,
}

impl FlagScores {
    /// `absent` and `present` hold one addend per column and class: `absent[j · classes + k]`.
    ///
    /// # Panics
    /// When the tables differ in length or are not whole columns.
    pub fn new(threshold: f64, absent: &[f64], present: &[f64], classes: usize) -> Self {
        Self::for_arch(arch(), threshold, absent, present, classes)
    }

    fn for_arch(arch: Arch, threshold: f64, absent: &[f64], present: &[f64], classes: usize) -> Self {
        assert!(absent.len() == present.len() && absent.len().is_multiple_of(classes.max(1)), "two addends per column and class");
        let cols = absent.len() / classes.max(1);
        let of_class = |table: &[f64], k: usize| table.iter().skip(k).step_by(classes).copied().collect::<Vec<f64>>();
        let pairs: Vec<f64> = (0..classes).flat_map(|k| [of_class(absent, k), of_class(present, k)]).flatten().collect();
        let table = Aligned::padded_rows(&pairs, cols, padded(cols));
        FlagScores { arch, threshold, cols, classes, table }
    }

    /// Adds the scores of the rows to `out` (n × K).
    ///
    /// # Panics
    /// When the rows or `out` have another shape than the parameters.
    pub fn add(&self, rows: MatrixView<'_>, panel: &mut Panel, out: &mut [f64]) {
        assert_eq!((rows.cols(), out.len()), (self.cols, rows.rows() * self.classes), "all columns, one score per row and class");
        panel.for_blocks(rows, |first, block| {
            let out = &mut out[first * self.classes..(first + block.rows()) * self.classes];
            self.arch.dispatch(AddBlock { scores: self, block, out });
        });
    }
}

struct AddBlock<'a> {
    scores: &'a FlagScores,
    block: PanelRows<'a>,
    out: &'a mut [f64],
}

impl WithSimd for AddBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let AddBlock { scores: FlagScores { threshold, classes, table, cols, .. }, block, out } = self;
        let (width, whole) = (padded(*cols), cols / S::F64_LANES);
        let threshold = simd.splat_f64s(*threshold);
        for (i, out) in out.chunks_exact_mut((*classes).max(1)).enumerate() {
            let (head, tail) = S::as_simd_f64s(block.row(i));
            for (k, out) in out.iter_mut().enumerate() {
                let (absent, present) = table.numbers()[2 * k * width..2 * (k + 1) * width].split_at(width);
                let (absent, present) = (S::as_simd_f64s(absent).0, S::as_simd_f64s(present).0);
                let mut sum = simd.splat_f64s(0.0);
                for ((x, absent), present) in head.iter().zip(absent).zip(present) {
                    sum = add::<S>(simd, *x, (*absent, *present), threshold, sum);
                }
                if !tail.is_empty() {
                    // Numbers beyond the last column meet addends of zero.
                    sum = add::<S>(simd, simd.partial_load_f64s(tail), (absent[whole], present[whole]), threshold, sum);
                }
                *out += simd.reduce_sum_f64s(sum);
            }
        }
    }
}

#[inline(always)]
fn add<S: Simd>(simd: S, x: S::f64s, (absent, present): (S::f64s, S::f64s), threshold: S::f64s, sum: S::f64s) -> S::f64s {
    let unset = simd.select_f64s(simd.less_than_or_equal_f64s(x, threshold), absent, simd.splat_f64s(0.0));
    simd.add_f64s(sum, simd.select_f64s(simd.less_than_f64s(threshold, x), present, unset))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch};
    use super::*;

    #[test]
    fn agrees_with_plain_loops_and_skips_what_is_missing() {
        let mut random = Random::new(17);
        for (rows, cols, classes) in [(5, 1, 2), (7, 8, 3), (9, 19, 2), (3, 50, 4)] {
            let values: Vec<f64> = (0..rows * cols).map(|i| if i % 11 == 5 { f64::NAN } else { random.normal() }).collect();
            let (absent, present) = (random.normals(cols * classes), random.normals(cols * classes));
            for arch in every_arch() {
                let mut out = vec![0.25; rows * classes];
                let view = MatrixView::row_major(&values, rows, cols).unwrap();
                FlagScores::for_arch(arch, 0.3, &absent, &present, classes).add(view, &mut Panel::new(), &mut out);
                for i in 0..rows {
                    for k in 0..classes {
                        let mut want = 0.25;
                        for j in (0..cols).filter(|j| !values[i * cols + j].is_nan()) {
                            want += if values[i * cols + j] > 0.3 { present[j * classes + k] } else { absent[j * classes + k] };
                        }
                        assert_close(out[i * classes + k], want, cols as f64, 1e-15, &(arch, i, k));
                    }
                }
            }
        }
    }

    #[test]
    fn an_impossible_flag_makes_a_class_impossible_only_where_it_is_met() {
        let rows = MatrixView::row_major(&[1.0, 0.0], 2, 1).unwrap();
        let mut out = [0.0; 4];
        FlagScores::new(0.0, &[-1.0, -2.0], &[f64::NEG_INFINITY, -3.0], 2).add(rows, &mut Panel::new(), &mut out);
        assert_eq!(out, [f64::NEG_INFINITY, -3.0, -1.0, -2.0]);
    }
}
