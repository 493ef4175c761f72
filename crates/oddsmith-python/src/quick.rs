//! The short road of a few rows: no threads, no table, no allocation but the answer's.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use oddsmith::data::{CodesView, Features};
use oddsmith::model::{Classifier, Predictions, Predictor};
use oddsmith::num::MatrixView;
use pyo3::prelude::*;

use crate::dense::Cell;
use crate::edge::raise;
use crate::forms::Form;
use crate::model::Model;
use crate::table::{NO_CODE, all_finite, known_code};

/// What is wanted of a few plain rows.
#[derive(Clone, Copy)]
pub(crate) enum Quick {
    Probabilities,
    Scores,
}

impl Quick {
    fn ask(self, model: &dyn Classifier, rows: &Features<'_>, out: &mut Predictions) -> oddsmith::Result<()> {
        match self {
            Quick::Probabilities => Predictor::new(model).probabilities(rows, out),
            Quick::Scores => Predictor::new(model).ordered(rows, out),
        }
    }
}

/// More cells than this are worth the full check and several threads.
const MOST_QUICK_CELLS: usize = 4096;

thread_local! {
    static BUFFERS: std::cell::RefCell<(Predictions, Vec<f64>, Vec<u32>)> = std::cell::RefCell::default();
}

impl Model {
    /// What is wanted of a few rows of an array as it lies, or nothing where it needs the full road.
    pub(crate) fn quick_rows<'py, T: Cell>(
        &self,
        py: Python<'py>,
        array: &Bound<'py, PyArray2<T>>,
        wanted: Quick,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let (rows, width) = (array.shape()[0], array.shape()[1]);
        let layout = self.classifier().layout();
        if rows == 0 || rows * width > MOST_QUICK_CELLS || self.form.width(layout) != width || !array.is_c_contiguous() {
            return Ok(None);
        }
        let borrowed = array.try_readonly()?;
        let cells = borrowed.as_slice()?;
        BUFFERS.with_borrow_mut(|(out, values, codes)| {
            values.clear();
            values.extend(cells.iter().map(|cell| cell.value()));
            if !all_finite(values) {
                return Ok(None);
            }
            let predicted = match &self.form {
                Form::Numbers => MatrixView::row_major(values, rows, width)
                    .and_then(|rows| wanted.ask(self.classifier(), &Features::of_numbers(rows), out)),
                Form::Codes(levels) => {
                    codes.clear();
                    codes.extend(values.iter().zip(levels.iter().cycle()).map(|(value, count)| known_code(*value, *count)));
                    if codes.contains(&NO_CODE) {
                        return Ok(None);
                    }
                    CodesView::row_major(codes, rows, width).and_then(|rows| wanted.ask(self.classifier(), &Features::of_codes(rows), out))
                }
                Form::Words { .. } => return Ok(None),
            };
            predicted.map_err(|error| raise(py, error))?;
            let answer = match wanted {
                Quick::Probabilities => out.probabilities(),
                Quick::Scores => out.scores().values(),
            };
            PyArray1::from_slice(py, answer).reshape([rows, self.classes()]).map(Some)
        })
    }
}
