//! A source seen through some of its columns.

use crate::data::{CodesView, Csr, Features, Layout, Plane, Rows, Source};
use crate::error::Result;
use crate::num::MatrixView;

/// Rows with only some features, in a given order.
pub struct ColumnSource<'a> {
    source: &'a dyn Source,
    layout: Layout,
    numbers: Vec<usize>,
    codes: Vec<usize>,
    words: Vec<usize>,
}

impl<'a> ColumnSource<'a> {
    /// The features with these indices.
    pub fn new(source: &'a dyn Source, features: &[usize]) -> Result<Self> {
        let (mut numbers, mut codes, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for &j in features {
            match source.layout().plane(j) {
                Plane::Numbers(at) => numbers.push(at),
                Plane::Codes(at) => codes.push(at),
                Plane::Words(at) => words.push(at),
            }
        }
        Ok(ColumnSource { layout: source.layout().select(features)?, source, numbers, codes, words })
    }
}

impl Source for ColumnSource<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn partitions(&self) -> usize {
        self.source.partitions()
    }

    fn bytes(&self) -> u64 {
        let all = self.source.layout().features().len().max(1) as u64;
        self.source.bytes() * self.layout.features().len() as u64 / all
    }

    fn rows(&self) -> Option<u64> {
        self.source.rows()
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        self.source.scan(partition, &mut |batch| {
            let Features { numbers: all, codes: all_codes, words: all_words } = batch.features;
            let rows = batch.labels.len();
            numbers.clear();
            codes.clear();
            for i in 0..rows {
                numbers.extend(self.numbers.iter().map(|&j| all.get(i, j)));
                codes.extend(self.codes.iter().map(|&j| all_codes.get(i, j)));
            }
            let words: Vec<Csr<'_>> = self.words.iter().map(|&block| all_words[block]).collect();
            let features = Features {
                numbers: MatrixView::row_major(&numbers, rows, self.numbers.len())?,
                codes: CodesView::row_major(&codes, rows, self.codes.len())?,
                words: &words,
            };
            sink(Rows { features, ..batch })
        })
    }
}
