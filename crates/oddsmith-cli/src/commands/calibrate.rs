//! `oddsmith calibrate`: probabilities that mean what they say, on rows that the model has not seen or in other class proportions.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use oddsmith::calibrate::{Adjusted, Method};
use oddsmith::card::{Card, Cell, FixedTable, Table};
use oddsmith::control::Control;
use oddsmith::data::Weighting;
use oddsmith::eval::{EvalSettings, Evaluation, metric_cells, missing};
use oddsmith::model::{Classifier, Decision};
use oddsmith::train::{FoldSpec, ScoredTable, calibrated_out_of_fold, refitted};
use oddsmith::{Error, Notice, persist, registry};

use crate::class_proportions::ProportionArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::labelled_table::LabelledTable;
use crate::options::{ReadingArgs, RoleArgs, TextArgs, new_file};
use crate::progress::Progress;
use crate::silence::silent_rows;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith calibrate low.odds new.csv --method platt -o platt.odds  # on rows that it has not seen
  oddsmith calibrate births.csv --target low --model nb --features age,lwt --folds 10 -o cal.odds
  oddsmith calibrate low.odds --prevalence yes=0.01,no=0.99 -o pop.odds  # of a case-control study
  oddsmith calibrate low.odds --kept yes=1,no=0.1 -o pop.odds  # undo undersampling
  oddsmith calibrate low.odds new.csv --estimate-prevalence -o clinic.odds  # of unlabelled rows";

/// Figures that are shown before and after.
const SHOWN: [&str; 8] = ["bits", "bits_saved", "brier", "brier_reliability", "calibration_intercept", "calibration_slope", "ece", "auc"];

/// Arguments of `calibrate`.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// A model file; or, with --model, a table that the model is fitted to as well.
    #[arg(value_name = "MODEL")]
    file: PathBuf,

    /// A table with the columns and the target of the model, of rows that it was not fitted to; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: Option<OsString>,

    /// The kind of map: a line on the log odds, a rising curve, one factor, or two slopes [default: platt].
    #[arg(long, value_name = "METHOD", value_parser = methods(), conflicts_with = "mix")]
    method: Option<Method>,

    /// Fit this model to the table, and learn the map from the scores of folds that its refits have not seen.
    #[arg(short, long, value_name = "MODEL", conflicts_with_all = ["mix", "data"])]
    model: Option<String>,

    /// Folds in which the metrics after are cross-fitted, and with --model those of the refits.
    #[arg(long, value_name = "N", default_value_t = 10)]
    folds: usize,

    /// Start of the random numbers that split rows into folds.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Where to save the calibrated model; without it nothing is saved.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: Option<PathBuf>,

    #[command(flatten)]
    mix: ProportionArgs,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Calibrates, shows before and after, and saves.
pub(crate) fn run(args: &CalibrateArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let model = match &args.model {
        Some(_) => None,
        None => Some(files::read_model(&args.file)?),
    };
    let ruled = model.as_ref().is_some_and(|model| model.decision() != Decision::MostProbable);
    let Some(model) = model else {
        let (adjusted, card) = by_folds(args, console, control)?;
        return finish(args, &*adjusted, card, console, control);
    };
    let (adjusted, card) = if args.mix.given() {
        let options = args.reading.options(&args.text)?;
        let _progress = Progress::start(console, control, "predicting");
        args.mix.applied(model, args.data.as_ref(), &options, control)?
    } else {
        by_map(args, model, console, control)?
    };
    if ruled {
        console
            .note("the decision rule that the model had was chosen for other probabilities and is gone; `oddsmith threshold` chooses one");
    }
    finish(args, &*adjusted, card, console, control)
}

/// Saves and shows.
fn finish(args: &CalibrateArgs, adjusted: &dyn Classifier, mut card: Card, console: &Console, control: &Control) -> Result<(), Failure> {
    control.check()?;
    let saved = args.output.as_ref().map(|output| files::save(output, &persist::save_model(adjusted)?)).transpose()?;
    card.facts.extend(saved.iter().flat_map(|saved| saved.facts()));
    console.result(&card)?;
    console.notices(&card.notices);
    match saved {
        Some(saved) => console.note(&format!("model → {saved}")),
        None => console.note("nothing was saved; -o FILE keeps the calibrated model"),
    }
    Ok(())
}

fn by_map(
    args: &CalibrateArgs,
    model: Box<dyn Classifier>,
    console: &Console,
    control: &Arc<Control>,
) -> Result<(Box<dyn Classifier>, Card), Failure> {
    let method = args.method.unwrap_or(Method::Platt);
    let Some(data) = &args.data else {
        return Err(Failure::Usage(
            "calibrating takes a table of rows that the model was not fitted to; other class proportions can be given without".into(),
        ));
    };
    let input = files::table(data)?;
    let options = args.reading.options(&args.text)?;
    let chosen = args.roles.target.is_some() || !args.roles.features.is_empty() || !args.roles.exclude.is_empty();
    if chosen || !args.roles.order.order()?.is_empty() {
        let what = "a model knows its target and columns; --target, --features, --exclude, --levels and --event go with --model";
        return Err(Failure::Usage(what.into()));
    }
    let weight = args.roles.weights.weight();
    let mut rows = ScoredTable::new(model.layout().classes().len());
    let mut notices: Vec<Notice> = {
        let _progress = Progress::start(console, control, "predicting");
        let table = LabelledTable { input: &input, options: &options, weight: weight.clone().map(|(column, _)| column) };
        table.scan(&*model, control, &mut |batch| rows.add(&*model, batch))?
    };
    notices.extend(silent_rows(rows.silent(), "the model"));
    let in_table = |error: Error| error.in_table(&input.name());
    let settings = EvalSettings { weighting: weight.map_or(Weighting::None, |(_, kind)| kind), ..EvalSettings::default() };
    let title = format!("{} on {}: {method} calibration", args.file.display(), input.name());
    Ok(mapped(args, model, &rows, (settings, title, notices)).map_err(in_table)?)
}

/// Fits the model to all rows of a table and learns the map from what refits say about folds that they have not seen.
fn by_folds(args: &CalibrateArgs, console: &Console, control: &Arc<Control>) -> Result<(Box<dyn Classifier>, Card), Failure> {
    let name = args.model.as_deref().unwrap_or_default();
    let (entry, params) = registry::parse(name)?;
    let learner = (entry.build)(&params)?;
    let input = files::table(args.file.as_os_str())?;
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        oddsmith_io::open(&input, &args.reading.options(&args.text)?, &args.roles.roles()?, control)?
    };
    files::need_target(&opened)?;
    let in_table = |error: Error| error.in_table(&input.name());
    let _progress = Progress::start(console, control, "calibrating");
    let spec = FoldSpec { folds: args.folds, seed: args.seed, groups: None };
    let (model, rows) = refitted(&*opened.source, &*learner, spec, args.reading.threads, control).map_err(in_table)?;
    let mut notices = opened.notices.clone();
    notices.extend(silent_rows(rows.silent(), "the model"));
    let settings = EvalSettings { weighting: opened.layout().weighting(), ..EvalSettings::default() };
    let method = args.method.unwrap_or(Method::Platt);
    let title = format!("{name} on {}: {method} calibration on {} folds that its refits have not seen", input.name(), args.folds);
    Ok(mapped(args, model, &rows, (settings, title, notices)).map_err(in_table)?)
}

/// Learns the map from held-out rows and shows figures before and after.
fn mapped(
    args: &CalibrateArgs,
    model: Box<dyn Classifier>,
    rows: &ScoredTable,
    (settings, title, notices): (EvalSettings, String, Vec<Notice>),
) -> oddsmith::Result<(Box<dyn Classifier>, Card)> {
    let method = args.method.unwrap_or(Method::Platt);
    let before = rows.evaluated(settings.clone())?;
    let (map, after) = calibrated_out_of_fold(rows, method, args.folds, args.seed, settings)?;
    let told = map.describe();
    let adjusted = Adjusted::calibrated(model, map, ("calibration", format!("{method}: {told}")))?;
    let facts = vec![
        ("rows".into(), Cell::from(before.loss.class_weights().total_rows())),
        ("map".into(), told.into()),
        ("after".into(), format!("cross-fitted in {} folds", args.folds).into()),
    ];
    Ok((Box::new(adjusted), Card { title, facts, tidy: before_after(&before, &after), notices, ..Card::default() }))
}

fn before_after(before: &Evaluation, after: &Evaluation) -> Table {
    let mut table = FixedTable::new("calibration", ["metric", "before", "after", "after_low", "after_high", "note"]);
    let (before, after) = (before.figures(), after.figures());
    for name in SHOWN {
        let find = |figures: &[oddsmith::eval::Named]| figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| figure.clone());
        let (Some(before), Some(after)) = (find(&before), find(&after)) else { continue };
        let value = |value: Option<f64>| value.map_or(Cell::Empty, Cell::from);
        let [after_value, low, high, _] = metric_cells(&after);
        let note = missing(&before).or_else(|| missing(&after)).map_or(Cell::Empty, Cell::from);
        table.push([name.into(), value(before.ok().map(|before| before.value)), after_value, low, high, note]);
    }
    table.into()
}

fn methods() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name)).try_map(|name| name.parse::<Method>())
}
