//! `oddsmith select`: which columns a model needs, by stepwise search, judged on rows that had no part in the search.

mod picture;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use oddsmith::card::{Card, Cell, FixedTable, Table};
use oddsmith::control::Control;
use oddsmith::data::{Formula, Source};
use oddsmith::model::{BoxedStats, Step};
use oddsmith::notice::{self, Notice};
use oddsmith::registry::{self, MODELS};
use oddsmith::train::{
    CrossValidation, Direction, FoldSpec, Selection, SelectionStep, SumsModel, has_no_model, likelihood_of_sums, select_among,
    select_by_tests,
};
use oddsmith::{Error, ErrorKind, Result as LibraryResult, persist};
use oddsmith_io::{Input, Opened};

use crate::commands::fit::selected;
use crate::commands::show::statistics_card;
use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files;
use crate::fitting::ModelRequest;
use crate::flags;
use crate::options::{ParamArgs, ReadingArgs, RoleArgs, TextArgs, new_file};
use crate::plot;
use crate::progress::Progress;
use crate::search::{Search, Units};
use crate::silence::silent_rows;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith select births.csv --formula 'low ~ age + race*smoke' --by lr --direction backward
  oddsmith select births.csv --target low --model logistic --features age,lwt,smoke --by aic
  oddsmith select births.csv --target low --model lda --features age,lwt,ptl --direction both
  oddsmith select births.csv --target low --model nb --features age,lwt,smoke --by bits --folds 5
  oddsmith select all.stats --model lda --features age,lwt --by bic  # without the rows";

/// Arguments of `select`.
#[derive(Debug, Args)]
pub(crate) struct SelectArgs {
    /// A table, or a statistics file; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// A formula of a regression, whose terms may come and go; a product keeps its factors.
    #[arg(long, value_name = "FORMULA")]
    formula: Option<String>,

    /// The model [default: logistic regression].
    #[arg(short, long, value_name = "MODEL", value_parser = model_names())]
    model: Option<String>,

    /// What decides: cross-validated bits, or for regressions and statistics files AIC, BIC, description length or likelihood-ratio tests.
    #[arg(long, value_enum, value_name = "CRITERION", default_value = "bits")]
    pub(crate) by: Criterion,

    /// Level of the likelihood-ratio tests.
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub(crate) significance: f64,

    /// Which steps are allowed.
    #[arg(long, value_enum, value_name = "DIRECTION", default_value = "forward")]
    pub(crate) direction: DirectionArg,

    /// Folds of cross-validated bits.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) folds: usize,

    /// One row in so many has no part in the search and judges its result; 0 keeps none back.
    #[arg(long, value_name = "N", default_value_t = 4)]
    holdout: usize,

    /// Start of the random numbers that split rows.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Where to save the model of the chosen columns, fitted to the rows of the search.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: Option<PathBuf>,

    /// Draw a picture in place of tables: the criterion after every step.
    #[arg(long, value_name = "PICTURE", value_parser = ["steps"])]
    plot: Option<String>,

    #[command(flatten)]
    params: ParamArgs,

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
    /// Bits that tell the parameters and then the classes: −log2 likelihood + ½ log2 rows × parameters.
    Mdl,
    /// Likelihood-ratio tests at --significance, all levels of a category and all columns of a term together.
    Lr,
}

impl Criterion {
    /// What it is measured in, in a word or two.
    fn unit(self) -> &'static str {
        match self {
            Criterion::Bits => "bits per row",
            Criterion::Aic => "AIC",
            Criterion::Bic => "BIC",
            Criterion::Mdl => "description length in bits",
            Criterion::Lr => "p-value",
        }
    }
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

impl From<DirectionArg> for Direction {
    fn from(argument: DirectionArg) -> Self {
        match argument {
            DirectionArg::Forward => Direction::Forward,
            DirectionArg::Backward => Direction::Backward,
            DirectionArg::Both => Direction::Both,
        }
    }
}

/// Searches, judges and shows.
pub(crate) fn run(args: &SelectArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    if !(args.significance > 0.0 && args.significance < 1.0) {
        return Err(Error::option("significance", args.significance, "a probability above 0 and below 1").into());
    }
    let formula = args.formula.as_deref().map(Formula::parse).transpose()?;
    let entry = match &args.model {
        Some(model) => registry::find(model)?,
        None => registry::default_for(true),
    };
    let model = ModelRequest::new(entry, args.params.of(entry)?, formula)?;
    if let Input::Path(path) = Input::from_argument(&args.data)
        && files::is_ours(&path)
    {
        return run_on_statistics(args, &path, &model, console);
    }
    if args.by != Criterion::Bits && !entry.takes_formula {
        let what = format!(
            "--by aic, bic, mdl and lr need a likelihood of the classes that the fit maximises; {} has none over rows, use --by bits, or a \
             statistics file for nb, lda and qda",
            entry.name
        );
        return Err(Failure::Usage(what));
    }
    let input = files::table(&args.data)?;
    let (opened, units) = {
        let _progress = Progress::start(console, control, "reading");
        open(args, model, &input, control)?
    };
    files::need_target(&opened)?;
    let in_table = |error: Error| error.in_table(&input.name());
    let source: &dyn Source = &*opened.source;
    let parts = match args.holdout {
        0 => None,
        parts => {
            let spec = FoldSpec { folds: parts, seed: args.seed, groups: None };
            Some(CrossValidation::new(source, spec, args.reading.threads, control).map_err(in_table)?.folds().clone())
        }
    };
    let _progress = Progress::start(console, control, "selecting");
    let search = Search { args, source, parts: parts.as_ref(), units, threads: args.reading.threads, control };
    let selection = search.select().map_err(in_table)?;
    let mut data = data_card(&input.name(), &opened);
    data.tidy.truncate(0);
    let incomplete = search.incomplete_rows().map_err(in_table)?;
    if incomplete > 0 {
        let text = format!(
            "{} of the search excluded for missing values, so that all models compare on the same rows",
            notice::counted(incomplete, "row")
        );
        data.notices.push(Notice::new(notice::MISSING_VALUES, text));
    }
    let chosen = search.chosen(&selection).map_err(in_table)?;
    let mut card = told(args, entry.name, &selection, &search.names());
    let saved = args.output.as_ref().map(|output| files::save(output, &persist::save_model(&*chosen.model)?)).transpose()?;
    card.facts.extend(saved.iter().flat_map(|saved| saved.facts()));
    data.notices.extend(silent_rows(chosen.silent, "the chosen model"));
    let honest = chosen.judged.map(|evaluation| Card {
        title: format!("The chosen model on the 1 in {} rows that had no part in the choice", args.holdout),
        facts: Vec::new(),
        tidy: evaluation.table(),
        ..Card::default()
    });
    let mut cards: Vec<(&str, &Card)> = vec![("data", &data)];
    cards.extend(honest.as_ref().map(|card| ("held_out", card)));
    cards.push(("selection", &card));
    args.show(&cards, console)?;
    console.notices(&data.notices);
    if args.holdout == 0 {
        console.note("no rows were held back: the criterion of a chosen model flatters it");
    }
    if let Some(saved) = saved {
        console.note(&format!("model → {saved}"));
    }
    Ok(())
}

/// The table, and what may come and go: terms of a formula, or columns.
fn open(args: &SelectArgs, mut model: ModelRequest, input: &Input, control: &Control) -> Result<(Opened, Units), Failure> {
    let opened = model.open(input, args.reading.options(&args.text)?, args.roles.roles()?, control)?;
    let units = Units::of(model, &opened)?;
    Ok((opened, units))
}

impl SelectArgs {
    /// The cards, the last of which is the search; or its picture.
    fn show(&self, cards: &[(&str, &Card)], console: &Console) -> Result<(), Failure> {
        match (&self.plot, cards.last()) {
            (Some(picture), Some((_, search))) => plot::show(plot::of_card(search, picture)?, console),
            _ => console.result(cards),
        }
    }

    fn criterion_name(&self) -> String {
        match self.by {
            Criterion::Bits => format!("bits over {} folds", self.folds),
            Criterion::Aic => "AIC".into(),
            Criterion::Bic => "BIC".into(),
            Criterion::Mdl => "description length in bits".into(),
            Criterion::Lr => format!("likelihood ratio at {}", self.significance),
        }
    }
}

/// The search from a statistics file, which holds no rows to judge the result on.
fn run_on_statistics(args: &SelectArgs, path: &Path, model: &ModelRequest, console: &Console) -> Result<(), Failure> {
    let stats = flags::of_sums(selected(files::read_statistics(path)?, &args.roles)?, &*model.learner()?)?;
    let name = model.entry.name;
    let Some(kind) = SumsModel::of_name(name) else {
        return Err(Failure::Usage(format!("{name} needs the rows themselves; statistics are enough for nb, lda and qda")));
    };
    if args.by == Criterion::Bits {
        return Err(Failure::Usage("cross-validated bits need rows; from statistics choose --by aic, bic, mdl or lr".into()));
    }
    let rows = stats.classes().effective_rows(stats.layout().weighting());
    let mut likelihoods = |subsets: &[Vec<usize>]| {
        let each = |subset: &Vec<usize>| match stats.select(subset).and_then(|narrow| likelihood_of_sums(&narrow, kind)) {
            Ok(fit) => Ok(Some(fit)),
            Err(error) if has_no_model(&error) => Ok(None),
            Err(error) => Err(error),
        };
        subsets.iter().map(each).collect::<LibraryResult<Vec<_>>>()
    };
    let (names, direction) = (stats.layout().names(), Direction::from(args.direction));
    let selection = match args.by {
        Criterion::Lr => select_by_tests(names.len(), direction, args.significance, &|_| true, &mut likelihoods)?,
        by => select_among(names.len(), direction, &|_| true, &mut |subsets| {
            Ok(likelihoods(subsets)?.into_iter().map(|fit| fit.map(|fit| by.value(&fit, rows))).collect())
        })?,
    };
    if selection.columns().is_empty() {
        let advice = "try another model or level".into();
        return Err(Error::from(ErrorKind::NoEstimate { what: "no column has to do with the classes".into(), advice }).into());
    }
    let learner = model.learner()?;
    let Step::Done(model) = learner.finish_any(&BoxedStats::new(stats.select(selection.columns())?))? else {
        return Err(Failure::Usage(format!("{name} needs the rows themselves; statistics are not enough")));
    };
    let mut data = statistics_card(&stats);
    data.title = format!("{}: statistics of {}", path.display(), notice::counted(stats.classes().total_rows(), "row"));
    data.tidy.truncate(0);
    let mut card = told(args, name, &selection, &names);
    let saved = args.output.as_ref().map(|output| files::save(output, &persist::save_model(&*model)?)).transpose()?;
    card.facts.extend(saved.iter().flat_map(|saved| saved.facts()));
    args.show(&[("data", &data), ("selection", &card)], console)?;
    console.note("statistics hold no rows to judge the choice on: the criterion of a chosen model flatters it");
    if let Some(saved) = saved {
        console.note(&format!("model → {saved}"));
    }
    Ok(())
}

/// The way of the search, and how many models it tried.
fn told(args: &SelectArgs, model: &str, selection: &Selection, names: &[String]) -> Card {
    let chosen: Vec<&str> = selection.columns().iter().map(|&j| names[j].as_str()).collect();
    let noun = if args.formula.is_some() { "terms" } else { "columns" };
    Card {
        title: format!("{} of {} {noun} for {model}", chosen.len(), names.len()),
        facts: vec![
            ("chosen".into(), chosen.join(", ").into()),
            ("models tried".into(), selection.tried.into()),
            ("criterion".into(), args.criterion_name().into()),
        ],
        tidy: steps(selection, names, if args.by == Criterion::Lr { "p_value" } else { "criterion" }),
        pictures: vec![picture::picture(args.by.unit(), selection, names)],
        ..Card::default()
    }
}

/// A step as people write it: `+ age`.
fn change(step: &SelectionStep, names: &[String]) -> String {
    step.column.map_or("start".to_owned(), |j| format!("{} {}", if step.added { "+" } else { "−" }, names[j]))
}

fn steps(selection: &Selection, names: &[String], criterion: &str) -> Table {
    let mut table = FixedTable::new("steps", ["step", "change", "columns", criterion]);
    for (at, step) in selection.steps.iter().enumerate() {
        let columns: Vec<&str> = step.columns.iter().map(|&j| names[j].as_str()).collect();
        table.push([at.into(), change(step, names).into(), columns.join(", ").into(), step.criterion.map_or(Cell::Empty, Cell::from)]);
    }
    table.into()
}

fn model_names() -> PossibleValuesParser {
    PossibleValuesParser::new(MODELS.iter().map(|entry| PossibleValue::new(entry.name).aliases(entry.aliases).help(entry.summary)))
}
