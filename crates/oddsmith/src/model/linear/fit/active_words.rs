//! The words that a search under an absolute penalty looks at closely: those that are not zero, and those that are about to leave it.
//!
//! A step minimises the quadratic model over the dense parameters and these words; all others stay at zero. It is the last one only when no
//! other word would leave zero.

use nalgebra::{DMatrix, DVector};

use crate::model::linear::fit::penalty::Penalty;
use crate::model::linear::fit::solver::{Point, along};
use crate::num::optimise::{dot, newton_step};

/// Share of its strength by which a slope may exceed an absolute penalty for rounding.
const FLAT: f64 = 1e-9;
/// Share of its strength by which a slope may fall short of it and still be about to leave zero.
const NEARLY: f64 = 0.05;

/// Words that may be new in a question, and as many as are not zero where these are more.
const FEWEST_NEW: usize = 100;

/// Words with second derivatives.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActiveWords {
    /// Those of the last answer.
    known: Vec<u32>,
    /// Those of the last question.
    asked: Vec<u32>,
}

impl ActiveWords {
    /// The words of the last question.
    pub(crate) fn asked(&self) -> &[u32] {
        &self.asked
    }

    /// Takes note that the last question was answered.
    pub(super) fn answered(&mut self) {
        self.known.clone_from(&self.asked);
    }

    /// The direction to go, how fast the objective falls along it, and its squared length in standard errors: infinite while a word waits
    /// that is not among the known ones.
    pub(super) fn step(&self, penalty: &Penalty, best: &Point, matrix: &DMatrix<f64>) -> (Vec<f64>, f64, f64) {
        let (width, strengths, all) = (penalty.width(), &penalty.absolute, best.theta.len());
        let parameters: Vec<usize> = (0..width).chain(self.known.iter().map(|word| width + *word as usize)).collect();
        let some = |numbers: &[f64]| -> Vec<f64> { parameters.iter().map(|at| numbers[*at]).collect() };
        let step = newton_step(matrix, &some(&best.gradient), &some(&best.theta), &some(strengths));
        let (mut direction, mut known) = (vec![0.0; all], vec![false; all]);
        for (at, step) in parameters.iter().zip(&step) {
            (direction[*at], known[*at]) = (*step, true);
        }
        let goal = along(&best.theta, 1.0, &direction);
        let slope = dot(&best.gradient, &direction) + penalty.absolute_size(&goal) - penalty.absolute_size(&best.theta);
        let waiting = (0..all).any(|at| !known[at] && best.gradient[at].abs() > (1.0 + FLAT) * strengths[at]);
        let vector = DVector::from_column_slice(&step);
        let square = if waiting { f64::INFINITY } else { (matrix * &vector).dot(&vector) };
        (direction, slope.min(-f64::MIN_POSITIVE), square)
    }

    /// Chooses the words of the question at `trial`.
    pub(super) fn choose(&mut self, penalty: &Penalty, best: &Point, trial: &[f64]) {
        let (width, strengths) = (penalty.width(), &penalty.absolute);
        let words = || width..trial.len();
        let is_there = |at: &usize| best.theta[*at] != 0.0 || trial[*at] != 0.0;
        let push = |at: usize| best.gradient[at].abs() - (1.0 - NEARLY) * strengths[at];
        let mut chosen: Vec<usize> = words().filter(is_there).collect();
        let mut leaving: Vec<(f64, usize)> =
            words().filter(|at| !is_there(at)).map(|at| (push(at), at)).filter(|(push, _)| *push > 0.0).collect();
        // Far from the optimum more words would leave zero than stay away from it in the end: the strongest come first.
        leaving.sort_by(|a, b| b.0.total_cmp(&a.0));
        leaving.truncate(chosen.len().max(FEWEST_NEW));
        chosen.extend(leaving.into_iter().map(|(_, at)| at));
        chosen.sort_unstable();
        self.asked = chosen.into_iter().filter_map(|at| u32::try_from(at - width).ok()).collect();
    }
}
