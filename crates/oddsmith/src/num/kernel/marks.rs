//! Sums over columns of which a row has at most one 1 per group: the row names the column, its mark.
//!
//! scores    out[i,m] += Σ_g weight[mark_ig, m]
//! cross     into[mark_ig, m] += f_im
//! products  mixed[mark_ig, j] += f_i (x_ij − centre_j),   marked[mark_ig, mark_ih] += f_i  for g ≤ h
//! Rows of `mixed` are padded to whole vectors (see [`mixed_width`]). A row without a 1 in a group carries the mark behind the last column, whose sums nobody reads. Cost per row: one
//! addition per group and output, p per group and one per pair of groups for products, however many columns there are.

use pulp::{Arch, Simd, WithSimd};

use crate::num::MatrixView;

use super::{Panel, PanelRows, padded};
use crate::num::kernel::instructions::arch;

/// The marks of some rows, row after row.
#[derive(Debug, Clone, Copy)]
pub struct Marks<'a> {
    groups: usize,
    columns: usize,
    marks: &'a [u32],
}

impl<'a> Marks<'a> {
    /// Marks of `groups` groups among `columns` columns.
    ///
    /// # Panics
    /// When a mark lies beyond the one behind the last column: the sums of the rows would go astray.
    pub fn new(groups: usize, columns: usize, marks: &'a [u32]) -> Self {
        assert!(marks.iter().fold(0, |most, mark| most.max(*mark)) as usize <= columns, "marks name columns");
        Marks { groups, columns, marks }
    }

    /// No marks at all.
    pub fn none() -> Self {
        Marks { groups: 0, columns: 0, marks: &[] }
    }

    /// Whether there are groups.
    pub fn is_any(&self) -> bool {
        self.groups > 0
    }

    /// Marks that may occur: one per column and one for none.
    fn range(&self) -> usize {
        self.columns + 1
    }

    /// The marks of row `i`.
    pub fn of_row(&self, i: usize) -> &'a [u32] {
        &self.marks[i * self.groups..(i + 1) * self.groups]
    }

    fn rows(&self) -> impl Iterator<Item = &'a [u32]> {
        self.marks.chunks_exact(self.groups.max(1))
    }

    /// Adds the weights of the marked columns (column-major: `outputs` numbers for each mark) to the scores of the rows.
    pub fn add_scores(&self, weights: &[f64], outputs: usize, out: &mut [f64]) {
        if outputs == 1 {
            let of_row = |marks: &[u32]| marks.iter().map(|mark| weights[*mark as usize]).sum::<f64>();
            return out.iter_mut().zip(self.rows()).for_each(|(score, marks)| *score += of_row(marks));
        }
        for (scores, marks) in out.chunks_exact_mut(outputs.max(1)).zip(self.rows()) {
            for mark in marks {
                let weights = &weights[*mark as usize * outputs..][..outputs];
                scores.iter_mut().zip(weights).for_each(|(score, weight)| *score += weight);
            }
        }
    }

    /// Adds the factors of the rows, `outputs` for each, to the sums of the columns they mark.
    pub fn add_factors(&self, factors: &[f64], outputs: usize, into: &mut [f64]) {
        if outputs == 1 {
            let mut add = |factor: &f64, marks: &[u32]| marks.iter().for_each(|mark| into[*mark as usize] += factor);
            return factors.iter().zip(self.rows()).for_each(|(factor, marks)| add(factor, marks));
        }
        for (factors, marks) in factors.chunks_exact(outputs.max(1)).zip(self.rows()) {
            for mark in marks {
                let sums = &mut into[*mark as usize * outputs..][..outputs];
                sums.iter_mut().zip(factors).for_each(|(sum, factor)| *sum += factor);
            }
        }
    }
}

/// Numbers in a row of `mixed` for this many columns beside the marks.
pub fn mixed_width(columns: usize) -> usize {
    padded(columns)
}

/// Products of marked columns with each other and with the columns beside them.
#[derive(Debug, Clone)]
pub struct MarkProducts {
    arch: Arch,
    panel: Panel,
    scaled: Vec<f64>,
    padded_centre: Vec<f64>,
}

impl Default for MarkProducts {
    fn default() -> Self {
        MarkProducts { arch: arch(), panel: Panel::new(), scaled: Vec::new(), padded_centre: Vec::new() }
    }
}

impl MarkProducts {
    /// Adds rows with one factor each. `mixed` holds a row of sums per mark, `marked` a square over marks.
    ///
    /// # Panics
    /// When the lengths of the slices contradict one another.
    pub fn add(&mut self, rows: MatrixView<'_>, marks: Marks<'_>, factors: &[f64], centre: &[f64], mixed: &mut [f64], marked: &mut [f64]) {
        let (range, columns) = (marks.range(), centre.len());
        let width = mixed_width(columns);
        assert_eq!((rows.cols(), mixed.len(), marked.len()), (columns, range * width, range * range), "one sum per pair of columns");
        for (factor, marks) in factors.iter().zip(marks.rows()) {
            for (at, mark) in marks.iter().enumerate() {
                let sums = &mut marked[*mark as usize * range..][..range];
                marks[at..].iter().for_each(|other| sums[*other as usize] += factor);
            }
        }
        let MarkProducts { arch, panel, scaled, padded_centre } = self;
        scaled.resize(width, 0.0);
        padded_centre.clear();
        padded_centre.extend_from_slice(centre);
        padded_centre.resize(width, 0.0);
        panel.for_blocks(rows, |first, block| {
            let groups = marks.groups;
            let marks = &marks.marks[first * groups..(first + block.rows()) * groups];
            let factors = &factors[first..first + block.rows()];
            arch.dispatch(AddMixed { block, marks, groups, factors, centre: padded_centre, scaled, mixed });
        });
    }
}

/// The products with the columns beside the marks: one pass of whole vectors per group of a row.
struct AddMixed<'a> {
    block: PanelRows<'a>,
    marks: &'a [u32],
    groups: usize,
    factors: &'a [f64],
    centre: &'a [f64],
    scaled: &'a mut [f64],
    mixed: &'a mut [f64],
}

impl WithSimd for AddMixed<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let AddMixed { block, marks, groups, factors, centre, scaled, mixed } = self;
        let width = centre.len();
        let (centre, _) = S::as_simd_f64s(centre);
        let (scaled, _) = S::as_mut_simd_f64s(scaled);
        for (i, (factor, marks)) in factors.iter().zip(marks.chunks_exact(groups)).enumerate() {
            let (head, tail) = S::as_simd_f64s(block.row(i));
            let factor = simd.splat_f64s(*factor);
            for ((scaled, x), centre) in scaled.iter_mut().zip(head).zip(centre) {
                *scaled = simd.mul_f64s(factor, simd.sub_f64s(*x, *centre));
            }
            // Behind the last column stand zeros.
            if let Some((scaled, centre)) = scaled.get_mut(head.len()).zip(centre.get(head.len())).filter(|_| !tail.is_empty()) {
                *scaled = simd.mul_f64s(factor, simd.sub_f64s(simd.partial_load_f64s(tail), *centre));
            }
            for mark in marks {
                let (sums, _) = S::as_mut_simd_f64s(&mut mixed[*mark as usize * width..][..width]);
                for (sum, x) in sums.iter_mut().zip(&*scaled) {
                    *sum = simd.add_f64s(*sum, *x);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, layouts};
    use super::*;

    const ROWS: usize = 70;
    const COLUMNS: usize = 9;

    /// Two groups over columns 0..5 and 5..9; some rows mark none of a group.
    fn marks() -> Vec<u32> {
        (0..ROWS as u32).flat_map(|i| [if i % 6 == 5 { 9 } else { i % 6 }, if i % 5 == 4 { 9 } else { 5 + (i * i) % 4 }]).collect()
    }

    /// Whether row `i` marks column `j`.
    fn cell(i: usize, j: usize) -> f64 {
        f64::from(u8::from(marks()[2 * i..2 * i + 2].contains(&(j as u32))))
    }

    #[test]
    fn scores_and_factors_are_those_of_cells() {
        [1, 3].into_iter().for_each(check_scores_and_factors);
    }

    fn check_scores_and_factors(outputs: usize) {
        let (mut random, list) = (Random::new(5), marks());
        let marks = Marks::new(2, COLUMNS, &list);
        let mut weights = random.normals(COLUMNS * outputs);
        weights.resize((COLUMNS + 1) * outputs, 0.0);
        let start = random.normals(ROWS * outputs);
        let mut scores = start.clone();
        marks.add_scores(&weights, outputs, &mut scores);
        let mut sums = vec![0.0; weights.len()];
        marks.add_factors(&start, outputs, &mut sums);
        for m in 0..outputs {
            for i in 0..ROWS {
                let want = start[i * outputs + m] + (0..COLUMNS).map(|j| cell(i, j) * weights[j * outputs + m]).sum::<f64>();
                assert_close(scores[i * outputs + m], want, 1.0, 1e-14, &(i, m));
            }
            for j in 0..COLUMNS {
                let want = (0..ROWS).map(|i| cell(i, j) * start[i * outputs + m]).sum();
                assert_close(sums[j * outputs + m], want, ROWS as f64, 1e-14, &(j, m));
            }
        }
    }

    #[test]
    fn products_are_those_of_cells_in_every_layout() {
        let (mut random, list, beside) = (Random::new(6), marks(), 5);
        let matrix = random.normals(ROWS * beside);
        let (centre, factors) = (random.normals(beside), random.normals(ROWS));
        layouts(&matrix, ROWS, beside, |name, view| {
            let range = COLUMNS + 1;
            let (mut mixed, mut marked) = (vec![0.0; range * mixed_width(beside)], vec![0.0; range * range]);
            MarkProducts::default().add(view, Marks::new(2, COLUMNS, &list), &factors, &centre, &mut mixed, &mut marked);
            for j in 0..COLUMNS {
                for b in 0..beside {
                    let want = (0..ROWS).map(|i| factors[i] * cell(i, j) * (matrix[i * beside + b] - centre[b])).sum();
                    assert_close(mixed[j * mixed_width(beside) + b], want, ROWS as f64, 1e-14, &(name, j, b));
                }
                for k in j..COLUMNS {
                    let want = (0..ROWS).map(|i| factors[i] * cell(i, j) * cell(i, k)).sum();
                    assert_close(marked[j * range + k], want, ROWS as f64, 1e-14, &(name, j, k));
                }
            }
        });
    }

    #[test]
    #[should_panic(expected = "marks name columns")]
    fn a_mark_beyond_the_columns_is_refused() {
        Marks::new(1, COLUMNS, &[11]);
    }
}
