//! The memory of L-BFGS: the last pairs of a step and the change of the gradient along it, which correct a metric.

use std::collections::VecDeque;
use std::sync::Arc;

use super::metric::{Metric, dot};

/// The last pairs.
#[derive(Debug, Clone, Default)]
pub(crate) struct SecantPairs {
    /// Shared, because a search is copied between passes and pairs are long.
    pairs: VecDeque<Arc<Pair>>,
}

#[derive(Debug)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

impl SecantPairs {
    /// Forgets all of them: the metric is a new one.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Remembers a pair along which the gradient rises, and no more than `most` of them.
    pub(crate) fn remember(&mut self, step: Vec<f64>, change: Vec<f64>, most: usize) {
        let curvature = dot(&step, &change);
        if curvature > f64::MIN_POSITIVE && curvature.is_finite() {
            self.pairs.push_back(Arc::new(Pair { step, change, inverse: curvature.recip() }));
        }
        if self.pairs.len() > most {
            self.pairs.pop_front();
        }
    }

    /// B⁻¹ v, B the corrected metric, by two loops over the pairs.
    pub(crate) fn divide(&self, metric: &Metric, vector: &[f64]) -> Vec<f64> {
        let mut v = vector.to_vec();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = pair.inverse * dot(&pair.step, &v);
            v.iter_mut().zip(&pair.change).for_each(|(v, change)| *v -= share * change);
            shares.push(share);
        }
        let mut v = metric.solve(&v);
        for (pair, share) in self.pairs.iter().zip(shares.iter().rev()) {
            let back = share - pair.inverse * dot(&pair.change, &v);
            v.iter_mut().zip(&pair.step).for_each(|(v, step)| *v += back * step);
        }
        v
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_quadratic_make_its_own_metric() {
        // H = [[4, 1], [1, 3]]; two conjugate steps teach all of it.
        let times = |v: [f64; 2]| vec![4.0 * v[0] + v[1], v[0] + 3.0 * v[1]];
        let mut pairs = SecantPairs::default();
        for step in [[1.0, 0.0], [-0.25, 1.0]] {
            pairs.remember(step.to_vec(), times(step), 5);
        }
        let divided = pairs.divide(&Metric::diagonal(vec![1.0, 1.0]), &times([0.3, -0.7]));
        assert!((divided[0] - 0.3).abs() < 1e-15 && (divided[1] + 0.7).abs() < 1e-15, "{divided:?}");
    }
}
