//! Mergeable statistics, as Python sees them.

use std::any::Any;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use oddsmith::Result;
use oddsmith::data::{Classes, Dummies, FeatureBlocks};
use oddsmith::error::Error;
use oddsmith::model::discriminant::{DiscriminantStats, Lda, Qda};
use oddsmith::model::{Classifier, Learner, Step};
use oddsmith::persist::{self, Members, load_members, load_stats, save_members};
use oddsmith::stats::{ClassTable, Named, Parts, ScatterPart, TableStats, WordParts, separate, unite};
use oddsmith::train;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::arguments::{BayesArguments, DiscriminantArguments};
use crate::columns::Columns;
use crate::edge::{Told, raise, told};
use crate::model::Model;
use crate::table::{Labelled, Table, with_data};
use crate::work;

/// Sums over rows, from which any number of models can be finished.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Sums(pub(crate) TableStats);

/// A two-dimensional array.
type Grid<'py> = Bound<'py, PyArray2<f64>>;

/// Means, products and units.
type Scatter<'py> = (Grid<'py>, Bound<'py, PyList>, Bound<'py, PyArray1<f64>>);

/// Which sums are wanted.
pub(crate) fn parts(name: &str, threshold: f64) -> PyResult<Parts> {
    let none = Parts { patterns: 1, ..Parts::default() };
    Ok(match name {
        "moments" => Parts { moments: true, levels: true, ..none },
        "totals" => {
            Parts { tallies: true, flag_threshold: threshold, levels: true, words: WordParts { totals: true, presence: false }, ..none }
        }
        "flags" => {
            Parts { tallies: true, flag_threshold: threshold, levels: true, words: WordParts { totals: false, presence: true }, ..none }
        }
        "levels" => Parts { levels: true, ..none },
        "pooled" => Parts { scatter: ScatterPart::Pooled, ..none },
        "per-class" => Parts { scatter: ScatterPart::PerClass, ..none },
        "mixed" => Parts { scatter: ScatterPart::None, flag_threshold: threshold, ..Parts::all() },
        "all" => Parts { flag_threshold: threshold, ..Parts::all() },
        other => return Err(PyValueError::new_err(format!("there are no sums called {other}"))),
    })
}

/// Sums rows up; `None` where codes turn out to have more levels than the columns.
#[pyfunction]
#[pyo3(signature = (owner, columns, wanted, x, labels, weights, threshold, gaps, threads))]
#[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
pub(crate) fn gather(
    py: Python<'_>,
    owner: &str,
    columns: &Columns,
    wanted: &str,
    x: &Bound<'_, PyAny>,
    labels: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    threshold: f64,
    gaps: bool,
    threads: usize,
) -> PyResult<Option<Sums>> {
    let parts = parts(wanted, threshold)?;
    let labels = labels.as_slice()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let flags = (wanted == "flags").then_some(threshold);
    with_data(x, |data| {
        let cells = data.cells();
        let sums = work::run(py, cells, |control| {
            let table = Table::new(data, &columns.0, flags, owner)?.with_gaps(gaps).of_counts(wanted == "totals").of_known_levels();
            check_rows(table.rows(), labels, weights, columns.0.classes())?;
            let rows = Labelled::new(table, labels, weights);
            match train::gather(&rows, parts, work::threads(threads), control) {
                Err(_) if rows.table.has_more_levels() => Ok(None),
                Err(error) => Err(rows.table.refused(error)),
                Ok(sums) => Ok(Some(sums)),
            }
        })?;
        Ok(sums.map(Sums))
    })
}

/// Refuses labels and weights that do not belong to the rows.
pub(crate) fn check_rows(rows: usize, labels: &[u32], weights: Option<&[f64]>, classes: &Classes) -> Result<()> {
    if labels.len() != rows || weights.is_some_and(|weights| weights.len() != rows) {
        return Err(Error::data(format!("{rows} rows come with {} labels", labels.len())));
    }
    match labels.iter().all(|label| (*label as usize) < classes.len()) {
        true => Ok(()),
        false => Err(Error::internal("a label is the code of no class")),
    }
}

fn table<'py>(py: Python<'py>, cells: &[f64], rows: usize, columns: usize) -> PyResult<Grid<'py>> {
    PyArray1::from_slice(py, cells).reshape([rows, columns])
}

#[pymethods]
impl Sums {
    /// The sums in the bytes of a statistics file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        load_stats(bytes).map(Sums).map_err(|error| raise(py, error))
    }

    /// The bytes of a statistics file, which list what they are the sum of where that is given.
    #[pyo3(signature = (members = None))]
    fn to_bytes<'py>(&self, py: Python<'py>, members: Option<Members>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = save_members(&self.0, &members.unwrap_or_default()).map_err(|error| raise(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What the bytes of a statistics file are the sum of.
    #[staticmethod]
    fn members(py: Python<'_>, bytes: &[u8]) -> PyResult<Members> {
        load_members(bytes).map_err(|error| raise(py, error))
    }

    /// What two hold together; the same sums may not be in both.
    #[staticmethod]
    fn together(py: Python<'_>, first: Members, second: Members) -> PyResult<Members> {
        persist::together(("the first", &first), ("the second", &second)).map_err(|error| raise(py, error))
    }

    /// What is held after a part was taken away, and what is told where that part is not among it.
    fn without(&self, py: Python<'_>, held: Members, gone: Members) -> PyResult<(Members, Vec<Told>)> {
        let whole = Named { name: "the whole", stats: &self.0 };
        let (left, notice) = persist::without(&whole, &held, "the part", &gone).map_err(|error| raise(py, error))?;
        Ok((left, told(notice.into_iter().collect())))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Sums>().getattr("from_bytes")?, (self.to_bytes(py, None)?,)))
    }

    /// The sums of both, over the union of their columns, levels and classes, and the notices of what differed.
    fn merge(&self, py: Python<'_>, other: &Sums) -> PyResult<(Sums, Vec<Told>)> {
        let members = [Named { name: "the first", stats: &self.0 }, Named { name: "the second", stats: &other.0 }];
        let (sums, notices) = unite(&members).map_err(|error| raise(py, error))?;
        Ok((Sums(sums), told(notices)))
    }

    /// What remains without the rows of `part`.
    fn subtract(&self, py: Python<'_>, part: &Sums) -> PyResult<Sums> {
        let (whole, part) = (Named { name: "the whole", stats: &self.0 }, Named { name: "the part", stats: &part.0 });
        separate(&whole, &part).map(Sums).map_err(|error| raise(py, error))
    }

    /// Class labels in order.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.0.layout().classes().labels().to_vec()
    }

    /// Names of the features.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.layout().names()
    }

    /// Names and kinds of the features.
    #[getter]
    fn kinds(&self) -> Vec<(String, &'static str)> {
        self.0.layout().features().iter().map(|feature| (feature.name.clone(), feature.kind().name())).collect()
    }

    /// Whether the columns are one sparse block.
    #[getter]
    fn sparse(&self) -> bool {
        !self.0.layout().words().is_empty()
    }

    /// Weight per class.
    #[getter]
    fn class_count<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.classes().weight)
    }

    /// Rows per class.
    #[getter]
    fn class_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, &self.0.classes().rows)
    }

    /// Means and sums of squared deviations by class and column, in the users' units, and the same of all classes together
    /// in the last row.
    fn moments<'py>(&self, py: Python<'py>) -> PyResult<(Grid<'py>, Grid<'py>)> {
        let moments = self.0.moments().ok_or_else(|| lacking(py, "moments"))?;
        let (classes, columns) = (self.0.classes().weight.len(), moments.columns());
        let (mut means, mut squares) = (Vec::new(), Vec::new());
        for k in 0..=classes {
            for j in 0..columns {
                let (moment, unit) = (if k < classes { moments.get(k, j) } else { moments.pooled(j) }, self.0.scale(j));
                means.push(moment.mean / unit);
                squares.push(moment.squares / unit / unit);
            }
        }
        Ok((table(py, &means, classes + 1, columns)?, table(py, &squares, classes + 1, columns)?))
    }

    /// Sums of counts by class and column.
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Grid<'py>> {
        self.counts(py, |sums| sums.tallies().map(|t| &t.totals).or(sums.words().first().and_then(|w| w.totals.as_ref())))
    }

    /// Weights of rows whose flag is set by class and column.
    fn flags<'py>(&self, py: Python<'py>) -> PyResult<Grid<'py>> {
        self.counts(py, |sums| sums.tallies().map(|t| &t.positive).or(sums.words().first().and_then(|w| w.presence.as_ref())))
    }

    /// Counts of levels: one array of classes by levels per column.
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let levels = self.0.levels().ok_or_else(|| lacking(py, "level counts"))?;
        let classes = self.0.classes().weight.len();
        let tables = (0..levels.offsets.len() - 1).map(|j| {
            let cells: Vec<f64> = (0..classes).flat_map(|k| levels.column(k, j).iter().copied()).collect();
            table(py, &cells, classes, levels.offsets[j + 1] - levels.offsets[j])
        });
        PyList::new(py, tables.collect::<PyResult<Vec<_>>>()?)
    }

    /// Class means in the users' units, sums of products around them (one matrix, or one per class) in the units of the sums, and what
    /// the users' values were multiplied by to have these units: 1 unless squares of a column leave the range of numbers.
    fn scatter<'py>(&self, py: Python<'py>) -> PyResult<Scatter<'py>> {
        let scatter = self.0.scatter().ok_or_else(|| lacking(py, "products"))?;
        let (group, _) = scatter.complete();
        let (classes, p) = (group.rows.len(), group.columns());
        let units: Vec<f64> = (0..p).map(|j| self.0.scale(j)).collect();
        let means: Vec<f64> =
            (0..classes).flat_map(|k| (0..p).map(move |j| (k, j))).map(|(k, j)| group.mean.get(k, j) / units[j]).collect();
        let full = |products: &Vec<f64>| {
            let cells: Vec<f64> = (0..p * p).map(|at| products[(at / p).min(at % p) * p + (at / p).max(at % p)]).collect();
            table(py, &cells, p, p)
        };
        let products = group.products.iter().map(full).collect::<PyResult<Vec<_>>>()?;
        Ok((table(py, &means, classes, p)?, PyList::new(py, products)?, PyArray1::from_vec(py, units)))
    }

    /// A naive Bayes model of these sums.
    fn naive_bayes(&self, py: Python<'_>, params: BayesArguments) -> PyResult<Model> {
        let model = || {
            let flags = params.takes_flags();
            let learner = params.learner(self.0.layout().classes())?;
            // A column of a given distribution stays what it is.
            let given: Vec<String> = learner.distributions.iter().map(|(column, _)| column.clone()).collect();
            if flags { finish(&learner, &self.0.flags_as_booleans(&given)?) } else { finish(&learner, &self.0) }
        };
        model().map_err(|error| raise(py, error))
    }

    /// A discriminant of these sums: LDA when the covariance is `shared`, else QDA. Where the sums are those of categories that were
    /// written as numbers, `columns` are the columns with the categories.
    #[pyo3(signature = (shared, params, columns = None))]
    fn discriminant(&self, py: Python<'_>, shared: bool, mut params: DiscriminantArguments, columns: Option<&Columns>) -> PyResult<Model> {
        let shown = params.shown.take();
        let settings = params.settings(self.0.layout().classes()).map_err(|error| raise(py, error))?;
        let (width, classes) = (self.0.layout().numbers().len(), self.0.layout().classes().len());
        work::run(py, width.saturating_mul(width).saturating_mul(classes), |_| {
            let dummies = columns.map(|columns| Dummies::new(&columns.0)).transpose()?.flatten().map(Arc::new);
            let of_numbers = |dummies| DiscriminantStats::of_numbers(self.0.clone(), Some(dummies));
            if !shared {
                let (learner, stats) = (Qda::new(settings), dummies.map(of_numbers).transpose()?);
                return stats.map_or_else(|| finish(&learner, &self.0), |stats| Ok(Model::new(Box::new(finished(&learner, &stats)?))));
            }
            let learner = Lda::new(settings);
            let stats = dummies.map(of_numbers).unwrap_or_else(|| adopted(&learner, &self.0))?;
            let model = finished(&learner, &stats)?;
            Ok(Model::new(Box::new(shown.map_or_else(|| Ok(model.clone()), |covariance| model.clone().showing(covariance))?)))
        })
    }
}

impl Sums {
    fn counts<'py>(&self, py: Python<'py>, choose: impl Fn(&TableStats) -> Option<&ClassTable>) -> PyResult<Grid<'py>> {
        let counts = choose(&self.0).ok_or_else(|| lacking(py, "counts"))?;
        table(py, counts.cells(), self.0.classes().weight.len(), counts.columns())
    }
}

fn lacking(py: Python<'_>, what: &str) -> PyErr {
    raise(py, Error::data(format!("the statistics hold no {what}")))
}

/// A model from the sums of one pass.
fn finish<L>(learner: &L, sums: &TableStats) -> Result<Model>
where
    L: Learner,
    L::Stats: 'static,
    L::Model: 'static,
{
    Ok(Model::new(Box::new(finished(learner, &adopted(learner, sums)?)?) as Box<dyn Classifier>))
}

/// The sums as those of a learner's own first pass.
fn adopted<L: Learner<Stats: 'static>>(learner: &L, sums: &TableStats) -> Result<L::Stats> {
    let own = || (sums as &dyn Any).downcast_ref::<L::Stats>().cloned();
    learner.adopt(sums)?.or_else(own).ok_or_else(|| Error::internal("a learner was given the statistics of another"))
}

fn finished<L: Learner>(learner: &L, stats: &L::Stats) -> Result<L::Model> {
    match learner.finish(stats)? {
        Step::Done(model) => Ok(model),
        Step::Again(_) => Err(Error::data("this model takes a second pass over the rows; fit it from the rows")),
    }
}
