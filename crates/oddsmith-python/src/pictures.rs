//! Pictures and reports for Python: drawn in the core, handed over as text and tables.

use numpy::PyReadonlyArray1;
use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{FeatureBlocks, Features, Rows};
use oddsmith::error::{DataFault, Error, ErrorKind};
use oddsmith::eval;
use oddsmith::model::{Classifier, Scale};
use oddsmith::picture::Picture as Drawn;
use oddsmith::stats::Statistics;
use oddsmith::train;
use oddsmith::train::findings::{Findings, Judged, JudgedOn, SourceRows, SumRows};
use oddsmith::train::pictures::{OF_MODEL, Waterfall, of_model, over_rows};
use oddsmith_io::{ArrowTable, ReadOptions, open_arrow_for_prediction};
use oddsmith_report::svg::{Look, Paint, Theme, own_width, svg, svg_following};
use oddsmith_report::{About, Format, Style, render_picture, report_page};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::edge::raise;
use crate::frame::Frame;
use crate::model::Model;
use crate::shown::table_columns;
use crate::table::{Labelled, Table, with_data};
use crate::work;

/// A picture as plain data.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Picture {
    picture: Drawn,
}

impl Picture {
    pub(crate) fn new(picture: Drawn) -> Self {
        Picture { picture }
    }
}

#[pymethods]
impl Picture {
    /// The short name.
    #[getter]
    fn name(&self) -> &str {
        &self.picture.name
    }

    /// The title.
    #[getter]
    fn title(&self) -> &str {
        &self.picture.title
    }

    /// What is seen, in a sentence.
    #[getter]
    fn summary(&self) -> &str {
        &self.picture.summary
    }

    /// SVG with its colours written out; `id` tells pictures of one page apart.
    fn svg(&self, dark: bool, id: &str) -> String {
        let theme = if dark { Theme::Dark } else { Theme::Light };
        svg(&self.picture, &Look { paint: Paint::Written(theme), width: own_width(&self.picture), id })
    }

    /// SVG for a page that may be light or dark.
    fn svg_following(&self, id: &str) -> String {
        svg_following(&self.picture, id)
    }

    /// Text in a format of the report.
    fn render(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format: Format = format.parse().map_err(|error| raise(py, error))?;
        Ok(render_picture(&self.picture, format, &Style::default()))
    }

    /// The columns of its table.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table_columns(py, &self.picture.short_table())
    }
}

/// What is asked for: the picture's name, columns, and the row from 0.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    name: String,
    columns: Vec<String>,
    row: u64,
}

/// Rows of a data frame with labels that stand beside it.
struct FrameRows<'a> {
    frame: &'a ArrowTable,
    model: &'a dyn Classifier,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    control: &'a Control,
}

impl FrameRows<'_> {
    fn scan(&self, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let rows = open_arrow_for_prediction(self.frame, &ReadOptions::default(), self.model.layout())?;
        rows.scan(self.control, &mut |batch| {
            let (first, count) = (batch.first_row as usize, batch.features.rows());
            let labels = self.labels.get(first..first + count).ok_or_else(|| Error::data("there are fewer labels than rows"))?;
            sink(Rows::new(batch.features, labels, self.weights.and_then(|weights| weights.get(first..first + count)), batch.first_row))
        })?;
        Ok(())
    }
}

impl SumRows for FrameRows<'_> {
    fn sum<S>(&self, empty: &S) -> Result<S>
    where
        S: for<'b> Statistics<Input<'b> = Rows<'b>>,
    {
        let mut sums = empty.clone();
        self.scan(&mut |rows| sums.observe(rows))?;
        Ok(sums)
    }
}

fn no_such_row(row: u64, rows: usize) -> Error {
    DataFault::new(format!("there is no row {row}")).accepted(format!("rows are counted from 0, and there are {rows}")).into()
}

/// Judged rows and all that is drawn of them, as a page.
fn page(model: &dyn Classifier, rows: &impl SumRows, weighting: oddsmith::data::Weighting, no_rows: bool) -> Result<String> {
    let classes = model.layout().classes().len();
    let settings = eval::EvalSettings {
        decision: model.decision(),
        weighting,
        memory: usize::MAX,
        margins: model.scale() == Scale::Margin,
        ..eval::EvalSettings::default()
    };
    let empty = eval::Evaluation::new(classes, train::score_scale(classes), settings);
    let share = train::RowShare::judged_of(model, || Ok(rows.sum(&train::RowCount::default())?.rows))?;
    let sums = rows.sum(&train::SharedSums::new(share, train::Evaluator::new(model, empty)))?;
    let name = "the rows that were passed".to_owned();
    let (sampled, on) = (sums.sampled(), JudgedOn::Table(name.clone()));
    let judged = Judged { evaluation: sums.into_sums().into_sums(), on, sampled };
    let findings = Findings::gather(model, rows, Some(judged), no_rows)?;
    let about = About {
        data: name,
        commands: vec!["oddsmith.report(model, X, y).save(\"report.html\")".into()],
        version: format!("oddsmith {}", env!("CARGO_PKG_VERSION")),
        no_rows,
        ..About::default()
    };
    Ok(report_page(&findings, &about))
}

/// A picture of a model alone.
#[pyfunction]
pub(crate) fn picture_of_model(py: Python<'_>, model: &Model, name: &str) -> PyResult<Picture> {
    let known = OF_MODEL.contains(&name);
    let drawn = if known {
        of_model(name, model.classifier())
    } else {
        Err(Error::option("picture", name, format!("without rows one of: {}", OF_MODEL.join(" "))))
    };
    drawn.map(Picture::new).map_err(|error| raise(py, error))
}

/// A picture over the rows of an array.
#[pyfunction]
pub(crate) fn picture_of_rows(
    py: Python<'_>,
    model: &Model,
    x: &Bound<'_, PyAny>,
    labels: PyReadonlyArray1<'_, u32>,
    wanted: Wanted,
    threshold: Option<f64>,
    gaps: bool,
) -> PyResult<Picture> {
    let labels = labels.as_slice()?;
    with_data(x, |data| {
        let (rows, cells) = (data.shape().0, data.cells());
        let drawn = work::run(py, cells, |control| {
            let table = Table::new(data, model.classifier().layout(), threshold, model.owner())?.with_gaps(gaps);
            if wanted.name == "waterfall" {
                let row = usize::try_from(wanted.row).ok().filter(|row| *row < rows).ok_or_else(|| no_such_row(wanted.row, rows))?;
                let mut found = None;
                table.block(row, row + 1, &mut |features: &Features<'_>| {
                    found = Some(Waterfall::of_row(model.classifier(), features, wanted.row + 1)?);
                    Ok(())
                })?;
                return found.map(|found| found.picture()).ok_or_else(|| no_such_row(wanted.row, rows));
            }
            let source = Labelled::new(table, labels, None);
            over_rows(&wanted.name, model.classifier(), &SourceRows { source: &source, threads: None, control }, &wanted.columns)
        })?;
        Ok(Picture::new(drawn))
    })
}

/// A report on the rows of an array.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Rows, their labels and weights, and how they are read.
pub(crate) fn report_of_rows(
    py: Python<'_>,
    model: &Model,
    x: &Bound<'_, PyAny>,
    labels: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    no_rows: bool,
    threshold: Option<f64>,
    gaps: bool,
) -> PyResult<String> {
    let labels = labels.as_slice()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    with_data(x, |data| {
        let cells = data.cells();
        work::run(py, cells.saturating_mul(4), |control| {
            let table = Table::new(data, model.classifier().layout(), threshold, model.owner())?.with_gaps(gaps);
            let source = Labelled::new(table, labels, weights);
            page(model.classifier(), &SourceRows { source: &source, threads: None, control }, meaning(weights), no_rows)
        })
    })
}

/// Weights count rows.
fn meaning(weights: Option<&[f64]>) -> oddsmith::data::Weighting {
    if weights.is_some() { oddsmith::data::Weighting::Frequency } else { oddsmith::data::Weighting::None }
}

/// A picture over the rows of the data frame.
#[pyfunction]
pub(crate) fn picture_of_frame(
    py: Python<'_>,
    frame: &Frame,
    model: &Model,
    labels: PyReadonlyArray1<'_, u32>,
    wanted: Wanted,
) -> PyResult<Picture> {
    let (labels, model) = (labels.as_slice()?, model.classifier());
    let drawn = work::run(py, labels.len().saturating_mul(8), |control| {
        let rows = FrameRows { frame: &frame.0, model, labels, weights: None, control };
        if wanted.name != "waterfall" {
            return over_rows(&wanted.name, model, &rows, &wanted.columns);
        }
        let mut found = None;
        let outcome = rows.scan(&mut |batch| {
            let end = batch.first_row + batch.features.rows() as u64;
            if wanted.row >= end {
                return Ok(());
            }
            let i = (wanted.row - batch.first_row) as usize;
            let mut words = Vec::new();
            found = Some(Waterfall::of_row(model, &batch.features.slice(i, i + 1, &mut words), wanted.row + 1)?);
            // An error is the only way to stop a scan, and there is nothing more to read.
            Err(ErrorKind::Interrupted.into())
        });
        match (found, outcome) {
            (Some(found), _) => Ok(found.picture()),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Err(no_such_row(wanted.row, labels.len())),
        }
    })?;
    Ok(Picture::new(drawn))
}

/// A report on the rows of the data frame.
#[pyfunction]
pub(crate) fn report_of_frame(
    py: Python<'_>,
    frame: &Frame,
    model: &Model,
    labels: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    no_rows: bool,
) -> PyResult<String> {
    let (labels, model) = (labels.as_slice()?, model.classifier());
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    work::run(py, labels.len().saturating_mul(32), |control| {
        page(model, &FrameRows { frame: &frame.0, model, labels, weights, control }, meaning(weights), no_rows)
    })
}
