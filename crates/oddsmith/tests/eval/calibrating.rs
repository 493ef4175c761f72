//! Repaired probabilities: case–control samples, class proportions of unlabelled rows, calibration maps, stored rules.

use oddsmith::calibrate::{Adjusted, CalibrationMap, Method, estimate_proportions, shift, undo_fractions};
use oddsmith::data::Source;
use oddsmith::eval::EvalSettings;
use oddsmith::model::{Classifier, Contributions, Costs, Decision, Predictions, Predictor, Scale};
use oddsmith::persist;
use oddsmith::train::{ScoredTable, calibrated_out_of_fold};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::population::{Population, covers, figure};
use crate::support::close;

/// The event's share in the world, and how many of the others a case–control study keeps for each case.
const RATE: f64 = 0.05;
const KEEP: [f64; 2] = [0.05, 1.0];

#[test]
fn a_case_control_sample_is_calibrated_after_correction_and_not_before() {
    let sample = Population::new(60_000, RATE, KEEP, 1);
    let world = Population::new(20_000, RATE, [1.0, 1.0], 2);
    let before = world.judge(&*sample.fit("lda"));
    assert!(!covers(&before, "calibration_intercept", 0.0), "{:?}", figure(&before, "calibration_intercept"));
    // Sampling by class moves the log odds by log(f1/f0), here log 20, and nothing else.
    close(figure(&before, "calibration_intercept").value, (KEEP[0] / KEEP[1]).ln(), 0.15);

    let offsets = undo_fractions(&KEEP).unwrap();
    let corrected =
        Adjusted::calibrated(sample.fit("lda"), CalibrationMap::Affine { slope: 1.0, offsets }, ("mix", String::new())).unwrap();
    let after = world.judge(&corrected);
    assert!(covers(&after, "calibration_intercept", 0.0), "{:?}", figure(&after, "calibration_intercept"));
    assert!(covers(&after, "calibration_slope", 1.0), "{:?}", figure(&after, "calibration_slope"));
    assert!(figure(&after, "bits").value < figure(&before, "bits").value - 0.1);
    assert_eq!(figure(&after, "auc").value, figure(&before, "auc").value);

    // The known prevalence gives the same correction as the known fractions, up to the luck of the draw.
    let cases = sample.labels.iter().filter(|label| **label == 1).count() as f64 / sample.labels.len() as f64;
    let offsets = shift(&[1.0 - cases, cases], &[1.0 - RATE, RATE]).unwrap();
    let known = Adjusted::calibrated(sample.fit("lda"), CalibrationMap::Affine { slope: 1.0, offsets }, ("mix", String::new())).unwrap();
    assert!(covers(&world.judge(&known), "calibration_intercept", 0.0));
    // A model of the joint distribution does the same by its prior.
    let model = sample.fit("lda");
    let generative = model.generative().unwrap().with_log_prior(vec![(1.0 - RATE).ln(), RATE.ln()]);
    let (mut left, mut right) = (Predictions::new(), Predictions::new());
    Predictor::new(&known).predict(&world.features(), &mut left).unwrap();
    Predictor::new(&generative).predict(&world.features(), &mut right).unwrap();
    left.probabilities().iter().zip(right.probabilities()).for_each(|(left, right)| close(*left, *right, 1e-12));
}

#[test]
fn slopes_stay_and_the_intercept_moves_by_the_known_amount() {
    let model = Population::new(1_000, RATE, KEEP, 3).fit("lda");
    let plain = model.linear().unwrap().weights(model.layout());
    let moved =
        Adjusted::calibrated(model, CalibrationMap::Affine { slope: 1.0, offsets: vec![0.5, -2.0] }, ("mix", String::new())).unwrap();
    let shifted = moved.linear().unwrap().weights(moved.layout());
    close(shifted[0].values[1], plain[0].values[1] - 2.5, 1e-12);
    assert_eq!(plain[1..], shifted[1..]);
}

#[test]
fn the_class_proportions_of_unlabelled_rows_are_found() {
    let sample = Population::new(4_000, 0.5, [1.0, 1.0], 4);
    let model = sample.fit("lda");
    for (rate, seed) in [(0.05, 5), (0.3, 6), (0.8, 7)] {
        let world = Population::new(20_000, rate, [1.0, 1.0], seed);
        let mut out = Predictions::new();
        Predictor::new(&model).predict(&world.features(), &mut out).unwrap();
        let from: Vec<f64> = model.generative().unwrap().log_prior().iter().map(|p| p.exp()).collect();
        let mix = estimate_proportions(out.probabilities(), &from).unwrap();
        let error = mix.standard_error.unwrap();
        assert!((mix.proportions[1] - rate).abs() < 4.0 * error && error < 0.02, "{mix:?}");
        close(mix.proportions.iter().sum(), 1.0, 1e-12);
    }
}

#[test]
fn every_method_repairs_an_overconfident_model() {
    let model = Population::new(4_000, 0.3, [1.0, 1.0], 8).fit("gaussian-nb");
    let (held_out, fresh) = (Population::new(6_000, 0.3, [1.0, 1.0], 9), Population::new(20_000, 0.3, [1.0, 1.0], 10));
    let before = fresh.judge(&*model);
    assert!(figure(&before, "calibration_slope").interval.unwrap().1 < 0.8);
    let mut rows = ScoredTable::new(2);
    (0..held_out.source().partitions())
        .for_each(|partition| held_out.source().scan(partition, &mut |batch| rows.add(&*model, batch)).unwrap());
    for method in Method::ALL {
        let (map, out_of_fold) = calibrated_out_of_fold(&rows, method, 10, 1, EvalSettings::default()).unwrap();
        let inner = persist::load_model(&persist::save_model(&*model).unwrap()).unwrap();
        let calibrated = Adjusted::calibrated(inner, map, ("calibration", method.to_string())).unwrap();
        let after = fresh.judge(&calibrated);
        assert!(figure(&after, "bits").value < figure(&before, "bits").value - 0.01, "{method}");
        // One factor for all log odds cannot move them as a whole, and this model needs that too.
        if method != Method::Temperature {
            assert!(figure(&after, "brier_reliability").value < 0.3 * figure(&before, "brier_reliability").value, "{method}");
            assert!(figure(&after, "ece").value < 0.03, "{method}");
        }
        if matches!(method, Method::Platt | Method::Beta) {
            assert!((figure(&after, "calibration_slope").value - 1.0).abs() < 0.1, "{method}");
        }
        if method != Method::Isotonic {
            close(figure(&after, "auc").value, figure(&before, "auc").value, 1e-12);
        }
        // What the folds promise is what fresh rows show.
        close(figure(&out_of_fold, "bits").value, figure(&after, "bits").value, 0.03);
        stored_model_scores_the_same_bits(&calibrated, &fresh);
    }
}

fn stored_model_scores_the_same_bits(model: &dyn Classifier, rows: &Population) {
    let bytes = persist::save_model(model).unwrap();
    let back = persist::load_model(&bytes).unwrap();
    assert_eq!(persist::save_model(&*back).unwrap(), bytes);
    let (mut left, mut right) = (Predictions::new(), Predictions::new());
    Predictor::new(model).predict(&rows.features(), &mut left).unwrap();
    Predictor::new(&*back).predict(&rows.features(), &mut right).unwrap();
    assert_eq!(left.scores().values(), right.scores().values());
    assert_eq!((model.decision(), model.scale(), model.card()), (back.decision(), back.scale(), back.card()));
}

#[test]
fn decisions_are_stored_with_any_model_and_wrappers_nest() {
    let rows = Population::new(500, 0.3, [1.0, 1.0], 11);
    for decision in [
        Decision::Threshold(0.2),
        Decision::Costs(Costs::equal(2, Some(0.1)).unwrap()),
        Decision::Costs(Costs::new(vec![0.0, 1.0, 7.0, 0.0], None, 2).unwrap()),
    ] {
        let model = Adjusted::decided(rows.fit("qda"), decision.clone(), ("class called", decision.describe())).unwrap();
        assert_eq!((model.decision(), model.scale()), (decision, Scale::LogJoint));
        assert!(model.generative().is_some());
        stored_model_scores_the_same_bits(&model, &rows);
        let map = CalibrationMap::Affine { slope: 0.5, offsets: vec![0.0, 1.0] };
        let nested = Adjusted::calibrated(Box::new(model), map, ("calibration", "half".into())).unwrap();
        assert_eq!(nested.decision(), Decision::MostProbable);
        stored_model_scores_the_same_bits(&nested, &rows);
    }
    assert!(Adjusted::decided(rows.fit("qda"), Decision::Threshold(7.0), ("", String::new())).is_err());
}

#[test]
fn evidence_of_an_affine_map_adds_up_and_a_bent_curve_has_none() {
    let rows = Population::new(300, 0.3, [1.0, 1.0], 12);
    let map = CalibrationMap::Affine { slope: 0.7, offsets: vec![0.1, -0.4] };
    let model = Adjusted::calibrated(rows.fit("gaussian-nb"), map, ("calibration", String::new())).unwrap();
    let (mut out, mut evidence) = (Predictions::new(), Contributions::new());
    Predictor::new(&model).predict(&rows.features(), &mut out).unwrap();
    model.contributions().unwrap().contribute(&rows.features(), &mut evidence).unwrap();
    for i in 0..rows.labels.len() {
        for k in 0..2 {
            let total = evidence.base()[k] + (0..3).map(|j| evidence.addends(i, j)[k]).sum::<f64>();
            close(total, out.scores().row(i)[k], 1e-12);
        }
    }
    let mut table = ScoredTable::new(2);
    rows.source().scan(0, &mut |batch| table.add(&model, batch)).unwrap();
    let curve = Method::Isotonic.fit(&table.held_out()).unwrap();
    let bent = Adjusted::calibrated(Box::new(model), curve, ("calibration", String::new())).unwrap();
    assert!(bent.contributions().err().unwrap().to_string().contains("bends"));
    assert!(bent.linear().is_none());
}

#[test]
fn three_classes_are_calibrated_one_against_the_rest() {
    let classes = 3;
    // Scores that are three times too far apart.
    let (mut scores, mut labels, mut random) = (Vec::new(), Vec::new(), ChaCha8Rng::seed_from_u64(1));
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    for _ in 0..6_000 {
        let logits: Vec<f64> = (0..classes).map(|_| 2.0 * uniform() - 1.0).collect();
        let total: f64 = logits.iter().map(|h| h.exp()).sum();
        let mut left = uniform();
        let label = (0..classes).find(|&k| {
            left -= logits[k].exp() / total;
            left < 0.0
        });
        labels.push(label.unwrap_or(classes - 1) as u32);
        scores.extend(logits.iter().map(|h| 3.0 * h));
    }
    let rows = oddsmith::calibrate::HeldOut { classes, scores: &scores, labels: &labels, weights: None };
    match Method::Temperature.fit(&rows).unwrap() {
        CalibrationMap::Affine { slope, .. } => assert!((slope - 1.0 / 3.0).abs() < 0.03, "{slope}"),
        other => panic!("{other:?}"),
    }
    for method in [Method::Platt, Method::Isotonic, Method::Beta] {
        let map = method.fit(&rows).unwrap();
        let loss = |adjust: bool| {
            let each = scores.chunks_exact(classes).zip(&labels).map(|(row, label)| {
                let mut row = row.to_vec();
                if adjust {
                    map.apply(&mut row);
                }
                oddsmith::num::log_sum_exp(&row) - row[*label as usize]
            });
            each.sum::<f64>() / labels.len() as f64
        };
        assert!(loss(true) < loss(false) - 0.1, "{method}: {} {}", loss(true), loss(false));
    }
}

#[test]
fn what_cannot_be_calibrated_says_why() {
    let refused = |scores: &[f64], labels: &[u32], method: Method| {
        method.fit(&oddsmith::calibrate::HeldOut { classes: 2, scores, labels, weights: None }).unwrap_err().to_string()
    };
    assert!(refused(&[], &[], Method::Platt).contains("no rows"));
    for method in [Method::Platt, Method::Isotonic, Method::Beta] {
        assert!(refused(&[0.0, 1.0, 0.0, 2.0], &[1, 1], method).contains("only one class"), "{method}");
    }
    assert!(refused(&[0.0, f64::NEG_INFINITY, 0.0, 2.0], &[0, 1], Method::Platt).contains("infinite log odds"));
    assert!(refused(&[0.0, 2.0, 0.0, -2.0, 0.0, 1.0, 0.0, -1.0], &[0, 1, 0, 1], Method::Platt).contains("fewer events"));
    assert!(shift(&[0.5, 0.5], &[1.0, 0.0]).is_err() && undo_fractions(&[0.0, 1.0]).is_err());
}
