//! A fitted quadratic discriminant.

use rand_core::Rng;

use super::describe::{self, Account};
use super::joint::{Joint, Split};
use super::stored;
use crate::card::Card;
use crate::data::{Features, Layout};
use crate::error::Result;
use crate::model::{Additive, Classifier, Contributions, Generative, LinearLogOdds, SampledRow, Scale, Scores};
use crate::notice::Notice;
use crate::record::Record;

/// Classes with covariance matrices of their own: boundaries are quadratic.
///
/// `evidence` splits a score by the chain rule: the addend of column j is log p(x_j | earlier columns, k), so it depends on
/// the order of the columns; their sum does not.
#[derive(Debug, Clone, PartialEq)]
pub struct QdaModel {
    pub(super) joint: Joint,
    pub(super) account: Account,
}

impl QdaModel {
    pub(super) fn new(joint: Joint, account: Account) -> Self {
        QdaModel { joint, account }
    }

    /// Mean of number column `position` in class `k`. Columns stand in the order of the layout, categories as their 0/1 columns.
    pub fn mean(&self, k: usize, position: usize) -> Option<f64> {
        self.joint.parameters.mean(k, position)
    }

    /// Covariance of two number columns in class `k`; zero where one of them is constant.
    pub fn covariance(&self, k: usize, left: usize, right: usize) -> f64 {
        self.joint.parameters.covariance(k, left, right)
    }
}

impl Classifier for QdaModel {
    fn layout(&self) -> &Layout {
        self.joint.parameters.rows_layout()
    }

    fn tag(&self) -> &'static str {
        "qda"
    }

    fn scale(&self) -> Scale {
        Scale::LogJoint
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.joint.score(rows, out)
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Ok(self)
    }

    fn linear(&self) -> Option<LinearLogOdds> {
        None
    }

    fn generative(&self) -> Option<&dyn Generative> {
        Some(self)
    }

    fn free_parameters(&self) -> usize {
        self.joint.free_parameters()
    }

    fn card(&self) -> Card {
        describe::card("Quadratic discriminant analysis", &self.joint, &self.account)
    }

    fn notices(&self) -> Vec<Notice> {
        self.account.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        stored::record(self.tag(), &self.joint, &self.account)
    }
}

impl Additive for QdaModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        self.joint.contribute(rows, Split::Chain, out)
    }
}

impl Generative for QdaModel {
    fn log_prior(&self) -> &[f64] {
        &self.joint.parameters.log_prior
    }

    fn with_log_prior(&self, log_prior: Vec<f64>) -> Box<dyn Classifier> {
        let account = self.account.with_log_prior(&log_prior, &self.joint.parameters.classes.weight);
        Box::new(QdaModel { joint: self.joint.with_log_prior(log_prior), account })
    }

    fn sample(&self, k: usize, random: &mut dyn Rng) -> Result<SampledRow> {
        self.joint.sample(k, random)
    }

    fn log_marginal_likelihood(&self) -> Option<f64> {
        self.account.log_marginal_likelihood()
    }
}
