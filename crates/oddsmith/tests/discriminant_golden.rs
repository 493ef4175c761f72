//! LDA and QDA against R's MASS and direct evaluation in base R.

#[path = "golden/mod.rs"]
mod golden;

use golden::{Golden, assert_near};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Layout, ViewSource, Weighting};
use oddsmith::model::discriminant::{FisherProjection, Lda, LdaModel, Qda, QdaModel, Settings};
use oddsmith::model::{Classifier, Divisor, Evidence, Learner, Predictions, Predictor, Scores};
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
    fn load(id: &str, target: &str) -> Self {
        let golden = Golden::load(id);
        let (columns, classes) = (golden.names("columns"), golden.names("classes"));
        let train = golden.grid("train");
        let features = columns.iter().map(Feature::number).collect();
        let layout = Layout::new(target, features, Classes::new(classes.clone()).unwrap(), Weighting::None).unwrap();
        let labels = train.codes(target, &classes);
        let new = golden.grid("new").row_major(&columns);
        Case { train: train.row_major(&columns), golden, layout, labels, new }
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

    /// Prior, posterior, log joint (R leaves 2π out) and the adding up of the evidence.
    fn check_scores(&self, model: &dyn Classifier) {
        let generative = model.generative().unwrap();
        for (k, expected) in self.golden.numbers("prior").iter().enumerate() {
            assert_near("prior", generative.log_prior()[k].exp(), *expected, TOLERANCE, 0.0);
        }
        let rows = self.features(&self.new);
        let mut predicted = Predictions::new();
        Predictor::new(model).predict(&rows, &mut predicted).unwrap();
        let two_pi = 0.5 * self.width() as f64 * (2.0 * std::f64::consts::PI).ln();
        for (i, expected) in self.golden.matrix("posterior").iter().enumerate() {
            for (k, p) in expected.iter().enumerate() {
                assert_near("posterior", predicted.row(i)[k], *p, TOLERANCE, 0.0);
            }
        }
        for (i, expected) in self.golden.matrix("log_joint_direct").iter().enumerate() {
            for (k, score) in expected.iter().enumerate() {
                assert_near("log joint", predicted.scores().row(i)[k] + two_pi, *score, TOLERANCE, 1.0);
            }
        }
        let mut evidence = Evidence::new();
        model.evidence(&rows, &mut evidence).unwrap();
        for i in 0..rows.rows() {
            for k in 0..evidence.base().len() {
                let sum: f64 = evidence.base()[k] + (0..self.width()).map(|j| evidence.addends(i, j)[k]).sum::<f64>();
                assert_near("evidence", sum, predicted.scores().row(i)[k], 1e-12, 1.0);
            }
        }
    }

    fn check_lda(&self, divisor: Divisor) -> LdaModel {
        let model = self.fit(&Lda::new(Settings { divisor, ..Settings::default() }));
        for (k, means) in self.golden.matrix("means").iter().enumerate() {
            for (j, mean) in means.iter().enumerate() {
                assert_near("mean", model.mean(k, j).unwrap(), *mean, TOLERANCE, 0.0);
            }
        }
        for (i, row) in self.golden.matrix("covariance").iter().enumerate() {
            for (j, covariance) in row.iter().enumerate() {
                assert_near("covariance", model.covariance(i, j), *covariance, TOLERANCE, 0.0);
            }
        }
        self.check_scores(&model);
        self.check_linear(&model);
        self.check_projection(&model, divisor);
        model
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
                let expected = scores.row(i)[k] - scores.row(i)[0];
                assert_near("log odds", odds.row(i)[k], expected, 1e-12, 1.0);
                let x = &self.new[i * self.width()..];
                let by_hand: f64 = weights.iter().map(|w| w.values[k] * w.feature.map_or(1.0, |j| x[j])).sum();
                assert_near("log odds by hand", by_hand, expected, 1e-11, 1.0);
            }
        }
    }

    fn check_projection(&self, model: &LdaModel, divisor: Divisor) {
        let projection = FisherProjection::new(model).unwrap();
        let scaling = self.golden.matrix("scaling");
        let svd = self.golden.numbers("svd");
        let proportions = self.golden.numbers("proportion_of_trace");
        assert_eq!(projection.dimensions(), svd.len());
        let mut coordinates = Vec::new();
        projection.project(&self.features(&self.new), &mut coordinates);
        let classes = self.layout.classes().len() as f64;
        // MASS scales the singular values by the number of classes, less one when the covariance is unbiased.
        let groups = if divisor == Divisor::Ml { classes } else { classes - 1.0 };
        for at in 0..svd.len() {
            let direction = projection.direction(at);
            let sign = (direction[0] * scaling[0][at]).signum();
            for (j, loading) in direction.iter().enumerate() {
                assert_near("scaling", sign * loading, scaling[j][at], TOLERANCE, 0.0);
            }
            let rows = self.labels.len() as f64;
            assert_near("svd", (projection.ratios()[at] * rows / groups).sqrt(), svd[at], TOLERANCE, 0.0);
            assert_near("proportion", projection.proportions()[at], proportions[at], TOLERANCE, 0.0);
            for (i, expected) in self.golden.matrix("discriminant_scores").iter().enumerate() {
                assert_near("coordinate", sign * coordinates[i * svd.len() + at], expected[at], TOLERANCE, 1.0);
            }
        }
    }

    fn check_qda(&self, divisor: Divisor) -> QdaModel {
        let model = self.fit(&Qda::new(Settings { divisor, ..Settings::default() }));
        for (k, matrix) in self.golden.matrices("covariance").iter().enumerate() {
            for (i, row) in matrix.iter().enumerate() {
                assert_near("mean", model.mean(k, i).unwrap(), self.golden.matrix("means")[k][i], TOLERANCE, 0.0);
                for (j, covariance) in row.iter().enumerate() {
                    assert_near("covariance", model.covariance(k, i, j), *covariance, TOLERANCE, 0.0);
                }
            }
        }
        self.check_scores(&model);
        assert!(model.linear().is_none());
        model
    }
}

#[test]
fn lda_iris_mle() {
    Case::load("lda_iris_mle", "Species").check_lda(Divisor::Ml);
}

#[test]
fn lda_iris_moment() {
    Case::load("lda_iris_moment", "Species").check_lda(Divisor::Unbiased);
}

#[test]
fn lda_pima_moment() {
    Case::load("lda_pima_moment", "type").check_lda(Divisor::Unbiased);
}

#[test]
fn qda_crabs_mle() {
    Case::load("qda_crabs_mle", "group").check_qda(Divisor::Ml);
}

#[test]
fn qda_iris_moment() {
    Case::load("qda_iris_moment", "Species").check_qda(Divisor::Unbiased);
}
