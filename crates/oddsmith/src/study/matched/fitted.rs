//! All that is estimated and tested of a conditional fit.

use super::super::estimate::{ChiSquared, two_sided_z};
use super::procedure::ConditionalLogit;
use super::search::{Answer, Oracle, Stop, independent_columns};
use crate::data::Design;
use crate::num::special::normal;

/// One coefficient.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coefficient {
    pub(super) column: usize,
    pub(super) estimate: f64,
    pub(super) error: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether an end of its profile was not found.
    pub(super) lost: bool,
}

impl Coefficient {
    pub(super) fn z(&self) -> f64 {
        self.estimate / self.error
    }

    pub(super) fn p_value(&self) -> f64 {
        normal::two_sided(self.z())
    }
}

/// The fit.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub(super) coefficients: Vec<Coefficient>,
    /// Columns without a coefficient, and whether they are constant within all sets.
    pub(super) left_out: Vec<(usize, bool)>,
    pub(super) log_likelihood: f64,
    pub(super) null_log_likelihood: f64,
    pub(super) likelihood_ratio: ChiSquared,
    pub(super) wald: ChiSquared,
    pub(super) score: ChiSquared,
    /// Likelihood-ratio tests of terms.
    pub(super) terms: Vec<(String, ChiSquared)>,
    pub(super) steps: u64,
    /// Whether the likelihood has Firth's penalty.
    pub(super) firth: bool,
    /// The direction along which the likelihood as it is has no maximum, where the penalty was taken for that, and whether separation is complete.
    pub(super) rescued: Option<(Vec<f64>, bool)>,
}

impl Fitted {
    /// The program of the search: every `?` may be a point that has no answer yet.
    pub(super) fn run(options: &ConditionalLogit, firth: bool, design: &Design, oracle: &Oracle<'_>) -> Result<Fitted, Stop> {
        let columns = design.columns().len();
        let (free, left_out) = independent_columns(&*oracle.null(columns)?);
        let penalty = firth.then(|| free.clone());
        let oracle = &Oracle { answers: oracle.answers, penalty };
        let null = oracle.null(columns)?;
        let best = oracle.maximum(&null.theta, &free)?;
        let Some(covariance) = best.answer.covariance(&free) else { return Err(Stop::Lost) };
        let covariance = if options.robust {
            let scores = nalgebra::DMatrix::from_fn(free.len(), free.len(), |a, b| best.answer.scores[free[a] * columns + free[b]]);
            &covariance * scores * &covariance
        } else {
            covariance
        };
        let (z, theta) = (two_sided_z(options.level), &best.answer.theta);
        let mut coefficients = Vec::new();
        for (at, &column) in free.iter().enumerate() {
            let (estimate, error) = (theta[column], covariance[(at, at)].sqrt());
            let mut found = Coefficient { column, estimate, error, low: estimate - z * error, high: estimate + z * error, lost: false };
            if options.profile {
                found.low = end(oracle.profile_end(&best.answer, &free, column, z, error, -1.0), &mut found.lost)?;
                found.high = end(oracle.profile_end(&best.answer, &free, column, z, error, 1.0), &mut found.lost)?;
            }
            coefficients.push(found);
        }
        let df = free.len();
        let estimates = nalgebra::DVector::from_iterator(df, free.iter().map(|k| theta[*k]));
        let wald = covariance.clone().cholesky().map_or(f64::NAN, |factor| factor.solve(&estimates).dot(&estimates));
        let mut terms = Vec::new();
        if options.tests && design.terms().len() > 1 {
            for (at, term) in design.terms().iter().enumerate().filter(|(at, _)| !design.is_marginal(*at)) {
                let rest: Vec<usize> = design.columns_without(at).into_iter().filter(|k| free.contains(k)).collect();
                let dropped = df - rest.len();
                if dropped > 0 {
                    let without = oracle.maximum(&null.theta, &rest)?;
                    let statistic = 2.0 * (best.answer.value - without.answer.value);
                    terms.push((term.label.clone(), ChiSquared::new(statistic.max(0.0), dropped)));
                }
            }
        }
        Ok(Fitted {
            coefficients,
            left_out,
            log_likelihood: best.answer.value,
            null_log_likelihood: null.value,
            likelihood_ratio: ChiSquared::new(2.0 * (best.answer.value - null.value), df),
            wald: ChiSquared::new(wald, df),
            score: ChiSquared::new(null.score_statistic(&free), df),
            terms,
            steps: best.steps,
            firth,
            rescued: None,
        })
    }
}

/// The points from which the search for the maximum went on, as far as the answers reach: columns with a coefficient, −log likelihood, slopes.
pub(super) fn steps(options: &ConditionalLogit, columns: usize, oracle: &Oracle<'_>) -> Vec<(Vec<usize>, Answer)> {
    let Ok(null) = oracle.null(columns) else { return Vec::new() };
    let (free, _) = independent_columns(&null);
    let oracle = Oracle { answers: oracle.answers, penalty: options.firth.then(|| free.clone()) };
    let mut seen = Vec::new();
    // A search that is under way, or has no end, has made the steps that it has made.
    drop(oracle.climb(&vec![0.0; columns], &free, &mut |answer| seen.push((free.clone(), answer.clone()))));
    seen
}

/// An end of a profile, or the sign that there is none.
fn end(found: Result<f64, Stop>, lost: &mut bool) -> Result<f64, Stop> {
    match found {
        Err(Stop::Lost | Stop::Separated(..)) => {
            *lost = true;
            Ok(f64::NAN)
        }
        other => other,
    }
}
