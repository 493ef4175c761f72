//! L-BFGS as a search that owns no rows: it asks for the objective and its slope at a point and is told.
//!
//! The direction is −B⁻¹g with B made of the last pairs of steps and changes of the slope ([`SecantPairs`]). A step is shortened until it
//! descends (Armijo's rule), by the parabola through what is known. It ends where the largest slope falls below a bound that the caller
//! chooses. Memory O(pairs · parameters).

use super::metric::{Metric, dot};
use super::secant_pairs::SecantPairs;

/// Pairs that are remembered.
const PAIRS: usize = 20;
/// Share of the expected descent that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// Most times that a step is shortened.
const MOST_CUTS: usize = 40;
/// Share of the objective that rounding may add.
const ROUNDING: f64 = 1e-14;

/// What the search wants next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ask {
    /// The objective and its slope at this point.
    At(Vec<f64>),
    /// Nothing: the slope is flat here.
    Found,
    /// Nothing: no further progress can be told from rounding.
    Stuck,
}

/// A search between two answers.
#[derive(Debug, Clone)]
pub(crate) struct Lbfgs {
    place: Vec<f64>,
    value: f64,
    slope: Vec<f64>,
    direction: Vec<f64>,
    /// Expected descent per unit of step.
    descent: f64,
    step: f64,
    cuts: usize,
    pairs: SecantPairs,
    /// Curvature of the last pair, which the first metric of the next direction has everywhere.
    curvature: f64,
    flat: f64,
    steps: usize,
    told: bool,
}

impl Lbfgs {
    /// A search from a point until no slope is larger than `flat`.
    pub(crate) fn new(start: Vec<f64>, flat: f64) -> Self {
        let size = start.len();
        Lbfgs {
            place: start,
            value: f64::INFINITY,
            slope: vec![0.0; size],
            direction: vec![0.0; size],
            descent: 0.0,
            step: 0.0,
            cuts: 0,
            pairs: SecantPairs::default(),
            curvature: 1.0,
            flat,
            steps: 0,
            told: false,
        }
    }

    /// The best point so far.
    pub(crate) fn place(&self) -> &[f64] {
        &self.place
    }

    /// The objective there.
    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// The largest slope there.
    pub(crate) fn largest_slope(&self) -> f64 {
        self.slope.iter().fold(0.0, |most, slope| most.max(slope.abs()))
    }

    /// Steps that were taken.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// The point that was asked for last.
    fn trial(&self) -> Vec<f64> {
        self.place.iter().zip(&self.direction).map(|(place, direction)| place + self.step * direction).collect()
    }

    /// Takes the objective and its slope at the point that was asked for; the first is the start.
    pub(crate) fn tell(&mut self, value: f64, slope: &[f64]) -> Ask {
        if !self.told {
            self.told = true;
            (self.value, self.slope) = (value, slope.to_vec());
            let size = dot(slope, slope).sqrt();
            self.curvature = size.max(f64::MIN_POSITIVE);
            return self.turn();
        }
        let limit = self.value - SUFFICIENT * self.step * self.descent;
        // Near the end the descent drowns in the rounding of the objective; a flatter slope is progress, too.
        let largest = slope.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        let level = value <= self.value + ROUNDING * self.value.abs() && largest < self.largest_slope();
        if !(value <= limit || level) {
            self.cuts += 1;
            if self.cuts > MOST_CUTS {
                return Ask::Stuck;
            }
            // The lowest point of the parabola with this value, the old one and its slope.
            let bend = value - self.value + self.step * self.descent;
            let lowest = if bend > 0.0 && value.is_finite() { 0.5 * self.step * self.step * self.descent / bend } else { 0.0 };
            self.step = lowest.clamp(0.1 * self.step, 0.5 * self.step);
            return Ask::At(self.trial());
        }
        let moved = self.trial();
        let step: Vec<f64> = moved.iter().zip(&self.place).map(|(new, old)| new - old).collect();
        let change: Vec<f64> = slope.iter().zip(&self.slope).map(|(new, old)| new - old).collect();
        let along = dot(&step, &change);
        if along > 0.0 {
            self.curvature = dot(&change, &change) / along;
        }
        self.pairs.remember(step, change, PAIRS);
        (self.place, self.value, self.slope) = (moved, value, slope.to_vec());
        self.steps += 1;
        self.turn()
    }

    /// The next direction from here.
    fn turn(&mut self) -> Ask {
        if self.largest_slope() <= self.flat {
            return Ask::Found;
        }
        let metric = Metric::diagonal(vec![self.curvature; self.place.len()]);
        let down = |direction: &[f64], slope: &[f64]| -dot(direction, slope);
        self.direction = self.pairs.divide(&metric, &self.slope).iter().map(|d| -d).collect();
        self.descent = down(&self.direction, &self.slope);
        if !(self.descent > 0.0 && self.descent.is_finite()) {
            self.pairs.clear();
            self.direction = metric.solve(&self.slope).iter().map(|d| -d).collect();
            self.descent = down(&self.direction, &self.slope);
        }
        (self.step, self.cuts) = (1.0, 0);
        Ask::At(self.trial())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley.
    fn valley(at: &[f64]) -> (f64, Vec<f64>) {
        let (x, y) = (at[0], at[1]);
        let bend = y - x * x;
        ((1.0 - x).powi(2) + 100.0 * bend * bend, vec![-2.0 * (1.0 - x) - 400.0 * x * bend, 200.0 * bend])
    }

    #[test]
    fn a_curved_valley_is_followed_to_its_end() {
        let mut search = Lbfgs::new(vec![-1.2, 1.0], 1e-10);
        let mut at = vec![-1.2, 1.0];
        for _ in 0..200 {
            let (value, slope) = valley(&at);
            match search.tell(value, &slope) {
                Ask::At(next) => at = next,
                Ask::Found => break,
                Ask::Stuck => panic!("stuck at {:?}", search.place()),
            }
        }
        assert!(search.place().iter().all(|x| (x - 1.0).abs() < 1e-9), "{:?} after {} steps", search.place(), search.steps());
        assert!(search.steps() < 60);
    }

    #[test]
    fn an_objective_that_only_rises_is_given_up() {
        let mut search = Lbfgs::new(vec![0.0], 1e-10);
        search.tell(1.0, &[1.0]);
        let mut asked = 0;
        while let Ask::At(_) = search.tell(2.0 + f64::from(asked), &[2.0]) {
            asked += 1;
        }
        assert_eq!(asked as usize, MOST_CUTS);
    }
}
