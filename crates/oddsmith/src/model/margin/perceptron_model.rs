//! A fitted perceptron. With two classes the score of the second is w0 + w·x and that of the first its negative; with more, every class has
//! a line of its own. Scores are margins.

use serde::{Deserialize, Serialize};

use super::perceptron::{NAME, Variant};
use crate::card::{Card, Cell, FixedTable, Table};
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

/// Whether a line tells two classes apart; of more classes, whether lines tell each of them from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every row is strictly on its side of some line.
    Separable,
    /// Some line has rows of both classes on it, and all others on their side.
    Touching,
    /// Every line has rows on the wrong side.
    Overlapping,
}

impl Verdict {
    /// On all outputs together: the worst of them. One that is not known leaves it open, unless another overlaps.
    pub(super) fn of_all(verdicts: &[Option<Verdict>]) -> Option<Self> {
        if verdicts.contains(&Some(Verdict::Overlapping)) {
            return Some(Verdict::Overlapping);
        }
        let touching = verdicts.contains(&Some(Verdict::Touching));
        let known = !verdicts.is_empty() && !verdicts.contains(&None);
        known.then_some(if touching { Verdict::Touching } else { Verdict::Separable })
    }
}

/// How the fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) variant: String,
    pub(super) missing: MissingPolicy,
    pub(super) epochs: u64,
    pub(super) converged: bool,
    /// Epoch by epoch, output by output.
    pub(super) mistakes: Vec<u64>,
    /// Largest |x|, with x0 = 1.
    pub(super) radius: f64,
    /// Margin of the last weights of every output, where no mistake is left.
    pub(super) margins: Vec<f64>,
    pub(super) verdict: Option<Verdict>,
    pub(super) notices: Vec<Notice>,
}

/// One line, or one per class.
#[derive(Debug, Clone, PartialEq)]
pub struct PerceptronModel {
    part: LinearPart,
    classes: ClassWeights,
    account: Account,
}

impl PerceptronModel {
    pub(super) fn new(part: LinearPart, classes: ClassWeights, account: Account) -> Self {
        PerceptronModel { part, classes, account }
    }

    /// Intercept and weights of an output.
    pub fn weights(&self, output: usize) -> Vec<f64> {
        std::iter::once(self.part.intercept(output)).chain(self.part.coefficients(output).iter().copied()).collect()
    }

    /// Mistakes by epoch, of all outputs together.
    pub fn mistakes(&self) -> Vec<u64> {
        self.account.mistakes.chunks(self.part.outputs()).map(|epoch| epoch.iter().sum()).collect()
    }

    /// Whether an epoch went by without a mistake.
    pub fn converged(&self) -> bool {
        self.account.converged
    }

    /// Whether lines tell the classes apart, where that was asked.
    pub fn verdict(&self) -> Option<Verdict> {
        self.account.verdict
    }

    /// How much of every output is in the score of every class.
    fn factors(&self) -> Vec<f64> {
        let outputs = self.part.outputs();
        match outputs {
            1 => vec![-1.0, 1.0],
            _ => (0..outputs * outputs).map(|at| f64::from(u8::from(at / outputs == at % outputs))).collect(),
        }
    }

    /// Novikoff's bound of the steps, with the margin of the last weights.
    fn bound(&self) -> Option<f64> {
        let margin = self.account.margins.iter().copied().reduce(f64::min)?;
        Some((self.account.radius / margin).powi(2)).filter(|bound| bound.is_finite())
    }

    fn outputs_named(&self) -> Vec<String> {
        let labels = self.layout().classes().labels();
        if self.part.outputs() == 1 { vec![labels[1].clone()] } else { labels.to_vec() }
    }

    fn epochs(&self) -> Table {
        let mut table = FixedTable::new("epochs", ["epoch", "mistakes"]);
        for (at, mistakes) in self.mistakes().into_iter().enumerate() {
            table.push([(at + 1).into(), mistakes.into()]);
        }
        table.into()
    }
}

impl Classifier for PerceptronModel {
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
        let (classes, count) = (self.layout().classes().len(), rows.rows());
        out.reset(count, &vec![0.0; classes]);
        let (values, scratch) = out.parts_mut();
        if self.part.outputs() > 1 {
            return self.part.score(rows, values);
        }
        scratch.block.clear();
        scratch.block.resize(count, 0.0);
        self.part.score(rows, &mut scratch.block)?;
        for (row, score) in values.chunks_exact_mut(2).zip(&scratch.block) {
            (row[0], row[1]) = (-score, *score);
        }
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Ok(self)
    }

    fn free_parameters(&self) -> usize {
        self.part.outputs() * (1 + self.part.frame().width())
    }

    fn card(&self) -> Card {
        let account = &self.account;
        let mut facts: Vec<(String, Cell)> = vec![
            ("rows".into(), self.classes.total_rows().into()),
            ("weights".into(), account.variant.as_str().into()),
            ("epochs".into(), account.epochs.into()),
            ("mistakes".into(), account.mistakes.iter().sum::<u64>().into()),
            ("mistakes in the last epoch".into(), self.mistakes().last().copied().unwrap_or_default().into()),
            ("converged".into(), if account.converged { "yes" } else { "no" }.into()),
        ];
        let verdict = match (account.converged, account.verdict) {
            (true, _) | (_, Some(Verdict::Separable)) => Some("yes"),
            (_, Some(Verdict::Touching)) => Some("no, but some line touches both classes and errs nowhere else"),
            (_, Some(Verdict::Overlapping)) => Some("no"),
            _ => None,
        };
        let asked = if self.part.outputs() == 1 { "a line tells the classes apart" } else { "lines tell every class from the others" };
        facts.extend(verdict.map(|verdict| (asked.into(), verdict.into())));
        facts.push(("radius".into(), account.radius.into()));
        let margin = account.margins.iter().copied().reduce(f64::min);
        facts.extend(margin.map(|margin| ("margin".into(), margin.into())));
        facts.extend(self.bound().map(|bound| ("bound of mistakes".into(), bound.into())));
        facts.push(("free parameters".into(), self.free_parameters().into()));
        facts.push(("scores".into(), "margins: calibrate them to have probabilities".into()));
        let tidy = self.part.tidy(&self.outputs_named(), (0.0, 1.0)).into();
        Card { title: "Perceptron".into(), facts, tidy, tables: vec![self.epochs()], notices: self.notices(), ..Card::default() }
    }

    fn notices(&self) -> Vec<Notice> {
        self.account.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        self.part.record_of(NAME, VERSION, &self.account, &self.classes)
    }
}

impl Additive for PerceptronModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        self.part.contribute(rows, &vec![0.0; self.layout().classes().len()], &self.factors(), out)
    }
}

pub(super) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    record.expect(NAME, VERSION)?;
    let account: Account = record.part("account")?;
    let part = LinearPart::read(record, |classes| if classes == 2 { 1 } else { classes })?;
    let outputs = part.outputs();
    let counted = !account.mistakes.is_empty() && account.mistakes.len().is_multiple_of(outputs);
    if Variant::named(&account.variant).is_none() || !counted || !(account.margins.is_empty() || account.margins.len() == outputs) {
        return Err(fault("what it says of its epochs is not as expected"));
    }
    let classes = ClassWeights::read(record, part.frame().classes())?;
    Ok(Box::new(PerceptronModel { part, classes, account }))
}
