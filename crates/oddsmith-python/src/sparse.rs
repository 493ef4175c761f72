//! Sparse rows as SciPy stores them. Row starts are converted a block at a time; columns and values are viewed in place when
//! they are `int32` and `float64`.

use std::borrow::Cow;

use numpy::{Element, PyArray1, PyArrayMethods};
use oddsmith::Result;
use oddsmith::data::Csr;
use oddsmith::error::{DataFault, Error};
use oddsmith::num::kernel::widest;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Row starts or column indices.
#[derive(Clone, Copy)]
pub(crate) enum Indices<'a> {
    Short(&'a [i32]),
    Long(&'a [i64]),
}

/// Values of entries.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    F64(&'a [f64]),
    F32(&'a [f32]),
    I64(&'a [i64]),
    I32(&'a [i32]),
}

/// Borrowed sparse rows.
#[derive(Clone, Copy)]
pub(crate) struct Sparse<'a> {
    starts: Indices<'a>,
    columns: Indices<'a>,
    values: Values<'a>,
    width: usize,
}

/// The entries of some rows, owned where they had to be converted.
pub(crate) struct Entries<'a> {
    starts: Vec<usize>,
    columns: Cow<'a, [u32]>,
    values: Cow<'a, [f64]>,
    width: usize,
}

/// Calls `then` with borrowed sparse rows, given as (row starts, columns, values, number of columns).
pub(crate) fn with_sparse<R>(parts: &Bound<'_, PyTuple>, then: impl FnOnce(Sparse<'_>) -> PyResult<R>) -> PyResult<R> {
    let (starts, columns, values, width): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>, usize) = parts.extract()?;
    with_indices(&starts, |starts| {
        with_indices(&columns, |columns| {
            macro_rules! attempt {
                ($($type:ty => $variant:ident),+) => {
                    $(if let Some(done) = with_slice::<$type, _, _>(&values, |values| values)? {
                        let done = done.as_slice()?;
                        return then(Sparse { starts, columns, values: Values::$variant(done), width });
                    })+
                };
            }
            attempt!(f64 => F64, f32 => F32, i64 => I64, i32 => I32);
            Err(PyTypeError::new_err("values of sparse rows must be float64, float32, int64 or int32"))
        })
    })
}

fn with_slice<'py, T: Element, R, F: FnOnce(numpy::PyReadonlyArray1<'py, T>) -> R>(
    array: &Bound<'py, PyAny>,
    then: F,
) -> PyResult<Option<R>> {
    match array.cast::<PyArray1<T>>() {
        Ok(array) => Ok(Some(then(array.try_readonly()?))),
        Err(_) => Ok(None),
    }
}

fn with_indices<R>(array: &Bound<'_, PyAny>, then: impl FnOnce(Indices<'_>) -> PyResult<R>) -> PyResult<R> {
    if let Ok(array) = array.cast::<PyArray1<i32>>() {
        return then(Indices::Short(array.try_readonly()?.as_slice()?));
    }
    match array.cast::<PyArray1<i64>>() {
        Ok(array) => then(Indices::Long(array.try_readonly()?.as_slice()?)),
        Err(_) => Err(PyTypeError::new_err("indices of sparse rows must be int32 or int64")),
    }
}

impl<'a> Indices<'a> {
    fn len(&self) -> usize {
        match self {
            Indices::Short(values) => values.len(),
            Indices::Long(values) => values.len(),
        }
    }

    /// The index at `at` as an offset; a negative one becomes larger than any array.
    fn offset(&self, at: usize) -> usize {
        match self {
            Indices::Short(values) => values[at] as usize,
            Indices::Long(values) => values[at] as usize,
        }
    }

    fn codes(&self, lo: usize, hi: usize) -> Cow<'a, [u32]> {
        match self {
            Indices::Short(values) => Cow::Borrowed(bytemuck::cast_slice(&values[lo..hi])),
            Indices::Long(values) => Cow::Owned(values[lo..hi].iter().map(|v| u32::try_from(*v).unwrap_or(u32::MAX)).collect()),
        }
    }
}

impl<'a> Values<'a> {
    fn numbers(&self, lo: usize, hi: usize) -> Cow<'a, [f64]> {
        match self {
            Values::F64(values) => Cow::Borrowed(&values[lo..hi]),
            Values::F32(values) => Cow::Owned(values[lo..hi].iter().map(|v| f64::from(*v)).collect()),
            Values::I64(values) => Cow::Owned(values[lo..hi].iter().map(|v| *v as f64).collect()),
            Values::I32(values) => Cow::Owned(values[lo..hi].iter().map(|v| f64::from(*v)).collect()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Values::F64(values) => values.len(),
            Values::F32(values) => values.len(),
            Values::I64(values) => values.len(),
            Values::I32(values) => values.len(),
        }
    }
}

impl<'a> Sparse<'a> {
    /// Rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.starts.len().saturating_sub(1), self.width)
    }

    /// Number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.values.len()
    }

    /// The entries of the rows `lo..hi`, checked: SciPy lets anyone write into its arrays. Columns may be left to one who looks at
    /// every one of them anyway.
    pub(crate) fn block(&self, lo: usize, hi: usize, check_columns: bool) -> Result<Entries<'a>> {
        let starts: Vec<usize> = (lo..=hi).map(|i| self.starts.offset(i)).collect();
        let (first, last) = (starts[0], starts[hi - lo]);
        let inside = last <= self.columns.len() && last <= self.values.len();
        if !inside || starts.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(Error::data("the row starts of the sparse array are not in order or lie outside its entries"));
        }
        let starts = starts.iter().map(|start| start - first).collect();
        let (columns, values) = (self.columns.codes(first, last), self.values.numbers(first, last));
        if check_columns
            && widest(
                #[inline(always)]
                || columns.iter().fold(false, |bad, column| bad | (*column as usize >= self.width)),
            )
        {
            return Err(Error::data(format!("the sparse array has an entry outside its {} columns", self.width)));
        }
        Ok(Entries { starts, columns, values, width: self.width })
    }
}

impl Entries<'_> {
    /// The rows as the library sees them.
    pub(crate) fn view(&self) -> Csr<'_> {
        Csr { starts: &self.starts, columns: &self.columns, values: &self.values, width: self.width, present: None }
    }

    /// Refuses values that are no numbers.
    pub(crate) fn check_finite(&self, first_row: usize) -> Result<()> {
        self.refuse(first_row, |value| !value.is_finite(), not_finite)
    }

    /// Refuses values that are no numbers or are negative.
    pub(crate) fn check_counts(&self, first_row: usize, owner: &str) -> Result<()> {
        // One comparison for both: NaN is not smaller than infinity.
        let bad = |value: f64| !(0.0..f64::INFINITY).contains(&value);
        self.refuse(first_row, bad, |value| if value.is_finite() { negative(value, owner) } else { not_finite(value) })
    }

    fn refuse(&self, first_row: usize, bad: impl Fn(f64) -> bool, fault: impl Fn(f64) -> DataFault) -> Result<()> {
        // Without a branch the whole block is looked at as vectors.
        if !widest(
            #[inline(always)]
            || self.values.iter().fold(false, |any, value| any | bad(*value)),
        ) {
            return Ok(());
        }
        let at = self.values.iter().position(|value| bad(*value)).unwrap_or(0);
        let row = self.starts.partition_point(|start| *start <= at);
        Err(fault(self.values[at]).row((first_row + row) as u64).into())
    }

    /// Keeps only entries above the threshold, as ones.
    pub(crate) fn flags_above(self, threshold: f64) -> Self {
        if self.values.iter().fold(true, |all, value| all & (*value > threshold)) {
            return self;
        }
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for i in 0..self.starts.len() - 1 {
            let range = self.starts[i]..self.starts[i + 1];
            let kept = self.columns[range.clone()].iter().zip(&self.values[range]).filter(|(_, value)| **value > threshold);
            columns.extend(kept.map(|(column, _)| *column));
            starts.push(columns.len());
        }
        Entries { starts, values: Cow::Owned(vec![1.0; columns.len()]), columns: Cow::Owned(columns), width: self.width }
    }

    /// The rows with all their zeros, row after row.
    pub(crate) fn fill(&self, buffer: &mut Vec<f64>) {
        buffer.clear();
        buffer.resize((self.starts.len() - 1) * self.width, 0.0);
        for (i, row) in buffer.chunks_exact_mut(self.width.max(1)).enumerate() {
            let range = self.starts[i]..self.starts[i + 1];
            self.columns[range.clone()].iter().zip(&self.values[range]).for_each(|(column, value)| row[*column as usize] += value);
        }
    }

    /// The non-zero numbers of dense rows.
    pub(crate) fn of_dense(rows: oddsmith::num::MatrixView<'_>) -> Entries<'static> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..rows.rows() {
            for j in 0..rows.cols() {
                let value = rows.get(i, j);
                if value != 0.0 {
                    columns.push(j as u32);
                    values.push(value);
                }
            }
            starts.push(columns.len());
        }
        Entries { starts, columns: Cow::Owned(columns), values: Cow::Owned(values), width: rows.cols() }
    }
}

/// The fault of a cell that is NaN or infinite, in the words that scikit-learn users know.
pub(crate) fn not_finite(value: f64) -> DataFault {
    match value.is_nan() {
        true => DataFault::new("Input X contains NaN").accepted("fill gaps first, or use trees or MixedNB, which take them as they are"),
        false => DataFault::new("Input X contains infinity").value(value.to_string()).accepted("numbers must be finite"),
    }
}

/// The fault of a count or code below zero, in the words that scikit-learn users know.
pub(crate) fn negative(value: f64, owner: &str) -> DataFault {
    let what = format!("Negative values in data passed to {owner} (input X):");
    DataFault::new(what).value(value.to_string()).accepted("use numbers from 0 up")
}
