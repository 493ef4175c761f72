//! The outputs of all K classes in place of log odds against the first.
//!
//! A penalty that treats the classes alike is one on K outputs w_k; only their differences b_k = w_k − w_0 are seen. Of all w with
//! the same b the one that costs least is taken: w_k = b_k − c with b_0 = 0, and c minimises Σ_k l |b_k − c| + ½ λ (b_k − c)²,
//! a median where λ is zero. The vector w holds the first class, slot by slot (columns, then words), and then b's own order.

use crate::model::linear::fit::eval_point::Shape;

/// The two orders of parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Symmetric(pub(crate) Shape);

/// Strengths of the penalty of one output, slot by slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strengths<'a> {
    /// Of Σ l |w|.
    pub(crate) absolute: &'a [f64],
    /// Of ½ Σ λ w².
    pub(crate) ridge: &'a [f64],
}

impl Symmetric {
    /// Parameters of one output.
    pub(crate) fn slots(self) -> usize {
        self.0.width + self.0.words
    }

    /// Length of w.
    pub(crate) fn len(self) -> usize {
        self.slots() + self.0.len()
    }

    /// The slot of a place in w.
    pub(crate) fn slot(self, place: usize) -> usize {
        match place.checked_sub(self.slots()) {
            None => place,
            Some(at) => self.slot_of_odds(at),
        }
    }

    /// The slot of a place in b.
    fn slot_of_odds(self, at: usize) -> usize {
        let Shape { outputs, width, .. } = self.0;
        match at.checked_sub(outputs * width) {
            None => at % width,
            Some(word) => width + word / outputs,
        }
    }

    /// b of w.
    pub(crate) fn lower(self, wide: &[f64]) -> Vec<f64> {
        let (first, others) = wide.split_at(self.slots());
        others.iter().enumerate().map(|(at, w)| w - first[self.slot_of_odds(at)]).collect()
    }

    /// The gradient over w from that over b.
    pub(crate) fn lift_gradient(self, gradient: &[f64]) -> Vec<f64> {
        let mut wide = vec![0.0; self.len()];
        let (first, others) = wide.split_at_mut(self.slots());
        others.copy_from_slice(gradient);
        gradient.iter().enumerate().for_each(|(at, g)| first[self.slot_of_odds(at)] -= g);
        wide
    }

    /// A diagonal of second derivatives over w; the first class, which b does not show, has the mean of the others.
    pub(crate) fn lift_diagonal(self, diagonal: &[f64]) -> Vec<f64> {
        let mut wide = vec![0.0; self.len()];
        let (first, others) = wide.split_at_mut(self.slots());
        others.copy_from_slice(diagonal);
        diagonal.iter().enumerate().for_each(|(at, d)| first[self.slot_of_odds(at)] += d / self.0.outputs as f64);
        wide
    }

    /// The w of b that costs least. Slots without a penalty keep w_0 = 0.
    pub(crate) fn centred(self, theta: &[f64], strengths: Strengths<'_>) -> Vec<f64> {
        let (slots, outputs) = (self.slots(), self.0.outputs);
        let mut wide = vec![0.0; self.len()];
        wide[slots..].copy_from_slice(theta);
        let mut values = Vec::with_capacity(outputs + 1);
        for slot in 0..slots {
            let (l, ridge) = (strengths.absolute[slot], strengths.ridge[slot]);
            if l == 0.0 && ridge == 0.0 {
                continue;
            }
            values.clear();
            values.push(0.0);
            values.extend((0..outputs).map(|m| theta[self.place(m, slot)]));
            let centre = cheapest(&mut values, l, ridge);
            wide[slot] = -centre;
            (0..outputs).for_each(|m| wide[slots + self.place(m, slot)] -= centre);
        }
        wide
    }

    /// The place in b of an output's slot.
    fn place(self, output: usize, slot: usize) -> usize {
        let Shape { outputs, width, .. } = self.0;
        match slot.checked_sub(width) {
            None => output * width + slot,
            Some(word) => outputs * width + word * outputs + output,
        }
    }
}

/// The c with the least Σ l |v − c| + ½ λ (v − c)², whose slope l (#below − #above) + λ (K c − Σ v) never falls.
fn cheapest(values: &mut [f64], l: f64, ridge: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    if ridge == 0.0 {
        return values[(count - 1) / 2];
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    for (below, &value) in values.iter().enumerate() {
        // Right of the values below and left of this one the slope is that of a parabola.
        let between = mean + l * (count as f64 - 2.0 * below as f64) / (ridge * count as f64);
        if between <= value {
            return if below > 0 { between.max(values[below - 1]) } else { between };
        }
    }
    values[count - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(values: &[f64], c: f64, l: f64, ridge: f64) -> f64 {
        values.iter().map(|v| l * (v - c).abs() + 0.5 * ridge * (v - c).powi(2)).sum()
    }

    #[test]
    fn no_other_centre_costs_less() {
        for (l, ridge) in [(1.0, 0.0), (0.0, 2.0), (0.7, 0.4), (3.0, 0.1), (0.01, 5.0)] {
            for values in [vec![0.0, 1.0, 3.0], vec![-2.0, 0.0, 0.5, 7.0], vec![0.0, 0.0, 0.0], vec![0.0, -4.0]] {
                let best = cheapest(&mut values.clone(), l, ridge);
                for step in -400..400 {
                    let other = f64::from(step) * 0.02;
                    assert!(
                        cost(&values, best, l, ridge) <= cost(&values, other, l, ridge) + 1e-12,
                        "{values:?} {l} {ridge} {best} {other}"
                    );
                }
            }
        }
    }

    #[test]
    fn odds_come_back_and_gradients_add_up_to_zero() {
        let all = Symmetric(Shape { outputs: 2, width: 2, words: 3 });
        let theta: Vec<f64> = (0..10).map(|i| f64::from(i) - 4.5).collect();
        let (absolute, ridge) = ([0.0, 1.0, 1.0, 1.0, 1.0], [0.0; 5]);
        let wide = all.centred(&theta, Strengths { absolute: &absolute, ridge: &ridge });
        assert_eq!((all.lower(&wide), wide[0]), (theta.clone(), 0.0));
        let gradient = all.lift_gradient(&theta);
        for slot in 0..5 {
            let sum: f64 = (0..all.len()).filter(|place| all.slot(*place) == slot).map(|place| gradient[place]).sum();
            assert_eq!(sum, 0.0);
        }
    }
}
