//! The analysis: one pass of counts, and a card of what they say.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::AnalysisEntry;
use super::{CrossCounts, CrossTable};
use crate::card::Card;
use crate::data::{Kind, Layout, Role};
use crate::error::{Error, Result};
use crate::model::params::{Param, ParamKind};
use crate::model::{Params, PassInfo, Procedure, Step, TableNeeds};

const EXPOSURE: Param = Param::new(
    "exposure",
    ParamKind::Column,
    "COLUMN",
    "",
    "What rows are compared by; its first level is what the others are compared with",
);
const STRATA: Param =
    Param::new("strata", ParamKind::Columns, "COLUMN,…", "", "Compare rows with each other only where these columns have the same values");
const LEVEL: Param = Param::new("level", ParamKind::Between { least: 0.0, most: 1.0 }, "LEVEL", "0.95", "Level of the intervals");
const ADD: Param = Param::new(
    "add",
    ParamKind::Number { least: 0.0, most: 1e6 },
    "COUNT",
    "0",
    "Add this to every count, as 0.5 where a cell is empty; exact methods then have no answer",
);
const PAIRED: Param = Param::flag("paired", "Exposure and outcome are two answers of the same pair: McNemar's test");
const SCORES: Param = Param::new(
    "scores",
    ParamKind::Text("one number per level, such as 0,1,2"),
    "NUMBER,…",
    "",
    "Numbers of the levels in the test of trend; default: the levels themselves where they are numbers, else 1, 2, …",
);
/// How rows were sampled.
pub(in crate::study) const DESIGN: Param = Param::new(
    "design",
    ParamKind::Choice(&["cohort", "trial", "case-control"]),
    "DESIGN",
    "cohort",
    "How rows came to be: observed, treated at random (trial), or sampled by their outcome (case-control), where there are no risks, only odds ratios",
);

/// What the registry knows of it.
pub(in crate::study) const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "table",
    aliases: &[],
    summary: "an outcome by an exposure: odds ratio, risk ratio, risk difference, tests; within strata by Mantel and Haenszel",
    fitted: false,
    params: &[&EXPOSURE, &STRATA, &LEVEL, &ADD, &PAIRED, &SCORES, &DESIGN],
    build: |params| Ok(Box::new(CrossAnalysis::new(params)?)),
};

/// How rows came into the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Design {
    /// By exposure, or without looking at either: risks can be told.
    #[default]
    Cohort,
    /// Exposure is a treatment that was given at random: differences are effects.
    Trial,
    /// By outcome: only odds ratios can.
    CaseControl,
}

impl Design {
    /// The design that options name.
    pub(in crate::study) fn of(params: &Params) -> Self {
        match params.text("design") {
            Some("case-control") => Design::CaseControl,
            Some("trial") => Design::Trial,
            _ => Design::Cohort,
        }
    }
}

/// The analysis with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossAnalysis {
    exposure: Option<String>,
    strata: Vec<String>,
    /// Level of the intervals.
    pub level: f64,
    /// What is added to every cell.
    pub add: f64,
    /// Whether the two answers are of the same pair.
    pub paired: bool,
    /// Numbers of the levels.
    pub scores: Option<Vec<f64>>,
    /// How rows were sampled.
    pub design: Design,
}

impl CrossAnalysis {
    /// The analysis that options ask for.
    pub fn new(params: &Params) -> Result<Self> {
        let strata = params.names("strata").unwrap_or_default();
        if let Some(twice) = strata.iter().enumerate().find(|(at, name)| strata[..*at].contains(name)).map(|(_, name)| name) {
            return Err(Error::option("strata", twice, "name every stratum once"));
        }
        let number = |text: &String| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        let scores = params.names("scores").map(|texts| {
            let numbers: Option<Vec<f64>> = texts.iter().map(number).collect();
            numbers.ok_or_else(|| Error::option("scores", texts.join(","), "one number per level, such as 0,1,2"))
        });
        let paired = params.flag("paired");
        if paired && !strata.is_empty() {
            return Err(Error::option("strata", strata.join(","), "a table of pairs has none: the pairs are its strata"));
        }
        Ok(CrossAnalysis {
            exposure: params.text("exposure").map(str::to_owned),
            strata,
            level: params.number("level").unwrap_or(0.95),
            add: params.number("add").unwrap_or(0.0),
            paired,
            scores: scores.transpose()?,
            design: Design::of(params),
        })
    }

    /// What there is to say about counts.
    pub fn card(&self, table: &CrossTable) -> Result<Card> {
        table.check()?;
        if self.paired {
            return self.paired_card(table);
        }
        if !table.by.is_empty() {
            return self.strata_card(table);
        }
        if table.levels.len() == 2 && table.classes.len() == 2 { self.table_card(table) } else { self.levels_card(table) }
    }
}

impl Procedure for CrossAnalysis {
    type Stats = CrossCounts;
    type Output = Card;

    fn needs(&self) -> Result<TableNeeds> {
        let kinds: BTreeMap<String, Kind> = self.exposure.iter().map(|name| (name.clone(), Kind::Category)).collect();
        let keys = self.strata.iter().map(|name| (name.clone(), Role::Stratum)).collect();
        Ok(TableNeeds { features: self.exposure.clone().map(|name| vec![name]), keys, kinds, ..TableNeeds::default() })
    }

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<CrossCounts> {
        CrossCounts::new(layout, self.exposure.as_deref(), &self.strata)
    }

    fn finish(&self, stats: &CrossCounts) -> Result<Step<CrossCounts, Card>> {
        self.card(&stats.table()).map(Step::Done)
    }
}
