//! The analysis: one pass of counts, and the pairs in the order of what they change.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::AnalysisEntry;
use super::super::cross::{DESIGN, Design};
use super::{ConfoundingCounts, Pair};
use crate::card::Card;
use crate::data::{Kind, Layout, Weighting};
use crate::error::{DataFault, Error, Result, visible};
use crate::model::params::{Param, ParamKind};
use crate::model::{Params, PassInfo, Procedure, Step, TableNeeds};

const EXPOSURE: Param = Param::new("exposure", ParamKind::Columns, "COLUMN,…", "", "The exposures, each of two levels");
const CANDIDATES: Param = Param::new("candidates", ParamKind::Columns, "COLUMN,…", "", "Columns that may confound; default: all others");
const BINS: Param =
    Param::new("bins", ParamKind::Whole { least: 2, most: 1000 }, "N", "5", "Ranges of about as many rows that a number is cut into");
const LEVEL: Param = Param::new("level", ParamKind::Between { least: 0.0, most: 1.0 }, "LEVEL", "0.95", "Level of the intervals");

/// What the registry knows of it.
pub(in crate::study) const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "confounding",
    aliases: &[],
    summary: "by how much the odds ratio of an exposure moves within the levels of each other column",
    fitted: false,
    params: &[&EXPOSURE, &CANDIDATES, &BINS, &LEVEL, &DESIGN],
    build: |params| Ok(Box::new(Confounding::new(params)?)),
};

/// The scan with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Confounding {
    exposures: Vec<String>,
    candidates: Option<Vec<String>>,
    bins: usize,
    /// Level of the intervals.
    pub level: f64,
    /// How rows were sampled.
    pub design: Design,
}

impl Confounding {
    /// The scan that options ask for.
    pub fn new(params: &Params) -> Result<Self> {
        let exposures = params.names("exposure").unwrap_or_default();
        if exposures.is_empty() {
            return Err(Error::option("exposure", "", "name the columns whose association with the outcome is looked at"));
        }
        let candidates = params.names("candidates");
        let all: Vec<&String> = exposures.iter().chain(candidates.iter().flatten()).collect();
        if let Some(twice) = all.iter().enumerate().find(|(at, name)| all[..*at].contains(name)).map(|(_, name)| name) {
            return Err(Error::option("candidates", twice, "name every column once: it is an exposure, or it may confound one"));
        }
        Ok(Confounding {
            exposures,
            candidates,
            bins: params.whole("bins").and_then(|bins| usize::try_from(bins).ok()).unwrap_or(5),
            level: params.number("level").unwrap_or(0.95),
            design: Design::of(params),
        })
    }

    /// The two levels of an exposure that occur.
    fn two_levels(&self, counts: &ConfoundingCounts, at: usize) -> Result<[usize; 2]> {
        let (layout, own) = (&counts.layout, &counts.exposures[at]);
        let column = layout.codes().iter().position(|j| *j == own.feature).unwrap_or(0);
        let levels = layout.level_counts()[column];
        // The exposure is one of its own categories: a level occurs where its groups have weight.
        let occurs = |level: usize| (0..2).any(|class| own.levels.column(2 * level + class, column)[level] > 0.0);
        let found: Vec<usize> = (0..levels).filter(|level| occurs(*level)).collect();
        <[usize; 2]>::try_from(found.clone()).map_err(|_| {
            let named: Vec<String> = found
                .iter()
                .take(6)
                .filter_map(|level| layout.level_name(own.feature, *level))
                .map(|name| format!("`{}`", visible(&name)))
                .collect();
            let told = crate::notice::counted(found.len() as u64, "level");
            let what = format!("the exposure has {told} in the rows that count ({})", named.join(", "));
            let accepted = "an exposure of two levels; read the rows of two levels only, or join levels";
            DataFault::new(what).column(&layout.features()[own.feature].name).accepted(accepted).into()
        })
    }

    /// All pairs, the largest change first.
    pub(super) fn pairs(&self, counts: &ConfoundingCounts) -> Result<Vec<Pair>> {
        let layout = &counts.layout;
        let mut pairs = Vec::new();
        for at in 0..counts.exposures.len() {
            let levels = self.two_levels(counts, at)?;
            let own = counts.exposures[at].feature;
            let candidate =
                |j: &usize| *j != own && self.candidates.as_ref().is_none_or(|names| names.contains(&layout.features()[*j].name));
            pairs.extend((0..layout.features().len()).filter(candidate).filter_map(|j| counts.pair(at, levels, j, self.bins, self.level)));
        }
        let size = |pair: &Pair| {
            let change = if self.design == Design::CaseControl { pair.change() } else { pair.confounding() };
            if change.is_nan() { -1.0 } else { change.abs() }
        };
        pairs.sort_by(|a, b| size(b).total_cmp(&size(a)));
        Ok(pairs)
    }
}

impl Procedure for Confounding {
    type Stats = ConfoundingCounts;
    type Output = Card;

    fn needs(&self) -> Result<TableNeeds> {
        let kinds: BTreeMap<String, Kind> = self.exposures.iter().map(|name| (name.clone(), Kind::Category)).collect();
        let features = self.candidates.as_ref().map(|names| self.exposures.iter().chain(names).cloned().collect());
        Ok(TableNeeds { features, kinds, ..TableNeeds::default() })
    }

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<ConfoundingCounts> {
        if layout.weighting() == Weighting::Sampling {
            let accepted = "tables count rows: give weights that are numbers of equal rows (frequency)";
            return Err(Error::option("weight kind", "sampling", accepted));
        }
        if layout.classes().len() != 2 {
            let told = crate::notice::counted(layout.classes().len() as u64, "class");
            return Err(DataFault::new(format!("the outcome has {told}"))
                .column(layout.target())
                .accepted("an outcome of two classes")
                .into());
        }
        if layout.features().len() <= 1 {
            return Err(Error::data("there is no column besides the exposure that could confound it"));
        }
        ConfoundingCounts::new(layout, &self.exposures)
    }

    fn finish(&self, counts: &ConfoundingCounts) -> Result<Step<ConfoundingCounts, Card>> {
        self.card(counts).map(Step::Done)
    }
}
