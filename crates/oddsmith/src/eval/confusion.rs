//! The confusion matrix of a decision and what is read off it.
//!
//! Cell (t, p) is the weight of the rows of class t that were called p. Accuracy: the diagonal's share. Recall of a class:
//! its diagonal over its row; precision: over its column; F1: their harmonic mean. Balanced accuracy: the mean recall.
//! Matthews' coefficient (Gorodkin's for many classes): (c s − Σ p_k t_k) / √((s² − Σ p_k²)(s² − Σ t_k²)), with s the total,
//! c the diagonal, t and p the margins. Cohen's κ: (p_o − p_e)/(1 − p_e). Memory O(K²).

use super::metric::{Estimate, Mass, Metric, Undefined, share};
use super::scored_batch::ScoredBatch;
use crate::codec::{Codec, Encode};
use crate::data::{SKIP, Weighting};
use crate::error::{Error, Result};
use crate::model::Decision;
use crate::stats::Statistics;

/// Weights by true and by called class.
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion {
    classes: usize,
    decision: Decision,
    weighting: Weighting,
    cells: Vec<Mass>,
    /// Rows of each class that were left undecided.
    undecided: Vec<Mass>,
}

impl Confusion {
    /// Nothing seen of `classes` classes, how they are called, and what weights will mean.
    pub fn new(classes: usize, decision: Decision, weighting: Weighting) -> Self {
        let nothing = Mass::default();
        Confusion { classes, decision, weighting, cells: vec![nothing; classes * classes], undecided: vec![nothing; classes] }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How classes were called.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Whether rows may be left undecided. All other figures are those of the decided rows.
    pub fn rejects(&self) -> bool {
        matches!(&self.decision, Decision::Costs(costs) if costs.reject().is_some())
    }

    /// Share of rows that were left undecided.
    pub fn undecided_share(&self) -> Metric {
        let left: f64 = self.undecided.iter().map(|mass| mass.weight).sum();
        let all = self.cells.iter().chain(&self.undecided).copied().sum();
        share(left, all, self.weighting, "there are no rows")
    }

    /// Weight of the rows of class `truth` that were called `called`.
    pub fn cell(&self, truth: usize, called: usize) -> f64 {
        self.mass(truth, called).weight
    }

    fn mass(&self, truth: usize, called: usize) -> Mass {
        self.cells[truth * self.classes + called]
    }

    fn mass_of_truth(&self, k: usize) -> Mass {
        (0..self.classes).map(|called| self.mass(k, called)).sum()
    }

    fn mass_of_called(&self, k: usize) -> Mass {
        (0..self.classes).map(|truth| self.mass(truth, k)).sum()
    }

    /// Weight of the rows of a class.
    pub fn truth(&self, k: usize) -> f64 {
        self.mass_of_truth(k).weight
    }

    /// Weight of the rows that were called a class.
    pub fn called(&self, k: usize) -> f64 {
        self.mass_of_called(k).weight
    }

    /// Share of rows that were called right.
    pub fn accuracy(&self) -> Metric {
        share(self.diagonal(), self.cells.iter().copied().sum(), self.weighting, "there are no rows")
    }

    /// Share of a class that was called so: sensitivity, for the event.
    pub fn recall(&self, k: usize) -> Metric {
        share(self.cell(k, k), self.mass_of_truth(k), self.weighting, "no row has the class")
    }

    /// Share of those called a class that have it.
    pub fn precision(&self, k: usize) -> Metric {
        share(self.cell(k, k), self.mass_of_called(k), self.weighting, "no row is predicted so")
    }

    /// Harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN).
    pub fn f1(&self, k: usize) -> Metric<f64> {
        let either = self.truth(k) + self.called(k);
        if either > 0.0 { Ok(2.0 * self.cell(k, k) / either) } else { Err("no row has the class or is predicted so".into()) }
    }

    /// Mean recall of the classes that occur.
    pub fn balanced_accuracy(&self) -> Metric<f64> {
        let recalls: Vec<f64> = (0..self.classes).filter_map(|k| self.recall(k).ok()).map(|recall| recall.value).collect();
        if recalls.is_empty() { Err(Undefined::no_rows()) } else { Ok(recalls.iter().sum::<f64>() / recalls.len() as f64) }
    }

    /// Matthews' correlation coefficient.
    pub fn matthews(&self) -> Metric<f64> {
        let total = self.total();
        if total <= 0.0 {
            return Err(Undefined::no_rows());
        }
        // Shares, not weights, so that products neither overflow nor vanish.
        let share = |weight: f64| weight / total;
        let (mut agree, mut truth, mut called) = (0.0, 0.0, 0.0);
        for k in 0..self.classes {
            let (t, p) = (share(self.truth(k)), share(self.called(k)));
            agree += t * p;
            truth += t * t;
            called += p * p;
        }
        let spread = (1.0 - truth) * (1.0 - called);
        match spread > 0.0 && self.margins_vary() {
            true => Ok((share(self.diagonal()) - agree) / spread.sqrt()),
            false => Err("only one class occurs, or only one is predicted".into()),
        }
    }

    /// Cohen's κ: agreement beyond chance.
    pub fn kappa(&self) -> Metric<f64> {
        let total = self.total();
        if total <= 0.0 {
            return Err(Undefined::no_rows());
        }
        let chance: f64 = (0..self.classes).map(|k| self.truth(k) / total * (self.called(k) / total)).sum();
        let observed = self.diagonal() / total;
        match (0..self.classes).any(|k| self.truth(k) == total && self.called(k) == total) {
            false => Ok((observed - chance) / (1.0 - chance)),
            true => Err("all rows have one class and are predicted so".into()),
        }
    }

    /// Adds rows that were checked, with the labels of those that count.
    pub(super) fn add(&mut self, rows: &ScoredBatch<'_>, labels: &[u32]) {
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let weight = rows.weight(i);
            let mass = match self.decision.decide(&rows.probabilities[i * self.classes..(i + 1) * self.classes]) {
                Some(called) => &mut self.cells[label as usize * self.classes + called],
                None => &mut self.undecided[label as usize],
            };
            mass.add(weight, weight * weight);
        }
    }

    fn margins_vary(&self) -> bool {
        let total = self.total();
        (0..self.classes).all(|k| self.truth(k) < total && self.called(k) < total)
    }

    fn diagonal(&self) -> f64 {
        (0..self.classes).map(|k| self.cell(k, k)).sum()
    }

    fn total(&self) -> f64 {
        self.cells.iter().map(|mass| mass.weight).sum()
    }

    /// Share of the others that were not called the event, with two classes.
    pub fn specificity(&self) -> Metric {
        self.recall(0)
    }

    /// Mean F1 of the classes, each counted alike.
    pub fn macro_f1(&self) -> Metric {
        let each = (0..self.classes).map(|k| self.f1(k)).collect::<Metric<Vec<f64>>>()?;
        Ok(Estimate::exact(each.iter().sum::<f64>() / each.len().max(1) as f64))
    }
}

impl Encode for Confusion {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let masses = || self.cells.iter().chain(&self.undecided);
        let mut weight: Vec<f64> = masses().map(|mass| mass.weight).collect();
        let mut squared: Vec<f64> = masses().map(|mass| mass.squared).collect();
        codec.weights("weight", &mut weight)?;
        codec.weights("squared", &mut squared)?;
        for (mass, (weight, squared)) in self.cells.iter_mut().chain(&mut self.undecided).zip(weight.into_iter().zip(squared)) {
            (mass.weight, mass.squared) = (weight, squared);
        }
        Ok(())
    }
}

impl Statistics for Confusion {
    type Input<'a> = ScoredBatch<'a>;

    fn observe(&mut self, rows: ScoredBatch<'_>) -> Result<()> {
        self.add(&rows, &rows.counted_labels(self.classes)?);
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        if (self.classes, &self.decision) != (other.classes, &other.decision) {
            return Err(Error::internal("confusion matrices of different decisions were merged"));
        }
        let theirs = other.cells.iter().chain(&other.undecided);
        self.cells.iter_mut().chain(&mut self.undecided).zip(theirs).for_each(|(mine, theirs)| mine.add(theirs.weight, theirs.squared));
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.total() + self.undecided.iter().map(|mass| mass.weight).sum::<f64>()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + 16 * self.cells.len()
    }
}
