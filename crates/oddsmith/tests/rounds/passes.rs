//! Every summary of every pass is written and read, and every empty one is rebuilt from its point.

use std::sync::Arc;

use oddsmith::codec::{Codec, Encode};
use oddsmith::control::Control;
use oddsmith::data::Formula;
use oddsmith::error::ErrorKind;
use oddsmith::model::linear::{Intervals, Logistic, OnSeparation, Robust, Solver};
use oddsmith::model::{AnyLearner, BoxedStats, PassInfo, Step};
use oddsmith::persist::{self, FileKind};
use oddsmith::record::Record;
use oddsmith::stats::Statistics;
use oddsmith::train::pass;
use oddsmith::{Error, Result};
use proptest::prelude::*;

use crate::studies::{MOST, columns, encoded, patients, regression, studies};
use crate::table::{Batches, Cell, Encoded, layout_of, rows};

fn encode(stats: &impl Statistics) -> Vec<u8> {
    let mut record = Record::new("sums", 1, &serde_json::json!({})).unwrap();
    stats.clone().encode(&mut Codec::out(&mut record, "")).unwrap();
    persist::to_bytes(&record, FileKind::Statistics).unwrap()
}

/// Passes beyond which a learner that declares them may be expected to search for long, and those that are followed of it here.
const LONG: usize = 10_000;
const FOLLOWED: usize = 40;

fn decoded(empty: &BoxedStats, bytes: &[u8]) -> BoxedStats {
    let (_, record) = persist::from_bytes(bytes, None).unwrap();
    let mut read = empty.clone();
    read.encode(&mut Codec::from(&record, "")).unwrap();
    read
}

/// Follows a learner over all its passes; every summary is written and read, and every empty one rebuilt from its point. The number of
/// passes, or why there is no model.
fn follow(learner: &dyn AnyLearner, source: &Batches<'_>) -> Result<usize> {
    let layout = Arc::clone(&source.encoded.layout);
    let mut empty = learner.begin_any(&layout, &PassInfo::default())?;
    for passes in 1..MOST {
        let mut point = Record::new("point", 1, &serde_json::json!({})).unwrap();
        learner.write_point_any(&empty, &mut point)?;
        let (_, point) = persist::from_bytes(&persist::to_bytes(&point, FileKind::Statistics)?, None)?;
        let rebuilt = learner.at_point_any(&layout, &point)?;
        assert_eq!(encode(&rebuilt), encode(&empty));
        assert_eq!(rebuilt.purpose(), empty.purpose());
        let sums = pass(source, &empty, None, &Control::new())?;
        let bytes = encode(&sums);
        assert_eq!(encode(&pass(source, &rebuilt, None, &Control::new())?), bytes, "{}", empty.purpose());
        let read = decoded(&rebuilt, &bytes);
        assert_eq!(encode(&read), bytes, "{}", empty.purpose());
        match learner.finish_any(&decoded(&empty, &bytes))? {
            Step::Done(_) => return Ok(passes),
            // A search that may go on for long is followed for a while.
            Step::Again(_) if passes >= FOLLOWED && learner.most_passes_any() > LONG => return Ok(passes),
            Step::Again(next) => empty = next,
        }
    }
    panic!("more than {MOST} passes");
}

/// Whether an error says that the rows admit no model; any other is a bug.
fn no_model(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Data(_) | ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } | ErrorKind::Formula { .. })
}

#[test]
fn every_pass_of_a_regression_is_rebuilt_from_its_point() {
    let all = patients(300);
    let plain = || Logistic::default();
    let formula = |text: &str| Some(Formula::parse(text).unwrap());
    let descent = Solver::Sgd { rate: 0.05, half_after: 1000.0, stop: 1e-2 };
    for learner in [
        plain(),
        Logistic { firth: true, precision: Intervals::Wald, tests: false, ..plain() },
        Logistic { robust: Some(Robust::Hc2), precision: Intervals::Wald, tests: false, ..plain() },
        Logistic { l1: 1.0, precision: Intervals::None, tests: false, ..plain() },
        Logistic { formula: formula("died ~ town * dose + age + I(2 * age + dose)"), precision: Intervals::Wald, tests: false, ..plain() },
        Logistic { solver: descent, precision: Intervals::None, tests: false, unfinished: Some(1e9), most_steps: Some(5), ..plain() },
    ] {
        for weighted in [false, true] {
            let layout = layout_of(&all, &columns("logistic"));
            let weighting = if weighted { layout.weighting() } else { oddsmith::data::Weighting::None };
            let layout = oddsmith::data::Layout::new("died", layout.features().to_vec(), layout.classes().clone(), weighting).unwrap();
            let encoded = Encoded::new(&all, &Arc::new(layout), weighted);
            let followed = follow(&learner, &Batches { encoded: &encoded, size: 50 });
            match followed {
                Ok(passes) => assert!(passes > 1, "{learner:?}"),
                // Firth's penalty does not go with sampling weights.
                Err(error) => assert!(weighted && matches!(error.kind(), ErrorKind::InvalidOption { .. }), "{error}: {learner:?}"),
            }
        }
    }
}

#[test]
fn a_proof_of_separation_is_asked_for_at_a_direction() {
    let mut all = patients(120);
    for row in &mut all {
        row.cells[2] = Cell::Number(if row.class.as_deref() == Some("yes") { 9.0 } else { 1.0 });
    }
    let learner = Logistic { on_separation: OnSeparation::Error, precision: Intervals::Wald, tests: false, ..Logistic::default() };
    let encoded = encoded(&all, "logistic", &all);
    let error = follow(&*regression(learner).learner().unwrap(), &Batches { encoded: &encoded, size: 50 }).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Separation { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_of_any_pass_of_any_model_is_read(rows in rows(40)) {
        let mut rows = rows;
        for (row, class) in rows.iter_mut().zip(["no", "yes"].into_iter().cycle()) {
            row.class = row.class.as_ref().map(|_| class.to_owned());
        }
        for study in studies() {
            let entry = &study.entry;
            let encoded = Encoded::new(&rows, &Arc::new(layout_of(&rows, &columns(entry))), rows.iter().any(|row| row.weight != 1.0));
            match follow(&*study.learner().unwrap(), &Batches { encoded: &encoded, size: 7 }) {
                Ok(_) => {}
                Err(error) => prop_assert!(no_model(&error), "{entry}: {error}"),
            }
        }
    }
}
