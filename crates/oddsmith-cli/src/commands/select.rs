//! `oddsmith select`: which columns a model needs, by stepwise search, judged on rows that had no part in the search.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use oddsmith::card::{Card, Cell, Table};
use oddsmith::control::Control;
use oddsmith::data::Source;
use oddsmith::eval::{Evaluation, Settings};
use oddsmith::model::{AnyLearner, Classifier, Knobs};
use oddsmith::num::special::chi_squared;
use oddsmith::registry::{self, MODELS};
use oddsmith::train::{
    self, ColumnSource, CrossValidation, Dealing, Direction, Folds, Judging, LogLoss, MaskedSource, Selection, select_columns,
};
use oddsmith::{Error, ErrorKind, Result as LibraryResult, persist};

use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files;
use crate::options::{ReadingArgs, RoleArgs, TextArgs};
use crate::progress::Progress;
use crate::ranks;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith select births.csv --target low --model logistic --by aic -o low.odds
  oddsmith select births.csv --target low --model lda --features age,lwt,ptl,ftv --direction backward
  oddsmith select births.csv --target low --model nb --by bits --folds 5";

/// Arguments of `select`.
#[derive(Debug, Args)]
pub(crate) struct SelectArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The model.
    #[arg(short, long, value_name = "MODEL", default_value = "logistic", value_parser = model_names())]
    model: String,

    /// What is to become small: cross-validated bits, or for regressions AIC, BIC, or AIC with the penalty of a likelihood-ratio test.
    #[arg(long, value_enum, value_name = "CRITERION", default_value = "bits")]
    by: Criterion,

    /// Level of the likelihood-ratio test.
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    level: f64,

    /// Which steps are allowed.
    #[arg(long, value_enum, value_name = "DIRECTION", default_value = "forward")]
    direction: DirectionArg,

    /// Folds of cross-validated bits.
    #[arg(long, value_name = "N", default_value_t = 10)]
    folds: usize,

    /// One row in so many has no part in the search and judges its result; 0 keeps none back.
    #[arg(long, value_name = "N", default_value_t = 4)]
    holdout: usize,

    /// Start of the random numbers that deal rows.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Where to save the model of the chosen columns, fitted to the rows of the search.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// What is to become small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Criterion {
    /// Bits per row on folds that the model has not seen.
    Bits,
    /// −2 log likelihood + 2 × parameters.
    Aic,
    /// −2 log likelihood + log rows × parameters.
    Bic,
    /// −2 log likelihood + parameters × the critical value of χ² with one degree of freedom.
    Lr,
}

/// Which steps are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DirectionArg {
    /// Add columns one by one.
    Forward,
    /// Drop columns one by one.
    Backward,
    /// Add or drop.
    Both,
}

/// Searches, judges and shows.
pub(crate) fn run(args: &SelectArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let learner = (registry::find(&args.model)?.build)(&Knobs::default())?;
    if args.by != Criterion::Bits && args.model != "logistic" {
        let what =
            format!("--by aic, bic and lr need a likelihood of the classes that the fit maximises; {} has none, use --by bits", args.model);
        return Err(Failure::Usage(what));
    }
    if !(args.level > 0.0 && args.level < 1.0) {
        return Err(Error::knob("level", args.level, "a probability above 0 and below 1").into());
    }
    let input = files::table(&args.data)?;
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        oddsmith_io::open(&input, &args.reading.options(&args.text)?, &args.roles.roles(), control)?
    };
    files::need_target(&opened)?;
    let in_table = |error: Error| error.in_table(&input.name());
    let source: &dyn Source = &*opened.source;
    let parts = match args.holdout {
        0 => None,
        parts => {
            let dealing = Dealing { folds: parts, seed: args.seed, groups: None };
            Some(CrossValidation::new(source, dealing, args.reading.threads, control).map_err(in_table)?.folds().clone())
        }
    };
    let _progress = Progress::start(console, control, "selecting");
    let search = Search { args, source, parts: parts.as_ref(), learner, control };
    let selection = search.select().map_err(in_table)?;
    let mut data = data_card(&input.name(), &opened);
    data.tidy.rows.clear();
    let (model, judged) = search.result(&selection).map_err(in_table)?;
    let names = opened.layout().names();
    let chosen: Vec<&str> = selection.columns().iter().map(|&j| names[j].as_str()).collect();
    let mut card = Card {
        title: format!("{} of {} columns for {}", chosen.len(), names.len(), args.model),
        facts: vec![
            ("chosen".into(), chosen.join(", ").into()),
            ("models tried".into(), selection.tried.into()),
            ("criterion".into(), args.criterion_name().into()),
        ],
        tidy: steps(&selection, &names),
        notices: Vec::new(),
    };
    let saved = match &args.output {
        Some(output) => Some(files::save(output, &persist::save_model(&*model)?)?),
        None => None,
    };
    card.facts.extend(saved.iter().flat_map(|saved| saved.facts()));
    let honest = judged.map(|evaluation| Card {
        title: format!("The chosen model on the 1 in {} rows that had no part in the choice", args.holdout),
        facts: Vec::new(),
        tidy: evaluation.table(),
        notices: Vec::new(),
    });
    let mut cards: Vec<(&str, &Card)> = vec![("data", &data)];
    cards.extend(honest.as_ref().map(|card| ("held_out", card)));
    cards.push(("selection", &card));
    console.result(&cards[..])?;
    console.notices(&data.notices);
    if args.holdout == 0 {
        console.note("no rows were held back: the criterion of a chosen model flatters it");
    }
    if let Some(saved) = saved {
        console.note(&format!("model → {saved}"));
    }
    Ok(())
}

impl SelectArgs {
    fn criterion_name(&self) -> String {
        match self.by {
            Criterion::Bits => format!("bits over {} folds", self.folds),
            Criterion::Aic => "AIC".into(),
            Criterion::Bic => "BIC".into(),
            Criterion::Lr => format!("likelihood ratio at {}", self.level),
        }
    }
}

struct Search<'a> {
    args: &'a SelectArgs,
    source: &'a dyn Source,
    /// Part 0 is held back.
    parts: Option<&'a Folds>,
    learner: Box<dyn AnyLearner>,
    control: &'a Control,
}

impl Search<'_> {
    fn select(&self) -> LibraryResult<Selection> {
        let direction = match self.args.direction {
            DirectionArg::Forward => Direction::Forward,
            DirectionArg::Backward => Direction::Backward,
            DirectionArg::Both => Direction::Both,
        };
        select_columns(self.source.layout().features().len(), direction, &mut |columns| match self.judge(columns) {
            Ok(value) => Ok(Some(value)),
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => Err(error),
            // Separation, a singular matrix: this subset has no model, others may.
            Err(error) if matches!(error.kind(), ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } | ErrorKind::Data(_)) => {
                Ok(None)
            }
            Err(error) => Err(error),
        })
    }

    /// Gives the rows of the search, or those held back, seen through some columns, to `work`.
    fn with_rows<T>(&self, columns: &[usize], held_back: bool, work: impl FnOnce(&dyn Source) -> LibraryResult<T>) -> LibraryResult<T> {
        let narrow = ColumnSource::new(self.source, columns)?;
        match self.parts {
            None => work(&narrow),
            Some(parts) => {
                let taught = (0..parts.count()).map(|part| (part == 0) == held_back).collect();
                work(&MaskedSource::new(&narrow, parts, taught)?)
            }
        }
    }

    fn judge(&self, columns: &[usize]) -> LibraryResult<f64> {
        let threads = self.args.reading.threads;
        self.with_rows(columns, false, |source| match self.args.by {
            Criterion::Bits => {
                let dealing = Dealing { folds: self.args.folds, seed: self.args.seed + 1, groups: None };
                let folds = CrossValidation::new(source, dealing, threads, self.control)?;
                let tables = folds.gather(&[&*self.learner])?;
                let models = folds.models(&*self.learner, tables.as_ref(), self.args.folds)?;
                let scored = folds.out_of_fold(&[models])?;
                let classes = source.layout().classes().len();
                let standing = train::standings(&scored, classes, &Settings::default(), threads)?;
                standing[0].bits.as_ref().map(|bits| bits.value).map_err(|reason| Error::data(reason.to_string()))
            }
            _ => {
                let model = train::fit(&self.learner, source, threads, self.control)?.model;
                let loss = train::pass(source, &LogLoss::new(&*model), threads, self.control)?;
                let rows = oddsmith::stats::Statistics::weight(&loss);
                let deviance = 2.0 * rows * loss.bits() * std::f64::consts::LN_2;
                let parameters = ranks::parameters(&*model).ok_or_else(|| Error::internal("a regression lists no parameters"))? as f64;
                let price = match self.args.by {
                    Criterion::Bic => rows.ln(),
                    Criterion::Lr => chi_squared::quantile_upper(self.args.level, 1.0),
                    _ => 2.0,
                };
                Ok(deviance + price * parameters)
            }
        })
    }

    /// The model of the chosen columns, and its figures on the rows held back.
    fn result(&self, selection: &Selection) -> LibraryResult<(Box<dyn Classifier>, Option<Evaluation>)> {
        let columns = selection.columns();
        if columns.is_empty() {
            let advice = "look at the columns with `oddsmith check`, or try another model".to_owned();
            return Err(ErrorKind::NoEstimate { what: "no subset of columns has a model".into(), advice }.into());
        }
        let threads = self.args.reading.threads;
        let model = self.with_rows(columns, false, |source| Ok(train::fit(&self.learner, source, threads, self.control)?.model))?;
        if self.parts.is_none() {
            return Ok((model, None));
        }
        let evaluation = self.with_rows(columns, true, |source| {
            let classes = source.layout().classes().len();
            let settings = Settings { weighting: source.layout().weighting(), ..Settings::default() };
            let empty = Evaluation::new(classes, train::score_scale(classes), settings);
            Ok(train::pass(source, &Judging::new(&*model, empty), threads, self.control)?.into_sums())
        })?;
        Ok((model, Some(evaluation)))
    }
}

fn steps(selection: &Selection, names: &[String]) -> Table {
    let mut table = Table::new("steps", &["step", "change", "columns", "criterion"]);
    for (at, step) in selection.steps.iter().enumerate() {
        let change = step.column.map_or("start".to_owned(), |j| format!("{} {}", if step.added { "+" } else { "−" }, names[j]));
        let columns: Vec<&str> = step.columns.iter().map(|&j| names[j].as_str()).collect();
        table.push(vec![at.into(), change.into(), columns.join(", ").into(), step.criterion.map_or(Cell::Empty, Cell::from)]);
    }
    table
}

fn model_names() -> PossibleValuesParser {
    PossibleValuesParser::new(MODELS.iter().map(|entry| PossibleValue::new(entry.name).aliases(entry.aliases).help(entry.summary)))
}
