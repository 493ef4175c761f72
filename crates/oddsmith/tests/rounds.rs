//! Models of rows that stay where they are: every model of the registry, asked at points, answered in pieces, merged in any tree.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[allow(dead_code, reason = "every test file uses its own part")]
mod table;

use std::path::PathBuf;
use std::sync::Arc;

use oddsmith::card::Cell as TableCell;
use oddsmith::codec::{Codec, Encode};
use oddsmith::control::Control;
use oddsmith::data::Formula;
use oddsmith::error::ErrorKind;
use oddsmith::model::linear::{Intervals, Logistic, OnSeparation, OneVsRest, Robust, Solver};
use oddsmith::model::{AnyLearner, BoxedStats, Classifier, Conclusion, Params, PassInfo, Scores, Step};
use oddsmith::persist::{self, FileKind};
use oddsmith::record::{Array, Record};
use oddsmith::registry::{self, MODELS};
use oddsmith::stats::Statistics;
use oddsmith::study::ClassCounts;
use oddsmith::train::{Advance, Answer, Question, Round, Study, conclude, fit, pass};
use oddsmith::{Error, Result};
use proptest::prelude::*;
use table::{Batches, Cell, Encoded, Row, columns_taken, layout_of, many_rows, rows};

/// More questions than any fit here takes.
const MOST: usize = 400;

/// Columns of the test table that a model takes.
fn columns(entry: &str) -> Vec<usize> {
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
fn with(entry: &str, options: &[(&str, &str)]) -> Study {
    let given = |params: Params, (name, value): &(&str, &str)| params.with(name, value).unwrap();
    let params = options.iter().fold(registry::find(entry).unwrap().defaults(), given);
    Study { target: Some("died".into()), ..Study::of(&params) }
}

fn regression(learner: Logistic) -> Study {
    Study { target: Some("died".into()), ..Study::of(&learner.params().unwrap()) }
}

/// Every model, with the options that change what it sums up.
fn studies() -> Vec<Study> {
    let wald = Logistic { precision: Intervals::Wald, tests: false, ..Logistic::default() };
    let spline = Formula::parse("died ~ ns(age, df = 3) + town + poly(dose, 2)").unwrap();
    let mut all: Vec<Study> = MODELS.iter().map(|entry| with(entry.name, &[])).collect();
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

/// Rows whose columns go with the classes a little, so that every model has something to find.
fn patients(count: u64) -> Vec<Row> {
    let mut rows = many_rows(count);
    // Multinomial columns are counts.
    for row in &mut rows {
        if let Cell::Number(x) = &mut row.cells[0] {
            *x = x.abs().floor();
        }
    }
    rows
}

fn encoded(rows: &[Row], entry: &str, all: &[Row]) -> Encoded {
    // A place without rows knows the columns from elsewhere.
    let known = if rows.is_empty() { all } else { rows };
    Encoded::new(rows, &Arc::new(layout_of(known, &columns(entry))), true)
}

fn cut(rows: &[Row], parts: usize) -> Vec<&[Row]> {
    (0..parts).map(|at| &rows[at * rows.len() / parts..(at + 1) * rows.len() / parts]).collect()
}

fn answers(question: &Question, sites: &[Encoded]) -> Vec<Answer> {
    let answer = |(at, site): (usize, &Encoded)| {
        // As between machines: bytes are all that goes back and forth.
        let question = Question::from_bytes(&question.to_bytes().unwrap()).unwrap();
        let source = Batches { encoded: site, size: 64 };
        let answer = question.answer(&source, Some(&format!("site {at}")), None, &Control::new()).unwrap();
        Answer::from_bytes(&answer.to_bytes().unwrap()).unwrap()
    };
    sites.iter().enumerate().map(answer).collect()
}

fn advance(round: &Round, answers: &[Answer]) -> Result<Advance> {
    let names: Vec<String> = (0..answers.len()).map(|at| format!("{at}.answer")).collect();
    round.advance(&names.iter().map(String::as_str).zip(answers).collect::<Vec<_>>())
}

/// The model that the places come to, `gather` putting their answers together as it likes.
fn in_rounds(study: Study, sites: &[Encoded], gather: impl Fn(Vec<Answer>) -> Vec<Answer>) -> Result<Box<dyn Classifier>> {
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

fn pooled(study: &Study, rows: &[Row]) -> Box<dyn Classifier> {
    let all = encoded(rows, &study.entry, rows);
    fit(&study.learner().unwrap(), &Batches { encoded: &all, size: 64 }, None, &Control::new()).unwrap().model
}

#[track_caller]
fn same(study: &Study, left: &dyn Classifier, right: &dyn Classifier, rows: &[Row]) {
    let scores = |model: &dyn Classifier| {
        let encoded = Encoded::new(rows, &Arc::new(model.layout().clone()), false);
        let words = encoded.words();
        let mut scores = Scores::new();
        model.score(&encoded.features(&words), &mut scores).unwrap();
        scores
    };
    let what = format!("{} {:?}", study.entry, study.options);
    let (left_scores, right_scores) = (scores(left), scores(right));
    assert_eq!(left_scores.values().len(), right_scores.values().len());
    for (a, b) in left_scores.values().iter().zip(right_scores.values()) {
        assert!(a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{what}: {a} is not {b}");
    }
    let numbers = |model: &dyn Classifier| -> Vec<f64> {
        let of = |array: Array| if let Array::Numbers(values) = array { values } else { vec![] };
        model.record().unwrap().arrays.into_values().flat_map(of).collect()
    };
    let (left_numbers, right_numbers) = (numbers(left), numbers(right));
    assert_eq!(left_numbers.len(), right_numbers.len(), "{what}");
    // Products of a column at 1e8 are sums of large terms; scores above are compared more closely.
    let near = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()));
    assert!(left_numbers.iter().zip(&right_numbers).all(|(a, b)| near(*a, *b)), "{what}");
}

#[test]
fn rounds_of_any_number_of_places_end_at_the_pooled_fit() {
    let all = patients(420);
    for study in studies() {
        let entry = &study.entry;
        let want = pooled(&study, &all);
        for parts in [1, 3, 7] {
            let mut sites: Vec<Encoded> = cut(&all, parts).into_iter().map(|rows| encoded(rows, entry, &all)).collect();
            sites.push(encoded(&[], entry, &all));
            let model = in_rounds(study.clone(), &sites, |answers| answers).unwrap();
            same(&study, &*model, &*want, &all);
        }
    }
}

#[test]
fn answers_merge_in_any_tree() {
    let all = patients(300);
    for study in studies() {
        let entry = &study.entry;
        let sites: Vec<Encoded> = cut(&all, 4).into_iter().map(|rows| encoded(rows, entry, &all)).collect();
        let want = pooled(&study, &all);
        let balanced = |given: Vec<Answer>| vec![given[0].merge(&given[1]).unwrap().merge(&given[2].merge(&given[3]).unwrap()).unwrap()];
        let leaning = |given: Vec<Answer>| {
            let rest = given[3].merge(&given[2]).unwrap();
            vec![Answer::from_bytes(&rest.to_bytes().unwrap()).unwrap(), given[0].merge(&given[1]).unwrap()]
        };
        same(&study, &*in_rounds(study.clone(), &sites, balanced).unwrap(), &*want, &all);
        same(&study, &*in_rounds(study.clone(), &sites, leaning).unwrap(), &*want, &all);
    }
}

#[test]
fn columns_beyond_the_range_of_squares_take_a_question_more() {
    let mut all = patients(200);
    for row in &mut all {
        if let Cell::Number(x) = &mut row.cells[2] {
            *x *= 1e200;
        }
    }
    for entry in ["gaussian-nb", "lda", "qda"] {
        let study = with(entry, &[]);
        let sites: Vec<Encoded> = cut(&all, 3).into_iter().map(|rows| encoded(rows, entry, &all)).collect();
        let model = in_rounds(study.clone(), &sites, |answers| answers).unwrap();
        same(&study, &*model, &*pooled(&study, &all), &all);
    }
}

fn encode(stats: &impl Statistics) -> Vec<u8> {
    let mut record = Record::new("sums", 1, &serde_json::json!({})).unwrap();
    stats.clone().encode(&mut Codec::out(&mut record, "")).unwrap();
    persist::to_bytes(&record, FileKind::Statistics).unwrap()
}

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

/// A round of three places at the first pass, and their answers.
fn at_first_pass(entry: &str) -> (Round, Vec<Answer>) {
    let all = patients(150);
    let sites: Vec<Encoded> = cut(&all, 3).into_iter().map(|rows| encoded(rows, entry, &all)).collect();
    let round = Round::begin(with(entry, &[])).unwrap();
    let Advance::Again(round, _) = advance(&round, &answers(&round.question().unwrap(), &sites)).unwrap() else { panic!() };
    let given = answers(&round.question().unwrap(), &sites);
    (*round, given)
}

fn refusal(round: &Round, named: &[(&str, &Answer)]) -> String {
    match round.advance(named) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_missing_answer_and_one_that_is_there_twice_are_named() {
    for entry in ["nb", "lda", "logistic"] {
        let (round, given) = at_first_pass(entry);
        let [a, b, c] = &given[..] else { panic!() };
        assert!(round.advance(&[("a", a), ("b", b), ("c", c)]).is_ok());
        let missing = refusal(&round, &[("a", a), ("c", c)]);
        assert!(missing.contains("the answer of 1.answer (45 rows of weight") && missing.contains(") is missing"), "{missing}");
        let twice = refusal(&round, &[("a", a), ("b", b), ("c", c), ("copy", b)]);
        assert!(twice.contains("b and copy") && twice.contains("count twice"), "{twice}");
        let merged = a.merge(b).unwrap();
        let twice = refusal(&round, &[("ab", &merged), ("b", b), ("c", c)]);
        assert!(twice.contains("ab and b"), "{twice}");
        assert!(merged.merge(b).unwrap_err().to_string().contains("count twice"));
        assert_eq!((merged.rows(), merged.sites().len()), (a.rows() + b.rows(), 2));
    }
}

#[test]
fn a_place_that_sees_other_rows_is_named() {
    let (round, mut given) = at_first_pass("nb");
    let all = patients(150);
    let question = round.question().unwrap();
    let other = |rows: &[Row], name: Option<&str>| {
        let encoded = encoded(rows, "nb", &all);
        question.answer(&Batches { encoded: &encoded, size: 64 }, name, None, &Control::new()).unwrap()
    };
    // One row fewer; the same number of rows, one of them changed.
    given[1] = other(&all[50..99], Some("site 1"));
    let fewer = advance(&round, &given).map(|_| ()).unwrap_err().to_string();
    assert!(fewer.contains("1.answer") && fewer.contains("in its first answer and"), "{fewer}");
    let mut changed = all[50..100].to_vec();
    changed[7].cells[0] = Cell::Number(77.0);
    given[1] = other(&changed, Some("site 1"));
    let changed = advance(&round, &given).map(|_| ()).unwrap_err().to_string();
    assert!(changed.contains("other"), "{changed}");
    given[1] = other(&all[50..100], Some("a stranger"));
    assert!(advance(&round, &given).is_err());
}

#[test]
fn places_without_a_name_are_known_by_their_rows() {
    let all = patients(90);
    let sites: Vec<Encoded> = cut(&all, 3).into_iter().map(|rows| encoded(rows, "lda", &all)).collect();
    let mut round = Round::begin(with("lda", &[])).unwrap();
    for question in 1..=2 {
        let asked = round.question().unwrap();
        // The order of batches and of answers does not matter.
        let answer = |(site, size): (&Encoded, usize)| asked.answer(&Batches { encoded: site, size }, None, None, &Control::new()).unwrap();
        let mut given: Vec<Answer> = sites.iter().zip([64, 7, 11]).map(answer).collect();
        given.rotate_left(question);
        let names = ["x", "y", "z"];
        match round.advance(&names.into_iter().zip(&given).collect::<Vec<_>>()).unwrap() {
            Advance::Again(next, _) => round = *next,
            Advance::Done(_) => assert_eq!(question, 2),
        }
    }
}

#[test]
fn hostile_answers_are_faults_of_the_file() {
    for entry in ["nb", "gaussian-nb", "qda", "logistic", "one-vs-rest"] {
        let (round, given) = at_first_pass(entry);
        let (_, record) = persist::from_bytes(&given[0].to_bytes().unwrap(), None).unwrap();
        let names: Vec<String> = record.arrays.keys().filter(|name| !name.starts_with("question:")).cloned().collect();
        assert!(names.len() > 5, "{entry}");
        for name in names {
            for change in 0..3 {
                let mut record = record.clone();
                let array = record.arrays.get_mut(&name).unwrap();
                let changed = match (change, &mut *array) {
                    (0, Array::Numbers(values)) => {
                        values.push(1.0);
                        true
                    }
                    (0, Array::Counts(values)) => {
                        values.push(1);
                        true
                    }
                    (0, Array::Bytes(bytes)) => {
                        bytes.push(b'x');
                        true
                    }
                    (1, array) => {
                        *array = if matches!(array, Array::Bytes(_)) { Array::Numbers(vec![0.5]) } else { Array::Bytes(vec![7]) };
                        true
                    }
                    (_, Array::Numbers(values)) if !values.is_empty() && !matches!(entry, "logistic" | "one-vs-rest") => {
                        values[0] = f64::NAN;
                        true
                    }
                    _ => false,
                };
                if !changed {
                    continue;
                }
                let bytes = persist::to_bytes(&record, FileKind::Statistics).unwrap();
                let outcome = Answer::from_bytes(&bytes).and_then(|answer| {
                    round.advance(&[("0.answer", &answer), ("1.answer", &given[1]), ("2.answer", &given[2])]).map(|_| ())
                });
                let error = outcome.expect_err(&format!("{entry} {name} {change}"));
                assert!(matches!(error.kind(), ErrorKind::Format { .. }), "{entry} {name} {change}: {error}");
            }
        }
    }
}

#[test]
fn questions_that_are_damaged_are_refused() {
    for entry in ["lda", "logistic"] {
        let (round, given) = at_first_pass(entry);
        let Advance::Again(round, _) = advance(&round, &given).unwrap_or(Advance::Again(Box::new(round), vec![])) else { continue };
        let (_, record) = persist::from_bytes(&round.question().unwrap().to_bytes().unwrap(), None).unwrap();
        for name in record.arrays.keys().filter(|name| name.starts_with("point:") && !name.contains("design")) {
            let mut record = record.clone();
            match record.arrays.get_mut(name).unwrap() {
                Array::Numbers(values) => values.push(f64::NAN),
                Array::Counts(values) => values.push(1 << 40),
                Array::Bytes(bytes) => bytes.push(0xff),
            }
            let error = Question::from_bytes(&persist::to_bytes(&record, FileKind::Statistics).unwrap()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Format { .. }), "{name}: {error}");
        }
    }
}

fn stored(name: &str) -> Vec<u8> {
    std::fs::read(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/files")).join(name)).unwrap()
}

/// Written by the first version of rounds: the columns of two sites, and their sums at the first point of a regression.
#[test]
fn rounds_and_answers_of_the_first_format_still_lead_on() {
    for (round, [a, b], number) in [
        ("round-columns-1.round", ["answer-columns-1a.answer", "answer-columns-1b.answer"], 1),
        ("round-1.round", ["answer-1a.answer", "answer-1b.answer"], 3),
    ] {
        let round = Round::from_bytes(&stored(round)).unwrap();
        let answers = [a, b].map(|name| Answer::from_bytes(&stored(name)).unwrap());
        assert_eq!((round.number(), answers[0].question()), (number, number));
        assert_eq!(round.study().entry, "logistic");
        let Advance::Again(next, _) = advance(&round, &answers).unwrap() else { panic!() };
        assert_eq!(next.number(), number + 1);
        assert_eq!(next.layout().unwrap().names(), ["age", "race"]);
        assert_eq!(Round::from_bytes(&next.to_bytes().unwrap()).unwrap(), *next);
        let error = answers[0].merge(&answers[1]).unwrap_err();
        assert!(error.to_string().contains("earlier version"), "{error}");
        if number > 1 {
            let twice = refusal(&round, &[("a", &answers[0]), ("b", &answers[0])]);
            assert!(twice.contains("count twice"), "{twice}");
        }
    }
}

#[test]
fn an_analysis_of_several_places_is_that_of_all_rows() {
    let all = patients(200);
    let columns = [0, 1];
    let study = || Study { entry: "classes".into(), target: Some("died".into()), ..Study::default() };
    let pooled = Encoded::new(&all, &Arc::new(layout_of(&all, &columns)), true);
    let expected = conclude(&ClassCounts, &Batches { encoded: &pooled, size: 64 }, None, &Control::new()).unwrap().model;
    for parts in [1, 3, 7] {
        let sites: Vec<Encoded> =
            cut(&all, parts).iter().map(|rows| Encoded::new(rows, &Arc::new(layout_of(rows, &columns)), true)).collect();
        let mut round = Round::begin(study()).unwrap();
        let card = loop {
            match advance(&round, &answers(&round.question().unwrap(), &sites)).unwrap() {
                Advance::Again(next, _) => round = Round::from_bytes(&next.to_bytes().unwrap()).unwrap(),
                Advance::Done(Conclusion::Card(card)) => break card,
                Advance::Done(Conclusion::Model(_)) => panic!("an analysis became a model"),
            }
        };
        assert_eq!(card.title, expected.title);
        for (row, expected) in card.tidy.rows().iter().zip(expected.tidy.rows()) {
            for (cell, expected) in row.iter().zip(expected) {
                match (cell, expected) {
                    (TableCell::Number(a), TableCell::Number(b)) => assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} is not {b}"),
                    _ => assert_eq!(cell, expected),
                }
            }
        }
    }
    assert!(Round::begin(Study { entry: "clases".into(), ..study() }).is_err());
}
