//! Answers and questions that are missing, there twice, of other rows, damaged, hostile, or of the first format.

use std::path::PathBuf;

use oddsmith::control::Control;
use oddsmith::error::ErrorKind;
use oddsmith::persist::{self, FileKind};
use oddsmith::record::Array;
use oddsmith::train::{Advance, Answer, Question, Round};

use crate::studies::{advance, answers, cut, encoded, patients, with};
use crate::table::{Batches, Cell, Encoded, Row};

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
        assert!(missing.contains("the answer of site 1 (45 rows of weight") && missing.contains(") is missing"), "{missing}");
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
    assert!(fewer.contains("site 1") && fewer.contains("in its first answer and"), "{fewer}");
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
