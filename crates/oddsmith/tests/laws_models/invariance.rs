//! What a model must not depend on: the order of rows, columns and classes, the units of numbers where it says so, how rows are cut and who
//! reads them, and whether equal rows are written out or weighed.

use oddsmith::data::{Kind, Weighting};
use oddsmith::persist;
use oddsmith::registry::Units;

use crate::table::ample::{Ample, ample};
use crate::table::conduct::{Kept, Reading, agree, agree_under, ensure, fit, fit_columns, hold};
use crate::table::variants::{Cuts, FirstClass, RowOrder};
use crate::table::{COLUMNS, Cell, Row};

/// Tables on which a variant must have a model, of all.
const MOST: f64 = 0.7;

#[test]
fn a_row_of_weight_two_teaches_what_the_row_teaches_twice() {
    hold(8, ample(), MOST, |variant, table| {
        // Rows without weight vanish before anything is discovered.
        let whole = |row: &Row| Row { weight: row.weight.round(), ..row.clone() };
        let counted: Vec<Row> = table.rows.iter().map(whole).filter(|row| row.weight > 0.0).collect();
        let written = |row: &Row| (0..row.weight as usize).map(|_| Row { weight: 1.0, ..row.clone() }).collect::<Vec<_>>();
        let twice: Vec<Row> = counted.iter().flat_map(written).collect();
        let (left, right) = (frequency(counted), frequency(twice));
        agree(variant, "weights", (fit(variant, &left)?, &left.rows), (fit(variant, &right)?, &left.rows))
    });
}

fn frequency(rows: Vec<Row>) -> Ample {
    Ample { rows, weighting: Weighting::Frequency }
}

#[test]
fn the_order_of_rows_does_not_matter() {
    hold(8, ample(), MOST, |variant, table| {
        let count = table.rows.len();
        // A step that shares no factor with any count of rows here visits all of them.
        let rows: Vec<Row> = (0..count).map(|i| table.rows[(i * 7919 + 13) % count].clone()).collect();
        let shuffled = Ample { rows, ..table.clone() };
        if variant.order == RowOrder::Matters {
            return Ok(fit(variant, table)?.map_or_else(Kept::NoModel, |_| Kept::Model));
        }
        agree(variant, "rows", (fit(variant, table)?, &table.rows), (fit(variant, &shuffled)?, &table.rows))
    });
}

#[test]
fn the_order_of_columns_does_not_matter() {
    hold(8, ample(), MOST, |variant, table| {
        let reversed: Vec<usize> = variant.columns.iter().rev().copied().collect();
        let right = fit_columns(variant, &reversed, table, Reading::WHOLE)?;
        agree(variant, "columns", (fit(variant, table)?, &table.rows), (right, &table.rows))
    });
}

#[test]
fn the_order_of_classes_does_not_matter() {
    // Two classes are swapped; three are rotated, so that each becomes the first.
    hold(8, ample(), MOST, |variant, table| {
        let two = table.rows.iter().all(|row| row.class.as_deref() != Some("perhaps"));
        let next = |label: &str| match label {
            "no" if !two => "perhaps".to_owned(),
            "perhaps" | "no" => "yes".to_owned(),
            _ => "no".to_owned(),
        };
        let rename = |row: &Row| Row { class: row.class.as_deref().map(next), ..row.clone() };
        let renamed = Ample { rows: table.rows.iter().map(rename).collect(), ..table.clone() };
        let (left, right) = (fit(variant, table)?, fit(variant, &renamed)?);
        match variant.first {
            FirstClass::Any => agree_under(variant, "classes", (left, &table.rows), (right, &table.rows), next),
            FirstClass::Matters => Ok(left.map_or_else(Kept::NoModel, |_| Kept::Model)),
        }
    });
}

#[test]
fn threads_change_no_bit() {
    hold(4, ample(), MOST, |variant, table| {
        let bytes = |threads: usize| -> Result<_, String> {
            let reading = Reading { partitions: 16, threads };
            Ok(fit_columns(variant, &variant.columns, table, reading)?.map(|model| persist::save_model(&*model).unwrap()))
        };
        let one = bytes(1)?;
        for threads in [2, 3, 8] {
            ensure(one == bytes(threads)?, || format!("{threads} threads make another model"))?;
        }
        Ok(one.map_or_else(Kept::NoModel, |_| Kept::Model))
    });
}

#[test]
fn how_rows_are_cut_does_not_matter() {
    hold(6, ample(), MOST, |variant, table| {
        let cut = |partitions: usize| fit_columns(variant, &variant.columns, table, Reading { partitions, threads: 2 });
        if variant.cuts == Cuts::NoBit {
            let bytes =
                |partitions: usize| -> Result<_, String> { Ok(cut(partitions)?.map(|model| persist::save_model(&*model).unwrap())) };
            let whole = bytes(1)?;
            for partitions in [3, 7] {
                ensure(whole == bytes(partitions)?, || format!("{partitions} partitions make another model"))?;
            }
            return Ok(whole.map_or_else(Kept::NoModel, |_| Kept::Model));
        }
        agree(variant, "3 partitions", (cut(1)?, &table.rows), (cut(3)?, &table.rows))?;
        agree(variant, "7 partitions", (cut(1)?, &table.rows), (cut(7)?, &table.rows))
    });
}

/// The table with every number x of column j as `scale` · (x + `shift(j)`).
pub(crate) fn in_units(table: &Ample, scale: f64, shift: impl Fn(usize) -> f64) -> Ample {
    let cell = |(j, cell): (usize, &Cell)| match (COLUMNS[j].1, cell) {
        (Kind::Number, Cell::Number(x)) => Cell::Number(scale * (x + shift(j))),
        _ => cell.clone(),
    };
    let row = |row: &Row| Row { cells: row.cells.iter().enumerate().map(cell).collect(), ..row.clone() };
    Ample { rows: table.rows.iter().map(row).collect(), ..table.clone() }
}

#[test]
fn the_units_of_numbers_do_not_matter_where_they_need_not() {
    // Gaussian naive Bayes, LDA, QDA and regressions without a penalty take any unit; a variance that columns share and a penalty on
    // coefficients look at the scale; thresholds, counts and offsets are in the user's unit. Nothing here rounds a number.
    hold(6, ample(), MOST, |variant, table| {
        let changes: &[(f64, f64)] = match variant.units {
            Units::Fixed => return Ok(fit(variant, table)?.map_or_else(Kept::NoModel, |_| Kept::Model)),
            Units::Zero => &[(1.0, 1000.0), (1.0, -64.0)],
            Units::Free => &[(1.0, 1000.0), (1024.0, 0.0), (0.0625, -64.0), (1000.0, 0.0)],
        };
        // The mean of a height of 1e8 is rounded to 1e-8, which another unit rounds otherwise: heights are brought near the other columns.
        let table = in_units(table, 1.0, |j| if COLUMNS[j].0 == "height" { 4096.0 - 1e8 } else { 0.0 });
        let mut kept = Kept::Model;
        for (scale, shift) in changes {
            let other = in_units(&table, *scale, |_| *shift);
            let what = format!("{scale} × (x + {shift})");
            kept = agree(variant, &what, (fit(variant, &table)?, &table.rows), (fit(variant, &other)?, &other.rows))?;
        }
        Ok(kept)
    });
}
