//! The laws of mergeable summaries, on random tables of every kind of column with gaps and weights.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::table::closeness::Scale;
use crate::table::{Cell, Encoded, Row, all_columns, layout_of, many_rows, parts, rows, summary};
use oddsmith::codec::{Codec, Encode};
use oddsmith::control::Control;
use oddsmith::data::{Layout, Rows, Source, ViewSource};
use oddsmith::error::ErrorKind;
use oddsmith::record::Record;
use oddsmith::stats::{Named, Parts, QuantileSketch, Statistics, TableStats, separate, unite};
use oddsmith::{Result, train};
use proptest::prelude::*;

fn layout(rows: &[Row]) -> Arc<Layout> {
    Arc::new(layout_of(rows, &all_columns()))
}

fn merged(left: &TableStats, right: &TableStats) -> TableStats {
    let mut sum = left.clone();
    sum.merge(right).unwrap();
    sum
}

/// Columns in any order and number.
fn some_columns() -> impl Strategy<Value = Vec<usize>> {
    (Just(all_columns()).prop_shuffle(), 0..=all_columns().len()).prop_map(|(columns, count)| columns[..count].to_vec())
}

proptest! {
    #[test]
    fn the_empty_summary_changes_no_bit(rows in rows(30), parts in parts()) {
        let layout = layout(&rows);
        let stats = summary(&rows, &layout, parts, 7);
        let empty = TableStats::new(Arc::clone(&layout), parts);
        prop_assert_eq!(&merged(&stats, &empty), &stats);
        prop_assert_eq!(&merged(&empty, &stats), &stats);
        prop_assert_eq!(merged(&empty, &empty), empty);
    }

    #[test]
    fn merging_is_commutative_and_associative(rows in rows(45), parts in parts(), cuts in any::<[prop::sample::Index; 2]>()) {
        let layout = layout(&rows);
        let mut cuts = cuts.map(|cut| cut.index(rows.len() + 1));
        cuts.sort_unstable();
        let [a, b, c] = [&rows[..cuts[0]], &rows[cuts[0]..cuts[1]], &rows[cuts[1]..]].map(|rows| summary(rows, &layout, parts, 7));
        let scale = Scale::of(&rows);
        scale.assert_equal(&merged(&a, &b), &merged(&b, &a));
        scale.assert_equal(&merged(&merged(&a, &b), &c), &merged(&a, &merged(&b, &c)));
    }

    #[test]
    fn a_split_stream_equals_the_whole(rows in rows(45), parts in parts(), cut in any::<prop::sample::Index>(), batch in 1..20usize) {
        let layout = layout(&rows);
        let (left, right) = rows.split_at(cut.index(rows.len() + 1));
        let whole = summary(&rows, &layout, parts, usize::MAX >> 1);
        let split = merged(&summary(left, &layout, parts, batch), &summary(right, &layout, parts, batch));
        Scale::of(&rows).assert_equal(&whole, &split);
    }

    #[test]
    fn a_row_of_weight_two_equals_the_row_twice(rows in rows(25), parts in parts()) {
        let layout = layout(&rows);
        let doubled: Vec<Row> = rows.iter().map(|row| Row { weight: 2.0, ..row.clone() }).collect();
        let twice: Vec<Row> = rows.iter().flat_map(|row| [row.clone(), row.clone()]).map(|row| Row { weight: 1.0, ..row }).collect();
        let heavy = summary(&doubled, &layout, parts, 7).record().unwrap();
        let mut once = summary(&twice, &layout, parts, 7).record().unwrap();
        // Numbers of rows and squared weights tell the two apart, and should: n rows of weight 2 are n pieces of evidence.
        for (name, array) in &heavy.arrays {
            if name.ends_with(".rows") || name.ends_with(".squared") || name == "scatter.incomplete" {
                once.arrays.insert(name.clone(), array.clone());
            }
        }
        Scale::of(&twice).assert_equal(&TableStats::read(&heavy).unwrap(), &TableStats::read(&once).unwrap());
    }

    #[test]
    fn what_was_added_can_be_taken_away(rows in rows(40), parts in parts(), cut in any::<prop::sample::Index>()) {
        let layout = layout(&rows);
        let (left, right) = rows.split_at(cut.index(rows.len() + 1));
        let (kept, taken) = (summary(left, &layout, parts, 7), summary(right, &layout, parts, 7));
        let mut rest = merged(&kept, &taken);
        rest.subtract(&taken).unwrap();
        Scale::of(&rows).assert_equal(&rest, &kept);
        rest.subtract(&kept).unwrap();
        prop_assert_eq!(rest, TableStats::new(layout, parts));
    }

    #[test]
    fn more_than_the_whole_cannot_be_taken_away(rows in rows(20), parts in parts()) {
        let extra = [Row { class: Some("yes".into()), weight: 1.0, cells: vec![Cell::Missing; all_columns().len()] }];
        let pooled: Vec<Row> = rows.iter().chain(&extra).cloned().collect();
        let layout = layout(&pooled);
        let mut small = summary(&rows, &layout, parts, 7);
        let before = small.clone();
        let error = small.subtract(&summary(&pooled, &layout, parts, 7)).unwrap_err();
        let refused = matches!(error.kind(), ErrorKind::Mismatch { .. });
        prop_assert!(refused, "{}", error);
        prop_assert_eq!(small, before, "a refused part must leave the whole as it was");
    }

    #[test]
    fn selecting_columns_before_or_after_is_the_same(rows in rows(40), parts in parts(), columns in some_columns()) {
        let layout = layout(&rows);
        let before = summary(&rows, &Arc::new(layout.select(&columns).unwrap()), parts, 7);
        let after = summary(&rows, &layout, parts, 7).select(&columns).unwrap();
        Scale::of(&rows).assert_equal(&before, &after);
    }

    #[test]
    fn sites_united_equal_their_pooled_rows(
        rows in rows(45),
        parts in parts(),
        cuts in any::<[prop::sample::Index; 2]>(),
        columns in [some_columns(), some_columns(), some_columns()],
    ) {
        let mut cuts = cuts.map(|cut| cut.index(rows.len() + 1));
        cuts.sort_unstable();
        let sites = [&rows[..cuts[0]], &rows[cuts[0]..cuts[1]], &rows[cuts[1]..]];
        // Every site has its own columns and knows only the classes, levels and words of its own rows.
        let stats: Vec<TableStats> =
            sites.iter().zip(&columns).map(|(rows, columns)| summary(rows, &Arc::new(layout_of(rows, columns)), parts, 7)).collect();
        let named: Vec<Named<'_>> = stats.iter().zip(["a", "b", "c"]).map(|(stats, name)| Named { name, stats }).collect();
        let (united, _) = unite(&named).unwrap();
        // The rows of a site have gaps where the site has no column.
        let pooled: Vec<Row> = sites.iter().zip(&columns).flat_map(|(rows, columns)| blanked(rows, columns)).collect();
        let scale = Scale::of(&pooled);
        scale.assert_equal(&united, &summary(&pooled, united.layout(), parts, 7));
        // Taking the sites away again, one by one, leaves nothing.
        let mut rest = united;
        for site in &named {
            rest = separate(&Named { name: "all", stats: &rest }, site).unwrap();
        }
        prop_assert_eq!(&rest, &TableStats::new(Arc::clone(rest.layout()), parts));
    }

    #[test]
    fn an_offset_costs_no_digits(steps in prop::collection::vec(-512..512i64, 1..60), batch in 1..20usize, halves in any::<bool>()) {
        let row = |&steps: &i64| {
            let mut cells = vec![Cell::Missing; all_columns().len()];
            cells[6] = Cell::Number(1e8 + steps as f64 / 1024.0);
            Row { class: Some("no".into()), weight: 1.0, cells }
        };
        let rows: Vec<Row> = steps.iter().map(row).collect();
        let layout = Arc::new(layout_of(&rows, &[6]));
        let (left, right) = rows.split_at(if halves { rows.len() / 2 } else { 0 });
        let stats = merged(&summary(left, &layout, Parts::all(), batch), &summary(right, &layout, Parts::all(), batch));
        // Σ (x − m)² = (n Σ s² − (Σ s)²) / n in units of 1/1024², in whole numbers.
        let (count, sum, squares) = (steps.len() as i64, steps.iter().sum::<i64>(), steps.iter().map(|s| s * s).sum::<i64>());
        let exact = (count * squares - sum * sum) as f64 / count as f64 / (1024.0 * 1024.0);
        let (complete, _) = stats.scatter().unwrap().complete();
        for squares in [stats.moments().unwrap().get(0, 0).squares, complete.products[0][0]] {
            prop_assert!((squares - exact).abs() <= 1e-14 * count as f64 * exact, "{} instead of {}", squares, exact);
        }
    }

    #[test]
    fn rows_beyond_the_limit_of_patterns_are_counted(rows in rows(40), limit in 1..6usize, columns in some_columns()) {
        let layout = layout(&rows);
        let parts = Parts { patterns: limit, ..Parts::all() };
        let (left, right) = rows.split_at(rows.len() / 2);
        let [left, right] = [left, right].map(|rows| summary(rows, &layout, parts, 7));
        let whole = merged(&left, &right);
        let mut rest = whole.clone();
        rest.subtract(&right).unwrap();
        for stats in [&whole, &rest, &whole.select(&columns).unwrap(), &left.select(&columns).unwrap()] {
            let Some(scatter) = stats.scatter() else { continue };
            let grouped: u64 = scatter.groups().values().flat_map(|group| &group.rows).sum();
            prop_assert_eq!(grouped + scatter.incomplete(), stats.classes().total_rows());
            prop_assert!(scatter.groups().len() <= limit);
        }
        let (complete, left_out) = whole.scatter().unwrap().complete();
        let gapless = rows.iter().filter(|row| row.class.is_some() && row.weight > 0.0);
        let gapless = gapless.filter(|row| [0, 2, 6].iter().all(|&j| row.cells[j] != Cell::Missing)).count() as u64;
        prop_assert_eq!((complete.total_rows(), left_out), (gapless, whole.classes().total_rows() - gapless));
    }

    #[test]
    fn rows_of_weight_zero_vanish(rows in rows(30), parts in parts(), zeros in prop::collection::vec(any::<bool>(), 30)) {
        let layout = layout(&rows);
        let weight = |row: &Row, zero: bool| if zero { 0.0 } else { row.weight };
        let faded: Vec<Row> = rows.iter().zip(&zeros).map(|(row, zero)| Row { weight: weight(row, *zero), ..row.clone() }).collect();
        let kept: Vec<Row> = faded.iter().filter(|row| row.weight > 0.0).cloned().collect();
        prop_assert_eq!(summary(&faded, &layout, parts, 40), summary(&kept, &layout, parts, 40));
    }

    #[test]
    fn bytes_of_a_record_keep_every_bit(rows in rows(40), parts in parts(), columns in some_columns()) {
        let stats = summary(&rows, &Arc::new(layout_of(&rows, &columns)), parts, 7);
        let bytes = oddsmith::persist::save_stats(&stats).unwrap();
        let read = oddsmith::persist::load_stats(&bytes).unwrap();
        prop_assert_eq!(&read, &stats);
        // Equality of numbers lets -0.0 pass for 0.0; equality of bytes does not.
        prop_assert_eq!(oddsmith::persist::save_stats(&read).unwrap(), bytes);
    }
}

/// The sketch of rows, in batches of at most `batch` rows.
fn sketched(rows: &[Row], layout: &Arc<Layout>, batch: usize) -> QuantileSketch {
    let mut sketch = QuantileSketch::new(layout);
    for rows in rows.chunks(batch) {
        let encoded = Encoded::new(rows, layout, rows.iter().any(|row| row.weight != 1.0));
        let words = encoded.words();
        sketch.observe(Rows::new(encoded.features(&words), &encoded.labels, encoded.weights.as_deref(), 0)).unwrap();
    }
    sketch
}

fn joined(left: &QuantileSketch, right: &QuantileSketch) -> QuantileSketch {
    let mut sum = left.clone();
    sum.merge(right).unwrap();
    sum
}

proptest! {
    #[test]
    fn quantiles_know_neither_order_nor_pieces(rows in rows(45), cuts in any::<[prop::sample::Index; 2]>(), batch in 1..20usize) {
        // Sums of whole numbers are exact, so equal means equal.
        let rows: Vec<Row> = rows.into_iter().map(|row| Row { weight: row.weight.ceil(), ..row }).collect();
        let layout = layout(&rows);
        let mut cuts = cuts.map(|cut| cut.index(rows.len() + 1));
        cuts.sort_unstable();
        let [a, b, c] = [&rows[..cuts[0]], &rows[cuts[0]..cuts[1]], &rows[cuts[1]..]].map(|rows| sketched(rows, &layout, batch));
        let whole = sketched(&rows, &layout, 1 << 20);
        let empty = QuantileSketch::new(&layout);
        prop_assert_eq!(&joined(&joined(&a, &b), &c), &whole);
        prop_assert_eq!(&joined(&a, &joined(&b, &c)), &whole);
        prop_assert_eq!(&joined(&c, &joined(&b, &a)), &whole);
        prop_assert_eq!(&joined(&empty, &whole), &whole);
        prop_assert_eq!(&joined(&whole, &empty), &whole);
        let twice: Vec<Row> = rows.iter().flat_map(|row| vec![Row { weight: 1.0, ..row.clone() }; row.weight as usize]).collect();
        prop_assert_eq!(&sketched(&twice, &layout, batch), &whole);
    }

    #[test]
    fn a_sketch_that_is_written_and_read_is_the_same(rows in rows(40)) {
        let layout = layout(&rows);
        let mut sketch = sketched(&rows, &layout, 7);
        let mut record = Record::new("test", 1, &serde_json::json!({})).unwrap();
        sketch.encode(&mut Codec::out(&mut record, "")).unwrap();
        let mut read = QuantileSketch::new(&layout);
        read.encode(&mut Codec::from(&record, "")).unwrap();
        prop_assert_eq!(read, sketch);
    }
}

/// The rows with a gap in every column that is not listed.
fn blanked(rows: &[Row], columns: &[usize]) -> Vec<Row> {
    let blank = |row: &Row| {
        let cells = row.cells.iter().enumerate().map(|(j, cell)| if columns.contains(&j) { cell.clone() } else { Cell::Missing });
        Row { cells: cells.collect(), ..row.clone() }
    };
    rows.iter().map(blank).collect()
}

/// Gives the same bits for any number of threads, whatever the batches cost.
#[test]
fn the_number_of_threads_changes_no_bit() {
    let rows = many_rows(60_000);
    let layout = layout(&rows);
    for weighted in [false, true] {
        let encoded = Encoded::new(&rows, &layout, weighted);
        let words = encoded.words();
        let source = ViewSource::new(&layout, encoded.features(&words), &encoded.labels, encoded.weights.as_deref()).unwrap();
        assert!(source.partitions() > 4, "several lanes are needed");
        let pass = |threads: usize| {
            let empty = TableStats::new(Arc::clone(&layout), Parts::all());
            train::pass(&source, &empty, NonZeroUsize::new(threads), &Control::new()).unwrap()
        };
        let one = pass(1);
        for threads in [2, 3, 8] {
            // Bytes, not numbers: -0.0 is not 0.0 here.
            assert_eq!(oddsmith::persist::save_stats(&pass(threads)).unwrap(), oddsmith::persist::save_stats(&one).unwrap());
        }
        let whole = rows.iter().map(|row| Row { weight: if weighted { row.weight } else { 1.0 }, ..row.clone() }).collect::<Vec<_>>();
        Scale::of(&whole).assert_equal(&one, &summary(&whole, &layout, Parts::all(), 60_000));
    }
}

/// A source whose first partitions are slow, so that later ones fail first when there are several threads.
struct SlowStart<'a>(ViewSource<'a>);

impl Source for SlowStart<'_> {
    fn layout(&self) -> &Layout {
        self.0.layout()
    }

    fn partitions(&self) -> usize {
        self.0.partitions()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn rows(&self) -> Option<u64> {
        self.0.rows()
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        std::thread::sleep(std::time::Duration::from_millis(if partition < 2 { 20 } else { 0 }));
        self.0.scan(partition, sink)
    }
}

#[test]
fn the_number_of_threads_does_not_change_which_fault_is_reported() {
    let mut rows = many_rows(60_000);
    for at in [20_000, 35_000, 59_999] {
        rows[at] = Row { class: Some("no".into()), weight: 1.0, ..rows[at].clone() };
        rows[at].cells[2] = Cell::Number(f64::NEG_INFINITY);
    }
    let layout = layout(&rows);
    let encoded = Encoded::new(&rows, &layout, false);
    let words = encoded.words();
    let view = || ViewSource::new(&layout, encoded.features(&words), &encoded.labels, None).unwrap();
    let fault = |source: &dyn Source, threads: usize| {
        let empty = TableStats::new(Arc::clone(&layout), Parts::all());
        train::pass(source, &empty, NonZeroUsize::new(threads), &Control::new()).unwrap_err().to_string()
    };
    let expected = "column `dose`, row 20001: an infinite value cannot be used: `-inf`; use a finite number or leave the cell empty";
    for threads in [1, 2, 3, 8] {
        assert_eq!(fault(&SlowStart(view()), threads), expected);
        (0..5).for_each(|_| assert_eq!(fault(&view(), threads), expected));
    }
}

#[test]
fn weights_and_labels_that_mean_nothing_are_refused() {
    let rows = many_rows(10);
    let layout = layout(&rows);
    let fault = |weight: f64, label: u32| {
        let encoded = Encoded::new(&rows, &layout, false);
        let (mut labels, mut weights) = (vec![0; rows.len()], vec![1.0; rows.len()]);
        (labels[3], weights[7]) = (label, weight);
        let words = encoded.words();
        let rows = Rows::new(encoded.features(&words), &labels, Some(&weights), 100);
        TableStats::new(Arc::clone(&layout), Parts::all()).observe(rows).map_err(|error| error.to_string())
    };
    assert_eq!(fault(2.0, 0), Ok(()));
    assert_eq!(fault(-1.0, 0).unwrap_err(), "row 108: a row weight cannot be `-1`; weights are finite numbers from 0 up");
    assert_eq!(fault(f64::NAN, 0).unwrap_err(), "row 108: a row weight cannot be `NaN`; weights are finite numbers from 0 up");
    assert!(fault(f64::INFINITY, 0).is_err());
    assert!(fault(1.0, 3).unwrap_err().contains("label 3 of 3 classes"));
}
