//! What the rows of a fit add up to at its optimum, beside the likelihood.
//!
//! Pearson's χ² = Σ w Σ_k (y_k − p_k)²/p_k over rows and classes, which with two classes is Σ w (y − μ)²/(μ(1 − μ)); and the weight of
//! every class at each level of the categories in the design. Time O(K) per row and category; memory: levels × classes.

use crate::codec::{Codec, Encode};
use crate::data::{Design, Layout, Plane, Rows};
use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::eval_point::EvalPoint;
use crate::num::kernel::Panel;
use crate::num::log_sum_exp;
use crate::num::logspace::NeumaierSum;

/// Sums over the rows that count.
#[derive(Debug, Clone)]
pub(crate) struct RowSums {
    pearson: NeumaierSum,
    categories: Vec<CategorySums>,
    classes: usize,
}

/// Weights by level of a category and class.
#[derive(Debug, Clone)]
struct CategorySums {
    feature: usize,
    plane: usize,
    /// Level after level, one number per class; the last one is that of rows without a level, where these count.
    weights: Vec<f64>,
}

impl Encode for RowSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let mut pearson = self.pearson.parts();
        codec.numbers("pearson", &mut pearson)?;
        self.pearson = NeumaierSum::from_parts(pearson);
        self.categories.iter_mut().try_for_each(|category| codec.numbers(&format!("levels{}", category.feature), &mut category.weights))
    }
}

impl RowSums {
    /// Nothing seen.
    pub(crate) fn new(layout: &Layout, design: &Design) -> Self {
        let classes = layout.classes().len();
        let used = |feature: usize| design.terms().iter().any(|term| term.features.contains(&feature));
        let levels = layout.codes().iter().zip(layout.level_counts()).filter(|(feature, _)| used(**feature));
        let categories = levels.filter_map(|(&feature, levels)| match layout.plane(feature) {
            Plane::Codes(plane) => Some(CategorySums { feature, plane, weights: vec![0.0; (levels + 1) * classes] }),
            _ => None,
        });
        RowSums { pearson: NeumaierSum::default(), categories: categories.collect(), classes }
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, eval_point: &EvalPoint, block: &Block<'_>, rows: &Rows<'_>) -> Result<()> {
        let (outputs, mut scores) = (self.classes - 1, Vec::new());
        eval_point.scores(block, &mut Panel::new(), &mut scores)?;
        let mut proportions = Vec::with_capacity(self.classes);
        for (i, eta) in scores.chunks_exact(outputs).enumerate().filter(|(i, _)| block.weights[*i] > 0.0) {
            let (own, weight) = (&block.proportions[i * outputs..(i + 1) * outputs], block.weights[i]);
            proportions.clear();
            proportions.push(1.0 - own.iter().sum::<f64>());
            proportions.extend_from_slice(own);
            self.pearson.add(weight * pearson(eta, &proportions));
            for CategorySums { plane, weights, .. } in &mut self.categories {
                let code = rows.features.codes.get(block.first + i, *plane) as usize;
                let at = code.min(weights.len() / self.classes - 1) * self.classes;
                weights[at..at + self.classes].iter_mut().zip(&proportions).for_each(|(sum, share)| *sum += weight * share);
            }
        }
        Ok(())
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.pearson.merge(&other.pearson);
        for (mine, theirs) in self.categories.iter_mut().zip(&other.categories) {
            crate::stats::add(&mut mine.weights, &theirs.weights);
        }
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.categories.iter().map(|category| category.weights.len()).sum::<usize>()
    }

    /// Pearson's χ².
    pub(crate) fn pearson(&self) -> f64 {
        self.pearson.value()
    }

    /// Feature and weights, level after level, of every category.
    pub(crate) fn categories(&self) -> impl Iterator<Item = (usize, &[f64])> {
        self.categories.iter().map(|category| (category.feature, &category.weights[..]))
    }
}

/// Σ_k (y_k − p_k)²/p_k of a row with log odds `eta` against the first class.
fn pearson(eta: &[f64], proportions: &[f64]) -> f64 {
    let scores = || std::iter::once(0.0).chain(eta.iter().copied());
    let total = log_sum_exp(scores());
    let part = |(k, score): (usize, f64)| {
        let (own, share) = ((score - total).exp(), proportions[k]);
        // y − p without the cancellation of 1 − p, divided by p where y is zero already.
        let others: f64 = scores().enumerate().filter(|(l, _)| *l != k).map(|(_, other)| (other - total).exp()).sum();
        if share == 0.0 { own } else { (share * others - (1.0 - share) * own).powi(2) / own }
    };
    scores().enumerate().map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::pearson;

    #[test]
    fn two_classes_give_the_squared_residual() {
        let mu = 1.0 / (1.0 + (-0.7f64).exp());
        for y in [0.0, 0.3, 1.0] {
            let want = (y - mu) * (y - mu) / (mu * (1.0 - mu));
            assert!((pearson(&[0.7], &[1.0 - y, y]) - want).abs() < 1e-14, "{y}");
        }
        // A sure prediction that is right says e^−40 and not the rounding of 1 − μ.
        assert!((pearson(&[40.0], &[0.0, 1.0]) / (-40f64).exp() - 1.0).abs() < 1e-12);
    }
}
