//! Mutual information of the columns of an array with classes, on several threads.
//!
//! Whole numbers are counted as they lie: a thread takes the next rows, adds them to tables of its own, one for each class and column, and whole
//! counts add up to the same in any order. Other numbers are looked at column by column through their neighbours (Ross): a sort each. Time O(rows · columns), and times
//! log rows for neighbours.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::driver::worker_count;
use crate::control::Control;
use crate::error::{DataFault, Error, Result};
use crate::info::{Joint, NeighbourInformation, neighbour_information};
use crate::num::MatrixView;

/// Rows that a thread takes at a time.
const TAKEN: usize = 1 << 14;
/// Values of a column that are counted in place: 0, 1, … below this.
const VALUES: usize = 256;
/// Counters from one table to the next: tables a power of two apart would share a few lines of the nearest cache.
const APART: usize = VALUES + 16;

/// Counts of the values of one column within one class.
type Table = [u32; APART];

/// Counts of every value of every column by class; columns hold whole numbers from 0 up to 255.
pub fn count_screen(
    cells: &[i64],
    columns: usize,
    labels: &[u32],
    classes: usize,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> Result<Vec<Joint>> {
    check(cells.len(), columns, labels, classes)?;
    let rows = labels.len();
    let next = AtomicUsize::new(0);
    let total = Mutex::new((vec![0u64; VALUES * classes * columns], None::<Error>));
    let work = || {
        let mut counts: Vec<Table> = vec![[0; APART]; classes * columns];
        let mut refused = None;
        loop {
            let lo = next.fetch_add(TAKEN, Ordering::Relaxed);
            if lo >= rows || refused.is_some() {
                break;
            }
            let hi = rows.min(lo + TAKEN);
            refused = control.check().err();
            let block = &cells[lo * columns..hi * columns];
            if let Some(at) = count(block, columns, &labels[lo..hi], &mut counts) {
                let fault = DataFault::new("is counted only from 0 to 255:").column(format!("column {}", at % columns));
                let fault = fault.row((lo + at / columns) as u64 + 1).value(block[at].to_string());
                refused = Some(fault.accepted("number its values from 0, or look at it as a number").into());
            }
        }
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        for (place, table) in counts.iter().enumerate() {
            let (class, column) = (place / columns, place % columns);
            let sums = total.0[column * VALUES * classes..].iter_mut().skip(class).step_by(classes);
            sums.zip(&table[..VALUES]).for_each(|(sum, count)| *sum += u64::from(*count));
        }
        total.1 = total.1.take().or(refused);
    };
    match worker_count(threads, rows.div_ceil(TAKEN)) {
        1 => work(),
        workers => std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work)))),
    }
    let (counts, refused) = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = refused {
        return Err(error);
    }
    counts.chunks_exact(VALUES * classes).map(|table| Joint::new(classes, table.iter().map(|count| *count as f64).collect())).collect()
}

/// Adds a block to the tables of all columns, class after class; the place of the first cell that cannot be counted.
///
/// Rows are read as they lie, which memory likes. The class chooses the tables once a row, so that a cell is one addition at its own place;
/// one test for a whole row keeps branches out of the loop over its cells.
fn count(block: &[i64], columns: usize, labels: &[u32], counts: &mut [Table]) -> Option<usize> {
    const MOST: u64 = VALUES as u64 - 1;
    for (i, (row, label)) in block.chunks_exact(columns).zip(labels).enumerate() {
        let mut all = 0;
        for (value, table) in row.iter().zip(&mut counts[*label as usize * columns..][..columns]) {
            // Negative numbers are large ones here.
            let value = *value as u64;
            all |= value;
            table[(value & MOST) as usize] += 1;
        }
        if all > MOST {
            return row.iter().position(|value| *value as u64 > MOST).map(|j| i * columns + j);
        }
    }
    None
}

/// What every column of numbers tells about the classes by its neighbours; `None` for one that has no two rows of a class.
pub fn neighbour_screen(
    numbers: MatrixView<'_>,
    labels: &[u32],
    classes: usize,
    k: usize,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> Result<Vec<Option<NeighbourInformation>>> {
    let columns = numbers.cols();
    check(numbers.rows() * columns, columns, labels, classes)?;
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; columns]);
    let work = || {
        loop {
            let j = next.fetch_add(1, Ordering::Relaxed);
            if j >= columns || control.check().is_err() {
                return;
            }
            let rows = (0..labels.len()).map(|i| (numbers.get(i, j), labels[i])).filter(|(x, _)| x.is_finite()).collect();
            let own = neighbour_information(rows, classes, k);
            found.lock().unwrap_or_else(PoisonError::into_inner)[j] = own;
        }
    };
    match worker_count(threads, columns) {
        1 => work(),
        workers => std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work)))),
    }
    control.check()?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn check(cells: usize, columns: usize, labels: &[u32], classes: usize) -> Result<()> {
    if columns == 0 || classes == 0 || labels.len() > u32::MAX as usize || labels.len().checked_mul(columns) != Some(cells) || cells == 0 {
        return Err(DataFault::new(format!("{cells} cells of {columns} columns come with {} labels", labels.len())).into());
    }
    match labels.iter().position(|label| *label as usize >= classes) {
        None => Ok(()),
        Some(at) => Err(DataFault::new("the label is the code of no class:").row(at as u64 + 1).value(labels[at].to_string()).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_a_plain_loop_for_any_threads() {
        let (rows, columns) = (40_000usize, 3);
        let cells: Vec<i64> = (0..rows * columns).map(|at| (at * at / 7 % (3 + at % columns)) as i64).collect();
        let labels: Vec<u32> = (0..rows).map(|i| (i * i / 5 % 2) as u32).collect();
        let mut plain = vec![0.0; 3 * 256 * 2];
        cells.iter().enumerate().for_each(|(at, x)| plain[(at % 3 * 256 + *x as usize) * 2 + labels[at / 3] as usize] += 1.0);
        for threads in [1, 2, 5] {
            let tables = count_screen(&cells, columns, &labels, 2, NonZeroUsize::new(threads), &Control::new()).unwrap();
            for (j, table) in tables.iter().enumerate() {
                assert_eq!(*table, Joint::new(2, plain[j * 512..(j + 1) * 512].to_vec()).unwrap());
            }
        }
        let mut bad = cells.clone();
        bad[50_000] = 256;
        let refused = count_screen(&bad, columns, &labels, 2, None, &Control::new()).unwrap_err().to_string();
        assert!(refused.contains("row 16667") && refused.contains("`256`"), "{refused}");
        bad[50_000] = -1;
        assert!(count_screen(&bad, columns, &labels, 2, None, &Control::new()).is_err());
    }

    #[test]
    fn neighbours_of_columns_are_those_of_each() {
        let rows = 300;
        let cells: Vec<f64> = (0..rows * 2).map(|at| ((at * 7919) % 1009) as f64 + at as f64 / 1e4).collect();
        let labels: Vec<u32> = (0..rows).map(|i| u32::from(cells[2 * i] > 500.0)).collect();
        let view = MatrixView::row_major(&cells, rows, 2).unwrap();
        let found = neighbour_screen(view, &labels, 2, 3, NonZeroUsize::new(2), &Control::new()).unwrap();
        for (j, found) in found.iter().enumerate() {
            let alone = neighbour_information((0..rows).map(|i| (cells[2 * i + j], labels[i])).collect(), 2, 3);
            assert_eq!(*found, alone);
        }
    }
}
