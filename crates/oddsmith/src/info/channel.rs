//! Capacity of a noisy channel: the most that its output can tell about its input, over all ways to use it.
//!
//! With W(y|x) the channel, p the input, q = pW the output and D_x = D(W_x‖q):
//!
//! ```text
//! C = max_p I(X;Y),   p ← p e^D / Z,  Z = Σ p e^D        Blahut and Arimoto
//! ln Z ≤ C ≤ max_x D_x                                   both bounds, at every step
//! ```
//!
//! Steps are short where an input is almost useless. So now and then Newton's method solves D_x = C on the inputs that are used
//! (∂D_x/∂p_z = −Σ_y W_xy W_zy / q_y), and is believed only where the bounds over *all* inputs come closer. In nats.
//! Cost: O(inputs · outputs) a step, O(inputs³) for one of Newton.

use nalgebra::{DMatrix, DVector};

use super::phi;
use crate::error::{DataFault, Result};
use crate::num::log_sum_exp;

/// Distance of the bounds, in nats, at which a capacity is found.
const CLOSE: f64 = 1e-14;

/// Most steps of Blahut and Arimoto.
const MOST_STEPS: usize = 20_000;

/// Steps between two tries of Newton's method.
const BETWEEN: usize = 25;

/// Most inputs for which Newton's method is tried.
const MOST_NEWTON: usize = 300;

/// How far from 1 a row may add up.
const ROUNDING: f64 = 1e-6;

/// A channel without memory: for every input the probabilities of the outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    outputs: usize,
    rows: Vec<f64>,
}

/// What a channel can carry, in nats per use.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    /// The capacity is not below this, which the input below achieves but for rounding.
    pub lower: f64,
    /// The capacity is not above this.
    pub upper: f64,
    /// Probabilities of the inputs.
    pub input: Vec<f64>,
    /// Probabilities of the outputs.
    pub output: Vec<f64>,
    /// Steps taken.
    pub steps: usize,
}

impl Capacity {
    /// Whether the bounds met, to about 13 digits.
    pub fn is_found(&self) -> bool {
        self.upper - self.lower <= 1e-12 * (1.0 + self.upper)
    }

    /// The middle of the bounds.
    pub fn value(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }
}

/// An input distribution and what it comes to.
#[derive(Debug, Clone)]
struct Point {
    input: Vec<f64>,
    output: Vec<f64>,
    divergences: Vec<f64>,
    lower: f64,
    upper: f64,
}

impl Channel {
    /// The channel whose row x holds the probabilities of the `outputs` outputs after input x.
    pub fn new(outputs: usize, rows: &[f64]) -> Result<Self> {
        if outputs == 0 || rows.is_empty() || !rows.len().is_multiple_of(outputs) {
            let what = format!("{} probabilities make no channel of {outputs} outputs", rows.len());
            return Err(DataFault::new(what).accepted("give one row per input, each with a probability per output").into());
        }
        let mut scaled = Vec::with_capacity(rows.len());
        for (x, row) in rows.chunks_exact(outputs).enumerate() {
            if let Some(bad) = row.iter().find(|p| !(0.0..f64::INFINITY).contains(*p)) {
                let fault = DataFault::new("a probability cannot be").row(x as u64 + 1).value(bad.to_string());
                return Err(fault.accepted("give finite numbers from 0 up").into());
            }
            let total: f64 = row.iter().sum();
            if (total - 1.0).abs() > ROUNDING {
                let fault = DataFault::new("the probabilities of an input must add up to 1, not to").row(x as u64 + 1);
                return Err(fault.value(total.to_string()).accepted("rows are inputs, columns are outputs").into());
            }
            scaled.extend(row.iter().map(|p| p / total));
        }
        Ok(Channel { outputs, rows: scaled })
    }

    /// The capacity with the input that achieves it.
    pub fn capacity(&self) -> Capacity {
        let inputs = self.rows.len() / self.outputs;
        let mut best = self.at(vec![1.0 / inputs as f64; inputs]);
        let mut point = best.clone();
        let mut steps = 0;
        while best.upper - best.lower > CLOSE && steps < MOST_STEPS {
            steps += 1;
            if steps.is_multiple_of(BETWEEN)
                && let Some(found) = self.newton(&point)
                && found.upper - found.lower < point.upper - point.lower
            {
                point = found;
            } else {
                let stepped = point.input.iter().zip(&point.divergences).map(|(p, d)| p * libm::exp(d - point.lower)).collect();
                point = self.at(stepped);
            }
            if point.upper - point.lower < best.upper - best.lower {
                best = point.clone();
            }
        }
        // Rounding of either may exchange bounds that have met.
        let (lower, upper) = (best.lower.min(best.upper).max(0.0), best.upper.max(best.lower).max(0.0));
        Capacity { lower, upper, input: best.input, output: best.output, steps }
    }

    /// Bounds at an input distribution, which is scaled to add up to 1.
    fn at(&self, mut input: Vec<f64>) -> Point {
        let total: f64 = input.iter().sum();
        input.iter_mut().for_each(|p| *p /= total);
        let mut output = vec![0.0; self.outputs];
        for (row, p) in self.rows.chunks_exact(self.outputs).zip(&input) {
            output.iter_mut().zip(row).for_each(|(q, w)| *q += p * w);
        }
        let divergence = |row: &[f64]| -> f64 {
            let addend = |(&w, &q): (&f64, &f64)| match q > 0.0 {
                true => q * phi((w - q) / q),
                false if w > 0.0 => f64::INFINITY,
                false => 0.0,
            };
            row.iter().zip(&output).map(addend).sum()
        };
        let divergences: Vec<f64> = self.rows.chunks_exact(self.outputs).map(divergence).collect();
        let used = input.iter().zip(&divergences).filter(|(p, _)| **p > 0.0);
        let lower = log_sum_exp(used.map(|(p, d)| libm::log(*p) + d));
        let upper = divergences.iter().copied().fold(0.0, f64::max);
        Point { input, output, divergences, lower, upper }
    }

    /// Newton's method for equal divergences of the inputs that are used; `None` where it leads nowhere.
    fn newton(&self, from: &Point) -> Option<Point> {
        let useful = |x: &usize| from.input[*x] >= 1e-6 || from.divergences[*x] >= from.lower;
        let mut used: Vec<usize> = (0..from.input.len()).filter(useful).collect();
        if used.len() > MOST_NEWTON {
            return None;
        }
        let mut point = from.clone();
        point.input.iter_mut().enumerate().filter(|(x, _)| !used.contains(x)).for_each(|(_, p)| *p = 0.0);
        point = self.at(point.input);
        for _ in 0..20 {
            let step = self.newton_step(&point, &used)?;
            let mut input = point.input.clone();
            used.iter().zip(&step).for_each(|(&x, d)| input[x] = (input[x] + d).max(0.0));
            used.retain(|&x| input[x] > 0.0);
            let next = self.at(input);
            let settled = next.upper - next.lower <= CLOSE;
            if !next.upper.is_finite() || !next.lower.is_finite() {
                return None;
            }
            let length = step.iter().fold(0.0f64, |most, d| most.max(d.abs()));
            point = next;
            if settled || length < 1e-16 {
                break;
            }
        }
        Some(point)
    }

    /// The change of the used inputs that makes their divergences equal to first order, the shortest where there are many.
    fn newton_step(&self, point: &Point, used: &[usize]) -> Option<Vec<f64>> {
        let size = used.len();
        let row = |x: usize| &self.rows[x * self.outputs..][..self.outputs];
        let overlap = |a: usize, b: usize| -> f64 {
            let addends = row(used[a]).iter().zip(row(used[b])).zip(&point.output).filter(|(_, q)| **q > 0.0);
            addends.map(|((w, v), q)| w * v / q).sum()
        };
        let matrix = DMatrix::from_fn(size + 1, size + 1, |a, b| match (a < size, b < size) {
            (true, true) => overlap(a, b),
            (true, false) | (false, true) => 1.0,
            (false, false) => 0.0,
        });
        let wanted = DVector::from_fn(size + 1, |a, _| if a < size { point.divergences[used[a]] - point.lower } else { 0.0 });
        let solution = matrix.svd(true, true).solve(&wanted, 1e-12).ok()?;
        let step: Vec<f64> = solution.iter().take(size).copied().collect();
        step.iter().all(|d| d.is_finite()).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bits(outputs: usize, rows: &[f64]) -> (f64, Vec<f64>) {
        let capacity = Channel::new(outputs, rows).unwrap().capacity();
        assert!(capacity.is_found(), "{capacity:?}");
        (capacity.value() / 2f64.ln(), capacity.input)
    }

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} {expected}");
    }

    #[test]
    fn known_capacities() {
        near(bits(2, &[0.95, 0.05, 0.05, 0.95]).0, 0.713_603_042_9, 5e-11);
        let (z, input) = bits(2, &[1.0, 0.0, 0.1, 0.9]);
        near(z, 0.762_848_252_0, 5e-10);
        near(input[1], 0.456_298_123_6, 5e-10);
        let (three, input) = bits(2, &[1.0, 0.0, 0.5, 0.5, 0.0, 1.0]);
        near(three, 1.0, 1e-13);
        near(input[1], 0.0, 1e-9);
        let (full, input) = bits(3, &[0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.2, 0.3, 0.5]);
        near(full, 0.362_960_006_6, 5e-11);
        for (found, expected) in input.iter().zip([0.384_232_030, 0.400_456_051, 0.215_311_919]) {
            near(*found, expected, 5e-10);
        }
        let (slow, input) = bits(2, &[0.6, 0.4, 0.58, 0.42, 0.3, 0.7]);
        near(slow, 0.066_661_218_84, 5e-12);
        near(input[1], 0.0, 1e-12);
    }

    #[test]
    fn useless_and_perfect_channels() {
        assert_eq!(bits(2, &[0.3, 0.7, 0.3, 0.7]).0, 0.0);
        assert_eq!(bits(1, &[1.0, 1.0, 1.0]).0, 0.0);
        near(bits(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).0, 3f64.log2(), 1e-14);
        // More inputs than outputs, some the same: many inputs are best.
        near(bits(2, &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0]).0, 1.0, 1e-13);
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let refused = |outputs: usize, rows: &[f64]| Channel::new(outputs, rows).unwrap_err().to_string();
        assert!(refused(2, &[0.5, 0.5, 1.0]).contains("3 probabilities make no channel of 2 outputs"));
        assert!(refused(2, &[0.5, 0.5, 0.9, 0.2]).starts_with("row 2: the probabilities of an input must add up to 1"));
        assert!(refused(2, &[1.5, -0.5]).contains("cannot be `-0.5`"));
    }

    proptest! {
        #[test]
        fn the_bounds_bracket_and_the_input_achieves_the_lower(cells in prop::collection::vec(0.0..1.0f64, 12), wide in prop::bool::ANY) {
            let outputs = if wide { 4 } else { 3 };
            let mut rows = cells.clone();
            for row in rows.chunks_exact_mut(outputs) {
                let total: f64 = row.iter().sum();
                prop_assume!(total > 1e-3);
                row.iter_mut().for_each(|p| *p /= total);
            }
            let channel = Channel::new(outputs, &rows).unwrap();
            let capacity = channel.capacity();
            prop_assert!(capacity.is_found(), "{capacity:?}");
            let inputs = capacity.input.len() as f64;
            prop_assert!(capacity.lower >= 0.0 && capacity.upper <= inputs.min(outputs as f64).ln() + 1e-12);
            // Mutual information of the input that was found, by the table of both.
            let both: Vec<f64> = rows.iter().enumerate().map(|(at, w)| capacity.input[at / outputs] * w).collect();
            let joint = crate::info::Joint::new(outputs, both).unwrap();
            prop_assert!((joint.mutual_information() - capacity.value()).abs() < 1e-12, "{capacity:?} {}", joint.mutual_information());
            // No other input carries more.
            let even: Vec<f64> = rows.iter().map(|w| w / inputs).collect();
            prop_assert!(crate::info::Joint::new(outputs, even).unwrap().mutual_information() <= capacity.upper + 1e-13);
        }
    }
}
