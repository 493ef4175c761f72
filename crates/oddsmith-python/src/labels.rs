//! Labels to codes without sorting them, and the numbers of levels of code columns.

use std::collections::BTreeMap;
use std::ops::Range;

use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArrayMethods};
use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::error::Error;
use oddsmith::num::kernel::widest;
use pyo3::prelude::*;

use crate::dense::{Cell, Dense, gather, typed, with_dense};
use crate::table::{NO_CODE, code_fault};
use crate::work;

/// Whole-number labels that lie within so many values of each other are told apart by a table.
const TABLE: usize = 1 << 16;
/// Rows that are worth a thread.
const PART_ROWS: usize = 1 << 15;
/// More classes than this are taken for a mistake.
const MOST_CLASSES: usize = 1 << 20;

/// A one-dimensional array.
type List<'py, T> = Bound<'py, PyArray1<T>>;

/// The distinct values of whole-number labels in order, and the code of every label; `None` for other labels.
#[pyfunction]
pub(crate) fn factorize<'py>(py: Python<'py>, y: &Bound<'py, PyAny>) -> PyResult<Option<(List<'py, i64>, List<'py, u32>)>> {
    macro_rules! attempt {
        ($($type:ty),+) => {
            $(if let Ok(array) = y.cast::<PyArray1<$type>>() {
                let borrowed = array.try_readonly()?;
                let view = borrowed.as_array();
                let (values, codes) = work::run(py, view.len(), |_| encode(view, |label| label as i64))?;
                return Ok(Some((PyArray1::from_vec(py, values), PyArray1::from_vec(py, codes))));
            })+
        };
    }
    attempt!(i64, i32, i16, i8, u32, u16, u8, bool);
    Ok(None)
}

fn encode<T: Cell>(labels: ArrayView1<'_, T>, turn: impl Fn(T) -> i64 + Copy) -> Result<(Vec<i64>, Vec<u32>)> {
    match labels.as_slice() {
        Some(labels) => encode_slice(labels, turn),
        None => encode_slice(&labels.to_vec(), turn),
    }
}

fn encode_slice<T: Cell>(labels: &[T], turn: impl Fn(T) -> i64 + Copy) -> Result<(Vec<i64>, Vec<u32>)> {
    let (low, high) = widest(
        #[inline(always)]
        || {
            let reach = |(low, high): (i64, i64), label: &T| (turn(*label).min(low), turn(*label).max(high));
            labels.iter().fold((i64::MAX, i64::MIN), reach)
        },
    );
    let span = high.checked_sub(low).and_then(|span| usize::try_from(span).ok());
    match span {
        Some(span) if span < TABLE => {
            let mut coded: Vec<u32> = widest(
                #[inline(always)]
                || labels.iter().map(|label| (turn(*label) - low) as u32).collect(),
            );
            let mut seen = vec![false; span + 1];
            coded.iter().for_each(|at| seen[*at as usize] = true);
            let values: Vec<i64> = seen.iter().enumerate().filter(|(_, seen)| **seen).map(|(at, _)| low + at as i64).collect();
            // Labels without a hole between them are their codes already.
            if values.len() <= span {
                let mut codes = vec![0; span + 1];
                values.iter().enumerate().for_each(|(code, value)| codes[(value - low) as usize] = code as u32);
                coded.iter_mut().for_each(|at| *at = codes[*at as usize]);
            }
            Ok((values, coded))
        }
        _ => {
            let mut found: BTreeMap<i64, u32> = labels.iter().map(|label| (turn(*label), 0)).collect();
            if found.len() > MOST_CLASSES {
                return Err(Error::data(format!("y has {} different labels; that is no classification", found.len())));
            }
            found.values_mut().enumerate().for_each(|(code, slot)| *slot = code as u32);
            let coded = labels.iter().map(|label| found[&turn(*label)]).collect();
            Ok((found.into_keys().collect(), coded))
        }
    }
}

/// One more than the largest code of every column; of many rows only a sample is looked at, unless `all` are asked for.
#[pyfunction]
pub(crate) fn level_counts(py: Python<'_>, x: &Bound<'_, PyAny>, owner: &str, all: bool, threads: usize) -> PyResult<Vec<usize>> {
    with_dense(x, |dense| {
        let (rows, cols) = dense.shape();
        let every = if all || rows < SAMPLED_ROWS { 1 } else { SAMPLED_SHARE };
        let parts = work::thread_count(threads).min(rows.div_ceil(PART_ROWS)).max(1);
        work::run(py, rows * cols, |control| {
            let share = rows.div_ceil(parts).max(1);
            let (dense, rows_of) = (&dense, |part: usize| (part * share).min(rows)..((part + 1) * share).min(rows));
            let found: Vec<Result<Vec<u32>>> = std::thread::scope(|scope| {
                let workers: Vec<_> =
                    (0..parts).map(|part| scope.spawn(move || largest(dense, rows_of(part), every, control, owner))).collect();
                let lost = |_| Err(Error::internal("a thread that looked for the largest codes was lost"));
                workers.into_iter().map(|worker| worker.join().unwrap_or_else(lost)).collect()
            });
            let mut counts = vec![0; cols];
            for largest in found {
                counts.iter_mut().zip(largest?).for_each(|(count, code)| *count = (*count).max(code as usize));
            }
            Ok(counts.into_iter().map(|largest| if rows == 0 { 0 } else { largest + 1 }).collect())
        })
    })
}

/// From this many rows on a sample of them shows the largest codes, all but surely.
const SAMPLED_ROWS: usize = 1 << 16;
/// One block of rows of this many is looked at, and the last: sorted rows have their largest codes there.
const SAMPLED_SHARE: usize = 16;

/// The largest code of every column in some rows; zeros where there are none.
fn largest(dense: &Dense<'_>, rows: Range<usize>, every: usize, control: &Control, owner: &str) -> Result<Vec<u32>> {
    const STEP: usize = 1024;
    let cols = dense.shape().1;
    let (mut largest, mut codes) = (vec![0; cols], Vec::new());
    let last = rows.len().saturating_sub(1) / STEP;
    for lo in rows.clone().step_by(STEP).enumerate().filter(|(at, _)| at % every == 0 || *at == last).map(|(_, lo)| lo) {
        let hi = (lo + STEP).min(rows.end);
        control.advance((hi - lo) as u64)?;
        let by_row = typed!(dense, view => gather(view, lo, hi, Cell::code, &mut codes));
        let raise = |largest: &mut u32, code: u32| *largest = code.max(*largest);
        widest(
            #[inline(always)]
            || match by_row {
                true => {
                    codes.chunks_exact(cols.max(1)).for_each(|row| largest.iter_mut().zip(row).for_each(|(most, code)| raise(most, *code)))
                }
                false => {
                    let columns = largest.iter_mut().zip(codes.chunks_exact(hi - lo));
                    columns.for_each(|(most, column)| column.iter().for_each(|code| raise(most, *code)));
                }
            },
        );
        if largest.iter().any(|code| *code >= NO_CODE) {
            let at = codes.iter().position(|code| *code >= NO_CODE).unwrap_or(0);
            let (i, j) = if by_row { (at / cols, at % cols) } else { (at % (hi - lo), at / (hi - lo)) };
            let value = typed!(dense, view => view[(lo + i, j)].value());
            return Err(code_fault(value, owner).row((lo + i) as u64 + 1).into());
        }
    }
    Ok(largest)
}
