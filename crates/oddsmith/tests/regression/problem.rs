//! A regression problem in plain columns.

use std::num::NonZeroUsize;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Formula, Layout, ViewSource, Weighting};
use oddsmith::model::linear::{Logistic, LogisticModel};
use oddsmith::num::MatrixView;
use oddsmith::train::fit;

const OFFSET: &str = "the offset";
const COUNTS: [&str; 2] = ["successes", "failures"];

/// Rows of numbers, labels `0..classes`, and what else a fit may know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Problem {
    pub(crate) x: Vec<Vec<f64>>,
    pub(crate) labels: Vec<u32>,
    pub(crate) classes: usize,
    pub(crate) no_intercept: bool,
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) offset: Option<Vec<f64>>,
    /// Counts of class 1 and of class 0, in place of labels.
    pub(crate) counts: Option<Vec<[f64; 2]>>,
}

impl Problem {
    pub(crate) fn new(x: Vec<Vec<f64>>, labels: Vec<u32>, classes: usize) -> Self {
        Problem { x, labels, classes, ..Problem::default() }
    }

    pub(crate) fn columns(&self) -> usize {
        self.x.first().map_or(0, Vec::len)
    }

    /// Columns are called x1, x2, …; classes are their numbers.
    pub(crate) fn fit(&self, learner: &Logistic) -> Result<LogisticModel> {
        self.fit_with(learner, NonZeroUsize::new(1))
    }

    pub(crate) fn fit_with(&self, learner: &Logistic, threads: Option<NonZeroUsize>) -> Result<LogisticModel> {
        let rows = self.x.len();
        let mut names: Vec<String> = (1..=self.columns()).map(|j| format!("x{j}")).collect();
        let mut terms = names.clone();
        if self.offset.is_some() {
            terms.push(format!("offset(`{OFFSET}`)"));
            names.push(OFFSET.into());
        }
        if terms.is_empty() {
            terms.push("1".into());
        }
        let response = if self.counts.is_some() { "cbind(successes, failures)" } else { "y" };
        let formula = format!("{response} ~ {}{}", terms.join(" + "), if self.no_intercept { " - 1" } else { "" });
        let learner = Logistic { formula: Some(Formula::parse(&formula).unwrap()), ..learner.clone() };
        if self.counts.is_some() {
            names.extend(COUNTS.map(String::from));
        }
        let mut cells = Vec::with_capacity(rows * names.len());
        for (i, row) in self.x.iter().enumerate() {
            cells.extend_from_slice(row);
            cells.extend(self.offset.as_ref().map(|offset| offset[i]));
            cells.extend(self.counts.iter().flat_map(|counts| counts[i]));
        }
        let classes = Classes::new((0..self.classes).map(|k| k.to_string()).collect()).unwrap();
        let weighting = if self.weights.is_some() { Weighting::Frequency } else { Weighting::None };
        let features: Vec<Feature> = names.into_iter().map(Feature::number).collect();
        let width = features.len();
        let layout = Layout::new("y", features, classes, weighting).unwrap();
        let view = match width {
            0 => MatrixView::none(rows),
            _ => MatrixView::row_major(&cells, rows, width).unwrap(),
        };
        let source = ViewSource::new(&layout, Features::of_numbers(view), &self.labels, self.weights.as_deref()).unwrap();
        Ok(fit(&learner, &source, threads, &Control::new())?.model)
    }
}

/// Standard errors of a fit.
pub(crate) fn errors(model: &LogisticModel) -> Vec<f64> {
    let precision = model.precision().unwrap();
    let size = precision.lower.len();
    (0..size).map(|at| precision.matrix[at * size + at].sqrt()).collect()
}
