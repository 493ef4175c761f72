//! Analyses, as Python sees them: from a data frame, or from counts, to a card.

use std::collections::BTreeMap;

use oddsmith::card::{Card, Labels};
use oddsmith::data::{AlignedSource, Kind, Weighting};
use oddsmith::model::Conclusion;
use oddsmith::registry::{self, AnalysisEntry};
use oddsmith::study::cross::{CrossAnalysis, CrossTable};
use oddsmith::train;
use oddsmith::{Error, ErrorKind};
use oddsmith_io::{ReadOptions, Roles, TextOptions, open_arrow};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::edge::{Told, raise, told};
use crate::frame::{Frame, kinds_of};
use crate::model::Model;
use crate::options::declared_params;
use crate::pictures::Picture;
use crate::reading::open_for;
use crate::shown::{rendered, table_columns, turned};
use crate::work;

/// What an analysis concluded.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Account(pub(crate) Card);

#[pymethods]
impl Account {
    /// What it is about.
    #[getter]
    fn title(&self) -> String {
        self.0.title.clone()
    }

    /// Figures about the whole.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = PyDict::new(py);
        for (name, cell) in &self.0.facts {
            facts.set_item(name, turned(py, cell)?)?;
        }
        Ok(facts)
    }

    /// One row per estimate: the columns of the table by name.
    fn tidy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table_columns(py, &self.0.tidy)
    }

    /// Further tables by name.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for table in &self.0.tables {
            tables.set_item(table.name(), table_columns(py, table)?)?;
        }
        Ok(tables)
    }

    /// What is drawn of it.
    fn pictures(&self) -> Vec<Picture> {
        self.0.pictures.iter().cloned().map(Picture::new).collect()
    }

    /// What went wrong without being an error: (id, column, level, text).
    #[getter]
    fn notices(&self) -> Vec<Told> {
        told(self.0.notices.clone())
    }

    /// The account as a Word document.
    fn docx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = oddsmith_report::docx(&self.0).map_err(|error| raise(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The same with labels of columns, and of levels (column, level, label), where people read.
    fn labelled(&self, columns: Vec<(String, String)>, levels: Vec<(String, String, String)>) -> Account {
        let (mut labels, mut card) = (Labels::default(), self.0.clone());
        columns.into_iter().for_each(|(name, label)| labels.add_column(name, label));
        levels.into_iter().for_each(|(name, level, label)| labels.add_level(name, level, label));
        labels.apply(&mut card);
        Account(card)
    }

    /// The account for people, as "table", "notebook", "html", "md", "latex" or "json".
    fn render(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        rendered(py, &self.0, format)
    }
}

/// The analysis of a name.
pub(crate) fn found(py: Python<'_>, name: &str) -> PyResult<&'static AnalysisEntry> {
    let unknown = || {
        let known = registry::ANALYSES.iter().map(|entry| entry.name.to_owned()).collect();
        ErrorKind::Unknown { noun: "analysis", name: name.to_owned(), known }
    };
    registry::analysis(name).ok_or_else(|| raise(py, unknown().into()))
}

/// The names of all analyses.
#[pyfunction]
pub(crate) fn analyses() -> Vec<&'static str> {
    registry::ANALYSES.iter().map(|entry| entry.name).collect()
}

/// The card that a procedure ended in.
fn card(conclusion: Conclusion) -> oddsmith::Result<Card> {
    match conclusion {
        Conclusion::Card(card) => Ok(*card),
        Conclusion::Model(_) => Err(Error::internal("an analysis ended in a model")),
    }
}

/// An analysis of the rows of a data frame.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
pub(crate) fn analyse(
    py: Python<'_>,
    analysis: &str,
    options: &Bound<'_, PyDict>,
    formula: Option<&str>,
    frame: &Frame,
    kinds: BTreeMap<String, String>,
    target: Option<String>,
    weight: Option<String>,
    threads: usize,
) -> PyResult<(Account, Vec<Told>)> {
    let entry = found(py, analysis)?;
    let params = declared_params(py, entry.defaults(), entry.params, options, formula)?;
    let procedure = (entry.build)(&params).map_err(|error| raise(py, error))?;
    let needs = procedure.needs_any().map_err(|error| raise(py, error))?;
    let kinds = kinds_of(kinds).map_err(|error| raise(py, error))?;
    let roles = Roles {
        target: target.or_else(|| needs.target.clone()),
        features: needs.features.clone(),
        weight: weight.map(|name| (name, Weighting::Frequency)),
        order: frame.1.clone(),
        ..Roles::default()
    };
    let (concluded, notices) = work::run(py, usize::MAX, |control| {
        let opened = open_for(needs, &frame.0, &roles, (kinds, TextOptions::default()), threads, control)?;
        let concluded = train::conclude(&procedure, &*opened.source, work::threads(threads), control)?.model;
        Ok((card(concluded)?, opened.notices))
    })?;
    Ok((Account(concluded), told(notices)))
}

/// The table of four counts.
#[pyfunction]
pub(crate) fn analyse_counts(py: Python<'_>, options: &Bound<'_, PyDict>, cells: [f64; 4]) -> PyResult<Account> {
    let entry = found(py, "table")?;
    let params = declared_params(py, entry.defaults(), entry.params, options, None)?;
    let card = CrossTable::of_cells(cells).and_then(|table| CrossAnalysis::new(&params)?.card(&table));
    card.map(Account).map_err(|error| raise(py, error))
}

/// Effects of a column in risk under a regression, over the rows of a data frame that has its target.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
pub(crate) fn effects(
    py: Python<'_>,
    model: &Model,
    frame: &Frame,
    exposure: &str,
    within: Option<&str>,
    level: f64,
    weight: Option<String>,
    threads: usize,
) -> PyResult<Account> {
    let classifier = model.classifier();
    let inference = classifier.inference().ok_or_else(|| raise(py, Error::data("this is no regression")))?;
    let procedure = inference.effects(exposure, within, level).map_err(|error| raise(py, error))?;
    let layout = classifier.layout();
    let kinds: BTreeMap<String, Kind> = layout.features().iter().map(|feature| (feature.name.clone(), feature.kind())).collect();
    let roles = Roles {
        target: Some(layout.target().to_owned()),
        features: Some(layout.names()),
        weight: weight.map(|name| (name, Weighting::Frequency)),
        order: frame.1.clone(),
        ..Roles::default()
    };
    let card = work::run(py, usize::MAX, |control| {
        let options = ReadOptions { kinds, threads, ..ReadOptions::default() };
        let opened = open_arrow(&frame.0, &options, &roles, control)?;
        let aligned = AlignedSource::new(&*opened.source, layout)?;
        card(train::conclude(&procedure, &aligned, work::threads(threads), control)?.model)
    })?;
    Ok(Account(card))
}
