//! The triangular factor of a tall matrix that is read row by row: XᵀX = RᵀR without the products, which would square its condition.
//!
//! Rows gather below the factor until there are as many as columns, at least [`GATHERED`]; Householder reflections then fold them into it.
//! Two factors merge by folding one below the other, so partitions may be reduced apart (TSQR). Time 2·n·p², memory O(p²).

use crate::codec::{Codec, Encode};
use crate::error::Result;
use crate::record::fault;

/// Rows that are gathered at least before they are folded in.
const GATHERED: usize = 64;

/// The factor R of the rows so far, upper triangular, and rows that wait.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowFactor {
    columns: usize,
    /// Row after row, p × p.
    factor: Vec<f64>,
    waiting: Vec<f64>,
}

impl RowFactor {
    /// No rows yet of `columns` columns.
    pub(crate) fn new(columns: usize) -> Self {
        RowFactor { columns, factor: vec![0.0; columns * columns], waiting: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: impl Iterator<Item = f64>) {
        self.waiting.extend(row);
        if self.waiting.len() >= self.columns * self.columns.max(GATHERED) {
            self.fold();
        }
    }

    /// Adds the rows of another.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.waiting.extend_from_slice(&other.factor);
        self.waiting.extend_from_slice(&other.waiting);
        self.fold();
    }

    /// The factor of all rows, row after row.
    pub(crate) fn finished(mut self) -> Vec<f64> {
        self.fold();
        self.factor
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.factor.len() + self.columns * self.columns.max(GATHERED))
    }

    fn fold(&mut self) {
        let rows = self.columns + self.waiting.len() / self.columns.max(1);
        let mut stacked = std::mem::take(&mut self.factor);
        stacked.append(&mut self.waiting);
        triangularise(&mut stacked, rows, self.columns);
        stacked.truncate(self.columns * self.columns);
        self.factor = stacked;
    }
}

impl Encode for RowFactor {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.finite("factor", &mut self.factor)?;
        codec.list("waiting", self.columns, &mut self.waiting)?;
        match codec.is_reading() && !self.waiting.iter().all(|x| x.is_finite()) {
            true => Err(fault(format!("`{}` holds a number that is not finite", codec.full_name("waiting")))),
            false => Ok(()),
        }
    }
}

/// Turns a matrix (row after row) into its triangular factor by Householder reflections. Zeros below the diagonal are exact.
pub(crate) fn triangularise(matrix: &mut [f64], rows: usize, columns: usize) {
    let (mut products, mut mirror) = (vec![0.0; columns], vec![0.0; rows]);
    for j in 0..columns.min(rows) {
        let below = (j + 1..rows).fold(0.0f64, |most, i| most.max(matrix[i * columns + j].abs()));
        let pivot = matrix[j * columns + j];
        let largest = below.max(pivot.abs());
        if below == 0.0 || !largest.is_finite() {
            continue;
        }
        // In units of the largest entry no square leaves the range of numbers.
        (j..rows).for_each(|i| mirror[i] = matrix[i * columns + j] / largest);
        let norm = mirror[j..].iter().map(|v| v * v).sum::<f64>().sqrt();
        mirror[j] += norm.copysign(pivot);
        // H = I − v vᵀ / (|v_1| norm).
        let scale = (norm * mirror[j].abs()).recip();
        products[j + 1..].fill(0.0);
        for (row, v) in matrix.chunks_exact(columns).zip(&mirror).skip(j).filter(|(_, v)| **v != 0.0) {
            products[j + 1..].iter_mut().zip(&row[j + 1..]).for_each(|(sum, x)| *sum += v * x);
        }
        products[j + 1..].iter_mut().for_each(|product| *product *= scale);
        for (row, v) in matrix.chunks_exact_mut(columns).zip(&mirror).skip(j).filter(|(_, v)| **v != 0.0) {
            row[j + 1..].iter_mut().zip(&products[j + 1..]).for_each(|(x, product)| *x -= v * product);
            row[j] = 0.0;
        }
        matrix[j * columns + j] = -(largest * norm).copysign(pivot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(rows: &[[f64; 3]], merged: bool) -> Vec<f64> {
        let of = |rows: &[[f64; 3]]| {
            let mut factor = RowFactor::new(3);
            rows.iter().for_each(|row| factor.push(row.iter().copied()));
            factor
        };
        match merged {
            false => of(rows).finished(),
            true => {
                let mut left = of(&rows[..rows.len() / 3]);
                left.merge(&of(&rows[rows.len() / 3..]));
                left.finished()
            }
        }
    }

    #[test]
    fn the_factor_has_the_products_of_the_rows() {
        let rows: Vec<[f64; 3]> = (0..500)
            .map(|i| {
                let x = f64::from(i);
                [1.0, (x * 0.37).sin(), (x * 0.11).cos() * 3.0]
            })
            .collect();
        for merged in [false, true] {
            let r = factor(&rows, merged);
            for a in 0..3 {
                for b in 0..3 {
                    let want: f64 = rows.iter().map(|row| row[a] * row[b]).sum();
                    let got: f64 = (0..3).map(|i| r[i * 3 + a] * r[i * 3 + b]).sum();
                    assert!((want - got).abs() < 1e-11 * 500.0, "{a} {b}: {want} {got}");
                    assert!(a <= b || r[a * 3 + b] == 0.0);
                }
            }
        }
    }

    #[test]
    fn huge_and_tiny_columns_stay_in_range() {
        let r = factor(&[[1e200, 1e-200, 1.0], [1e200, -1e-200, 2.0], [-1e200, 3e-200, 0.5]], false);
        assert!((r[0].abs() / (3f64.sqrt() * 1e200) - 1.0).abs() < 1e-14 && r.iter().all(|x| x.is_finite()), "{r:?}");
        assert!(r[4].abs() > 1e-201);
    }
}
