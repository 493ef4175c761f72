//! What discriminants refuse, what they put up with, and how they say so.

use std::sync::Arc;

use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Layout, Levels, SKIP, ViewSource, Vocabulary, Weighting, WordValue};
use oddsmith::model::discriminant::{DiscriminantParams, Lda, Qda};
use oddsmith::model::{BoxedStats, Classifier, Learner, PassInfo, Predictions, Predictor, Shrinkage, Step};
use oddsmith::num::MatrixView;
use oddsmith::stats::{Parts, TableStats};
use oddsmith::{Error, ErrorKind, notice, registry, train};

/// Rows of two columns in two classes; further columns are made from them.
const ROWS: [(u32, f64, f64); 12] = [
    (0, 1.0, 2.0),
    (0, 2.0, 1.5),
    (0, 2.5, 4.0),
    (0, 0.5, 3.0),
    (0, 1.5, 0.0),
    (0, 3.0, 1.0),
    (1, 4.0, 2.5),
    (1, 5.5, 4.0),
    (1, 3.5, 1.0),
    (1, 4.5, 5.0),
    (1, 6.0, 3.5),
    (1, 5.0, 0.5),
];

struct Table {
    layout: Layout,
    values: Vec<f64>,
    labels: Vec<u32>,
}

impl Table {
    fn new(columns: &[&str], row: impl Fn(u32, f64, f64) -> Vec<f64>) -> Table {
        let features = columns.iter().map(|name| Feature::number(*name)).collect();
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        Table {
            layout: Layout::new("ill", features, classes, Weighting::None).unwrap(),
            values: ROWS.iter().flat_map(|&(label, a, b)| row(label, a, b)).collect(),
            labels: ROWS.iter().map(|row| row.0).collect(),
        }
    }

    fn features(&self) -> Features<'_> {
        features(&self.values, self.layout.features().len())
    }

    fn fit<L: Learner>(&self, learner: &L) -> Result<L::Model, Error> {
        let source = ViewSource::new(&self.layout, self.features(), &self.labels, None).unwrap();
        train::fit(learner, &source, None, &Control::new()).map(|fitted| fitted.model)
    }

    fn refusal<L: Learner>(&self, learner: &L) -> String {
        match self.fit(learner) {
            Ok(_) => panic!("the fit went through"),
            Err(error) => error.to_string(),
        }
    }
}

fn features(values: &[f64], width: usize) -> Features<'_> {
    Features::of_numbers(MatrixView::row_major(values, values.len() / width, width).unwrap())
}

fn probabilities(model: &dyn Classifier, rows: &Features<'_>) -> Vec<f64> {
    let mut out = Predictions::new();
    Predictor::new(model).predict(rows, &mut out).unwrap();
    out.probabilities().to_vec()
}

fn same(left: &[f64], right: &[f64], tolerance: f64) {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).for_each(|(a, b)| assert!((a - b).abs() <= tolerance, "{a} is not {b}"));
}

fn shrunk(shrinkage: Shrinkage) -> DiscriminantParams {
    DiscriminantParams { shrinkage, ..DiscriminantParams::default() }
}

fn notices(model: &dyn Classifier) -> Vec<String> {
    model.card().notices.iter().map(ToString::to_string).collect()
}

#[test]
fn an_aliased_column_is_named_and_changes_nothing() {
    let plain = Table::new(&["a", "b"], |_, a, b| vec![a, b]);
    let aliased = Table::new(&["a", "twice", "b", "mixed"], |_, a, b| vec![a, 2.0 * a, b, 10.0 + a - 3.0 * b]);
    let expected = [
        "W210 twice is exactly a combination of other columns, twice = 2·a; the discriminant does without it",
        "W210 mixed is exactly a combination of other columns, mixed = a − 3·b + 10; the discriminant does without it",
    ];
    let lda = (plain.fit(&Lda::default()).unwrap(), aliased.fit(&Lda::default()).unwrap());
    let qda = (plain.fit(&Qda::default()).unwrap(), aliased.fit(&Qda::default()).unwrap());
    let pairs: [(&dyn Classifier, &dyn Classifier); 2] = [(&lda.0, &lda.1), (&qda.0, &qda.1)];
    for (small, large) in pairs {
        assert_eq!(notices(large), expected);
        let wanted = probabilities(small, &plain.features());
        same(&probabilities(large, &aliased.features()), &wanted, 1e-13);
        // A column stands in for those it is a combination of.
        let without_a: Vec<f64> = aliased.values.chunks(4).flat_map(|row| [f64::NAN, row[1], row[2], row[3]]).collect();
        same(&probabilities(large, &features(&without_a, 4)), &wanted, 1e-9);
        let from_mixed: Vec<f64> = aliased.values.chunks(4).flat_map(|row| [row[0], f64::NAN, f64::NAN, row[3]]).collect();
        same(&probabilities(large, &features(&from_mixed, 4)), &wanted, 1e-9);
    }
}

#[test]
fn an_almost_aliased_column_is_named_as_such() {
    let table = Table::new(&["a", "near", "b"], |_, a, b| vec![a, 2.0 * a + 1e-6 * (b * 7.0).sin(), b]);
    let model = table.fit(&Lda::default()).unwrap();
    assert_eq!(
        notices(&model),
        ["W210 near is almost exactly a combination of other columns, near = 2·a; the discriminant does without it"]
    );
    // Ten thousand times more noise makes it a column of its own.
    let table = Table::new(&["a", "near", "b"], |_, a, b| vec![a, 2.0 * a + 1e-2 * (b * 7.0).sin(), b]);
    assert!(notices(&table.fit(&Lda::default()).unwrap()).is_empty());
}

#[test]
fn a_constant_column_drops_out_exactly() {
    let plain = Table::new(&["a", "b"], |_, a, b| vec![a, b]);
    let padded = Table::new(&["a", "c", "b"], |_, a, b| vec![a, 0.1, b]);
    for shrinkage in [Shrinkage::None, Shrinkage::LedoitWolf] {
        let model = padded.fit(&Lda::new(shrunk(shrinkage))).unwrap();
        assert_eq!(notices(&model), ["W201 c is 0.1 in every row; it says nothing about the class and was left out"]);
        let without = plain.fit(&Lda::new(shrunk(shrinkage))).unwrap();
        assert_eq!(probabilities(&model, &padded.features()), probabilities(&without, &plain.features()));
    }
    let only = Table::new(&["c"], |_, _, _| vec![7.0]);
    same(&probabilities(&only.fit(&Qda::default()).unwrap(), &only.features())[..2], &[0.5, 0.5], 1e-15);
}

#[test]
fn perfect_separation_within_classes_is_refused() {
    let table = Table::new(&["a", "code"], |label, a, _| vec![a, f64::from(label)]);
    assert_eq!(
        table.refusal(&Lda::new(shrunk(Shrinkage::Fixed(0.5)))),
        "column `code` is constant within every class and differs between them (0 for `no`, 1 for `yes`), so it tells the classes apart \
         without error and its density has no width; leave `code` out"
    );
    let table = Table::new(&["a", "b", "sum"], |label, a, b| vec![a, b, a + b + f64::from(label)]);
    assert_eq!(
        table.refusal(&Lda::default()),
        "column `sum` is a combination of others within every class (sum = a + b), with another constant in each: it tells the classes apart \
         without error; shrink the covariances (shrinkage=ledoit-wolf), leave columns out, or use naive Bayes"
    );
    assert!(table.fit(&Lda::new(shrunk(Shrinkage::Fixed(0.1)))).is_ok());
    assert!(table.fit(&Lda::new(DiscriminantParams { predictive: true, ..DiscriminantParams::default() })).is_ok());
}

#[test]
fn more_columns_than_rows_is_refused_without_shrinkage() {
    let names: Vec<String> = (0..15).map(|j| format!("x{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let wide = |_: u32, a: f64, b: f64| (0..15).map(|j| (a * (j as f64 + 1.3)).sin() + (b * (j as f64 - 0.7)).cos()).collect();
    let table = Table::new(&names, wide);
    assert_eq!(
        table.refusal(&Lda::default()),
        "12 rows in 2 classes are too few for the covariance of 15 columns, which takes 17 rows or more; shrink the covariances \
         (shrinkage=ledoit-wolf), leave columns out, or use naive Bayes"
    );
    for settings in [
        shrunk(Shrinkage::LedoitWolf),
        shrunk(Shrinkage::Fixed(0.2)),
        DiscriminantParams { predictive: true, ..DiscriminantParams::default() },
    ] {
        let lda = table.fit(&Lda::new(settings.clone())).unwrap();
        let qda = table.fit(&Qda::new(settings)).unwrap();
        for model in [&lda as &dyn Classifier, &qda] {
            assert!(probabilities(model, &table.features()).iter().all(|p| p.is_finite()));
        }
    }
}

#[test]
fn a_class_on_a_smaller_space_than_the_others_is_refused() {
    let advice = "shrink the covariances (shrinkage=ledoit-wolf), leave columns out, or use lda, which pools the classes";
    let table = Table::new(&["a", "b"], |label, a, b| vec![a, if label == 0 { b } else { 3.0 * a - 1.0 }]);
    assert_eq!(
        table.refusal(&Qda::default()),
        format!("within class `yes` columns are combinations of each other (b = 3·a), but not in every class; {advice}")
    );
    let table = Table::new(&["a", "b"], |label, a, b| vec![a, if label == 0 { b } else { 2.0 }]);
    assert_eq!(
        table.refusal(&Qda::default()),
        format!("column `b` does not vary within class `yes`, so the class has no density over the columns of the others; {advice}")
    );
    assert!(table.fit(&Qda::new(shrunk(Shrinkage::Fixed(0.1)))).is_ok());
    assert!(table.fit(&Lda::default()).is_ok());
    let mut few = Table::new(&["a", "b"], |_, a, b| vec![a, b]);
    few.labels[2..6].fill(SKIP);
    assert_eq!(
        few.refusal(&Qda::default()),
        format!("class `no` has 2 rows, too few for a covariance matrix of its own over 2 columns, which takes 3 rows or more; {advice}")
    );
}

#[test]
fn targets_that_teach_nothing_are_refused() {
    let table = |labels: [u32; 12]| Table { labels: labels.to_vec(), ..Table::new(&["a", "b"], |_, a, b| vec![a, b]) };
    assert_eq!(
        table([0; 12]).refusal(&Lda::default()),
        "column `ill`: the target has one class: no (12 rows); two classes or more are needed"
    );
    assert_eq!(table([SKIP; 12]).refusal(&Qda::default()), "there are no rows to learn from");
    let mut three = Table::new(&["a", "b"], |_, a, b| vec![a, b]);
    let classes = Classes::new(vec!["no".into(), "yes".into(), "maybe".into()]).unwrap();
    three.layout = Layout::new("ill", three.layout.features().to_vec(), classes, Weighting::None).unwrap();
    assert_eq!(three.refusal(&Lda::default()), "column `ill`: class `maybe` has no rows; leave it out of the classes");
    let gaps = Table::new(&["a", "b"], |label, a, b| vec![a, if label == 0 { f64::NAN } else { b }]);
    assert_eq!(
        gaps.refusal(&Lda::default()),
        "column `ill`: class `no` has no row without a missing number; leave out the columns with gaps, or use naive Bayes"
    );
}

#[test]
fn incomplete_rows_are_left_out_and_counted() {
    let mut table = Table::new(&["a", "b"], |_, a, b| vec![a, b]);
    table.values[4] = f64::NAN;
    let model = table.fit(&Lda::default()).unwrap();
    assert_eq!(notices(&model), ["W121 1 of 12 rows excluded from the fit for missing values; when predicting, gaps are integrated out"]);
    let mut shorter = Table::new(&["a", "b"], |_, a, b| vec![a, b]);
    shorter.labels[2] = SKIP;
    assert_eq!(probabilities(&model, &table.features()), probabilities(&shorter.fit(&Lda::default()).unwrap(), &table.features()));
}

#[test]
fn columns_of_text_are_named() {
    let words = Feature::words("note", Vocabulary::Listed(vec!["a".into()]), WordValue::Count);
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let layout = Arc::new(Layout::new("low", vec![Feature::number("age"), words], classes, Weighting::None).unwrap());
    let error = Lda::default().begin(&layout, &PassInfo::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }));
    assert_eq!(
        error.to_string(),
        "lda cannot use `note` (text), only numbers, categories and booleans: leave `note` out, or use nb, which takes every kind"
    );
}

#[test]
fn a_category_of_one_level_is_no_column() {
    let features = vec![Feature::category("race", Levels::in_order(vec!["a".into()]))];
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let layout = Arc::new(Layout::new("low", features, classes, Weighting::None).unwrap());
    let error = Lda::default().begin(&layout, &PassInfo::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no number column and no category of two levels for lda");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let build = |model: &str| registry::parse(model).and_then(|(entry, params)| (entry.build)(&params));
    let refusal = |model: &str| build(model).err().unwrap().to_string();
    assert!(refusal("qda(predictive, shrinkage=0.1)").starts_with("shrinkage = 0.1"));
    assert!(refusal("qda(predictive, divisor=ml)").starts_with("divisor = ml"));
    assert!(refusal("qda(smoothing=1)").contains("it has prior-smoothing, prior, divisor, predictive, shrinkage"));
    assert!(build("qda(prior-smoothing=-1)").is_err());
    assert!(build("qda(shrinkage=1.5)").is_err());
}

#[test]
fn statistics_gathered_earlier_give_the_same_model() {
    let table = Table::new(&["a", "b"], |_, a, b| vec![a, b]);
    let source = ViewSource::new(&table.layout, table.features(), &table.labels, None).unwrap();
    let stats = train::pass(&source, &TableStats::new(Arc::new(table.layout.clone()), Parts::all()), None, &Control::new()).unwrap();
    for name in ["lda", "qda"] {
        let entry = registry::find(name).unwrap();
        let learner = entry.learner().unwrap();
        let Step::Done(model) = learner.finish(&BoxedStats::new(stats.clone())).unwrap() else { panic!("one pass is enough") };
        let direct = train::fit(&learner, &source, None, &Control::new()).unwrap().model;
        same(&probabilities(&model, &table.features()), &probabilities(&direct, &table.features()), 1e-13);
        let shrunk = (entry.build)(&entry.defaults().with("shrinkage", "ledoit-wolf").unwrap()).unwrap();
        let error = shrunk.finish(&BoxedStats::new(stats.clone())).err().unwrap();
        assert_eq!(
            error.to_string(),
            format!(
                "{name} cannot estimate ledoit-wolf shrinkage from statistics: it takes a second pass over the rows; fit from the data, or \
                 shrink by a share from 0 to 1 (shrinkage)"
            )
        );
    }
}

#[test]
fn every_notice_is_explained() {
    for id in [notice::SINGULAR, notice::CONSTANT_COLUMN, notice::MISSING_VALUES] {
        assert!(notice::page(id).is_some());
    }
}
