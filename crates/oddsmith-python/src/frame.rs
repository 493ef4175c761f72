//! Data frames, as Python sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::DataType;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use oddsmith::data::{Classes, Dummies, Features, Kind, Layout, Order, Weighting};
use oddsmith::error::Error;
use oddsmith::model::discriminant::Lda;
use oddsmith::model::{Learner, PassInfo, Predictions, Predictor};
use oddsmith::train;
use oddsmith_io::{ArrowTable, ReadOptions, Roles, TextOptions, open_arrow, open_arrow_for_prediction};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments::TextArguments;
use crate::arrow::{self, Beside};
use crate::columns::Columns;
use crate::edge::{Told, raise, told};
use crate::model::{Addends, Model, contribute};
use crate::neighbours::{Nearest, listed, neighbours_of};
use crate::sums::{Sums, parts};
use crate::ways::{Followed, Ways};
use crate::work;

/// A table of Arrow arrays that some library shares, the order of levels and classes that was declared for it, and how its texts become words.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Frame(pub(crate) ArrowTable, pub(crate) Order, pub(crate) TextOptions);

/// Columns of numbers by name.
type NamedColumns<'py> = Vec<(String, Bound<'py, PyArray1<f64>>)>;

/// Rows as numbers, the layouts of the numbers and of the columns that they are made of, notices.
type Numbers<'py> = (Bound<'py, PyArray2<f64>>, Columns, Columns, Vec<Told>);

/// The kind of a name.
pub(crate) fn kind(name: &str) -> oddsmith::Result<Kind> {
    match name {
        "number" => Ok(Kind::Number),
        "category" => Ok(Kind::Category),
        "boolean" => Ok(Kind::Boolean),
        "text" => Ok(Kind::Text),
        other => Err(Error::option("kind", other, "number, category, boolean or text")),
    }
}

/// The kinds of columns by name.
pub(crate) fn kinds_of(names: BTreeMap<String, String>) -> oddsmith::Result<BTreeMap<String, Kind>> {
    names.into_iter().map(|(column, name)| Ok((column, kind(&name)?))).collect()
}

impl Frame {
    /// A name like this that neither a column nor the target has.
    pub(crate) fn free_name(&self, like: &str, target: &str) -> String {
        let mut name = like.to_owned();
        while name == target || self.names().contains(&name) {
            name.push('_');
        }
        name
    }

    fn cells(&self) -> usize {
        self.rows() * self.0.schema.fields().len()
    }
}

/// Rows as numbers, row after row.
fn write_numbers(rows: &Features<'_>, dummies: Option<&Dummies>, cells: &mut Vec<f64>) {
    match dummies {
        Some(dummies) => dummies.expand(rows, cells),
        None => {
            cells.clear();
            cells.extend((0..rows.rows()).flat_map(|i| (0..rows.numbers.cols()).map(move |j| rows.numbers.get(i, j))));
        }
    }
}

#[pymethods]
impl Frame {
    #[new]
    #[pyo3(signature = (object, levels = None, event = None, text = None))]
    fn new(
        object: &Bound<'_, PyAny>,
        levels: Option<BTreeMap<String, Vec<String>>>,
        event: Option<String>,
        text: Option<TextArguments>,
    ) -> PyResult<Self> {
        let order = Order { levels: levels.unwrap_or_default(), event };
        Ok(Frame(arrow::table(object, "X")?, order, TextArguments::options(text)))
    }

    /// A table of one text column.
    #[staticmethod]
    #[pyo3(signature = (name, texts, text = None))]
    fn of_texts(name: &str, texts: Vec<Option<String>>, text: Option<TextArguments>) -> PyResult<Self> {
        Ok(Frame(arrow::of_texts(name, texts)?, Order::default(), TextArguments::options(text)))
    }

    /// A table of the number columns of an array.
    #[staticmethod]
    fn of_array(names: Vec<String>, x: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let columns = x.as_array();
        if columns.ncols() != names.len() {
            return Err(PyValueError::new_err(format!("X has {} columns; {} are expected", columns.ncols(), names.len())));
        }
        let table = arrow::of_numbers(&names, columns.columns().into_iter().map(|column| column.to_vec()).collect())?;
        Ok(Frame(table, Order::default(), TextOptions::default()))
    }

    /// The table with the classes of its rows, given as codes, and their weights in columns of these names.
    fn with_target(
        &self,
        target: &str,
        classes: Vec<String>,
        codes: PyReadonlyArray1<'_, u32>,
        weights: Option<(String, PyReadonlyArray1<'_, f64>)>,
    ) -> PyResult<Frame> {
        let weights = weights.as_ref().map(|(name, values)| Ok::<_, PyErr>((name.as_str(), values.as_slice()?))).transpose()?;
        let table = arrow::beside(&self.0, &Beside { target, classes: &classes, codes: codes.as_slice()?, weights })?;
        Ok(Frame(table, self.1.clone(), self.2.clone()))
    }

    /// Sums of all rows, whose classes and weights stand in columns, with the notices of reading them.
    #[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
    fn gather_columns(
        &self,
        py: Python<'_>,
        wanted: &str,
        threshold: f64,
        target: String,
        features: Option<Vec<String>>,
        weight: Option<String>,
        kinds: BTreeMap<String, String>,
        threads: usize,
    ) -> PyResult<(Sums, Vec<Told>)> {
        let kinds = kinds_of(kinds).map_err(|error| raise(py, error))?;
        let options = ReadOptions { kinds, threads, text: self.2.clone(), ..ReadOptions::default() };
        let weight = weight.map(|name| (name, Weighting::Frequency));
        let roles = Roles { target: Some(target), features, weight, order: self.1.clone(), ..Roles::default() };
        let parts = parts(wanted, threshold)?;
        let (sums, notices) = work::run(py, self.cells(), |control| {
            let opened = open_arrow(&self.0, &options, &roles, control)?;
            Ok((train::gather(&*opened.source, parts, work::threads(threads), control)?, opened.notices))
        })?;
        Ok((Sums(sums), told(notices)))
    }

    /// Column names.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Whether every column holds numbers or truth values, so that an array would hold the table as well.
    #[getter]
    fn is_plain(&self) -> bool {
        self.0.schema.fields().iter().all(|field| field.data_type().is_numeric() || *field.data_type() == DataType::Boolean)
    }

    /// All rows as numbers, categories as columns of zeros and ones, for labels given as codes: the numbers, their layout, that of the
    /// columns, and the notices of reading them.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        target: &str,
        classes: Vec<String>,
        codes: PyReadonlyArray1<'_, u32>,
        threads: usize,
    ) -> PyResult<Numbers<'py>> {
        let table = arrow::beside(&self.0, &Beside { target, classes: &classes, codes: codes.as_slice()?, weights: None })?;
        let options = ReadOptions { threads, ..ReadOptions::default() };
        let roles = Roles { order: self.1.clone(), ..Roles::target(target) };
        let (cells, numbers, columns, notices) = work::run(py, self.cells(), |control| {
            let opened = open_arrow(&table, &options, &roles, control)?;
            let read = opened.source.layout();
            let layout = Arc::new(Layout::new(target, read.features().to_vec(), Classes::new(classes)?, Weighting::Frequency)?);
            // It says which columns it does not take.
            Learner::begin(&Lda::default(), &layout, &PassInfo::default())?;
            let dummies = Dummies::new(&layout)?;
            let width = dummies.as_ref().map_or(layout.features().len(), |dummies| dummies.numbers().features().len());
            let (mut cells, mut batch_cells) = (vec![0.0; self.rows() * width], Vec::new());
            for partition in 0..opened.source.partitions() {
                opened.source.scan(partition, &mut |batch| {
                    control.check()?;
                    write_numbers(&batch.features, dummies.as_ref(), &mut batch_cells);
                    let first = batch.first_row as usize * width;
                    cells[first..first + batch_cells.len()].copy_from_slice(&batch_cells);
                    Ok(())
                })?;
            }
            let numbers = dummies.map_or_else(|| Arc::clone(&layout), |dummies| Arc::clone(dummies.numbers()));
            Ok((cells, Columns(numbers), Columns(layout), opened.notices))
        })?;
        let width = numbers.0.features().len();
        Ok((PyArray1::from_vec(py, cells).reshape([self.rows(), width])?, numbers, columns, told(notices)))
    }

    /// All rows as the numbers that a model of categories makes of them; NaN where a value is missing or its level unknown.
    fn numbers_for<'py>(&self, py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let layout = Arc::new(model.classifier().layout().clone());
        let (cells, width) = work::run(py, self.cells(), |control| {
            let dummies = Dummies::new(&layout)?;
            let width = dummies.as_ref().map_or(layout.features().len(), |dummies| dummies.numbers().features().len());
            let rows = open_arrow_for_prediction(&self.0, &ReadOptions::default(), &layout)?;
            let (mut cells, mut batch_cells) = (Vec::with_capacity(self.rows() * width), Vec::new());
            rows.scan(control, &mut |batch| {
                write_numbers(&batch.features, dummies.as_ref(), &mut batch_cells);
                cells.extend_from_slice(&batch_cells);
                Ok(())
            })?;
            Ok((cells, width))
        })?;
        PyArray1::from_vec(py, cells).reshape([self.rows(), width])
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.0.batches.iter().map(|batch| batch.num_rows()).sum()
    }

    /// Sums of all rows, for labels given as codes, with the notices of reading them.
    #[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
    fn gather(
        &self,
        py: Python<'_>,
        wanted: &str,
        threshold: f64,
        target: &str,
        classes: Vec<String>,
        codes: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        kinds: BTreeMap<String, String>,
        threads: usize,
    ) -> PyResult<(Sums, Vec<Told>)> {
        let weight_name = self.free_name("weight", target);
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let weights = weights.map(|weights| (weight_name.as_str(), weights));
        let table = arrow::beside(&self.0, &Beside { target, classes: &classes, codes: codes.as_slice()?, weights })?;
        let kinds = kinds_of(kinds).map_err(|error| raise(py, error))?;
        let options = ReadOptions { kinds, threads, text: self.2.clone(), ..ReadOptions::default() };
        let weight = weights.map(|(name, _)| (name.to_owned(), Weighting::Frequency));
        let roles = Roles { weight, order: self.1.clone(), ..Roles::target(target) };
        let parts = parts(wanted, threshold)?;
        let (sums, notices) = work::run(py, self.cells(), |control| {
            let opened = open_arrow(&table, &options, &roles, control)?;
            Ok((train::gather(&*opened.source, parts, work::threads(threads), control)?, opened.notices))
        })?;
        Ok((Sums(sums), told(notices)))
    }

    /// What a regression says about all rows, metric by metric, with the notices of reading them. Residuals and influence are those of the
    /// responses and weights in the columns that the fit had them in; NaN where a column is missing.
    fn row_figures<'py>(&self, py: Python<'py>, model: &Model) -> PyResult<(NamedColumns<'py>, Vec<Told>)> {
        let lacking = || raise(py, Error::data("this is no regression"));
        let regression = model.classifier().inference().ok_or_else(lacking)?;
        let known = self.names();
        let metrics = regression.row_metrics(&|name| known.iter().any(|column| column == name)).map_err(|error| raise(py, error))?;
        let names = metrics.names();
        let (columns, notices) = work::run(py, self.cells(), |control| {
            let rows = open_arrow_for_prediction(&self.0, &ReadOptions::default(), metrics.layout())?;
            let (mut columns, mut notices) = (vec![Vec::new(); names.len()], rows.notices.clone());
            notices.extend(rows.scan(control, &mut |batch| {
                for row in metrics.of_rows(&batch.features, batch.labels, batch.first_row)?.metrics {
                    columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
                }
                Ok(())
            })?);
            Ok((columns, notices))
        })?;
        Ok((names.into_iter().zip(columns).map(|(name, column)| (name, PyArray1::from_vec(py, column))).collect(), told(notices)))
    }

    /// Addends of the scores of all rows: the base first, then one per feature, each by class.
    fn contributions<'py>(&self, py: Python<'py>, model: &Model) -> PyResult<Addends<'py>> {
        let classifier = model.classifier();
        let layout = classifier.layout();
        let filled = work::run(py, self.cells(), |control| {
            let rows = open_arrow_for_prediction(&self.0, &ReadOptions::default(), layout)?;
            let mut out = Vec::new();
            rows.scan(control, &mut |batch| contribute(classifier, &batch.features, &mut out))?;
            Ok(out)
        })?;
        PyArray1::from_vec(py, filled).reshape([self.rows(), layout.features().len() + 1, layout.classes().len()])
    }

    /// The nearest rows of the fit for all rows: as [`Model::nearest`] gives them.
    fn nearest<'py>(&self, py: Python<'py>, model: &Model, k: Option<u64>) -> PyResult<Nearest<'py>> {
        let classifier = model.classifier();
        let found = work::run(py, self.cells(), |control| {
            let rows = open_arrow_for_prediction(&self.0, &ReadOptions::default(), classifier.layout())?;
            let mut found = Vec::new();
            rows.scan(control, &mut |batch| {
                found.extend(neighbours_of(classifier)?.nearest(&batch.features, k)?);
                Ok(())
            })?;
            Ok(found)
        })?;
        Ok(listed(py, found))
    }

    /// The ways of all rows through the trees of a model: as [`Model::paths`] gives them.
    fn paths<'py>(&self, py: Python<'py>, model: &Model, whole: bool) -> PyResult<Followed<'py>> {
        let classifier = model.classifier();
        let ways = work::run(py, self.cells(), |control| {
            let rows = open_arrow_for_prediction(&self.0, &ReadOptions::default(), classifier.layout())?;
            let mut ways = Ways::of(classifier)?;
            rows.scan(control, &mut |batch| ways.follow(classifier, &batch.features, whole))?;
            Ok(ways)
        })?;
        Ok(ways.listed(py))
    }

    /// Class probabilities (or scores) of all rows, with the notices of reading them.
    fn predict<'py>(&self, py: Python<'py>, model: &Model, scores: bool) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<Told>)> {
        let classifier = model.classifier();
        let classes = classifier.layout().classes().len();
        let (filled, notices) = work::run(py, self.cells(), |control| {
            let rows = open_arrow_for_prediction(&self.0, &ReadOptions::default(), classifier.layout())?;
            let (mut out, mut predictions, mut notices) = (Vec::new(), Predictions::new(), rows.notices.clone());
            notices.extend(rows.scan(control, &mut |batch| {
                let predictor = Predictor::new(classifier);
                match scores {
                    // Scores may be margins, which are no probabilities.
                    true => predictor.ordered(&batch.features, &mut predictions)?,
                    false => predictor.probabilities(&batch.features, &mut predictions)?,
                }
                out.extend_from_slice(if scores { predictions.scores().values() } else { predictions.probabilities() });
                Ok(())
            })?);
            Ok((out, notices))
        })?;
        Ok((PyArray1::from_vec(py, filled).reshape([self.rows(), classes])?, told(notices)))
    }
}
