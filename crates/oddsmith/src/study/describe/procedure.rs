//! The analysis: one pass, and a card.

use std::sync::Arc;

use super::super::AnalysisEntry;
use super::super::groups::Variances;
use super::DescribeCounts;
use crate::card::Card;
use crate::data::Layout;
use crate::error::Result;
use crate::model::params::{Param, ParamKind};
use crate::model::{Params, PassInfo, Procedure, Step, TableNeeds};

const COLUMNS: Param = Param::new("columns", ParamKind::Columns, "COLUMN,…", "", "The columns to describe, in this order; default: all");
const NUMBERS: Param = Param::new(
    "numbers",
    ParamKind::Choice(&["both", "mean", "median"]),
    "HOW",
    "both",
    "How numbers are told: mean (SD) with a test of means, median [IQR] with a test of ranks, or both",
);
const MEDIAN: Param = Param::new("median", ParamKind::Columns, "COLUMN,…", "", "Number columns that are told by their median alone");
const EQUAL: Param = Param::flag("equal-variances", "Compare means by Student's t and the analysis of variance in place of Welch's tests");
const NO_TESTS: Param = Param::flag("no-tests", "Leave the tests out");

/// What the registry knows of it.
pub(in crate::study) const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "describe",
    aliases: &[],
    summary: "every column by group: counts, percentages, means, medians, gaps, standardised differences and tests",
    fitted: false,
    params: &[&COLUMNS, &NUMBERS, &MEDIAN, &EQUAL, &NO_TESTS],
    build: |params| Ok(Box::new(Describe::from_params(params))),
};

/// How numbers are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbers {
    /// Mean and median.
    #[default]
    Both,
    /// Mean and standard deviation.
    Mean,
    /// Median and quartiles.
    Median,
}

/// The description with its options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Describe {
    columns: Option<Vec<String>>,
    /// How numbers are told.
    pub numbers: Numbers,
    /// Columns told by their median.
    pub median: Vec<String>,
    /// What tests of means assume.
    pub variances: Variances,
    /// Whether groups are tested.
    pub tests: bool,
}

impl Describe {
    /// The description that options ask for.
    pub fn from_params(params: &Params) -> Self {
        Describe {
            columns: params.names("columns"),
            numbers: match params.text("numbers") {
                Some("mean") => Numbers::Mean,
                Some("median") => Numbers::Median,
                _ => Numbers::Both,
            },
            median: params.names("median").unwrap_or_default(),
            variances: if params.flag("equal-variances") { Variances::Equal } else { Variances::Unequal },
            tests: !params.flag("no-tests"),
        }
    }

    /// How a column is told.
    pub(super) fn of_column(&self, name: &str) -> Numbers {
        if self.median.iter().any(|known| known == name) { Numbers::Median } else { self.numbers }
    }
}

impl Procedure for Describe {
    type Stats = DescribeCounts;
    type Output = Card;

    fn needs(&self) -> Result<TableNeeds> {
        Ok(TableNeeds { features: self.columns.clone(), ..TableNeeds::default() })
    }

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<DescribeCounts> {
        for name in &self.median {
            layout.index(name)?;
        }
        DescribeCounts::new(layout)
    }

    fn finish(&self, counts: &DescribeCounts) -> Result<Step<DescribeCounts, Card>> {
        self.card(counts).map(Step::Done)
    }
}
