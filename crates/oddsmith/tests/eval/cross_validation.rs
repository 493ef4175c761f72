//! Cross-validation: all folds from one pass equal separate fits, groups stay together, and predictions keep the order of rows.

use oddsmith::control::Control;
use oddsmith::data::{Features, Rows, SKIP, Source, ViewSource, Weighting};
use oddsmith::eval::{EvalSettings, Evaluation};
use oddsmith::model::{AnyLearner, Scores};
use oddsmith::num::MatrixView;
use oddsmith::registry;
use oddsmith::train::{self, ColumnSource, CrossValidation, FoldSpec, MaskedSource, paired_loss};

use crate::population::{Population, figure};
use crate::support::close;

const FOLDS: usize = 7;

fn learner(name: &str) -> Box<dyn AnyLearner> {
    registry::find(name).unwrap().learner().unwrap()
}

fn dealt<'a>(source: &'a dyn Source, control: &'a Control) -> CrossValidation<'a> {
    CrossValidation::new(source, FoldSpec { folds: FOLDS, seed: 3, groups: None }, None, control).unwrap()
}

/// Adding the sums of folds is another order of addition than a separate pass, so scores agree to rounding: ten digits here.
const ROUNDING: f64 = 1e-10;

#[test]
fn folds_of_one_pass_equal_separate_fits() {
    let rows = Population::new(20_000, 0.3, [1.0, 1.0], 21);
    let (source, control) = (rows.source(), Control::new());
    let folds = dealt(&source, &control);
    let names = ["nb", "gaussian-nb", "bernoulli-nb", "lda", "qda"];
    let learners: Vec<_> = names.iter().map(|name| learner(name)).collect();
    let tables = folds.gather(&learners.iter().map(|learner| &**learner).collect::<Vec<_>>()).unwrap();
    for (name, learner) in names.iter().zip(&learners) {
        let models = folds.models(&**learner, tables.as_ref()).unwrap();
        for (fold, model) in models.iter().enumerate() {
            // A fit to a copy of the other folds' rows, by the plain driver.
            let kept: Vec<usize> = (0..rows.labels.len()).filter(|&i| usize::from(folds.folds().of_rows()[i]) != fold).collect();
            let values: Vec<f64> =
                kept.iter().flat_map(|&i| (0..3).map(move |j| (i, j))).map(|(i, j)| rows.features().numbers.get(i, j)).collect();
            let labels: Vec<u32> = kept.iter().map(|&i| rows.labels[i]).collect();
            let features = Features::of_numbers(MatrixView::row_major(&values, kept.len(), 3).unwrap());
            let separate =
                train::fit(learner, &ViewSource::new(source.layout(), features, &labels, None).unwrap(), None, &control).unwrap().model;
            let (mut left, mut right) = (Scores::new(), Scores::new());
            model.score(&rows.features(), &mut left).unwrap();
            separate.score(&rows.features(), &mut right).unwrap();
            for (left, right) in left.values().iter().zip(right.values()) {
                assert!((left - right).abs() <= ROUNDING * right.abs().max(1.0), "{name}, fold {fold}: {left} {right}");
            }
        }
    }
}

#[test]
fn every_row_is_predicted_by_the_model_of_its_fold_in_the_order_of_rows() {
    let rows = Population::new(20_000, 0.3, [1.0, 1.0], 22);
    let (source, control) = (rows.source(), Control::new());
    let folds = dealt(&source, &control);
    let models = vec![folds.models(&*learner("lda"), None).unwrap()];
    let scored = &folds.out_of_fold(&models).unwrap()[0];
    assert_eq!(scored.labels(), rows.labels);
    let mut scores = Scores::new();
    for (fold, model) in models[0].iter().enumerate() {
        model.score_relative(&rows.features(), &mut scores).unwrap();
        for i in (0..rows.labels.len()).filter(|&i| usize::from(folds.folds().of_rows()[i]) == fold) {
            assert_eq!(scored.log_odds()[i], scores.row(i)[1] - scores.row(i)[0]);
        }
    }
    // Threads change nothing.
    let one =
        CrossValidation::new(&source, FoldSpec { folds: FOLDS, seed: 3, groups: None }, std::num::NonZeroUsize::new(1), &control).unwrap();
    let again = &one.out_of_fold(&[one.models(&*learner("lda"), None).unwrap()]).unwrap()[0];
    assert_eq!(again.log_odds(), scored.log_odds());
}

#[test]
fn standings_are_the_same_bits_for_every_number_of_threads() {
    let rows = Population::new(20_000, 0.3, [1.0, 1.0], 27);
    let (source, control) = (rows.source(), Control::new());
    let names = ["nb", "lda", "bernoulli-nb"];
    let judged = |threads: usize| {
        let threads = std::num::NonZeroUsize::new(threads);
        let folds = CrossValidation::new(&source, FoldSpec { folds: FOLDS, seed: 3, groups: None }, threads, &control).unwrap();
        let learners: Vec<_> = names.iter().map(|name| learner(name)).collect();
        let tables = folds.gather(&learners.iter().map(|learner| &**learner).collect::<Vec<_>>()).unwrap();
        let models: Vec<_> = learners.iter().map(|learner| folds.models(&**learner, tables.as_ref()).unwrap()).collect();
        let scored = folds.out_of_fold(&models).unwrap();
        assert!(scored.iter().all(|table| table.silent() == 0));
        train::metrics_of(&scored, 2, &EvalSettings::default(), threads).unwrap()
    };
    let one = judged(1);
    assert_eq!(one.len(), names.len());
    assert!((2..5).all(|threads| judged(threads) == one));
    // ScoredBatch piece by piece or as a whole, the figures are those of an evaluation.
    let folds = dealt(&source, &control);
    let scored = &folds.out_of_fold(&[folds.models(&*learner("lda"), None).unwrap()]).unwrap()[0];
    let metrics = &train::metrics_of(std::slice::from_ref(scored), 2, &EvalSettings::default(), None).unwrap()[0];
    let whole = scored.evaluated(EvalSettings::default()).unwrap();
    for (name, own) in [("bits", &metrics.bits), ("brier", &metrics.brier), ("auc", &metrics.auc), ("calibration_slope", &metrics.slope)] {
        assert_eq!(&figure(&whole, name), own.as_ref().unwrap(), "{name}");
    }
}

#[test]
fn iterative_models_are_refitted_over_the_other_folds() {
    let rows = Population::new(3_000, 0.3, [1.0, 1.0], 23);
    let (source, control) = (rows.source(), Control::new());
    let folds = dealt(&source, &control);
    let models: Vec<_> = ["logistic", "lda"].iter().map(|name| folds.models(&*learner(name), None).unwrap()).collect();
    let scored = folds.out_of_fold(&models).unwrap();
    let judged: Vec<Evaluation> = scored.iter().map(|table| table.evaluated(EvalSettings::default()).unwrap()).collect();
    // The world is one of normal classes, so both estimate the same line and neither is clearly better.
    close(figure(&judged[0], "bits").value, figure(&judged[1], "bits").value, 0.005);
    let paired = paired_loss(&scored[0], &scored[1], Weighting::None).unwrap();
    assert!(paired.p_value > 0.001 && paired.difference.value.abs() < 0.005, "{paired:?}");
    let itself = paired_loss(&scored[0], &scored[0], Weighting::None).unwrap();
    assert_eq!((itself.difference.value, itself.p_value), (0.0, 1.0));
    // Gaussian naive Bayes counts a column twice and must be found worse.
    let naive = folds.out_of_fold(&[folds.models(&*learner("gaussian-nb"), None).unwrap()]).unwrap();
    assert!(paired_loss(&naive[0], &scored[1], Weighting::None).unwrap().p_value < 1e-6);
}

#[test]
fn groups_never_straddle_folds_and_wrong_ones_are_refused() {
    let rows = Population::new(500, 0.4, [1.0, 1.0], 25);
    let (source, control) = (rows.source(), Control::new());
    let groups: Vec<u32> = (0..500).map(|i| i / 7).collect();
    let folds = CrossValidation::new(&source, FoldSpec { folds: 5, seed: 1, groups: Some(&groups) }, None, &control).unwrap();
    let of_rows = folds.folds().of_rows();
    assert!((1..500).all(|i| groups[i] != groups[i - 1] || of_rows[i] == of_rows[i - 1]));
    let refused = CrossValidation::new(&source, FoldSpec { folds: 5, seed: 1, groups: Some(&groups[1..]) }, None, &control);
    assert_eq!(refused.err().unwrap().to_string(), "499 groups come with 500 rows");
}

#[test]
fn a_fault_in_a_row_keeps_its_number() {
    let mut values: Vec<f64> = (0..600).map(|i| f64::from(i % 17)).collect();
    values[2 * 137 + 1] = f64::INFINITY;
    let labels: Vec<u32> = (0..300).map(|i| i % 2).collect();
    let population = Population::new(10, 0.5, [1.0, 1.0], 26);
    let layout = population.source().layout().select(&[0, 1]).unwrap();
    let features = Features::of_numbers(MatrixView::row_major(&values, 300, 2).unwrap());
    let (source, control) = (ViewSource::new(&layout, features, &labels, None).unwrap(), Control::new());
    let error = dealt(&source, &control).gather(&[&*learner("lda")]).err().unwrap().to_string();
    assert!(error.contains("row 138"), "{error}");
}

#[test]
fn columns_and_masks_show_what_they_say() {
    let rows = Population::new(1_000, 0.4, [1.0, 1.0], 27);
    let (source, control) = (rows.source(), Control::new());
    let narrow = ColumnSource::new(&source, &[2, 0]).unwrap();
    assert_eq!(narrow.layout().names(), ["c", "a"]);
    let folds = dealt(&source, &control);
    let masked = MaskedSource::new(&narrow, folds.folds(), (0..FOLDS).map(|fold| fold == 2).collect()).unwrap();
    let mut seen = 0;
    masked
        .scan(0, &mut |batch: Rows<'_>| {
            for (i, label) in batch.labels.iter().enumerate() {
                assert_eq!(batch.features.numbers.get(i, 0), rows.features().numbers.get(i, 2));
                assert_eq!(*label == SKIP, folds.folds().of_rows()[i] != 2);
                seen += 1;
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(seen, 1_000);
    assert!(MaskedSource::new(&narrow, folds.folds(), vec![true]).is_err());
}
