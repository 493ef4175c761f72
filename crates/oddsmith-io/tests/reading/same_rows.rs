//! The same table gives the same rows however it is written, cut, kept or shared among threads.

use crate::tables::{learn, rows};
use oddsmith::Result;
use oddsmith::data::Source;
use oddsmith_io::ReadOptions;
use proptest::prelude::*;

/// How a table is written.
#[derive(Debug, Clone, Copy)]
struct Style {
    quote_all: bool,
    line_end: &'static str,
    last_line_end: bool,
    delimiter: char,
    mark: bool,
}

fn styles() -> impl Strategy<Value = Style> {
    (
        any::<bool>(),
        prop::sample::select(vec!["\n", "\r\n", "\r"]),
        any::<bool>(),
        prop::sample::select(vec![',', '\t', ';', '|']),
        any::<bool>(),
    )
        .prop_map(|(quote_all, line_end, last_line_end, delimiter, mark)| Style {
            quote_all,
            line_end,
            last_line_end,
            delimiter,
            mark,
        })
}

fn write(table: &[Vec<String>], style: Style) -> String {
    let must_quote = |cell: &str| style.quote_all || cell.contains([style.delimiter, '"', '\n', '\r']);
    let cell = |cell: &String| if must_quote(cell) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() };
    let lines: Vec<String> = table.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(&style.delimiter.to_string())).collect();
    let mut text = if style.mark { "\u{feff}".to_owned() } else { String::new() };
    text.push_str(&lines.join(style.line_end));
    text.push_str(if style.last_line_end { style.line_end } else { "" });
    text
}

/// Numbers with gaps, levels with awkward characters, prose and labels.
fn any_table() -> impl Strategy<Value = Vec<Vec<String>>> {
    let number = prop_oneof![4 => any::<i32>().prop_map(|v| v.to_string()), 4 => (-1e6..1e6f64).prop_map(|v| format!("{v}")), 1 => Just("NA".to_owned())];
    let level = prop::sample::select(vec![
        "a",
        "b",
        "b ",
        "x,y",
        "x;y",
        "say \"hi\"",
        "two\nlines",
        "tab\tbed",
        "bar|bar",
        "ü",
        "",
        "nul\0nul",
        "-0",
        "0",
    ]);
    let prose = prop::collection::vec(prop::sample::select(vec!["the", "Red", "fox", "jumps,", "over\nit", "größer"]), 0..6)
        .prop_map(|words| words.join(" "));
    let label = prop::sample::select(vec!["yes", "no", "maybe", ""]);
    let row = (number, level, prose, label).prop_map(|(a, b, c, d)| vec![a, b.to_owned(), c, d.to_owned()]);
    prop::collection::vec(row, 1..60).prop_map(|mut rows| {
        rows.insert(0, ["n", "c", "t", "y"].map(String::from).to_vec());
        rows.push(["1", "a", "end", "yes"].map(String::from).to_vec());
        rows
    })
}

/// The rows and the shape of the batches that carry them.
fn read(text: &str, options: &ReadOptions) -> Result<(Vec<String>, Vec<usize>)> {
    let opened = learn(text, options)?;
    let mut sizes = Vec::new();
    let source: &dyn Source = &*opened.source;
    for partition in 0..source.partitions() {
        source.scan(partition, &mut |rows| {
            sizes.push(rows.labels.len());
            Ok(())
        })?;
    }
    assert!(opened.in_memory || options.memory < 10_000);
    Ok((rows(source), sizes))
}

#[test]
fn a_table_beyond_the_budget_is_streamed() {
    let text = format!("x,y\n{}", "1.5,a\n2.5,b\n".repeat(3000));
    let small = ReadOptions { memory: 50_000, ..ReadOptions::default() };
    assert!(!learn(&text, &small).unwrap().in_memory);
    assert_eq!(read(&text, &ReadOptions { memory: 9_000, ..small }).unwrap(), read(&text, &ReadOptions::default()).unwrap());
}

proptest! {
    #[test]
    fn writing_cutting_keeping_and_sharing_change_nothing(table in any_table(), style in styles(), partition_bytes in 1usize..400, threads in 1usize..4) {
        let kinds = [("t".to_owned(), oddsmith::data::Kind::Text), ("c".to_owned(), oddsmith::data::Kind::Category)];
        // One way of writing decides what is expected; the delimiter and the decimal mark are given, the rest is found out.
        let base = ReadOptions { kinds: kinds.into(), delimiter: Some(b','), decimal: Some(b'.'), threads: 1, ..ReadOptions::default() };
        let plain = Style { quote_all: true, line_end: "\n", last_line_end: true, delimiter: ',', mark: false };
        let (expected, _) = read(&write(&table, plain), &base).unwrap();
        let text = write(&table, style);
        let cut = ReadOptions { delimiter: Some(style.delimiter as u8), partition_bytes, threads, ..base };
        let kept = read(&text, &cut).unwrap();
        prop_assert_eq!(&kept.0, &expected);
        // Larger tables no longer fit this and are streamed.
        let streamed = read(&text, &ReadOptions { memory: 8192, threads: 1, ..cut.clone() }).unwrap();
        prop_assert_eq!(&kept, &streamed);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), partition_bytes in 1usize..64) {
        let options = ReadOptions { partition_bytes, threads: 2, ..ReadOptions::default() };
        _ = learn(&bytes, &options);
        let mut headed = b"x,y\n1,a\n".to_vec();
        headed.extend(&bytes);
        _ = learn(&headed, &options);
    }
}

/// From the second time on a streamed table keeps what it has room for: nothing, some partitions, all of them.
#[test]
fn reading_again_gives_the_same_rows() {
    let lines: String = (0..600).map(|i| format!("{},word{},{}\n", i * 7 % 101, i % 9, ["a", "b"][i % 2])).collect();
    let text = format!("x,c,y\n{lines}");
    for memory in [2_000, 9_000, 18_000] {
        let options = ReadOptions { memory, partition_bytes: 500, ..ReadOptions::default() };
        let opened = learn(&text, &options).unwrap();
        assert!(!opened.in_memory && opened.source.partitions() > 10);
        let first = rows(&*opened.source);
        assert_eq!(first.len(), 600);
        for _ in 0..4 {
            assert_eq!(rows(&*opened.source), first, "{memory}");
        }
        // A sink that stops half-way leaves nothing half-kept behind.
        let stop = &mut |_: oddsmith::data::Rows<'_>| Err(oddsmith::Error::data("enough"));
        assert!(opened.source.scan(3, stop).is_err());
        assert_eq!(rows(&*opened.source), first, "{memory}");
    }
}
