//! What every column tells about the target, in bits: a screen of inputs.
//!
//! I(X;Y) with bias, interval and test (`info::Joint`), beside H(Y). Categories, booleans and single words are counted as they are. Numbers
//! are first cut into fine bins at quantiles of a sample of rows; from the counts of these bins come the intervals that pay for
//! themselves by description length, and quantile bins that do not look at the target, which the test is made on: cuts that were chosen for
//! the target would make any test of it too sure. Where no cut pays, the estimate is from the quantile bins, too. Or neighbours are looked at (Ross), which takes all values into memory. With strata
//! everything is I(X;Y|Z), within their levels.
//!
//! One pass where there are no numbers, else two: the sample, then all counts; pairs of columns take one more. Time O(rows · columns · log bins), memory O(classes · strata ·
//! Σ values).

mod account;
mod counts;
mod finding;
mod groups;
mod number_bins;
mod number_rows;
mod pairs;

use std::sync::Arc;

use super::AnalysisEntry;
use crate::card::Card;
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Role, Rows};
use crate::error::{Error, ErrorKind, Result};
use crate::model::params::shared::STRATA;
use crate::model::{Param, ParamKind, Params, PassInfo, Procedure, Step, TableNeeds};
use crate::record::Record;
use crate::stats::{QuantileSketch, Statistics};
use counts::Counts;
use groups::Groups;
use number_bins::fine_cuts;
use pairs::{PairCounts, most_telling};

const NUMBERS: Param = Param::new(
    "numbers",
    ParamKind::Choice(&["mdl", "quantiles", "neighbours", "both"]),
    "HOW",
    "mdl",
    "How numbers are looked at: intervals by description length, quantile bins, nearest neighbours, which keeps all values in memory, or \
     intervals with the estimate from neighbours beside them",
);
const NEIGHBOURS: Param =
    Param::new("neighbours", ParamKind::Whole { least: 1, most: 1000 }, "K", "3", "Which neighbour of the same class sets the distance");
const LEVEL: Param = Param::new("level", ParamKind::Between { least: 0.0, most: 1.0 }, "P", "0.95", "Coverage of intervals");
const FORMS: Param = Param::flag("forms", "Show mutual information in its three equal forms");
const WORDS: Param = Param::new(
    "words",
    ParamKind::Whole { least: 1, most: 100_000 },
    "N",
    "10",
    "How many words of a text column are listed, the most telling first",
);

const PAIRS: Param = Param::new(
    "pairs",
    ParamKind::Whole { least: 0, most: 1000 },
    "N",
    "0",
    "Also what pairs of the N most telling columns tell together, and whether that is more than they tell one by one",
);

/// What the registry knows of it.
pub(super) const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "information",
    aliases: &[],
    summary: "mutual information of every column with the target, in bits, with interval and test",
    fitted: false,
    params: &[&NUMBERS, &NEIGHBOURS, &LEVEL, &STRATA, &FORMS, &WORDS, &PAIRS],
    build: |params| Ok(Box::new(Information::from_params(params))),
};

/// How numbers are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NumberMethod {
    /// Intervals that pay for themselves by description length.
    #[default]
    DescriptionLength,
    /// Bins of about as many rows each.
    Quantiles,
    /// Ross's estimator from nearest neighbours.
    Neighbours,
    /// Intervals by description length, and Ross's estimate beside them.
    Both,
}

impl NumberMethod {
    /// Whether all values are kept.
    pub(super) fn keeps_rows(self) -> bool {
        matches!(self, NumberMethod::Neighbours | NumberMethod::Both)
    }
}

/// The screen with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Information {
    /// How numbers are looked at.
    pub numbers: NumberMethod,
    /// Which neighbour sets the distance.
    pub neighbours: usize,
    /// Coverage of intervals.
    pub level: f64,
    /// The column within whose values everything is looked at.
    pub strata: Option<String>,
    /// Whether the three forms of mutual information are shown.
    pub forms: bool,
    /// Words of a text column that are listed.
    pub words: usize,
    /// How many of the most telling columns are looked at in pairs.
    pub pairs: usize,
}

impl Default for Information {
    fn default() -> Self {
        Information { numbers: NumberMethod::default(), neighbours: 3, level: 0.95, strata: None, forms: false, words: 10, pairs: 0 }
    }
}

impl Information {
    /// The screen with the options that were given.
    pub fn from_params(params: &Params) -> Self {
        let defaults = Information::default();
        let whole = |name: &str, default: usize| params.whole(name).and_then(|value| usize::try_from(value).ok()).unwrap_or(default);
        Information {
            numbers: match params.text("numbers") {
                Some("quantiles") => NumberMethod::Quantiles,
                Some("neighbours") => NumberMethod::Neighbours,
                Some("both") => NumberMethod::Both,
                _ => NumberMethod::DescriptionLength,
            },
            neighbours: whole("neighbours", defaults.neighbours),
            level: params.number("level").unwrap_or(defaults.level),
            strata: params.text("strata").map(str::to_owned),
            forms: params.flag("forms"),
            words: whole("words", defaults.words),
            pairs: whole("pairs", defaults.pairs),
        }
    }
}

/// The sums of a pass.
#[derive(Debug, Clone)]
pub enum InformationStats {
    /// The first of two: rows from which bins of numbers are made.
    Sample(Sample),
    /// The next: counts by class and stratum.
    Counts(Box<Counts>),
    /// The last, where pairs are asked for.
    Pairs(Box<PairCounts>),
}

/// Where the values of number columns lie.
#[derive(Debug, Clone)]
pub struct Sample {
    layout: Arc<Layout>,
    sketch: QuantileSketch,
}

impl Encode for InformationStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            InformationStats::Sample(sample) => sample.sketch.encode(codec),
            InformationStats::Counts(counts) => counts.encode(codec),
            InformationStats::Pairs(pairs) => pairs.encode(codec),
        }
    }
}

impl Statistics for InformationStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        match self {
            InformationStats::Sample(sample) => sample.sketch.observe(rows),
            InformationStats::Counts(counts) => counts.observe(&rows),
            InformationStats::Pairs(pairs) => pairs.observe(&rows),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (InformationStats::Sample(mine), InformationStats::Sample(theirs)) => mine.sketch.merge(&theirs.sketch),
            (InformationStats::Counts(mine), InformationStats::Counts(theirs)) => mine.merge(theirs),
            (InformationStats::Pairs(mine), InformationStats::Pairs(theirs)) => mine.merge(theirs),
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match self {
            InformationStats::Sample(sample) => sample.sketch.weight(),
            InformationStats::Counts(counts) => counts.classes().total(),
            InformationStats::Pairs(pairs) => pairs.weight(),
        }
    }

    fn purpose(&self) -> String {
        match self {
            InformationStats::Sample(_) => "values at which numbers are cut into bins".into(),
            InformationStats::Counts(_) => "counts of values by class".into(),
            InformationStats::Pairs(_) => "counts of pairs of values by class".into(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match self {
            InformationStats::Sample(sample) => sample.sketch.discloses(),
            InformationStats::Counts(counts) => counts.discloses(),
            InformationStats::Pairs(_) => None,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            InformationStats::Sample(sample) => sample.sketch.bytes(),
            InformationStats::Counts(counts) => counts.bytes(),
            InformationStats::Pairs(pairs) => pairs.bytes(),
        }
    }
}

impl Procedure for Information {
    type Stats = InformationStats;
    type Output = Card;

    fn needs(&self) -> Result<TableNeeds> {
        let keys = self.strata.iter().map(|column| (column.clone(), Role::Stratum)).collect();
        // A column of 0 and 1 is a yes or no, and counted as such.
        Ok(TableNeeds { keys, flags: Some(Vec::new()), ..TableNeeds::default() })
    }

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<InformationStats> {
        if self.numbers.keeps_rows() && layout.weighting() != crate::data::Weighting::None && !layout.numbers().is_empty() {
            let (model, what) = (ENTRY.name.to_owned(), "look at neighbours of rows that have weights".to_owned());
            let advice = crate::error::Advice::set("numbers", "mdl");
            return Err(ErrorKind::Unsupported { model, what, advice }.into());
        }
        if layout.numbers().is_empty() || self.numbers.keeps_rows() {
            return self.counting(layout, vec![Vec::new(); layout.numbers().len()]);
        }
        // Checked before rows are read, not after.
        self.counting(layout, vec![Vec::new(); layout.numbers().len()])?;
        Ok(InformationStats::Sample(Sample { layout: Arc::clone(layout), sketch: QuantileSketch::new(layout) }))
    }

    fn finish(&self, stats: &InformationStats) -> Result<Step<InformationStats, Card>> {
        match stats {
            InformationStats::Sample(sample) => {
                let groups = sample.layout.classes().len();
                self.counting(&sample.layout, fine_cuts(&sample.sketch, sample.layout.numbers().len(), groups)).map(Step::Again)
            }
            InformationStats::Counts(counts) => {
                let findings = account::ranked(self, counts)?;
                let columns = most_telling(&findings, self.pairs);
                if columns.len() < 2 {
                    return account::card(self, counts, &findings).map(Step::Done);
                }
                let groups = Groups::new(counts.groups().layout(), self)?;
                let pairs = PairCounts::new(Some(Arc::new((**counts).clone())), groups, columns)?;
                Ok(Step::Again(InformationStats::Pairs(Box::new(pairs))))
            }
            InformationStats::Pairs(pairs) => {
                let counts =
                    pairs.single.as_ref().ok_or_else(|| Error::internal("pairs are finished where single columns are not known"))?;
                let mut card = account::card(self, counts, &account::ranked(self, counts)?)?;
                card.tables.push(pairs.table(self.level)?);
                Ok(Step::Done(card))
            }
        }
    }

    fn write_point(&self, empty: &InformationStats, point: &mut Record) -> Result<()> {
        if let InformationStats::Pairs(pairs) = empty {
            pairs.write_point(point);
        }
        if let InformationStats::Counts(counts) = empty {
            point.put("cuts", &counts.cuts().concat());
            point.put_counts("cuts-by-column", &counts.cuts().iter().map(|cuts| cuts.len() as u64).collect::<Vec<_>>());
        }
        Ok(())
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<InformationStats> {
        if point.arrays.contains_key("pair-columns") {
            let columns = PairCounts::columns_at(layout, point)?;
            let pairs = PairCounts::new(None, Groups::new(layout, self)?, columns)?;
            return Ok(InformationStats::Pairs(Box::new(pairs)));
        }
        if !point.arrays.contains_key("cuts") {
            return self.begin(layout, &PassInfo::default());
        }
        let lengths = point.counts_of("cuts-by-column", layout.numbers().len())?.to_vec();
        let total = lengths.iter().try_fold(0u64, |sum, length| sum.checked_add(*length)).and_then(|sum| usize::try_from(sum).ok());
        let values =
            point.numbers("cuts", total.ok_or_else(|| crate::record::fault("`cuts-by-column` counts more cuts than there can be"))?)?;
        let mut rest = &values[..];
        let mut cuts = Vec::new();
        for length in lengths {
            let (own, later) = rest.split_at(length as usize);
            if !own.windows(2).all(|pair| pair[0] < pair[1]) {
                return Err(crate::record::fault("`cuts` are not in rising order"));
            }
            cuts.push(own.to_vec());
            rest = later;
        }
        self.counting(layout, cuts)
    }
}

impl Information {
    fn counting(&self, layout: &Arc<Layout>, cuts: Vec<Vec<f64>>) -> Result<InformationStats> {
        Counts::new(layout, self, cuts).map(|counts| InformationStats::Counts(Box::new(counts)))
    }
}
