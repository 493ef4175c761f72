//! Cholesky factors, by tiles where a matrix is large.

use nalgebra::{Cholesky, DMatrix, Dyn};

use super::kernel::factor_upper;

/// Rows from which on tiles are quicker than loops.
const LARGE: usize = 96;

/// The factor of a symmetric matrix of which the lower triangle is looked at; `None` where it is not positive definite.
pub(crate) fn cholesky(mut matrix: DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    let size = matrix.nrows();
    if size < LARGE {
        return Cholesky::new(matrix);
    }
    // Columns lie one after the other, so the rows of the upper triangle are the columns of the lower one.
    factor_upper(matrix.as_mut_slice(), size).then(|| Cholesky::pack_dirty(matrix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DVector;

    #[test]
    fn tiles_and_loops_solve_the_same_systems() {
        for size in [LARGE - 1, LARGE, 3 * LARGE + 5] {
            let cell = |i: usize, j: usize| 0.9f64.powi(i.abs_diff(j) as i32) + if i == j { 0.3 } else { 0.0 };
            // What stands above the diagonal is not looked at.
            let matrix = DMatrix::from_fn(size, size, |i, j| if i >= j { cell(i, j) } else { f64::NAN });
            let (x, whole) = (DVector::from_fn(size, |i, _| (i as f64).sin()), DMatrix::from_fn(size, size, cell));
            let solved = cholesky(matrix).unwrap().solve(&(&whole * &x));
            assert!((solved - x).amax() < 1e-12, "{size}");
        }
    }
}
