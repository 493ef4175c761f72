//! A fitted linear discriminant.

use rand_core::Rng;

use super::describe::{self, Account};
use super::joint::{Joint, SUSPECT, Split};
use super::stored;
use crate::card::Card;
use crate::data::{Features, Layout};
use crate::error::Result;
use crate::model::term::{NumberTerm, Term};
use crate::model::{Additive, Classifier, Contributions, Generative, LinearLogOdds, Prepared, SampledRow, Scale, Scores};
use crate::notice::Notice;
use crate::num::kernel::{LinearScores, widest};
use crate::record::Record;

/// Classes that share a covariance matrix: log odds are linear, unless parameters are integrated out.
///
/// `evidence` splits a score into log p(y) and one addend per column: w_kj (x_j − (m_kj + c_j)/2), the log odds of class k
/// against a Gaussian at the mean c of the class means, plus a part that all classes share. With two classes c is the
/// midpoint and the difference of addends is w_j (x_j − midpoint_j). When parameters are integrated out it is the chain
/// rule log p(x_j | earlier columns, k), which depends on the order of the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct LdaModel {
    pub(super) joint: Joint,
    pub(super) account: Account,
    linear_kernel: Prepared<Option<LinearScores>>,
}

impl LdaModel {
    pub(super) fn new(joint: Joint, account: Account) -> Self {
        LdaModel { joint, account, linear_kernel: Prepared::default() }
    }

    /// The scores up to what all classes share, when every column takes part and parameters are plugged in.
    fn linear_scores(&self) -> Option<LinearScores> {
        let (complete, parameters) = (&self.joint.complete, &self.joint.parameters);
        if self.account.predictive || !complete.columns.iter().copied().eq(0..parameters.layout.numbers().len()) {
            return None;
        }
        let by_class = &complete.weights;
        let mut intercepts = parameters.log_prior.clone();
        for (k, intercept) in intercepts.iter_mut().enumerate() {
            *intercept -= 0.5 * by_class[k].iter().zip(&complete.offsets[k]).map(|(w, d)| w * d).sum::<f64>();
        }
        let weights: Vec<f64> =
            by_class.iter().flat_map(|of_class| of_class.iter().zip(&complete.inverse_scale).map(|(w, s)| w * s)).collect();
        Some(LinearScores::new(&intercepts, &weights, &complete.centre))
    }

    /// Mean of number column `position` (in the order of the layout's numbers) in class `k`.
    pub fn mean(&self, k: usize, position: usize) -> Option<f64> {
        self.joint.parameters.mean(k, position)
    }

    /// Shared covariance of two number columns; zero where one of them is constant.
    pub fn covariance(&self, left: usize, right: usize) -> f64 {
        self.joint.parameters.covariance(0, left, right)
    }
}

impl Classifier for LdaModel {
    fn layout(&self) -> &Layout {
        &self.joint.parameters.layout
    }

    fn tag(&self) -> &'static str {
        "lda"
    }

    fn scale(&self) -> Scale {
        Scale::LogJoint
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.joint.score(rows, out)
    }

    /// The quadratic part is the same for all classes: log odds are linear.
    fn score_relative(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        let kernel = self.linear_kernel.get(|| self.linear_scores());
        let (Some(kernel), true) = (kernel, rows.numbers.cols() == self.joint.complete.width()) else {
            return self.score(rows, out);
        };
        rows.check(self.layout())?;
        out.reset(rows.rows(), &self.joint.parameters.log_prior);
        let (values, scratch) = out.parts_mut();
        kernel.score(rows.numbers, &mut scratch.panel, values);
        let classes = self.joint.parameters.log_prior.len();
        // Hardly any block has a suspect, and one look at all of its scores is quicker than one at every row.
        let sound = widest(
            #[inline(always)]
            || values.iter().fold(true, |all, score| all & (score.abs() <= SUSPECT)),
        );
        if sound {
            return Ok(());
        }
        let suspect = |scores: &[f64]| !scores.iter().all(|score| score.abs() <= SUSPECT);
        let suspects = values.chunks_exact(classes).enumerate().filter(|(_, scores)| suspect(scores)).map(|(i, _)| i).collect();
        self.joint.score_carefully(rows, suspects, out)
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Ok(self)
    }

    /// Exact for rows without gaps: what a missing column says through its correlations is not linear in the others' weights.
    fn linear(&self) -> Option<LinearLogOdds> {
        if self.account.predictive {
            return None;
        }
        let (complete, parameters) = (&self.joint.complete, &self.joint.parameters);
        let by_class = &complete.weights;
        let (mut weights, mut base) = (Vec::new(), Vec::new());
        for (at, &j) in complete.members.iter().enumerate() {
            for (k, of_class) in by_class.iter().enumerate() {
                weights.push(of_class[at] * complete.inverse_scale[at]);
                base.push(-0.5 * of_class[at] * parameters.offsets[k][j]);
            }
        }
        let term = NumberTerm { columns: complete.columns.clone(), centre: complete.centre.clone(), base, weights };
        LinearLogOdds::new(&parameters.log_prior, &[Term::Numbers(term)])
    }

    fn shows_every_cell(&self) -> bool {
        self.linear().is_some_and(|line| line.weights(self.layout()).len() == self.layout().features().len() + 1)
    }

    fn generative(&self) -> Option<&dyn Generative> {
        Some(self)
    }

    fn free_parameters(&self) -> usize {
        self.joint.free_parameters()
    }

    fn card(&self) -> Card {
        describe::card("Linear discriminant analysis", &self.joint, &self.account)
    }

    fn notices(&self) -> Vec<Notice> {
        self.account.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        stored::record(self.tag(), &self.joint, &self.account)
    }
}

impl Additive for LdaModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        let split = if self.account.predictive { Split::Chain } else { Split::Linear };
        self.joint.contribute(rows, split, out)
    }
}

impl Generative for LdaModel {
    fn log_prior(&self) -> &[f64] {
        &self.joint.parameters.log_prior
    }

    fn with_log_prior(&self, log_prior: Vec<f64>) -> Box<dyn Classifier> {
        let account = self.account.with_log_prior(&log_prior, &self.joint.parameters.classes.weight);
        Box::new(LdaModel::new(self.joint.with_log_prior(log_prior), account))
    }

    fn sample(&self, k: usize, random: &mut dyn Rng) -> Result<SampledRow> {
        self.joint.sample(k, random)
    }

    fn log_marginal_likelihood(&self) -> Option<f64> {
        self.account.log_marginal_likelihood()
    }
}
