//! LDA and QDA against R's MASS, direct evaluation in base R, and scikit-learn.

use crate::support::{Golden, close, same_digits};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Layout, ViewSource, Weighting};
use oddsmith::model::discriminant::{DiscriminantParams, FisherProjection, Lda, LdaModel, Qda};
use oddsmith::model::{Classifier, Contributions, Divisor, Learner, Predictions, Predictor, Prior, Scores, Shrinkage};
use oddsmith::num::MatrixView;
use oddsmith::train;

const TOLERANCE: f64 = 1e-10;

struct Case {
    golden: Golden,
    layout: Layout,
    train: Vec<f64>,
    labels: Vec<u32>,
    new: Vec<f64>,
}

impl Case {
    fn load(id: &str, target: &str, train: &str, new: &str) -> Self {
        let golden = Golden::load(id);
        let (columns, classes) = (golden.texts("model/columns"), golden.texts("model/classes"));
        let numbers = |path: &str| {
            let table = golden.table(path);
            let columns: Vec<Vec<&str>> = columns.iter().map(|name| table.column(name)).collect();
            (0..table.rows.len()).flat_map(|i| columns.iter().map(move |column| column[i].parse().unwrap())).collect::<Vec<f64>>()
        };
        let code = |label: &&str| classes.iter().position(|class| class == label).unwrap() as u32;
        let labels = golden.table(train).column(target).iter().map(code).collect();
        Case { layout: layout(target, &columns, &classes), train: numbers(train), labels, new: numbers(new), golden }
    }

    fn width(&self) -> usize {
        self.layout.features().len()
    }

    fn features<'a>(&self, values: &'a [f64]) -> Features<'a> {
        Features::of_numbers(MatrixView::row_major(values, values.len() / self.width(), self.width()).unwrap())
    }

    fn fit<L: Learner>(&self, learner: &L) -> L::Model {
        let source = ViewSource::new(&self.layout, self.features(&self.train), &self.labels, None).unwrap();
        train::fit(learner, &source, None, &Control::new()).unwrap().model
    }

    fn predict(&self, model: &dyn Classifier) -> Predictions {
        let mut predicted = Predictions::new();
        Predictor::new(model).predict(&self.features(&self.new), &mut predicted).unwrap();
        predicted
    }

    /// Prior, posterior, log joint (R leaves 2π out) and the adding up of the evidence.
    fn check_scores(&self, model: &dyn Classifier) {
        for (log, want) in model.generative().unwrap().log_prior().iter().zip(self.golden.numbers("results/prior")) {
            same_digits(log.exp(), want, TOLERANCE);
        }
        let predicted = self.predict(model);
        for (got, want) in predicted.probabilities().iter().zip(self.golden.numbers("results/posterior")) {
            same_digits(*got, want, TOLERANCE);
        }
        let two_pi = 0.5 * self.width() as f64 * (2.0 * std::f64::consts::PI).ln();
        for (got, want) in predicted.scores().values().iter().zip(self.golden.numbers("results/log_joint_direct")) {
            close(got + two_pi, want, TOLERANCE);
        }
        let mut evidence = Contributions::new();
        model.contributions().unwrap().contribute(&self.features(&self.new), &mut evidence).unwrap();
        for i in 0..predicted.scores().rows() {
            for (k, base) in evidence.base().iter().enumerate() {
                let sum: f64 = base + (0..self.width()).map(|j| evidence.addends(i, j)[k]).sum::<f64>();
                close(sum, predicted.scores().row(i)[k], 1e-12);
            }
        }
    }

    fn check_means(&self, mean: impl Fn(usize, usize) -> Option<f64>) {
        for (cell, want) in self.golden.numbers("results/means").into_iter().enumerate() {
            same_digits(mean(cell / self.width(), cell % self.width()).unwrap(), want, TOLERANCE);
        }
    }

    fn check_lda(&self, divisor: Divisor) {
        let model = self.fit(&Lda::new(DiscriminantParams { divisor, ..DiscriminantParams::default() }));
        self.check_means(|k, j| model.mean(k, j));
        for (cell, want) in self.golden.numbers("results/covariance").into_iter().enumerate() {
            same_digits(model.covariance(cell / self.width(), cell % self.width()), want, TOLERANCE);
        }
        self.check_scores(&model);
        self.check_linear(&model);
        self.check_projection(&model, divisor);
    }

    fn check_linear(&self, model: &LdaModel) {
        let linear = model.linear().unwrap();
        let (mut scores, mut odds) = (Scores::new(), Scores::new());
        let rows = self.features(&self.new);
        model.score(&rows, &mut scores).unwrap();
        linear.score(&rows, &mut odds).unwrap();
        let weights = linear.weights(model.layout());
        for i in 0..rows.rows() {
            for k in 0..scores.classes() {
                let want = scores.row(i)[k] - scores.row(i)[0];
                close(odds.row(i)[k], want, 1e-12);
                let x = &self.new[i * self.width()..];
                close(weights.iter().map(|w| w.values[k] * w.feature.map_or(1.0, |j| x[j])).sum(), want, 1e-11);
            }
        }
    }

    fn check_projection(&self, model: &LdaModel, divisor: Divisor) {
        let projection = FisherProjection::new(model).unwrap();
        let scaling = self.golden.numbers("results/scaling");
        let svd = self.golden.numbers("results/svd");
        let dimensions = projection.dimensions();
        assert_eq!(dimensions, svd.len());
        let mut coordinates = Vec::new();
        projection.project(&self.features(&self.new), &mut coordinates);
        let classes = self.layout.classes().len() as f64;
        // MASS scales the singular values by the number of classes, less one when the covariance is unbiased.
        let groups = if divisor == Divisor::Ml { classes } else { classes - 1.0 };
        for at in 0..dimensions {
            let direction = projection.direction(at);
            let sign = (direction[0] * scaling[at]).signum();
            for (j, loading) in direction.iter().enumerate() {
                same_digits(sign * loading, scaling[j * dimensions + at], TOLERANCE);
            }
            let deviation = |j: usize| model.covariance(j, j).sqrt();
            let heaviest =
                (0..self.width()).max_by(|&a, &b| (direction[a] * deviation(a)).abs().total_cmp(&(direction[b] * deviation(b)).abs()));
            assert!(direction[heaviest.unwrap()] > 0.0);
            same_digits((projection.ratios()[at] * self.labels.len() as f64 / groups).sqrt(), svd[at], TOLERANCE);
            same_digits(projection.proportions()[at], self.golden.numbers("results/proportion_of_trace")[at], TOLERANCE);
            for (i, want) in self.golden.numbers("results/discriminant_scores").chunks(dimensions).enumerate() {
                close(sign * coordinates[i * dimensions + at], want[at], TOLERANCE);
            }
        }
    }

    fn check_qda(&self, divisor: Divisor) {
        let model = self.fit(&Qda::new(DiscriminantParams { divisor, ..DiscriminantParams::default() }));
        self.check_means(|k, j| model.mean(k, j));
        let width = self.width();
        for (cell, want) in self.golden.numbers("results/covariance").into_iter().enumerate() {
            same_digits(model.covariance(cell / (width * width), cell / width % width, cell % width), want, TOLERANCE);
        }
        self.check_scores(&model);
        assert!(model.linear().is_none());
    }
}

fn layout(target: &str, columns: &[String], classes: &[String]) -> Layout {
    let features = columns.iter().map(Feature::number).collect();
    Layout::new(target, features, Classes::new(classes.to_vec()).unwrap(), Weighting::None).unwrap()
}

#[test]
fn lda_iris_mle() {
    Case::load("lda_iris_mle", "Species", "data", "data").check_lda(Divisor::Ml);
}

#[test]
fn lda_iris_moment() {
    Case::load("lda_iris_moment", "Species", "data", "data").check_lda(Divisor::Unbiased);
}

#[test]
fn lda_pima_moment() {
    Case::load("lda_pima_moment", "type", "data/train", "data/new").check_lda(Divisor::Unbiased);
}

#[test]
fn qda_crabs_mle() {
    Case::load("qda_crabs_mle", "group", "data", "data").check_qda(Divisor::Ml);
}

#[test]
fn qda_iris_moment() {
    Case::load("qda_iris_moment", "Species", "data", "data").check_qda(Divisor::Unbiased);
}

/// Rows of the scikit-learn case under `rows` or `standardised`.
fn sklearn(rows: &str) -> Case {
    let golden = Golden::load("sklearn_discriminant");
    let layout = layout("y", &golden.texts("model/columns"), &golden.texts("model/classes"));
    let labels = golden.numbers("labels").into_iter().map(|label| label as u32).collect();
    Case { train: golden.numbers(rows), new: golden.numbers(rows), layout, labels, golden }
}

impl Case {
    fn check_sklearn(&self, model: &dyn Classifier, id: &str) {
        for (got, want) in self.predict(model).probabilities().iter().zip(self.golden.numbers(&format!("results/{id}/posterior"))) {
            close(*got, want, TOLERANCE);
        }
    }

    fn check_sklearn_lda(&self, settings: DiscriminantParams, id: &str) {
        let model = self.fit(&Lda::new(settings));
        self.check_sklearn(&model, id);
        let width = self.width();
        for (cell, want) in self.golden.numbers(&format!("results/{id}/covariance_")).into_iter().enumerate() {
            same_digits(model.covariance(cell / width, cell % width), want, TOLERANCE);
        }
        let weights = model.linear().unwrap().weights(model.layout());
        let coefficients = self.golden.numbers(&format!("results/{id}/coef_"));
        for k in 1..self.layout.classes().len() {
            for j in 0..width {
                close(weights[j + 1].values[k], coefficients[k * width + j] - coefficients[j], TOLERANCE);
            }
            let intercepts = self.golden.numbers(&format!("results/{id}/intercept_"));
            close(weights[0].values[k], intercepts[k] - intercepts[0], TOLERANCE);
        }
    }

    fn check_sklearn_qda(&self, settings: DiscriminantParams, id: &str) {
        let model = self.fit(&Qda::new(settings));
        self.check_sklearn(&model, id);
        let width = self.width();
        for (cell, want) in self.golden.numbers(&format!("results/{id}/covariance_")).into_iter().enumerate() {
            same_digits(model.covariance(cell / (width * width), cell / width % width, cell % width), want, TOLERANCE);
        }
    }
}

fn shrunk(shrinkage: Shrinkage) -> DiscriminantParams {
    DiscriminantParams { shrinkage, ..DiscriminantParams::default() }
}

#[test]
fn sklearn_without_shrinkage() {
    let case = sklearn("rows");
    case.check_sklearn_lda(DiscriminantParams::default(), "lda");
    case.check_sklearn_qda(DiscriminantParams::default(), "qda");
}

#[test]
fn sklearn_with_given_priors() {
    let case = sklearn("rows");
    let labels = case.golden.texts("model/classes").into_iter();
    let settings = DiscriminantParams {
        prior: Prior::Given(labels.zip(case.golden.numbers("given_prior")).collect()),
        ..DiscriminantParams::default()
    };
    case.check_sklearn(&case.fit(&Lda::new(settings.clone())), "lda_given_prior");
    case.check_sklearn(&case.fit(&Qda::new(settings)), "qda_given_prior");
}

#[test]
fn sklearn_ledoit_wolf() {
    let case = sklearn("rows");
    case.check_sklearn_lda(shrunk(Shrinkage::LedoitWolf), "lda_ledoit_wolf");
    case.check_sklearn_qda(shrunk(Shrinkage::LedoitWolf), "qda_ledoit_wolf");
}

#[test]
fn sklearn_fixed_shrinkage_of_standardised_columns() {
    let case = sklearn("standardised");
    case.check_sklearn_lda(shrunk(Shrinkage::Fixed(0.3)), "lda_fixed_standardised");
    case.check_sklearn_qda(shrunk(Shrinkage::Fixed(0.3)), "qda_fixed_standardised");
}
