//! The straight line behind a model: log p(k|x)/p(0|x) = w0_k + Σ w_k · x, exactly.
//!
//! LDA, Gaussian naive Bayes with shared variances, Bernoulli, multinomial and categorical naive Bayes are all linear
//! in their log odds. This view holds the weights relative to the first class; it predicts what the model predicts.

use super::Scores;
use super::hashed_words::{OTHERS, SharedRow};
use super::term::Term;
use crate::card::{Cell, FixedTable, Table};
use crate::data::{Features, Layout};
use crate::error::Result;

/// Exact log-odds weights, relative to class 0.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearLogOdds {
    intercept: Vec<f64>,
    terms: Vec<Term>,
}

/// One weight of a linear model in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// The feature's index in the layout; `None` for the intercept.
    pub feature: Option<usize>,
    /// The level or word, where the feature has several weights.
    pub level: Option<String>,
    /// Log-odds weight against class 0, per class.
    pub values: Vec<f64>,
}

impl LinearLogOdds {
    /// The view of a model whose scores are `intercept` plus `terms`; `None` when a weight is not finite (a
    /// probability of zero has no finite log odds).
    pub fn new(intercept: &[f64], terms: &[Term]) -> Option<Self> {
        let classes = intercept.len();
        let intercept: Vec<f64> = intercept.iter().map(|b| b - intercept[0]).collect();
        let terms = terms.iter().map(|term| term.relative_to(0, classes)).collect::<Option<Vec<_>>>()?;
        intercept.iter().all(|b| b.is_finite()).then_some(LinearLogOdds { intercept, terms })
    }

    /// The view of a model whose scores are `slope` times this one's plus one offset per class.
    #[must_use]
    pub fn affine(mut self, slope: f64, offsets: &[f64]) -> Self {
        for (k, b) in self.intercept.iter_mut().enumerate() {
            *b = slope * *b + (offsets[k] - offsets[0]);
        }
        self.terms.iter_mut().for_each(|term| term.stretch(slope));
        self
    }

    /// Log odds against class 0 for every row and class.
    pub fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        out.reset(rows.rows(), &self.intercept);
        for term in &self.terms {
            term.add_scores(rows, out)?;
        }
        Ok(())
    }

    /// Every weight in the user's units, the intercept first. Centres and the addends of absent flags and words are
    /// folded into the intercept, so that log odds = intercept + Σ weight · value for every row without gaps.
    pub fn weights(&self, layout: &Layout) -> Vec<Weight> {
        let classes = self.intercept.len();
        let mut intercept = self.intercept.clone();
        let mut weights = Vec::new();
        let mut fold = |addends: &[f64], factor: f64| intercept.iter_mut().zip(addends).for_each(|(b, a)| *b += factor * a);
        for term in &self.terms {
            match term {
                Term::Numbers(term) => {
                    for (at, &j) in term.columns.iter().enumerate() {
                        let values = term.weights[at * classes..(at + 1) * classes].to_vec();
                        fold(&values, -term.centre[at]);
                        fold(&term.base[at * classes..(at + 1) * classes], 1.0);
                        weights.push(Weight { feature: Some(layout.numbers()[j]), level: None, values });
                    }
                }
                Term::Flags(term) => {
                    for (at, &j) in term.columns.iter().enumerate() {
                        let range = at * classes..(at + 1) * classes;
                        let absent = &term.absent[range.clone()];
                        fold(absent, 1.0);
                        let values = term.present[range].iter().zip(absent).map(|(p, a)| p - a).collect();
                        weights.push(Weight { feature: Some(layout.numbers()[j]), level: None, values });
                    }
                }
                Term::Levels(term) => {
                    for (at, &j) in term.columns.iter().enumerate() {
                        let feature = layout.codes()[j];
                        for cell in term.offsets[at]..term.offsets[at + 1] {
                            let level = layout.level_name(feature, cell - term.offsets[at]);
                            let values = term.table[cell * classes..(cell + 1) * classes].to_vec();
                            weights.push(Weight { feature: Some(feature), level, values });
                        }
                    }
                }
                Term::Words(term) => {
                    let feature = layout.words()[term.block];
                    fold(&term.base, 1.0);
                    for (word, values) in term.table.chunks_exact(classes).enumerate() {
                        weights.push(Weight { feature: Some(feature), level: layout.level_name(feature, word), values: values.to_vec() });
                    }
                }
            }
        }
        weights.sort_by_key(|weight| weight.feature);
        weights.insert(0, Weight { feature: None, level: None, values: intercept });
        weights
    }

    /// The weights as a table: one row per term and class but the first; of a text the strongest words first.
    pub fn table(&self, layout: &Layout) -> Table {
        let mut table = FixedTable::new("weights", ["class", "term", "level", "weight"]);
        let mut weights = self.weights(layout);
        for &feature in layout.words() {
            let of_text = weights.iter().filter(|weight| weight.feature == Some(feature)).flat_map(|weight| weight.values.clone());
            let of_text: Vec<f64> = of_text.collect();
            let shared = SharedRow::find(layout, feature, &of_text, self.intercept.len());
            weights.retain(|weight| weight.feature != Some(feature) || !shared.is(&weight.values));
            let others = |values: &[f64]| Weight { feature: Some(feature), level: Some(OTHERS.into()), values: values.to_vec() };
            weights.extend(shared.row().map(others));
        }
        let is_text = |weight: &Weight| weight.feature.is_some_and(|j| layout.words().contains(&j));
        for k in 1..self.intercept.len() {
            let strength = |weight: &Weight| if is_text(weight) { weight.values[k].abs() } else { 0.0 };
            weights.sort_by(|a, b| a.feature.cmp(&b.feature).then(strength(b).total_cmp(&strength(a))));
            for weight in &weights {
                let term = weight.feature.map_or("(intercept)", |j| layout.features()[j].name.as_str());
                let level = weight.level.as_deref().map_or(Cell::Empty, Cell::from);
                table.push([layout.classes().label(k).into(), term.into(), level, weight.values[k].into()]);
            }
        }
        table.into()
    }
}
