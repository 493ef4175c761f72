//! A fitted model, as Python sees it.

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2};
use oddsmith::calibrate::Adjusted;
use oddsmith::card::Card;
use oddsmith::data::{Feature, FeatureBlocks, Features, Space};
use oddsmith::model::{Classifier, Contributions, Scale};
use oddsmith::persist::{load_model, save_model};
use oddsmith::{registry, train};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::calibration::CalibrationMap;
use crate::columns::SPARSE;
use crate::edge::{Told, raise, told};
use crate::forms::Form;
use crate::neighbours::{Nearest, listed, neighbours_of};
use crate::shown::{rendered, table_columns, turned};
use crate::table::{Table, with_data};
use crate::ways::{Followed, Ways};
use crate::work;

/// Intercepts by class, and weights by class and column.
type Line<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// A fitted model; its pickle is its model file.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Model {
    model: Box<dyn Classifier>,
    /// How arrays are read, unless columns are of several kinds.
    pub(crate) form: Form,
    /// The Python class of such models.
    owner: &'static str,
    /// Whether a cell that is no number shows in the scores.
    telling: bool,
    /// What the fit says beyond the model itself, such as crude odds ratios; no file holds it.
    card: Option<Card>,
}

impl Model {
    pub(crate) fn new(model: Box<dyn Classifier>) -> Self {
        let layout = model.layout();
        let form = Form::of(layout, None);
        let owner = registry::find(model.tag()).map_or("", |entry| entry.python);
        let telling = model.shows_every_cell();
        Model { model, form, owner, telling, card: None }
    }

    /// The same model with a card that says more than its own.
    pub(crate) fn with_card(self, card: Option<Card>) -> Self {
        Model { card, ..self }
    }

    /// What there is to say about it.
    fn shown(&self) -> Card {
        self.card.clone().unwrap_or_else(|| self.model.card())
    }

    /// The model itself.
    pub(crate) fn classifier(&self) -> &dyn Classifier {
        &*self.model
    }

    /// How many classes it tells apart.
    pub(crate) fn classes(&self) -> usize {
        self.model.layout().classes().len()
    }
}

#[pymethods]
impl Model {
    /// The model in the bytes of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        load_model(bytes).map(Model::new).map_err(|error| raise(py, error))
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = save_model(&*self.model).map_err(|error| raise(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Model>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// The registry name of the model.
    #[getter]
    fn tag(&self) -> &'static str {
        self.model.tag()
    }

    /// The family of the model in the registry; none for one that was adjusted.
    #[getter]
    fn family(&self) -> Option<&'static str> {
        registry::find(self.model.tag()).ok().map(|entry| entry.family)
    }

    /// What its scores are: "joint" log densities, "posterior" log probabilities up to a constant, or a "margin".
    #[getter]
    fn scale(&self) -> &'static str {
        match self.model.scale() {
            Scale::LogJoint => "joint",
            Scale::LogPosterior => "posterior",
            Scale::Margin => "margin",
        }
    }

    /// The formula of a regression.
    #[getter]
    fn formula(&self) -> Option<String> {
        self.model.inference().map(|inference| inference.formula().to_string())
    }

    /// Whether it knows the errors of its estimates.
    #[getter]
    fn has_standard_errors(&self) -> bool {
        self.model.inference().is_some_and(|inference| inference.standard_errors().is_some())
    }

    /// The model in words.
    #[getter]
    fn title(&self) -> String {
        self.model.card().title
    }

    /// Class labels in order.
    #[getter]
    fn class_labels(&self) -> Vec<String> {
        self.model.layout().classes().labels().to_vec()
    }

    /// Names of the array columns that it takes.
    #[getter]
    fn names(&self) -> Vec<String> {
        let layout = self.model.layout();
        match layout.words() {
            [0] if self.form() == "words" => (0..layout.word_widths()[0]).filter_map(|w| layout.level_name(0, w)).collect(),
            _ => layout.names(),
        }
    }

    /// Names and kinds of the features.
    #[getter]
    fn kinds(&self) -> Vec<(String, &'static str)> {
        self.model.layout().features().iter().map(|feature| (feature.name.clone(), feature.kind().name())).collect()
    }

    /// What went wrong without being an error: (id, column, level, text).
    #[getter]
    fn notices(&self) -> Vec<Told> {
        told(self.model.notices())
    }

    /// log p(y) per class, for models of the joint distribution.
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.model.generative().map(|model| PyArray1::from_slice(py, model.log_prior()))
    }

    /// The same model with another prior.
    fn with_log_prior(&self, py: Python<'_>, log_prior: Vec<f64>) -> PyResult<Model> {
        let model = self.model.generative().filter(|_| log_prior.len() == self.classes());
        let model = model.ok_or_else(|| raise(py, oddsmith::error::Error::data("one log probability per class is needed")))?;
        Ok(Model::new(model.with_log_prior(log_prior)))
    }

    /// The Python class of such models.
    #[getter]
    pub(crate) fn owner(&self) -> &'static str {
        self.owner
    }

    /// How it reads arrays: as "numbers", as "codes" 0, 1, 2 …, as sparse "words", or not at all: "mixed".
    #[getter]
    fn form(&self) -> &'static str {
        let layout = self.model.layout();
        let counted = |feature: &Feature| match &feature.space {
            Space::Levels { levels, .. } => levels.names().iter().enumerate().all(|(code, name)| *name == code.to_string()),
            _ => false,
        };
        match layout.features().len() {
            features if features == layout.numbers().len() => "numbers",
            1 if layout.words().len() == 1 && layout.features()[0].name == SPARSE => "words",
            _ if layout.features().iter().all(counted) => "codes",
            _ => "mixed",
        }
    }

    /// The same model with its scores mapped.
    fn calibrated(&self, py: Python<'_>, map: &CalibrationMap, method: String) -> PyResult<Model> {
        let copied = save_model(&*self.model).and_then(|bytes| load_model(&bytes));
        let adjusted = copied.and_then(|inner| Adjusted::calibrated(inner, map.0.clone(), ("calibration", method)));
        adjusted.map(|model| Model::new(Box::new(model))).map_err(|error| raise(py, error))
    }

    /// What the model file says beside its arrays, as JSON.
    fn head(&self, py: Python<'_>) -> PyResult<String> {
        let record = self.model.record().map_err(|error| raise(py, error))?;
        Ok(record.head.to_string())
    }

    /// Log-odds weights against the first class: intercepts by class, and weights by class and array column. `None` for models
    /// that are not linear in the columns as they are.
    fn linear<'py>(&self, py: Python<'py>) -> PyResult<Option<Line<'py>>> {
        let layout = self.model.layout();
        let Some(weights) = self.model.linear().map(|linear| linear.weights(layout)) else { return Ok(None) };
        let (classes, width) = (self.classes(), self.form.width(layout));
        let mut table = vec![0.0; classes * width];
        let mut next_word = 0;
        for weight in &weights[1..] {
            let column = match (&self.form, weight.feature) {
                (Form::Words { .. }, _) => {
                    next_word += 1;
                    next_word - 1
                }
                (_, Some(feature)) => feature,
                (_, None) => continue,
            };
            weight.values.iter().enumerate().for_each(|(k, value)| table[k * width + column] = *value);
        }
        Ok(Some((PyArray1::from_slice(py, &weights[0].values), PyArray1::from_vec(py, table).reshape([classes, width])?)))
    }

    /// The model for people, as "table", "notebook", "html", "md", "latex" or "json": what a table of odds ratios can say, else all
    /// estimates.
    fn render(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        rendered(py, &self.shown(), format)
    }

    /// Figures about the whole.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = PyDict::new(py);
        for (name, cell) in self.model.card().facts {
            facts.set_item(name, turned(py, &cell)?)?;
        }
        Ok(facts)
    }

    /// Steps of a regression's solver.
    #[getter]
    fn steps(&self) -> Option<u64> {
        self.model.inference().map(|inference| inference.steps())
    }

    /// One row per parameter: the columns of the table by name.
    fn tidy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table_columns(py, &self.shown().tidy)
    }

    /// Further tables of the card by name, such as tests of terms.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for table in self.model.card().tables {
            tables.set_item(table.name(), table_columns(py, &table)?)?;
        }
        Ok(tables)
    }

    /// Addends of the scores of all rows: the base first, then one per feature, each by class.
    fn contributions<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, threshold: Option<f64>, gaps: bool) -> PyResult<Addends<'py>> {
        let (classes, features) = (self.classes(), self.model.layout().features().len());
        let filled = with_data(x, |data| {
            let (rows, cells) = (data.shape().0, data.cells());
            work::run(py, cells, |_| {
                let table = Table::new(data, self.model.layout(), threshold, self.owner)?.with_gaps(gaps);
                let mut out = Vec::with_capacity(rows * (features + 1) * classes);
                table.block(0, rows, &mut |batch| contribute(&*self.model, batch, &mut out))?;
                Ok((rows, out))
            })
        })?;
        PyArray1::from_vec(py, filled.1).reshape([filled.0, features + 1, classes])
    }

    /// The arrays of the model file, by name.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let record = self.model.record().map_err(|error| raise(py, error))?;
        let arrays = PyDict::new(py);
        for (name, array) in &record.arrays {
            match array {
                oddsmith::record::Array::Numbers(values) => arrays.set_item(name, PyArray1::from_slice(py, values))?,
                oddsmith::record::Array::Counts(values) => arrays.set_item(name, PyArray1::from_slice(py, values))?,
                oddsmith::record::Array::Bytes(_) => {}
            }
        }
        Ok(arrays)
    }

    /// Class probabilities.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threshold: Option<f64>,
        gaps: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.by_class(py, x, (threshold, gaps), |table, control, out| {
            train::predict_into(&*self.model, table, work::threads(threads), control, out)
        })
    }

    /// Scores: log p(x, y) for models of the joint distribution.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threshold: Option<f64>,
        gaps: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.by_class(py, x, (threshold, gaps), |table, control, out| {
            train::score_into(&*self.model, table, work::threads(threads), control, out)
        })
    }

    /// Index of the most probable class.
    fn decide<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threshold: Option<f64>,
        gaps: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        with_data(x, |data| {
            let (rows, cells) = (data.shape().0, data.cells());
            let chosen = work::run(py, cells, |control| {
                let table = Table::new(data, self.model.layout(), threshold, self.owner)?.with_gaps(gaps).with_telling_scores(self.telling);
                let mut out = vec![0; rows];
                train::classify_into(&*self.model, &table, work::threads(threads), control, &mut out)?;
                Ok(out)
            })?;
            Ok(PyArray1::from_vec(py, chosen))
        })
    }

    /// The nearest rows of the fit: for every row how many are listed, then distances, numbers of rows from 0, classes and votes end to end.
    fn nearest<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, k: Option<u64>, gaps: bool) -> PyResult<Nearest<'py>> {
        with_data(x, |data| {
            let cells = data.cells();
            let found = work::run(py, cells, |_| {
                let table = Table::new(data, self.model.layout(), None, self.owner)?.with_gaps(gaps);
                let mut found = Vec::new();
                table.block(0, table.rows(), &mut |features| {
                    found = neighbours_of(&*self.model)?.nearest(features, k)?;
                    Ok(())
                })?;
                Ok(found)
            })?;
            Ok(listed(py, found))
        })
    }

    /// The ways of rows through trees: nodes of every tree; for every row and tree how many nodes are listed; these end to end. Without `whole` the leaf
    /// alone is listed.
    fn paths<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, gaps: bool, whole: bool) -> PyResult<Followed<'py>> {
        with_data(x, |data| {
            let cells = data.cells();
            let ways = work::run(py, cells, |_| {
                let table = Table::new(data, self.model.layout(), None, self.owner)?.with_gaps(gaps);
                let mut ways = Ways::of(&*self.model)?;
                table.block(0, table.rows(), &mut |features| ways.follow(&*self.model, features, whole))?;
                Ok(ways)
            })?;
            Ok(ways.listed(py))
        })
    }

    /// The class that the model's own rule calls for rows of probabilities.
    fn choose<'py>(&self, py: Python<'py>, probabilities: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let rule = self.model.decision();
        let rows = probabilities.as_slice()?.chunks_exact(self.classes());
        Ok(PyArray1::from_vec(py, rows.map(|row| rule.choose(row) as u32).collect()))
    }

    /// Class probabilities of a few plain rows: a C-contiguous array of `float64` (or of `int64` codes) with the right number
    /// of columns and finite cells. `None` for everything else, which wants to be checked and converted first.
    fn quick<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        if let Ok(array) = x.cast_exact::<PyArray2<f64>>() {
            self.quick_rows(py, array)
        } else if let (Form::Codes(_), Ok(array)) = (&self.form, x.cast_exact::<PyArray2<i64>>()) {
            self.quick_rows(py, array)
        } else {
            Ok(None)
        }
    }
}

/// Addends of scores by row, part and class.
pub(crate) type Addends<'py> = Bound<'py, PyArray3<f64>>;

/// Appends the addends of a batch: for every row the base, then those of the features, each by class.
pub(crate) fn contribute(model: &dyn Classifier, batch: &Features<'_>, out: &mut Vec<f64>) -> oddsmith::Result<()> {
    let mut addends = Contributions::new();
    model.contributions()?.contribute(batch, &mut addends)?;
    for i in 0..batch.rows() {
        out.extend_from_slice(addends.base());
        (0..model.layout().features().len()).for_each(|j| out.extend_from_slice(addends.addends(i, j)));
    }
    Ok(())
}

impl Model {
    fn by_class<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        (threshold, gaps): (Option<f64>, bool),
        fill: impl Fn(&Table<'_, '_>, &oddsmith::control::Control, &mut [f64]) -> oddsmith::Result<Vec<usize>> + Sync + Send,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        with_data(x, |data| {
            let (rows, cells) = (data.shape().0, data.cells());
            let filled = work::run(py, cells, |control| {
                let table = Table::new(data, self.model.layout(), threshold, self.owner)?.with_gaps(gaps).with_telling_scores(self.telling);
                let mut out = vec![0.0; table.rows() * self.classes()];
                fill(&table, control, &mut out)?;
                Ok(out)
            })?;
            PyArray1::from_vec(py, filled).reshape([rows, self.classes()])
        })
    }
}
