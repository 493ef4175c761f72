//! A logistic regression on one number: log odds of the event = a + b·s, by maximum likelihood.
//!
//! With s the log odds of a model this is Platt's calibration, and its estimates are the calibration intercept and
//! slope. In one dimension the maximum exists exactly when neither class lies wholly on one side of the other, which is
//! decided before the first step. Scores are centred and scaled first, so their unit does not matter. Time O(n) per step.

use std::fmt;

use super::newton::{Row, minimise};
use crate::num::logspace::NeumaierSum;

/// Rows with one score: the weights of those with the event and of the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcomes {
    /// The score.
    pub score: f64,
    /// Weight of the rows with the event.
    pub events: f64,
    /// Weight of the other rows.
    pub others: f64,
}

/// The fitted line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogitLine {
    /// a.
    pub intercept: f64,
    /// b.
    pub slope: f64,
    /// Variance of a, covariance, variance of b: the inverse of the observed information.
    pub covariance: [f64; 3],
}

/// Why there is no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLine {
    /// All rows have the event, or none has it.
    OneClass,
    /// A score is infinite or not a number.
    NotFinite,
    /// Every row has the same score.
    Constant,
    /// A threshold on the score tells the classes apart, so the slope has no finite estimate.
    Separated,
    /// Higher scores go with fewer events, so no rising map fits.
    Falling,
    /// Rounding kept the steps from converging.
    NoConvergence,
}

impl fmt::Display for NoLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoLine::OneClass => "there is only one class",
            NoLine::NotFinite => "a probability of exactly 0 or 1 has infinite log odds",
            NoLine::Constant => "all scores are equal",
            NoLine::Separated => "a threshold separates the classes, so the slope is infinite",
            NoLine::Falling => "higher scores go with fewer events",
            NoLine::NoConvergence => "the estimate did not converge",
        })
    }
}

/// Groups of neighbouring points on which the search starts.
const MOST_GROUPS: usize = 2048;

impl LogitLine {
    /// The line with the largest likelihood.
    pub fn fit(points: &[Outcomes]) -> Result<Self, NoLine> {
        let (centre, scale) = checked(points)?;
        let row =
            |point: &Outcomes| Row { x: [1.0, (point.score - centre) / scale], offset: 0.0, events: point.events, others: point.others };
        // Most steps are taken on groups of neighbours, the last few on all points.
        let groups = grouped(points);
        let start = match groups.len() < points.len() {
            true => minimise(groups.iter().map(row), [0.0; 2]).map_or([0.0; 2], |(near, _)| near),
            false => [0.0; 2],
        };
        let ([a, b], hessian) = minimise(points.iter().map(row), start).ok_or(NoLine::NoConvergence)?;
        let inverse = hessian.try_inverse().ok_or(NoLine::NoConvergence)?;
        // h = a + b (s − c)/u, so the slope is b/u and the intercept a − c b/u.
        let (vaa, vab, vbb) = (inverse[(0, 0)], inverse[(0, 1)], inverse[(1, 1)]);
        let shift = centre / scale;
        let covariance = [vaa - 2.0 * shift * vab + shift * shift * vbb, (vab - shift * vbb) / scale, vbb / (scale * scale)];
        Ok(LogitLine { intercept: a - shift * b, slope: b / scale, covariance })
    }

    /// The intercept with the slope held at 1, and its variance: by how much log odds are off on the whole.
    pub fn intercept_alone(points: &[Outcomes]) -> Result<(f64, f64), NoLine> {
        match checked(points) {
            Ok(_) | Err(NoLine::Constant | NoLine::Separated) => {}
            Err(other) => return Err(other),
        }
        let row = |point: &Outcomes| Row { x: [1.0], offset: point.score, events: point.events, others: point.others };
        let ([a], hessian) = minimise(points.iter().map(row), [0.0]).ok_or(NoLine::NoConvergence)?;
        Ok((a, 1.0 / hessian[(0, 0)]))
    }

    /// The log odds that the line gives to a score.
    pub fn apply(&self, score: f64) -> f64 {
        self.intercept + self.slope * score
    }
}

/// Neighbouring points together, at their mean score.
fn grouped(points: &[Outcomes]) -> Vec<Outcomes> {
    let merged = |group: &[Outcomes]| {
        let sum = |of: fn(&Outcomes) -> f64| group.iter().map(of).sum::<f64>();
        let (events, others) = (sum(|p| p.events), sum(|p| p.others));
        let scores: f64 = group.iter().filter(|p| p.events + p.others > 0.0).map(|p| p.score * (p.events + p.others)).sum();
        Outcomes { score: if events + others > 0.0 { scores / (events + others) } else { 0.0 }, events, others }
    };
    points.chunks(points.len().div_ceil(MOST_GROUPS).max(1)).map(merged).collect()
}

/// Centre and scale of the scores, where an estimate exists.
fn checked(points: &[Outcomes]) -> Result<(f64, f64), NoLine> {
    let counted = || points.iter().filter(|point| point.events > 0.0 || point.others > 0.0);
    if counted().any(|point| !point.score.is_finite()) {
        return Err(NoLine::NotFinite);
    }
    let (events, others) = counted().fold((0.0, 0.0), |(e, o), point| (e + point.events, o + point.others));
    if !(events > 0.0 && others > 0.0) {
        return Err(NoLine::OneClass);
    }
    let range = |has: fn(&&Outcomes) -> bool| {
        counted().filter(has).fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| (lo.min(p.score), hi.max(p.score)))
    };
    let (event_range, other_range) = (range(|p| p.events > 0.0), range(|p| p.others > 0.0));
    let (lo, hi) = (event_range.0.min(other_range.0), event_range.1.max(other_range.1));
    if lo == hi {
        return Err(NoLine::Constant);
    }
    if event_range.0 >= other_range.1 || other_range.0 >= event_range.1 {
        return Err(NoLine::Separated);
    }
    let (mut sum, mut squares) = (NeumaierSum::default(), NeumaierSum::default());
    counted().for_each(|p| sum.add((p.events + p.others) * (p.score - lo)));
    let centre = lo + sum.value() / (events + others);
    counted().for_each(|p| squares.add((p.events + p.others) * (p.score - centre).powi(2)));
    Ok((centre, (squares.value() / (events + others)).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::logspace::sigmoid;

    fn points(rows: &[(f64, f64, f64)]) -> Vec<Outcomes> {
        rows.iter().map(|&(score, events, others)| Outcomes { score, events, others }).collect()
    }

    #[test]
    fn two_scores_give_the_log_odds_of_each() {
        // With two distinct scores the line passes through both observed log odds.
        let line = LogitLine::fit(&points(&[(-1.0, 2.0, 6.0), (3.0, 5.0, 1.0)])).unwrap();
        let (low, high) = ((2.0f64 / 6.0).ln(), 5.0f64.ln());
        assert!((line.apply(-1.0) - low).abs() < 1e-12 && (line.apply(3.0) - high).abs() < 1e-12);
        // The variance of a log odds is 1/events + 1/others.
        let [vaa, vab, vbb] = line.covariance;
        assert!((vaa - 2.0 * vab + vbb - (1.0 / 2.0 + 1.0 / 6.0)).abs() < 1e-10);
        assert!((vaa + 6.0 * vab + 9.0 * vbb - (1.0 / 5.0 + 1.0)).abs() < 1e-10);
    }

    #[test]
    fn units_and_offsets_do_not_matter() {
        let rows = [(-1.0, 2.0, 6.0), (0.5, 3.0, 3.0), (3.0, 5.0, 1.0)];
        let plain = LogitLine::fit(&points(&rows)).unwrap();
        let moved: Vec<_> = rows.iter().map(|&(s, e, o)| (1e6 + 1e-3 * s, e, o)).collect();
        let line = LogitLine::fit(&points(&moved)).unwrap();
        assert!((line.slope * 1e-3 - plain.slope).abs() < 1e-6 * plain.slope);
    }

    #[test]
    fn what_has_no_estimate_says_why() {
        let fault = |rows: &[(f64, f64, f64)]| LogitLine::fit(&points(rows)).unwrap_err();
        assert_eq!(fault(&[]), NoLine::OneClass);
        assert_eq!(fault(&[(1.0, 3.0, 0.0), (2.0, 1.0, 0.0)]), NoLine::OneClass);
        assert_eq!(fault(&[(1.0, 3.0, 2.0)]), NoLine::Constant);
        assert_eq!(fault(&[(1.0, 0.0, 2.0), (2.0, 3.0, 0.0)]), NoLine::Separated);
        assert_eq!(fault(&[(1.0, 0.0, 2.0), (2.0, 3.0, 1.0)]), NoLine::Separated);
        assert_eq!(fault(&[(2.0, 0.0, 2.0), (1.0, 3.0, 0.0)]), NoLine::Separated);
        assert_eq!(fault(&[(f64::INFINITY, 1.0, 2.0), (1.0, 3.0, 1.0)]), NoLine::NotFinite);
        assert!(LogitLine::fit(&points(&[(1.0, 1.0, 2.0), (2.0, 3.0, 1.0), (f64::INFINITY, 0.0, 0.0)])).is_ok());
    }

    #[test]
    fn the_intercept_alone_brings_the_mean_to_the_observed_rate() {
        let rows = points(&[(-1.0, 2.0, 6.0), (0.5, 3.0, 3.0), (3.0, 5.0, 1.0)]);
        let (a, variance) = LogitLine::intercept_alone(&rows).unwrap();
        let expected: f64 = rows.iter().map(|p| (p.events + p.others) * sigmoid(p.score + a)).sum();
        assert!((expected - 10.0).abs() < 1e-10 && variance > 0.0);
        assert!(LogitLine::intercept_alone(&points(&[(1.0, 0.0, 2.0), (2.0, 3.0, 0.0)])).is_ok());
    }
}
