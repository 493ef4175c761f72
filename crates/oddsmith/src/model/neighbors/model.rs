//! Fitted neighbours: the rows, the units of their columns, and how they vote. Scores are log p(class | x).

use serde::{Deserialize, Serialize};

use super::kept_rows::KeptRows;
use super::learner::{NAME, Standard, TAKES};
use super::points::{Points, Query};
use super::votes::{Candidate, Rule, Ties, Votes};
use crate::card::{Card, Cell, FixedTable, Table};
use crate::data::{Features, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Additive, Classifier, Neighbour, Neighbours, Scale, Scores};
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;
use std::sync::Arc;

/// Version of the stored content.
const VERSION: u32 = 1;
/// Rows whose neighbours are looked for at a time.
const BATCH: usize = 256;

/// How the fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) k: u64,
    pub(super) votes: String,
    pub(super) alpha: f64,
    pub(super) ties: String,
    pub(super) standard: String,
    pub(super) notices: Vec<Notice>,
}

/// Rows that vote.
#[derive(Debug, Clone, PartialEq)]
pub struct KnnModel {
    points: Points,
    classes: ClassWeights,
    rule: Rule,
    /// Mean log loss of rows left out one by one, by k from 1 up; empty when k was given.
    losses: Vec<f64>,
    account: Account,
}

impl KnnModel {
    pub(super) fn new(points: Points, classes: ClassWeights, rule: Rule, losses: Vec<f64>, account: Account) -> Self {
        KnnModel { points, classes, rule, losses, account }
    }

    /// The number of neighbours.
    pub fn k(&self) -> u64 {
        self.account.k
    }

    /// Mean log loss of rows left out one by one, by k from 1 up; empty when k was given.
    pub fn losses(&self) -> &[f64] {
        &self.losses
    }

    fn found(&self, rows: &Features<'_>, lo: usize, hi: usize, k: u64) -> Vec<Vec<Candidate>> {
        let queries: Vec<Query> = (lo..hi).map(|i| Query::of(rows, i)).collect();
        self.points.nearest_of(&queries, k as f64, &vec![None; hi - lo])
    }

    /// How many neighbours are asked for, of so many that there are.
    fn wanted(&self, k: Option<u64>, total: f64) -> Result<u64> {
        let k = k.unwrap_or(self.account.k);
        match k >= 1 && k as f64 <= total {
            true => Ok(k),
            false => Err(Error::option("k", k, format!("a whole number from 1 to {total}, the rows of the model"))),
        }
    }

    fn listed(&self, candidates: &[Candidate], k: u64) -> Vec<Neighbour> {
        let votes = self.rule.votes(candidates, k as f64);
        let neighbour = |(candidate, vote): (&Candidate, f64)| Neighbour {
            row: self.points.rows.ids[candidate.row],
            distance: self.points.distance(candidate.squared),
            class: candidate.class,
            vote,
        };
        candidates.iter().zip(votes).map(neighbour).collect()
    }

    fn losses_table(&self) -> Option<Table> {
        let mut table = FixedTable::new("neighbours", ["k", "log_loss"]);
        for (at, loss) in self.losses.iter().enumerate() {
            table.push([(at + 1).into(), (*loss).into()]);
        }
        (!table.is_empty()).then(|| table.into())
    }
}

impl Classifier for KnnModel {
    fn layout(&self) -> &Layout {
        self.points.rows.layout()
    }

    fn tag(&self) -> &'static str {
        NAME
    }

    fn scale(&self) -> Scale {
        Scale::LogPosterior
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        rows.check(self.layout())?;
        let (classes, count) = (self.layout().classes().len(), rows.rows());
        out.reset(count, &vec![0.0; classes]);
        let (values, _) = out.parts_mut();
        for lo in (0..count).step_by(BATCH) {
            let hi = count.min(lo + BATCH);
            let found = self.found(rows, lo, hi, self.account.k);
            for (candidates, row) in found.iter().zip(values[lo * classes..hi * classes].chunks_exact_mut(classes)) {
                self.rule.probabilities(candidates, self.account.k as f64, row);
                row.iter_mut().for_each(|p| *p = p.ln());
            }
        }
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Err(ErrorKind::Unsupported {
            model: NAME.into(),
            what: "split its scores into addends".into(),
            advice: "its probabilities are votes of rows and no sums over columns; the rows that voted are listed instead".into(),
        }
        .into())
    }

    fn neighbours(&self) -> Option<&dyn Neighbours> {
        Some(self)
    }

    /// The number of neighbours, and units of columns: the rows are no parameters.
    fn free_parameters(&self) -> usize {
        1 + if self.account.standard == Standard::Deviation.name() {
            self.points.units.iter().filter(|unit| **unit > 0.0).count()
        } else {
            0
        }
    }

    fn card(&self) -> Card {
        let account = &self.account;
        let mut tidy = FixedTable::new("tidy", ["column", "parameter", "estimate"]);
        for (j, inverse) in self.points.units.iter().enumerate() {
            let name = self.layout().features()[self.layout().numbers()[j]].name.as_str();
            let unit = if *inverse > 0.0 { Cell::from(inverse.recip()) } else { Cell::Empty };
            tidy.push([name.into(), "unit".into(), unit]);
        }
        let chosen = if self.losses.is_empty() { "given" } else { "the least log loss of rows left out one by one" };
        let mut facts: Vec<(String, Cell)> = vec![
            ("rows".into(), self.classes.total_rows().into()),
            ("neighbours".into(), account.k.into()),
            ("neighbours are".into(), chosen.into()),
        ];
        let loss = usize::try_from(account.k).ok().and_then(|k| self.losses.get(k - 1));
        facts.extend(loss.map(|loss| ("log loss of rows left out".into(), Cell::from(*loss))));
        facts.extend([
            ("votes".into(), account.votes.as_str().into()),
            ("alpha".into(), Cell::from(account.alpha)),
            ("ties".into(), if account.ties == Ties::Share.name() { "share the last votes" } else { "first rows of the table" }.into()),
        ]);
        let tables = self.losses_table().into_iter().collect();
        Card { title: "Nearest neighbours".into(), facts, tidy: tidy.into(), tables, notices: self.notices(), ..Card::default() }
    }

    fn notices(&self) -> Vec<Notice> {
        self.account.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new(NAME, VERSION, &serde_json::json!({}))?;
        record.put_part("account", &self.account)?;
        self.layout().write(&mut record, "layout")?;
        self.classes.write(&mut record)?;
        record.put("units", &self.points.units);
        record.put("losses", &self.losses);
        self.points.rows.write(&mut record)?;
        Ok(record)
    }
}

impl Neighbours for KnnModel {
    fn count(&self) -> u64 {
        self.account.k
    }

    fn rows(&self) -> u64 {
        self.points.rows.rows() as u64
    }

    fn nearest(&self, rows: &Features<'_>, k: Option<u64>) -> Result<Vec<Vec<Neighbour>>> {
        rows.check(self.layout())?;
        let k = self.wanted(k, self.points.total())?;
        let mut all = Vec::with_capacity(rows.rows());
        for lo in (0..rows.rows()).step_by(BATCH) {
            let found = self.found(rows, lo, rows.rows().min(lo + BATCH), k);
            all.extend(found.iter().map(|candidates| self.listed(candidates, k)));
        }
        Ok(all)
    }

    fn nearest_others(&self, k: Option<u64>) -> Result<Vec<Vec<Neighbour>>> {
        let k = self.wanted(k, self.points.total() - 1.0)?;
        let mut order: Vec<usize> = (0..self.points.rows.rows()).collect();
        order.sort_unstable_by_key(|&row| self.points.rows.ids[row]);
        let mut all = Vec::with_capacity(order.len());
        for batch in order.chunks(BATCH) {
            let queries: Vec<Query> = batch.iter().map(|&row| self.points.query(row)).collect();
            let without: Vec<Option<usize>> = batch.iter().map(|&row| Some(row)).collect();
            let found = self.points.nearest_of(&queries, k as f64, &without);
            all.extend(found.iter().map(|candidates| self.listed(candidates, k)));
        }
        Ok(all)
    }
}

pub(super) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    record.expect(NAME, VERSION)?;
    let account: Account = record.part("account")?;
    let layout = Arc::new(Layout::read(record, "layout")?);
    if TAKES.check(NAME, &layout).is_err() || layout.classes().len() < 2 {
        return Err(fault("it has columns that neighbours do not take, or fewer than two classes"));
    }
    let (votes, ties) = (Votes::named(&account.votes), Ties::named(&account.ties));
    let (Some(votes), Some(ties), Some(_)) = (votes, ties, Standard::named(&account.standard)) else {
        return Err(fault("it votes by a rule that there is not"));
    };
    let units = record.weights("units", layout.numbers().len())?;
    let rows = KeptRows::read(record, &layout)?;
    let losses = match record.arrays.get("losses") {
        Some(crate::record::Array::Numbers(losses)) => losses.clone(),
        _ => return Err(fault("`losses` is missing")),
    };
    let points = Points::new(rows, units);
    let fits = account.k >= 1 && account.k as f64 <= points.total() && account.alpha >= 0.0 && account.alpha.is_finite();
    if !fits || points.rows.rows() > u32::MAX as usize {
        return Err(fault("it has more neighbours than rows, or votes beforehand that are no number from 0 up"));
    }
    let classes = ClassWeights::read(record, layout.classes().len())?;
    Ok(Box::new(KnnModel { points, classes, rule: Rule { votes, ties, alpha: account.alpha }, losses, account }))
}
