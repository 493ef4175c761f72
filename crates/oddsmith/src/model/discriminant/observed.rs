//! The densities of all classes over one set of observed columns, ready to be evaluated.
//!
//! With z = (x − c)/s, R_k Σ_k R_kᵀ = I and v_k = R_k d_k the squared distance of a row is q_k = |R_k z − v_k|². Classes that
//! share Σ share the product R z. Cost per row: p² operations per matrix, 2p per class.

use nalgebra::DMatrix;

use super::elimination::Elimination;
use super::law::Law;
use crate::error::{Error, Result};
use crate::model::Prepared;
use crate::num::MatrixView;
use crate::num::kernel::QuadraticScores;

/// Rows that are whitened together, side by side in vector registers.
pub(super) const BLOCK: usize = 64;

/// What the densities are made of, over all columns that vary.
pub(super) struct Ingredients<'a> {
    /// Positions in the number plane.
    pub(super) columns: &'a [usize],
    pub(super) centre: &'a [f64],
    pub(super) scale: &'a [f64],
    /// Class means in scaled coordinates.
    pub(super) offsets: &'a [Vec<f64>],
    /// One matrix for all classes, or one per class.
    pub(super) covariances: &'a [DMatrix<f64>],
    /// Decides which columns are independent, for all classes alike.
    pub(super) pooled: &'a DMatrix<f64>,
    pub(super) laws: &'a [Law],
}

/// A matrix R with R Σ Rᵀ = I in scaled coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Root {
    /// Lower triangle, row after row: row i has i + 1 numbers.
    pub(super) rows: Vec<f64>,
    /// log R_ii/s_i: R's diagonal in the user's units.
    pub(super) log_diagonal: Vec<f64>,
}

/// Densities over the independent ones among a set of observed columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Observed {
    /// Indices among the varying columns.
    pub(super) members: Vec<usize>,
    /// Their positions in the number plane.
    pub(super) columns: Vec<usize>,
    pub(super) centre: Vec<f64>,
    /// 1/s: powers of two.
    pub(super) inverse_scale: Vec<f64>,
    /// One root for all classes, or one per class.
    pub(super) roots: Vec<Root>,
    /// v_k = R_k d_k, class by class.
    pub(super) targets: Vec<Vec<f64>>,
    /// Class means in scaled coordinates.
    pub(super) offsets: Vec<Vec<f64>>,
    /// w_k = Rᵀ v_k for one shared root: the weights of the scaled columns in the log odds against the centre,
    /// w_k · (z − d_k/2), class by class.
    pub(super) weights: Vec<Vec<f64>>,
    /// log density at the class mean, per class.
    pub(super) log_peak: Vec<f64>,
    kernel: Prepared<Option<QuadraticScores>>,
}

/// Buffers of one block of rows.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    deviations: Vec<f64>,
    whitened: Vec<f64>,
    odds: Vec<f64>,
    /// Squared distances: `squares[k · BLOCK + r]`.
    pub(super) squares: Vec<f64>,
}

impl Observed {
    /// The densities of the columns `observed`, given as ascending indices among the varying columns.
    pub(super) fn new(from: &Ingredients<'_>, observed: &[usize]) -> Result<Self> {
        Self::after(from, Elimination::new(from.pooled, observed))
    }

    /// The densities of the columns that an elimination of the pooled covariance kept.
    pub(super) fn after(from: &Ingredients<'_>, pooled: Elimination) -> Result<Self> {
        let members = pooled.kept.clone();
        let scale: Vec<f64> = members.iter().map(|&j| from.scale[j]).collect();
        let eliminations = match from.covariances {
            [_] => Some(vec![pooled]),
            own => own.iter().map(|matrix| Elimination::of_independent(matrix, &members)).collect(),
        };
        let eliminations = eliminations.ok_or_else(|| Error::internal("a covariance matrix lost its rank"))?;
        let roots: Vec<Root> = eliminations.iter().map(|elimination| Root::new(elimination.inverse(), &scale)).collect();
        let root_of = |k: usize| &roots[if roots.len() == 1 { 0 } else { k }];
        let mut targets: Vec<Vec<f64>> = Vec::new();
        let mut all_offsets = Vec::new();
        let mut log_peak = Vec::new();
        for (k, law) in from.laws.iter().enumerate() {
            let offsets: Vec<f64> = members.iter().map(|&j| from.offsets[k][j]).collect();
            targets.push(root_of(k).triangle().map(|row| dot(row, &offsets)).collect());
            all_offsets.push(offsets);
            log_peak.push(law.log_peak(members.len()) + root_of(k).log_diagonal.iter().sum::<f64>());
        }
        let weights = match &roots[..] {
            [shared] => targets.iter().map(|target| shared.transposed_times(target)).collect(),
            _ => Vec::new(),
        };
        Ok(Observed {
            columns: members.iter().map(|&j| from.columns[j]).collect(),
            centre: members.iter().map(|&j| from.centre[j]).collect(),
            inverse_scale: scale.iter().map(|s| 1.0 / s).collect(),
            members,
            roots,
            targets,
            offsets: all_offsets,
            weights,
            log_peak,
            kernel: Prepared::default(),
        })
    }

    /// Number of independent observed columns.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The vector kernel for −q_k/2, when these are all columns of a table with `width` of them and their units are
    /// ordinary enough to be multiplied out.
    pub(super) fn kernel(&self, width: usize) -> Option<&QuadraticScores> {
        self.kernel.get(|| self.prepare(width)).as_ref()
    }

    fn prepare(&self, width: usize) -> Option<QuadraticScores> {
        let ordinary = self.inverse_scale.iter().all(|unit| (1e-100..1e100).contains(unit));
        if !ordinary || !self.columns.iter().copied().eq(0..width) {
            return None;
        }
        let classes = self.targets.len();
        let (mut means, mut factors) = (Vec::new(), vec![0.0; classes * width * width]);
        for (k, factor) in factors.chunks_exact_mut((width * width).max(1)).enumerate() {
            for (i, row) in self.root(k).triangle().enumerate() {
                row.iter().enumerate().for_each(|(j, r)| factor[i * width + j] = r * self.inverse_scale[j]);
            }
            means.extend((0..width).map(|at| self.offsets[k][at] / self.inverse_scale[at]));
        }
        Some(QuadraticScores::new(&vec![0.0; classes], &self.centre, &means, &factors))
    }

    /// The root of class `k`.
    pub(super) fn root(&self, k: usize) -> &Root {
        &self.roots[if self.roots.len() == 1 { 0 } else { k }]
    }

    /// Observed column `at` of row `i` in scaled coordinates, times 2^pull, where the result may be ordinary although the
    /// steps towards it are not.
    pub(super) fn deviation(&self, values: MatrixView<'_>, i: usize, at: usize, pull: i32) -> f64 {
        let deviation = (values.get(i, self.columns[at]) - self.centre[at]).clamp(-f64::MAX, f64::MAX);
        libm::ldexp(deviation, libm::ilogb(self.inverse_scale[at]) + pull)
    }

    /// Squared distances of up to [`BLOCK`] rows from every class, into `work.squares`. `pull` moves each row towards
    /// the centre by a power of two; empty for no row.
    pub(super) fn square_distances(&self, values: MatrixView<'_>, rows: &[usize], pull: &[i32], work: &mut Workspace) {
        let (width, classes) = (self.width(), self.targets.len());
        let Workspace { deviations, whitened, odds, squares } = work;
        deviations.resize(width * BLOCK, 0.0);
        whitened.resize(width * BLOCK, 0.0);
        squares.resize(classes * BLOCK, 0.0);
        for (at, column) in deviations.chunks_exact_mut(BLOCK).enumerate() {
            for (cell, &i) in column.iter_mut().zip(rows) {
                *cell = (values.get(i, self.columns[at]) - self.centre[at]) * self.inverse_scale[at];
            }
            for ((cell, &i), &exponent) in column.iter_mut().zip(rows).zip(pull) {
                *cell = self.deviation(values, i, at, exponent);
            }
        }
        for (k, target) in self.targets.iter().enumerate() {
            if k < self.roots.len() {
                whiten(&self.roots[k].rows, deviations, whitened);
            }
            add_squares(whitened, target, &mut squares[k * BLOCK..(k + 1) * BLOCK]);
        }
        if !self.weights.is_empty() {
            odds.resize(classes * BLOCK, 0.0);
            self.straighten(deviations, odds, squares);
        }
    }

    /// Makes differences of squared distances linear to the last digit: q_k = q_near − 2 (odds_k − odds_near), where the
    /// distance of the nearest class is kept as it is. Both are right, but only so do scores agree with their
    /// linear view when columns are nearly combinations of each other.
    fn straighten(&self, deviations: &[f64], odds: &mut [f64], squares: &mut [f64]) {
        for ((weights, offsets), odds) in self.weights.iter().zip(&self.offsets).zip(odds.chunks_exact_mut(BLOCK)) {
            odds.fill(-0.5 * dot(weights, offsets));
            for (w, column) in weights.iter().zip(deviations.chunks_exact(BLOCK)) {
                odds.iter_mut().zip(column).for_each(|(sum, z)| *sum += w * z);
            }
        }
        let classes = self.weights.len();
        for r in 0..BLOCK {
            let near = (1..classes).fold(0, |near, k| if squares[k * BLOCK + r] < squares[near * BLOCK + r] { k } else { near });
            let (least, nearest) = (squares[near * BLOCK + r], odds[near * BLOCK + r]);
            for k in (0..classes).filter(|&k| k != near) {
                let square = least - 2.0 * (odds[k * BLOCK + r] - nearest);
                squares[k * BLOCK + r] = if square < 0.0 { 0.0 } else { square };
            }
        }
    }
}

impl Root {
    fn new(rows: Vec<f64>, scale: &[f64]) -> Self {
        let log_diagonal = triangle_rows(&rows).zip(scale).map(|(row, s)| row[row.len() - 1].ln() - s.ln()).collect();
        Root { rows, log_diagonal }
    }

    /// Rᵀ v.
    fn transposed_times(&self, v: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; v.len()];
        for (row, v) in self.triangle().zip(v) {
            sums.iter_mut().zip(row).for_each(|(sum, r)| *sum += r * v);
        }
        sums
    }

    /// Rows of the lower triangle.
    pub(super) fn triangle(&self) -> impl Iterator<Item = &[f64]> {
        triangle_rows(&self.rows)
    }
}

/// The rows of a packed lower triangle.
fn triangle_rows(packed: &[f64]) -> impl Iterator<Item = &[f64]> {
    let mut rest = packed;
    (1..).map_while(move |length| {
        let row = rest.split_at_checked(length)?;
        rest = row.1;
        Some(row.0)
    })
}

pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// whitened = R · deviations for a block: both hold [`BLOCK`] numbers per column. This is where scoring spends its time.
fn whiten(root: &[f64], deviations: &[f64], whitened: &mut [f64]) {
    for (row, sums) in triangle_rows(root).zip(whitened.chunks_exact_mut(BLOCK)) {
        sums.fill(0.0);
        for (r, column) in row.iter().zip(deviations.chunks_exact(BLOCK)) {
            sums.iter_mut().zip(column).for_each(|(sum, x)| *sum += r * x);
        }
    }
}

/// squares = Σ_i (whitened_i − target_i)² for a block.
fn add_squares(whitened: &[f64], target: &[f64], squares: &mut [f64]) {
    squares.fill(0.0);
    for (column, v) in whitened.chunks_exact(BLOCK).zip(target) {
        squares.iter_mut().zip(column).for_each(|(square, u)| *square += (u - v) * (u - v));
    }
}
