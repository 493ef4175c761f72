//! Drawings by what is in them: every word in full, and for every kind of element how many there are, the mean of their numbers, and their looks.
//!
//! A change of the layer that draws shows here by what it changes: words, shapes (the mean of their coordinates) or colours and widths (a digest of all other
//! attributes). A mean does not mind the last digit of a coordinate, which may change with the instruction set.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::session::Session;

/// Attributes that hold places.
const PLACES: [&str; 12] = ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "d"];

/// Elements of one kind.
#[derive(Default)]
struct Kind {
    count: usize,
    numbers: Vec<f64>,
    looks: String,
}

/// The contents of a drawing, line by line.
fn contents(svg: &str) -> String {
    let mut reader = Reader::from_str(svg);
    let (mut kinds, mut words): (BTreeMap<String, Kind>, Vec<String>) = (BTreeMap::new(), Vec::new());
    loop {
        let event = reader.read_event().unwrap_or_else(|error| panic!("{error}\n{svg}"));
        match event {
            Event::Eof => break,
            Event::Text(text) => words.push(text.to_string()),
            Event::Start(element) | Event::Empty(element) => {
                let name: &str = element.name().into_inner();
                let kind = kinds.entry(name.to_owned()).or_default();
                kind.count += 1;
                for attribute in element.attributes() {
                    let attribute = attribute.unwrap();
                    let (key, value): (&str, &str) = (attribute.key.as_ref(), &attribute.value);
                    match PLACES.contains(&key) {
                        true => kind.numbers.extend(numbers(value)),
                        false => kind.looks.push_str(&format!("{key}={value} ")),
                    }
                }
            }
            _ => {}
        }
    }
    let shapes = kinds.iter().map(|(name, kind)| {
        // The sum of nothing is −0.
        let mean = (kind.numbers.iter().sum::<f64>() + 0.0) / kind.numbers.len().max(1) as f64;
        let looks = &blake3::hash(kind.looks.as_bytes()).to_hex()[..6];
        format!("  {name} × {}: {} numbers, mean {mean:.0}, looks {looks}\n", kind.count, kind.numbers.len())
    });
    format!("{}  {}\n", shapes.collect::<String>(), words.join(" · "))
}

/// The numbers of an attribute.
fn numbers(value: &str) -> impl Iterator<Item = f64> + '_ {
    value.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).filter_map(|part| part.parse().ok())
}

#[test]
fn drawings_hold_what_they_held() {
    let session = Session::new();
    let fits = [
        "oddsmith fit births.csv 'low ~ age + lwt + smoke' -o low.odds -q",
        "oddsmith fit births.csv --target low --features lwt,smoke --model gaussian-nb -o nb.odds -q",
    ];
    for fit in fits {
        assert!(session.shell(&format!("{fit} > fit.csv")).status.success());
    }
    let mut text = String::new();
    for line in [
        "oddsmith plot roc low.odds births.csv",
        "oddsmith plot precision-recall low.odds births.csv",
        "oddsmith plot calibration low.odds births.csv",
        "oddsmith plot decision low.odds births.csv",
        "oddsmith plot threshold low.odds births.csv",
        "oddsmith plot prevalence low.odds births.csv",
        "oddsmith plot waterfall low.odds births.csv --row 3",
        "oddsmith plot influence low.odds births.csv",
        "oddsmith plot residuals low.odds births.csv",
        "oddsmith plot columns low.odds births.csv",
        "oddsmith plot boundary low.odds births.csv",
        "oddsmith plot sigmoid low.odds births.csv",
        "oddsmith plot density nb.odds births.csv --columns lwt",
        "oddsmith plot landscape nb.odds births.csv --columns lwt",
        "oddsmith compare births.csv --target low --features age,lwt --models 'logistic,nb' --plot comparison",
        "oddsmith compare births.csv --target low --features age,lwt --models 'logistic,nb' --plot learning",
        "oddsmith compare births.csv --target low --features age,lwt --models 'logistic,nb' --mdl --plot description",
        "oddsmith describe births.csv --by smoke --exclude bwt --plot differences",
        "oddsmith select births.csv --target low --model logistic --features age,lwt,smoke --by aic --plot steps",
        "oddsmith confounding births.csv --outcome low --exposure smoke --exclude bwt --plot forest",
        "oddsmith subgroups births.csv --outcome low --exposure smoke --candidates race,age --plot forest",
    ] {
        let ran = session.shell(&format!("{line} -q --format svg"));
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        text.push_str(&format!("$ {line}\n{}", contents(&String::from_utf8(ran.stdout).unwrap())));
    }
    assert_session!(text);
}

#[test]
fn contents_tell_words_shapes_and_looks_apart() {
    let drawn = |x: &str, fill: &str, word: &str| {
        contents(&format!("<svg><path d=\"M{x} 2L3 4\" fill=\"{fill}\"/><text x=\"1\">{word}</text></svg>"))
    };
    let own = drawn("10", "red", "a");
    assert!(own.contains("path × 1: 4 numbers, mean 5, looks ") && own.ends_with("  a\n"), "{own}");
    for other in [drawn("30", "red", "a"), drawn("10", "blue", "a"), drawn("10", "red", "b")] {
        assert_ne!(own, other);
    }
}
