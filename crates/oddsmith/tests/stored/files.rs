//! Files that are damaged, cut off, forged or newer are refused with a clear text, quickly, and without a panic.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::table::closeness::Scale;
use crate::table::mutation::{DIGITS_END, OPENING, mutation, resealed};
use crate::table::{Cell, Row, all_columns, gathered, layout_of, summary};
use oddsmith::data::{Classes, Feature, Layout, Vocabulary, Weighting, WordValue};
use oddsmith::error::ErrorKind;
use oddsmith::persist::{FileKind, from_bytes, load_model, load_stats, save_stats, to_bytes};
use oddsmith::record::{Array, Record};
use oddsmith::stats::{Parts, Statistics, TableStats};
use proptest::prelude::*;
use serde_json::json;

fn rows() -> Vec<Row> {
    let row = |class: &str, age: f64, town: &str, words: &[(&str, f64)]| Row {
        class: Some(class.into()),
        weight: 1.5,
        cells: vec![
            Cell::Number(age),
            Cell::Level(town.into()),
            if age > 40.0 { Cell::Missing } else { Cell::Number(0.25) },
            Cell::Words(words.iter().map(|(word, count)| (word.to_string(), *count)).collect()),
            Cell::Level("true".into()),
            Cell::Words(vec![("3".into(), 1.0)]),
            Cell::Number(1e8 + age / 8.0),
        ],
    };
    vec![
        row("no", 31.0, "Bern", &[("fever", 2.0)]),
        row("yes", 67.0, "Köln", &[]),
        row("no", 45.0, "Bern", &[("cough", 1.0), ("fever", 1.0)]),
        row("yes", 22.0, "Oslo", &[("cough", 3.0)]),
    ]
}

fn stats() -> TableStats {
    let rows = rows();
    summary(&rows, &Arc::new(layout_of(&rows, &all_columns())), Parts::all(), 3)
}

/// A sealed file with an envelope (its JSON, the checksum left out) and the rest of the header after the metadata.
fn forged(envelope: &str, tensors: &str, data: &[u8]) -> Vec<u8> {
    let escaped = serde_json::to_string(envelope).unwrap();
    let header = format!("{OPENING}{}\\\",{}}}{tensors}}}", "0".repeat(64), &escaped[2..]);
    let padded = header.len().next_multiple_of(8);
    let length = (padded as u64).to_le_bytes();
    resealed([&length, header.as_bytes(), &b" ".repeat(padded - header.len()), data].concat())
}

const ENVELOPE: &str = r#"{"format":1,"kind":"statistics","tag":"table-stats","version":1,"program":"0","head":{}}"#;

/// The text of the refusal, which must be a fault of the format and come at once.
fn refusal<T>(read: impl FnOnce() -> oddsmith::Result<T>) -> String {
    let start = Instant::now();
    let error = read().err().expect("the file must be refused");
    assert!(start.elapsed() < Duration::from_secs(1), "{error}");
    assert!(matches!(error.kind(), ErrorKind::Format { .. }), "{error}");
    let text = error.to_string();
    assert!(!text.chars().any(char::is_control), "{text}");
    text
}

fn assert_refused(bytes: &[u8], expected: &str) {
    let text = refusal(|| from_bytes(bytes, None));
    assert!(text.contains(expected), "{text} — instead of — {expected}");
}

#[test]
fn equal_records_become_equal_bytes_and_come_back() {
    let mut record = Record::new("some-tag", 3, &json!({"b": [1, 0.1, -5e-324], "a": {"z": null, "y": "\u{1b}ü"}})).unwrap();
    record.put("numbers", &[f64::NAN, -0.0, f64::NEG_INFINITY, 1e-320]);
    record.put_counts("counts", &[u64::MAX, 0]);
    record.put_bytes("bytes", vec![0, 255, 10]);
    record.put("empty", &[]);
    let bytes = to_bytes(&record, FileKind::Model).unwrap();
    let (kind, read) = from_bytes(&bytes, Some(FileKind::Model)).unwrap();
    assert_eq!((kind, &read.tag, read.version, &read.head), (FileKind::Model, &record.tag, 3, &record.head));
    assert_eq!(to_bytes(&read, FileKind::Model).unwrap(), bytes);
    let other_order = Record::new("some-tag", 3, &json!({"a": {"y": "\u{1b}ü", "z": null}, "b": [1, 0.1, -5e-324]})).unwrap();
    let other_order = Record { arrays: record.arrays.clone(), ..other_order };
    assert_eq!(to_bytes(&other_order, FileKind::Model).unwrap(), bytes);
    let (Array::Numbers(left), Array::Numbers(right)) = (&record.arrays["numbers"], &read.arrays["numbers"]) else { panic!() };
    assert!(left.iter().zip(right).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn every_safetensors_library_reads_the_files() {
    let stats = stats();
    let bytes = save_stats(&stats).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let record = stats.record().unwrap();
    assert_eq!(tensors.len(), record.arrays.len());
    for (name, array) in &record.arrays {
        let tensor = tensors.tensor(name).unwrap();
        let (dtype, expected) = match array {
            Array::Numbers(values) => (safetensors::Dtype::F64, values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Array::Counts(values) => (safetensors::Dtype::U64, values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Array::Bytes(values) => (safetensors::Dtype::U8, values.clone()),
        };
        assert_eq!((tensor.dtype(), tensor.data()), (dtype, expected.as_slice()), "{name}");
    }
}

#[test]
fn every_flipped_bit_every_cut_and_every_extra_byte_is_refused() {
    let bytes = save_stats(&stats()).unwrap();
    assert!(load_stats(&bytes).is_ok_and(|read| read == stats()));
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        refusal(|| load_stats(&flipped));
    }
    for length in 0..bytes.len() {
        refusal(|| load_stats(&bytes[..length]));
        assert!(length < DIGITS_END || !refusal(|| load_stats(&resealed(bytes[..length].to_vec()))).contains("checksum"));
    }
    for extra in 0..=255 {
        let longer = [&bytes[..], &[extra]].concat();
        refusal(|| load_stats(&longer));
        assert_refused(&resealed(longer), "1 bytes at its end belong to no array");
    }
}

#[test]
fn what_is_no_file_of_ours_is_refused() {
    for (bytes, expected) in [
        (&b""[..], "it has only 0 bytes"),
        (b"age,di", "it has only 6 bytes"),
        (b"age,died\n31,no\n", "it claims a header of"),
        (&[0; 8], "does not begin as files of oddsmith do"),
        (&[255; 100], "it claims a header of 18446744073709551615 bytes; at most 4194304 are accepted"),
        (&(1u64 << 60).to_le_bytes(), "it claims a header of 1152921504606846976 bytes"),
        (&[[100, 0, 0, 0, 0, 0, 0, 0], [b' '; 8]].concat(), "it claims a header of 100 bytes and is cut off after 8"),
        (b"\x08\0\0\0\0\0\0\0{}      ", "does not begin as files of oddsmith do"),
    ] {
        assert_refused(bytes, expected);
        assert_refused(&resealed(bytes.to_vec()), expected);
    }
}

#[test]
fn forged_headers_are_refused() {
    let tensor = |name: &str, fields: &str| format!(",\"{name}\":{{{fields}}}");
    let array = |dtype: &str, shape: &str, offsets: &str| {
        tensor("a", &format!("\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":{offsets}"))
    };
    let good = array("F64", "[1]", "[0,8]");
    let b = |offsets: &str| tensor("b", &format!("\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":{offsets}"));
    assert!(from_bytes(&forged(ENVELOPE, &good, &[0; 8]), None).is_ok(), "the forger's tools must work");
    let huge = 1u64 << 60;
    let deep = format!(",\"a\":{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (tensors, expected) in [
        (array("F64", &format!("[{huge}]"), "[0,8]"), "of 1152921504606846976 elements does not fill the bytes 0 to 8"),
        (array("F64", &format!("[{huge}]"), &format!("[0,{}]", 8 * (huge - 1))), "does not fill the bytes"),
        (array("U8", &format!("[{huge}]"), &format!("[0,{huge}]")), "needs 1152921504606846976 bytes where 8 are left"),
        (array("F64", &format!("[{}]", u64::MAX), "[0,8]"), "does not fill"),
        (array("F64", "[2305843009213693953]", "[0,8]"), "does not fill"),
        (array("F64", "[18446744073709551616]", "[0,8]"), "its header is not as expected"),
        (array("F64", "[-1]", "[0,8]"), "its header is not as expected"),
        (array("F64", "[1.0]", "[0,8]"), "its header is not as expected"),
        (array("F64", "[1,1]", "[0,8]"), "its header is not as expected"),
        (array("F64", "[]", "[0,8]"), "its header is not as expected"),
        (array("F64", "[1]", "[8,0]"), "starts at 8, the one before it ends at 0"),
        (array("F32", "[2]", "[0,8]"), "unknown variant `F32`"),
        (array("F64", "[0]", "[0,0]"), "8 bytes at its end belong to no array"),
        (tensor("a", "\"dtype\":\"F64\",\"shape\":[1]"), "missing field `data_offsets`"),
        (tensor("a", "\"dtype\":\"F64\",\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]"), "duplicate field `dtype`"),
        (tensor("a", "\"code\":1,\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]"), "unknown field `code`"),
        (good.clone() + &good, "the name `a` stands twice"),
        (good.clone() + &b("[0,8]"), "array `b` starts at 0, the one before it ends at 8"),
        (good.clone() + &b("[16,24]"), "array `b` starts at 16, the one before it ends at 8"),
        (good.clone() + &b("[8,16]"), "array `b` needs 8 bytes where 0 are left"),
        (good.clone() + ",\"__metadata__\":{\"oddsmith\":\"\"}", "the name `__metadata__` stands twice"),
        (tensor("a\\u001b[31m", "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]"), "not printable ASCII"),
        (tensor("", "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]"), "a name that is not printable ASCII"),
        (good.clone() + ",", "its header is not as expected"),
        (good.clone() + "}{", "its header is not as expected"),
        (deep, "its header is not as expected"),
    ] {
        assert_refused(&forged(ENVELOPE, &tensors, &[0; 8]), expected);
    }
}

#[test]
fn forged_envelopes_are_refused() {
    let with = |from: &str, to: &str| ENVELOPE.replacen(from, to, 1);
    assert!(from_bytes(&forged(ENVELOPE, "", b""), None).is_ok());
    let nested = |depth: usize| format!("\"head\":{}{}", "[".repeat(depth), "]".repeat(depth));
    let wide = format!("\"head\":[{}0]", "0,".repeat(200_000));
    for (envelope, expected) in [
        (with("\"format\":1", "\"format\":2"), "written by a newer program (format 2; this program reads up to 1)"),
        (r#"{"format":99,"something":"else"}"#.into(), "written by a newer program (format 99"),
        (with("\"format\":1", "\"format\":0"), "versions start at 1"),
        (with("\"format\":1", "\"format\":1.5"), "its envelope is not as expected"),
        (with("\"format\":1,", ""), "missing field `format`"),
        (with("statistics", "recipe"), "unknown variant `recipe`"),
        (with("table-stats", "Table Stats"), "tags are lower case words"),
        (with("table-stats", "\\u001b[31m"), "tags are lower case words"),
        (with("\"version\":1", "\"version\":0"), "versions start at 1"),
        (with("\"version\":1", "\"version\":4294967296"), "its envelope is not as expected"),
        (with("\"head\":{}", "\"head\":{},\"more\":1"), "unknown field `more`"),
        (with("\"head\":{}", "\"head\":{\"a\":1,\"a\":1}"), "the key `a` stands twice"),
        (with("\"head\":{}", "\"head\":{},\"head\":{}"), "the key `head` stands twice"),
        (with("\"head\":{}", "\"blake3\":\"\",\"head\":{}"), "the key `blake3` stands twice"),
        (with("\"head\":{}", &nested(65)), "nested deeper than 64"),
        (with("\"head\":{}", &nested(100_000)), "nested deeper than 64"),
        (with("\"head\":{}", &wide), "more than 131072 values"),
        (with("\"head\":{}", "\"head\":1e999"), "its envelope is not as expected"),
        (with("\"head\":{}", "\"head\":NaN"), "its envelope is not as expected"),
    ] {
        assert_refused(&forged(&envelope, "", b""), expected);
    }
    let too_long = "x".repeat(5 << 20);
    assert_refused(&forged(&with("\"head\":{}", &format!("\"head\":\"{too_long}\"")), "", b""), "at most 4194304 are accepted");
}

#[test]
fn records_that_could_not_be_read_are_not_written() {
    let record = |tag: &str, head| Record::new(tag, 1, &head).unwrap();
    assert!(to_bytes(&record("fine", json!({})), FileKind::Model).is_ok());
    let nested = |depth: usize| (0..depth).fold(json!(0), |inner, _| json!([inner]));
    let deepest = record("deepest", nested(63));
    assert_eq!(from_bytes(&to_bytes(&deepest, FileKind::Model).unwrap(), None).unwrap().1, deepest);
    let widest = record("widest", json!(vec![0; (1 << 17) - 8]));
    assert_eq!(from_bytes(&to_bytes(&widest, FileKind::Model).unwrap(), None).unwrap().1, widest);
    let (deep, wide) = (nested(64), json!(vec![0; (1 << 17) - 7]));
    let long = json!("x".repeat(5 << 20));
    for record in [record("Bad tag", json!({})), record("", json!({})), record("deep", deep), record("wide", wide), record("long", long)] {
        assert!(to_bytes(&record, FileKind::Model).is_err(), "{}", record.tag);
    }
    for name in ["", "with space", "quote\"", "back\\slash", "ünïcode", &"x".repeat(200)] {
        let mut record = record("fine", json!({}));
        record.put(name, &[]);
        assert!(to_bytes(&record, FileKind::Model).is_err(), "{name}");
    }
}

#[test]
fn a_file_of_the_first_format_still_loads() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/files/table-stats-1.stats");
    let read = load_stats(&std::fs::read(path).unwrap()).unwrap();
    Scale::of(&rows()).assert_equal(&read, &stats());
}

#[test]
fn the_wrong_kind_of_file_is_named() {
    let bytes = save_stats(&stats()).unwrap();
    assert_eq!(refusal(|| load_model(&bytes)), "not a usable model file: this is a statistics file; expected a model file");
    let record = Record::new("no-such-model", 1, &json!({})).unwrap();
    let model = to_bytes(&record, FileKind::Model).unwrap();
    assert_eq!(refusal(|| load_stats(&model)), "not a usable statistics file: this is a model file; expected a statistics file");
    let unknown = "not a usable model file: it holds `no-such-model`, which is no model this program knows";
    assert_eq!(refusal(|| load_model(&model)), unknown);
    let other = to_bytes(&record, FileKind::Statistics).unwrap();
    assert_eq!(refusal(|| load_stats(&other)), "not a usable statistics file: it holds `no-such-model`, not `table-stats`");
}

#[test]
fn statistics_that_contradict_themselves_are_refused() {
    type Damage = fn(&mut Record);
    fn set(record: &mut Record, name: &str, at: usize, value: f64) {
        let Some(Array::Numbers(values)) = record.arrays.get_mut(name) else { panic!("{name}") };
        values[at] = value;
    }
    fn set_count(record: &mut Record, name: &str, at: usize, value: u64) {
        let Some(Array::Counts(values)) = record.arrays.get_mut(name) else { panic!("{name}") };
        values[at] = value;
    }
    let damages: [(&str, Damage); 22] = [
        ("`table-stats` version 2 is newer than this program, which reads up to 1", |r| r.version = 2),
        ("`classes.weight` holds a number that is not finite or below zero", |r| set(r, "classes.weight", 0, f64::NAN)),
        ("`classes.weight` holds a number that is not finite or below zero", |r| set(r, "classes.weight", 0, -1.0)),
        ("`moments.mean` holds a number that is not finite", |r| set(r, "moments.mean", 1, f64::INFINITY)),
        ("`moments.squares` holds a number that is not finite or below zero", |r| set(r, "moments.squares", 0, -1e-300)),
        ("`tallies.negative` holds", |r| set(r, "tallies.negative", 0, -1.0)),
        ("`levels.counts` holds", |r| set(r, "levels.counts", 0, f64::NEG_INFINITY)),
        ("`words.0.totals` holds", |r| set(r, "words.0.totals", 0, -1.0)),
        ("`words.1.presence` is missing", |r| drop(r.arrays.remove("words.1.presence"))),
        ("`words.0.documents` has 1 numbers where 2 belong", |r| r.put("words.0.documents", &[1.0])),
        ("`moments.mean` does not hold numbers", |r| r.put_counts("moments.mean", &[0; 6])),
        ("counts more than 9007199254740992 rows", |r| set_count(r, "classes.rows", 0, u64::MAX)),
        ("has sums of class 0, which has no rows", |r| set_count(r, "classes.rows", 0, 0)),
        ("do not add up to `classes.rows`", |r| set_count(r, "classes.rows", 0, 7)),
        ("more rows of a class than `classes.rows`", |r| set_count(r, "scatter.rows", 0, 7)),
        ("do not add up to `classes.rows`", |r| set_count(r, "scatter.incomplete", 0, 1)),
        ("`scatter.columns` lists columns that do not rise", |r| set_count(r, "scatter.columns", 0, 9)),
        ("asks for more columns than are listed", |r| set_count(r, "scatter.lengths", 0, 1 << 60)),
        ("lists more columns than the lengths ask for", |r| r.put_counts("scatter.lengths", &[2])),
        ("no pattern of complete rows", |r| {
            r.put_counts("scatter.columns", &[0, 2]);
            r.put_counts("scatter.lengths", &[2, 0]);
            for (name, length) in [("mean", 4), ("mean_low", 4), ("products", 6)] {
                r.put(format!("scatter.{name}"), &vec![0.0; length]);
            }
        }),
        ("`scatter.products` holds a sum of squares below zero", |r| set(r, "scatter.products", 0, -1.0)),
        ("`parts` is not as expected", |r| r.head["parts"]["patterns"] = (-1).into()),
    ];
    for (expected, damage) in damages {
        let mut record = stats().record().unwrap();
        damage(&mut record);
        let bytes = to_bytes(&record, FileKind::Statistics).unwrap();
        let text = refusal(|| load_stats(&bytes));
        assert!(text.starts_with("not a usable statistics file: ") && text.contains(expected), "{text} — instead of — {expected}");
    }
}

#[test]
fn sums_that_left_the_range_of_numbers_are_not_written() {
    let mut rows = rows();
    rows[0].cells[0] = Cell::Number(1e200);
    rows[2].cells[0] = Cell::Number(-1e200);
    let layout = Arc::new(layout_of(&rows, &all_columns()));
    let unfinished = summary(&rows, &layout, Parts::all(), 3);
    assert!(save_stats(&unfinished).unwrap_err().to_string().contains("not summed again in scaled units"));
    let scaled = gathered(&rows, &layout, Parts::all(), 3).unwrap();
    assert_eq!(load_stats(&save_stats(&scaled).unwrap()).unwrap().record().unwrap(), scaled.record().unwrap());
    // Sums of counts are in the user's units, whatever their size.
    (rows[0].cells[0], rows[0].weight) = (Cell::Number(1e300), 1e100);
    let text = save_stats(&gathered(&rows, &layout, Parts::all(), 3).unwrap()).unwrap_err().to_string();
    assert!(text.contains("column `age`") && text.contains("too large for 64-bit numbers"), "{text}");
}

/// Peak memory of the process so far, where the system tells.
fn peak_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()? * 1024)
}

#[test]
fn loading_takes_no_more_than_twice_the_file() {
    let words = (0..200_000).map(|at| format!("word{at}")).collect();
    let note = Feature::words("note", Vocabulary::Listed(words), WordValue::Count);
    let classes = Classes::new((0..12).map(|k| k.to_string()).collect()).unwrap();
    let layout = Layout::new("died", vec![note], classes, Weighting::None).unwrap();
    let bytes = save_stats(&TableStats::new(Arc::new(layout), Parts::all())).unwrap();
    assert!(bytes.len() > 30 << 20);
    let before = peak_bytes();
    let read = load_stats(&bytes).unwrap();
    if let (Some(before), Some(after)) = (before, peak_bytes()) {
        assert!(after - before <= 2 * bytes.len() + (4 << 20), "{} bytes for a file of {}", after - before, bytes.len());
    }
    assert_eq!(read.weight(), 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The checksum is made right again after every mutation, so that the readers behind it are tried. What they accept
    /// must be usable.
    #[test]
    fn mutated_files_are_refused_or_usable(mutations in prop::collection::vec(mutation(), 1..5)) {
        static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| save_stats(&stats()).unwrap());
        let mut bytes = BYTES.clone();
        mutations.iter().for_each(|mutation| mutation.apply(&mut bytes));
        match load_stats(&resealed(bytes)) {
            Err(error) => {
                let refused = matches!(error.kind(), ErrorKind::Format { .. });
                prop_assert!(refused, "{}", error);
            }
            Ok(stats) => {
                let mut twice = stats.clone();
                twice.merge(&stats).unwrap();
                twice.subtract(&stats).unwrap();
                twice.select(&(0..stats.layout().features().len()).rev().collect::<Vec<_>>()).unwrap();
                prop_assert_eq!(load_stats(&save_stats(&stats).unwrap()).unwrap(), stats);
            }
        }
    }
}
