//! One addend per level of every category column. Missing and unseen levels add nothing.

use crate::data::{Features, Layout};
use crate::model::{Contributions, Prepared, Scores};
use crate::num::kernel::{Codes, LevelScores};

/// Addends of category columns.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelTerm {
    /// Positions in the code plane.
    pub columns: Vec<usize>,
    /// Where the levels of each of these columns start; the last entry is the total.
    pub offsets: Vec<usize>,
    /// Addends: `table[(offsets[at] + code) · classes + k]`.
    pub table: Vec<f64>,
    /// The table as the scoring kernel wants it.
    pub kernel: Prepared<LevelScores>,
}

impl LevelTerm {
    fn addends(&self, code: u32, at: usize, classes: usize) -> Option<&[f64]> {
        let cell = self.offsets[at] + code as usize;
        (cell < self.offsets[at + 1]).then(|| &self.table[cell * classes..(cell + 1) * classes])
    }

    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) {
        let classes = scores.classes();
        let (out, scratch) = scores.parts_mut();
        if self.columns.iter().copied().eq(0..rows.codes.cols()) {
            let (data, row_stride, col_stride) = rows.codes.parts();
            let kernel = self.kernel.get(|| LevelScores::new(classes, &self.offsets, &self.table));
            return kernel.add(Codes { data, row_stride, col_stride }, &mut scratch.codes, out);
        }
        for (i, scores) in out.chunks_exact_mut(classes).enumerate() {
            for (at, &j) in self.columns.iter().enumerate() {
                if let Some(addends) = self.addends(rows.codes.get(i, j), at, classes) {
                    scores.iter_mut().zip(addends).for_each(|(score, addend)| *score += addend);
                }
            }
        }
    }

    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) {
        let classes = out.base().len();
        for i in 0..rows.rows() {
            for (at, &j) in self.columns.iter().enumerate() {
                if let Some(addends) = self.addends(rows.codes.get(i, j), at, classes) {
                    let sums = out.addends_mut(i, layout.codes()[j]);
                    sums.iter_mut().zip(addends).for_each(|(sum, addend)| *sum += addend);
                }
            }
        }
    }

    pub(super) fn relative_to(&self, reference: usize, classes: usize) -> Option<Self> {
        Some(LevelTerm { table: super::differences(&self.table, reference, classes)?, ..self.clone() })
    }
}
