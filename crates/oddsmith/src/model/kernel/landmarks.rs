//! Landmarks: rows chosen one after the other, each the one that those before it say least about (pivoted Cholesky of the kernel matrix).
//!
//! With L Lᵀ = K over the landmarks, φ(x) = L⁻¹ k(x), k(x) the kernel of x with every landmark, has φ(x)·φ(y) = K(x, y) as far as the landmarks
//! carry; where the remainder of every row is rounding alone, the fit is that of the whole kernel matrix. Time O(rows · m²), memory O(rows · m).

use super::function::Kernel;
use crate::num::kernel::{SIDES, solve_lower, widest};

/// Remainder of a row, as a share of the largest, below which landmarks say all about it.
const ENOUGH: f64 = 1e-10;
/// Rows whose distances make the unit of the kernel.
const SAMPLE: usize = 500;

/// Chosen rows, in units of the columns, and the factor L of their kernel matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Landmarks {
    pub(super) kernel: Kernel,
    pub(super) centre: Vec<f64>,
    /// One over the unit of every column; 0 takes it out.
    pub(super) inverse: Vec<f64>,
    /// Row after row.
    pub(super) cells: Vec<f64>,
    /// Lower triangle, row after row, m × m.
    pub(super) factor: Vec<f64>,
    /// Whether rows outside say no more.
    pub(super) exact: bool,
}

/// One over the median of squared distances between rows of a sample.
pub(super) fn gamma(rows: &[Vec<f64>]) -> f64 {
    let sample = &rows[..rows.len().min(SAMPLE)];
    let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut all: Vec<f64> = Vec::new();
    for (i, a) in sample.iter().enumerate() {
        all.extend(sample[..i].iter().map(|b| squared(a, b)).filter(|squared| *squared > 0.0));
    }
    if all.is_empty() {
        return 1.0;
    }
    let middle = all.len() / 2;
    let (_, median, _) = all.select_nth_unstable_by(middle, f64::total_cmp);
    median.recip()
}

/// What the columns chosen so far carry of the kernel of every row with the next, Σ_c l_ic l_jc: column after column, a block of rows at a time, so that a
/// block stays in the nearest cache.
fn known(columns: &[Vec<f64>], next: usize, rows: usize) -> Vec<f64> {
    const BLOCK: usize = 1024;
    let mut known = vec![0.0; rows];
    for (at, known) in known.chunks_mut(BLOCK).enumerate() {
        widest(
            #[inline(always)]
            || {
                for column in columns {
                    let factor = column[next];
                    known.iter_mut().zip(&column[at * BLOCK..]).for_each(|(sum, l)| *sum += l * factor);
                }
            },
        );
    }
    known
}

impl Landmarks {
    /// Chooses at most `most` of the rows, which are in units of the columns already.
    pub(super) fn choose(kernel: Kernel, centre: Vec<f64>, inverse: Vec<f64>, rows: &[Vec<f64>], most: usize, part: bool) -> Self {
        let count = rows.len();
        let mut rest: Vec<f64> = rows.iter().map(|row| kernel.value(row, row)).collect();
        let largest = rest.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let (mut chosen, mut columns): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        while chosen.len() < most.min(count) {
            let best = (1..count).fold(0, |best, i| if rest[i] > rest[best] { i } else { best });
            if rest[best] <= ENOUGH * largest {
                break;
            }
            let root = rest[best].sqrt();
            let known = known(&columns, best, count);
            let value = |(row, known): (&Vec<f64>, &f64)| (kernel.value(row, &rows[best]) - known) / root;
            let column: Vec<f64> = rows.iter().zip(&known).map(value).collect();
            rest.iter_mut().zip(&column).for_each(|(rest, l)| *rest -= l * l);
            rest[best] = 0.0;
            chosen.push(best);
            columns.push(column);
        }
        let exact = !part && rest.iter().all(|rest| *rest <= ENOUGH * largest);
        let cells = chosen.iter().flat_map(|&i| rows[i].iter().copied()).collect();
        let size = chosen.len();
        let factor = (0..size * size).map(|at| if at % size <= at / size { columns[at % size][chosen[at / size]] } else { 0.0 }).collect();
        Landmarks { kernel, centre, inverse, cells, factor, exact }
    }

    /// Number of landmarks.
    pub(super) fn len(&self) -> usize {
        self.factor.len().isqrt()
    }

    /// φ(x) of rows, one after the other.
    pub(super) fn features_of<'a>(&self, rows: impl Iterator<Item = &'a [f64]>, out: &mut Vec<f64>) {
        let (mut units, mut likeness, size) = (Vec::new(), Vec::new(), self.len());
        let mut sides = vec![[0.0; SIDES]; size];
        let mut waiting = 0;
        let solve = |sides: &mut [[f64; SIDES]], count: usize, out: &mut Vec<f64>| {
            solve_lower(&self.factor, sides);
            (0..count).for_each(|s| out.extend(sides.iter().map(|side| side[s])));
        };
        for row in rows {
            self.in_units(row, &mut units);
            self.likeness(&units, &mut likeness);
            sides.iter_mut().zip(&likeness).for_each(|(side, k)| side[waiting] = *k);
            waiting += 1;
            if waiting == SIDES {
                solve(&mut sides, SIDES, out);
                waiting = 0;
            }
        }
        solve(&mut sides, waiting, out);
    }

    /// A row in units of the columns.
    pub(super) fn in_units(&self, row: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(row.iter().zip(&self.centre).zip(&self.inverse).map(|((x, centre), inverse)| (x - centre) * inverse));
    }

    /// k(x) of a row in units of the columns.
    pub(super) fn likeness(&self, row: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.cells.chunks_exact(self.centre.len().max(1)).map(|landmark| self.kernel.value(row, landmark)));
    }

    /// The weights of k(x) that come to the same as weights of φ(x): L⁻ᵀ b.
    pub(super) fn weights(&self, of_features: &[f64]) -> Vec<f64> {
        let size = self.len();
        let mut weights = of_features.to_vec();
        for i in (0..size).rev() {
            let later: f64 = (i + 1..size).map(|j| self.factor[j * size + i] * weights[j]).sum();
            weights[i] = (weights[i] - later) / self.factor[i * size + i];
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_the_kernel_as_their_product() {
        let rows: Vec<Vec<f64>> = (0..40).map(|i| vec![(f64::from(i) * 0.7).sin(), f64::from(i % 7) / 3.0]).collect();
        for kernel in [Kernel::Rbf { gamma: 0.8 }, Kernel::Polynomial { gamma: 0.5, degree: 3 }, Kernel::Linear] {
            let landmarks = Landmarks::choose(kernel, vec![0.0; 2], vec![1.0; 2], &rows, 100, false);
            assert!(landmarks.exact && landmarks.len() <= if kernel == Kernel::Linear { 2 } else { 40 });
            let features = |row: &[f64]| {
                let mut out = Vec::new();
                landmarks.features_of(std::iter::once(row), &mut out);
                out
            };
            for a in &rows {
                for b in &rows[..9] {
                    let product: f64 = features(a).iter().zip(features(b)).map(|(a, b)| a * b).sum();
                    assert!((product - kernel.value(a, b)).abs() < 1e-4, "{kernel:?}: {product} {}", kernel.value(a, b));
                }
            }
            let b: Vec<f64> = (0..landmarks.len()).map(|i| f64::from(i as u32 % 3) - 1.0).collect();
            let (phi, mut likeness) = (features(&rows[3]), Vec::new());
            landmarks.likeness(&rows[3], &mut likeness);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (left, right) = (dot(&phi, &b), dot(&likeness, &landmarks.weights(&b)));
            assert!((left - right).abs() < 1e-6 * (1.0 + left.abs()), "{left} {right}");
        }
    }
}
