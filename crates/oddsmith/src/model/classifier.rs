//! A fitted model.

use super::linear::LogisticModel;
use super::{Contributions, Decision, Generative, LinearLogOdds, Scores};
use crate::card::{Card, Table};
use crate::data::{Features, Layout};
use crate::error::Result;
use crate::notice::Notice;
use crate::record::Record;

/// What a score is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// log p(x, y): log-sum-exp over classes is log p(x).
    LogJoint,
    /// log p(y | x) up to a constant per row: normalising gives probabilities.
    LogPosterior,
}

/// A fitted model writes one method, `score`, and never sees labels. Everything else is about telling where the
/// scores come from.
pub trait Classifier: Send + Sync {
    /// What rows must look like.
    fn layout(&self) -> &Layout;

    /// The registry tag under which it is stored.
    fn tag(&self) -> &'static str;

    /// What its scores are.
    fn scale(&self) -> Scale;

    /// Writes one score per row and class. Missing values are integrated out.
    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()>;

    /// Writes scores that may lack an addend which all classes of a row share. Probabilities need no more, and some models
    /// give them at a fraction of the cost.
    fn score_relative(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.score(rows, out)
    }

    /// Splits every score into a prior and one addend per feature.
    fn evidence(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()>;

    /// The exact log-odds weights, when the model is linear in its log odds.
    fn linear(&self) -> Option<LinearLogOdds>;

    /// The model as a joint distribution, when it is one.
    fn generative(&self) -> Option<&dyn Generative>;

    /// How classes are called unless the caller says otherwise.
    fn decision(&self) -> Decision {
        Decision::MostProbable
    }

    /// The model as a regression with inference, when it is one.
    fn regression(&self) -> Option<&LogisticModel> {
        None
    }

    /// What there is to say about it. It lists all parameters: ask for [`Classifier::notices`] where these are enough.
    fn card(&self) -> Card;

    /// What the fit noticed.
    fn notices(&self) -> Vec<Notice>;

    /// The table that a person wants to see first, when it is not the table of all parameters.
    fn summary(&self) -> Option<Table> {
        None
    }

    /// Further tables, such as tests of terms.
    fn tables(&self) -> Vec<Table> {
        Vec::new()
    }

    /// The model as plain data.
    fn record(&self) -> Result<Record>;
}
