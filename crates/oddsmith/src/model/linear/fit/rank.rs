//! Which columns carry information of their own.
//!
//! Columns are swept in their order: column j keeps the part that no linear combination of the earlier ones explains,
//! r_j² = s_jj − Σ_k r_kj² (Cholesky). Products of columns hold about 15 digits, so a share r_j²/s_jj below 1e-7 leaves
//! too few of them to the covariance of estimates, and one below 1e-10 proves nothing yet: such a column is doubtful. It is replaced by its remainder, row by row, and looked at again. A
//! remainder below the rounding of the cells themselves, offsets such as that of dates included, shows a combination of the others, which carries no coefficient;
//! any other remainder is a column as good as the rest.

use nalgebra::DMatrix;

use crate::model::linear::fit::coordinates::{Coordinates, power_of_two};

/// Share of a column's square below which its remainder must be computed row by row.
const DOUBTFUL: f64 = 1e-7;
/// Remainder, as a share of the terms that it is the difference of, that rounding alone can leave.
const ROUNDING: f64 = 1e-12;

/// A column that earlier ones may explain: x_j ≈ Σ factor · x_k.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Doubt {
    pub(crate) column: usize,
    pub(crate) of: Vec<(usize, f64)>,
}

/// Sweeps over a symmetric matrix of products with a positive diagonal.
pub(crate) fn doubts(products: &DMatrix<f64>) -> Vec<Doubt> {
    let size = products.nrows();
    let mut factor = DMatrix::<f64>::zeros(size, size);
    let mut good: Vec<usize> = Vec::with_capacity(size);
    let mut doubts = Vec::new();
    for j in 0..size {
        for (at, &i) in good.iter().enumerate() {
            let dot = good[..at].iter().map(|&k| factor[(k, i)] * factor[(k, j)]).sum::<f64>();
            factor[(i, j)] = (products[(i, j)] - dot) / factor[(i, i)];
        }
        let rest = products[(j, j)] - good.iter().map(|&k| factor[(k, j)] * factor[(k, j)]).sum::<f64>();
        if rest > DOUBTFUL * products[(j, j)] {
            factor[(j, j)] = rest.sqrt();
            good.push(j);
        } else {
            doubts.push(Doubt { column: j, of: back_substitute(&factor, &good, j) });
        }
    }
    doubts
}

/// The factors b with R b = r_j over the good columns.
fn back_substitute(factor: &DMatrix<f64>, good: &[usize], j: usize) -> Vec<(usize, f64)> {
    let mut b = vec![0.0; good.len()];
    for at in (0..good.len()).rev() {
        let later = (at + 1..good.len()).map(|l| factor[(good[at], good[l])] * b[l]).sum::<f64>();
        b[at] = (factor[(good[at], j)] - later) / factor[(good[at], good[at])];
    }
    good.iter().copied().zip(b).collect()
}

/// Replaces doubtful columns of a coordinates by their remainders. Gives the columns, among the kept ones, that were replaced.
pub(crate) fn turn(coordinates: &mut Coordinates, doubts: &[Doubt]) -> Vec<usize> {
    let size = coordinates.kept.len();
    let mut turn = coordinates.turn.take().unwrap_or_else(|| DMatrix::identity(size, size));
    let old = turn.clone();
    for doubt in doubts {
        for &(k, b) in &doubt.of {
            for i in 0..size {
                turn[(i, doubt.column)] -= b * old[(i, k)];
            }
        }
    }
    coordinates.turn = Some(turn);
    doubts.iter().map(|doubt| doubt.column).collect()
}

/// Judges the remainders of a turned coordinates: `squares` are their squares, `sizes` those of the untouched columns and `roundings` what
/// rounding of the cells could make of them. Aliased columns
/// leave the coordinates and are named with the kept columns that explain them; the others get a size of about 1.
pub(crate) fn settle(coordinates: &mut Coordinates, turned: &[usize], squares: &[f64], sizes: &[f64], roundings: &[f64]) -> Vec<Doubt> {
    let Some(mut turn) = coordinates.turn.take() else { return Vec::new() };
    let size = coordinates.kept.len();
    let mut aliases = Vec::new();
    for &j in turned {
        let noise = (0..size).map(|k| turn[(k, j)] * turn[(k, j)] * (sizes[k] * ROUNDING * ROUNDING).max(roundings[k])).sum::<f64>();
        if squares[j] <= noise {
            let scale = turn[(j, j)];
            let of = (0..size).filter(|k| *k != j).map(|k| (coordinates.kept[k], -turn[(k, j)] / scale));
            let of = of.zip((0..size).filter(|k| *k != j)).filter(|((_, f), k)| f * f * sizes[*k] > 1e-18 * sizes[j]);
            aliases.push(Doubt { column: coordinates.kept[j], of: of.map(|(pair, _)| pair).collect() });
        } else {
            let unit = power_of_two((squares[j] / squares.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(*b))).sqrt());
            turn.column_mut(j).scale_mut(unit);
        }
    }
    let gone: Vec<usize> = aliases.iter().filter_map(|alias| coordinates.kept.iter().position(|j| *j == alias.column)).collect();
    let stay: Vec<usize> = (0..size).filter(|k| !gone.contains(k)).collect();
    let smaller = turn.select_rows(&stay).select_columns(&stay);
    coordinates.kept = stay.iter().map(|&k| coordinates.kept[k]).collect();
    coordinates.turn = (smaller != DMatrix::identity(stay.len(), stay.len())).then_some(smaller);
    aliases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_columns_are_beyond_doubt() {
        assert!(doubts(&DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 3.0])).is_empty());
    }

    #[test]
    fn a_multiple_is_doubtful_and_then_named() {
        let products = DMatrix::from_row_slice(3, 3, &[2.0, 4.0, 1.0, 4.0, 8.0, 2.0, 1.0, 2.0, 9.0]);
        let found = doubts(&products);
        assert!(found.len() == 1 && found[0].column == 1 && (found[0].of[0].1 - 2.0).abs() < 1e-15);
        let found = [Doubt { column: 1, of: vec![(0, 2.0)] }];
        let mut coordinates = Coordinates::plain(3, true);
        let turned = turn(&mut coordinates, &found);
        assert_eq!(coordinates.turn.as_ref().map(|t| t[(0, 1)]), Some(-2.0));
        let aliases = settle(&mut coordinates, &turned, &[2.0, 0.0, 9.0], &[2.0, 8.0, 9.0], &[0.0; 3]);
        assert_eq!(aliases, [Doubt { column: 1, of: vec![(0, 2.0)] }]);
        assert_eq!((coordinates.kept, coordinates.turn), (vec![0, 2], None));
    }

    #[test]
    fn a_small_remainder_that_is_real_stays() {
        let mut coordinates = Coordinates::plain(2, true);
        let turned = turn(&mut coordinates, &[Doubt { column: 1, of: vec![(0, 2.0)] }]);
        assert!(settle(&mut coordinates, &turned, &[2.0, 1e-15], &[2.0, 8.0], &[0.0; 2]).is_empty());
        assert_eq!(coordinates.kept, [0, 1]);
        assert!(coordinates.turn.is_some());
    }
}
