//! Dense arrays of any number type and layout. Contiguous `float64` is viewed in place; everything else is brought into
//! buffers a block of rows at a time.

use numpy::ndarray::{ArrayView2, Axis, Slice};
use numpy::{Element, PyArray2, PyArrayMethods};
use oddsmith::Result;
use oddsmith::num::MatrixView;
use oddsmith::num::kernel::widest;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::table::{NO_CODE, code};

/// A cell of an array.
pub(crate) trait Cell: Element + Copy + Send + Sync {
    /// Its value; whole numbers beyond 2^53 are rounded.
    fn value(self) -> f64;

    /// The code that it stands for, [`NO_CODE`] when it can be none.
    fn code(self) -> u32;
}

/// A borrowed two-dimensional array.
pub(crate) enum Dense<'a> {
    /// Eight-byte floats, the only type that is viewed in place.
    F64(ArrayView2<'a, f64>),
    /// Four-byte floats.
    F32(ArrayView2<'a, f32>),
    /// Whole numbers.
    I64(ArrayView2<'a, i64>),
    /// Whole numbers.
    I32(ArrayView2<'a, i32>),
    /// Whole numbers.
    I16(ArrayView2<'a, i16>),
    /// Whole numbers.
    I8(ArrayView2<'a, i8>),
    /// Whole numbers.
    U64(ArrayView2<'a, u64>),
    /// Whole numbers.
    U32(ArrayView2<'a, u32>),
    /// Whole numbers.
    U16(ArrayView2<'a, u16>),
    /// Whole numbers.
    U8(ArrayView2<'a, u8>),
    /// False and true, read as 0 and 1.
    Bool(ArrayView2<'a, bool>),
}

macro_rules! cells {
    ($code:expr; $($type:ty),+) => { $(impl Cell for $type {
        #[inline(always)]
        fn value(self) -> f64 {
            self as f64
        }

        #[inline(always)]
        fn code(self) -> u32 {
            $code(self as _)
        }
    })+ };
}
cells!(code; f64, f32);
cells!(whole_code; i64, i32, i16, i8, u64, u32, u16, u8);

impl Cell for bool {
    #[inline(always)]
    fn value(self) -> f64 {
        f64::from(u8::from(self))
    }

    #[inline(always)]
    fn code(self) -> u32 {
        u32::from(self)
    }
}

/// The code of a whole number: negative ones are beyond every code when their sign is read as a digit.
#[inline(always)]
fn whole_code(value: i64) -> u32 {
    if (value as u64) < u64::from(NO_CODE) { value as u32 } else { NO_CODE }
}

/// Evaluates an expression over the typed view of a [`Dense`].
macro_rules! typed {
    ($dense:expr, $view:ident => $body:expr) => {
        match $dense {
            Dense::F64($view) => $body,
            Dense::F32($view) => $body,
            Dense::I64($view) => $body,
            Dense::I32($view) => $body,
            Dense::I16($view) => $body,
            Dense::I8($view) => $body,
            Dense::U64($view) => $body,
            Dense::U32($view) => $body,
            Dense::U16($view) => $body,
            Dense::U8($view) => $body,
            Dense::Bool($view) => $body,
        }
    };
}
pub(crate) use typed;

/// Calls `then` with a borrowed view of a two-dimensional array.
pub(crate) fn with_dense<R>(array: &Bound<'_, PyAny>, then: impl FnOnce(Dense<'_>) -> PyResult<R>) -> PyResult<R> {
    macro_rules! attempt {
        ($($type:ty => $variant:ident),+) => {
            $(if let Ok(array) = array.cast::<PyArray2<$type>>() {
                let borrowed = array.try_readonly()?;
                return then(Dense::$variant(borrowed.as_array()));
            })+
        };
    }
    attempt!(f64 => F64, f32 => F32, i64 => I64, i32 => I32, i16 => I16, i8 => I8, u64 => U64, u32 => U32, u16 => U16, u8 => U8, bool => Bool);
    Err(PyTypeError::new_err("expected a two-dimensional array of numbers"))
}

impl Dense<'_> {
    /// Rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        typed!(self, view => view.dim())
    }

    /// The whole array without a copy, when it is contiguous `float64` in either order.
    pub(crate) fn in_place(&self) -> Option<MatrixView<'_>> {
        let Dense::F64(view) = self else { return None };
        let (rows, cols) = view.dim();
        match (view.as_slice(), view.as_slice_memory_order()) {
            (Some(data), _) => MatrixView::row_major(data, rows, cols).ok(),
            (None, Some(data)) if view.t().is_standard_layout() => MatrixView::column_major(data, rows, cols).ok(),
            _ => None,
        }
    }

    /// The rows `lo..hi` as numbers in `buffer`.
    pub(crate) fn gather<'b>(&self, lo: usize, hi: usize, buffer: &'b mut Vec<f64>) -> Result<MatrixView<'b>> {
        let cols = self.shape().1;
        match typed!(self, view => gather(view, lo, hi, Cell::value, buffer)) {
            true => MatrixView::row_major(buffer, hi - lo, cols),
            false => MatrixView::column_major(buffer, hi - lo, cols),
        }
    }
}

/// Brings the rows `lo..hi` into `buffer` in the order in which they lie; true when that is row after row.
pub(crate) fn gather<T: Cell, U>(view: &ArrayView2<'_, T>, lo: usize, hi: usize, turn: impl Fn(T) -> U, buffer: &mut Vec<U>) -> bool {
    let block = view.slice_axis(Axis(0), Slice::from(lo..hi));
    buffer.clear();
    buffer.reserve(block.len());
    let by_row = block.strides()[1].unsigned_abs() <= block.strides()[0].unsigned_abs();
    let mut add = |cells: &[T]| {
        widest(
            #[inline(always)]
            || buffer.extend(cells.iter().map(|cell| turn(*cell))),
        )
    };
    if let Some(cells) = block.as_slice() {
        add(cells);
        return true;
    }
    for lane in if by_row { block.rows() } else { block.columns() } {
        match lane.as_slice() {
            Some(cells) => add(cells),
            None => lane.iter().for_each(|cell| add(std::slice::from_ref(cell))),
        }
    }
    by_row
}
