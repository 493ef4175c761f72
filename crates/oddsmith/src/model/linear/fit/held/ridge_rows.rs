//! Rows laid out for products with XᵀDX: columns by falling frequency, rows by length, and words of a single row apart.
//!
//! Frequent columns lie together in the cache, and rows of one length after another let loops run through. The words that only row i has,
//! with values x and a common ridge λ, take up u = xᵀd of its score; the best u for a change z of the others' is (q − D s z) / (λ + D s) with
//! s = xᵀx and q = xᵀr of their right sides r. Without them the row weighs D λ / (λ + D s), so conjugate gradients see half the columns and
//! a smaller spread of curvatures.

use super::SparseRows;

/// Rows in the order of their lengths.
#[derive(Debug)]
pub(super) struct RidgeRows {
    /// Which row each is.
    pub(super) rows: Vec<u32>,
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Which column each is, without those of a single row.
    pub(super) names: Vec<u32>,
    /// Where the words of a single row start, by row, which columns they are, and their values.
    lone_starts: Vec<u32>,
    pub(super) lone_names: Vec<u32>,
    pub(super) lone_values: Vec<f64>,
    /// s by row.
    pub(super) lone_squares: Vec<f64>,
}

impl RidgeRows {
    /// Lays out rows; columns from `first_word` on have the same ridge, which is not zero.
    pub(super) fn new(rows: SparseRows<'_>, width: usize, first_word: usize) -> Self {
        let mut counts = vec![0u32; width];
        rows.columns.iter().for_each(|j| counts[*j as usize] += 1);
        let is_lone = |j: usize| j >= first_word && counts[j] == 1;
        let mut names: Vec<u32> = (0..width as u32).filter(|&j| !is_lone(j as usize)).collect();
        names.sort_by_key(|j| std::cmp::Reverse(counts[*j as usize]));
        let mut places = vec![0u32; width];
        names.iter().enumerate().for_each(|(at, j)| places[*j as usize] = at as u32);
        let mut order: Vec<u32> = (0..rows.starts.len() as u32 - 1).collect();
        order.sort_by_key(|&i| rows.starts[i as usize + 1] - rows.starts[i as usize]);
        let mut laid = RidgeRows {
            rows: order,
            starts: vec![0],
            columns: Vec::with_capacity(rows.columns.len()),
            values: Vec::with_capacity(rows.columns.len()),
            names,
            lone_starts: vec![0],
            lone_names: Vec::new(),
            lone_values: Vec::new(),
            lone_squares: Vec::new(),
        };
        for &i in &laid.rows {
            let mut squares = 0.0;
            for entry in rows.starts[i as usize]..rows.starts[i as usize + 1] {
                let (j, x) = (rows.columns[entry], rows.values[entry]);
                if is_lone(j as usize) {
                    laid.lone_names.push(j);
                    laid.lone_values.push(x);
                    squares += x * x;
                } else {
                    laid.columns.push(places[j as usize]);
                    laid.values.push(x);
                }
            }
            laid.starts.push(laid.columns.len() as u32);
            laid.lone_starts.push(laid.lone_names.len() as u32);
            laid.lone_squares.push(squares);
        }
        laid
    }

    /// Entries of a row.
    fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Places of the words that only one row has.
    pub(super) fn lone(&self, i: usize) -> std::ops::Range<usize> {
        self.lone_starts[i] as usize..self.lone_starts[i + 1] as usize
    }

    /// X v by row.
    pub(super) fn times(&self, v: &[f64]) -> Vec<f64> {
        (0..self.rows.len()).map(|i| gather(self.row(i), v)).collect()
    }

    /// Adds XᵀDX v to a vector, and gives X v.
    pub(super) fn add_products(&self, weights: &[f64], v: &[f64], seen: &mut [f64], out: &mut [f64]) {
        for (i, (seen, weight)) in seen.iter_mut().zip(weights).enumerate() {
            let row = self.row(i);
            *seen = gather(row, v);
            let weighted = *seen * weight;
            row.0.iter().zip(row.1).for_each(|(&j, x)| out[j as usize] += weighted * x);
        }
    }

    /// Adds Xᵀa, Xᵀb and Σ xᵢ² cᵢ to the sums of the columns.
    pub(super) fn add_sums(&self, (a, b, c): (&[f64], &[f64], &[f64]), sums: &mut [[f64; 3]]) {
        for i in 0..self.rows.len() {
            let (columns, values) = self.row(i);
            for (&j, x) in columns.iter().zip(values) {
                let sum = &mut sums[j as usize];
                sum[0] += a[i] * x;
                sum[1] += b[i] * x;
                sum[2] += c[i] * x * x;
            }
        }
    }
}

/// xᵀv over the entries of x.
fn gather((columns, values): (&[u32], &[f64]), v: &[f64]) -> f64 {
    let (mut quads, mut numbers) = (columns.chunks_exact(4), values.chunks_exact(4));
    let mut sums = [0.0; 4];
    for (columns, values) in (&mut quads).zip(&mut numbers) {
        for lane in 0..4 {
            sums[lane] += v[columns[lane] as usize] * values[lane];
        }
    }
    let rest: f64 = quads.remainder().iter().zip(numbers.remainder()).map(|(j, x)| v[*j as usize] * x).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
