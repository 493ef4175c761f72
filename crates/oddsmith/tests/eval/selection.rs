//! Subsets of columns from one gathering, and columns tested from sums.

use oddsmith::card::{Cell, Table};
use oddsmith::control::Control;
use oddsmith::data::{Classes, CodesView, Feature, Features, Kind, Layout, Levels, SKIP, Source, ViewSource, Weighting};
use oddsmith::eval::EvalSettings;
use oddsmith::model::AnyLearner;
use oddsmith::num::MatrixView;
use oddsmith::registry;
use oddsmith::stats::Parts;
use oddsmith::train::{
    self, Candidate, ColumnSource, Comparison, CompleteSource, CrossValidation, FoldSpec, SumsModel, likelihood_of_sums,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Normal};

use crate::population::Population;
use crate::support::{Frame, Golden, close};

fn learner(name: &str) -> Box<dyn AnyLearner> {
    registry::find(name).unwrap().learner().unwrap()
}

#[test]
fn bits_of_subsets_equal_a_cross_validation_of_each() {
    let rows = Population::new(3_000, 0.3, [1.0, 1.0], 31);
    let (source, control) = (rows.source(), Control::new());
    let spec = FoldSpec { folds: 5, seed: 3, groups: None };
    let subsets = [vec![0], vec![2], vec![0, 2], vec![0, 1, 2]];
    for name in ["nb", "lda", "qda", "bernoulli-nb", "logistic"] {
        let learner = learner(name);
        let folds = CrossValidation::new(&source, spec, None, &control).unwrap();
        let sums = folds.gather_for_subsets(&*learner).unwrap();
        assert_eq!(sums.is_some(), name != "logistic");
        let together = folds.bits_of_subsets(&*learner, sums.as_ref(), &subsets).unwrap();
        for (subset, bits) in subsets.iter().zip(together) {
            let narrow = ColumnSource::new(&source, subset).unwrap();
            let alone = CrossValidation::new(&narrow, spec, None, &control).unwrap();
            let scored = alone.out_of_fold(&[alone.models(&*learner, None).unwrap()]).unwrap();
            let want = scored[0].evaluated(EvalSettings::default()).unwrap().loss.bits().unwrap().value;
            close(bits.unwrap(), want, 1e-10);
        }
    }
}

#[test]
fn a_subset_without_a_model_is_passed_over() {
    // Two columns that determine one another leave no covariance to invert for QDA, and none for the sums.
    let values: Vec<f64> = (0..60).flat_map(|i| [f64::from(i * 7 % 31), f64::from(i * 7 % 31), f64::from(i * 11 % 17)]).collect();
    let labels: Vec<u32> = (0..60).map(|i| u32::from(i % 3 == 0)).collect();
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let layout = Layout::new("y", ["a", "b", "c"].map(Feature::number).to_vec(), classes, Weighting::None).unwrap();
    let features = Features::of_numbers(MatrixView::row_major(&values, 60, 3).unwrap());
    let source = ViewSource::new(&layout, features, &labels, None).unwrap();
    let stats = train::gather(&source, Parts::all(), None, &Control::new()).unwrap();
    for model in [SumsModel::Lda, SumsModel::Qda] {
        assert!(train::has_no_model(&likelihood_of_sums(&stats, model).unwrap_err()));
        assert!(likelihood_of_sums(&stats.select(&[0, 2]).unwrap(), model).is_ok());
    }
}

/// Twins over one column whose law within the classes is a Gaussian, or one with long tails.
fn twins(skewed: bool, seed: u64) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let normal = Normal::new(0.0, 1.0).unwrap();
    let labels: Vec<u32> = (0..4_000).map(|i| u32::from(i % 3 == 0)).collect();
    let draw = |label: &u32| 0.8 * f64::from(*label) + normal.sample(&mut random);
    let plain: Vec<f64> = labels.iter().map(draw).collect();
    let values: Vec<f64> = plain.into_iter().map(|x| if skewed { x * x.abs() } else { x }).collect();
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
    let features = Features::of_numbers(MatrixView::row_major(&values, labels.len(), 1).unwrap());
    let source = ViewSource::new(&layout, features, &labels, None).unwrap();
    let candidates = Candidate::parse_list("lda,logistic,qda").unwrap();
    let control = Control::new();
    let comparison = Comparison {
        source: &source,
        candidates: &candidates,
        folds: 10,
        repeats: 1,
        seed: 1,
        groups: None,
        memory: u64::MAX,
        threads: None,
        control: &control,
    };
    comparison.twins().unwrap()
}

#[test]
fn twins_agree_where_the_assumptions_hold_and_differ_where_they_do_not() {
    let number = |cell: &Cell| if let Cell::Number(value) = cell { *value } else { panic!("{cell:?}") };
    let of_slope = |table: &Table, column: &str| {
        let at = table.position(column).unwrap();
        number(&table.rows().iter().find(|row| row[3] == Cell::from("x")).unwrap()[at])
    };
    // QDA has no straight line, so lda and logistic are the only pair: an intercept and a slope.
    let one = twins(true, 1);
    assert_eq!(one.rows().len(), 2);
    let (a, b) = (of_slope(&one, "weight_generative"), of_slope(&one, "weight_discriminative"));
    assert_eq!(a - b, of_slope(&one, "difference"));
    // At 5 %, twenty tables without a difference give more than four rejections three times in a thousand.
    let rejected = |skewed: bool| (0..20).filter(|&seed| of_slope(&twins(skewed, seed), "p_value") < 0.05).count();
    let (right, wrong) = (rejected(false), rejected(true));
    assert!(right <= 4 && wrong >= 15, "{right} and {wrong} of 20");
}

const COLUMNS: [&str; 4] = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"];

#[test]
fn the_likelihood_of_lda_is_wilks_lambda() {
    let iris = Frame::new(&Golden::load("lda_iris_mle").table("data"), "Species", &COLUMNS.map(|name| (name, Kind::Number)));
    let stats = train::gather(&iris.source(), Parts::all(), None, &Control::new()).unwrap();
    let all = likelihood_of_sums(&stats, SumsModel::Lda).unwrap();
    // R 4.2: summary(manova(as.matrix(iris[, 1:4]) ~ Species, iris), test = "Wilks") gives Λ = 0.023439.
    assert!(((all.deviance / 150.0).exp() - 0.023_438_63).abs() < 1e-8, "{}", (all.deviance / 150.0).exp());
    assert_eq!(all.parameters, 8.0);
    // One column: Λ = within / total sum of squares, and F = (1 − Λ)/Λ · 147/2; aov gives F = 119.26 for Sepal.Length.
    let one = likelihood_of_sums(&stats.select(&[0]).unwrap(), SumsModel::Lda).unwrap();
    let lambda = (one.deviance / 150.0).exp();
    assert!(((1.0 - lambda) / lambda * 147.0 / 2.0 - 119.264_5).abs() < 1e-4);
    // Alone, a column of QDA and one of naive Bayes are the same Gaussians.
    let of_petals = |model: SumsModel| likelihood_of_sums(&stats.select(&[2]).unwrap(), model).unwrap();
    let (qda, nb) = (of_petals(SumsModel::Qda), of_petals(SumsModel::NaiveBayes));
    close(qda.deviance, nb.deviance, 1e-12);
    assert_eq!((qda.parameters, nb.parameters), (4.0, 4.0));
    // Columns of naive Bayes add up.
    let each: f64 = (0..4).map(|j| likelihood_of_sums(&stats.select(&[j]).unwrap(), SumsModel::NaiveBayes).unwrap().deviance).sum();
    close(likelihood_of_sums(&stats, SumsModel::NaiveBayes).unwrap().deviance, each, 1e-12);
}

#[test]
fn a_category_has_the_g_statistic_of_its_table() {
    // Counts 10, 20, 30 of class no and 30, 20, 10 of class yes: G = 2 Σ O ln(O/E) with E = 20 everywhere.
    let counts = [[10, 20, 30], [30, 20, 10]];
    let mut codes = Vec::new();
    let mut labels = Vec::new();
    for (class, row) in counts.iter().enumerate() {
        for (level, &count) in row.iter().enumerate() {
            codes.extend(std::iter::repeat_n(level as u32, count));
            labels.extend(std::iter::repeat_n(class as u32, count));
        }
    }
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let levels = Levels::in_order(["a", "b", "c"].map(String::from).to_vec());
    let layout = Layout::new("y", vec![Feature::category("x", levels)], classes, Weighting::None).unwrap();
    let features = Features::of_codes(CodesView::row_major(&codes, 120, 1).unwrap());
    let source = ViewSource::new(&layout, features, &labels, None).unwrap();
    let stats = train::gather(&source, Parts::all(), None, &Control::new()).unwrap();
    let told = likelihood_of_sums(&stats, SumsModel::NaiveBayes).unwrap();
    let g = 2.0 * 2.0 * (10.0 * 0.5f64.ln() + 30.0 * 1.5f64.ln());
    close(told.deviance, -g, 1e-12);
    assert_eq!(told.parameters, 2.0);
}

#[test]
fn incomplete_rows_are_left_out_for_all_subsets() {
    let values = [1.0, 2.0, f64::NAN, 3.0, 4.0, 5.0];
    let labels = [0, 1, 0];
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let layout = Layout::new("y", ["a", "b"].map(Feature::number).to_vec(), classes, Weighting::None).unwrap();
    let features = Features::of_numbers(MatrixView::row_major(&values, 3, 2).unwrap());
    let source = ViewSource::new(&layout, features, &labels, None).unwrap();
    let complete = CompleteSource::new(&source);
    assert_eq!(complete.incomplete_rows().unwrap(), 1);
    let mut seen = Vec::new();
    complete
        .scan(0, &mut |rows| {
            seen.extend_from_slice(rows.labels);
            Ok(())
        })
        .unwrap();
    assert_eq!(seen, [0, SKIP, 0]);
}
