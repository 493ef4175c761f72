//! A fitted least-squares classifier. The score of class k is the value of its line: near 1 (or +1) for its own rows, near 0 (or −1) for
//! others. Scores of all classes add up to 1 (or to 2 − K), and are margins.

use serde::{Deserialize, Serialize};

use super::least_squares::{Coding, NAME};
use crate::card::{Card, Cell};
use crate::data::design::MissingPolicy;
use crate::data::{Features, Layout};
use crate::error::Result;
use crate::model::on_design::LinearPart;
use crate::model::{Additive, Classifier, Contributions, Scale, Scores};
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

/// Version of the stored content.
const VERSION: u32 = 1;

/// How the fit was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) coding: String,
    pub(super) l2: f64,
    pub(super) missing: MissingPolicy,
    pub(super) solver: String,
    pub(super) condition: Option<f64>,
    /// Columns that carry a coefficient.
    pub(super) fitted: usize,
    pub(super) notices: Vec<Notice>,
}

/// A line for every class.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquaresModel {
    part: LinearPart,
    classes: ClassWeights,
    coding: Coding,
    account: Account,
}

impl LeastSquaresModel {
    pub(super) fn new(part: LinearPart, classes: ClassWeights, coding: Coding, account: Account) -> Self {
        LeastSquaresModel { part, classes, coding, account }
    }

    /// What is added to, and what multiplies, the fit to zeros and ones.
    fn coded(&self) -> (f64, f64) {
        match self.coding {
            Coding::ZeroOne => (0.0, 1.0),
            Coding::PlusMinus => (-1.0, 2.0),
        }
    }

    /// The intercept of class `k` in the coding of the fit.
    pub fn intercept(&self, k: usize) -> f64 {
        let (start, factor) = self.coded();
        start + factor * self.part.intercept(k)
    }

    /// The coefficients of class `k` in the coding of the fit, one per design column.
    pub fn coefficients(&self, k: usize) -> Vec<f64> {
        let (_, factor) = self.coded();
        self.part.coefficients(k).iter().map(|b| factor * b).collect()
    }

    /// The names of the design columns.
    pub fn columns(&self) -> Vec<String> {
        self.part.frame().design().columns().iter().map(|column| column.name.clone()).collect()
    }
}

impl Classifier for LeastSquaresModel {
    fn layout(&self) -> &Layout {
        self.part.frame().layout()
    }

    fn tag(&self) -> &'static str {
        NAME
    }

    fn scale(&self) -> Scale {
        Scale::Margin
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        let (start, factor) = self.coded();
        out.reset(rows.rows(), &vec![0.0; self.part.outputs()]);
        let (values, _) = out.parts_mut();
        self.part.score(rows, values)?;
        if self.coding == Coding::PlusMinus {
            values.iter_mut().for_each(|value| *value = start + factor * *value);
        }
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Ok(self)
    }

    /// Intercepts and coefficients of all classes but one: they add up to a constant.
    fn free_parameters(&self) -> usize {
        (self.part.outputs() - 1) * (1 + self.account.fitted)
    }

    fn card(&self) -> Card {
        let labels = self.layout().classes().labels().to_vec();
        let tidy = self.part.tidy(&labels, self.coded());
        let mut facts: Vec<(String, Cell)> = vec![
            ("rows".into(), self.classes.total_rows().into()),
            ("classes coded".into(), if self.coding == Coding::ZeroOne { "1 and 0" } else { "+1 and −1" }.into()),
            ("penalty".into(), if self.account.l2 > 0.0 { format!("½ {} Σ β²", self.account.l2).into() } else { "none".into() }),
            ("solved by".into(), self.account.solver.as_str().into()),
        ];
        facts.extend(self.account.condition.map(|condition| ("condition number".into(), Cell::from(condition))));
        facts.push(("free parameters".into(), self.free_parameters().into()));
        facts.push(("scores".into(), "margins: calibrate them to have probabilities".into()));
        Card { title: "Least-squares classifier".into(), facts, tidy: tidy.into(), notices: self.notices(), ..Card::default() }
    }

    fn notices(&self) -> Vec<Notice> {
        self.account.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        self.part.record_of(NAME, VERSION, &self.account, &self.classes)
    }
}

impl Additive for LeastSquaresModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        let (classes, (start, factor)) = (self.part.outputs(), self.coded());
        let factors: Vec<f64> = (0..classes * classes).map(|at| if at / classes == at % classes { factor } else { 0.0 }).collect();
        self.part.contribute(rows, &vec![start; classes], &factors, out)
    }
}

pub(super) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    record.expect(NAME, VERSION)?;
    let account: Account = record.part("account")?;
    let part = LinearPart::read(record, |classes| classes)?;
    let coding = Coding::named(&account.coding).ok_or_else(|| fault("there is no such coding of classes"))?;
    if account.fitted > part.frame().width() || !account.l2.is_finite() {
        return Err(fault("it has more coefficients than columns, or a penalty that is no number"));
    }
    let classes = ClassWeights::read(record, part.frame().classes())?;
    Ok(Box::new(LeastSquaresModel { part, classes, coding, account }))
}
