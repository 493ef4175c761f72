//! Passes over parts that workers hold, and the same over all of them here, as Python sees them.

use std::collections::BTreeSet;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{Extent, Layout};
use oddsmith::error::Error;
use oddsmith::model::Conclusion;
use oddsmith::train::{self, HashedFold, RelayEnd, SpreadTable, Study};
use oddsmith_io::{Opened, flag_columns, joined_notices, open_pieces};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::account::Account;
use crate::edge::{Told, raise, told};
use crate::judgement::Evaluation;
use crate::model::Model;
use crate::parts::{PieceTuple, Plan, ReadingPlan, Survey, piece_of};
use crate::rounds::Round;
use crate::sums::{Sums, parts};
use crate::work;

/// Parts with columns of their own that a further one is compared with.
const MOST_COMPARED: usize = 8;

/// A fold: of how many, which, the seed, and whether its rows are wanted or all others.
type Fold = (u64, u64, u64, bool);

fn fold_of(fold: Option<Fold>) -> Result<Option<HashedFold>> {
    fold.map(|(count, fold, seed, held)| HashedFold::new(count, fold, seed, held)).transpose()
}

/// A table whose parts workers hold.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Spread {
    table: SpreadTable,
    flags: Vec<String>,
    weight: f64,
    notices: Vec<Told>,
}

#[pymethods]
impl Spread {
    /// The table of parts that told of themselves, each under the name that messages use; together they take about so many bytes.
    #[new]
    fn new(py: Python<'_>, question: Option<&[u8]>, surveys: Vec<(String, Vec<u8>)>, bytes: u64, apart: bool) -> PyResult<Self> {
        let made = || {
            let read = surveys.iter().map(|(_, bytes)| Survey::from_bytes(bytes)).collect::<Result<Vec<_>>>()?;
            let named = surveys.iter().map(|(name, _)| name.as_str()).zip(read.iter().map(|survey| &survey.layout));
            let named = distinct(named);
            if named.is_empty() {
                return Err(Error::data("no part has a row that counts"));
            }
            let (layout, _) = train::common_layout(&named)?;
            let flags = flags_of(question, &read)?;
            let weight = read.iter().map(|survey| survey.weight).sum();
            let extents: Vec<Extent> = read.iter().map(|survey| survey.extent).collect();
            let gaps = read.iter().flat_map(|survey| survey.gaps.iter().cloned());
            let mut known = BTreeSet::new();
            let own = read.iter().flat_map(|survey| &survey.notices).filter(|notice| known.insert((*notice).clone())).cloned();
            let rows = extents.iter().map(|extent| extent.rows).sum();
            let notices = own.chain(told(joined_notices(gaps, &layout, rows))).collect();
            Ok(Spread { table: SpreadTable { layout, extents, bytes, apart }, flags, weight, notices })
        };
        made().map_err(|error| raise(py, error))
    }

    /// The table as it will be if all parts have the columns, levels and classes of the first, and rows and partitions as they are given.
    #[staticmethod]
    fn alike(py: Python<'_>, question: Option<&[u8]>, first: &[u8], extents: Vec<(u64, usize)>, bytes: u64, apart: bool) -> PyResult<Self> {
        let made = || {
            let first = Survey::from_bytes(first)?;
            let (layout, _) = train::common_layout(&[("", &first.layout)])?;
            let flags = flags_of(question, std::slice::from_ref(&first))?;
            let extents = extents.into_iter().map(|(rows, partitions)| Extent { rows, partitions }).collect();
            Ok(Spread { table: SpreadTable { layout, extents, bytes, apart }, flags, weight: first.weight, notices: Vec::new() })
        };
        made().map_err(|error| raise(py, error))
    }

    /// Columns that are booleans, because zeros and ones are all that any part has; the parts must be read again with these kinds.
    #[getter]
    fn flags(&self) -> Vec<String> {
        self.flags.clone()
    }

    /// Rows and partitions of every part.
    #[getter]
    fn extents(&self) -> Vec<(u64, usize)> {
        self.table.extents.iter().map(|Extent { rows, partitions }| (*rows, *partitions)).collect()
    }

    /// What was noticed while the parts were read.
    #[getter]
    fn notices(&self) -> Vec<Told> {
        self.notices.clone()
    }

    /// Weight of all rows.
    #[getter]
    fn weight(&self) -> f64 {
        self.weight
    }

    /// Class labels in order.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.table.layout.classes().labels().to_vec()
    }
}

/// Parts without those that have the columns of an earlier one: most of a thousand parts add nothing to what is agreed upon.
fn distinct<'a>(named: impl Iterator<Item = (&'a str, &'a Layout)>) -> Vec<(&'a str, &'a Layout)> {
    let mut found: Vec<(&str, &Layout)> = Vec::new();
    for (name, layout) in named {
        // Where every part differs, looking at all earlier ones would take longer than to unite them.
        if !found.iter().rev().take(MOST_COMPARED).any(|(_, known)| *known == layout) {
            found.push((name, layout));
        }
    }
    found
}

/// Columns of zeros and ones in all parts, where a study takes them for booleans.
fn flags_of(question: Option<&[u8]>, parts: &[Survey]) -> Result<Vec<String>> {
    let needs = question.map(|bytes| train::Question::from_bytes(bytes)?.needs()).transpose()?;
    let candidates: Vec<_> = parts.iter().map(|survey| survey.flags.clone()).collect();
    Ok(needs.and_then(|needs| needs.flags).map(|except| flag_columns(&candidates, &except)).unwrap_or_default())
}

/// What passes end in, as Python sees it.
#[derive(IntoPyObject)]
pub(crate) enum Ended {
    /// A model.
    Model(Model),
    /// The card of an analysis.
    Account(Account),
    /// Sums.
    Sums(Sums),
    /// A model judged.
    Judged((Evaluation, u64)),
}

/// Passes under way.
#[pyclass(module = "oddsmith._core")]
pub(crate) struct Relay {
    relay: train::Relay,
    weights: Option<String>,
}

#[pymethods]
impl Relay {
    /// The passes of a fit.
    #[staticmethod]
    fn study(py: Python<'_>, round: &Round, table: &Spread, fold: Option<Fold>) -> PyResult<Self> {
        let study = round.study().clone();
        let weights = weights_of(&study);
        let made = || train::Relay::study(study, &table.table, fold_of(fold)?);
        made().map(|relay| Relay { relay, weights }).map_err(|error| raise(py, error))
    }

    /// The sums that any one-pass model finishes from.
    #[staticmethod]
    fn gather(py: Python<'_>, wanted: &str, threshold: f64, table: &Spread, fold: Option<Fold>) -> PyResult<Self> {
        let parts = parts(wanted, threshold)?;
        let made = || train::Relay::gather(parts, &table.table, fold_of(fold)?);
        made().map(|relay| Relay { relay, weights: None }).map_err(|error| raise(py, error))
    }

    /// A model of the same table judged on some of its rows.
    #[staticmethod]
    fn judge(py: Python<'_>, model: &Model, table: &Spread, fold: Option<Fold>) -> PyResult<Self> {
        let made = || train::Relay::judge(model.classifier(), &table.table, fold_of(fold)?);
        made().map(|relay| Relay { relay, weights: None }).map_err(|error| raise(py, error))
    }

    /// Passes that were answered.
    #[getter]
    fn passes(&self) -> usize {
        self.relay.passes()
    }

    /// What the current pass is for.
    #[getter]
    fn purpose(&self) -> String {
        self.relay.purpose()
    }

    /// The partitions of every lane.
    fn lanes(&self) -> Vec<Vec<usize>> {
        self.relay.lanes()
    }

    /// Whether neighbouring lanes may be joined.
    #[getter]
    fn joins(&self) -> bool {
        self.relay.joins()
    }

    /// Joins lanes with those before them, but for these.
    fn join(&mut self, py: Python<'_>, firsts: Vec<usize>) -> PyResult<()> {
        self.relay.join(&firsts).map_err(|error| raise(py, error))
    }

    /// What workers are told.
    fn ask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.relay.ask().map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| raise(py, error))
    }

    /// How many lanes there are, how many groups of them, how many groups of groups.
    fn groups(&self) -> Vec<usize> {
        self.relay.groups().to_vec()
    }

    /// How many groups of a level are one of the next.
    #[classattr]
    fn fan_in() -> usize {
        train::Relay::FAN_IN
    }

    /// The first lane of a group, and the one after its last.
    fn lanes_of(&self, level: usize, group: usize) -> (usize, usize) {
        let lanes = self.relay.lanes_of(level, group);
        (lanes.start, lanes.end)
    }

    /// Bytes that a summary takes in memory.
    #[getter]
    fn summary_bytes(&self) -> usize {
        self.relay.summary_bytes()
    }

    /// Takes the sums of a group of lanes; of one lane where the level is 0.
    fn take(&mut self, py: Python<'_>, level: usize, group: usize, bytes: &[u8]) -> PyResult<()> {
        self.relay.take(level, group, bytes).map_err(|error| raise(py, error))
    }

    /// The end; `None` where another pass is needed.
    fn advance(&mut self, py: Python<'_>) -> PyResult<Option<Ended>> {
        let end = work::run(py, usize::MAX, |_| self.relay.advance())?;
        let ended = match end {
            None => return Ok(None),
            Some(RelayEnd::Concluded(conclusion)) => Ended::of(conclusion, self.weights.as_deref()),
            Some(RelayEnd::Sums(sums)) => Ended::Sums(Sums(*sums)),
            Some(RelayEnd::Judged(evaluation, silent)) => {
                Ended::Judged((Evaluation::new(*evaluation, self.relay.agreed().classes().clone()), silent))
            }
        };
        Ok(Some(ended))
    }
}

fn weights_of(study: &Study) -> Option<String> {
    study.weight.as_ref().map(|(column, _)| column.clone())
}

impl Ended {
    /// What a study concluded; `weights` is the column of its rows' weights.
    pub(crate) fn of(conclusion: Conclusion, weights: Option<&str>) -> Self {
        match conclusion {
            Conclusion::Model(model) => Ended::Model(Model::new(crate::models::with_weights_of(model, weights))),
            Conclusion::Card(card) => Ended::Account(Account(*card)),
        }
    }
}

/// All files as one table, opened here.
fn opened_here(plan: &Plan, files: Vec<PieceTuple>, control: &Control) -> Result<Opened> {
    let pieces: Vec<_> = files.into_iter().map(piece_of).collect();
    plan.open(|options, roles| open_pieces(&pieces, options, roles, control))
}

/// Carries a study out over all files on this machine.
#[pyfunction]
pub(crate) fn fit_files(
    py: Python<'_>,
    round: &Round,
    files: Vec<PieceTuple>,
    plan: ReadingPlan,
    threads: usize,
) -> PyResult<(Ended, Vec<Told>)> {
    let study = round.study().clone();
    let plan = plan.plan(threads).map_err(|error| raise(py, error))?;
    let (conclusion, notices) = work::run(py, usize::MAX, |control| {
        let opened = opened_here(&plan, files, control)?;
        let fitted = train::conclude(&study.procedure()?, &*opened.source, work::threads(threads), control)?;
        Ok((fitted.model, opened.notices))
    })?;
    Ok((Ended::of(conclusion, weights_of(&study).as_deref()), told(notices)))
}

/// Sums all files up on this machine.
#[pyfunction]
pub(crate) fn gather_files(
    py: Python<'_>,
    wanted: (String, f64),
    files: Vec<PieceTuple>,
    plan: ReadingPlan,
    threads: usize,
) -> PyResult<(Sums, Vec<Told>)> {
    let parts = parts(&wanted.0, wanted.1)?;
    let plan = plan.plan(threads).map_err(|error| raise(py, error))?;
    let (sums, notices) = work::run(py, usize::MAX, |control| {
        let opened = opened_here(&plan, files, control)?;
        Ok((train::gather(&*opened.source, parts, work::threads(threads), control)?, opened.notices))
    })?;
    Ok((Sums(sums), told(notices)))
}
