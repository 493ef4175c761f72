//! A fitted model.

use super::{Additive, Decision, Evidence, EvidenceOf, Generative, Inference, LinearLogOdds, Neighbours, Paths, RowLimits, Scores};
use crate::card::Card;
use crate::data::{Features, Layout};
use crate::error::{ErrorKind, Result};
use crate::notice::Notice;
use crate::record::Record;

/// What a score is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// log p(x, y): log-sum-exp over classes is log p(x).
    LogJoint,
    /// log p(y | x) up to a constant per row: normalising gives probabilities.
    LogPosterior,
    /// How far a row lies on the side of a class: it ranks rows and calls classes, and is no probability until it is calibrated.
    Margin,
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

    /// The addends of its scores; an error that says why where scores are no sums over features.
    fn contributions(&self) -> Result<&dyn Additive> {
        Err(ErrorKind::Unsupported {
            model: self.card().title,
            what: "split its scores into addends".into(),
            advice: "its scores are no sums over columns".into(),
        }
        .into())
    }

    /// The exact log-odds weights, when the model is linear in its log odds.
    fn linear(&self) -> Option<LinearLogOdds> {
        None
    }

    /// The model as a joint distribution, when it is one.
    fn generative(&self) -> Option<&dyn Generative> {
        None
    }

    /// What it knows about the errors of its estimates, where it knows something.
    fn inference(&self) -> Option<&dyn Inference> {
        None
    }

    /// How sure it is of the log odds of rows, where it knows.
    fn limits(&self) -> Option<&dyn RowLimits> {
        None
    }

    /// The evidence p(data), for models whose parameters are integrated out.
    fn evidence(&self) -> Option<Evidence> {
        let ln = self.generative()?.log_marginal_likelihood()?;
        Some(Evidence { ln, of: EvidenceOf::Joint, is_laplace: false })
    }

    /// The rows that answer for a row, when the model keeps rows.
    fn neighbours(&self) -> Option<&dyn Neighbours> {
        None
    }

    /// The ways of rows through trees, when the model has trees.
    fn paths(&self) -> Option<&dyn Paths> {
        None
    }

    /// Whether a cell that is no number always shows in the scores, so that nobody has to look for it before.
    fn shows_every_cell(&self) -> bool {
        false
    }

    /// How classes are called unless the caller says otherwise.
    fn decision(&self) -> Decision {
        Decision::MostProbable
    }

    /// How many numbers tell the model from others of its kind. Class proportions and shares that add up to one count without the last; parameters
    /// count alike whether they were learned, given, or integrated out.
    fn free_parameters(&self) -> usize;

    /// What there is to say about it. It lists all parameters: ask for [`Classifier::notices`] where these are enough.
    fn card(&self) -> Card;

    /// What the fit noticed.
    fn notices(&self) -> Vec<Notice>;

    /// The model as plain data.
    fn record(&self) -> Result<Record>;
}
