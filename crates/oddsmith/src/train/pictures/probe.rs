//! Rows that no table holds: what a model says where a column has one value after the other and the rest stay as they are.

use super::row_digest::RowDigest;
use crate::data::{CodesView, Csr, Features, Layout, MISSING, Plane};
use crate::error::Result;
use crate::model::{Classifier, Scale};
use crate::num::MatrixView;

/// Rows that are filled one by one. Texts are missing in all of them.
#[derive(Debug, Clone)]
pub struct ProbeRows<'a> {
    layout: &'a Layout,
    base: (Vec<f64>, Vec<u32>),
    numbers: Vec<f64>,
    codes: Vec<u32>,
    rows: usize,
}

impl<'a> ProbeRows<'a> {
    /// Rows that begin as a typical one: the mean of every number, the most frequent level of every category. Models of rows and classes
    /// together begin with nothing known, because they can say what that means.
    pub fn new(model: &'a dyn Classifier, digest: &RowDigest) -> Self {
        let layout = model.layout();
        let unknown = model.scale() == Scale::LogJoint;
        let number = |at: usize| if unknown { f64::NAN } else { digest.all_numbers(at).mean };
        let code = |at: usize| {
            let levels = layout.level_counts()[at];
            let weight = |level: usize| (0..layout.classes().len()).map(|k| digest.levels(k, at)[level]).sum::<f64>();
            let most = (0..levels).fold(0, |best, level| if weight(level) > weight(best) { level } else { best });
            if unknown || levels == 0 { MISSING } else { most as u32 }
        };
        let base = ((0..layout.numbers().len()).map(number).collect(), (0..layout.codes().len()).map(code).collect());
        ProbeRows { layout, base, numbers: Vec::new(), codes: Vec::new(), rows: 0 }
    }

    /// The same rows on another ground.
    pub fn on(mut self, numbers: Vec<f64>, codes: Vec<u32>) -> Self {
        self.base = (numbers, codes);
        self
    }

    /// Adds a row that differs from the typical one in some number columns and some code columns, both by their place in the plane.
    pub fn push(&mut self, numbers: &[(usize, f64)], codes: &[(usize, u32)]) {
        let (start, code_start) = (self.numbers.len(), self.codes.len());
        self.numbers.extend(&self.base.0);
        self.codes.extend(&self.base.1);
        numbers.iter().for_each(|(at, value)| self.numbers[start + at] = *value);
        codes.iter().for_each(|(at, code)| self.codes[code_start + at] = *code);
        self.rows += 1;
    }

    /// Adds a row of which everything is said.
    pub fn push_whole(&mut self, numbers: &[f64], codes: &[u32]) {
        self.numbers.extend(numbers);
        self.codes.extend(codes);
        self.rows += 1;
    }

    /// Gives the rows to `work`.
    pub fn with<T>(&self, work: impl FnOnce(&Features<'_>) -> Result<T>) -> Result<T> {
        let numbers = match self.layout.numbers().len() {
            0 => MatrixView::none(self.rows),
            width => MatrixView::row_major(&self.numbers, self.rows, width)?,
        };
        let codes = match self.layout.codes().len() {
            0 => CodesView::none(self.rows),
            width => CodesView::row_major(&self.codes, self.rows, width)?,
        };
        let starts = vec![0; self.rows + 1];
        let absent = vec![false; self.rows];
        let words: Vec<Csr<'_>> = self
            .layout
            .word_widths()
            .into_iter()
            .map(|width| Csr { starts: &starts, columns: &[], values: &[], width, present: Some(&absent) })
            .collect();
        work(&Features { numbers, codes, words: &words })
    }
}

/// Place of a number column in its plane; `None` for another kind of column.
pub fn number_place(layout: &Layout, feature: usize) -> Option<usize> {
    match layout.plane(feature) {
        Plane::Numbers(at) => Some(at),
        _ => None,
    }
}
