//! Labels to codes without sorting them, and the numbers of levels of code columns.

use std::collections::BTreeMap;

use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArrayMethods};
use oddsmith::Result;
use oddsmith::error::Error;
use pyo3::prelude::*;

use crate::dense::{Cell, Dense, gather, typed, with_dense};
use crate::table::{NO_CODE, code, code_fault};
use crate::work;

/// Whole-number labels that lie within so many values of each other are told apart by a table.
const TABLE: usize = 1 << 16;
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

fn encode<T: Cell>(labels: ArrayView1<'_, T>, turn: impl Fn(T) -> i64) -> Result<(Vec<i64>, Vec<u32>)> {
    let (low, high) = labels.iter().fold((i64::MAX, i64::MIN), |(low, high), label| {
        let value = turn(*label);
        (low.min(value), high.max(value))
    });
    let span = high.checked_sub(low).and_then(|span| usize::try_from(span).ok());
    match span {
        Some(span) if span < TABLE => {
            let mut seen = vec![false; span + 1];
            labels.iter().for_each(|label| seen[(turn(*label) - low) as usize] = true);
            let values: Vec<i64> = seen.iter().enumerate().filter(|(_, seen)| **seen).map(|(at, _)| low + at as i64).collect();
            let mut codes = vec![0; span + 1];
            values.iter().enumerate().for_each(|(code, value)| codes[(value - low) as usize] = code as u32);
            let coded = labels.iter().map(|label| codes[(turn(*label) - low) as usize]).collect();
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

/// One more than the largest code of every column.
#[pyfunction]
pub(crate) fn level_counts(py: Python<'_>, x: &Bound<'_, PyAny>, owner: &str) -> PyResult<Vec<usize>> {
    with_dense(x, |dense| {
        let (rows, cols) = dense.shape();
        work::run(py, rows * cols, |control| {
            const STEP: usize = 1024;
            let mut counts = vec![0usize; cols];
            let mut codes = Vec::new();
            for lo in (0..rows).step_by(STEP) {
                let hi = (lo + STEP).min(rows);
                control.advance((hi - lo) as u64)?;
                largest(&dense, (lo, hi), &mut codes, &mut counts, owner)?;
            }
            Ok(counts)
        })
    })
}

fn largest(dense: &Dense<'_>, (lo, hi): (usize, usize), codes: &mut Vec<u32>, counts: &mut [usize], owner: &str) -> Result<()> {
    let cols = counts.len();
    let by_row = typed!(dense, view => gather(view, lo, hi, |cell| code(cell.value()), codes));
    if let Some(at) = codes.iter().position(|code| *code == NO_CODE) {
        let (i, j) = if by_row { (at / cols, at % cols) } else { (at % (hi - lo), at / (hi - lo)) };
        let value = typed!(dense, view => view[(lo + i, j)].value());
        return Err(code_fault(value, owner).row((lo + i) as u64 + 1).into());
    }
    let mut raise = |j: usize, code: u32| counts[j] = counts[j].max(code as usize + 1);
    match by_row {
        true => codes.chunks_exact(cols.max(1)).for_each(|row| row.iter().enumerate().for_each(|(j, code)| raise(j, *code))),
        false => codes.chunks_exact(hi - lo).enumerate().for_each(|(j, column)| raise(j, column.iter().copied().max().unwrap_or(0))),
    }
    Ok(())
}
