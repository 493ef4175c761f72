//! Rows whose class is still undecided, and the directions that leave them where they are.
//!
//! Near the end of a search, along a direction d that separates, every class k that row i leaves behind keeps a share p_ik of at most δ² / w_i
//! times the quotient of the largest move along d and the row's own, δ being the distance from the optimum in standard errors. So a row whose
//! rival k keeps more than that does not move along any direction that separates: (e_y − e_k) ⊗ z is at right angles to all of them. The sum
//! of the squares of these vectors, in which every row counts alike, tells the directions that are left; unlike second derivatives, which lose
//! sight of a row of weight 1 whose p is 1e-10 beside one of weight 1000, it does so to all digits.

use nalgebra::{DMatrix, SymmetricEigen};

use crate::model::loss::Link;

/// Share of a rival from which on a row is undecided: far above what a search that has ended leaves of one that loses forever, and what is
/// called decided without need only takes a few passes more.
const UNDECIDED: f64 = 1e-5;
/// Square of what a direction moves, as a share of the largest, that is rounding; the first within the directions that are looked at, the
/// second among all.
const STILL: [f64; 2] = [1e-10, 1e-14];
/// Curvature, as a share of the largest, along directions in which hardly a row has information left.
const FLAT: f64 = 1e-7;
/// Curvature, as a share of the weight of all rows, at which none has.
const SPENT: f64 = 1e-6;
/// Parameters up to which such directions are looked for.
pub(crate) const MOST_PARAMETERS: usize = 300;

/// Writes the factors by which rows enter the sum, pair of outputs after pair: Σ (e_a − e_k)(e_a − e_k)ᵀ over the classes k that row
/// belongs to, or that are not yet decided against, beside the first class a that it belongs to. `slopes` are those of the loss, w (p − y).
pub(crate) fn undecided_factors(slopes: &[f64], proportions: &[f64], weights: &[f64], out: &mut Vec<f64>) {
    let (rows, outputs) = (weights.len(), slopes.len() / weights.len().max(1));
    out.clear();
    out.resize(rows * outputs * (outputs + 1) / 2, 0.0);
    let mut open = vec![false; outputs + 1];
    for (i, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        let (slopes, shares) = (&slopes[i * outputs..(i + 1) * outputs], &proportions[i * outputs..(i + 1) * outputs]);
        let first = (1.0 - shares.iter().sum::<f64>(), -slopes.iter().sum::<f64>());
        let classes = || std::iter::once(first).chain(shares.iter().copied().zip(slopes.iter().copied()));
        let Some(own) = classes().position(|(share, _)| share > 0.0) else { continue };
        // A class without a share has the slope w p.
        open.iter_mut().zip(classes()).for_each(|(open, (share, slope))| *open = share > 0.0 || slope > UNDECIDED * weight);
        let rivals = open.iter().filter(|open| **open).count() - 1;
        for (pair, (m, l)) in Link::pairs(outputs).enumerate() {
            out[pair * rows + i] = match ((m + 1 == own, l + 1 == own), m == l) {
                ((true, _), true) => rivals as f64,
                ((true, false), _) if open[l + 1] => -1.0,
                ((false, true), _) if open[m + 1] => -1.0,
                ((false, false), true) if open[m + 1] => 1.0,
                _ => 0.0,
            };
        }
    }
}

/// Whether second derivatives leave room for a direction along which no row has information.
pub(crate) fn is_flat(curvature: &DMatrix<f64>, weight: f64) -> bool {
    if curvature.is_empty() || curvature.nrows() > MOST_PARAMETERS || curvature.iter().any(|cell| !cell.is_finite()) {
        return false;
    }
    let values = SymmetricEigen::new(curvature.clone()).eigenvalues;
    values.min() <= FLAT * values.amax() || values.amax() <= SPENT * weight
}

/// The part of the space of `basis` (orthonormal columns) along which the squares add up to nothing.
pub(crate) fn still_part(squares: &DMatrix<f64>, basis: &DMatrix<f64>) -> DMatrix<f64> {
    let eigen = SymmetricEigen::new(basis.transpose() * squares * basis);
    let rounding = (STILL[0] * eigen.eigenvalues.amax()).max(STILL[1] * squares.amax());
    let still: Vec<_> =
        (0..basis.ncols()).filter(|at| eigen.eigenvalues[*at] <= rounding).map(|at| eigen.eigenvectors.column(at)).collect();
    match still.is_empty() {
        true => DMatrix::zeros(basis.nrows(), 0),
        false => basis * DMatrix::from_columns(&still),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivals_that_keep_a_share_count_and_others_do_not() {
        let mut factors = Vec::new();
        // Two classes: decided, undecided either way, of both classes, of no weight.
        undecided_factors(&[1e-9, 0.3, -0.3, 1e-9, 0.0], &[0.0, 0.0, 1.0, 0.5, 0.0], &[1.0, 1.0, 1.0, 1.0, 0.0], &mut factors);
        assert_eq!(factors, [0.0, 1.0, 1.0, 1.0, 0.0]);
        // Three classes: of the first, beside the second; of the second, beside both; of the third, beside the first.
        let slopes = [0.2, 1e-9, -0.5, 0.25, 1e-9, -0.1];
        undecided_factors(&slopes, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], &[1.0; 3], &mut factors);
        assert_eq!(factors, [1.0, 2.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn what_is_left_moves_no_row() {
        let vector = DMatrix::from_row_slice(1, 3, &[1.0, 2.0, 2.0]);
        let still = still_part(&(vector.transpose() * &vector), &DMatrix::identity(3, 3));
        assert_eq!(still.shape(), (3, 2));
        assert!((&vector * &still).amax() < 1e-15 && (still.transpose() * &still - DMatrix::identity(2, 2)).amax() < 1e-14);
        let other = DMatrix::from_row_slice(1, 3, &[0.0, 1.0, 1.0 + 1e-3]);
        assert_eq!(still_part(&(other.transpose() * &other), &still).ncols(), 1);
        assert_eq!(still_part(&DMatrix::zeros(3, 3), &still).ncols(), 2);
        assert_eq!(still_part(&DMatrix::identity(3, 3), &still).ncols(), 0);
    }

    #[test]
    fn flat_is_what_hardly_curves_beside_the_rest_or_at_all() {
        let diagonal = |cells: &[f64]| DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(cells));
        assert!(
            !is_flat(&diagonal(&[1.0, 1e-3]), 10.0) && is_flat(&diagonal(&[1.0, 1e-9]), 10.0) && is_flat(&diagonal(&[1e-7, 1e-7]), 10.0)
        );
        assert!(!is_flat(&diagonal(&[1.0, f64::NAN]), 10.0) && !is_flat(&DMatrix::zeros(0, 0), 10.0));
    }
}
