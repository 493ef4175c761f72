//! Parts of a table that lies in many files or in the partitions of an engine, as workers see them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use oddsmith::codec::{Codec, Encode};
use oddsmith::control::Control;
use oddsmith::data::{Extent, JoinedSource, Kind, Layout, Rows, Source, UNSEEN, Weighting};
use oddsmith::error::DataFault;
use oddsmith::eval::{self, EvalSettings};
use oddsmith::model::{Classifier, Predictions, Predictor, Scale};
use oddsmith::persist::{self, FileKind};
use oddsmith::record::Record;
use oddsmith::stats::Statistics;
use oddsmith::train::{self, LaneMerger, LaneTask, Question};
use oddsmith::{Error, Result};
use oddsmith_io::{
    ArrowTable, FolderColumn, Gap, GapIn, Input, NewRows, Opened, Piece, ReadOptions, Roles, TextOptions, flag_candidates, gaps,
    given_kinds, if_rows, open, open_arrow, open_arrow_for_prediction, open_for_prediction, open_piece, own_notices, pieces,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::TextArguments;
use crate::edge::{Told, raise, told};
use crate::frame::{Frame, kinds_of};
use crate::judgement::Evaluation;
use crate::model::Model;
use crate::work;

/// Tags and version of what workers tell of their parts.
const SURVEY: (&str, u32) = ("part", 1);
const JUDGED: (&str, u32) = ("judged", 1);

/// A piece as Python holds it: path, row groups, columns of folders, bytes, rows where the file says so.
pub(crate) type PieceTuple = (PathBuf, Option<(usize, usize)>, Vec<(String, String, bool)>, u64, Option<u64>);

/// Where the rows of a part are.
#[derive(FromPyObject)]
pub(crate) enum Place<'py> {
    /// In a file.
    File(PieceTuple),
    /// In a table of Arrow arrays, under a name for messages.
    Table((String, PyRef<'py, Frame>)),
}

/// The same without the interpreter.
pub(crate) enum Rowset {
    Piece(Piece),
    Table(ArrowTable),
}

impl Place<'_> {
    pub(crate) fn rowset(&self) -> Rowset {
        match self {
            Place::File(tuple) => Rowset::Piece(piece_of(tuple.clone())),
            Place::Table((name, frame)) => Rowset::Table(ArrowTable { name: name.clone(), ..frame.0.clone() }),
        }
    }
}

impl Rowset {
    fn open(&self, options: &ReadOptions, roles: &Roles, control: &Control) -> Result<Opened> {
        match self {
            Rowset::Piece(piece) => open(&Input::Piece(piece.clone()), options, roles, control),
            Rowset::Table(table) => open_arrow(table, options, roles, control),
        }
    }

    fn new_rows(&self, layout: &Layout) -> Result<NewRows> {
        let options = ReadOptions::default();
        match self {
            Rowset::Piece(piece) => open_for_prediction(&Input::Piece(piece.clone()), &options, layout, &[]),
            Rowset::Table(table) => open_arrow_for_prediction(table, &options, layout),
        }
    }
}

/// A piece from what Python holds.
pub(crate) fn piece_of((path, groups, folders, bytes, rows): PieceTuple) -> Piece {
    let folders = folders.into_iter().map(|(name, value, number)| FolderColumn { name, value, number }).collect();
    Piece { path, groups, folders, bytes, rows }
}

/// The pieces of the files that paths, folders and patterns name.
#[pyfunction]
pub(crate) fn list_pieces(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Vec<PieceTuple>> {
    let listed = py.detach(|| pieces(&paths)).map_err(|error| raise(py, error))?;
    let tuple = |piece: Piece| {
        let folders = piece.folders.into_iter().map(|column| (column.name, column.value, column.number)).collect();
        (piece.path, piece.groups, folders, piece.bytes, piece.rows)
    };
    Ok(listed.into_iter().map(tuple).collect())
}

/// How every part is read: by the first question of a study, or by the names of columns.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadingPlan {
    question: Option<Vec<u8>>,
    target: Option<String>,
    features: Option<Vec<String>>,
    weights: Option<String>,
    kinds: BTreeMap<String, String>,
    text: Option<TextArguments>,
    memory: u64,
}

/// The same, understood.
pub(crate) struct Plan {
    pub(crate) question: Option<Question>,
    pub(crate) roles: Roles,
    pub(crate) options: ReadOptions,
}

impl ReadingPlan {
    pub(crate) fn plan(self, threads: usize) -> Result<Plan> {
        let given = kinds_of(self.kinds)?;
        let text: TextOptions = TextArguments::options(self.text);
        let options = |kinds| ReadOptions { kinds, text: text.clone(), memory: self.memory, threads, ..ReadOptions::default() };
        let Some(question) = self.question.map(|bytes| Question::from_bytes(&bytes)).transpose()? else {
            let weight = self.weights.map(|name| (name, Weighting::Frequency));
            let roles = Roles { target: self.target, features: self.features, weight, ..Roles::default() };
            return Ok(Plan { question: None, roles, options: options(given) });
        };
        let study = question.study();
        let roles = Roles {
            target: study.target.clone(),
            features: study.features.clone(),
            exclude: study.exclude.clone(),
            weight: study.weight.clone(),
            order: study.order.clone(),
            ..Roles::default()
        };
        let kinds = study.kinds.clone().into_iter().chain(given).collect();
        Ok(Plan { options: options(kinds), roles, question: Some(question) })
    }
}

impl Plan {
    /// Opens the whole, with what the study needs.
    pub(crate) fn open(&self, by: impl FnOnce(&ReadOptions, &Roles) -> Result<Opened>) -> Result<Opened> {
        match &self.question {
            None => by(&self.options, &self.roles),
            Some(question) => oddsmith_io::open_for(question.needs()?, self.options.clone(), &self.roles, by),
        }
    }
}

/// A part that is open.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Part {
    source: Arc<dyn Source + Send>,
    rows: u64,
    weight: f64,
    flags: Vec<(String, f64, f64)>,
    kinds: BTreeMap<String, Kind>,
    gaps: Vec<Gap>,
    notices: Vec<Told>,
}

/// Opens a part; `None` where none of its rows counts.
#[pyfunction]
pub(crate) fn open_part(py: Python<'_>, place: Place<'_>, plan: ReadingPlan, threads: usize) -> PyResult<Option<Part>> {
    let rowset = place.rowset();
    let plan = plan.plan(threads).map_err(|error| raise(py, error))?;
    work::run(py, usize::MAX, |control| {
        let opened = plan.open(|options, roles| open_piece(options, roles, |options, roles| rowset.open(options, roles, control)));
        let Some(opened) = if_rows(opened)? else { return Ok(None) };
        let weight = opened.class_weights.iter().sum();
        let flags = flag_candidates(&opened, &plan.options.kinds);
        let kinds = given_kinds(&opened, &plan.options.kinds);
        let (gaps, notices) = (gaps(&opened), told(own_notices(&opened).cloned().collect()));
        Ok(Some(Part { rows: opened.rows, weight, flags, kinds, gaps, notices, source: Arc::from(opened.source) }))
    })
}

#[pymethods]
impl Part {
    /// Rows that count.
    #[getter]
    fn rows(&self) -> u64 {
        self.rows
    }

    /// Their weight.
    #[getter]
    fn weight(&self) -> f64 {
        self.weight
    }

    /// The kinds of columns that are settled for all other parts.
    #[getter]
    fn kinds(&self) -> BTreeMap<String, &'static str> {
        self.kinds.iter().map(|(name, kind)| (name.clone(), kind.name())).collect()
    }

    /// About how many bytes its rows take.
    #[getter]
    fn bytes(&self) -> u64 {
        self.source.bytes()
    }

    /// What whoever puts the parts together has to know: columns, rows, partitions.
    fn survey<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let written = || {
            let mut record = Record::new(SURVEY.0, SURVEY.1, &BTreeMap::<String, u64>::new())?;
            self.source.layout().unkeyed()?.write(&mut record, "layout")?;
            record.put_counts("extent", &[self.rows, self.source.partitions() as u64]);
            record.put("weight", &[self.weight]);
            record.put_texts("flags", self.flags.iter().map(|(name, _, _)| name.as_str()));
            record.put("flags.range", &self.flags.iter().flat_map(|(_, min, max)| [*min, *max]).collect::<Vec<_>>());
            record.put_texts("gaps", self.gaps.iter().map(|gap| gap.column.as_str()));
            record.put_counts("gaps.missing", &self.gaps.iter().flat_map(|gap| [gap.place as u64, gap.missing]).collect::<Vec<_>>());
            let cells = |(id, column, level, text): &Told| [Some(id.clone()), column.clone(), level.clone(), Some(text.clone())];
            let cells: Vec<String> = self.notices.iter().flat_map(cells).map(Option::unwrap_or_default).collect();
            record.put_texts("notices", cells.iter().map(String::as_str));
            persist::to_bytes(&record, FileKind::Statistics)
        };
        written().map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| raise(py, error))
    }
}

/// What a part told of itself.
pub(crate) struct Survey {
    pub(crate) layout: Layout,
    pub(crate) extent: Extent,
    pub(crate) weight: f64,
    pub(crate) flags: Vec<(String, f64, f64)>,
    pub(crate) gaps: Vec<Gap>,
    /// What it tells beside what all parts tell together.
    pub(crate) notices: Vec<Told>,
}

impl Survey {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Survey> {
        let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
        record.expect(SURVEY.0, SURVEY.1)?;
        let extent = record.counts_of("extent", 2)?;
        let names = record.texts("flags")?;
        let ranges = record.extended("flags.range", 2 * names.len())?;
        let flags = names.iter().zip(ranges.chunks_exact(2)).map(|(name, range)| ((*name).to_owned(), range[0], range[1])).collect();
        let columns = record.texts("gaps")?;
        let counts = record.counts_of("gaps.missing", 2 * columns.len())?;
        let gap = |(column, count): (&&str, &[u64])| {
            let place = GapIn::ALL.into_iter().find(|place| *place as u64 == count[0]);
            let place = place.ok_or_else(|| Error::internal("a gap in a column of no use"))?;
            Ok(Gap { column: (*column).to_owned(), place, missing: count[1] })
        };
        let gaps = columns.iter().zip(counts.chunks_exact(2)).map(gap).collect::<Result<Vec<_>>>()?;
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let notice = |cells: &[&str]| (cells[0].to_owned(), given(cells[1]), given(cells[2]), cells[3].to_owned());
        let notices = record.texts("notices")?.chunks_exact(4).map(notice).collect();
        Ok(Survey {
            gaps,
            notices,
            layout: Layout::read(&record, "layout")?,
            extent: Extent { rows: extent[0], partitions: usize::try_from(extent[1]).unwrap_or(usize::MAX) },
            weight: record.numbers("weight", 1)?[0],
            flags,
        })
    }
}

/// The sums of groups of lanes: for each its number and the partitions of its lanes, which lie in parts that are given by their numbers among
/// all.
#[pyfunction]
pub(crate) fn sum_lanes<'py>(
    py: Python<'py>,
    ask: &[u8],
    parts: Vec<(usize, PyRef<'py, Part>)>,
    extents: Vec<(u64, usize)>,
    level: usize,
    groups: Vec<(usize, Vec<Vec<usize>>)>,
) -> PyResult<Vec<(usize, Bound<'py, PyBytes>)>> {
    let held: Vec<(usize, Arc<dyn Source + Send>)> = parts.iter().map(|(at, part)| (*at, Arc::clone(&part.source))).collect();
    let extents: Vec<Extent> = extents.into_iter().map(|(rows, partitions)| Extent { rows, partitions }).collect();
    let sums = work::run(py, usize::MAX, |control| {
        let task = LaneTask::from_bytes(ask)?;
        let source = JoinedSource::some(held, &extents, task.layout().clone(), 0)?;
        groups.into_iter().map(|(group, lanes)| Ok((group, task.sum(&source, level, &lanes, control)?))).collect::<Result<Vec<_>>>()
    })?;
    Ok(sums.into_iter().map(|(group, bytes)| (group, PyBytes::new(py, &bytes))).collect())
}

/// The sums of several groups of lanes on their way to one.
#[pyclass(module = "oddsmith._core")]
pub(crate) struct Merger(Option<LaneMerger>);

#[pymethods]
impl Merger {
    /// Nothing yet of what a relay asks for.
    #[new]
    fn new(py: Python<'_>, ask: &[u8]) -> PyResult<Self> {
        LaneTask::from_bytes(ask).map(|task| Merger(Some(task.merger()))).map_err(|error| raise(py, error))
    }

    /// Adds the sums of the next group.
    fn take(&mut self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let merger = self.0.as_mut().ok_or_else(|| raise(py, Error::internal("these sums are merged already")))?;
        merger.take(bytes).map_err(|error| raise(py, error))
    }

    /// The sums of all of them.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let merger = self.0.take().ok_or_else(|| raise(py, Error::internal("these sums are merged already")))?;
        merger.finish().map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| raise(py, error))
    }
}

/// Probabilities (margins where a model has none) of the rows of a part, and the notices of reading them.
#[pyfunction]
pub(crate) fn predict_part<'py>(py: Python<'py>, model: &Model, place: Place<'py>) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<Told>)> {
    let (rowset, classifier) = (place.rowset(), model.classifier());
    let classes = classifier.layout().classes().len();
    let margins = classifier.scale() == Scale::Margin;
    let (filled, notices) = work::run(py, usize::MAX, |control| {
        let rows = rowset.new_rows(classifier.layout())?;
        let (mut out, mut predictions, mut notices) = (Vec::new(), Predictions::new(), rows.notices.clone());
        notices.extend(rows.scan(control, &mut |batch| {
            let predictor = Predictor::new(classifier);
            match margins {
                true => predictor.ordered(&batch.features, &mut predictions)?,
                false => predictor.probabilities(&batch.features, &mut predictions)?,
            }
            out.extend_from_slice(if margins { predictions.scores().values() } else { predictions.probabilities() });
            Ok(())
        })?);
        Ok((out, notices))
    })?;
    let rows = filled.len() / classes;
    Ok((PyArray1::from_vec(py, filled).reshape([rows, classes])?, told(notices)))
}

fn judging(model: &dyn Classifier) -> train::Evaluator<&dyn Classifier, eval::Evaluation> {
    let classes = model.layout().classes().len();
    let settings = EvalSettings { margins: model.scale() == Scale::Margin, ..EvalSettings::default() };
    train::Evaluator::new(model, eval::Evaluation::new(classes, train::score_scale(classes), settings))
}

/// The sums of a model that is judged on the rows of a part, which may have levels that the model never saw.
#[pyfunction]
pub(crate) fn judge_part<'py>(py: Python<'py>, model: &Model, place: Place<'py>) -> PyResult<Bound<'py, PyBytes>> {
    let (rowset, classifier) = (place.rowset(), model.classifier());
    let bytes = work::run(py, usize::MAX, |control| {
        let rows = rowset.new_rows(classifier.layout())?;
        let target = classifier.layout().target().to_owned();
        if !rows.labelled() {
            return Err(DataFault::new("is missing").column(target).accepted("rows are judged by their classes").into());
        }
        let mut sums = judging(classifier);
        rows.scan(control, &mut |batch| {
            let labels = batch.labels.unwrap_or_default();
            if let Some(i) = labels.iter().position(|label| *label == UNSEEN) {
                let fault = DataFault::new("the class is none that the model knows").column(&target);
                return Err(fault.row(batch.first_row + i as u64 + 1).into());
            }
            sums.observe(Rows::new(batch.features, labels, None, batch.first_row))
        })?;
        let mut record = Record::new(JUDGED.0, JUDGED.1, &BTreeMap::<String, u64>::new())?;
        sums.encode(&mut Codec::out(&mut record, ""))?;
        persist::to_bytes(&record, FileKind::Statistics)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// The evaluation of all parts, merged in their order, and how many rows the model said nothing about.
#[pyfunction]
pub(crate) fn merge_judged(py: Python<'_>, model: &Model, parts: Vec<Vec<u8>>) -> PyResult<(Evaluation, u64)> {
    let classifier = model.classifier();
    let merged = || {
        let mut total: Option<train::Evaluator<&dyn Classifier, eval::Evaluation>> = None;
        for bytes in &parts {
            let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
            record.expect(JUDGED.0, JUDGED.1)?;
            let mut sums = judging(classifier);
            sums.encode(&mut Codec::from(&record, ""))?;
            match &mut total {
                Some(total) => total.merge(&sums)?,
                none => *none = Some(sums),
            }
        }
        total.ok_or_else(|| Error::data("there is no part to judge by"))
    };
    let total = merged().map_err(|error| raise(py, error))?;
    let silent = total.silent();
    Ok((Evaluation::new(total.into_sums(), classifier.layout().classes().clone()), silent))
}
