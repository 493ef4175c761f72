//! Single cells: numbers as the standard library reads them, and texts cut into terms.

use std::collections::BTreeMap;

use oddsmith::control::Control;
use oddsmith::data::{Kind, Terms};
use oddsmith_io::{Header, Quote, ReadOptions, Roles, TextOptions, open};

use super::tables::{input, options};

/// Characters of which numbers consist; other bytes become one of them.
const OF_NUMBERS: &[u8; 16] = b"0123456789.-+eE_";

pub(super) fn number_seeds() -> Vec<Vec<u8>> {
    [
        "1.5",
        "-0.0",
        "1e308",
        "4.9e-324",
        "9007199254740993",
        "0.1000000000000000055511151231257827",
        "123456789.123456789e-10",
        "2.2250738585072011e-308",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

/// A number that a column of numbers accepts is the one that the standard library reads.
pub(super) fn numbers(bytes: &[u8]) {
    let known = |byte: &u8| if OF_NUMBERS.contains(byte) { *byte } else { OF_NUMBERS[usize::from(*byte & 15)] };
    let cells: Vec<String> =
        bytes.chunks(24).take(20).map(|cell| String::from_utf8_lossy(&cell.iter().map(known).collect::<Vec<u8>>()).into_owned()).collect();
    for cell in cells {
        let Ok(expected) = cell.parse::<f64>() else { continue };
        let table = format!("x,y\n{cell},a\n1,b\n");
        let kinds = BTreeMap::from([("x".to_owned(), Kind::Number)]);
        let options =
            ReadOptions { kinds, delimiter: Some(b','), decimal: Some(b'.'), header: Header::Yes, quote: Quote::None, ..options() };
        let Ok(opened) = open(&input(table.as_bytes()), &options, &Roles::target("y"), &Control::new()) else { continue };
        let mut read = Vec::new();
        let scanned = opened.source.scan(0, &mut |rows| {
            read.extend((0..rows.features.rows()).map(|row| rows.features.numbers.get(row, 0)));
            Ok(())
        });
        if let (Ok(()), Some(first)) = (scanned, read.first().filter(|first| !first.is_nan())) {
            assert_eq!(first.to_bits(), expected.to_bits(), "`{cell}` was read as {first:e}");
        }
    }
}

/// A text in a column of words.
pub(super) fn tokens(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let terms = match choice & 3 {
        0 => Terms::Words { shortest: 1, longest: 1 },
        1 => Terms::Words { shortest: 1, longest: 3 },
        2 => Terms::Characters { shortest: 3, longest: 5 },
        _ => Terms::Characters { shortest: 1, longest: 1 },
    };
    let hashed = (choice & 4 == 4).then_some(64);
    let text = TextOptions { terms, hashed, tf_idf: choice & 8 == 8 && hashed.is_none(), ..TextOptions::default() };
    let shown: String = String::from_utf8_lossy(rest).replace('"', "\"\"");
    let table = format!("text,y\n\"{shown}\",a\n\"plain words\",b\n");
    let kinds = BTreeMap::from([("text".to_owned(), Kind::Text)]);
    let options = ReadOptions { kinds, text, delimiter: Some(b','), header: Header::Yes, quote: Quote::Byte(b'"'), ..options() };
    let Ok(opened) = open(&input(table.as_bytes()), &options, &Roles::target("y"), &Control::new()) else { return };
    let _ = (0..opened.source.partitions()).try_for_each(|partition| opened.source.scan(partition, &mut |_| Ok(())));
}
