//! Whatever the places and however their answers are merged, the model is that of all rows.

use std::sync::Arc;

use oddsmith::card::Cell as TableCell;
use oddsmith::control::Control;
use oddsmith::model::Conclusion;
use oddsmith::study::ClassCounts;
use oddsmith::train::{Advance, Answer, Round, Study, conclude};

use crate::studies::{additive, advance, answers, cut, encoded, in_rounds, patients, pooled, same, with};
use crate::table::{Batches, Cell, Encoded, layout_of};

#[test]
fn rounds_of_any_number_of_places_end_at_the_pooled_fit() {
    let all = patients(420);
    for study in additive() {
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
    for study in additive() {
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
fn what_learns_from_rows_in_their_order_learns_in_one_place() {
    let all = patients(200);
    let study = with("perceptron", &[("epochs", "5")]);
    let whole = vec![encoded(&all, "perceptron", &all), encoded(&[], "perceptron", &all)];
    let model = in_rounds(study.clone(), &whole, |answers| answers).unwrap();
    same(&study, &*model, &*pooled(&study, &all), &all);
    let parts: Vec<Encoded> = cut(&all, 2).into_iter().map(|rows| encoded(rows, "perceptron", &all)).collect();
    let refused = in_rounds(study, &parts, |answers| answers).err().unwrap();
    assert!(refused.to_string().contains("one row after the other"), "{refused}");
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
