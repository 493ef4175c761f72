//! Where the values of number columns lie: all of them while they are few, and quantiles from a sample of rows beyond.
//!
//! Every row has a hash of what it says ([`RowHashes`]); the distinct rows with the smallest hashes are kept, each with the weight of all
//! rows that say the same. Beside them stand the distinct values of every column while there are at most [`MOST_VALUES`].
//! Both are functions of the rows as a multiset: no order, partition or number of threads changes them, samples of parts merge into exactly
//! the sample of the whole, and a row of weight 2 is the row twice. (Weights that are no whole numbers are added in the order of rows, so the last
//! bit of a kept row's weight, and with it the place of a cut at an exact tie, may depend on it.) A rank read from k kept rows has a standard
//! error of at most 1/(2√k), 0.55 % here; a value that many rows have is as heavy as it should be where these rows differ elsewhere. Time O(rows · columns), memory O(kept · columns).

use std::sync::Arc;

use super::Statistics;
use super::number_moments::infinite;
use crate::codec::{Codec, Encode};
use crate::data::{Layout, RowHashes, Rows, SKIP, mixed};
use crate::error::Result;
use crate::num::kernel::all_finite;
use crate::record::fault;

/// Distinct values of a column up to which all of them are kept.
pub const MOST_VALUES: usize = 255;
/// Rows that are kept.
const MOST_ROWS: usize = 8192;
/// Slots in which values that were seen a moment ago are looked up; a power of two.
const RECENT: usize = 512;

/// The bins of a number column: a value lies in the bin after the last cut that does not exceed it.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnBins {
    /// Cuts between bins, rising.
    pub cuts: Vec<f64>,
    /// The one value of every bin, where all distinct values are known.
    pub values: Option<Vec<f64>>,
}

/// A sample of distinct rows with their weights, and the distinct values of columns that have few.
#[derive(Debug, Clone)]
pub struct QuantileSketch {
    layout: Arc<Layout>,
    names: Arc<RowHashes>,
    /// Hashes, weights and numbers of kept rows. Up to twice as many as wanted wait to be sorted out.
    hashes: Vec<u64>,
    weights: Vec<f64>,
    numbers: Vec<f64>,
    /// A hash from here on is that of no kept row.
    limit: u64,
    /// The distinct values of every column, rising; `None` where there are more than [`MOST_VALUES`].
    distinct: Vec<Option<Vec<f64>>>,
    weight: f64,
}

impl PartialEq for QuantileSketch {
    fn eq(&self, other: &Self) -> bool {
        let (mut mine, mut theirs) = (self.clone(), other.clone());
        mine.settle();
        theirs.settle();
        let rows = mine.hashes == theirs.hashes && mine.weights == theirs.weights;
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        rows && bits(&mine.numbers) == bits(&theirs.numbers) && mine.distinct == theirs.distinct && mine.weight == theirs.weight
    }
}

impl QuantileSketch {
    /// Nothing seen of rows of a layout.
    pub fn new(layout: &Arc<Layout>) -> Self {
        QuantileSketch {
            names: Arc::new(RowHashes::new(layout)),
            hashes: Vec::new(),
            weights: Vec::new(),
            numbers: Vec::new(),
            limit: u64::MAX,
            distinct: vec![Some(Vec::new()); layout.numbers().len()],
            weight: 0.0,
            layout: Arc::clone(layout),
        }
    }

    fn width(&self) -> usize {
        self.distinct.len()
    }

    /// Keeps the rows with the smallest hashes, each once with the weight of all that are alike, in the order of hashes.
    fn settle(&mut self) {
        let width = self.width();
        let mut order: Vec<usize> = (0..self.hashes.len()).collect();
        order.sort_by_key(|at| self.hashes[*at]);
        let (mut hashes, mut weights, mut numbers) = (Vec::<u64>::new(), Vec::<f64>::new(), Vec::new());
        for at in order {
            match (hashes.last() == Some(&self.hashes[at]), weights.last_mut()) {
                (true, Some(weight)) => *weight += self.weights[at],
                _ if hashes.len() == MOST_ROWS => break,
                _ => {
                    hashes.push(self.hashes[at]);
                    weights.push(self.weights[at]);
                    numbers.extend_from_slice(&self.numbers[at * width..(at + 1) * width]);
                }
            }
        }
        if hashes.len() == MOST_ROWS {
            self.limit = hashes.last().map_or(u64::MAX, |last| last.saturating_add(1));
        }
        (self.hashes, self.weights, self.numbers) = (hashes, weights, numbers);
    }

    /// The sketch with its sample sorted out, from which many columns' bins are read in less time.
    #[must_use]
    pub fn settled(&self) -> Self {
        let mut settled = self.clone();
        settled.settle();
        settled
    }

    /// Whether the sample is sorted out already.
    fn is_settled(&self) -> bool {
        self.hashes.len() <= MOST_ROWS && self.hashes.is_sorted_by(|a, b| a < b)
    }

    /// Adds the values of column `j` to its distinct ones.
    fn see_values(&mut self, j: usize, rows: &Rows<'_>, labels: &[u32]) -> Result<()> {
        let numbers = rows.features.numbers;
        let mut recent = [f64::NAN; RECENT];
        for (i, _) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let x = numbers.get(i, j);
            if x.is_infinite() {
                let name = self.layout.features()[self.layout.numbers()[j]].name.clone();
                return Err(infinite(name, rows.first_row + i as u64 + 1, x));
            }
            // No zero has a sign here.
            let x = x + 0.0;
            let slot = &mut recent[(mixed(x.to_bits()) % RECENT as u64) as usize];
            if *slot != x && !x.is_nan() {
                *slot = x;
                see(&mut self.distinct[j], x);
            }
        }
        Ok(())
    }

    /// At most `most` bins of number column `j`: one for every distinct value while there are as few, else cut at quantiles, with bins of
    /// their own for values as heavy as a bin.
    pub fn bins(&self, j: usize, most: usize) -> ColumnBins {
        match &self.distinct[j] {
            Some(values) if values.len() <= most => {
                let cuts = values.windows(2).map(|pair| between(pair[0], pair[1])).collect();
                ColumnBins { cuts, values: Some(values.clone()) }
            }
            _ => ColumnBins { cuts: self.quantile_cuts(j, most), values: None },
        }
    }

    fn quantile_cuts(&self, j: usize, most: usize) -> Vec<f64> {
        if !self.is_settled() {
            return self.settled().quantile_cuts(j, most);
        }
        let width = self.width();
        let cells = self.numbers.iter().skip(j).step_by(width.max(1)).zip(&self.weights);
        let mut points: Vec<(f64, f64)> = cells.filter(|(x, _)| !x.is_nan()).map(|(x, weight)| (*x + 0.0, *weight)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
        let total: f64 = points.iter().map(|(_, weight)| weight).sum();
        let mut size = total / most as f64;
        loop {
            let cuts = cut_at(&points, size);
            if cuts.len() < most {
                return cuts;
            }
            size *= 1.0625;
        }
    }
}

/// Cuts after every `size` of weight, and around every value that has as much alone.
fn cut_at(points: &[(f64, f64)], size: f64) -> Vec<f64> {
    let (mut cuts, mut filled) = (Vec::new(), 0.0);
    for pair in points.windows(2) {
        filled += pair[0].1;
        if filled >= size || pair[1].1 >= size {
            cuts.push(between(pair[0].0, pair[1].0));
            filled = 0.0;
        }
    }
    cuts
}

/// A number above `a` and not above `b`: halfway, where that is one.
pub(crate) fn between(a: f64, b: f64) -> f64 {
    let half = a / 2.0 + b / 2.0;
    if half > a { half } else { b }
}

/// Adds a value to distinct ones while they are few.
fn see(distinct: &mut Option<Vec<f64>>, x: f64) {
    if let Some(values) = distinct
        && let Err(at) = values.binary_search_by(|known| known.total_cmp(&x))
    {
        values.insert(at, x);
        if values.len() > MOST_VALUES {
            *distinct = None;
        }
    }
}

impl Encode for QuantileSketch {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        self.settle();
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        codec.count_list("hashes", &mut self.hashes)?;
        codec.list("weights", 1, &mut self.weights)?;
        codec.accept("weights", &self.weights, |w| w.is_finite() && w > 0.0, "a weight that is not above zero")?;
        codec.list("numbers", self.width(), &mut self.numbers)?;
        let rows = self.hashes.len();
        if self.weights.len() != rows || self.numbers.len() != rows * self.width() || rows > MOST_ROWS {
            return Err(fault(format!("{rows} sampled rows come with {} weights", self.weights.len())));
        }
        for (j, distinct) in self.distinct.iter_mut().enumerate() {
            let mut many = distinct.is_none();
            codec.flag(&format!("many{j}"), &mut many)?;
            let mut values = distinct.take().unwrap_or_default();
            codec.list(&format!("values{j}"), 1, &mut values)?;
            let rising = values.windows(2).all(|pair| pair[0] < pair[1]) && values.iter().all(|x| x.is_finite());
            if !rising || values.len() > MOST_VALUES || (many && !values.is_empty()) {
                return Err(fault(format!("the values of number column {j} are no rising numbers")));
            }
            *distinct = (!many).then_some(values);
        }
        if codec.is_reading() {
            self.settle();
        }
        Ok(())
    }
}

impl Statistics for QuantileSketch {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        // One look at all numbers tells that none is infinite or missing.
        let finite = all_finite(rows.features.numbers);
        for j in 0..self.width() {
            match self.distinct[j] {
                Some(_) => self.see_values(j, &rows, &labels)?,
                None if finite => {}
                None => self.check_finite(j, &rows, &labels)?,
            }
        }
        let mut hashes = Vec::new();
        self.names.write(&rows, &labels, &mut hashes);
        for (i, sum) in hashes.into_iter().enumerate().filter(|(i, _)| labels[*i] != SKIP) {
            let (hash, weight) = (mixed(sum), rows.weights.map_or(1.0, |weights| weights[i]));
            self.weight += weight;
            if hash < self.limit {
                self.hashes.push(hash);
                self.weights.push(weight);
                self.numbers.extend((0..self.distinct.len()).map(|j| rows.features.numbers.get(i, j)));
                if self.hashes.len() >= 2 * MOST_ROWS {
                    self.settle();
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight += other.weight;
        self.hashes.extend_from_slice(&other.hashes);
        self.weights.extend_from_slice(&other.weights);
        self.numbers.extend_from_slice(&other.numbers);
        self.limit = self.limit.min(other.limit);
        self.settle();
        for (mine, theirs) in self.distinct.iter_mut().zip(&other.distinct) {
            match theirs {
                Some(values) => values.iter().for_each(|x| see(mine, *x)),
                None => *mine = None,
            }
        }
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn purpose(&self) -> String {
        "where the values of columns lie".into()
    }

    fn discloses(&self) -> Option<String> {
        let rows = self.hashes.len().min(MOST_ROWS);
        (rows > 0 && self.width() > 0).then(|| format!("the numbers of {rows} rows, and all values of columns that have few"))
    }

    fn bytes(&self) -> usize {
        MOST_ROWS * (self.width() + 2) * size_of::<f64>()
    }
}

impl QuantileSketch {
    fn check_finite(&self, j: usize, rows: &Rows<'_>, labels: &[u32]) -> Result<()> {
        let numbers = rows.features.numbers;
        match (0..labels.len()).find(|i| numbers.get(*i, j).is_infinite() && labels[*i] != SKIP) {
            Some(i) => {
                let name = self.layout.features()[self.layout.numbers()[j]].name.clone();
                Err(infinite(name, rows.first_row + i as u64 + 1, numbers.get(i, j)))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, Feature, Features, Weighting};
    use crate::num::MatrixView;

    fn sketch_of(values: &[f64], weights: Option<&[f64]>, pieces: usize) -> QuantileSketch {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Arc::new(Layout::new("y", vec![Feature::number("x")], classes, Weighting::Frequency).unwrap());
        let mut whole = QuantileSketch::new(&layout);
        for piece in 0..pieces {
            let (lo, hi) = (piece * values.len() / pieces, (piece + 1) * values.len() / pieces);
            let features = Features::of_numbers(MatrixView::row_major(&values[lo..hi], hi - lo, 1).unwrap());
            let mut part = QuantileSketch::new(&layout);
            part.observe(Rows::new(features, &vec![0; hi - lo], weights.map(|w| &w[lo..hi]), lo as u64)).unwrap();
            whole.merge(&part).unwrap();
        }
        whole
    }

    fn scattered(count: u64) -> Vec<f64> {
        (0..count).map(|i| (mixed(i + 1) >> 11) as f64 / (1u64 << 53) as f64).collect()
    }

    #[test]
    fn few_values_are_all_kept_with_cuts_halfway() {
        let bins = sketch_of(&[3.0, 1.0, f64::NAN, 3.0, 2.0, -0.0, 0.0], None, 2).bins(0, 255);
        assert_eq!(bins.values.unwrap(), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(bins.cuts, [0.5, 1.5, 2.5]);
        let next = 1.0f64.next_up();
        assert_eq!((between(1.0, next), between(-f64::MAX, f64::MAX), between(f64::MAX / 2.0, f64::MAX)), (next, 0.0, f64::MAX * 0.75));
    }

    #[test]
    fn pieces_and_order_change_nothing() {
        let values = scattered(60_000);
        let whole = sketch_of(&values, None, 1);
        let reversed: Vec<f64> = values.iter().rev().copied().collect();
        assert_eq!(sketch_of(&values, None, 7), whole);
        assert_eq!(sketch_of(&reversed, None, 3), whole);
        assert_eq!(whole.hashes.len(), MOST_ROWS);
    }

    #[test]
    fn a_weight_is_as_many_rows() {
        let values = scattered(9_000);
        let weights: Vec<f64> = (0..values.len()).map(|i| (1 + i % 3) as f64).collect();
        let repeated = values.iter().zip(&weights).flat_map(|(x, w)| vec![*x; *w as usize]);
        let once = sketch_of(&values, Some(&weights), 4);
        assert_eq!(sketch_of(&repeated.collect::<Vec<_>>(), None, 5), once);
        assert_eq!(once.weight(), weights.iter().sum::<f64>());
    }

    #[test]
    fn quantiles_lie_within_the_error_of_a_sample() {
        let cuts = sketch_of(&scattered(200_000), None, 3).bins(0, 255).cuts;
        assert!((240..255).contains(&cuts.len()), "{}", cuts.len());
        // Ranks of uniform numbers are the numbers; five standard errors.
        let worst = cuts.iter().enumerate().map(|(i, cut)| (cut - (i + 1) as f64 / (cuts.len() + 1) as f64).abs()).fold(0.0, f64::max);
        assert!(worst < 5.0 * 0.5 / (MOST_ROWS as f64).sqrt(), "{worst}");
    }

    #[test]
    fn a_heavy_value_has_a_bin_of_its_own() {
        // Half of the rows are zero, and differ in another column.
        let (zero, other) = (|i: usize, x: f64| if i.is_multiple_of(2) { x - 0.5 } else { 0.0 }, scattered(80_000));
        let cells: Vec<f64> = scattered(40_000).into_iter().enumerate().flat_map(|(i, x)| [zero(i, x), other[40_000 + i]]).collect();
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Arc::new(Layout::new("y", vec![Feature::number("x"), Feature::number("z")], classes, Weighting::None).unwrap());
        let mut sketch = QuantileSketch::new(&layout);
        let features = Features::of_numbers(MatrixView::row_major(&cells, 40_000, 2).unwrap());
        sketch.observe(Rows::new(features, &[1; 40_000], None, 0)).unwrap();
        let cuts = sketch.bins(0, 255).cuts;
        let after = cuts.partition_point(|cut| *cut <= 0.0);
        assert!(cuts[after] < 1e-3 && cuts[after - 1] > -1e-3, "{:?}", &cuts[after - 1..=after]);
    }

    #[test]
    fn an_infinite_value_is_named() {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Arc::new(Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap());
        let features = Features::of_numbers(MatrixView::row_major(&[1.0, f64::INFINITY], 2, 1).unwrap());
        let error = QuantileSketch::new(&layout).observe(Rows::new(features, &[0, 1], None, 10)).unwrap_err().to_string();
        assert!(error.contains('x') && error.contains("12") && error.contains("inf"), "{error}");
    }
}
