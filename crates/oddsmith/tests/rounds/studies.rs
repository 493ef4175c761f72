//! Studies of every model, places with rows of their own, and the way from answers to a model.

use std::sync::Arc;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::Formula;
use oddsmith::model::linear::{Intervals, Logistic, OneVsRest, Robust};
use oddsmith::model::{Classifier, Conclusion, Params, Scores};
use oddsmith::record::Array;
use oddsmith::registry::{self, MODELS};
use oddsmith::train::{Advance, Answer, Question, Round, Study, fit};

use crate::table::{Batches, Cell, Encoded, Row, columns_taken, layout_of, many_rows};

/// More questions than any fit here takes.
pub(super) const MOST: usize = 400;

/// Columns of the test table that a model takes.
pub(super) fn columns(entry: &str) -> Vec<usize> {
    match entry {
        "gaussian-nb" | "lda" | "qda" => vec![0, 2, 6],
        "bernoulli-nb" => vec![2, 3, 4, 5],
        "multinomial-nb" | "complement-nb" => vec![0, 3, 5],
        "categorical-nb" => vec![1, 4],
        "logistic" | "one-vs-rest" => vec![0, 1, 2, 4],
        other => columns_taken(registry::find(other).unwrap()),
    }
}

/// A model with options as texts.
pub(super) fn with(entry: &str, options: &[(&str, &str)]) -> Study {
    let given = |params: Params, (name, value): &(&str, &str)| params.with(name, value).unwrap();
    let params = options.iter().fold(registry::find(entry).unwrap().defaults(), given);
    Study { target: Some("died".into()), ..Study::of(&params) }
}

pub(super) fn regression(learner: Logistic) -> Study {
    Study { target: Some("died".into()), ..Study::of(&learner.params().unwrap()) }
}

/// Every model, with the options that change what it sums up.
pub(super) fn studies() -> Vec<Study> {
    let wald = Logistic { precision: Intervals::Wald, tests: false, ..Logistic::default() };
    let spline = Formula::parse("died ~ ns(age, df = 3) + town + poly(dose, 2)").unwrap();
    let steps = |entry: &str| match entry {
        // A question per epoch or step.
        "perceptron" => vec![("epochs", "12")],
        "network" => vec![("hidden", "3")],
        _ => Vec::new(),
    };
    let mut all: Vec<Study> = MODELS.iter().map(|entry| with(entry.name, &steps(entry.name))).collect();
    all.extend([
        with("lda", &[("shrinkage", "ledoit-wolf")]),
        with("qda", &[("shrinkage", "ledoit-wolf")]),
        with("nb", &[("smoothing", "0.5"), ("tying", "per-column")]),
        with("logistic", &[("l2", "2"), ("ci", "wald")]),
        regression(Logistic { formula: Some(spline), ..wald.clone() }),
        regression(Logistic { robust: Some(Robust::Hc3), ..wald.clone() }),
        regression(Logistic { cluster: Some("town".into()), robust: Some(Robust::Hc0), ..wald.clone() }),
        Study { target: Some("died".into()), ..Study::of(&OneVsRest { each: wald }.params().unwrap()) },
    ]);
    all
}

/// Those whose sums add up: all but the one that learns from rows in their order.
pub(super) fn additive() -> Vec<Study> {
    studies().into_iter().filter(|study| study.entry != "perceptron").collect()
}

/// Rows whose columns go with the classes a little, so that every model has something to find.
pub(super) fn patients(count: u64) -> Vec<Row> {
    let mut rows = many_rows(count);
    // Multinomial columns are counts.
    for row in &mut rows {
        if let Cell::Number(x) = &mut row.cells[0] {
            *x = x.abs().floor();
        }
    }
    rows
}

pub(super) fn encoded(rows: &[Row], entry: &str, all: &[Row]) -> Encoded {
    // A place without rows knows the columns from elsewhere.
    let known = if rows.is_empty() { all } else { rows };
    Encoded::new(rows, &Arc::new(layout_of(known, &columns(entry))), true)
}

pub(super) fn cut(rows: &[Row], parts: usize) -> Vec<&[Row]> {
    (0..parts).map(|at| &rows[at * rows.len() / parts..(at + 1) * rows.len() / parts]).collect()
}

pub(super) fn answers(question: &Question, sites: &[Encoded]) -> Vec<Answer> {
    let answer = |(at, site): (usize, &Encoded)| {
        // As between machines: bytes are all that goes back and forth.
        let question = Question::from_bytes(&question.to_bytes().unwrap()).unwrap();
        let source = Batches { encoded: site, size: 64 };
        let answer = question.answer(&source, Some(&format!("site {at}")), None, &Control::new()).unwrap();
        Answer::from_bytes(&answer.to_bytes().unwrap()).unwrap()
    };
    sites.iter().enumerate().map(answer).collect()
}

pub(super) fn advance(round: &Round, answers: &[Answer]) -> Result<Advance> {
    let names: Vec<String> = (0..answers.len()).map(|at| format!("{at}.answer")).collect();
    round.advance(&names.iter().map(String::as_str).zip(answers).collect::<Vec<_>>())
}

/// The model that the places come to, `gather` putting their answers together as it likes.
pub(super) fn in_rounds(study: Study, sites: &[Encoded], gather: impl Fn(Vec<Answer>) -> Vec<Answer>) -> Result<Box<dyn Classifier>> {
    let mut round = Round::begin(study)?;
    for _ in 0..MOST {
        let given = gather(answers(&round.question()?, sites));
        match advance(&round, &given)? {
            Advance::Done(Conclusion::Model(model)) => return Ok(model),
            Advance::Done(Conclusion::Card(card)) => panic!("{} is no model", card.title),
            Advance::Again(next, _) => round = Round::from_bytes(&next.to_bytes()?)?,
        }
    }
    panic!("more than {MOST} questions");
}

pub(super) fn pooled(study: &Study, rows: &[Row]) -> Box<dyn Classifier> {
    let all = encoded(rows, &study.entry, rows);
    fit(&study.learner().unwrap(), &Batches { encoded: &all, size: 64 }, None, &Control::new()).unwrap().model
}

#[track_caller]
pub(super) fn same(study: &Study, left: &dyn Classifier, right: &dyn Classifier, rows: &[Row]) {
    let scores = |model: &dyn Classifier| {
        let encoded = Encoded::new(rows, &Arc::new(model.layout().clone()), false);
        let words = encoded.words();
        let mut scores = Scores::new();
        model.score(&encoded.features(&words), &mut scores).unwrap();
        scores
    };
    let what = format!("{} {:?}", study.entry, study.options);
    // A search that ends where the loss is flat in some direction says so by its declared tolerance.
    let declared = oddsmith::registry::find(&study.entry).map_or(0.0, |entry| entry.tolerance);
    let (closely, nearly) = if declared > 1e-6 { (declared, declared) } else { (1e-9, 1e-6) };
    let (left_scores, right_scores) = (scores(left), scores(right));
    assert_eq!(left_scores.values().len(), right_scores.values().len());
    for (a, b) in left_scores.values().iter().zip(right_scores.values()) {
        assert!(a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= closely * (1.0 + a.abs()), "{what}: {a} is not {b}");
    }
    let numbers = |model: &dyn Classifier| -> Vec<f64> {
        let of = |array: Array| if let Array::Numbers(values) = array { values } else { vec![] };
        model.record().unwrap().arrays.into_values().flat_map(of).collect()
    };
    let (left_numbers, right_numbers) = (numbers(left), numbers(right));
    assert_eq!(left_numbers.len(), right_numbers.len(), "{what}");
    // Products of a column at 1e8 are sums of large terms; scores above are compared more closely.
    let near = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= nearly * (1.0 + a.abs().max(b.abs()));
    assert!(left_numbers.iter().zip(&right_numbers).all(|(a, b)| near(*a, *b)), "{what}");
}
