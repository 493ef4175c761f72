//! `oddsmith fit`: a model from a table, or from statistics that were gathered before.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use oddsmith::card::{Card, Cell};
use oddsmith::control::Control;
use oddsmith::data::{Formula, Role, Source};
use oddsmith::model::{AnyLearner, AnyProcedure, BoxedStats, Classifier, Conclusion, PassInfo, Step};
use oddsmith::registry::{self, AnalysisEntry, MODELS};
use oddsmith::stats::TableStats;
use oddsmith::train::Trace;
use oddsmith::{Error, Notice, persist, train};
use oddsmith_io::Input;

use crate::analysing;
use crate::by;
use crate::commands::show;
use crate::console::Console;
use crate::exit::Failure;
use crate::files::{self, Saved};
use crate::fitting::{self, FitRequest, FittedTable, ModelRequest};
use crate::flags;
use crate::labels;
use crate::options::{ParamArgs, ReadingArgs, RoleArgs, TextArgs, new_file, split_list};
use crate::plot;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith fit births.csv 'low ~ age + lwt + race + smoke' -o low.odds  # odds ratios
  oddsmith fit births.csv 'low ~ age * smoke' --unit age=10        # per ten years; interactions
  oddsmith fit births.csv 'low ~ . - bwt' --tests --json           # tests of the terms
  oddsmith fit births.csv 'low ~ age' --by smoke --where 'lwt > 90'  # by level, of some rows
  oddsmith fit births.csv 'low ~ smoke' --trace --start smoke=0    # the search, step by step
  oddsmith fit births.csv --target low --features age,lwt,race -o nb.odds  # naive Bayes
  oddsmith fit births.csv --target low --features age,lwt --prior no=0.9,yes=0.1
  oddsmith fit iris.csv --target Species --model qda -o iris.odds  # another model
  oddsmith fit all.stats --model qda --features age,lwt -o qda.odds  # without rows
  oddsmith fit spam.txt --model multinomial-nb -o spam.odds        # lines of __label__spam words";

/// Arguments of `fit`.
#[derive(Debug, Clone, Args)]
pub(crate) struct FitArgs {
    /// A table (CSV, TSV, Parquet, Arrow, Excel, __label__ lines; .gz and .zst too), a statistics file, or `-`.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// What to predict from what, such as 'low ~ age + C(race) * smoke + log(lwt)'; fits a logistic regression.
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,

    /// The model [default: naive Bayes, and logistic regression for a formula].
    #[arg(short, long, value_name = "MODEL", value_parser = model_names())]
    model: Option<String>,

    /// Where to save the model.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: Option<PathBuf>,

    /// Fit one model for every level of this column; every table gets it as its first column.
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["output", "augment"])]
    by: Option<String>,

    /// Fail, and save nothing, if there is anything to warn about.
    #[arg(long)]
    strict: bool,

    /// Also how many bits tell the classes in two parts, the model and the classes by it, beside codes without columns.
    #[arg(long, conflicts_with_all = ["augment", "tests"])]
    mdl: bool,

    /// Beside every odds ratio of a regression that of its term alone, on the same rows.
    #[arg(long)]
    crude: bool,

    /// What columns and levels are called in tables for people: lines of name,label or name,label,level,label.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// Also the effects of this column in risk: standardised risks, their difference and ratio, marginal odds ratio, mean effects.
    #[arg(long, value_name = "COLUMN", conflicts_with = "augment")]
    effects: Option<String>,

    /// The effects within the levels of this column as well.
    #[arg(long, value_name = "COLUMN", requires = "effects")]
    within: Option<String>,

    /// Draw a picture of the fit in place of tables: forest of a regression, tree of a decision tree, or one over the rows of the fit: boundary, density,
    /// sigmoid, columns, nomogram, landscape, residuals, influence.
    #[arg(long, value_name = "PICTURE", conflicts_with_all = ["augment", "effects", "by"], group = "part")]
    plot: Option<String>,

    #[command(flatten)]
    part: PartArgs,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    params: ParamArgs,

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

    /// Only the steps of the search: every parameter, the loss and its gradient, from the start to the end.
    #[arg(long, group = "part")]
    trace: bool,

    /// Only the rows, with what a regression says about them: fitted probability, leverage, residuals …
    #[arg(long, group = "part")]
    augment: bool,
}

/// Fits, shows and saves.
pub(crate) fn run(args: &FitArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let formula = args.formula.as_deref().map(Formula::parse).transpose()?;
    if let Some(entry) = fitted_analysis(args.model.as_deref(), formula.as_ref(), &args.params) {
        return fit_analysis(args, entry, formula, console, control);
    }
    let entry = match &args.model {
        Some(name) => registry::find(name)?,
        None => registry::default_for(formula.is_some()),
    };
    let dotted = formula.as_ref().is_none_or(Formula::has_dot);
    let model = ModelRequest::new(entry, args.params.of(entry)?, formula)?;
    if args.part.trace && !model.learner()?.searches_any() {
        return Err(Failure::Usage(untraced(entry.name)));
    }
    let input = Input::from_argument(&args.data);
    if let (Some(output), Input::Path(data)) = (&args.output, &input) {
        files::refuse_same(output, &[data])?;
    }
    if let Input::Path(path) = &input
        && files::is_ours(path)
    {
        if args.by.is_some() {
            return Err(Failure::Usage("--by needs the rows, and statistics hold none".into()));
        }
        return run_on_statistics(args, path, &model, console, control);
    }
    if let Some(column) = &args.by {
        let input = fitting::kept_for_rereading(input)?;
        let levels = by::levels(column, &input, &args.reading.options(&args.text)?, console, control)?;
        return by::each_level(column, &levels, console, &mut |only, console| {
            let mut each = FitArgs { reading: args.reading.only(only)?, ..args.clone() };
            // Within a level the column is the same in every row.
            if dotted && each.roles.features.is_empty() {
                each.roles.exclude.push(column.clone());
            }
            let formula = each.formula.as_deref().map(Formula::parse).transpose()?;
            fit_table(&each, &input, ModelRequest::new(entry, each.params.of(entry)?, formula)?, console, control)
        });
    }
    fit_table(args, &input, model, console, control)
}

/// The model of the rows of a table.
fn fit_table(args: &FitArgs, input: &Input, model: ModelRequest, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    // Rows are written with the numbers that they have in the table, which the fit does not keep.
    let input = if args.part.augment { fitting::kept_for_rereading(input.clone())? } else { input.clone() };
    let entry = model.entry;
    let request = FitRequest {
        input: &input,
        options: args.reading.options(&args.text)?,
        roles: args.roles.roles()?,
        model,
        threads: args.reading.threads,
        crude: args.crude,
        trace: args.part.trace,
    };
    let mut fitted = fitting::fit(request, console, control)?;
    control.check()?;
    if args.mdl {
        add_length(args, &mut fitted, control).map_err(|error| error.in_table(&input.name()))?;
    }
    if let Some(labels) = &args.labels {
        labels::read(labels)?.apply(&mut fitted.card);
    }
    let notices: Vec<Notice> = fitted.data.notices.iter().chain(&fitted.card.notices).cloned().collect();
    gate(&notices, args.strict, console)?;
    let tests = if args.part.tests { Some(fitting::tests_table(&*fitted.model)?) } else { None };
    if args.part.augment && fitted.model.inference().is_none() {
        return Err(Failure::Usage(format!(
            "--augment is for models that know the errors of their estimates, and {} does not",
            entry.name
        )));
    }
    let effects = args.effects.as_deref().map(|column| effects(args, column, &fitted, control)).transpose()?;
    let drawn = |name: &String| fitting::picture(name, &fitted, &input.name(), args.reading.threads, control);
    let picture = args.plot.as_ref().map(drawn).transpose()?;
    let saved = save(args, &*fitted.model)?;
    if let Some(picture) = &picture {
        plot::show(picture, console)?;
    } else if let Some(effects) = &effects {
        show_effects(args.part, &fitted, effects, saved.as_ref(), console)?;
    } else if let Some(table) = tests.or(fitted.trace) {
        console.result(&table)?;
    } else if args.part.augment {
        let options = args.reading.options(&args.text)?;
        fitting::augment(&*fitted.model, &input, &options, fitting::Telling::Nothing, console, control)?;
    } else {
        show_part(args.part, &fitted.data, &fitted.card, saved.as_ref(), console)?;
    }
    flags::tell(&fitted.opened, console);
    console.notices(&notices);
    if args.by.is_none() {
        tell_where(saved.as_ref(), console);
    }
    Ok(())
}

/// How long a description of the classes is, as a further table and as facts.
fn add_length(args: &FitArgs, fitted: &mut FittedTable, control: &Control) -> Result<(), Error> {
    let length = train::description_length(&*fitted.model, &*fitted.opened.source, 1, args.reading.threads, control)?;
    let facts = [
        ("data bits", length.parts.data),
        ("model bits", length.parts.model),
        ("description length bits", length.parts.total()),
        ("bits without columns", length.base_bits),
    ];
    fitted.card.facts.extend(facts.map(|(name, bits)| (name.to_owned(), Cell::from(bits))));
    if let Some(summary) = &mut fitted.card.summary {
        let (data, model, total) = (length.parts.data, length.parts.model, length.parts.total());
        summary.footnotes.push(format!(
            "{total:.1} bits tell the classes: {model:.1} the model and {data:.1} the classes by it; {:.1} without columns",
            length.base_bits
        ));
    }
    fitted.card.tables.push(length.table());
    Ok(())
}

/// Effects of a column in risk, over the rows of the fit.
fn effects(args: &FitArgs, column: &str, fitted: &FittedTable, control: &Control) -> Result<Box<Card>, Failure> {
    let Some(inference) = fitted.model.inference() else {
        return Err(Failure::Usage(format!("--effects is for regressions, and {} is none", fitted.card.title)));
    };
    let level = args.params.number("level").unwrap_or(0.95);
    let procedure = inference.effects(column, args.within.as_deref(), level)?;
    let source = &*fitted.opened.source;
    let narrowed = fitting::own_columns(source, &*fitted.model)?;
    let source: &dyn Source = narrowed.as_ref().map_or(source as &dyn Source, |narrowed| narrowed);
    match train::conclude(&procedure, source, args.reading.threads, control)?.model {
        Conclusion::Card(card) => Ok(card),
        Conclusion::Model(_) => Err(Error::internal("effects ended in a model").into()),
    }
}

/// The effects behind the model, or alone where a table of parameters was asked for.
fn show_effects(part: PartArgs, fitted: &FittedTable, effects: &Card, saved: Option<&Saved>, console: &Console) -> Result<(), Failure> {
    if part.tidy {
        return console.result(&effects.tidy);
    }
    let (mut data, mut card) = (fitted.data.clone(), fitted.card.clone());
    match console.format() {
        format if format.is_for_people() => data.tidy.truncate(0),
        _ => card.facts.extend(saved.iter().flat_map(|saved| saved.facts())),
    }
    fitting::show(effects, &[("data", &data), ("fit", &card)], console)
}

/// The analysis that is asked for as a model: by its name, or by strata in a formula or beside it, which are for one that compares rows within them.
pub(crate) fn fitted_analysis(model: Option<&str>, formula: Option<&Formula>, params: &ParamArgs) -> Option<&'static AnalysisEntry> {
    let strata = Role::Stratum.option();
    let within = |entry: &&AnalysisEntry| entry.params.iter().any(|param| param.is_called(strata));
    let in_formula = || formula.is_some_and(|formula| formula.keys().iter().any(|(role, _)| *role == Role::Stratum));
    match model {
        Some(name) => registry::fitted_analyses().find(|entry| entry.is_called(name)),
        None if params.has(strata) || in_formula() => registry::fitted_analyses().find(within),
        None => None,
    }
}

/// An analysis that is fitted as models are and ends in an account of effects: there is nothing to save and no row to predict.
fn fit_analysis(
    args: &FitArgs,
    entry: &AnalysisEntry,
    formula: Option<Formula>,
    console: &Console,
    control: &Arc<Control>,
) -> Result<(), Failure> {
    if args.output.is_some() || args.part.augment || args.crude || args.mdl || args.by.is_some() || args.effects.is_some() {
        let what = "new rows have no probabilities of their own, so there is no model to save; -o, --augment, --crude, --mdl, --effects and --by are not for it";
        return Err(Failure::Usage(format!("{} tells effects: {what}", entry.name)));
    }
    let procedure = (entry.build)(&args.params.of_analysis(entry)?.with_formula(formula)?)?;
    let input = files::table(&args.data)?;
    let reading = (args.reading.options(&args.text)?, args.roles.roles()?);
    if args.part.trace {
        return trace_analysis(args, entry.name, procedure, console, control);
    }
    let mut analysed = analysing::analyse(procedure, &input, reading, args.reading.threads, console, control)?;
    if let Some(labels) = &args.labels {
        labels::read(labels)?.apply(&mut analysed.card);
    }
    let (data, card) = (&analysed.data, &analysed.card);
    let notices: Vec<Notice> = data.notices.iter().chain(&card.notices).cloned().collect();
    gate(&notices, args.strict, console)?;
    match (args.part.tests, card.tables.first()) {
        _ if args.plot.is_some() => plot::show(plot::of_card(card, args.plot.as_deref().unwrap_or("forest"))?, console)?,
        (true, Some(tests)) => console.result(tests)?,
        _ => show_part(args.part, data, card, None, console)?,
    }
    console.notices(&notices);
    Ok(())
}

/// The steps of the search of an analysis, those of one without an end included.
fn trace_analysis(
    args: &FitArgs,
    name: &str,
    procedure: Box<dyn AnyProcedure>,
    console: &Console,
    control: &Arc<Control>,
) -> Result<(), Failure> {
    if !procedure.searches_any() {
        return Err(Failure::Usage(untraced(name)));
    }
    let reading = (args.reading.options(&args.text)?, args.roles.roles()?);
    let (input, mut trace) = (files::table(&args.data)?, Trace::default());
    let ended = analysing::analyse_watched(procedure, &input, reading, args.reading.threads, (console, control), Some(&mut trace));
    if ended.is_ok() || !trace.is_empty() {
        console.result(&trace.table())?;
    }
    ended.map(|analysed| console.notices(&analysed.card.notices))
}

/// The model of statistics that were gathered before.
fn run_on_statistics(args: &FitArgs, path: &Path, model: &ModelRequest, console: &Console, control: &Control) -> Result<(), Failure> {
    if !model.entry.one_pass {
        return Err(needs_rounds(model.entry.name));
    }
    let (data, fitted) = from_statistics(args, path, model.entry.name, &*model.learner()?)?;
    control.check()?;
    if args.part.tests || args.part.augment || args.crude || args.mdl {
        return Err(Failure::Usage("--tests, --augment, --crude and --mdl need the rows, and statistics hold none".into()));
    }
    let card = fitted.card();
    let notices: Vec<Notice> = data.notices.iter().chain(&card.notices).cloned().collect();
    gate(&notices, args.strict, console)?;
    let picture = args.plot.as_deref().map(|name| fitting::without_rows(name, &*fitted, &card)).transpose()?;
    let saved = save(args, &*fitted)?;
    match picture {
        Some(picture) => plot::show(&picture, console)?,
        None => show_part(args.part, &data, &card, saved.as_ref(), console)?,
    }
    console.notices(&notices);
    tell_where(saved.as_ref(), console);
    Ok(())
}

/// The whole card, or the part that was asked for.
fn show_part(part: PartArgs, data: &Card, card: &Card, saved: Option<&Saved>, console: &Console) -> Result<(), Failure> {
    if part.tidy {
        return console.result(&card.tidy);
    }
    if part.glance {
        return console.result(&show::glance(card));
    }
    let (mut data, mut card) = (data.clone(), card.clone());
    match console.format() {
        // At a terminal the names of the columns by kind are enough, and the file is named below.
        format if format.is_for_people() => data.tidy.truncate(0),
        _ => card.facts.extend(saved.iter().flat_map(|saved| saved.facts())),
    }
    fitting::show(&card, &[("data", &data)], console)
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
    if !strict || !notices.iter().any(Notice::is_warning) {
        return Ok(());
    }
    console.notices(notices);
    Err(Failure::strict(notices))
}

/// Why a model has no steps to tell, and which ones have.
fn untraced(model: &str) -> String {
    let searched = |entry: &&registry::Entry| entry.learner().is_ok_and(|learner| learner.searches_any());
    let analyses = registry::fitted_analyses().filter(|entry| (entry.build)(&entry.defaults()).is_ok_and(|found| found.searches_any()));
    let others: Vec<&str> = MODELS.iter().filter(searched).map(|entry| entry.name).chain(analyses.map(|entry| entry.name)).collect();
    format!("{model} finds its parameters without a search, so there are no steps to trace; --trace is for {}", others.join(", "))
}

fn needs_rows(model: &str) -> Failure {
    Failure::Usage(format!("{model} with these options needs the rows themselves; statistics are not enough"))
}

fn needs_rounds(model: &str) -> Failure {
    let what = "takes several passes over the rows; statistics of one pass are not enough";
    Failure::Usage(format!("{model} {what} (`oddsmith rounds` fits it to rows that stay where they are)"))
}

fn from_statistics(args: &FitArgs, path: &Path, model: &str, learner: &dyn AnyLearner) -> Result<(Card, Box<dyn Classifier>), Failure> {
    let stats = flags::of_sums(selected(files::read_statistics(path)?, &args.roles)?, learner)?;
    let mut data = show::statistics_card(&stats);
    data.title = format!("{}: statistics of {}", path.display(), oddsmith::notice::counted(stats.classes().total_rows(), "row"));
    let layout = Arc::clone(stats.layout());
    learner.begin_any(&layout, &PassInfo::default())?;
    match learner.finish_any(&BoxedStats::new(stats))? {
        Step::Done(model) => Ok((data, model)),
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
    let order = roles.order.order()?;
    let stats = if order.is_empty() { stats } else { stats.project(Arc::new(order.applied(stats.layout())?))? };
    if chosen.is_empty() && excluded.is_empty() {
        return Ok(stats);
    }
    let all = if chosen.is_empty() { (0..layout.features().len()).collect() } else { chosen };
    let kept: Vec<usize> = all.into_iter().filter(|j| !excluded.contains(j)).collect();
    Ok(stats.select(&kept)?)
}

/// Names that `fit` knows.
pub(crate) fn model_names() -> PossibleValuesParser {
    let models = MODELS.iter().map(|entry| PossibleValue::new(entry.name).aliases(entry.aliases).help(entry.summary));
    let analyses = registry::fitted_analyses().map(|entry| PossibleValue::new(entry.name).aliases(entry.aliases).help(entry.summary));
    PossibleValuesParser::new(models.chain(analyses))
}
