//! Calibration as two figures: log odds of the event = a + b · predicted log odds.
//!
//! The slope b is 1 for calibrated probabilities, below 1 for overconfident ones. The intercept is reported with the slope
//! held at 1 (calibration in the large): positive when events are more frequent than predicted. Both come from maximum
//! likelihood with Wald intervals.

use super::metric::{Estimate, Metric, Undefined};
use super::ranking::{Ranking, ScoreScale};
use crate::calibrate::{LogitLine, NoLine, Outcomes};
use crate::data::Weighting;

/// Intercept and slope.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationLine {
    /// Log odds by which predictions are off on the whole.
    pub intercept: Metric,
    /// By how much predicted log odds are to be multiplied.
    pub slope: Metric,
}

impl CalibrationLine {
    /// The line of a ranking by log odds or probabilities.
    pub fn of(ranking: &Ranking, weighting: Weighting) -> Self {
        if ranking.scale() == ScoreScale::Order {
            let reason = || Undefined::from("the scores are no probabilities");
            return CalibrationLine { intercept: Err(reason()), slope: Err(reason()) };
        }
        let points = Points::of(ranking, weighting);
        let intercept = points.intercept_alone().map(|(a, variance)| Estimate::normal(a, variance, EVERYWHERE));
        CalibrationLine { intercept: intercept.map_err(undefined), slope: points.slope() }
    }

    /// The slope alone.
    pub fn slope(ranking: &Ranking, weighting: Weighting) -> Metric {
        match ranking.scale() {
            ScoreScale::Order => Err("the scores are no probabilities".into()),
            _ => Points::of(ranking, weighting).slope(),
        }
    }
}

const EVERYWHERE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

fn undefined(why: NoLine) -> Undefined {
    Undefined(why.to_string())
}

/// The rows of a ranking by their log odds: where those are the scores, nothing is copied.
enum Points<'a> {
    Scores(&'a Ranking, f64),
    Converted(Vec<Outcomes>),
}

impl<'a> Points<'a> {
    fn of(ranking: &'a Ranking, weighting: Weighting) -> Self {
        let unit = evidence_per_weight(ranking, weighting);
        match ranking.scale() {
            ScoreScale::Probability => Points::Converted(entries(ranking, unit, |score| ranking.scale().log_odds(score)).collect()),
            _ => Points::Scores(ranking, unit),
        }
    }

    fn slope(&self) -> Metric {
        let line = match self {
            Points::Scores(ranking, unit) => LogitLine::fit_to(entries(ranking, *unit, |score| score)),
            Points::Converted(points) => LogitLine::fit(points),
        };
        line.map(|line| Estimate::normal(line.slope, line.covariance[2], EVERYWHERE)).map_err(undefined)
    }

    fn intercept_alone(&self) -> Result<(f64, f64), NoLine> {
        match self {
            Points::Scores(ranking, unit) => LogitLine::intercept_alone_of(entries(ranking, *unit, |score| score)),
            Points::Converted(points) => LogitLine::intercept_alone(points),
        }
    }
}

fn entries<'a>(ranking: &'a Ranking, unit: f64, log_odds: impl Fn(f64) -> f64 + Clone + 'a) -> impl Iterator<Item = Outcomes> + Clone + 'a {
    ranking.entries().map(move |(score, events, others)| Outcomes { score: log_odds(score), events: unit * events, others: unit * others })
}

/// How many rows a unit of weight is worth as evidence: one, unless weights say how much of a population a row stands for.
pub(super) fn evidence_per_weight(ranking: &Ranking, weighting: Weighting) -> f64 {
    match weighting {
        Weighting::Sampling => weighting.effective_rows(ranking.weight(), ranking.squared_weight()) / ranking.weight(),
        _ => 1.0,
    }
}
