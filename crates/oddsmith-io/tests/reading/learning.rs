//! Tables opened to learn from them: kinds, levels, words, weights and missing values.

use crate::tables::{learn, notices, rows, table};
use oddsmith::control::Control;
use oddsmith::data::{Kind, Terms, Weighting, WordValue};
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
fn zeros_and_ones_are_booleans_where_that_is_asked_for() {
    let asked = ReadOptions { flags: Some(Vec::new()), ..ReadOptions::default() };
    let text = "a,b,c,d,e,y\n0,1,0,0,0.0,p\n1,1,2,0.5,1,q\n,1,1,1,1.0,p\n";
    let opened = learn(text, &asked).unwrap();
    let kind = |column: &oddsmith_io::ColumnSummary| column.kind.map_or("unused", Kind::name);
    assert_eq!(opened.columns.iter().map(kind).collect::<Vec<_>>().join(" "), "boolean number number number boolean category");
    assert_eq!(opened.flags, ["a", "e"]);
    assert_eq!(rows(&*opened.source), ["false 1 0 0 false p", "true 1 2 0.5 true q", "- 1 1 1 true p"]);
    assert_eq!(kinds(text), "number number number number number category");
    let given = ReadOptions { kinds: [("a".to_owned(), Kind::Number)].into(), ..asked.clone() };
    assert_eq!(learn(text, &given).unwrap().flags, ["e"]);
    let but_one = learn(text, &ReadOptions { flags: Some(vec!["e".into()]), ..ReadOptions::default() }).unwrap();
    assert_eq!((kind(&but_one.columns[0]), kind(&but_one.columns[4]), but_one.flags), ("boolean", "number", vec!["a".into(), "e".into()]));
}

#[test]
fn a_late_row_decides_about_zeros_and_ones() {
    let cases =
        [("0,p\n1,q\n", "2", "number"), ("0,p\n1,q\n", "0", "boolean"), ("0,p\n1,q\n", "x", "category"), ("0,p\n0,q\n", "1", "boolean")];
    for (start, late, expected) in cases {
        let text = format!("x,y\n{}{late},p\n", start.repeat(200_000));
        for threads in [1, 3] {
            let opened = learn(&text, &ReadOptions { flags: Some(Vec::new()), threads, ..ReadOptions::default() }).unwrap();
            assert_eq!((opened.columns[0].kind.unwrap().name(), opened.rows), (expected, 400_001), "{late} after {start:?}");
        }
    }
}

#[test]
fn one_word_among_numbers_is_told_with_its_row() {
    let text = |cell: &str| -> String {
        let line = |i: usize| if i == 600 { format!("{cell},q\n") } else { format!("{i},p\n") };
        "x,y\n".to_owned() + &(1..=1000).map(line).collect::<String>()
    };
    let told = |text: &str, options: &ReadOptions| notices(&learn(text, options).unwrap());
    for (partition_bytes, threads) in [(4 << 20, 1), (100, 3)] {
        let options = ReadOptions { partition_bytes, threads, ..ReadOptions::default() };
        let expected = "W105 x 999 of 1000 cells are numbers, and `abc` in row 600 is none, so this is a category; \
                        list it with --missing-markers if it means that there is no value, or give the column a --kind";
        assert_eq!(told(&text("abc"), &options), [expected]);
    }
    let default = ReadOptions::default();
    assert!(told(&text("7"), &default).is_empty());
    assert!(told(&text("0123"), &default).is_empty(), "codes with leading zeros");
    assert!(told("x,y\n1,p\n2,q\n3,p\nA,q\nB,p\n1,q\n", &default).is_empty(), "a category with digits");
    assert!(told(&text("abc"), &ReadOptions { kinds: [("x".to_owned(), Kind::Category)].into(), ..default }).is_empty());
}

#[test]
fn classes_are_counted_by_weight_whoever_reads_them() {
    let lines = (0..5000).map(|i| format!("{i},0.{},{}\n", i % 9 + 1, ["b", "a", "c"][i % 3]));
    let text = "x,w,y\n".to_owned() + &lines.collect::<String>();
    let roles = Roles { weight: Some(("w".into(), Weighting::Sampling)), ..Roles::target("y") };
    let sums = |threads: usize| {
        let options = ReadOptions { threads, partition_bytes: 500, ..ReadOptions::default() };
        open(&table(&text), &options, &roles, &Control::new()).unwrap().class_weights
    };
    for (found, k) in sums(1).into_iter().zip([1, 0, 2]) {
        let expected: f64 = (0..5000).filter(|i| i % 3 == k).map(|i| f64::from(i % 9 + 1) / 10.0).sum();
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    assert_eq!(sums(1), sums(4));
    assert_eq!(learn("x,y\n1,p\n2,p\n3,\n4,q\n", &ReadOptions::default()).unwrap().class_weights, [2.0, 1.0]);
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
    assert_eq!(words(TextOptions { terms: Terms::Words { shortest: 1, longest: 2 }, stop_words, ..base() }), "[fox:1 ran:1 red:1] a");
    assert_eq!(words(TextOptions { terms: Terms::Words { shortest: 1, longest: 2 }, ..base() }), "[fox:1 ran:1 red:1 the:1 the red:1] a");
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
        ["W101 1 row with several labels, counted once for each label", "W122 label 1 row without a target left out"]
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

#[test]
fn terms_are_weighed_by_tf_idf_in_memory_and_streamed() {
    let table = "y,t\na,the cat sat on the mat\nb,the dog sat\na,\nb,a cat and a dog ran off\n";
    let text = TextOptions { tf_idf: true, ..TextOptions::default() };
    // Three texts: `the` stands in two of them, `mat` in one.
    let factor = |with_term: f64| 1.0 + (4.0 / (1.0 + with_term)).ln();
    let second = [("dog", factor(2.0)), ("sat", factor(2.0)), ("the", factor(2.0))];
    let length = second.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    let expected: Vec<String> = second.iter().map(|(term, weight)| format!("{term}:{}", weight / length)).collect();
    for memory in [1 << 30, 1 << 10] {
        let options = ReadOptions { text: text.clone(), memory, kinds: [("t".to_owned(), Kind::Text)].into(), ..ReadOptions::default() };
        let Ok(opened) = learn(table, &options) else { continue };
        assert_eq!(rows(&*opened.source)[1], format!("[{}] b", expected.join(" ")), "{memory}");
        assert_eq!(rows(&*opened.source)[2], "[-] a");
    }
    let refused = TextOptions { hashed: Some(8), ..text };
    assert!(learn(table, &ReadOptions { text: refused, ..ReadOptions::default() }).is_err());
}
