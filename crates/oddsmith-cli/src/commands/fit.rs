//! `oddsmith fit`: a model from a table, or from statistics that were gathered before.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use oddsmith::card::Card;
use oddsmith::control::Control;
use oddsmith::model::{AnyLearner, BoxedStats, Classifier, Learner, Step};
use oddsmith::registry::{self, MODELS};
use oddsmith::stats::TableStats;
use oddsmith::{Error, Notice, persist, train};
use oddsmith_io::Input;
use oddsmith_report::Format;

use crate::commands::show;
use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files::{self, Saved};
use crate::options::{KnobArgs, ReadingArgs, RoleArgs, TextArgs, split_list};
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith fit births.csv --target low                             naive Bayes, not saved
  oddsmith fit births.csv --target low --model lda -o low.odds     another model, saved
  oddsmith fit births.csv --target low --features age,lwt,race     some columns
  oddsmith fit births.csv --target low --prior no=0.9,yes=0.1      known class shares
  oddsmith fit all.stats --model qda -o low.odds                   from statistics, without rows
  oddsmith fit spam.txt --model multinomial-nb -o spam.odds        lines of __label__spam words";

/// Arguments of `fit`.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// A table (CSV, TSV, Parquet, Arrow, __label__ lines; .gz and .zst too), a statistics file, or `-`.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The model.
    #[arg(short, long, value_name = "MODEL", default_value = "nb", value_parser = model_names())]
    model: String,

    /// Where to save the model.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Fail, and save nothing, if there is anything to warn about.
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    knobs: KnobArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Fits, shows and saves.
pub(crate) fn run(args: &FitArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let learner = (registry::find(&args.model)?.build)(&args.knobs.knobs()?)?;
    let input = Input::from_argument(&args.data);
    if let (Some(output), Input::Path(data)) = (&args.output, &input) {
        files::refuse_same(output, &[data])?;
    }
    let fitted = match &input {
        Input::Path(path) if files::is_ours(path) => from_statistics(args, path, &*learner)?,
        _ => from_table(args, &input, &learner, console, control)?,
    };
    control.check()?;
    fitted.gate(args.strict, console)?;
    let saved = match &args.output {
        Some(output) => Some(files::save(output, &persist::save_model(&*fitted.model)?)?),
        None => None,
    };
    fitted.show(saved.as_ref(), console)
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

    /// With `--strict`, a notice is a failure.
    fn gate(&self, strict: bool, console: &Console) -> Result<(), Failure> {
        let notices = self.notices();
        if !strict || notices.is_empty() {
            return Ok(());
        }
        console.notices(&notices);
        Err(Failure::strict(&notices))
    }

    fn show(&self, saved: Option<&Saved>, console: &Console) -> Result<(), Failure> {
        let mut data = self.data.clone();
        let mut card = self.card.clone();
        match console.format() {
            // At a terminal the names of the columns by kind are enough, and the file is named below.
            Format::Table => data.tidy.rows.clear(),
            _ => card.facts.extend(saved.iter().flat_map(|saved| saved.facts())),
        }
        let cards: &[(&str, &Card)] = &[("data", &data), ("model", &card)];
        console.result(cards)?;
        console.notices(&self.notices());
        match saved {
            Some(saved) => console.note(&format!("model → {saved}")),
            None => console.note("the model was not saved; -o FILE keeps it"),
        }
        Ok(())
    }
}

fn from_table(
    args: &FitArgs,
    input: &Input,
    learner: &impl Learner<Model = Box<dyn Classifier>>,
    console: &Console,
    control: &Arc<Control>,
) -> Result<Fitted, Failure> {
    let name = input.name();
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        oddsmith_io::open(input, &args.reading.options(&args.text)?, &args.roles.roles(), control)?
    };
    files::need_target(&opened)?;
    let in_table = |error: Error| error.in_table(&name);
    let fitted = {
        let _progress = Progress::start(console, control, "fitting");
        train::fit(learner, &*opened.source, args.reading.threads, control).map_err(in_table)?
    };
    let loss = {
        let _progress = Progress::start(console, control, "judging");
        let empty = train::LogLoss::new(&*fitted.model);
        train::pass(&*opened.source, &empty, args.reading.threads, control).map_err(in_table)?
    };
    if console.verbose() {
        console.note(&format!("{} passes over {} rows", fitted.passes, opened.rows));
        if let Some(nats) = loss.joint_nats() {
            console.note(&format!("joint negative log likelihood {nats} nats per row"));
        }
    }
    let mut card = fitted.model.card();
    card.facts.push(("bits per row".into(), loss.bits().into()));
    card.facts.push(("bits of class shares".into(), loss.base_rate_bits().into()));
    drop(loss);
    Ok(Fitted { data: data_card(&name, &opened), card, model: fitted.model })
}

fn from_statistics(args: &FitArgs, path: &Path, learner: &dyn AnyLearner) -> Result<Fitted, Failure> {
    let stats = selected(files::read_statistics(path)?, &args.roles)?;
    let mut data = show::statistics_card(&stats);
    data.title = format!("{}: statistics of {} rows", path.display(), stats.classes().total_rows());
    let layout = Arc::clone(stats.layout());
    learner.begin_any(&layout)?;
    match learner.finish_any(&BoxedStats::new(stats))? {
        Step::Done(model) => Ok(Fitted { card: model.card(), data, model }),
        Step::Again(_) => {
            Err(Failure::Usage(format!("{} with these knobs needs the rows themselves; statistics are not enough", args.model)))
        }
    }
}

/// The statistics seen through the columns that were asked for.
fn selected(stats: TableStats, roles: &RoleArgs) -> Result<TableStats, Failure> {
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
