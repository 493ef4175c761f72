//! Rows of a known world: two normal classes with any shares, drawn from a seed.

use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Layout, Source, ViewSource, Weighting};
use oddsmith::eval::{Estimate, EvalSettings, Evaluation};
use oddsmith::model::Classifier;
use oddsmith::num::MatrixView;
use oddsmith::train;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal, Uniform};

/// Rows with three number columns; the third repeats the second with a little noise, so that naive Bayes counts it twice.
pub(crate) struct Population {
    layout: Layout,
    values: Vec<f64>,
    pub(crate) labels: Vec<u32>,
}

impl Population {
    /// Draws rows until `keep` (fraction kept of others and of events) leaves `rows`; events have the share `rate` before.
    pub(crate) fn new(rows: usize, rate: f64, keep: [f64; 2], seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let uniform = Uniform::new(0.0, 1.0).unwrap();
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        while labels.len() < rows {
            let event = uniform.sample(&mut random) < rate;
            let shift = if event { 1.0 } else { 0.0 };
            let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
            let (a, b) = (normal() + shift, normal() + 0.7 * shift);
            let c = b + 0.3 * normal();
            if uniform.sample(&mut random) < keep[usize::from(event)] {
                values.extend([a, b, c]);
                labels.push(u32::from(event));
            }
        }
        let features = ["a", "b", "c"].map(Feature::number).to_vec();
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        Population { layout: Layout::new("y", features, classes, Weighting::None).unwrap(), values, labels }
    }

    pub(crate) fn features(&self) -> Features<'_> {
        Features::of_numbers(MatrixView::row_major(&self.values, self.labels.len(), 3).unwrap())
    }

    pub(crate) fn source(&self) -> ViewSource<'_> {
        ViewSource::new(&self.layout, self.features(), &self.labels, None).unwrap()
    }

    /// A model of the registry, fitted to the rows.
    pub(crate) fn fit(&self, name: &str) -> Box<dyn Classifier> {
        let learner = oddsmith::registry::find(name).unwrap().learner().unwrap();
        train::fit(&learner, &self.source(), None, &Control::new()).unwrap().model
    }

    /// The rows, judged.
    pub(crate) fn judge(&self, model: &dyn Classifier) -> Evaluation {
        let source = self.source();
        let classes = source.layout().classes().len();
        let empty = Evaluation::new(classes, train::score_scale(classes), EvalSettings::default());
        train::pass(&source, &train::Evaluator::new(model, empty), None, &Control::new()).unwrap().into_sums()
    }
}

/// A figure by name.
pub(crate) fn figure(evaluation: &Evaluation, name: &str) -> Estimate {
    evaluation.figures().into_iter().find(|(known, _)| *known == name).unwrap().1.unwrap()
}

/// Whether the interval of a figure holds a value.
pub(crate) fn covers(evaluation: &Evaluation, name: &str, value: f64) -> bool {
    let (low, high) = figure(evaluation, name).interval.unwrap();
    low <= value && value <= high
}
