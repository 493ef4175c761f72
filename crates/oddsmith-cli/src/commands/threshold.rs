//! `oddsmith threshold`: from which probability to call the event, chosen from rows or costs and kept in the model file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use oddsmith::calibrate::Adjusted;
use oddsmith::card::{Card, FixedTable, Table};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Weighting};
use oddsmith::eval::{Aim, Cut, EvalSettings, Evaluation, Metric, at_threshold, choose_threshold, metric_cells};
use oddsmith::model::{Classifier, Costs, Decision, Predictor};
use oddsmith::stats::Statistics;
use oddsmith::{Error, persist, train};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::labelled_table::LabelledTable;
use crate::options::{ReadingArgs, TextArgs, WeightArgs, new_file, parse_number, split_list, split_pair};
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith threshold low.odds new.csv --youden -o low.odds       # kept in the model
  oddsmith threshold low.odds new.csv --sensitivity 0.9          # find 90 % of the events
  oddsmith threshold low.odds new.csv --costs yes:no=5,no:yes=1  # a miss costs five false alarms
  oddsmith threshold iris.odds iris.csv --reject 0.2 -o iris.odds  # if less than 80 % sure";

/// Arguments of `threshold`.
#[derive(Debug, Args)]
pub(crate) struct ThresholdArgs {
    /// A model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// A table with the columns and the target of the model, best of rows that it was not fitted to; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    #[command(flatten)]
    aim: AimArgs,

    /// Start of the random numbers behind the threshold's interval.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Where to save the model with its rule; without it nothing is saved.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: Option<PathBuf>,

    #[command(flatten)]
    weights: WeightArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// What the threshold is for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Aim")]
pub(crate) struct AimArgs {
    /// The largest sensitivity + specificity.
    #[arg(long, group = "aim")]
    youden: bool,

    /// The base rate of the event.
    #[arg(long, group = "aim")]
    prevalence: bool,

    /// At least this sensitivity, with the largest specificity.
    #[arg(long, group = "aim", value_name = "SHARE", value_parser = parse_share)]
    sensitivity: Option<f64>,

    /// At least this specificity, with the largest sensitivity.
    #[arg(long, group = "aim", value_name = "SHARE", value_parser = parse_share)]
    specificity: Option<f64>,

    /// At least this precision, with the largest sensitivity.
    #[arg(long, group = "aim", value_name = "SHARE", value_parser = parse_share)]
    precision: Option<f64>,

    /// This very threshold.
    #[arg(long, group = "aim", value_name = "P", value_parser = parse_share)]
    at: Option<f64>,

    /// Least expected cost: truth:predicted=cost for every error that does not cost 1; right predictions cost nothing unless given.
    #[arg(long, value_name = "TRUTH:CALLED=COST,…", conflicts_with = "aim")]
    costs: Vec<String>,

    /// Leave a row undecided when even the cheapest call costs more than this on average.
    #[arg(long, value_name = "COST", conflicts_with = "aim", value_parser = parse_number)]
    reject: Option<f64>,
}

/// Chooses, shows and saves.
pub(crate) fn run(args: &ThresholdArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let model = files::read_model(&args.model)?;
    Predictor::new(&*model).check_for("be given a threshold or costs")?;
    let layout = model.layout();
    let rule = args.aim.rule(layout.classes())?;
    let input = files::table(&args.data)?;
    let options = args.reading.options(&args.text)?;
    let weighting = args.weights.weight().map_or(Weighting::None, |(_, kind)| kind);
    let classes = layout.classes().len();
    let settings = EvalSettings {
        weighting,
        memory: usize::try_from(options.memory / 2).unwrap_or(usize::MAX),
        decision: if let Rule::Costs(costs) = &rule { Decision::Costs(costs.clone()) } else { Decision::MostProbable },
        ..EvalSettings::default()
    };
    let empty = train::Evaluator::new(&*model, Evaluation::new(classes, train::score_scale(classes), settings));
    let (judging, notices) = {
        let _progress = Progress::start(console, control, "judging");
        let weight = args.weights.weight().map(|(column, _)| column);
        LabelledTable { input: &input, options: &options, weight }.sum(&*model, &empty, args.reading.threads, control)?
    };
    let evaluation = judging.into_sums();
    let (decision, tidy) = match &rule {
        Rule::Costs(costs) => (Decision::Costs(costs.clone()), cost_table(&evaluation, costs, layout.classes())),
        rule => {
            let found = rule.cut(&evaluation, weighting, args.seed).map_err(|reason| no_threshold(&reason))?;
            (Decision::threshold(found.threshold.value, classes)?, cut_table(&found))
        }
    };
    let title = format!("{} on {}: {}", args.model.display(), input.name(), decision.describe());
    let mut card = Card { title, facts: vec![("aim".into(), rule.name().into())], tidy, notices, ..Card::default() };
    let saved = match &args.output {
        None => None,
        Some(output) => {
            control.check()?;
            let fact = ("predicted class", format!("{} ({})", decision.describe(), rule.name()));
            let adjusted = Adjusted::decided(model, decision, fact)?;
            Some(files::save(output, &persist::save_model(&adjusted as &dyn Classifier)?)?)
        }
    };
    card.facts.extend(saved.iter().flat_map(|saved| saved.facts()));
    console.result(&card)?;
    console.notices(&card.notices);
    match saved {
        Some(saved) => console.note(&format!("model → {saved}")),
        None => console.note("the model was not changed; -o FILE keeps the rule"),
    }
    Ok(())
}

enum Rule {
    Aim(Aim),
    At(f64),
    Costs(Costs),
}

impl Rule {
    fn name(&self) -> String {
        match self {
            Rule::Aim(Aim::Youden) => "most sensitivity + specificity".into(),
            Rule::Aim(Aim::Prevalence) => "the base rate".into(),
            Rule::Aim(Aim::Sensitivity(share)) => format!("sensitivity of {share}"),
            Rule::Aim(Aim::Specificity(share)) => format!("specificity of {share}"),
            Rule::Aim(Aim::Precision(share)) => format!("precision of {share}"),
            Rule::Aim(Aim::Costs { .. }) | Rule::Costs(_) => "least expected cost".into(),
            Rule::At(_) => "given".into(),
        }
    }

    fn cut(&self, evaluation: &Evaluation, weighting: Weighting, seed: u64) -> Metric<Cut> {
        let ranking = evaluation.ranking()?;
        match self {
            Rule::Aim(aim) => choose_threshold(&ranking, *aim, weighting, seed),
            Rule::At(threshold) => Ok(at_threshold(&ranking, *threshold, weighting)),
            Rule::Costs(_) => Err("costs need no threshold".into()),
        }
    }
}

impl AimArgs {
    fn rule(&self, classes: &Classes) -> Result<Rule, Failure> {
        if !self.costs.is_empty() || self.reject.is_some() {
            return Ok(Rule::Costs(self.cost_matrix(classes)?));
        }
        if let Some(at) = self.at {
            return Ok(Rule::At(at));
        }
        let chosen = [self.sensitivity.map(Aim::Sensitivity), self.specificity.map(Aim::Specificity), self.precision.map(Aim::Precision)];
        match (chosen.into_iter().flatten().next(), self.youden, self.prevalence) {
            (Some(aim), ..) => Ok(Rule::Aim(aim)),
            (_, true, _) => Ok(Rule::Aim(Aim::Youden)),
            (_, _, true) => Ok(Rule::Aim(Aim::Prevalence)),
            _ => {
                let what = "say what the threshold is for: --youden, --prevalence, --sensitivity, --specificity, --precision, --at, --costs or --reject";
                Err(Failure::Usage(what.into()))
            }
        }
    }

    fn cost_matrix(&self, classes: &Classes) -> Result<Costs, Error> {
        let count = classes.len();
        let mut matrix: Vec<f64> = (0..count * count).map(|cell| f64::from(u8::from(cell / count != cell % count))).collect();
        for item in self.costs.iter().flat_map(|list| split_list(list)) {
            let refused = || Error::option("costs", &item, "truth:predicted=cost with two classes of the model, such as yes:no=5");
            let (calls, cost) = split_pair(&item).ok_or_else(refused)?;
            let cost: f64 = cost.trim().parse().map_err(|_| refused())?;
            // Labels may hold colons themselves, so every place to cut is tried.
            let cut = calls
                .match_indices(':')
                .find_map(|(at, _)| Some((classes.index(&calls[..at]).ok()?, classes.index(&calls[at + 1..]).ok()?)));
            let (truth, called) = cut.ok_or_else(refused)?;
            matrix[truth * count + called] = cost;
        }
        Costs::new(matrix, self.reject, count)
    }
}

fn cut_table(cut: &Cut) -> Table {
    let mut table = FixedTable::new("threshold", ["metric", "estimate", "conf_low", "conf_high", "note"]);
    let mut add = |name: &str, figure: Metric| {
        let [value, low, high, note] = metric_cells(&figure);
        table.push([name.into(), value, low, high, note]);
    };
    add("threshold", Ok(cut.threshold));
    add("sensitivity", cut.sensitivity.clone());
    add("specificity", cut.specificity.clone());
    add("precision", cut.precision.clone());
    add("negative_predictive_value", cut.negative_predictive_value.clone());
    add("predicted_positive", cut.called.clone());
    table.into()
}

/// What the rule costs on the rows, beside calling the most probable class.
fn cost_table(evaluation: &Evaluation, costs: &Costs, classes: &Classes) -> Table {
    let mut table = FixedTable::new("costs", ["metric", "estimate"]);
    let confusion = &evaluation.confusion;
    let decided: f64 = (0..classes.len()).map(|k| confusion.truth(k)).sum();
    let all = confusion.weight();
    let paid: f64 = (0..classes.len())
        .flat_map(|truth| (0..classes.len()).map(move |called| (truth, called)))
        .map(|(truth, called)| confusion.cell(truth, called) * costs.cost(truth, called))
        .sum();
    let left = (all - decided) * costs.reject().unwrap_or(0.0);
    if all > 0.0 {
        table.push(["cost_per_row".into(), ((paid + left) / all).into()]);
        table.push(["undecided".into(), ((all - decided) / all).into()]);
    }
    if let Ok(accuracy) = confusion.accuracy() {
        table.push(["accuracy_of_decided".into(), accuracy.value.into()]);
    }
    table.into()
}

fn no_threshold(reason: &oddsmith::eval::Undefined) -> Error {
    Error::data(format!("there is no such threshold: {reason}"))
}

fn parse_share(text: &str) -> Result<f64, String> {
    text.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "a number from 0 to 1".into())
}
