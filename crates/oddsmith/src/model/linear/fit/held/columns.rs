//! Sparse rows by column, the most frequent first, with one column for all that are equal.
//!
//! Words that always occur together have equal columns; only the sum s of their weights matters to the loss, and m of them cost
//! a |s| + ½ (λ / m) s². One column of that ridge stands for them. The optimum shares s among them where λ > 0; where it does not say, the first
//! of them takes all, as sparse as can be. In the order of frequency loops over neighbouring columns have the same length.

use std::collections::HashMap;

use super::SparseRows;

/// Entries by column: those of column k are `rows[starts[k]..starts[k + 1]]` with their values.
#[derive(Debug)]
pub(super) struct SparseColumns {
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl SparseColumns {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries of a column.
    pub(super) fn entries(&self, k: usize) -> (&[u32], &[f64]) {
        let range = self.starts[k] as usize..self.starts[k + 1] as usize;
        (&self.rows[range.clone()], &self.values[range])
    }

    /// xₖᵀ v.
    pub(super) fn gather(&self, k: usize, v: &[f64]) -> f64 {
        let (rows, values) = self.entries(k);
        let (mut quads, mut numbers) = (rows.chunks_exact(4), values.chunks_exact(4));
        let mut sums = [0.0; 4];
        for (rows, values) in (&mut quads).zip(&mut numbers) {
            for lane in 0..4 {
                sums[lane] += v[rows[lane] as usize] * values[lane];
            }
        }
        let rest: f64 = quads.remainder().iter().zip(numbers.remainder()).map(|(row, x)| v[*row as usize] * x).sum();
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
    }

    /// v + t xₖ.
    pub(super) fn scatter(&self, k: usize, t: f64, v: &mut [f64]) {
        let (rows, values) = self.entries(k);
        rows.iter().zip(values).for_each(|(row, x)| v[*row as usize] += t * x);
    }

    /// Σ_i xₖᵢ² vᵢ.
    pub(super) fn squares(&self, k: usize, v: &[f64]) -> f64 {
        let (rows, values) = self.entries(k);
        rows.iter().zip(values).map(|(row, x)| x * x * v[*row as usize]).sum()
    }

    /// The row and the value of a column of one entry.
    pub(super) fn lone(&self, k: usize) -> Option<(usize, f64)> {
        match self.entries(k) {
            (&[row], &[x]) => Some((row as usize, x)),
            _ => None,
        }
    }
}

/// Columns without twins, and whom each of them stands for.
#[derive(Debug)]
pub(super) struct DistinctColumns {
    pub(super) columns: SparseColumns,
    /// The columns that each stands for, the first of them first.
    pub(super) members: Vec<Vec<u32>>,
    width: usize,
}

impl DistinctColumns {
    /// The columns of rows; only those with the same strengths of both penalties, not both zero, are joined.
    pub(super) fn new(rows: SparseRows<'_>, absolute: &[f64], ridge: &[f64]) -> Self {
        let (all, order) = by_frequency(rows, ridge.len());
        let mut distinct: Vec<usize> = Vec::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, &name) in order.iter().enumerate().filter(|&(at, _)| !all.entries(at).0.is_empty()) {
            let j = name as usize;
            if absolute[j] > 0.0 || ridge[j] > 0.0 {
                let list = known.entry(fingerprint(all.entries(at))).or_default();
                let twin = list.iter().copied().find(|&k| {
                    let first = members[k][0] as usize;
                    all.entries(distinct[k]) == all.entries(at) && absolute[first] == absolute[j] && ridge[first] == ridge[j]
                });
                if let Some(k) = twin {
                    members[k].push(name);
                    continue;
                }
                list.push(distinct.len());
            }
            distinct.push(at);
            members.push(vec![name]);
        }
        let mut columns = SparseColumns { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for &at in &distinct {
            let (rows, values) = all.entries(at);
            columns.rows.extend_from_slice(rows);
            columns.values.extend_from_slice(values);
            columns.starts.push(columns.rows.len() as u32);
        }
        DistinctColumns { columns, members, width: ridge.len() }
    }

    /// Weights of the distinct columns.
    pub(super) fn joined(&self, theta: &[f64]) -> Vec<f64> {
        self.members.iter().map(|members| members.iter().map(|j| theta[*j as usize]).sum()).collect()
    }

    /// Weights of all columns.
    pub(super) fn shared(&self, weights: &[f64], ridge: &[f64]) -> Vec<f64> {
        let mut theta = vec![0.0; self.width];
        for (members, weight) in self.members.iter().zip(weights) {
            let takes = if ridge[members[0] as usize] > 0.0 { members.len() } else { 1 };
            members[..takes].iter().for_each(|j| theta[*j as usize] = weight / takes as f64);
        }
        theta
    }
}

/// All columns, the most frequent first, and their names.
fn by_frequency(rows: SparseRows<'_>, width: usize) -> (SparseColumns, Vec<u32>) {
    let mut counts = vec![0u32; width];
    rows.columns.iter().for_each(|j| counts[*j as usize] += 1);
    let mut order: Vec<u32> = (0..width as u32).collect();
    order.sort_by_key(|j| std::cmp::Reverse(counts[*j as usize]));
    let (mut starts, mut next) = (vec![0u32], vec![0u32; width]);
    for &j in &order {
        let start = starts[starts.len() - 1];
        next[j as usize] = start;
        starts.push(start + counts[j as usize]);
    }
    let mut columns = SparseColumns { starts, rows: vec![0; rows.columns.len()], values: vec![0.0; rows.columns.len()] };
    for (i, ends) in rows.starts.windows(2).enumerate() {
        for entry in ends[0]..ends[1] {
            let at = &mut next[rows.columns[entry] as usize];
            columns.rows[*at as usize] = i as u32;
            columns.values[*at as usize] = rows.values[entry];
            *at += 1;
        }
    }
    (columns, order)
}

/// A number that equal columns share.
fn fingerprint((rows, values): (&[u32], &[f64])) -> u64 {
    let mix = |h: u64, (row, x): (&u32, &f64)| (h.rotate_left(5) ^ u64::from(*row) ^ x.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    rows.iter().zip(values).fold(rows.len() as u64, mix)
}
