//! What pictures need to know of a table: a few of its rows, and every column's ends, means and counts by class.
//!
//! Rows are kept by the smallest values of a hash of their number, so that the sample depends neither on the order of merging nor on threads, and all rows are
//! kept while they are few. Means and squared deviations are merged by Chan's formula. One pass; memory of the sample.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{Layout, MISSING, Rows, SKIP, UNSEEN, scattered};
use crate::error::Result;
use crate::record::fault;
use crate::stats::Statistics;

/// Most rows that are kept.
pub const SAMPLE: usize = 1500;

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRow {
    /// Its number, from 0.
    pub row: u64,
    /// Its class.
    pub label: u32,
    /// Its numbers, in the order of the layout's plane.
    pub numbers: Vec<f64>,
    /// Its codes, in the order of the layout's plane.
    pub codes: Vec<u32>,
}

/// Count, mean and squared deviations of a number column in a class.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NumberSummary {
    /// Weight of the values.
    pub weight: f64,
    /// Their mean.
    pub mean: f64,
    /// Σ w (x − mean)².
    pub squares: f64,
    /// Weight of the rows without a value.
    pub missing: f64,
}

impl NumberSummary {
    fn add(&mut self, value: f64, weight: f64) {
        if value.is_nan() {
            self.missing += weight;
            return;
        }
        self.weight += weight;
        let from = value - self.mean;
        self.mean += from * weight / self.weight;
        self.squares += weight * from * (value - self.mean);
    }

    fn merge(&mut self, other: &Self) {
        self.missing += other.missing;
        if other.weight <= 0.0 {
            return;
        }
        let total = self.weight + other.weight;
        let from = other.mean - self.mean;
        self.squares += other.squares + from * from * self.weight * other.weight / total;
        self.mean += from * other.weight / total;
        self.weight = total;
    }

    /// The standard deviation, where there are two rows or more.
    pub fn deviation(&self) -> f64 {
        (self.squares / (self.weight - 1.0)).sqrt()
    }
}

/// Rows and columns of a table, as far as pictures need them.
#[derive(Debug, Clone)]
pub struct RowDigest {
    layout: Arc<Layout>,
    /// By a hash of the row's number in its part of the table, and its number in the whole.
    kept: BTreeMap<(u64, u64), KeptRow>,
    /// Weight of every class.
    pub class_weights: Vec<f64>,
    /// Rows of every class.
    pub class_rows: Vec<u64>,
    /// Smallest and largest finite value of every number column.
    pub ends: Vec<(f64, f64)>,
    /// Class after class, of every number column.
    numbers: Vec<NumberSummary>,
    /// Class after class, of every code column its levels and at last the gaps.
    levels: Vec<Vec<f64>>,
    /// Rows that whatever is shown stands for at least; 1 where single rows may be seen.
    together: usize,
}

impl RowDigest {
    /// Nothing seen of a table.
    pub fn new(layout: &Layout) -> Self {
        let classes = layout.classes().len();
        let levels = layout.level_counts();
        RowDigest {
            layout: Arc::new(layout.clone()),
            kept: BTreeMap::new(),
            class_weights: vec![0.0; classes],
            class_rows: vec![0; classes],
            ends: vec![(f64::INFINITY, f64::NEG_INFINITY); layout.numbers().len()],
            numbers: vec![NumberSummary::default(); classes * layout.numbers().len()],
            levels: (0..classes).flat_map(|_| levels.iter().map(|count| vec![0.0; count + 1])).collect(),
            together: 1,
        }
    }

    /// The same digest, from which ends, values and histograms come for so many rows or more and never for a single one.
    #[must_use]
    pub fn with_rows_together(self, rows: usize) -> Self {
        RowDigest { together: rows.max(1), ..self }
    }

    /// Rows that whatever is shown stands for at least.
    pub fn together(&self) -> usize {
        self.together
    }

    /// What rows look like.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The sample, in the order of the table.
    pub fn rows(&self) -> Vec<&KeptRow> {
        let mut rows: Vec<&KeptRow> = self.kept.values().collect();
        rows.sort_by_key(|row| row.row);
        rows
    }

    /// The sample in an order that has nothing to do with the table's.
    pub fn scattered_rows(&self) -> Vec<&KeptRow> {
        self.kept.values().collect()
    }

    /// Whether the sample is all there is.
    pub fn is_whole(&self) -> bool {
        self.class_rows.iter().sum::<u64>() == self.kept.len() as u64
    }

    /// Number column `at` of the plane in class `k`.
    pub fn number(&self, k: usize, at: usize) -> NumberSummary {
        self.numbers[k * self.layout.numbers().len() + at]
    }

    /// Number column `at` of the plane in all classes.
    pub fn all_numbers(&self, at: usize) -> NumberSummary {
        let mut all = NumberSummary::default();
        (0..self.class_weights.len()).for_each(|k| all.merge(&self.number(k, at)));
        all
    }

    /// Weights of the levels of code column `at` of the plane in class `k`, and at last that of the gaps.
    pub fn levels(&self, k: usize, at: usize) -> &[f64] {
        &self.levels[k * self.layout.codes().len() + at]
    }

    /// Ends of number column `at` between which nearly all values lie, which are those of the table while it has few rows: a single far value must not
    /// squeeze a picture. Where no single row may be seen, the first and the last are means of so many.
    pub fn range(&self, at: usize) -> Option<(f64, f64)> {
        let mut values: Vec<f64> = self.kept.values().map(|row| row.numbers[at]).filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let joined = self.together.min(values.len());
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        let (first, last) = (mean(values.get(..joined.max(1))?), mean(&values[values.len() - joined..]));
        let quantile = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
        let (low, high) = (quantile(0.02), quantile(0.98));
        let spare = 0.75 * (high - low);
        let ends = (first.max(low - spare), last.min(high + spare));
        Some(if ends.1 > ends.0 { ends } else { (ends.0 - 0.5, ends.0 + 0.5) })
    }

    /// The values of number column `at`, where the sample has no more than so many different ones.
    pub fn distinct(&self, at: usize, most: usize) -> Option<Vec<f64>> {
        let mut values: Vec<f64> = Vec::new();
        for value in self.kept.values().map(|row| row.numbers[at]).filter(|value| value.is_finite()) {
            if !values.contains(&value) {
                values.push(value);
            }
            if values.len() > most {
                return None;
            }
        }
        if self.together > 1 {
            let rows = |wanted: f64| self.kept.values().filter(|row| row.numbers[at] == wanted).count();
            values.retain(|value| rows(*value) >= self.together);
        }
        values.sort_by(f64::total_cmp);
        (!values.is_empty()).then_some(values)
    }

    /// Counts of values between two ends in so many blocks of the same width, as runs of blocks: first block, number of blocks, mean count of a block. A
    /// run is one block, or as many as have the rows that must be shown together.
    pub fn runs(&self, values: &[f64], (low, high): (f64, f64), blocks: usize) -> Vec<(usize, usize, f64)> {
        let mut counts = vec![0usize; blocks];
        let place = |value: &f64| (((value - low) / (high - low) * blocks as f64).max(0.0) as usize).min(blocks - 1);
        values.iter().for_each(|value| counts[place(value)] += 1);
        if self.together <= 1 {
            return counts.into_iter().enumerate().map(|(at, count)| (at, 1, count as f64)).collect();
        }
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (at, count) in counts.into_iter().enumerate() {
            // Rows that are too few make the run longer; no rows at all end it, and are a run of their own.
            match runs.last_mut() {
                Some((_, blocks, rows)) if (1..self.together).contains(rows) || (*rows == 0 && count == 0) => {
                    *blocks += 1;
                    *rows += count;
                }
                _ => runs.push((at, 1, count)),
            }
        }
        // What is left over at the end joins the run before it.
        while runs.len() > 1 && runs.last().is_some_and(|(.., rows)| (1..self.together).contains(rows)) {
            if let (Some((_, blocks, rows)), Some(before)) = (runs.pop(), runs.last_mut()) {
                *before = (before.0, before.1 + blocks, before.2 + rows);
            }
        }
        runs.into_iter().map(|(first, blocks, rows)| (first, blocks, rows as f64 / blocks as f64)).collect()
    }

    fn keep(&mut self, hash: u64, row: KeptRow) {
        self.kept.insert((hash, row.row), row);
        if self.kept.len() > SAMPLE {
            self.kept.pop_last();
        }
    }
}

impl Statistics for RowDigest {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        let (numbers, codes) = (rows.features.numbers, rows.features.codes);
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let (k, weight) = (label as usize, rows.weights.map_or(1.0, |weights| weights[i]));
            if k >= self.class_weights.len() {
                continue;
            }
            self.class_weights[k] += weight;
            self.class_rows[k] += 1;
            for at in 0..numbers.cols() {
                let value = numbers.get(i, at);
                if value.is_finite() {
                    self.ends[at] = (self.ends[at].0.min(value), self.ends[at].1.max(value));
                }
                self.numbers[k * numbers.cols() + at].add(if value.is_finite() { value } else { f64::NAN }, weight);
            }
            for at in 0..codes.cols() {
                let counts = &mut self.levels[k * codes.cols() + at];
                let last = counts.len() - 1;
                let code = codes.get(i, at);
                let place = if code == MISSING || code == UNSEEN { last } else { (code as usize).min(last) };
                counts[place] += weight;
            }
            let row = rows.first_row + i as u64;
            let hash = scattered(row);
            if self.kept.len() < SAMPLE || self.kept.last_key_value().is_some_and(|(largest, _)| (hash, row) < *largest) {
                let numbers = (0..numbers.cols()).map(|at| numbers.get(i, at)).collect();
                let codes = (0..codes.cols()).map(|at| codes.get(i, at)).collect();
                self.keep(hash, KeptRow { row, label, numbers, codes });
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        crate::stats::add(&mut self.class_weights, &other.class_weights);
        self.class_rows.iter_mut().zip(&other.class_rows).for_each(|(mine, theirs)| *mine += theirs);
        for (mine, theirs) in self.ends.iter_mut().zip(&other.ends) {
            *mine = (mine.0.min(theirs.0), mine.1.max(theirs.1));
        }
        self.numbers.iter_mut().zip(&other.numbers).for_each(|(mine, theirs)| mine.merge(theirs));
        self.levels.iter_mut().zip(&other.levels).for_each(|(mine, theirs)| crate::stats::add(mine, theirs));
        other.kept.iter().for_each(|((hash, _), row)| self.keep(*hash, row.clone()));
        Ok(())
    }

    fn come_after(&mut self, rows: u64) {
        // What was drawn stays drawn: the hash remains that of the part.
        let kept = std::mem::take(&mut self.kept).into_iter();
        self.kept = kept.map(|((hash, row), kept)| ((hash, row + rows), KeptRow { row: row + rows, ..kept })).collect();
    }

    fn weight(&self) -> f64 {
        self.class_weights.iter().sum()
    }

    fn purpose(&self) -> String {
        "columns by class, and some rows".into()
    }

    fn discloses(&self) -> Option<String> {
        Some("some rows as they are".into())
    }

    fn bytes(&self) -> usize {
        let (numbers, codes) = (self.layout.numbers().len(), self.layout.codes().len());
        SAMPLE * (64 + 8 * numbers + 4 * codes) + 32 * self.numbers.len() + 8 * self.levels.iter().map(Vec::len).sum::<usize>()
    }
}

impl Encode for RowDigest {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let (width, codes) = (self.layout.numbers().len(), self.layout.codes().len());
        codec.weights("class_weights", &mut self.class_weights)?;
        codec.counts("class_rows", &mut self.class_rows)?;
        let mut sums: Vec<f64> = self.numbers.iter().flat_map(|of| [of.weight, of.mean, of.squares, of.missing]).collect();
        codec.numbers("numbers", &mut sums)?;
        self.numbers.iter_mut().zip(sums.chunks_exact(4)).for_each(|(of, sums)| {
            *of = NumberSummary { weight: sums[0], mean: sums[1], squares: sums[2], missing: sums[3] };
        });
        let mut ends: Vec<f64> = self.ends.iter().flat_map(|(low, high)| [*low, *high]).collect();
        codec.numbers("ends", &mut ends)?;
        self.ends.iter_mut().zip(ends.chunks_exact(2)).for_each(|(of, ends)| *of = (ends[0], ends[1]));
        for (at, levels) in self.levels.iter_mut().enumerate() {
            codec.weights(&format!("levels_{at}"), levels)?;
        }
        let mut places: Vec<u64> = self.kept.values().map(|row| row.row).collect();
        let mut labels: Vec<u32> = self.kept.values().map(|row| row.label).collect();
        let mut hashes: Vec<u64> = self.kept.keys().map(|(hash, _)| *hash).collect();
        codec.count_list("rows", &mut places)?;
        codec.count_list("hashes", &mut hashes)?;
        codec.labels("labels", &mut labels, self.class_weights.len())?;
        let mut cells: Vec<f64> = self.kept.values().flat_map(|row| row.numbers.iter().copied()).collect();
        codec.cells("cells", places.len() * width, &mut cells)?;
        let mut levels: Vec<u64> = self.kept.values().flat_map(|row| row.codes.iter().map(|code| u64::from(*code))).collect();
        codec.count_list("codes", &mut levels)?;
        if !codec.is_reading() {
            return Ok(());
        }
        if labels.len() != places.len() || hashes.len() != places.len() || levels.len() != places.len() * codes || places.len() > SAMPLE {
            return Err(fault("the kept rows are not as many as their labels and codes"));
        }
        for (at, row) in places.iter().enumerate() {
            let numbers = cells[at * width..(at + 1) * width].to_vec();
            let codes = levels[at * codes..(at + 1) * codes].iter().map(|code| *code as u32).collect();
            self.keep(hashes[at], KeptRow { row: *row, label: labels[at], numbers, codes });
        }
        Ok(())
    }
}
