//! Calibration maps of scores, learned from held-out rows.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use oddsmith::calibrate::{self, Curve, HeldOut, Method};
use oddsmith::error::Error;
use oddsmith::num::log_sum_exp;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::edge::raise;
use crate::work;

/// A map from scores to calibrated log probabilities.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct CalibrationMap(pub(crate) calibrate::CalibrationMap);

/// A curve or an affine map as plain data: its kind and its numbers.
type Plain = (String, Vec<f64>);

#[pymethods]
impl CalibrationMap {
    /// Learns a map by "platt", "isotonic", "temperature" or "beta" from scores (log p(k|x) up to a constant) and truth.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        method: &str,
        scores: PyReadonlyArray2<'_, f64>,
        labels: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let method: Method = method.parse().map_err(|error| raise(py, error))?;
        let classes = scores.shape()[1];
        let (scores, labels) = (scores.as_slice()?, labels.as_slice()?);
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let fits = scores.len() == labels.len() * classes && weights.is_none_or(|weights| weights.len() == labels.len());
        if !fits || labels.iter().any(|label| *label as usize >= classes) {
            return Err(raise(py, Error::data("scores, labels and weights are of different rows")));
        }
        work::run(py, scores.len().saturating_mul(64), |_| method.fit(&HeldOut { classes, scores, labels, weights })).map(CalibrationMap)
    }

    /// The map of plain data.
    #[staticmethod]
    fn from_parts(parts: Vec<Plain>) -> PyResult<Self> {
        let broken = || PyValueError::new_err("this is no calibration map");
        if let [(kind, numbers)] = &parts[..]
            && kind == "affine"
        {
            let (slope, offsets) = numbers.split_first().ok_or_else(broken)?;
            return Ok(CalibrationMap(calibrate::CalibrationMap::Affine { slope: *slope, offsets: offsets.to_vec() }));
        }
        let curve = |(kind, numbers): &Plain| match (kind.as_str(), &numbers[..]) {
            ("line", [intercept, slope]) => Ok(Curve::Line { intercept: *intercept, slope: *slope }),
            ("beta", [a, b, c]) => Ok(Curve::Beta { parameters: [*a, *b, *c] }),
            ("steps", all) if !all.is_empty() && all.len() % 2 == 0 => {
                let (at, probabilities) = all.split_at(all.len() / 2);
                Ok(Curve::Steps { at: at.to_vec(), probabilities: probabilities.to_vec() })
            }
            _ => Err(broken()),
        };
        let curves = parts.iter().map(curve).collect::<PyResult<Vec<_>>>()?;
        Ok(CalibrationMap(if curves.is_empty() { calibrate::CalibrationMap::Identity } else { calibrate::CalibrationMap::Curves(curves) }))
    }

    /// The map as plain data.
    fn parts(&self) -> Vec<Plain> {
        let curve = |curve: &Curve| match curve {
            Curve::Line { intercept, slope } => ("line".to_owned(), vec![*intercept, *slope]),
            Curve::Beta { parameters } => ("beta".to_owned(), parameters.to_vec()),
            Curve::Steps { at, probabilities } => ("steps".to_owned(), [&at[..], probabilities].concat()),
        };
        match &self.0 {
            calibrate::CalibrationMap::Identity => Vec::new(),
            calibrate::CalibrationMap::Affine { slope, offsets } => vec![("affine".to_owned(), [&[*slope], &offsets[..]].concat())],
            calibrate::CalibrationMap::Curves(curves) => curves.iter().map(curve).collect(),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Vec<Plain>,))> {
        Ok((py.get_type::<CalibrationMap>().getattr("from_parts")?, (self.parts(),)))
    }

    /// Calibrated log probabilities of rows of scores.
    fn apply<'py>(&self, py: Python<'py>, scores: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, classes) = (scores.shape()[0], scores.shape()[1]);
        let mut mapped = scores.as_slice()?.to_vec();
        let suits = match &self.0 {
            calibrate::CalibrationMap::Identity => true,
            calibrate::CalibrationMap::Affine { offsets, .. } => offsets.len() == classes,
            calibrate::CalibrationMap::Curves(curves) => curves.len() == if classes == 2 { 1 } else { classes },
        };
        if !suits {
            return Err(PyValueError::new_err(format!("the map is of another number of classes than {classes}")));
        }
        for row in mapped.chunks_exact_mut(classes.max(1)) {
            self.0.apply(row);
            let norm = log_sum_exp(&*row);
            row.iter_mut().for_each(|score| *score -= norm);
        }
        PyArray1::from_vec(py, mapped).reshape([rows, classes])
    }

    /// The map in words.
    fn describe(&self) -> String {
        self.0.describe()
    }
}
