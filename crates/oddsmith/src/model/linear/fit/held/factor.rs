//! The Cholesky factor L of XᵀDX + M over some columns, to divide by where conjugate gradients are slow.
//!
//! Rare words come first: they meet few others, so their columns of L are nearly empty, and only entries that are not zero cost anything.
//! The factor of some columns at some point serves nearby points and faces with a few columns more or less: what it divides need not be
//! the matrix at hand, only near it. Cost: Σ_i (entries of row i)² to form, at most m³/6 to factor, 4 m² bytes.

use super::columns::SparseColumns;

/// Not among the columns of a factor.
const ABSENT: u32 = u32::MAX;

/// A factor, and the place of each column in it.
#[derive(Debug)]
pub(super) struct Factor {
    places: Vec<u32>,
    /// The columns of L from their diagonal downwards.
    lower: Vec<Vec<f64>>,
}

impl Factor {
    /// Of some columns, the most frequent first, with weights of the rows and what is added to the diagonal; `None` where it is singular.
    pub(super) fn new(x: &SparseColumns, columns: &[usize], weights: &[f64], added: &[f64]) -> Option<Self> {
        let size = columns.len();
        let mut places = vec![ABSENT; x.len()];
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); weights.len()];
        for (at, &k) in columns.iter().rev().enumerate() {
            places[k] = at as u32;
            let (which, values) = x.entries(k);
            which.iter().zip(values).for_each(|(row, value)| rows[*row as usize].push((at, *value)));
        }
        let mut lower: Vec<Vec<f64>> = (0..size).map(|k| vec![0.0; size - k]).collect();
        for (row, weight) in rows.iter().zip(weights) {
            for (at, &(k, x)) in row.iter().enumerate() {
                row[at..].iter().for_each(|&(i, z)| lower[k][i - k] += weight * x * z);
            }
        }
        lower.iter_mut().zip(added.iter().rev()).for_each(|(column, added)| column[0] += added);
        eliminate(&mut lower).then_some(Factor { places, lower })
    }

    /// Divides a vector over some columns; those that the factor does not know are divided by their diagonal.
    pub(super) fn divide(&self, columns: &[usize], vector: &[f64], diagonal: &[f64]) -> Vec<f64> {
        let mut b = vec![0.0; self.lower.len()];
        for (&k, v) in columns.iter().zip(vector).filter(|(k, _)| self.places[**k] != ABSENT) {
            b[self.places[k] as usize] = *v;
        }
        self.solve(&mut b);
        let of = |((&k, v), d): ((&usize, &f64), &f64)| if self.places[k] == ABSENT { v / d } else { b[self.places[k] as usize] };
        columns.iter().zip(vector).zip(diagonal).map(of).collect()
    }

    fn solve(&self, b: &mut [f64]) {
        for (k, column) in self.lower.iter().enumerate() {
            let value = b[k] / column[0];
            b[k] = value;
            if value != 0.0 {
                b[k + 1..].iter_mut().zip(&column[1..]).for_each(|(b, l)| *b -= value * l);
            }
        }
        for (k, column) in self.lower.iter().enumerate().rev() {
            let sum: f64 = b[k + 1..].iter().zip(&column[1..]).map(|(b, l)| b * l).sum();
            b[k] = (b[k] - sum) / column[0];
        }
    }
}

/// Factors a matrix in place; whether it is positive definite.
fn eliminate(lower: &mut [Vec<f64>]) -> bool {
    let mut filled: Vec<usize> = Vec::new();
    for k in 0..lower.len() {
        let (head, tail) = lower.split_at_mut(k + 1);
        let column = &mut head[k];
        if column[0].is_nan() || column[0] <= 0.0 {
            return false;
        }
        let root = column[0].sqrt();
        column.iter_mut().for_each(|value| *value /= root);
        filled.clear();
        filled.extend((1..column.len()).filter(|&i| column[i] != 0.0));
        for (at, &i) in filled.iter().enumerate() {
            let (value, target) = (column[i], &mut tail[i - 1]);
            filled[at..].iter().for_each(|&q| target[q - i] -= value * column[q]);
        }
    }
    true
}
