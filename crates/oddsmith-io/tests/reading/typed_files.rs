//! Parquet and Arrow IPC give the rows that the same table gives as text, and broken files give errors.

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array,
    LargeStringArray, ListArray, RecordBatch, StringArray, StringViewArray, TimestampMillisecondArray, UInt64Array,
};
use oddsmith::control::Control;
use oddsmith::data::{Kind, MISSING};
use oddsmith_io::{Input, Opened, ReadOptions, Roles, open, open_for_prediction};
use proptest::prelude::*;

use crate::tables::{learn, notices, refusal, rows, table};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

fn parquet(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batches[0].schema(), None).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.into_inner().unwrap()
}

fn arrow_file(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn arrow_stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn compressed_file(batches: &[RecordBatch]) -> Vec<u8> {
    let options = arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(Some(arrow_ipc::CompressionType::ZSTD)).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &batches[0].schema(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn mixed() -> Vec<RecordBatch> {
    let texts = ["the red fox", "an old hen", "a fox ran off", "no hens today"];
    let numbers = vec![Some(1.5), None, Some(-2.0), Some(f64::NAN)];
    // In sorted order, as a text has its levels; `order.rs` is about dictionaries in other orders.
    let (keys, levels) = (Int8Array::from(vec![Some(1), Some(0), None, Some(1)]), Arc::new(StringArray::from(vec!["a", "b"])));
    let all = batch(vec![
        ("x", Arc::new(Float64Array::from(numbers))),
        ("i", Arc::new(Int64Array::from(vec![Some(7), Some(-8), None, Some(9)]))),
        ("c", Arc::new(DictionaryArray::<Int8Type>::try_new(keys, levels).unwrap())),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]))),
        ("t", Arc::new(StringViewArray::from(texts.to_vec()))),
        ("y", Arc::new(LargeStringArray::from(vec![Some("yes"), Some("no"), Some("no"), None]))),
    ]);
    vec![all.slice(0, 3), all.slice(3, 1)]
}

#[test]
fn a_stream_may_change_its_dictionaries() {
    let part = |levels: [&str; 2]| {
        let y: ArrayRef = Arc::new(StringArray::from(vec!["p", "q"]));
        batch(vec![("c", Arc::new(levels.into_iter().collect::<DictionaryArray<Int8Type>>()) as ArrayRef), ("y", y)])
    };
    let opened = learn(arrow_stream(&[part(["a", "b"]), part(["z", "a"])]), &ReadOptions::default()).unwrap();
    assert_eq!(rows(&*opened.source), ["a p", "b q", "z p", "a q"]);
}

const MIXED_TEXT: &str =
    "x,i,c,flag,t,y\n1.5,7,b,true,the red fox,yes\n,-8,a,false,an old hen,no\n-2,,,,a fox ran off,no\n,9,b,true,no hens today,\n";

#[test]
fn typed_files_give_the_rows_of_the_text() {
    let expected = learn(MIXED_TEXT, &ReadOptions::default()).unwrap();
    let files = [(parquet(&mixed()), "Parquet"), (arrow_file(&mixed()), "Arrow IPC"), (arrow_stream(&mixed()), "Arrow IPC")];
    for (bytes, format) in files.into_iter().chain([(compressed_file(&mixed()), "Arrow IPC")]) {
        for memory in [1 << 30, 4000] {
            let opened = learn(&bytes, &ReadOptions { memory, ..ReadOptions::default() }).unwrap();
            assert_eq!(opened.format.to_string(), format);
            assert_eq!(opened.in_memory, memory > 4000);
            assert_eq!(opened.layout(), expected.layout());
            assert_eq!(rows(&*opened.source), rows(&*expected.source));
            assert_eq!(notices(&opened), notices(&expected));
            assert_eq!(opened.columns, expected.columns);
        }
        let packed = zstd::encode_all(&bytes[..], 1).unwrap();
        assert_eq!(learn(packed, &ReadOptions::default()).unwrap().compression, Some("zstd"));
    }
}

#[test]
fn every_type_becomes_a_kind() {
    let two = |kind: &str, array: ArrayRef| {
        let labels: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let opened = learn(parquet(&[batch(vec![("v", array), ("y", labels)])]), &ReadOptions::default()).unwrap();
        assert_eq!(opened.columns[0].kind.map(Kind::name), Some(kind));
        (rows(&*opened.source).join("; "), notices(&opened).join("; "))
    };
    let plain = |kind: &str, array: ArrayRef| two(kind, array).0;
    assert_eq!(plain("number", Arc::new(Float32Array::from(vec![0.5, -1.0]))), "0.5 1; -1 2");
    assert_eq!(plain("number", Arc::new(UInt64Array::from(vec![u64::MAX, 0]))), "18446744073709552000 1; 0 2");
    assert_eq!(plain("number", Arc::new(Decimal128Array::from(vec![-125, 7]).with_precision_and_scale(10, 2).unwrap())), "-1.25 1; 0.07 2");
    assert_eq!(plain("number", Arc::new(arrow_array::NullArray::new(2))), "NaN 1; NaN 2");
    assert_eq!(plain("category", Arc::new(StringArray::from(vec!["1", "02"]))), "1 1; 02 2");
    assert_eq!(plain("boolean", Arc::new(BooleanArray::from(vec![false, true]))), "false 1; true 2");
    assert_eq!(plain("category", Arc::new(arrow_array::BinaryArray::from(vec![&b"p"[..], b"q"]))), "p 1; q 2");
    let (found, said) = two("number", Arc::new(Date32Array::from(vec![0, 19_000])));
    assert_eq!((found.as_str(), said.as_str()), ("0 1; 19000 2", "W101 v dates and times read as days since the start of 1970"));
    let (found, said) = two("number", Arc::new(TimestampMillisecondArray::from(vec![1500, -1])));
    assert_eq!((found.as_str(), said.as_str()), ("1.5 1; -0.001 2", "W101 v dates and times read as seconds since the start of 1970"));
}

#[test]
fn labels_keep_the_spelling_of_their_type() {
    let labels = |array: ArrayRef| {
        let x: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        learn(arrow_file(&[batch(vec![("x", x), ("y", array)])]), &ReadOptions::default()).unwrap().layout().classes().labels().join(" ")
    };
    assert_eq!(labels(Arc::new(Float64Array::from(vec![1.0, 0.5]))), "0.5 1.0");
    assert_eq!(labels(Arc::new(BooleanArray::from(vec![true, false]))), "false true");
    assert_eq!(labels(Arc::new(Decimal128Array::from(vec![100, 5]).with_precision_and_scale(5, 2).unwrap())), "0.05 1.00");
}

#[test]
fn columns_of_lists_are_refused_unless_they_are_left_out() {
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)]), None]));
    let x: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let y: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let bytes = parquet(&[batch(vec![("l", list), ("x", x), ("y", y)])]);
    let message = refusal(&bytes, &ReadOptions::default(), &Roles::target("y"));
    assert_eq!(message, "t.csv: column `l`: holds no single values; leave it out with --exclude, or flatten it");
    let roles = Roles { exclude: vec!["l".into()], ..Roles::target("y") };
    let opened = open(&table(&bytes), &ReadOptions::default(), &roles, &Control::new()).unwrap();
    assert_eq!(rows(&*opened.source), ["1 a", "2 b"]);
}

#[test]
fn faults_in_typed_columns_name_their_rows() {
    let part = |values: Vec<f64>| {
        let labels: ArrayRef = Arc::new(StringArray::from(vec!["a"; values.len()]));
        batch(vec![("x", Arc::new(Float64Array::from(values)) as ArrayRef), ("y", labels)])
    };
    let bytes = parquet(&[part(vec![1.0, 2.0]), part(vec![3.0, f64::NEG_INFINITY])]);
    let message = refusal(bytes, &ReadOptions::default(), &Roles::target("y"));
    assert_eq!(
        message,
        "t.csv: column `x`, row 4: is not a finite number: `-inf`; correct it, or list it as missing with --missing-markers"
    );
    let empty = [part(vec![])];
    for bytes in [parquet(&empty), arrow_file(&empty), arrow_stream(&empty)] {
        let message = refusal(bytes, &ReadOptions::default(), &Roles::target("y"));
        assert_eq!(message, "t.csv: the table has a header and no rows; a table needs at least one row");
    }
}

#[test]
fn typed_files_are_scored_against_a_layout() {
    let learned = learn(MIXED_TEXT, &ReadOptions::default()).unwrap();
    for bytes in [parquet(&mixed()), arrow_stream(&mixed())] {
        let new = open_for_prediction(&table(&bytes), &ReadOptions::default(), learned.layout(), &["i".into()]).unwrap();
        let (mut count, mut echoed) = (0, Vec::new());
        let notices = new.scan(&Control::new(), &mut |batch| {
            assert_eq!(batch.first_row, count);
            count += batch.features.rows() as u64;
            assert!(batch.features.codes.get(0, 0) != MISSING);
            batch.echo(0, |_, cell| echoed.push(cell.to_owned()));
            Ok(())
        });
        assert!(notices.unwrap().is_empty());
        assert_eq!((count, echoed.join(" ")), (4, "7 -8  9".into()));
    }
}

#[test]
fn cut_off_files_are_broken() {
    let whole = parquet(&mixed());
    let message = refusal(&whole[..whole.len() / 2], &ReadOptions::default(), &Roles::target("y"));
    assert!(message.starts_with("t.csv: the file is broken: ") && message.ends_with("; get a fresh copy of the file"), "{message}");
    let whole = arrow_file(&mixed());
    let message = refusal(&whole[..whole.len() / 2], &ReadOptions::default(), &Roles::target("y"));
    assert!(message.starts_with("t.csv: the file is broken: "), "{message}");
}

/// The bytes with every place that holds a number changed to hold another one.
fn patched(bytes: &[u8], from: i64, to: i64) -> Vec<u8> {
    let mut patched = bytes.to_vec();
    for at in (0..=bytes.len() - 8).filter(|at| bytes[*at..at + 8] == from.to_le_bytes()) {
        patched[at..at + 8].copy_from_slice(&to.to_le_bytes());
    }
    assert_ne!(patched, bytes, "{from} stands nowhere");
    patched
}

#[test]
fn lengths_that_are_claimed_are_checked_before_memory_is_asked_for() {
    let all = batch(vec![
        ("x", Arc::new(Float64Array::from_iter_values((0..37).map(f64::from)))),
        ("y", Arc::new(StringArray::from_iter_values((0..37).map(|i| ["no", "yes"][i % 2])))),
    ]);
    let (file, stream) = (arrow_file(std::slice::from_ref(&all)), arrow_stream(std::slice::from_ref(&all)));
    let tail = file.len() - 10;
    let footer = tail - u32::from_le_bytes(file[tail..tail + 4].try_into().unwrap()) as usize;
    let body = arrow_ipc::root_as_footer(&file[footer..tail]).unwrap().recordBatches().unwrap().get(0).bodyLength();
    for bytes in [&file, &stream] {
        for claim in [1 << 34, i64::MAX, -8] {
            let message = refusal(patched(bytes, body, claim), &ReadOptions::default(), &Roles::target("y"));
            let known = ["a part lies beyond the end", "a part ends before its start", "a batch lies before the start"];
            assert!(known.iter().any(|what| message.contains(what)), "{claim}: {message}");
        }
    }
    let nothing =
        batch(vec![("n", Arc::new(arrow_array::NullArray::new(1_000_003))), ("m", Arc::new(arrow_array::NullArray::new(1_000_003)))]);
    for bytes in [arrow_file(std::slice::from_ref(&nothing)), arrow_stream(std::slice::from_ref(&nothing))] {
        let message = refusal(patched(&bytes, 1_000_003, 1 << 60), &ReadOptions::default(), &Roles::target("n"));
        assert!(message.contains("a batch claims an absurd number of rows"), "{message}");
    }
}

fn try_open(bytes: &[u8]) -> oddsmith::Result<Opened> {
    let input = Input::Bytes { name: "t".into(), bytes: bytes.into() };
    open(&input, &ReadOptions { threads: 1, ..ReadOptions::default() }, &Roles::target("y"), &Control::new())
}

proptest! {
    #[test]
    fn flipped_bits_never_panic(which in 0usize..4, flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..4), cut in any::<Option<prop::sample::Index>>()) {
        let mut bytes = [parquet, arrow_file, arrow_stream, compressed_file][which](&mixed());
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()).max(8));
        }
        _ = try_open(&bytes);
    }
}
