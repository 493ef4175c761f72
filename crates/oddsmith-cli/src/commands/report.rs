//! `oddsmith report`: everything about a model in one HTML file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;
use oddsmith::data::{Formula, Source, Weighting};
use oddsmith::eval::{EvalSettings, Evaluation};
use oddsmith::model::{AnyLearner, Classifier, Scale};
use oddsmith::registry;
use oddsmith::train::findings::{Findings, Judged, JudgedOn, NoRows, SourceRows, SumRows};
use oddsmith::train::pictures::curve_picture;
use oddsmith::train::{self, Candidate, Comparison, CrossValidation, FoldSpec, RowCount, RowShare, SharedSums};
use oddsmith::{Error, ErrorKind, Notice};
use oddsmith_io::Input;
use oddsmith_report::{About, report_page};

use crate::commands::fit::model_names;
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::fitting::{self, FitRequest, ModelRequest};
use crate::labelled_table::{LabelledTable, TableRows};
use crate::options::{ParamArgs, ReadingArgs, RoleArgs, TextArgs, new_file};
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith report births.csv 'low ~ age + race + smoke' -o report.html  # fits and cross-validates
  oddsmith report low.odds new.csv -o report.html           # a model on rows that it has not seen
  oddsmith report low.odds new.csv --no-rows -o report.html  # nothing that shows a single row
  oddsmith report iris.csv --target Species --model qda -o iris.html";

/// Rows from which learning curves are left to `compare`, because models of several passes are refitted for each of their points.
const MANY_ROWS: u64 = 20_000;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// A model file, or a table that a model is fitted to.
    #[arg(value_name = "FILE")]
    file: OsString,

    /// For a model, a table with its columns and its target; for a table, a formula.
    #[arg(value_name = "DATA or FORMULA")]
    second: Option<OsString>,

    /// Where to write the page.
    #[arg(short, long, value_name = "FILE", required = true, value_parser = new_file())]
    output: PathBuf,

    /// The model that is fitted [default: naive Bayes, and logistic regression for a formula].
    #[arg(short, long, value_name = "MODEL", value_parser = model_names())]
    model: Option<String>,

    /// Leave out every picture and number that shows a single row.
    #[arg(long)]
    no_rows: bool,

    /// Folds of the cross-validation that judges a model which is fitted here.
    #[arg(long, visible_alias = "cv", value_name = "N", default_value_t = 10)]
    folds: usize,

    /// Start of the random numbers that split rows into folds.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    params: ParamArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Gathers and writes.
pub(crate) fn run(args: &ReportArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let path = Path::new(&args.file);
    files::refuse_same(&args.output, &[path])?;
    let (findings, about) = match files::is_ours(path) {
        true => of_model(args, path, console, control)?,
        false => of_table(args, console, control)?,
    };
    control.check()?;
    let page = report_page(&findings, &about);
    let saved = files::save(&args.output, page.as_bytes())?;
    console.notices(&about.notices);
    console.note(&format!("report → {saved}"));
    Ok(())
}

/// How scores of a model are judged.
fn settings(model: &dyn Classifier, weighting: Weighting, memory: u64) -> EvalSettings {
    EvalSettings {
        decision: model.decision(),
        weighting,
        memory: usize::try_from(memory / 2).unwrap_or(usize::MAX),
        margins: model.scale() == Scale::Margin,
        ..EvalSettings::default()
    }
}

/// A model that was fitted before, on the rows of a table or without any.
fn of_model(args: &ReportArgs, path: &Path, console: &Console, control: &Arc<Control>) -> Result<(Findings, About), Failure> {
    if args.model.is_some() || args.roles.is_given() {
        return Err(Failure::Usage(
            "a model knows its target and columns; --model, --target, --features and the like are for a table".into(),
        ));
    }
    let model = files::read_model(path)?;
    let mut checksums = vec![(path.display().to_string(), checksum(path)?)];
    let Some(data) = &args.second else {
        let findings = Findings::gather(&*model, &NoRows, None, args.no_rows)?;
        return Ok((findings, about(args, "no table".into(), checksums, None, Vec::new())));
    };
    let input = fitting::kept_for_rereading(files::table(data)?)?;
    files::refuse_same(&args.output, &[Path::new(data)])?;
    let options = args.reading.options(&args.text)?;
    let _progress = Progress::start(console, control, "judging");
    let weight = args.roles.weights.weight();
    let table = || LabelledTable { input: &input, options: &options, weight: weight.as_ref().map(|(column, _)| column.clone()) };
    let classes = model.layout().classes().len();
    let weighting = weight.as_ref().map_or(Weighting::None, |(_, kind)| *kind);
    let empty = Evaluation::new(classes, train::score_scale(classes), settings(&*model, weighting, options.memory));
    let rows = TableRows { table: table(), model: &*model, threads: args.reading.threads, control };
    let named = |error: Error| error.in_table(&input.name());
    let share = RowShare::judged_of(&*model, || Ok(rows.sum(&RowCount::default())?.rows)).map_err(named)?;
    let empty = SharedSums::new(share, train::Evaluator::new(&*model, empty));
    let (sums, notices) = table().sum(&*model, &empty, args.reading.threads, control)?;
    let (sampled, on) = (sums.sampled(), JudgedOn::Table(input.name()));
    let judged = Judged { evaluation: sums.into_sums().into_sums(), on, sampled };
    let findings = Findings::gather(&*model, &rows, Some(judged), args.no_rows).map_err(named)?;
    if let Input::Path(path) = &input {
        checksums.push((path.display().to_string(), checksum(path)?));
    }
    Ok((findings, about(args, input.name(), checksums, None, notices)))
}

/// A model that is fitted here, and judged by cross-validation.
fn of_table(args: &ReportArgs, console: &Console, control: &Arc<Control>) -> Result<(Findings, About), Failure> {
    let text = args.second.as_ref().map(|text| text.to_str().ok_or_else(|| Failure::Usage("the formula is no text".into()))).transpose()?;
    let formula = text.map(Formula::parse).transpose()?;
    let entry = match &args.model {
        Some(name) => registry::find(name)?,
        None => registry::default_for(formula.is_some()),
    };
    let input = fitting::kept_for_rereading(files::table(&args.file)?)?;
    let options = args.reading.options(&args.text)?;
    let memory = options.memory;
    let request = || -> Result<ModelRequest, Failure> { ModelRequest::new(entry, args.params.of(entry)?, formula.clone()) };
    let fitted = fitting::fit(
        FitRequest {
            input: &input,
            options,
            roles: args.roles.roles()?,
            model: request()?,
            threads: args.reading.threads,
            crude: false,
            trace: false,
        },
        console,
        control,
    )?;
    let mut model = request()?;
    model.chosen_columns(args.roles.roles()?)?;
    model.params = model.params.without_inference();
    let learner = model.learner()?;
    let source = &*fitted.opened.source;
    let counted = learner.needs_any()?.response.is_some();
    let (judged, trouble) = match counted {
        true => (None, None),
        false => {
            let share = RowShare::judged_of(&*fitted.model, || Ok(fitted.opened.rows))?;
            let (judged, trouble) = judged(args, &*fitted.model, &*learner, (source, share), memory, console, control)?;
            (Some(judged), trouble)
        }
    };
    let narrowed = fitting::own_columns(source, &*fitted.model)?;
    let own: &dyn Source = narrowed.as_ref().map_or(source as &dyn Source, |narrowed| narrowed);
    let findings = {
        let _progress = Progress::start(console, control, "drawing");
        let rows = SourceRows { source: own, threads: args.reading.threads, control };
        Findings::gather(&*fitted.model, &rows, judged, args.no_rows).map_err(|error| error.in_table(&input.name()))?
    };
    let learning = match (counted, fitted.opened.rows > MANY_ROWS && !entry.one_pass) {
        (true, _) => Err("the target has no labels".to_owned()),
        (_, true) => Err(format!("more than {MANY_ROWS} rows; `oddsmith compare --plot learning` draws it")),
        _ => learning(args, entry.name, learner, source, memory, &findings, console, control),
    };
    let mut notices: Vec<Notice> = fitted.data.notices.clone();
    notices.extend(trouble.map(|why| Notice::new(oddsmith::notice::NOT_CROSS_VALIDATED, why)));
    let checksums = match &input {
        Input::Path(path) => vec![(path.display().to_string(), checksum(path)?)],
        _ => Vec::new(),
    };
    Ok((findings, about(args, input.name(), checksums, Some(learning), notices)))
}

/// Out-of-fold rows judged, or a share of them; where a fold has no model, the rows of the fit, and why.
fn judged(
    args: &ReportArgs,
    model: &dyn Classifier,
    learner: &dyn AnyLearner,
    (source, share): (&dyn Source, RowShare),
    memory: u64,
    console: &Console,
    control: &Arc<Control>,
) -> Result<(Judged, Option<String>), Failure> {
    let _progress = Progress::start(console, control, "cross-validating");
    let settings = settings(model, source.layout().weighting(), memory);
    let spec = FoldSpec { folds: args.folds, seed: args.seed, groups: None };
    let out_of_fold = || -> oddsmith::Result<Judged> {
        let folds = CrossValidation::new(source, spec, args.reading.threads, control)?;
        let tables = folds.gather(&[learner])?;
        let models = folds.models(learner, tables.as_ref())?;
        let [table] = &folds.out_of_fold_shared(&[models], share)?[..] else {
            return Err(Error::internal("one learner has one table of scores"));
        };
        let sampled = (!share.is_all()).then(|| table.counted());
        Ok(Judged { evaluation: table.evaluated(settings.clone())?, on: JudgedOn::Folds { folds: args.folds, seed: args.seed }, sampled })
    };
    match out_of_fold() {
        Ok(judged) => Ok((judged, None)),
        Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => Err(error.into()),
        Err(error) => {
            let classes = model.layout().classes().len();
            let empty = Evaluation::new(classes, train::score_scale(classes), settings);
            let narrowed = fitting::own_columns(source, model)?;
            let own: &dyn Source = narrowed.as_ref().map_or(source, |narrowed| narrowed);
            let empty = SharedSums::new(share, train::Evaluator::new(model, empty));
            let sums = train::pass(own, &empty, args.reading.threads, control)?;
            let why = format!("the model was judged on its own rows, because a model of some folds could not be fitted: {error}");
            let sampled = sums.sampled();
            Ok((Judged { evaluation: sums.into_sums().into_sums(), on: JudgedOn::OwnRows, sampled }, Some(why)))
        }
    }
}

/// The learning curve of the model, or why there is none.
#[allow(clippy::too_many_arguments)] // What a comparison is made of.
fn learning(
    args: &ReportArgs,
    name: &str,
    learner: Box<dyn AnyLearner>,
    source: &dyn Source,
    memory: u64,
    findings: &Findings,
    console: &Console,
    control: &Arc<Control>,
) -> Result<oddsmith::card::Picture, String> {
    let _progress = Progress::start(console, control, "learning curve");
    let candidates = [Candidate { name: name.to_owned(), learner }];
    let comparison = Comparison {
        source,
        candidates: &candidates,
        folds: args.folds.min(5),
        repeats: 1,
        seed: args.seed,
        groups: None,
        memory,
        threads: args.reading.threads,
        control,
    };
    let points = comparison.curve().map_err(|error| error.to_string())?;
    let known: Vec<f64> = points.iter().filter(|point| point.bits.is_ok()).map(|point| point.rows).collect();
    match known[..] {
        [] => return Err("models of parts of the rows have no estimate".into()),
        [most] => return Err(format!("models of fewer than {most:.0} rows have no estimate")),
        _ => {}
    }
    let base = findings.judged.as_ref().and_then(|judged| judged.evaluation.loss.base_rate_bits().ok());
    Ok(curve_picture(&points, base))
}

fn about(
    args: &ReportArgs,
    data: String,
    checksums: Vec<(String, String)>,
    learning: Option<Result<oddsmith::card::Picture, String>>,
    notices: Vec<Notice>,
) -> About {
    let version = format!("oddsmith {}", env!("CARGO_PKG_VERSION"));
    About { data, commands: vec![typed()], version, checksums, learning, notices, no_rows: args.no_rows }
}

/// The command as it was typed, quoted for a shell.
fn typed() -> String {
    let quoted = |word: String| {
        let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./=,:+%@".contains(c));
        if plain { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("oddsmith".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The checksum of a file, read as a stream.
fn checksum(path: &Path) -> Result<String, Failure> {
    let trouble = |source| Error::from(ErrorKind::Io { path: path.display().to_string(), source });
    let file = std::fs::File::open(path).map_err(trouble)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(trouble)?;
    Ok(hasher.finalize().to_hex().to_string())
}
