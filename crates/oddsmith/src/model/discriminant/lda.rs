//! A fitted linear discriminant.

use rand_core::Rng;

use super::describe::{self, Account};
use super::joint::{Joint, SUSPECT, Split};
use super::stored;
use crate::card::Card;
use crate::data::{Dummies, Features, Layout};
use crate::error::{Error, Result};
use crate::model::term::{LevelTerm, NumberTerm, Term};
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
    /// A covariance to show, row after row over all number columns, where it is not that of the densities.
    pub(super) shown: Option<Vec<f64>>,
    linear_kernel: Prepared<Option<LinearScores>>,
}

impl LdaModel {
    pub(super) fn new(joint: Joint, account: Account) -> Self {
        LdaModel { joint, account, shown: None, linear_kernel: Prepared::default() }
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

    /// The model with a covariance to show beside the one that its densities have: that of the classes weighed by a given prior, say.
    /// It stays with the model in its file.
    pub fn showing(self, covariance: Vec<f64>) -> Result<Self> {
        let width = self.joint.parameters.layout.numbers().len();
        match covariance.len() == width * width && covariance.iter().all(|cell| cell.is_finite()) {
            true => Ok(LdaModel { shown: Some(covariance), ..self }),
            false => Err(Error::option("covariance", "…", format!("{width} × {width} finite numbers"))),
        }
    }

    /// Scores rows of numbers by the straight line behind them.
    fn score_line(&self, kernel: &LinearScores, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
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

    /// Addends of levels and weights of numbers, where categories are 0/1 columns: the reference level adds nothing, so what it adds is
    /// part of the intercepts.
    fn terms_with_levels(&self, dummies: &Dummies, term: &NumberTerm) -> (Vec<f64>, [Term; 2]) {
        let (layout, classes) = (dummies.layout(), self.joint.parameters.log_prior.len());
        let mut intercepts = self.joint.parameters.log_prior.clone();
        let mut offsets = vec![0];
        layout.level_counts().iter().for_each(|levels| offsets.push(offsets[offsets.len() - 1] + levels));
        let mut table = vec![0.0; offsets[offsets.len() - 1] * classes];
        let mut numbers = NumberTerm { columns: Vec::new(), centre: Vec::new(), base: Vec::new(), weights: Vec::new() };
        for (at, &column) in term.columns.iter().enumerate() {
            let (weights, base) = (&term.weights[at * classes..(at + 1) * classes], &term.base[at * classes..(at + 1) * classes]);
            if let Some((plane, level)) = dummies.level(column) {
                let cell = (offsets[plane] + level as usize) * classes;
                for k in 0..classes {
                    intercepts[k] += base[k] - weights[k] * term.centre[at];
                    table[cell + k] += weights[k];
                }
            } else {
                numbers.columns.extend(dummies.number(column));
                numbers.centre.push(term.centre[at]);
                numbers.base.extend(base);
                numbers.weights.extend(weights);
            }
        }
        let levels = LevelTerm { columns: (0..layout.codes().len()).collect(), offsets, table, kernel: Prepared::default() };
        (intercepts, [Term::Numbers(numbers), Term::Levels(levels)])
    }

    /// Mean of number column `position` in class `k`. Columns stand in the order of the layout, categories as their 0/1 columns.
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
        self.joint.parameters.rows_layout()
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
        self.joint.with_numbers(rows, |rows| match self.linear_kernel.get(|| self.linear_scores()) {
            Some(kernel) => self.score_line(kernel, rows, out),
            None => self.joint.score_numbers(rows, out),
        })
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
        match &parameters.dummies {
            None => LinearLogOdds::new(&parameters.log_prior, &[Term::Numbers(term)]),
            Some(dummies) => {
                let (intercepts, terms) = self.terms_with_levels(dummies, &term);
                LinearLogOdds::new(&intercepts, &terms)
            }
        }
    }

    fn shows_every_cell(&self) -> bool {
        let plain = self.joint.parameters.dummies.is_none();
        plain && self.linear().is_some_and(|line| line.weights(self.layout()).len() == self.layout().features().len() + 1)
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
        let mut record = stored::record(self.tag(), &self.joint, &self.account)?;
        self.shown.iter().for_each(|covariance| record.put("covariance.shown", covariance));
        Ok(record)
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
