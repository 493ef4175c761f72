//! `oddsmith fit`: a model from a table, or from statistics that were gathered before.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use oddsmith::card::Card;
use oddsmith::control::Control;
use oddsmith::data::Formula;
use oddsmith::eval::LogLoss;
use oddsmith::model::linear::{Intervals, Logistic};
use oddsmith::model::{AnyLearner, BoxedStats, Classifier, Knobs, Learner, Step};
use oddsmith::registry::{self, Entry, MODELS};
use oddsmith::stats::TableStats;
use oddsmith::{Error, Notice, persist, train};
use oddsmith_io::{Input, Opened};
use oddsmith_report::Format;

use crate::commands::show;
use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files::{self, Saved};
use crate::options::{KnobArgs, ReadingArgs, RegressionArgs, RoleArgs, TextArgs, split_list};
use crate::progress::Progress;
use crate::regression;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith fit births.csv --target low                             naive Bayes, not saved
  oddsmith fit births.csv 'low ~ age + lwt + race + smoke'         logistic regression: odds ratios, intervals, p
  oddsmith fit births.csv 'low ~ age * smoke' --unit age=10        per ten years; interactions
  oddsmith fit births.csv 'low ~ .' --tests --json                 all columns; tests of the terms, for programs
  oddsmith fit births.csv --target low --model lda -o low.odds     another model, saved
  oddsmith fit births.csv --target low --features age,lwt,race     some columns
  oddsmith fit births.csv --target low --prior no=0.9,yes=0.1      known class shares
  oddsmith fit all.stats --model qda -o low.odds                   from statistics, without rows
  oddsmith fit spam.txt --model multinomial-nb -o spam.odds        lines of __label__spam words";

/// The model that formulas are for.
const REGRESSION: &str = "logistic";
/// The model that takes them too.
const ONE_VS_REST: &str = "one-vs-rest";

/// Arguments of `fit`.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// A table (CSV, TSV, Parquet, Arrow, __label__ lines; .gz and .zst too), a statistics file, or `-`.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// What to predict from what, such as 'low ~ age + C(race) * smoke + log(lwt)'; fits a logistic regression.
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,

    /// The model [default: nb, and logistic for a formula].
    #[arg(short, long, value_name = "MODEL", value_parser = model_names())]
    model: Option<String>,

    /// Where to save the model.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Fail, and save nothing, if there is anything to warn about.
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    part: PartArgs,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    knobs: KnobArgs,

    #[command(flatten)]
    regression: RegressionArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// One table in place of everything.
#[derive(Debug, Clone, Copy, Args)]
struct PartArgs {
    /// Only the table of parameters.
    #[arg(long, group = "part")]
    tidy: bool,

    /// Only one row about the whole model.
    #[arg(long, group = "part")]
    glance: bool,

    /// Only the tests of the terms of a regression.
    #[arg(long, group = "part")]
    tests: bool,

    /// Only the rows, with what a regression says about them: fitted probability, leverage, residuals …
    #[arg(long, group = "part")]
    augment: bool,
}

/// Fits, shows and saves.
pub(crate) fn run(args: &FitArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let formula = args.formula.as_deref().map(Formula::parse).transpose()?;
    let name = args.model.as_deref().unwrap_or(if formula.is_some() { REGRESSION } else { "nb" });
    let entry = registry::find(name)?;
    let input = Input::from_argument(&args.data);
    if let (Some(output), Input::Path(data)) = (&args.output, &input) {
        files::refuse_same(output, &[data])?;
    }
    let ours = matches!(&input, Input::Path(path) if files::is_ours(path));
    if entry.name == REGRESSION {
        return match ours {
            true => Err(needs_rounds(entry.name)),
            false => run_regression(args, formula, &input, console, control),
        };
    }
    let fitted = match &input {
        _ if entry.name == ONE_VS_REST && ours => return Err(needs_rounds(entry.name)),
        _ if entry.name == ONE_VS_REST => one_vs_rest(args, formula, entry, &input, console, control)?,
        Input::Path(path) if ours => {
            refuse_regression(args, formula.is_some(), entry.name)?;
            from_statistics(args, path, entry.name, &*(entry.build)(&args.knobs.knobs()?)?)?
        }
        _ => {
            refuse_regression(args, formula.is_some(), entry.name)?;
            let learner = (entry.build)(&args.knobs.knobs()?)?;
            let opened = {
                let _progress = Progress::start(console, control, "reading");
                oddsmith_io::open(&input, &args.reading.options(&args.text)?, &args.roles.roles(), control)?
            };
            from_table(args, &input.name(), &opened, &learner, console, control)?
        }
    };
    control.check()?;
    if args.part.tests || args.part.augment {
        return Err(Failure::Usage(format!(
            "--tests and --augment are for regressions (--model logistic, or a formula), not for {}",
            entry.name
        )));
    }
    gate(&fitted.notices(), args.strict, console)?;
    let saved = save(args, &*fitted.model)?;
    fitted.show(args.part, saved.as_ref(), console)
}

/// Regressions have a road of their own: a formula chooses the columns, and what is shown is about inference.
fn run_regression(
    args: &FitArgs,
    formula: Option<Formula>,
    input: &Input,
    console: &Console,
    control: &Arc<Control>,
) -> Result<(), Failure> {
    let mut asked = args.regression.regression(formula)?;
    asked.learner = Logistic::from_knobs(&Knobs { regression: Some(asked.learner), ..args.knobs.knobs()? })?;
    let request = regression::Request {
        input,
        options: args.reading.options(&args.text)?,
        roles: args.roles.roles(),
        regression: asked,
        threads: args.reading.threads,
    };
    let fitted = regression::fit(request, console, control)?;
    control.check()?;
    let notices: Vec<Notice> = fitted.data.notices.iter().chain(&fitted.card.notices).cloned().collect();
    gate(&notices, args.strict, console)?;
    let saved = save(args, &*fitted.model)?;
    let mut card = fitted.card.clone();
    if args.part.tidy {
        console.result(&card.tidy)?;
    } else if args.part.glance {
        console.result(&show::glance(&card))?;
    } else if args.part.tests {
        console.result(&regression::tests_table(&*fitted.model)?)?;
    } else if args.part.augment {
        regression::augment_fit(&fitted, console, control)?;
    } else {
        card.facts.extend(saved.iter().flat_map(|saved| saved.facts()));
        regression::show(&card, &[("data", &fitted.data)], console)?;
    }
    console.notices(&notices);
    tell_where(saved.as_ref(), console);
    Ok(())
}

/// What only regressions understand.
fn refuse_regression(args: &FitArgs, has_formula: bool, model: &str) -> Result<(), Failure> {
    if has_formula {
        return Err(Failure::Usage(format!("a formula is for regressions; {model} takes --target and --features")));
    }
    match args.regression.given() {
        Some(flag) => Err(Failure::Usage(format!("{flag} is for regressions (--model logistic, or a formula), not for {model}"))),
        None => Ok(()),
    }
}

fn save(args: &FitArgs, model: &dyn Classifier) -> Result<Option<Saved>, Failure> {
    args.output.as_ref().map(|output| files::save(output, &persist::save_model(model)?)).transpose()
}

fn tell_where(saved: Option<&Saved>, console: &Console) {
    match saved {
        Some(saved) => console.note(&format!("model → {saved}")),
        None => console.note("the model was not saved; -o FILE keeps it"),
    }
}

/// With `--strict`, a notice is a failure.
fn gate(notices: &[Notice], strict: bool, console: &Console) -> Result<(), Failure> {
    if !strict || notices.is_empty() {
        return Ok(());
    }
    console.notices(notices);
    Err(Failure::strict(notices))
}

fn needs_rows(model: &str) -> Failure {
    Failure::Usage(format!("{model} with these knobs needs the rows themselves; statistics are not enough"))
}

fn needs_rounds(model: &str) -> Failure {
    let what = "takes several passes over the rows; statistics of one pass are not enough";
    Failure::Usage(format!("{model} {what} (`oddsmith rounds` fits it to rows that stay where they are)"))
}

/// A model and what it was learned from.
struct Fitted {
    model: Box<dyn Classifier>,
    data: Card,
    card: Card,
}

impl Fitted {
    fn notices(&self) -> Vec<Notice> {
        self.data.notices.iter().chain(&self.card.notices).cloned().collect()
    }

    fn show(&self, part: PartArgs, saved: Option<&Saved>, console: &Console) -> Result<(), Failure> {
        if part.tidy {
            console.result(&self.card.tidy)?;
        } else if part.glance {
            console.result(&show::glance(&self.card))?;
        } else {
            self.show_whole(saved, console)?;
        }
        console.notices(&self.notices());
        tell_where(saved, console);
        Ok(())
    }

    fn show_whole(&self, saved: Option<&Saved>, console: &Console) -> Result<(), Failure> {
        let mut data = self.data.clone();
        let mut card = self.card.clone();
        match console.format() {
            // At a terminal the names of the columns by kind are enough, and the file is named below.
            Format::Table => data.tidy.rows.clear(),
            _ => card.facts.extend(saved.iter().flat_map(|saved| saved.facts())),
        }
        let cards: &[(&str, &Card)] = &[("data", &data), ("model", &card)];
        console.result(cards)
    }
}

/// One regression per class: the columns come from a formula, and each fit has Wald intervals unless others are asked for.
fn one_vs_rest(
    args: &FitArgs,
    formula: Option<Formula>,
    entry: &Entry,
    input: &Input,
    console: &Console,
    control: &Arc<Control>,
) -> Result<Fitted, Failure> {
    let mut asked = args.regression.regression(formula)?;
    if asked.learner.cluster.is_some() || asked.learner.shares.is_some() {
        return Err(Failure::Usage(format!("--cluster and --shares are for --model {REGRESSION}, not for {}", entry.name)));
    }
    if !asked.intervals_chosen {
        asked.learner.precision = asked.learner.precision.min(Intervals::Wald);
    }
    asked.learner.tests = false;
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        regression::open(input, args.reading.options(&args.text)?, args.roles.roles(), &mut asked, control)?
    };
    let learner = (entry.build)(&Knobs { regression: Some(asked.learner), ..args.knobs.knobs()? })?;
    from_table(args, &input.name(), &opened, &learner, console, control)
}

fn from_table(
    args: &FitArgs,
    name: &str,
    opened: &Opened,
    learner: &impl Learner<Model = Box<dyn Classifier>>,
    console: &Console,
    control: &Arc<Control>,
) -> Result<Fitted, Failure> {
    files::need_target(opened)?;
    let in_table = |error: Error| error.in_table(name);
    let fitted = {
        let _progress = Progress::start(console, control, "fitting");
        train::fit(learner, &*opened.source, args.reading.threads, control).map_err(in_table)?
    };
    let loss = {
        let _progress = Progress::start(console, control, "judging");
        let judging = train::Evaluator::new(&*fitted.model, LogLoss::new(opened.layout().classes().len(), opened.layout().weighting()));
        train::pass(&*opened.source, &judging, args.reading.threads, control).map_err(in_table)?.into_sums()
    };
    if console.verbose() {
        console.note(&format!("{} passes over {} rows", fitted.passes, opened.rows));
        let joint = train::JointLoss::new(&*fitted.model);
        let joint = joint.map(|empty| train::pass(&*opened.source, &empty, args.reading.threads, control)).transpose().map_err(in_table)?;
        if let Some(nats) = joint.and_then(|joint| joint.nats()) {
            console.note(&format!("joint negative log likelihood {nats} nats per row"));
        }
    }
    let mut card = fitted.model.card();
    // Without smoothing a row may be impossible in its class: the loss is infinite then.
    card.facts.push(("bits per row".into(), loss.bits().map_or(f64::INFINITY, |bits| bits.value).into()));
    card.facts.extend(loss.base_rate_bits().ok().map(|bits| ("bits of class shares".into(), bits.into())));
    Ok(Fitted { data: data_card(name, opened), card, model: fitted.model })
}

fn from_statistics(args: &FitArgs, path: &Path, model: &str, learner: &dyn AnyLearner) -> Result<Fitted, Failure> {
    let stats = selected(files::read_statistics(path)?, &args.roles)?;
    let mut data = show::statistics_card(&stats);
    data.title = format!("{}: statistics of {} rows", path.display(), stats.classes().total_rows());
    let layout = Arc::clone(stats.layout());
    learner.begin_any(&layout)?;
    match learner.finish_any(&BoxedStats::new(stats))? {
        Step::Done(model) => Ok(Fitted { card: model.card(), data, model }),
        Step::Again(_) => Err(needs_rows(model)),
    }
}

/// The statistics seen through the columns that were asked for.
pub(crate) fn selected(stats: TableStats, roles: &RoleArgs) -> Result<TableStats, Failure> {
    let layout = Arc::clone(stats.layout());
    if let Some(target) = roles.target.as_deref().filter(|target| *target != layout.target()) {
        return Err(Failure::Usage(format!("the statistics were gathered for target `{}`, not `{target}`", layout.target())));
    }
    let indices =
        |lists: &[String]| lists.iter().flat_map(|list| split_list(list)).map(|name| layout.index(&name)).collect::<Result<Vec<_>, _>>();
    let chosen = indices(&roles.features)?;
    let excluded = indices(&roles.exclude)?;
    if chosen.is_empty() && excluded.is_empty() {
        return Ok(stats);
    }
    let all = if chosen.is_empty() { (0..layout.features().len()).collect() } else { chosen };
    let kept: Vec<usize> = all.into_iter().filter(|j| !excluded.contains(j)).collect();
    Ok(stats.select(&kept)?)
}

fn model_names() -> PossibleValuesParser {
    PossibleValuesParser::new(MODELS.iter().map(|entry| PossibleValue::new(entry.name).aliases(entry.aliases).help(entry.summary)))
}
