//! The rows themselves, as a summary: pieces are put end to end.
//!
//! It is no sum and tells everything: rows travel and are stored as they are. Memory O(n p).

use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{Layout, MISSING, Rows, SKIP, UNSEEN};
use crate::error::{DataFault, Error, Result};
use crate::record::{Record, fault};
use crate::stats::Statistics;

/// Rows with a class, in the order in which they came.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRows {
    layout: Arc<Layout>,
    /// Number columns, row after row; NaN is missing.
    pub(super) numbers: Vec<f64>,
    /// Codes of categories and booleans, row after row; [`MISSING`] is missing.
    pub(super) codes: Vec<u32>,
    /// Class of each row.
    pub(super) labels: Vec<u32>,
    /// Weight of each row; 1 where there are none.
    pub(super) weights: Vec<f64>,
    /// Number of each row in its table, from 1.
    pub(super) ids: Vec<u64>,
}

impl KeptRows {
    /// No rows.
    pub fn new(layout: &Arc<Layout>) -> Self {
        let layout = Arc::clone(layout);
        KeptRows { layout, numbers: Vec::new(), codes: Vec::new(), labels: Vec::new(), weights: Vec::new(), ids: Vec::new() }
    }

    /// What rows look like.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The same rows in an order that hangs on their cells alone, so that neither the order of rows nor how they were cut shows in a model.
    #[must_use]
    pub(super) fn in_order_of_cells(&self) -> Self {
        let (width, codes) = (self.layout.numbers().len(), self.layout.codes().len());
        let numbers = |i: usize| &self.numbers[i * width..(i + 1) * width];
        let levels = |i: usize| &self.codes[i * codes..(i + 1) * codes];
        let mut order: Vec<usize> = (0..self.rows()).collect();
        order.sort_unstable_by(|&a, &b| {
            let by_numbers = numbers(a).iter().zip(numbers(b)).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
            let by_rest =
                || (levels(a), self.labels[a]).cmp(&(levels(b), self.labels[b])).then(self.weights[a].total_cmp(&self.weights[b]));
            by_numbers.unwrap_or_else(by_rest).then(self.ids[a].cmp(&self.ids[b]))
        });
        KeptRows {
            layout: Arc::clone(&self.layout),
            numbers: order.iter().flat_map(|&i| numbers(i).iter().copied()).collect(),
            codes: order.iter().flat_map(|&i| levels(i).iter().copied()).collect(),
            labels: order.iter().map(|&i| self.labels[i]).collect(),
            weights: order.iter().map(|&i| self.weights[i]).collect(),
            ids: order.iter().map(|&i| self.ids[i]).collect(),
        }
    }

    /// Adds the rows to a record.
    pub(super) fn write(&self, record: &mut Record) -> Result<()> {
        Codec::out(record, "").part("rows", &mut self.clone())
    }

    /// The rows that were added to a record.
    pub(super) fn read(record: &Record, layout: &Arc<Layout>) -> Result<Self> {
        let mut rows = KeptRows::new(layout);
        Codec::from(record, "").part("rows", &mut rows)?;
        Ok(rows)
    }
}

impl Encode for KeptRows {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let (numbers, codes) = (self.layout.numbers().len(), self.layout.codes().len());
        codec.labels("labels", &mut self.labels, self.layout.classes().len())?;
        codec.list("weights", 1, &mut self.weights)?;
        codec.count_list("ids", &mut self.ids)?;
        codec.list("numbers", 1, &mut self.numbers)?;
        let mut wide: Vec<u64> = self.codes.iter().map(|code| u64::from(*code)).collect();
        codec.count_list("codes", &mut wide)?;
        if !codec.is_reading() {
            return Ok(());
        }
        let rows = self.labels.len();
        let levels = self.layout.level_counts();
        let code = |(at, code): (usize, &u64)| {
            let known = levels.get(at % codes.max(1)).copied().unwrap_or(0) as u64;
            u32::try_from(*code).ok().filter(|code| *code == MISSING || u64::from(*code) < known)
        };
        let read: Option<Vec<u32>> = wide.iter().enumerate().map(code).collect();
        self.codes = read.ok_or_else(|| fault("`codes` holds a level that there is not"))?;
        let fits = self.weights.len() == rows && self.ids.len() == rows;
        let filled = Some(self.numbers.len()) == rows.checked_mul(numbers) && Some(self.codes.len()) == rows.checked_mul(codes);
        let sound = self.weights.iter().all(|w| *w > 0.0 && w.is_finite()) && self.numbers.iter().all(|x| !x.is_infinite());
        match fits && filled && sound && !self.labels.contains(&SKIP) {
            true => Ok(()),
            false => Err(fault("the rows do not have the cells that their layout asks for")),
        }
    }
}

impl Statistics for KeptRows {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        rows.features.check(&self.layout)?;
        let labels = rows.counted_labels()?;
        let (numbers, codes) = (rows.features.numbers, rows.features.codes);
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            if label as usize >= self.layout.classes().len() {
                return Err(Error::internal(format!("a row has label {label} of {} classes", self.layout.classes().len())));
            }
            for j in 0..numbers.cols() {
                let x = numbers.get(i, j);
                if x.is_infinite() {
                    let name = &self.layout.features()[self.layout.numbers()[j]].name;
                    let fault = DataFault::new("an infinite number").column(name).row(rows.first_row + i as u64 + 1).value(x.to_string());
                    return Err(fault.accepted("numbers are finite; leave the cell empty where there is none").into());
                }
                self.numbers.push(x);
            }
            self.codes.extend((0..codes.cols()).map(|j| codes.get(i, j)).map(|code| if code == UNSEEN { MISSING } else { code }));
            self.labels.push(label);
            self.weights.push(rows.weights.map_or(1.0, |weights| weights[i]));
            self.ids.push(rows.first_row + i as u64 + 1);
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.numbers.extend_from_slice(&other.numbers);
        self.codes.extend_from_slice(&other.codes);
        self.labels.extend_from_slice(&other.labels);
        self.weights.extend_from_slice(&other.weights);
        self.ids.extend_from_slice(&other.ids);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    fn purpose(&self) -> String {
        "the rows themselves".into()
    }

    fn discloses(&self) -> Option<String> {
        Some("every row, with all of its cells".into())
    }

    fn bytes(&self) -> usize {
        // What a lane keeps is what it reads.
        8 * self.numbers.len() + 4 * self.codes.len() + 20 * self.labels.len()
    }
}
