//! Lines that are no plain rows: blank ones, ones with stray quotes, and those of a table without names.

use std::io::Write;

use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Layout, Levels, MISSING, Weighting};
use oddsmith_io::{Input, Quote, Ragged, ReadOptions, Roles, open, open_for_prediction};

use crate::tables::{learn, notices, refusal, rows, table};

fn layout(features: Vec<Feature>) -> Layout {
    Layout::new("y", features, Classes::new(vec!["no".into(), "yes".into()]).unwrap(), Weighting::None).unwrap()
}

/// The numbers (or codes) of the first feature in the order of the file, and the notices.
fn predicted(input: &Input, layout: &Layout, options: &ReadOptions) -> (Vec<String>, Vec<String>) {
    let new_rows = open_for_prediction(input, options, layout, &[]).unwrap();
    let mut told = new_rows.notices.clone();
    let mut cells = Vec::new();
    let scanned = new_rows.scan(&Control::new(), &mut |batch| {
        cells.extend((0..batch.features.rows()).map(|i| match layout.numbers() {
            [] if batch.features.codes.get(i, 0) == MISSING => "-".to_owned(),
            [] => batch.features.codes.get(i, 0).to_string(),
            _ => batch.features.numbers.get(i, 0).to_string(),
        }));
        Ok(())
    });
    told.extend(scanned.unwrap());
    (cells, told.iter().map(ToString::to_string).collect())
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_table_of_one_column_has_a_row_for_every_line() {
    let layout = layout(vec![Feature::number("x")]);
    for text in ["x\n1\n\n3\n", "x\r\n1\r\n\r\n3\r\n", "x\n1\n\n3", "x\n1\n\"\"\n3\n"] {
        for input in [table(text), table(gzip(text))] {
            for partition_bytes in [1, 4 << 20] {
                let options = ReadOptions { partition_bytes, ..ReadOptions::default() };
                let (cells, told) = predicted(&input, &layout, &options);
                assert_eq!((cells.join(" "), told), ("1 NaN 3".to_owned(), vec![]), "{text:?}");
            }
        }
    }
    let (cells, _) = predicted(&table("x\n\n\n1\n\n"), &layout, &ReadOptions::default());
    assert_eq!(cells, ["NaN", "NaN", "1", "NaN"], "the last line end is no row, a blank line before it is one");
    let category = self::layout(vec![Feature::category("c", Levels::sorted(vec!["a".into(), "b".into()]))]);
    assert_eq!(predicted(&table("c\nb\n\na\n"), &category, &ReadOptions::default()).0, ["1", "-", "0"]);
}

#[test]
fn a_blank_line_among_several_columns_is_no_row_and_is_told() {
    let layout = layout(vec![Feature::number("x"), Feature::number("z")]);
    for partition_bytes in [1, 8, 4 << 20] {
        let options = ReadOptions { partition_bytes, ..ReadOptions::default() };
        let (cells, told) = predicted(&table("x,z\n1,2\n\n\r\n3,4\n\n"), &layout, &options);
        assert_eq!((cells.join(" "), told), ("1 3".into(), vec!["W103 2 blank lines between rows left out".to_owned()]));
        let opened = learn("x,y\n1,a\n\n2,b\n\n\n", &options).unwrap();
        assert_eq!(notices(&opened), ["W103 1 blank line between rows left out"]);
        assert_eq!(rows(&*opened.source), ["1 a", "2 b"]);
        let (_, told) = predicted(&table("x,z\n1,2\n3,4\n\n\n"), &layout, &options);
        assert!(told.is_empty(), "lines after the last row mean nothing: {told:?}");
    }
    let skipping = ReadOptions { ragged: Ragged::Skip, ..ReadOptions::default() };
    let (cells, told) = predicted(&table("x,z\n1,2\n3\n4,5\n"), &layout, &skipping);
    assert_eq!((cells.join(" "), told), ("1 4".into(), vec!["W102 1 row of another width than the header left out".to_owned()]));
}

#[test]
fn lines_of_text_are_rows_even_when_they_are_blank() {
    let text = "__label__a red fox\n\n__label__b old hen\n";
    let learned = open(&table(text), &ReadOptions::default(), &Roles::default(), &Control::new()).unwrap();
    assert_eq!(notices(&learned), ["W122 label 1 row without a target left out"]);
    let new_rows = open_for_prediction(&table("fox\n\n\r\nhen\n"), &ReadOptions::default(), learned.layout(), &[]).unwrap();
    let mut present = Vec::new();
    let scanned = new_rows.scan(&Control::new(), &mut |batch| {
        present.extend((0..batch.features.rows()).map(|i| batch.features.words[0].is_present(i)));
        Ok(())
    });
    assert!(scanned.unwrap().is_empty());
    assert_eq!(present, [true, false, false, true]);
}

/// Messages of which every thirtieth starts with a quote that nobody meant to enclose anything.
fn messages(lines: usize) -> String {
    let line = |i: usize| match i % 60 {
        7 => format!("ham\t\"hello number {i}, call me\n"),
        37 => format!("spam\tsay \"yes\" to offer {i} now\n"),
        52 => format!("ham\t\"quoted whole {i}\"\n"),
        _ => format!("{}\tmessage number {i} is here\n", if i.is_multiple_of(4) { "spam" } else { "ham" }),
    };
    "label\ttext\n".to_owned() + &(0..lines).map(line).collect::<String>()
}

#[test]
fn stray_quotes_of_a_tab_separated_text_swallow_nothing() {
    let roles = Roles::target("label");
    let text = messages(3000);
    let opened = open(&table(&text), &ReadOptions::default(), &roles, &Control::new()).unwrap();
    assert_eq!((opened.rows, notices(&opened)), (3000, vec!["W101 assumed delimiter tab, quotes as ordinary characters".to_owned()]));
    let new_rows = open_for_prediction(&table(&text), &ReadOptions::default(), opened.layout(), &[]).unwrap();
    let mut count = 0;
    let mut counting = |batch: oddsmith_io::NewBatch<'_>| {
        count += batch.features.rows();
        Ok(())
    };
    new_rows.scan(&Control::new(), &mut counting).unwrap();
    assert_eq!(count, 3000);
}

#[test]
fn a_quote_that_swallows_rows_beyond_the_first_lines_stops_with_its_line() {
    // The first megabyte shows no stray quote, so quotes are taken for quotes.
    let mut text: String = "a\tx\ty\n".into();
    (0..90_000).for_each(|i| text.push_str(&format!("\"text, {i}\"\tplain\tp\n")));
    text.push_str("z\t\"five pipes\tq\nz\t6 pipes\tp\nz\t7 \"wide\" pipes\tq\n");
    let message = refusal(&text, &ReadOptions::default(), &Roles::target("y"));
    assert_eq!(
        message,
        "t.csv: row 90001, line 90002: a quote opens a cell that holds 2 line ends, and text follows its closing quote; read quotes as \
         ordinary characters with --quote none, or double those inside quoted cells"
    );
    let plain = ReadOptions { quote: Quote::None, ..ReadOptions::default() };
    assert_eq!(learn(&text, &plain).unwrap().rows, 90_003);
    let told = notices(&learn("a,y\n\"5\" pipe,p\n\"x, z\",q\n", &ReadOptions::default()).unwrap());
    assert_eq!(told, ["W104 1 cell has text after a closing quote; --quote none reads quotes as ordinary characters"]);
}

#[test]
fn names_are_given_to_tables_that_have_none() {
    let named = |names: &[&str]| ReadOptions { names: Some(names.iter().map(|name| name.to_string()).collect()), ..ReadOptions::default() };
    let opened = learn("red,1\nblue,2\nred,3\n", &named(&["y", "size"])).unwrap();
    assert_eq!(
        (rows(&*opened.source), opened.layout().names()),
        (vec!["1 red".into(), "2 blue".into(), "3 red".into()], vec!["size".to_owned()])
    );
    assert!(notices(&opened).is_empty());
    let message = refusal("1,2,3\n4,5,6\n", &named(&["x", "y"]), &Roles::target("y"));
    assert_eq!(message, "t.csv: 2 names for 3 columns; give one name per column, in the order of the file");
    let layout = layout(vec![Feature::category("column_1", Levels::sorted(vec!["blue".into(), "red".into()]))]);
    assert_eq!(predicted(&table("red,big\n"), &layout, &ReadOptions::default()).0, ["1"], "one row, and no header to be seen in it");
    let layout = self::layout(vec![Feature::number("size")]);
    let error = open_for_prediction(&table("1,2\n3,4\n"), &ReadOptions::default(), &layout, &[]).err().unwrap().to_string();
    assert_eq!(
        error,
        "t.csv: column `size`: is missing; the table has: column_1, column_2; name the columns with --names, or with a header"
    );
    assert_eq!(predicted(&table("1,2\n3,4\n"), &layout, &named(&["size", "other"])).0, ["1", "3"]);
}
