//! Levels and classes stand in the order that the table or the caller declares.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int8Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use oddsmith::control::Control;
use oddsmith::data::{Order, Space};
use oddsmith_io::{ArrowTable, Opened, ReadOptions, Roles, open_arrow};

use crate::tables::{learn_with, notices, rows};

/// A column of codes into a list of levels.
fn coded(levels: &[&str], codes: &[i8]) -> ArrayRef {
    let values = Arc::new(StringArray::from(levels.to_vec()));
    Arc::new(DictionaryArray::<Int8Type>::try_new(Int8Array::from(codes.to_vec()), values).unwrap())
}

fn labels(codes: &[i8]) -> ArrayRef {
    coded(&["control", "case"], codes)
}

fn frame(columns: &[Vec<(&str, ArrayRef)>], mark: Option<&str>) -> ArrowTable {
    let field = |(name, array): &(&str, ArrayRef)| {
        let metadata: HashMap<String, String> = mark.iter().map(|mark| ((*mark).to_owned(), String::new())).collect();
        Field::new(*name, array.data_type().clone(), true).with_metadata(metadata)
    };
    let schema = Arc::new(Schema::new(columns[0].iter().map(field).collect::<Vec<_>>()));
    let batch = |columns: &Vec<(&str, ArrayRef)>| {
        RecordBatch::try_new(Arc::clone(&schema), columns.iter().map(|(_, array)| Arc::clone(array)).collect()).unwrap()
    };
    ArrowTable { name: "frame".into(), schema: Arc::clone(&schema), batches: columns.iter().map(batch).collect() }
}

fn opened(table: &ArrowTable, order: Order) -> Opened {
    let roles = Roles { order, ..Roles::target("y") };
    open_arrow(table, &ReadOptions::default(), &roles, &Control::new()).unwrap()
}

fn levels(opened: &Opened, feature: usize) -> String {
    match &opened.layout().features()[feature].space {
        Space::Levels { levels, .. } => levels.names().join(" "),
        other => format!("{other:?}"),
    }
}

fn classes(opened: &Opened) -> String {
    opened.layout().classes().labels().join(" ")
}

#[test]
fn a_dictionary_declares_the_order_of_levels_and_classes() {
    let columns = vec![("x", coded(&["never", "seldom", "always"], &[2, 0, 0, 2])), ("y", labels(&[0, 1, 0, 1]))];
    let read = opened(&frame(&[columns], None), Order::default());
    // A level without a row is no level of the model.
    assert_eq!((levels(&read, 0).as_str(), classes(&read).as_str()), ("never always", "control case"));
    assert_eq!(rows(&*read.source), ["always control", "never case", "never control", "always case"]);
}

#[test]
fn the_order_of_appearance_is_no_declaration() {
    let columns = vec![("x", coded(&["high", "low"], &[0, 1])), ("y", labels(&[0, 1]))];
    let read = opened(&frame(&[columns], Some("_PL_CATEGORICAL2")), Order::default());
    assert_eq!((levels(&read, 0).as_str(), classes(&read).as_str()), ("high low", "case control"));
}

#[test]
fn a_dictionary_of_numbers_is_a_category() {
    let values = Arc::new(Int64Array::from(vec![10, 9, 2]));
    let x: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::try_new(Int32Array::from(vec![2, 0, 1]), values).unwrap());
    let read = opened(&frame(&[vec![("x", x), ("y", labels(&[0, 1, 0]))]], None), Order::default());
    assert_eq!(levels(&read, 0), "10 9 2");
}

#[test]
fn dictionaries_of_several_batches_agree_or_are_sorted() {
    let part = |levels: &[&str]| vec![("x", coded(levels, &[0, 1])), ("y", labels(&[0, 1]))];
    let read = opened(&frame(&[part(&["never", "seldom"]), part(&["seldom", "often"])], None), Order::default());
    assert_eq!(levels(&read, 0), "never seldom often");
    let read = opened(&frame(&[part(&["never", "seldom"]), part(&["seldom", "never"])], None), Order::default());
    assert_eq!(levels(&read, 0), "never seldom");
    let read = opened(&frame(&[part(&["seldom", "never"]), part(&["never", "seldom"])], None), Order::default());
    assert_eq!(levels(&read, 0), "never seldom");
}

#[test]
fn what_the_caller_declares_wins() {
    let columns = vec![("x", coded(&["low", "high"], &[0, 1])), ("y", labels(&[0, 1]))];
    let order = Order { levels: [("x".to_owned(), vec!["high".to_owned(), "low".into()])].into(), event: Some("control".into()) };
    let read = opened(&frame(&[columns], None), order);
    assert_eq!((levels(&read, 0).as_str(), classes(&read).as_str()), ("high low", "case control"));
}

#[test]
fn declared_levels_of_a_text_table_hold_in_memory_and_streamed() {
    let text: String = (0..4000).map(|at| format!("{},{}\n", ["20", "100", "3"][at % 3], ["case", "control"][at % 2])).collect();
    let order =
        Order { levels: [("x".to_owned(), ["3", "20", "100", "500"].map(String::from).to_vec())].into(), event: Some("case".into()) };
    let roles = Roles { order, ..Roles::target("y") };
    for memory in [1 << 30, 1 << 15] {
        let options = ReadOptions { memory, partition_bytes: 1 << 12, ..ReadOptions::default() };
        let read = learn_with(format!("x,y\n{text}"), &options, &roles).unwrap();
        assert_eq!(read.in_memory, memory > 1 << 15);
        assert_eq!((levels(&read, 0).as_str(), classes(&read).as_str()), ("3 20 100", "control case"));
        assert_eq!(rows(&*read.source)[..3], ["20 case", "100 control", "3 case"]);
        assert_eq!(notices(&read), ["W124 x the level `500` occurs in no row and is left out"]);
    }
}
