//! `oddsmith predict`: class and probabilities of new rows, in constant memory.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use oddsmith::card::Cell;
use oddsmith::control::Control;
use oddsmith::data::{Layout, UNSEEN};
use oddsmith::error::DataFault;
use oddsmith::model::{Classifier, Decision, Predictions, Predictor, RowLimits, Scale, Uncertainty};
use oddsmith::notice::{self, Notice};
use oddsmith::num::special::normal;
use oddsmith::{Error, ErrorKind, Result};
use oddsmith_io::{Input, NewBatch, NewRows, ReadOptions, open_for_prediction};

use crate::console::Console;
use crate::exit::{Failure, output_fault};
use crate::files;
use crate::options::{PriorArgs, ReadingArgs, TextArgs, parse_number, split_list};
use crate::progress::Progress;
use crate::stream::Stream;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith predict low.odds new.csv --id low > scored.csv
  cat new.csv | oddsmith predict low.odds - --id id --format ndjson
  oddsmith predict low.odds new.csv --threshold 0.2                  # the event from 0.2 up
  oddsmith predict low.odds new.csv --interval 0.95                  # limits of probabilities
  oddsmith predict nb.odds new.csv --prior yes=0.01,no=0.99          # where events are rarer";

/// Arguments of `predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// A model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// A table with the columns of the model, in any order; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// Predict the event if and only if its probability is at least this; needs two classes [default: the model's own rule].
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = parse_number)]
    threshold: Option<f64>,

    /// Add log odds: of the event, or of every class against all others.
    #[arg(long)]
    log_odds: bool,

    /// Add log p(row, class) for every class, and log p(row).
    #[arg(long)]
    log_joint: bool,

    /// Add confidence limits of the probabilities at this level, for a regression that has standard errors.
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "0.95", value_parser = parse_number)]
    interval: Option<f64>,

    /// Columns of the table to repeat before the result.
    #[arg(long, value_name = "COLUMN,…")]
    id: Vec<String>,

    /// Stop at a level that the model never saw, or at a row that has no prediction or is impossible in every class.
    #[arg(long)]
    strict: bool,

    /// Write to this file instead of standard output, which `-` stands for.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    prior: PriorArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Predicts row by row in the order of the table.
pub(crate) fn run(args: &PredictArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let model = args.prior.applied(files::read_model(&args.model)?)?;
    console.rows_only()?;
    let scoring = Scoring::new(args, &*model)?;
    let input = files::table(&args.data)?;
    let inputs: Vec<&Path> = std::iter::once(args.model.as_path()).chain(path_of(&input)).collect();
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(output) = output {
        files::refuse_same(output, &inputs)?;
    }
    let ids: Vec<String> = args.id.iter().flat_map(|list| split_list(list)).collect();
    let columns = scoring.columns(&ids)?;
    // With --strict the cells of categories are needed for the message.
    let mut echo = ids.clone();
    if args.strict {
        echo.extend(model.layout().codes().iter().map(|&j| model.layout().features()[j].name.clone()));
    }
    // One line out for every line in, so that both can be put side by side.
    let options = ReadOptions { blank_rows: true, ..args.reading.options(&args.text)? };
    let rows = open_for_prediction(&input, &options, model.layout(), &echo)?;
    console.notices(&rows.notices);
    let _progress = (output.is_some() || !console.out_is_terminal()).then(|| Progress::start(console, control, "predicting"));
    let job = Job { scoring, ids: ids.len(), strict: args.strict, columns, console, control };
    let in_table = |error: Error| error.in_table(&input.name());
    let notices = match output {
        None => job.write(rows, &mut console.writer(), &output_fault).map_err(in_table)?,
        Some(path) => {
            let mut notices = Vec::new();
            oddsmith_io::write_file(path, &inputs, |file| {
                notices = job.write(rows, file, &|source| files::write_fault(path, source))?;
                Ok(())
            })
            .map_err(in_table)?;
            notices
        }
    };
    console.notices(&notices);
    Ok(())
}

fn path_of(input: &Input) -> Option<&Path> {
    match input {
        Input::Path(path) => Some(path),
        _ => None,
    }
}

/// What is computed for every row.
struct Scoring<'a> {
    model: &'a dyn Classifier,
    decision: Decision,
    log_odds: bool,
    log_joint: bool,
    limits: Option<Limits<'a>>,
    /// Whether scores are margins, which stand in place of probabilities.
    margins: bool,
}

impl<'a> Scoring<'a> {
    fn new(args: &PredictArgs, model: &'a dyn Classifier) -> Result<Self, Failure> {
        let classes = model.layout().classes().len();
        if args.log_joint && model.scale() != Scale::LogJoint {
            let advice = "its scores are no densities of rows".into();
            let what = "give log p(row, class)".to_owned();
            return Err(Error::from(ErrorKind::Unsupported { model: model.card().title, what, advice }).into());
        }
        let margins = model.scale() == Scale::Margin;
        if args.log_odds || args.threshold.is_some() {
            Predictor::new(model).check_for("give log odds, or call classes by a threshold")?;
        }
        let decision = args.threshold.map_or_else(|| Ok(model.decision()), |threshold| Decision::threshold(threshold, classes))?;
        let limits = args.interval.map(|level| Limits::new(model, level)).transpose()?;
        Ok(Scoring { model, decision, log_odds: args.log_odds, log_joint: args.log_joint, limits, margins })
    }

    /// Classes whose log odds are told: with two classes those of the event say everything.
    fn odds_classes(&self) -> std::ops::Range<usize> {
        match self.model.layout().classes().len() {
            2 => 1..2,
            classes => 0..classes,
        }
    }

    fn columns(&self, ids: &[String]) -> Result<Vec<String>, Failure> {
        let labels = self.model.layout().classes().labels();
        let mut columns = ids.to_vec();
        columns.push("predicted".into());
        let prefix = if self.margins { "score" } else { "p" };
        columns.extend(labels.iter().map(|label| format!("{prefix}_{label}")));
        if self.limits.is_some() {
            columns.extend(self.odds_classes().flat_map(|k| ["low", "high"].map(|end| format!("{end}_{}", labels[k]))));
        }
        if self.log_odds {
            columns.extend(self.odds_classes().map(|k| format!("log_odds_{}", labels[k])));
        }
        if self.log_joint {
            columns.extend(labels.iter().map(|label| format!("log_joint_{label}")));
            columns.push("log_p_row".into());
        }
        let mut sorted = columns.clone();
        sorted.sort();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Failure::Usage(format!("--id {} has the name of another column of the result", pair[0]))),
            None => Ok(columns),
        }
    }

    /// The cells of a row; all of them empty for a row that the model says nothing about.
    fn cells(&self, predictions: &Predictions, uncertainty: &Uncertainty, i: usize, cells: &mut Vec<Cell>, width: usize) {
        let probabilities = predictions.row(i);
        if probabilities[0].is_nan() {
            cells.resize(width, Cell::Empty);
            return;
        }
        let called = self.decision.decide(probabilities);
        cells.push(called.map_or(Cell::Empty, |k| self.model.layout().classes().label(k).into()));
        let told = if self.margins { predictions.scores().row(i) } else { probabilities };
        cells.extend(told.iter().map(|number| Cell::Number(*number)));
        if let Some(limits) = &self.limits {
            for k in self.odds_classes() {
                let (low, high) = uncertainty.limits(i, k, limits.quantile);
                cells.extend([low, high].map(Cell::Number));
            }
        }
        if self.log_odds {
            cells.extend(self.odds_classes().map(|k| Cell::Number(predictions.log_odds(i, k))));
        }
        if self.log_joint {
            cells.extend(predictions.scores().row(i).iter().map(|score| Cell::Number(*score)));
            cells.push(predictions.log_density(i).into());
        }
    }
}

/// Confidence limits of probabilities.
struct Limits<'a> {
    model: &'a dyn RowLimits,
    quantile: f64,
}

impl<'a> Limits<'a> {
    fn new(model: &'a dyn Classifier, level: f64) -> Result<Self> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::option("interval", level, "a level between 0 and 1, such as 0.95"));
        }
        match model.limits() {
            Some(model) => Ok(Limits { model, quantile: normal::quantile_upper(0.5 * (1.0 - level)) }),
            None => {
                let advice = match model.tag() == "adjusted" && model.inference().is_none() {
                    true => {
                        "its probabilities were calibrated after the fit, and the calibration has no error; ask the model before it".into()
                    }
                    false => {
                        "regressions without a penalty, fitted with standard errors, have them, and kernel-logistic of up to 512 weights"
                            .into()
                    }
                };
                let what = "give limits of probabilities".into();
                Err(ErrorKind::Unsupported { model: model.card().title, what, advice }.into())
            }
        }
    }
}

/// A stream of rows to be scored and written.
struct Job<'a> {
    scoring: Scoring<'a>,
    /// Echoed columns that belong to the result; the others are for messages.
    ids: usize,
    strict: bool,
    columns: Vec<String>,
    console: &'a Console,
    control: &'a Control,
}

impl Job<'_> {
    /// Scores all rows and gives notices about them.
    fn write(&self, rows: NewRows, out: &mut dyn Write, refused: &dyn Fn(io::Error) -> Error) -> Result<Vec<Notice>> {
        let mut stream = Stream::new(out, refused, self.console, &self.columns);
        let mut predictions = Predictions::new();
        let mut impossible = Impossible::default();
        let mut silent = Silent::default();
        let mut uncertainty = Uncertainty::default();
        let mut notices = rows.scan(self.control, &mut |batch| {
            if self.strict {
                self.refuse_unseen(&batch)?;
            }
            Predictor::new(self.scoring.model).ordered(&batch.features, &mut predictions)?;
            impossible.note(&predictions, batch.first_row);
            if self.strict && impossible.count > 0 {
                return Err(impossible.fault());
            }
            silent.note(&predictions, batch.first_row);
            if self.strict && silent.count > 0 {
                return Err(silent.fault());
            }
            if let Some(limits) = &self.scoring.limits {
                limits.model.uncertainty(&batch.features, &mut uncertainty)?;
            }
            let mut cells: Vec<Vec<Cell>> = vec![Vec::with_capacity(self.columns.len()); batch.features.rows()];
            for id in 0..self.ids {
                batch.echo(id, |i, cell| cells[i].push(cell.into()));
            }
            for (i, mut row) in cells.into_iter().enumerate() {
                self.scoring.cells(&predictions, &uncertainty, i, &mut row, self.columns.len());
                stream.row(row)?;
            }
            stream.hand_on()
        })?;
        stream.finish()?;
        notices.extend(impossible.notice());
        notices.extend(silent.notice());
        Ok(notices)
    }

    fn refuse_unseen(&self, batch: &NewBatch<'_>) -> Result<()> {
        let layout = self.scoring.model.layout();
        let codes = &batch.features.codes;
        for i in 0..codes.rows() {
            if let Some(at) = (0..codes.cols()).find(|&at| codes.get(i, at) == UNSEEN) {
                return Err(self.unseen(batch, layout, at, i));
            }
        }
        Ok(())
    }

    fn unseen(&self, batch: &NewBatch<'_>, layout: &Layout, at: usize, i: usize) -> Error {
        let mut value = String::new();
        batch.echo(self.ids + at, |row, cell| {
            if row == i {
                value = cell.to_owned();
            }
        });
        let column = &layout.features()[layout.codes()[at]].name;
        let fault = DataFault::new("the model never saw the level").column(column).row(batch.first_row + i as u64 + 1).value(value);
        fault.accepted("without --strict it counts as missing").into()
    }
}

/// Rows that the model says nothing about.
#[derive(Default)]
struct Silent {
    count: u64,
    first: u64,
}

impl Silent {
    fn note(&mut self, predictions: &Predictions, first_row: u64) {
        let scores = predictions.scores();
        for i in (0..scores.rows()).filter(|i| scores.row(*i)[0].is_nan()) {
            if self.count == 0 {
                self.first = first_row + i as u64 + 1;
            }
            self.count += 1;
        }
    }

    fn notice(&self) -> Option<Notice> {
        let rows = if self.count == 1 { "1 row lacks".to_owned() } else { format!("{} rows lack", self.count) };
        let text = || format!("{rows} a value that the model needs, first row {}; no probability is given", self.first);
        (self.count > 0).then(|| Notice::new(notice::NO_PREDICTION, text()))
    }

    fn fault(&self) -> Error {
        let fault = DataFault::new("the row lacks a value that the model needs").row(self.first);
        fault.accepted("without --strict its probabilities are left empty").into()
    }
}

/// Rows that every class calls impossible.
#[derive(Default)]
struct Impossible {
    count: u64,
    first: u64,
}

impl Impossible {
    fn note(&mut self, predictions: &Predictions, first_row: u64) {
        let rows = predictions.scores().impossible();
        if let (0, Some(first)) = (self.count, rows.first()) {
            self.first = first_row + *first as u64 + 1;
        }
        self.count += rows.len() as u64;
    }

    fn notice(&self) -> Option<Notice> {
        let rows = if self.count == 1 { "1 row is".to_owned() } else { format!("{} rows are", self.count) };
        let text = || format!("{rows} impossible in every class, first row {}; the prior is returned", self.first);
        (self.count > 0).then(|| Notice::new(notice::ZERO_PROBABILITY, text()))
    }

    fn fault(&self) -> Error {
        let fault = DataFault::new("the row is impossible in every class").row(self.first);
        fault.accepted("fit with --smoothing above 0; without --strict the prior is returned").into()
    }
}
