//! A model gives probabilities, can account for them, and is the same after it was stored.

use std::sync::Arc;

use oddsmith::data::{Kind, Weighting};
use oddsmith::error::ErrorKind;
use oddsmith::model::{AnyLearner, BoxedStats, Classifier, Predictions, Predictor, Scale, Scores, Step};
use oddsmith::persist;
use oddsmith::registry::MODELS;
use oddsmith::stats::{Parts, TableStats};
use proptest::prelude::*;

use crate::table::ample::{Ample, ample};
use crate::table::conduct::{Finding, Kept, contributions, encoded, ensure, fit, hold, same};
use crate::table::variants::Variant;
use crate::table::{COLUMNS, Cell, Encoded, columns_taken, layout_of, rows, summary};

/// Small tables, many of which admit no regression without a penalty.
fn small(most: usize) -> impl Strategy<Value = Ample> {
    rows(most).prop_map(|rows| Ample { rows, weighting: Weighting::Sampling })
}

fn accounts_for_probabilities(variant: &Variant, table: &Ample) -> Finding {
    let model = match fit(variant, table)? {
        Ok(model) => model,
        Err(reason) => return Ok(Kept::NoModel(reason)),
    };
    let (encoded, tolerance) = (encoded(&*model, &table.rows), variant.entry.tolerance);
    let words = encoded.words();
    let features = encoded.features(&words);
    let (classes, columns) = (model.layout().classes().len(), model.layout().features().len());
    let (mut out, mut relative) = (Predictions::new(), Predictions::new());
    if model.scale() == Scale::Margin {
        return accounts_for_margins(variant, &*model, table);
    }
    Predictor::new(&*model).predict(&features, &mut out).unwrap();
    Predictor::new(&*model).probabilities(&features, &mut relative).unwrap();
    let addends = contributions(&*model, &features);
    let linear = model.linear().map(|view| {
        let mut odds = Scores::new();
        view.score(&features, &mut odds).unwrap();
        odds
    });
    for (i, row) in table.rows.iter().enumerate() {
        let (p, scores) = (out.row(i), out.scores().row(i));
        if scores[0].is_nan() {
            ensure(scores.iter().chain(p).all(|number| number.is_nan()), || format!("row {i} has half a prediction: {p:?}"))?;
            let silent = addends.as_ref().is_none_or(|all| (0..columns).any(|j| all.addends(i, j)[0].is_nan()));
            ensure(silent, || format!("row {i} has addends and no score"))?;
            continue;
        }
        let whole = (p.iter().sum::<f64>() - 1.0).abs() <= classes as f64 * f64::EPSILON;
        ensure(whole && p.iter().all(|p| (0.0..=1.0).contains(p)), || format!("row {i}: no probabilities: {p:?}"))?;
        let same = relative.row(i).iter().zip(p).all(|(a, b)| (a - b).abs() < tolerance);
        ensure(same, || format!("row {i}: {p:?} becomes {:?} without what classes share", relative.row(i)))?;
        if out.scores().impossible().contains(&i) {
            continue;
        }
        // What a gap says through the correlations of LDA is not linear in the other columns. A level that no row of the fit had is one.
        let is_linear = variant.entry.name != "lda"
            || (variant.columns.iter().all(|&j| row.cells[j] != Cell::Missing) && row.class.is_some() && row.weight > 0.0);
        for (k, &score) in scores.iter().enumerate() {
            if let Some(all) = &addends {
                let total = (0..columns).fold(all.base()[k], |sum, j| sum + all.addends(i, j)[k]);
                // Rounding of a sum is that of its largest addend.
                let size = (0..columns).fold(score.abs(), |most, j| most.max(all.addends(i, j)[k].abs()));
                let adds_up = score == total || (score - total).abs() <= tolerance * (1.0 + size);
                ensure(adds_up, || format!("row {i}, class {k}: addends sum to {total}, the score is {score}"))?;
            }
            if let (Some(odds), true) = (&linear, is_linear) {
                let (line, difference) = (odds.row(i)[k], score - scores[0]);
                // A difference of two scores is as exact as the larger of them.
                let size = score.abs().max(scores[0].abs());
                let on_line = (line - difference).abs() <= 1e-12 * (1.0 + size);
                ensure(on_line, || format!("row {i}, class {k}: the weights give {line}, the scores {difference}"))?;
            }
        }
    }
    Ok(Kept::Model)
}

/// Margins add up from their addends like other scores, and nobody makes probabilities of them.
fn accounts_for_margins(variant: &Variant, model: &dyn Classifier, table: &Ample) -> Finding {
    let encoded = encoded(model, &table.rows);
    let words = encoded.words();
    let features = encoded.features(&words);
    let refused = Predictor::new(model).predict(&features, &mut Predictions::new()).err();
    ensure(refused.is_some_and(|error| matches!(error.kind(), ErrorKind::Unsupported { .. })), || "margins became probabilities".into())?;
    let (mut scores, addends) = (Scores::new(), contributions(model, &features));
    model.score(&features, &mut scores).unwrap();
    ensure(model.linear().is_none(), || "margins are no log odds".into())?;
    for i in 0..table.rows.len() {
        for (k, score) in scores.row(i).iter().enumerate() {
            let Some(all) = &addends else { continue };
            let columns = model.layout().features().len();
            let total = (0..columns).fold(all.base()[k], |sum, j| sum + all.addends(i, j)[k]);
            let size = (0..columns).fold(score.abs(), |most, j| most.max(all.addends(i, j)[k].abs()));
            let adds_up = (score.is_nan() && total.is_nan()) || (score - total).abs() <= variant.entry.tolerance * (1.0 + size);
            ensure(adds_up, || format!("row {i}, class {k}: addends sum to {total}, the margin is {score}"))?;
        }
    }
    Ok(Kept::Model)
}

fn stays_the_same_when_stored(variant: &Variant, table: &Ample) -> Finding {
    let model = match fit(variant, table)? {
        Ok(model) => model,
        Err(reason) => return Ok(Kept::NoModel(reason)),
    };
    let bytes = persist::save_model(&*model).map_err(|error| error.to_string())?;
    let back = persist::load_model(&bytes).map_err(|error| error.to_string())?;
    ensure(persist::save_model(&*back).unwrap() == bytes, || "other bytes when stored again".into())?;
    ensure(model.free_parameters() == back.free_parameters(), || "other free parameters".into())?;
    let bits = |model: &dyn Classifier| {
        let (encoded, mut scores) = (encoded(model, &table.rows), Scores::new());
        let words = encoded.words();
        model.score(&encoded.features(&words), &mut scores).unwrap();
        scores.values().iter().map(|score| score.to_bits()).collect::<Vec<_>>()
    };
    ensure(bits(&*model) == bits(&*back), || "other scores".into())?;
    Ok(Kept::Model)
}

#[test]
fn every_model_gives_probabilities_that_it_can_account_for() {
    hold(12, ample(), 0.7, accounts_for_probabilities);
}

#[test]
fn every_model_of_a_small_table_gives_probabilities_that_it_can_account_for() {
    hold(48, small(40), 0.0, accounts_for_probabilities);
}

#[test]
fn a_stored_model_scores_the_same_bits() {
    hold(6, ample(), 0.7, stays_the_same_when_stored);
}

#[test]
fn a_stored_model_of_a_small_table_scores_the_same_bits() {
    hold(24, small(30), 0.0, stays_the_same_when_stored);
}

fn finish(learner: &dyn AnyLearner, stats: TableStats) -> oddsmith::Result<Box<dyn Classifier>> {
    match learner.finish_any(&BoxedStats::new(stats))? {
        Step::Done(model) => Ok(model),
        Step::Again(_) => panic!("ordinary numbers need no second pass"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn statistics_of_all_parts_and_columns_serve_every_model_of_one_pass(rows in rows(30)) {
        let everything = summary(&rows, &Arc::new(layout_of(&rows, &(0..7).collect::<Vec<_>>())), Parts::all(), 7);
        for entry in MODELS.iter().filter(|entry| entry.one_pass) {
            let learner = entry.learner().unwrap();
            // Statistics hold products of numbers alone: what discriminants take of categories is in the rows.
            let products = matches!(entry.name, "lda" | "qda" | "least-squares");
            let columns: Vec<usize> = columns_taken(entry).into_iter().filter(|&j| !products || COLUMNS[j].1 == Kind::Number).collect();
            let chosen: Vec<usize> = columns.iter().map(|&j| everything.layout().index(COLUMNS[j].0).unwrap()).collect();
            let from_file = persist::load_stats(&persist::save_stats(&everything.select(&chosen).unwrap()).unwrap()).unwrap();
            let direct = finish(&*learner, summary(&rows, &Arc::new(layout_of(&rows, &columns)), Parts::all(), usize::MAX));
            match (finish(&*learner, from_file), direct) {
                (Ok(left), Ok(right)) => {
                    let encoded = Encoded::new(&rows, &Arc::new(right.layout().clone()), false);
                    let (words, mut a, mut b) = (encoded.words(), Scores::new(), Scores::new());
                    left.score(&encoded.features(&words), &mut a).unwrap();
                    right.score(&encoded.features(&words), &mut b).unwrap();
                    for (a, b) in a.values().iter().zip(b.values()) {
                        prop_assert!(same(*a, *b, entry.tolerance), "{}: {} is not {}", entry.name, a, b);
                    }
                }
                (Err(_), Err(_)) => {}
                (left, right) => prop_assert!(false, "{}: {} {}", entry.name, left.is_ok(), right.is_ok()),
            }
        }
    }
}
