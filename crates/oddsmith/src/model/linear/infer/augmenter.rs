//! Rows of a table as a regression diagnoses them: which columns hold their responses and weights, and how they are read.
//!
//! A row counts as it did in the fit: one of counts with all of its trials, one of frequency w as w equal rows.

use crate::data::design::ResponseBlock;
use crate::data::{Feature, Features, Layout, Plane, Response, Rows, SKIP, Weighting};
use crate::error::Result;
use crate::model::linear::fit::target::Target;
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::Logistic;
use crate::model::{BatchMetrics, RowMetrics};

/// A regression over the columns of a table, with the responses and weights of its rows.
#[derive(Debug, Clone)]
pub(crate) struct Augmenter {
    model: LogisticModel,
    /// `None` where the columns of the response are not in the table.
    target: Option<Target>,
    weights: WeightSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WeightSource {
    /// Every row counts once.
    Ones,
    /// A column of numbers.
    Column(usize),
    /// A column that the table does not have.
    Unknown,
}

impl LogisticModel {
    /// Columns beside the predictors and the target that the responses and weights of rows stand in.
    fn response_columns(&self) -> Vec<String> {
        let sample = &self.account.sample;
        let counts = match self.design.formula().response() {
            Response::None | Response::Column(_) => Vec::new(),
            grouped => grouped.columns(),
        };
        let columns = sample.proportion_columns.iter().flatten().cloned().chain(counts).chain(sample.weight_column.clone());
        columns.filter(|name| self.layout.index(name).is_err()).collect()
    }
}

impl Augmenter {
    /// For tables that have the predictors and, of the columns of responses and weights, those that `has` knows.
    pub(crate) fn new(model: &LogisticModel, has: &dyn Fn(&str) -> bool) -> Result<Self> {
        let beside = model.response_columns().into_iter().filter(|name| has(name)).map(Feature::number);
        let features = model.layout.features().iter().cloned().chain(beside).collect();
        let layout = Layout::new(model.layout.target(), features, model.layout.classes().clone(), model.layout.weighting())?;
        Augmenter::over(model, &layout)
    }

    /// For rows of a layout that has the predictors among its columns.
    fn over(model: &LogisticModel, layout: &Layout) -> Result<Self> {
        let sample = &model.account.sample;
        let learner =
            Logistic { class_proportions: sample.proportion_columns.clone(), ..Logistic::with_formula(model.design.formula().clone()) };
        let response = model.design.formula().response();
        let in_columns = sample.proportion_columns.clone().unwrap_or_else(|| match response {
            Response::None | Response::Column(_) => Vec::new(),
            grouped => grouped.columns(),
        });
        let target = match in_columns.iter().all(|name| layout.index(name).is_ok()) {
            true => Some(learner.target(model.design.formula(), layout)?),
            false => None,
        };
        let plane = |name: &String| layout.index(name).ok().map(|j| layout.plane(j));
        let weights = match (&sample.weight_column, model.layout.weighting()) {
            (_, Weighting::None) => WeightSource::Ones,
            (Some(name), _) => match plane(name) {
                Some(Plane::Numbers(at)) => WeightSource::Column(at),
                _ => WeightSource::Unknown,
            },
            (None, _) => WeightSource::Unknown,
        };
        Ok(Augmenter { model: model.over(layout)?, target, weights })
    }
}

impl RowMetrics for Augmenter {
    fn layout(&self) -> &Layout {
        &self.model.layout
    }

    fn has_labels(&self) -> bool {
        matches!(self.target, Some(Target::Labels))
    }

    fn knows_weights(&self) -> bool {
        self.model.layout.weighting() == Weighting::None || self.model.account.sample.weight_column.is_some()
    }

    fn names(&self) -> Vec<String> {
        self.model.metric_names()
    }

    fn of_rows(&self, rows: &Features<'_>, labels: Option<&[u32]>, first_row: u64) -> Result<BatchMetrics> {
        let count = rows.rows();
        let base: Vec<f64> = match self.weights {
            WeightSource::Ones => vec![1.0; count],
            WeightSource::Column(at) => (0..count).map(|i| rows.numbers.get(i, at)).collect(),
            WeightSource::Unknown => vec![f64::NAN; count],
        };
        let (proportions, weights) = self.responses(rows, labels, base, first_row)?;
        let metrics = self.model.metrics_of(rows, &proportions, &weights)?;
        Ok(BatchMetrics { proportions, metrics })
    }
}

impl Augmenter {
    /// Proportions of the classes and weights of the rows; NaN where they are not known.
    fn responses(&self, features: &Features<'_>, labels: Option<&[u32]>, base: Vec<f64>, first_row: u64) -> Result<(Vec<f64>, Vec<f64>)> {
        let (count, classes) = (base.len(), self.model.layout.classes().len());
        let outputs = classes - 1;
        let Some(target) = &self.target else { return Ok((vec![f64::NAN; count * outputs], vec![f64::NAN; count])) };
        let in_labels = matches!(target, Target::Labels);
        let labels = match (in_labels, labels) {
            (true, Some(labels)) => labels.iter().map(|label| if (*label as usize) < classes { *label } else { SKIP }).collect(),
            (true, None) => vec![SKIP; count],
            // What a row says about the classes stands in its columns.
            (false, _) => vec![0; count],
        };
        // Read as if every row counted, so that one that says nothing shows by the weight it loses.
        let (mut proportions, mut trials, mut counts) = (Vec::new(), vec![1.0; count], ResponseBlock::new());
        let rows = Rows::new(*features, &labels, None, first_row);
        target.read(&rows, &labels, classes, 0, count, &mut proportions, &mut trials, &mut counts)?;
        let mut weights = base;
        for (i, weight) in weights.iter_mut().enumerate() {
            if trials[i] == 0.0 {
                proportions[i * outputs..(i + 1) * outputs].fill(f64::NAN);
            }
            *weight *= match (in_labels, trials[i]) {
                (true, _) => 1.0,
                (false, 0.0) => f64::NAN,
                (false, trials) => trials,
            };
        }
        Ok((proportions, weights))
    }
}
