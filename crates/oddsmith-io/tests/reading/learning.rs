//! Tables opened to learn from them: kinds, levels, words, weights and missing values.

use crate::tables::{learn, notices, rows, table};
use oddsmith::control::Control;
use oddsmith::data::{Kind, Weighting, WordValue};
use oddsmith_io::{Input, ReadOptions, Roles, TextOptions, Values, open};

fn kinds(text: &str) -> String {
    let opened = learn(text, &ReadOptions::default()).unwrap();
    let kind = |column: &oddsmith_io::ColumnSummary| column.kind.map_or("unused", Kind::name);
    opened.columns.iter().map(kind).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_mixed_table_is_encoded_column_by_column() {
    let text = "age,sex,smoker,note,y\n31,f,true,the cat sat down,no\n4.5,m,FALSE,a dog ran away,yes\n,f,,NA,no\n";
    let opened = learn(text, &ReadOptions::default()).unwrap();
    assert!(opened.in_memory);
    assert_eq!(opened.format.to_string(), "UTF-8, comma, header");
    assert_eq!(
        rows(&*opened.source),
        ["31 f true [cat:1 down:1 sat:1 the:1] no", "4.5 m false [a:1 away:1 dog:1 ran:1] yes", "NaN f - [-] no",]
    );
    assert_eq!(notices(&opened), ["W121 age 1 missing (33.3 %)", "W121 smoker 1 missing (33.3 %)", "W121 note 1 missing (33.3 %)"]);
    assert_eq!(opened.columns[0].values, Values::Range { min: 4.5, max: 31.0 });
    assert_eq!(opened.columns[4].values, Values::Levels(vec![("no".into(), 2), ("yes".into(), 1)]));
}

#[test]
fn kinds_are_judged_over_all_rows() {
    let mut late_word: String = "x,zip,flag,y\n".into();
    (0..30_000).for_each(|i| late_word.push_str(&format!("{i},1{i},true,a\n")));
    assert_eq!(kinds(&late_word), "number number boolean category");
    late_word.push_str("none,01234,maybe,b\n");
    assert_eq!(kinds(&late_word), "category category category category");
}

#[test]
fn a_category_that_turns_out_to_be_prose_becomes_text() {
    let mut text: String = "c,y\n".into();
    (0..5000).for_each(|i| text.push_str(&format!("same few words,{}\n", i % 2)));
    assert_eq!(kinds(&text), "category category");
    (0..9000).for_each(|i| text.push_str(&format!("now we are at {i},0\n")));
    assert_eq!(kinds(&text), "text category");
}

#[test]
fn labels_stay_as_they_are_written_and_sort_by_value() {
    let opened = learn("x,y\n1,10\n2,9\n3,1.0\n4,1\n", &ReadOptions::default()).unwrap();
    assert_eq!(opened.layout().classes().labels(), ["1", "1.0", "9", "10"]);
    let opened = learn("x,y\n1,Yes\n2,yes \n3,no\n", &ReadOptions::default()).unwrap();
    assert_eq!(notices(&opened), ["W123 y `Yes` and `yes ` differ only in case or spaces; they are kept apart"]);
    let opened = learn("x,y\na,-0.0\nb,0.0\nc,-1\n", &ReadOptions::default()).unwrap();
    assert_eq!(opened.layout().classes().labels(), ["-1", "0.0"]);
    assert_eq!(rows(&*opened.source), ["a 0.0", "b 0.0", "c -1"]);
}

#[test]
fn kinds_and_missing_markers_can_be_given() {
    let kinds = [("zip", Kind::Number), ("n", Kind::Category), ("flag", Kind::Boolean), ("t", Kind::Text)]
        .map(|(name, kind)| (name.to_owned(), kind));
    let options = ReadOptions { kinds: kinds.into(), missing: Some(vec!["-9".into()]), ..ReadOptions::default() };
    let opened = learn("zip,n,flag,t,y\n01,1,yes,A b,p\n-9,-0,0,,q\n", &options).unwrap();
    assert_eq!(rows(&*opened.source), ["1 1 true [a:1 b:1] p", "NaN 0 false [] q"]);
}

#[test]
fn rows_without_target_or_weight_vanish_before_anything_is_discovered() {
    let roles = Roles { weight: Some(("w".into(), Weighting::Frequency)), ..Roles::target("y") };
    let text = "x,c,w,y\n1,a,2,p\noops,b,0,q\n3,d,1,\n5,a,0.5,r\n";
    let opened = open(&table(text), &ReadOptions::default(), &roles, &Control::new()).unwrap();
    assert_eq!(rows(&*opened.source), ["1 a p 2", "5 a r 0.5"]);
    assert_eq!(opened.layout().classes().labels(), ["p", "r"]);
    assert_eq!(notices(&opened), ["W122 y 1 row without a target left out"]);
    assert_eq!(opened.layout().weighting(), Weighting::Frequency);
}

#[test]
fn terms_can_be_runs_frequent_few_present_or_hashed() {
    let text = "t,y\nthe red fox ran,a\nthe red hen ran,b\nthe old fox slept,a\n";
    let words = |options: TextOptions| {
        let kinds = [("t".to_owned(), Kind::Text)].into();
        let opened = learn(text, &ReadOptions { text: options, kinds, ..ReadOptions::default() }).unwrap();
        rows(&*opened.source)[0].clone()
    };
    let stop_words = vec!["The".into()];
    let base = || TextOptions { min_documents: 2, ..TextOptions::default() };
    assert_eq!(words(base()), "[fox:1 ran:1 red:1 the:1] a");
    assert_eq!(words(TextOptions { ngrams: 2, stop_words, ..base() }), "[fox:1 ran:1 red:1] a");
    assert_eq!(words(TextOptions { ngrams: 2, ..base() }), "[fox:1 ran:1 red:1 the:1 the red:1] a");
    assert_eq!(words(TextOptions { max_words: Some(2), ..base() }), "[fox:1 the:1] a");
    let hashed = words(TextOptions { hashed: Some(4), value: WordValue::Presence, ..TextOptions::default() });
    assert!(hashed.starts_with("[#") && hashed.split_whitespace().count() <= 5, "{hashed}");
}

#[test]
fn fasttext_lines_are_read_as_they_are() {
    let text = "__label__spam Buy now\n__label__ham __label__work see you, then\nno label here\n";
    let opened = open(&table(text), &ReadOptions::default(), &Roles::default(), &Control::new()).unwrap();
    assert_eq!(rows(&*opened.source), ["[buy:1 now:1] spam", "[see:1 then:1 you:1] ham", "[see:1 then:1 you:1] work"]);
    assert_eq!(
        notices(&opened),
        ["W122 label 1 row without a target left out", "W101 1 row with several labels, counted once for each label"]
    );
    assert_eq!(opened.format.to_string(), "UTF-8, __label__ lines");
}

#[test]
fn files_pipes_and_compression_give_the_same_rows() {
    use std::io::Write;
    let text = "x,y\n1,a\n2,b\n3,a\n".to_owned() + &"4,b\n".repeat(1000);
    let folder = tempfile::tempdir().unwrap();
    let expected = rows(&*learn(&text, &ReadOptions::default()).unwrap().source);
    let path = folder.path().join("plain.csv");
    std::fs::write(&path, &text).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let utf16: Vec<u8> = "\u{feff}".chars().chain(text.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect();
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    for bytes in [&gzip, &zstd, &utf16, &zstd::encode_all(&utf16[..], 1).unwrap()] {
        for memory in [1 << 30, 1000] {
            let opened = learn(bytes, &ReadOptions { memory, ..ReadOptions::default() }).unwrap();
            assert_eq!(rows(&*opened.source), expected);
        }
    }
    let opened = open(&Input::Path(path), &ReadOptions::default(), &Roles::target("y"), &Control::new()).unwrap();
    assert_eq!(rows(&*opened.source), expected);
}
