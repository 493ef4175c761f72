//! Terms of texts and their weights are those of scikit-learn's vectorizers.

use oddsmith::data::{Kind, Source, Space, Terms};
use oddsmith_io::{ReadOptions, TextOptions, open_for_prediction};
use serde_json::Value;

use crate::tables::{learn, table};

fn golden() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/golden/sklearn_text.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// `words 1-2` or `characters 3-5`.
fn terms(name: &str) -> Terms {
    let (what, runs) = name.split_once(' ').unwrap();
    let (shortest, longest) = runs.split_once('-').map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())).unwrap();
    match what {
        "words" => Terms::Words { shortest, longest },
        _ => Terms::Characters { shortest, longest },
    }
}

/// Terms and values of every row, in the order of the terms.
type Weighed = Vec<Vec<(String, f64)>>;

fn of_source(source: &dyn Source) -> Weighed {
    let Space::Words { vocabulary, .. } = source.layout().features()[0].space.clone() else { panic!("no text") };
    let mut found = Weighed::new();
    for partition in 0..source.partitions() {
        let scanned = source.scan(partition, &mut |rows| {
            let block = &rows.features.words[0];
            found.extend((0..block.rows()).map(|i| {
                let (columns, values) = block.row(i);
                columns.iter().zip(values).map(|(column, value)| (vocabulary.word(*column as usize), *value)).collect()
            }));
            Ok(())
        });
        scanned.unwrap();
    }
    found
}

fn check(found: &Weighed, expected: &Value, name: &str) {
    let expected = expected.as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (row, wanted) in found.iter().zip(expected) {
        let wanted: Vec<(&str, f64)> =
            wanted.as_array().unwrap().iter().map(|pair| (pair[0].as_str().unwrap(), pair[1].as_f64().unwrap())).collect();
        let mut row = row.clone();
        row.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(row.iter().map(|(term, _)| term.as_str()).collect::<Vec<_>>(), wanted.iter().map(|(term, _)| *term).collect::<Vec<_>>());
        let close = row.iter().zip(&wanted).all(|((_, value), (_, wanted))| (value - wanted).abs() <= 1e-12 * wanted.abs());
        assert!(close, "{name}: {row:?} and not {wanted:?}");
    }
}

#[test]
fn terms_and_weights_are_those_of_scikit_learn() {
    let golden = golden();
    let texts: Vec<&str> = golden["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let rows: String = texts.iter().enumerate().map(|(at, text)| format!("\"{text}\",{}\n", ["a", "b"][at % 2])).collect();
    let csv = format!("t,y\n{rows}");
    let mut cases = 0;
    for (name, expected) in golden["cases"].as_object().unwrap() {
        for (tf_idf, kind) in [(false, "counts"), (true, "tf-idf")] {
            let text = TextOptions { terms: terms(name), tf_idf, ..TextOptions::default() };
            let options = ReadOptions { text, kinds: [("t".to_owned(), Kind::Text)].into(), ..ReadOptions::default() };
            let opened = learn(&csv, &options).unwrap();
            check(&of_source(&*opened.source), &expected[kind], &format!("{name}, {kind}"));
            // New rows need no options: the layout knows how its texts became numbers.
            let new = open_for_prediction(&table(&csv), &ReadOptions::default(), opened.layout(), &[]).unwrap();
            let Space::Words { vocabulary, .. } = &opened.layout().features()[0].space else { panic!("no text") };
            let mut found = Weighed::new();
            new.scan(&oddsmith::control::Control::new(), &mut |batch| {
                let block = &batch.features.words[0];
                found.extend((0..block.rows()).map(|i| {
                    let (columns, values) = block.row(i);
                    columns.iter().zip(values).map(|(column, value)| (vocabulary.word(*column as usize), *value)).collect()
                }));
                Ok(())
            })
            .unwrap();
            check(&found, &expected[kind], &format!("{name}, {kind}, new rows"));
            cases += 1;
        }
    }
    assert_eq!(cases, 10);
}
