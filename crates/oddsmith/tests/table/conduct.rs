//! What laws ask of a model, in one place, and the run of a law over every variant.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use oddsmith::control::Control;
use oddsmith::data::Features;
use oddsmith::error::ErrorKind;
use oddsmith::model::{Classifier, Contributions, Predictions, Predictor, Scale, Scores};
use oddsmith::num::log_sum_exp;
use oddsmith::train;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

use super::ample::Ample;
use super::variants::{Variant, variants};
use super::{Batches, Encoded, Row, layout_weighted};

/// A fitted model, or the reason why the rows admit none.
pub(crate) type Fit = Result<Box<dyn Classifier>, String>;

/// What a model was found to do under a law, or how it broke it.
pub(crate) type Finding = Result<Kept, String>;

/// A law that was not broken.
pub(crate) enum Kept {
    /// By a model.
    Model,
    /// Because the rows admit none, for this reason.
    NoModel(String),
}

/// How rows are cut and who reads them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) partitions: usize,
    pub(crate) threads: usize,
}

impl Reading {
    pub(crate) const WHOLE: Reading = Reading { partitions: 1, threads: 1 };
}

/// The model of a table by the ordinary driver; any failure that is no fault of the rows breaks the law.
pub(crate) fn fit(variant: &Variant, table: &Ample) -> Result<Fit, String> {
    fit_columns(variant, &variant.columns, table, Reading::WHOLE)
}

/// The same from columns in some order, read in some way.
pub(crate) fn fit_columns(variant: &Variant, columns: &[usize], table: &Ample, reading: Reading) -> Result<Fit, String> {
    let layout = Arc::new(layout_weighted(&table.rows, columns, table.weighting));
    let encoded = Encoded::new(&table.rows, &layout, table.rows.iter().any(|row| row.weight != 1.0));
    let learner = (variant.entry.build)(&variant.params).unwrap();
    let source = Batches { encoded: &encoded, size: table.rows.len().div_ceil(reading.partitions).max(1) };
    match train::fit(&learner, &source, NonZeroUsize::new(reading.threads), &Control::new()) {
        Ok(fitted) => Ok(Ok(fitted.model)),
        Err(error) => match error.kind() {
            ErrorKind::Data(_) | ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } => Ok(Err(error.to_string())),
            // A spline of a column that has too few values in these rows.
            ErrorKind::Formula { .. } => Ok(Err(error.to_string())),
            other => Err(format!("fails: {other}")),
        },
    }
}

/// Rows as a model wants them.
pub(crate) fn encoded(model: &dyn Classifier, rows: &[Row]) -> Encoded {
    let unlabelled: Vec<Row> = rows.iter().map(|row| Row { class: None, ..row.clone() }).collect();
    Encoded::new(&unlabelled, &Arc::new(model.layout().clone()), false)
}

/// Addends of the scores; `None` where the model says why there are none.
pub(crate) fn contributions(model: &dyn Classifier, features: &Features<'_>) -> Option<Contributions> {
    let mut out = Contributions::new();
    match model.contributions() {
        Ok(additive) => {
            additive.contribute(features, &mut out).unwrap();
            Some(out)
        }
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
            None
        }
    }
}

/// log p(k | x) of every row and class, by label; the margins of a model that has no probabilities.
pub(crate) fn log_probabilities(model: &dyn Classifier, rows: &[Row]) -> BTreeMap<String, Vec<f64>> {
    let encoded = encoded(model, rows);
    let words = encoded.words();
    let by_row: Vec<Vec<f64>> = if model.scale() == Scale::Margin {
        let mut scores = Scores::new();
        model.score(&encoded.features(&words), &mut scores).unwrap();
        (0..rows.len()).map(|i| scores.row(i).to_vec()).collect()
    } else {
        let mut out = Predictions::new();
        Predictor::new(model).predict(&encoded.features(&words), &mut out).unwrap();
        let normalised = |i: usize| {
            let scores = out.scores().row(i).to_vec();
            let total = log_sum_exp(scores.iter().copied());
            scores.into_iter().map(move |score| score - total).collect::<Vec<_>>()
        };
        (0..rows.len()).map(normalised).collect()
    };
    let labels = model.layout().classes().labels().iter().enumerate();
    labels.map(|(k, label)| (label.clone(), by_row.iter().map(|row| row[k]).collect())).collect()
}

/// Whether two log probabilities are the same up to rounding; a row without a prediction has none in both.
pub(crate) fn same(left: f64, right: f64, tolerance: f64) -> bool {
    left == right || (left.is_nan() && right.is_nan()) || (left - right).abs() <= tolerance * (1.0 + left.abs())
}

/// Both models say the same about the rows (`left` about its own copy of them), or both tables admit none.
pub(crate) fn agree(variant: &Variant, what: &str, left: (Fit, &[Row]), right: (Fit, &[Row])) -> Finding {
    agree_under(variant, what, left, right, |label| label.to_owned())
}

/// The same where classes of the left are called otherwise on the right.
pub(crate) fn agree_under(
    variant: &Variant,
    what: &str,
    (left, left_rows): (Fit, &[Row]),
    (right, right_rows): (Fit, &[Row]),
    renamed: impl Fn(&str) -> String,
) -> Finding {
    let (left, right) = match (left, right) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(reason), Err(_)) => return Ok(Kept::NoModel(reason)),
        (Ok(_), Err(reason)) | (Err(reason), Ok(_)) => return Err(format!("{what}: one of the two tables has no model: {reason}")),
    };
    let (mine, theirs) = (left.free_parameters(), right.free_parameters());
    ensure(mine == theirs, || format!("{what}: {mine} and {theirs} free parameters"))?;
    let (left, right) = (log_probabilities(&*left, left_rows), log_probabilities(&*right, right_rows));
    for (label, values) in &left {
        for (i, (a, b)) in values.iter().zip(&right[&renamed(label)]).enumerate() {
            ensure(same(*a, *b, variant.tolerance), || format!("{what}, class {label}, row {i}: {a} is not {b}, by {:e}", a - b))?;
        }
    }
    Ok(Kept::Model)
}

/// Breaks the law unless something holds.
pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// What came of one variant.
#[derive(Default)]
struct Tally {
    fitted: u32,
    broken: Vec<String>,
    refusal: String,
}

/// Runs a law over every variant on random tables, and names all that break it. A variant that has no model on more than `1 − least` of
/// the tables would keep any law, and fails too.
pub(crate) fn hold(cases: u32, tables: impl Strategy<Value = Ample>, least: f64, law: impl Fn(&Variant, &Ample) -> Finding) {
    let (all, tallies) = (variants(), RefCell::new(BTreeMap::<String, Tally>::new()));
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let run = TestRunner::new(config).run(&tables, |table| {
        for variant in &all {
            let finding = law(variant, &variant.suited(&table));
            let mut tallies = tallies.borrow_mut();
            let tally = tallies.entry(variant.label.clone()).or_default();
            match finding {
                Ok(Kept::Model) => tally.fitted += 1,
                Ok(Kept::NoModel(reason)) => tally.refusal = reason,
                Err(how) => tally.broken.push(how),
            }
        }
        Ok(())
    });
    run.unwrap();
    let mut faults = Vec::new();
    for (label, tally) in tallies.into_inner() {
        if let Some(how) = tally.broken.first() {
            faults.push(format!("{label}: {} of {cases} tables: {how}", tally.broken.len()));
        } else if f64::from(tally.fitted) < least * f64::from(cases) {
            faults.push(format!("{label}: only {} of {cases} tables have a model; {}", tally.fitted, tally.refusal));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
