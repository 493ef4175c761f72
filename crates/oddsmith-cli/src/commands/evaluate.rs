//! `oddsmith evaluate`: how good the probabilities of a model, or of any scored table, are.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;
use oddsmith::data::Weighting;
use oddsmith::error::DataFault;
use oddsmith::eval::{EvalSettings, Evaluation};
use oddsmith::model::{Classifier, Decision, Predictor, Scale};
use oddsmith::{Error, train};
use oddsmith_io::{Input, Roles};

use crate::by;
use crate::console::Console;
use crate::evaluation_report::{EvaluationReport, EvaluationTable};
use crate::exit::Failure;
use crate::files;
use crate::fitting;
use crate::gate::{self, FailIf};
use crate::labelled_table::LabelledTable;
use crate::options::{PriorArgs, SourceArgs, WeightArgs, parse_number, split_list};
use crate::plot;
use crate::progress::Progress;
use crate::scored::{ProbabilityColumns, ScoredRows};
use crate::silence::silent_rows;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith evaluate low.odds new.csv                          # every metric, with intervals
  oddsmith evaluate low.odds new.csv --threshold 0.2          # the event from 0.2 up
  oddsmith evaluate low.odds new.csv --show reliability       # the calibration curve
  oddsmith evaluate scored.csv --target low                   # p_no, p_yes of any program
  oddsmith evaluate low.odds new.csv --fail-if 'auc<0.99' -q  # a gate for scripts: exit code 7";

/// Arguments of `evaluate`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EvaluateArgs {
    /// A model file and a table with its columns and the target; or a table that already holds probabilities.
    #[arg(value_name = "MODEL DATA", num_args = 1..=2, required = true)]
    inputs: Vec<OsString>,

    /// The column that holds the truth, in a table with probabilities.
    #[arg(short, long, value_name = "COLUMN")]
    target: Option<String>,

    /// Columns with probabilities: one per class in their order, or the event's alone [default: p_ and the class].
    #[arg(long, value_name = "COLUMN,…", requires = "target")]
    probabilities: Vec<String>,

    /// Call the event if and only if its probability is at least this; needs two classes.
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = parse_number)]
    threshold: Option<f64>,

    /// Show one table: metrics, classes, the confusion matrix, or a curve.
    #[arg(long, value_enum, value_name = "TABLE")]
    show: Option<EvaluationTable>,

    /// Draw a picture in place of tables: roc, precision-recall, calibration, decision, threshold, spread or prevalence.
    #[arg(long, value_name = "PICTURE", conflicts_with = "show", value_parser = oddsmith::eval::pictures::PICTURES)]
    plot: Option<String>,

    /// Judge the rows of every level of this column alone; every table gets it as its first column.
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,

    /// Fail with exit code 7 if a metric is too low or too high, such as 'auc<0.75'; may be repeated.
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<FailIf>,

    #[command(flatten)]
    prior: PriorArgs,

    #[command(flatten)]
    weights: WeightArgs,

    #[command(flatten)]
    source: SourceArgs,
}

/// Judges, shows, and applies the gates.
pub(crate) fn run(args: &EvaluateArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let (model, data) = match &args.inputs[..] {
        [model, data] => (Some(Path::new(model)), data),
        [data] => (None, data),
        _ => return Err(Failure::Usage("evaluate takes a model and a table, or a table with probabilities".into())),
    };
    let input = files::table(data)?;
    let Some(column) = &args.by else { return judge(args, model, &input, console, control) };
    let input = fitting::kept_for_rereading(input)?;
    let levels = by::levels(column, &input, &args.source.options()?, console, control)?;
    by::each_level(column, &levels, console, &mut |only, console| {
        judge(&EvaluateArgs { source: args.source.only(only)?, ..args.clone() }, model, &input, console, control)
    })
}

fn judge(args: &EvaluateArgs, model: Option<&Path>, input: &Input, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let judgement = match model {
        Some(model) => of_model(args, model, input, console, control)?,
        None => of_table(args, input, console, control)?,
    };
    let figures = judgement.evaluation.figures();
    let names: Vec<&str> = figures.iter().map(|(name, _)| *name).collect();
    gate::check_names(&args.fail_if, &names)?;
    match &args.plot {
        Some(name) => {
            let classes = (judgement.target.as_str(), &judgement.classes);
            plot::show(&plot::of_evaluation(name, &judgement.evaluation, classes, args.threshold)?, console)?;
            console.notices(&judgement.notices);
        }
        None => judgement.show(args.show, console)?,
    }
    gate::check(&args.fail_if, &figures)
}

fn settings(args: &EvaluateArgs, decision: Decision, memory: u64) -> EvalSettings {
    let weighting = args.weights.weight().map_or(Weighting::None, |(_, kind)| kind);
    let memory = usize::try_from(memory / 2).unwrap_or(usize::MAX);
    EvalSettings { decision, weighting, memory, ..EvalSettings::default() }
}

fn of_model(
    args: &EvaluateArgs,
    path: &Path,
    input: &Input,
    console: &Console,
    control: &Arc<Control>,
) -> Result<EvaluationReport, Failure> {
    if args.target.is_some() || !args.source.order()?.is_empty() {
        let what = "--target, --levels and --event belong to a table with probabilities; a model knows its target and classes";
        return Err(Failure::Usage(what.into()));
    }
    let model = args.prior.applied(files::read_model(path)?)?;
    let layout = model.layout();
    let options = args.source.options()?;
    let classes = layout.classes().len();
    if args.threshold.is_some() {
        Predictor::new(&*model).check_for("call classes by a threshold")?;
    }
    let own = args.threshold.map_or_else(|| Ok(model.decision()), |threshold| Decision::threshold(threshold, classes))?;
    let empty = Evaluation::new(
        classes,
        train::score_scale(classes),
        EvalSettings { margins: model.scale() == Scale::Margin, ..settings(args, own, options.memory) },
    );
    let empty = train::Evaluator::new(&*model, empty);
    let _progress = Progress::start(console, control, "judging");
    let weight = args.weights.weight().map(|(column, _)| column);
    let table = LabelledTable { input, options: &options, weight };
    let (judging, mut notices) = table.sum(&*model, &empty, args.source.threads(), control)?;
    let silent = judging.silent();
    let evaluation = judging.into_sums();
    notices.extend(silent_rows(silent, "the model"));
    let title = format!("{} on {}", path.display(), input.name());
    Ok(EvaluationReport {
        title,
        facts: Vec::new(),
        target: layout.target().to_owned(),
        classes: layout.classes().clone(),
        evaluation,
        notices,
    })
}

fn of_table(args: &EvaluateArgs, input: &Input, console: &Console, control: &Arc<Control>) -> Result<EvaluationReport, Failure> {
    let Some(target) = &args.target else {
        return Err(Failure::Usage("give a model and a table, or a table with probabilities and --target".into()));
    };
    let named: Vec<String> = args.probabilities.iter().flat_map(|list| split_list(list)).collect();
    let mut options = args.source.options()?;
    options.kinds.extend(named.iter().map(|name| (name.clone(), oddsmith::data::Kind::Number)));
    let roles = Roles {
        target: Some(target.clone()),
        features: (!named.is_empty()).then(|| named.clone()),
        weight: args.weights.weight(),
        order: args.source.order()?,
        ..Roles::default()
    };
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        oddsmith_io::open(input, &options, &roles, control)?
    };
    let (target, classes) = (opened.layout().target().to_owned(), opened.layout().classes().clone());
    if let [only] = classes.labels() {
        let fault = DataFault::new(format!("the target has one class: {only} ({} rows)", opened.rows)).column(target);
        return Err(Error::from(fault.accepted("two classes or more are needed")).in_table(&input.name()).into());
    }
    let columns = ProbabilityColumns::find(opened.layout(), &named)?;
    let facts = vec![columns.fact(&classes)];
    let decision = args.threshold.map_or(Ok(Decision::MostProbable), |threshold| Decision::threshold(threshold, classes.len()))?;
    let empty = ScoredRows::new(columns, classes.len(), settings(args, decision, options.memory));
    let _progress = Progress::start(console, control, "judging");
    let judged = train::pass(&*opened.source, &empty, args.source.threads(), control).map_err(|error| error.in_table(&input.name()))?;
    Ok(EvaluationReport { title: input.name(), facts, target, classes, evaluation: judged.into_evaluation(), notices: opened.notices })
}
