//! Coefficients of a least-squares fit: from the normal equations by Cholesky, or from the triangular factor of the rows.
//!
//! (A + Λ) b_k = r_k with Λ = λ/s_j² on the diagonal. The condition number κ is that of the matrix with a diagonal of ones, so no unit of a
//! column changes it: normal equations lose about log10 κ of 16 digits, the factor of the rows half as many, and one step of refinement with
//! the residuals of the rows wins most of these back. A column whose remainder beside the earlier ones is rounding alone has no
//! coefficient. Time O(p³).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::gram::Gram;
use crate::num::cholesky;
use crate::stats::row_factor::triangularise;

/// Condition number of the normal equations from which on the rows are read again.
pub(super) const ILL_CONDITIONED: f64 = 1e5;
/// Remainder of a column, as a share of its size, that rounding alone leaves in the factor of the rows.
const ALIASED: f64 = 1e-13;
/// The same for the square of a remainder in the normal equations.
const ALIASED_SQUARE: f64 = 1e-12;

/// Columns up to which a matrix is inverted to know how ill-conditioned it is, and divisions of a vector in place of that beyond.
const MOST_INVERTED: usize = 512;
const DIVISIONS: usize = 20;

/// Coefficients in scaled coordinates.
#[derive(Debug, Clone)]
pub(super) struct Solved {
    /// Class after class, over the kept columns of the sums; zero where a column has none.
    pub(super) coefficients: Vec<Vec<f64>>,
    /// Positions among the kept columns of those that earlier ones explain.
    pub(super) aliased: Vec<usize>,
    /// Condition number of the normal equations; `None` where columns were left out.
    pub(super) condition: Option<f64>,
}

/// By Cholesky; `None` when some columns are combinations of others as far as the products can tell.
pub(super) fn by_products(gram: &Gram, l2: f64) -> Option<Solved> {
    let matrix = penalised(gram, l2);
    let (factor, size) = (cholesky(unit_diagonal(&matrix))?, matrix.nrows());
    let condition = condition(&unit_diagonal(&matrix), inverse_norm(&factor, size));
    let root: Vec<f64> = (0..size).map(|j| matrix[(j, j)].sqrt()).collect();
    let solve = |cross: &DVector<f64>| {
        let right = DVector::from_fn(size, |j, _| cross[j] / root[j]);
        factor.solve(&right).iter().zip(&root).map(|(b, root)| b / root).collect()
    };
    Some(Solved { coefficients: gram.cross.iter().map(solve).collect(), aliased: Vec::new(), condition: Some(condition) })
}

/// From the products alone, without those columns that earlier ones explain.
pub(super) fn by_products_of_some(gram: &Gram, l2: f64) -> Solved {
    let matrix = unit_diagonal(&penalised(gram, l2));
    let (mut good, mut aliased): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for j in 0..matrix.nrows() {
        good.push(j);
        let own = matrix.select_rows(&good).select_columns(&good);
        let rest = Cholesky::new(own).map_or(0.0, |factor| factor.l_dirty()[(good.len() - 1, good.len() - 1)].powi(2));
        if rest <= ALIASED_SQUARE {
            good.pop();
            aliased.push(j);
        }
    }
    let some = Gram {
        kept: good.iter().map(|&j| gram.kept[j]).collect(),
        products: gram.products.select_rows(&good).select_columns(&good),
        cross: gram.cross.iter().map(|cross| cross.select_rows(&good)).collect(),
        ..gram.clone()
    };
    let solved = by_products(&some, l2);
    let spread = |values: &[f64]| {
        let mut all = vec![0.0; matrix.nrows()];
        good.iter().zip(values).for_each(|(&j, value)| all[j] = *value);
        all
    };
    let coefficients = match &solved {
        Some(solved) => solved.coefficients.iter().map(|values| spread(values)).collect(),
        None => vec![vec![0.0; matrix.nrows()]; gram.cross.len()],
    };
    Solved { coefficients, aliased, condition: solved.and_then(|solved| solved.condition) }
}

/// A triangular system of the columns that are no combinations of others, and its solutions.
#[derive(Debug, Clone)]
pub(super) struct Reduced {
    /// Positions of the columns among all.
    pub(super) kept: Vec<usize>,
    /// R over the constant and the kept columns, row after row.
    pub(super) factor: Vec<f64>,
    /// Constant and coefficients, class after class.
    pub(super) solutions: Vec<f64>,
}

/// From the factor R of the rows (1, x, targets), p + 1 + K columns, row after row. `penalties` are those of the columns.
pub(super) fn by_rows(factor: &[f64], columns: usize, targets: usize, penalties: &[f64]) -> Reduced {
    let all = columns + 1 + targets;
    let mut kept: Vec<usize> = (0..columns).collect();
    loop {
        let (size, width) = (kept.len() + 1, kept.len() + 1 + targets);
        let matrix = reduced(factor, all, &kept, targets, penalties);
        let length = |j: usize| (0..=j).map(|i| matrix[i * width + j].powi(2)).sum::<f64>().sqrt();
        if let Some(j) = (1..size).find(|&j| matrix[j * width + j].abs() <= ALIASED * length(j)) {
            kept.remove(j - 1);
            continue;
        }
        let solutions = (0..targets).flat_map(|k| back_substituted(&matrix, size, width, size + k)).collect();
        let factor = (0..size).flat_map(|i| matrix[i * width..i * width + size].to_vec()).collect();
        return Reduced { kept, factor, solutions };
    }
}

impl Reduced {
    /// Numbers per class: the constant and the kept columns.
    pub(super) fn size(&self) -> usize {
        self.kept.len() + 1
    }

    /// The solutions after a step of refinement: R⁻¹ R⁻ᵀ g is added, with g = Σ w z (t − b·z) − Λ b summed over the rows.
    pub(super) fn refine(&mut self, gradients: &[f64]) {
        let size = self.size();
        let upper = DMatrix::from_row_slice(size, size, &self.factor);
        for (solution, gradient) in self.solutions.chunks_exact_mut(size).zip(gradients.chunks_exact(size)) {
            let right = DVector::from_column_slice(gradient);
            let step = upper.tr_solve_upper_triangular(&right).and_then(|half| upper.solve_upper_triangular(&half));
            let Some(step) = step.filter(|step| step.iter().all(|x| x.is_finite())) else { continue };
            solution.iter_mut().zip(step.iter()).for_each(|(b, step)| *b += step);
        }
    }

    /// Coefficients of all columns, and the condition number of the normal equations.
    pub(super) fn solved(&self, columns: usize) -> Solved {
        let all = |solution: &[f64]| {
            let mut all = vec![0.0; columns];
            self.kept.iter().zip(&solution[1..]).for_each(|(&j, value)| all[j] = *value);
            all
        };
        let coefficients = self.solutions.chunks_exact(self.size()).map(all).collect();
        let aliased = (0..columns).filter(|j| !self.kept.contains(j)).collect();
        Solved { coefficients, aliased, condition: factor_condition(&self.factor, self.kept.len(), self.size()) }
    }

    /// The constant of class `k`.
    pub(super) fn constant(&self, k: usize) -> f64 {
        self.solutions[k * self.size()]
    }
}

/// The factor without some columns, and with the rows of a penalty folded in.
fn reduced(factor: &[f64], all: usize, kept: &[usize], classes: usize, penalties: &[f64]) -> Vec<f64> {
    let columns = all - 1 - classes;
    let chosen: Vec<usize> = std::iter::once(0).chain(kept.iter().map(|j| j + 1)).chain((0..classes).map(|k| columns + 1 + k)).collect();
    let mut matrix: Vec<f64> = (0..all).flat_map(|i| chosen.iter().map(move |&j| factor[i * all + j])).collect();
    let mut rows = all;
    for (at, &j) in kept.iter().enumerate().filter(|(_, j)| penalties[**j] > 0.0) {
        matrix.extend((0..chosen.len()).map(|column| if column == at + 1 { penalties[j].sqrt() } else { 0.0 }));
        rows += 1;
    }
    triangularise(&mut matrix, rows, chosen.len());
    matrix
}

fn back_substituted(matrix: &[f64], size: usize, width: usize, right: usize) -> Vec<f64> {
    let mut solution = vec![0.0; size];
    for i in (0..size).rev() {
        let later: f64 = (i + 1..size).map(|j| matrix[i * width + j] * solution[j]).sum();
        solution[i] = (matrix[i * width + right] - later) / matrix[i * width + i];
    }
    solution
}

/// The condition number of the normal equations that the factor stands for, each column in its own size.
fn factor_condition(matrix: &[f64], columns: usize, width: usize) -> Option<f64> {
    let size: Vec<f64> = (1..=columns).map(|j| (1..=j).map(|i| matrix[i * width + j].powi(2)).sum::<f64>().sqrt()).collect();
    let upper = DMatrix::from_fn(columns, columns, |i, j| if i <= j { matrix[(i + 1) * width + j + 1] / size[j] } else { 0.0 });
    let inverse = upper.clone().solve_upper_triangular(&DMatrix::identity(columns, columns))?;
    (columns > 0).then(|| condition(&upper, inverse.norm()).powi(2))
}

fn penalised(gram: &Gram, l2: f64) -> DMatrix<f64> {
    let mut matrix = gram.products.clone();
    gram.kept.iter().enumerate().for_each(|(at, &j)| matrix[(at, at)] += l2 / gram.scale[j] / gram.scale[j]);
    matrix
}

fn unit_diagonal(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let root: Vec<f64> = (0..matrix.nrows()).map(|j| matrix[(j, j)].sqrt()).collect();
    DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| if i == j { 1.0 } else { matrix[(i, j)] / root[i] / root[j] })
}

/// ‖A‖ ‖A⁻¹‖ in the norm of Frobenius over the number of columns: within that factor of the condition number, and 1 for the identity.
fn condition(matrix: &DMatrix<f64>, inverse_norm: f64) -> f64 {
    matrix.norm() * inverse_norm / matrix.nrows().max(1) as f64
}

/// ‖A⁻¹‖ from the factor of A. Of a large matrix the inverse would cost more than the fit; how far it draws out the vector that it draws out most is as
/// much to within the root of the number of columns, and divisions of a vector come near that one.
fn inverse_norm(factor: &Cholesky<f64, Dyn>, size: usize) -> f64 {
    if size <= MOST_INVERTED {
        return factor.inverse().norm();
    }
    let mut vector = DVector::from_fn(size, |i, _| 1.0 + (i as f64).sin());
    let mut drawn = 0.0;
    for _ in 0..DIVISIONS {
        vector = factor.solve(&(&vector / vector.norm()));
        drawn = vector.norm();
    }
    drawn
}
