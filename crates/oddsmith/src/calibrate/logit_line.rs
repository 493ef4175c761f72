//! A logistic regression on one number: log odds of the event = a + b·s, by maximum likelihood.
//!
//! With s the log odds of a model this is Platt's calibration, and its estimates are the calibration intercept and
//! slope. In one dimension the maximum exists exactly when neither class lies wholly on one side of the other, which is
//! decided before the first step. Scores are centred and scaled first, so their unit does not matter. Time O(n) per step.

use std::fmt;

use nalgebra::{SMatrix, SVector};

use super::newton::{Row, minimise, value};

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

impl Outcomes {
    fn weight(&self) -> f64 {
        self.events + self.others
    }
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

/// Groups of neighbouring points on which the search runs where there are many more points.
const MOST_GROUPS: usize = 1 << 14;
/// Newton decrement per unit of weight from which one more step leaves an error of its square.
const NEAR: f64 = 1e-13;

impl LogitLine {
    /// The line with the largest likelihood.
    pub fn fit(points: &[Outcomes]) -> Result<Self, NoLine> {
        LogitLine::fit_to(points.iter().copied())
    }

    /// The line of points that can be gone through again. Many points are first taken in groups of neighbours; from the groups' estimate
    /// a single step over all points is as good as exact.
    pub fn fit_to(points: impl Iterator<Item = Outcomes> + Clone) -> Result<Self, NoLine> {
        let seen = Seen::of(points.clone())?;
        let groups = grouped(points.clone(), seen.count);
        let (centre, scale) = centre_and_scale(&groups, &seen);
        let row =
            |point: Outcomes| Row { x: [1.0, (point.score - centre) / scale], offset: 0.0, events: point.events, others: point.others };
        let of_groups = || groups.iter().copied().map(row);
        let few = groups.len() == seen.count;
        let start = if few { None } else { minimise(of_groups(), [0.0; 2]) };
        let ([a, b], hessian) = match start {
            Some((near, groups_hessian)) => one_step(points.clone().map(row), of_groups(), near, groups_hessian, seen.weight())
                .or_else(|| minimise(points.map(row), near)),
            None => minimise(points.map(row), [0.0; 2]),
        }
        .ok_or(NoLine::NoConvergence)?;
        let inverse = hessian.try_inverse().ok_or(NoLine::NoConvergence)?;
        // h = a + b (s − c)/u, so the slope is b/u and the intercept a − c b/u.
        let (vaa, vab, vbb) = (inverse[(0, 0)], inverse[(0, 1)], inverse[(1, 1)]);
        let shift = centre / scale;
        let covariance = [vaa - 2.0 * shift * vab + shift * shift * vbb, (vab - shift * vbb) / scale, vbb / (scale * scale)];
        Ok(LogitLine { intercept: a - shift * b, slope: b / scale, covariance })
    }

    /// The intercept with the slope held at 1, and its variance: by how much log odds are off on the whole.
    pub fn intercept_alone(points: &[Outcomes]) -> Result<(f64, f64), NoLine> {
        LogitLine::intercept_alone_of(points.iter().copied())
    }

    /// As [`LogitLine::intercept_alone`], of points that can be gone through again.
    pub fn intercept_alone_of(points: impl Iterator<Item = Outcomes> + Clone) -> Result<(f64, f64), NoLine> {
        let count = match Seen::of(points.clone()) {
            Ok(seen) => seen.count,
            Err(NoLine::Constant | NoLine::Separated) => 0,
            Err(other) => return Err(other),
        };
        let row = |point: Outcomes| Row { x: [1.0], offset: point.score, events: point.events, others: point.others };
        let groups = grouped(points.clone(), count);
        let start = minimise(groups.into_iter().map(row), [0.0]).map_or([0.0], |(near, _)| near);
        let ([a], hessian) = minimise(points.map(row), start).ok_or(NoLine::NoConvergence)?;
        Ok((a, 1.0 / hessian[(0, 0)]))
    }

    /// The log odds that the line gives to a score.
    pub fn apply(&self, score: f64) -> f64 {
        self.intercept + self.slope * score
    }
}

/// One Newton step over all points from the estimate of their groups, with the Hessian at its end: that of the points before the step
/// plus what the groups' Hessian changes by. `None` when the groups were not near enough.
fn one_step(
    points: impl Iterator<Item = Row<2>>,
    groups: impl Iterator<Item = Row<2>>,
    near: [f64; 2],
    groups_hessian: SMatrix<f64, 2, 2>,
    weight: f64,
) -> Option<([f64; 2], SMatrix<f64, 2, 2>)> {
    let place = SVector::from(near);
    let here = value(points, &place);
    let (step, decrement) = here.step()?;
    if decrement > NEAR * weight {
        return None;
    }
    let next = place + step;
    let change = value(groups, &next).hessian - groups_hessian;
    Some((next.into(), here.hessian + change))
}

/// Neighbouring points together, at their mean score.
fn grouped(points: impl Iterator<Item = Outcomes>, count: usize) -> Vec<Outcomes> {
    let size = count.div_ceil(MOST_GROUPS).max(1);
    let mut groups = Vec::with_capacity(count.div_ceil(size));
    let (mut group, mut members) = (Outcomes { score: 0.0, events: 0.0, others: 0.0 }, 0);
    let mut close = |group: &mut Outcomes, members: &mut usize| {
        let weight = group.events + group.others;
        groups.push(Outcomes { score: group.score / weight, ..*group });
        (*group, *members) = (Outcomes { score: 0.0, events: 0.0, others: 0.0 }, 0);
    };
    points.filter(|point| point.weight() > 0.0).for_each(|point| {
        group.events += point.events;
        group.others += point.others;
        group.score += point.score * point.weight();
        members += 1;
        if members == size {
            close(&mut group, &mut members);
        }
    });
    if members > 0 {
        close(&mut group, &mut members);
    }
    groups
}

/// What one look at all points tells: how many count, their weight, and where they lie.
struct Seen {
    count: usize,
    events: f64,
    others: f64,
    low: f64,
    high: f64,
}

impl Seen {
    /// Looks at the points; an error when there is no estimate.
    fn of(points: impl Iterator<Item = Outcomes>) -> Result<Self, NoLine> {
        let nowhere = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut event_range, mut other_range, mut finite) = (nowhere, nowhere, true);
        let (mut count, mut events, mut others) = (0, 0.0, 0.0);
        let widened = |range: (f64, f64), has: bool, score: f64| {
            let (low, high) = if has { (score, score) } else { nowhere };
            (range.0.min(low), range.1.max(high))
        };
        points.filter(|point| point.weight() > 0.0).for_each(|point| {
            finite &= point.score.is_finite();
            count += 1;
            events += point.events;
            others += point.others;
            event_range = widened(event_range, point.events > 0.0, point.score);
            other_range = widened(other_range, point.others > 0.0, point.score);
        });
        if !finite {
            return Err(NoLine::NotFinite);
        }
        if !(events > 0.0 && others > 0.0) {
            return Err(NoLine::OneClass);
        }
        let (low, high) = (event_range.0.min(other_range.0), event_range.1.max(other_range.1));
        if low == high {
            return Err(NoLine::Constant);
        }
        if event_range.0 >= other_range.1 || other_range.0 >= event_range.1 {
            return Err(NoLine::Separated);
        }
        Ok(Seen { count, events, others, low, high })
    }

    fn weight(&self) -> f64 {
        self.events + self.others
    }
}

/// Centre and scale of the scores: they keep the steps well conditioned and need not be exact.
fn centre_and_scale(groups: &[Outcomes], seen: &Seen) -> (f64, f64) {
    let centre = seen.low + groups.iter().map(|group| group.weight() * (group.score - seen.low)).sum::<f64>() / seen.weight();
    let squares: f64 = groups.iter().map(|group| group.weight() * (group.score - centre).powi(2)).sum();
    let scale = (squares / seen.weight()).sqrt();
    (centre, if scale > 0.0 && scale.is_finite() { scale } else { seen.high - seen.low })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::logspace::sigmoid;

    fn points(rows: &[(f64, f64, f64)]) -> Vec<Outcomes> {
        rows.iter().map(|&(score, events, others)| Outcomes { score, events, others }).collect()
    }

    #[test]
    fn many_points_reach_the_maximum_in_one_step_from_their_groups() {
        // Two points per score, so that no two groups are alike and the last one is not full.
        let score = |i: u32| (f64::from(i * 7919 % 50_021) / 50_021.0 - 0.4) * 9.0;
        let mut rows: Vec<Outcomes> = (0..50_021u32)
            .map(|i| {
                let event = f64::from(i * 104_729 % 50_021) / 50_021.0 < sigmoid(0.7 * score(i) - 0.3);
                Outcomes { score: score(i), events: f64::from(u8::from(event)), others: f64::from(u8::from(!event)) }
            })
            .collect();
        rows.sort_by(|a, b| a.score.total_cmp(&b.score));
        assert!(rows.len() > MOST_GROUPS);
        let line = LogitLine::fit(&rows).unwrap();
        let (mut gradient, mut information) = ([0.0; 2], [0.0; 3]);
        for row in &rows {
            let p = sigmoid(line.apply(row.score));
            gradient[0] += p - row.events;
            gradient[1] += (p - row.events) * row.score;
            let curvature = p * (1.0 - p);
            information[0] += curvature;
            information[1] += curvature * row.score;
            information[2] += curvature * row.score * row.score;
        }
        // A gradient of g moves the estimate by about g over the information.
        assert!(gradient[0].abs() < 1e-9 * information[0] && gradient[1].abs() < 1e-9 * information[2], "{gradient:?}");
        let determinant = information[0] * information[2] - information[1] * information[1];
        let want = [information[2], -information[1], information[0]].map(|entry| entry / determinant);
        for (got, want) in line.covariance.iter().zip(want) {
            assert!((got - want).abs() < 1e-10 * want.abs(), "{got} {want}");
        }
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
