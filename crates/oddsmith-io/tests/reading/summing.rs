//! New rows summed up on several threads: the same rows in the same order, and the same errors, as one thread sees.

use std::num::NonZeroUsize;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Layout, Levels, Weighting};
use oddsmith::error::DataFault;
use oddsmith_io::{Input, NewBatch, PartSums, ReadOptions, open_for_prediction};

/// Every row as it came.
#[derive(Debug, Clone, Default, PartialEq)]
struct Seen {
    rows: Vec<(f64, u32, u32)>,
}

impl Seen {
    fn take(&mut self, batch: &NewBatch<'_>) -> Result<()> {
        let labels = batch.labels.unwrap_or(&[]);
        for (i, label) in labels.iter().enumerate() {
            let x = batch.features.numbers.get(i, 0);
            if x == -1.0 {
                return Err(DataFault::new("the sink refuses").row(batch.first_row + i as u64 + 1).into());
            }
            self.rows.push((x, batch.features.codes.get(i, 0), *label));
        }
        Ok(())
    }
}

impl PartSums for Seen {
    fn add(&mut self, batch: &NewBatch<'_>) -> Result<()> {
        self.take(batch)
    }

    fn join(&mut self, later: &Self, before: u64) -> Result<()> {
        assert_eq!(before, self.rows.len() as u64);
        self.rows.extend_from_slice(&later.rows);
        Ok(())
    }
}

fn layout() -> Layout {
    let features = vec![Feature::number("x"), Feature::category("town", Levels::sorted(vec!["Bern".into(), "Oslo".into()]))];
    Layout::new("y", features, Classes::new(vec!["no".into(), "yes".into()]).unwrap(), Weighting::None).unwrap()
}

/// A table whose cell in row `at` is something else.
fn table(at: usize, cell: &str) -> Vec<u8> {
    let mut text = String::from("x,town,y\n");
    for i in 0..3000 {
        let x = if i == at { cell.to_owned() } else { format!("{}.5", i % 97) };
        let town = ["Bern", "Oslo", "Rome"][if i == 2500 { 2 } else { i % 2 }];
        text.push_str(&format!("{x},{town},{}\n", ["no", "yes"][i / 3 % 2]));
    }
    text.into_bytes()
}

fn told<T>(outcome: Result<T>) -> String {
    outcome.err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn threads_and_parts_change_nothing() {
    let (layout, control) = (layout(), Control::new());
    let input = || Input::Bytes { name: "t.csv".into(), bytes: table(usize::MAX, "").into() };
    let mut alone = Seen::default();
    let rows = open_for_prediction(&input(), &ReadOptions::default(), &layout, &[]).unwrap();
    let notices = rows.scan(&control, &mut |batch| alone.take(&batch)).unwrap();
    assert_eq!((alone.rows.len(), notices.len()), (3000, 1));
    for partition_bytes in [60, 1000, 4 << 20] {
        for threads in [1, 2, 3, 8] {
            let options = ReadOptions { partition_bytes, ..ReadOptions::default() };
            let rows = open_for_prediction(&input(), &options, &layout, &[]).unwrap();
            let (seen, told) = rows.sum(&Seen::default(), NonZeroUsize::new(threads), &control).unwrap();
            assert!(seen == alone && told == notices, "{partition_bytes} bytes, {threads} threads");
        }
    }
}

#[test]
fn the_first_fault_is_told_with_its_own_row() {
    let (layout, control) = (layout(), Control::new());
    for (cell, what) in [("many", "reader"), ("-1", "sink")] {
        let input = || Input::Bytes { name: "t.csv".into(), bytes: table(2222, cell).into() };
        let alone = open_for_prediction(&input(), &ReadOptions::default(), &layout, &[]).unwrap();
        let expected = told(alone.scan(&control, &mut |batch| Seen::default().take(&batch)));
        assert!(expected.contains("2223"), "{what}: {expected}");
        for threads in [1, 3] {
            let options = ReadOptions { partition_bytes: 500, ..ReadOptions::default() };
            let rows = open_for_prediction(&input(), &options, &layout, &[]).unwrap();
            assert_eq!(told(rows.sum(&Seen::default(), NonZeroUsize::new(threads), &control)), expected, "{what}");
        }
    }
}
