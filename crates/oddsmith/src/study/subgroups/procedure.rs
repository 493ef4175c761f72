//! The analysis with its options.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::AnalysisEntry;
use super::KeptRows;
use crate::card::Card;
use crate::data::{Kind, Layout, Weighting};
use crate::error::{DataFault, Error, Result, visible};
use crate::model::params::{Param, ParamKind};
use crate::model::{Params, PassInfo, Procedure, Step, TableNeeds};

const EXPOSURE: Param = Param::new("exposure", ParamKind::Column, "COLUMN", "", "The exposure or treatment, of two levels");
const CANDIDATES: Param =
    Param::new("candidates", ParamKind::Columns, "COLUMN,…", "", "Columns that groups are made of; default: all others");
const DEPTH: Param = Param::new("depth", ParamKind::Whole { least: 1, most: 2 }, "N", "2", "Columns that a group is made of at most");
const BINS: Param =
    Param::new("bins", ParamKind::Whole { least: 2, most: 20 }, "N", "4", "Parts of about as many rows between which a number is cut");
const LEAST: Param = Param::new(
    "least",
    ParamKind::Whole { least: 5, most: 1_000_000 },
    "ROWS",
    "20",
    "Rows that a group, and its rest, must have in the searched half",
);
const DEALS: Param =
    Param::new("permutations", ParamKind::Whole { least: 19, most: 100_000 }, "N", "999", "Deals of exposure and outcome for the p-values");
const SEED: Param =
    Param::new("seed", ParamKind::Whole { least: 0, most: u64::MAX }, "N", "1", "Start of the random numbers that split and deal rows");
const LEVEL: Param = Param::new("level", ParamKind::Between { least: 0.0, most: 1.0 }, "LEVEL", "0.95", "Level of the intervals");

/// What the registry knows of it.
pub(in crate::study) const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "subgroups",
    aliases: &[],
    summary: "groups of rows in which the odds ratio of an exposure is another one, with p-values that know how many were looked at",
    fitted: false,
    params: &[&EXPOSURE, &CANDIDATES, &DEPTH, &BINS, &LEAST, &DEALS, &SEED, &LEVEL],
    build: |params| Ok(Box::new(Subgroups::new(params)?)),
};

/// The search with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Subgroups {
    exposure: String,
    pub(super) candidates: Option<Vec<String>>,
    pub(super) depth: usize,
    pub(super) bins: usize,
    pub(super) least: usize,
    pub(super) deals: usize,
    pub(super) seed: u64,
    /// Level of the intervals.
    pub level: f64,
}

impl Subgroups {
    /// The search that options ask for.
    pub fn new(params: &Params) -> Result<Self> {
        let Some(exposure) = params.text("exposure").map(str::to_owned) else {
            return Err(Error::option("exposure", "", "name the column whose effect is looked at"));
        };
        let candidates = params.names("candidates");
        if candidates.iter().flatten().any(|name| *name == exposure) {
            return Err(Error::option("candidates", &exposure, "the exposure cannot make groups of itself"));
        }
        let whole = |name: &str, default: usize| params.whole(name).and_then(|value| usize::try_from(value).ok()).unwrap_or(default);
        Ok(Subgroups {
            exposure,
            candidates,
            depth: whole("depth", 2),
            bins: whole("bins", 4),
            least: whole("least", 20),
            deals: whole("permutations", 999),
            seed: params.whole("seed").unwrap_or(1),
            level: params.number("level").unwrap_or(0.95),
        })
    }

    /// The two levels of the exposure that occur.
    fn two_levels(&self, rows: &KeptRows) -> Result<[u32; 2]> {
        let mut found: Vec<u32> = rows.levels.clone();
        found.sort_unstable();
        found.dedup();
        <[u32; 2]>::try_from(found.clone()).map_err(|_| {
            let name = |level: &u32| rows.layout.level_name(rows.exposure, *level as usize).map(|name| format!("`{}`", visible(&name)));
            let named: Vec<String> = found.iter().take(6).filter_map(name).collect();
            let told = crate::notice::counted(found.len() as u64, "level");
            let what = format!("the exposure has {told} in the rows that count ({})", named.join(", "));
            let accepted = "an exposure of two levels; read the rows of two levels only, or join levels";
            DataFault::new(what).column(&self.exposure).accepted(accepted).into()
        })
    }
}

impl Procedure for Subgroups {
    type Stats = KeptRows;
    type Output = Card;

    fn needs(&self) -> Result<TableNeeds> {
        let kinds: BTreeMap<String, Kind> = [(self.exposure.clone(), Kind::Category)].into();
        let features = self.candidates.as_ref().map(|names| std::iter::once(&self.exposure).chain(names).cloned().collect());
        Ok(TableNeeds { features, kinds, ..TableNeeds::default() })
    }

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<KeptRows> {
        if layout.weighting() != Weighting::None {
            return Err(Error::option("weight", "given", "rows are split and dealt one by one, so every row counts once"));
        }
        if layout.classes().len() != 2 {
            let told = crate::notice::counted(layout.classes().len() as u64, "class");
            return Err(DataFault::new(format!("the outcome has {told}"))
                .column(layout.target())
                .accepted("an outcome of two classes")
                .into());
        }
        KeptRows::new(layout, &self.exposure)
    }

    fn finish(&self, rows: &KeptRows) -> Result<Step<KeptRows, Card>> {
        let levels = self.two_levels(rows)?;
        self.card(rows, levels).map(Step::Done)
    }
}
