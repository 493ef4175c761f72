//! Laws of figures on random rows: merging, weights, swapped labels, monotone transforms, sums that add up.

use oddsmith::data::Weighting;
use oddsmith::eval::{
    Auc, EvalSettings, Evaluation, Ranking, Reliability, ScoreScale, ScoredBatch, average_precision, lift, net_benefit, paired_areas,
};
use oddsmith::stats::Statistics;
use proptest::prelude::*;

use crate::support::close;

/// Rows of two classes: a score that is often tied, the label, a whole weight.
fn rows() -> impl Strategy<Value = Vec<(f64, bool, f64)>> {
    let row =
        (0..40u32, any::<bool>(), 0..4u32).prop_map(|(score, event, weight)| (f64::from(score) / 8.0 - 2.5, event, f64::from(weight)));
    prop::collection::vec(row, 0..60)
}

fn judged(rows: &[(f64, bool, f64)], memory: usize) -> Evaluation {
    let mut evaluation = Evaluation::new(2, ScoreScale::LogOdds, EvalSettings { memory, ..EvalSettings::default() });
    let odds: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let probabilities: Vec<f64> = odds.iter().map(|h| 1.0 / (1.0 + (-h).exp())).flat_map(|p| [1.0 - p, p]).collect();
    let labels: Vec<u32> = rows.iter().map(|row| u32::from(row.1)).collect();
    let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
    let rows = ScoredBatch {
        probabilities: &probabilities,
        log_odds: Some(&odds),
        log_true: None,
        labels: &labels,
        weights: Some(&weights),
        first_row: 0,
    };
    evaluation.observe(rows).unwrap();
    evaluation
}

fn same(left: &Evaluation, right: &Evaluation, tolerance: f64) {
    for ((name, left), (_, right)) in left.figures().into_iter().zip(right.figures()) {
        match (left, right) {
            (Ok(left), Ok(right)) => {
                assert!((left.value - right.value).abs() <= tolerance * left.value.abs().max(1.0), "{name}: {left:?} {right:?}");
            }
            (left, right) => assert_eq!(left, right, "{name}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(4), ..ProptestConfig::default() })]

    #[test]
    fn pieces_merge_into_the_whole(rows in rows(), cut in 0..60usize, budget in prop::sample::select(vec![0usize, 200, 1 << 20])) {
        let cut = cut.min(rows.len());
        let whole = judged(&rows, budget);
        let (mut left, right) = (judged(&rows[..cut], budget), judged(&rows[cut..], budget));
        let mut turned = right.clone();
        turned.merge(&left).unwrap();
        left.merge(&right).unwrap();
        same(&whole, &left, 1e-9);
        same(&whole, &turned, 1e-9);
        prop_assert_eq!(whole.kept.exact(), left.kept.exact());
    }

    #[test]
    fn a_row_of_weight_two_is_the_row_twice(rows in rows()) {
        let repeated: Vec<_> = rows.iter().flat_map(|&(score, event, weight)| vec![(score, event, 1.0); weight as usize]).collect();
        same(&judged(&rows, usize::MAX), &judged(&repeated, usize::MAX), 1e-9);
    }

    #[test]
    fn rising_transforms_keep_the_area_and_swapped_labels_mirror_it(rows in rows()) {
        let area = |map: fn(f64) -> f64, swap: bool| {
            let rows = rows.iter().map(|&(score, event, weight)| (map(score), event != swap, weight));
            Auc::of(&Ranking::new(rows, ScoreScale::Order), Weighting::None)
        };
        if let Ok(plain) = area(|s| s, false) {
            prop_assert_eq!(area(|s| s.powi(3), false).unwrap(), plain);
            prop_assert_eq!(area(|s| 1e100 * s - 7.0, false).unwrap(), plain);
            let swapped = area(|s| s, true).unwrap();
            close(swapped.area, 1.0 - plain.area, 1e-12);
            prop_assert_eq!(swapped.variance.is_some(), plain.variance.is_some());
            if let (Some(swapped), Some(plain)) = (swapped.variance, plain.variance) {
                close(swapped, plain, 1e-12);
            }
            close(area(|s| -s, true).unwrap().area, plain.area, 1e-12);
        }
    }

    #[test]
    fn the_area_is_the_share_of_pairs_in_order(rows in rows()) {
        let (mut right, mut pairs) = (0.0, 0.0);
        for event in rows.iter().filter(|row| row.1) {
            for other in rows.iter().filter(|row| !row.1) {
                let order = if event.0 > other.0 { 1.0 } else if event.0 == other.0 { 0.5 } else { 0.0 };
                right += event.2 * other.2 * order;
                pairs += event.2 * other.2;
            }
        }
        let auc = Auc::of(&Ranking::new(rows.iter().copied(), ScoreScale::Order), Weighting::None);
        match auc {
            Ok(auc) => close(auc.area, right / pairs, 1e-12),
            Err(_) => prop_assert_eq!(pairs, 0.0),
        }
    }

    #[test]
    fn bits_and_parts_of_the_brier_score_add_up(rows in rows()) {
        let evaluation = judged(&rows, usize::MAX);
        let value = |name: &str| evaluation.figures().into_iter().find(|(known, _)| *known == name).unwrap().1.map(|e| e.value);
        if let (Ok(bits), Ok(base), Ok(saved)) = (value("bits"), value("base_rate_bits"), value("bits_saved")) {
            close(saved, base - bits, 1e-12);
            close(value("log_loss").unwrap(), bits * std::f64::consts::LN_2, 1e-14);
            let parts = value("brier_reliability").unwrap() - value("brier_resolution").unwrap() + value("brier_uncertainty").unwrap();
            close(value("brier").unwrap(), parts, 1e-12);
        }
    }

    #[test]
    fn bins_bracket_the_exact_area(rows in prop::collection::vec((-8.0f64..8.0, any::<bool>()), 2..400)) {
        let rows: Vec<_> = rows.into_iter().map(|(score, event)| (score + f64::from(u8::from(event)), event, 1.0)).collect();
        let (exact, binned) = (judged(&rows, usize::MAX), judged(&rows, 0));
        prop_assert!(exact.kept.exact() && !binned.kept.exact());
        let area = |evaluation: &Evaluation| Auc::of(&evaluation.ranking().unwrap(), Weighting::None);
        if let (Ok(exact), Ok(binned)) = (area(&exact), area(&binned)) {
            prop_assert!((exact.area - binned.area).abs() <= binned.bound + 1e-15, "{:?} {:?}", exact, binned);
            prop_assert!(binned.bound < 0.01);
        }
    }

    #[test]
    fn a_score_compared_with_itself_differs_by_nothing(rows in rows()) {
        let scores: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let labels: Vec<u32> = rows.iter().map(|row| u32::from(row.1)).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        if let Ok(paired) = paired_areas([&scores, &scores], &labels, Some(&weights), 1, Weighting::Frequency) {
            prop_assert_eq!((paired.difference(), paired.p_value()), (0.0, 1.0));
            let auc = Auc::of(&Ranking::of_labels(&scores, &labels, Some(&weights), 1, ScoreScale::Order), Weighting::Frequency).unwrap();
            close(paired.areas[0], auc.area, 1e-12);
            close(paired.variances[0], auc.variance.unwrap(), 1e-12);
        }
    }

    #[test]
    fn curves_end_where_they_must(rows in rows()) {
        let ranking = judged(&rows, usize::MAX).ranking().unwrap();
        if let Ok(table) = lift(&ranking, 10) {
            close(table[9].gain, 1.0, 1e-12);
            prop_assert!(table.windows(2).all(|pair| pair[0].gain <= pair[1].gain + 1e-12));
        }
        if let Ok(precision) = average_precision(&ranking) {
            prop_assert!((0.0..=1.0 + 1e-12).contains(&precision));
        }
        if let Ok(curve) = net_benefit(&ranking, &[1e-9, 0.5, 0.9]) {
            // At a threshold below every probability the model acts on all rows.
            close(curve[0].model, curve[0].all, 1e-12);
        }
        if let Ok(curve) = Reliability::of(&ranking, Weighting::None) {
            prop_assert!(curve.steps.windows(2).all(|pair| pair[0].observed < pair[1].observed && pair[0].range.1 < pair[1].range.0));
            let events: f64 = curve.steps.iter().map(|step| step.weight * step.observed).sum();
            close(events, ranking.events_weight, 1e-9);
        }
    }
}
