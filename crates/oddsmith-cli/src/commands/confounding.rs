//! `oddsmith confounding`: by how much the odds ratio of an exposure moves within the levels of each other column.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;
use oddsmith_io::Roles;

use crate::analysing;
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::options::{AnalysisArgs, OfAnalysis, OrderArgs, ReadingArgs, TextArgs, WeightArgs, split_list};

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith confounding births.csv --outcome low --exposure smoke --exclude bwt
  oddsmith confounding births.csv --outcome low --exposure smoke,ht --candidates race,age,lwt
  oddsmith confounding stones.csv --outcome success --exposure treatment --weight n";

/// The analysis.
#[derive(Debug, Clone)]
pub(crate) struct Scanned;

impl OfAnalysis for Scanned {
    const NAME: &'static str = "confounding";
    const HEADING: &'static str = "the scan";
}

/// Arguments of `confounding`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConfoundingArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The column of the outcome; its last class is the event.
    #[arg(long, value_name = "COLUMN", alias = "target", required = true)]
    outcome: String,

    /// Columns to leave out.
    #[arg(long, value_name = "COLUMN,…", conflicts_with = "candidates")]
    exclude: Vec<String>,

    /// Only the table of pairs, with every number.
    #[arg(long)]
    tidy: bool,

    #[command(flatten)]
    params: AnalysisArgs<Scanned>,

    #[command(flatten)]
    weights: WeightArgs,

    #[command(flatten)]
    order: OrderArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Counts and shows.
pub(crate) fn run(args: &ConfoundingArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let input = files::table(&args.data)?;
    let roles = Roles {
        target: Some(args.outcome.clone()),
        exclude: args.exclude.iter().flat_map(|list| split_list(list)).collect(),
        weight: args.weights.weight(),
        order: args.order.order()?,
        ..Roles::default()
    };
    let reading = (args.reading.options(&args.text)?, roles);
    let analysed = analysing::analyse(args.params.procedure()?, &input, reading, args.reading.threads, console, control)?;
    match args.tidy {
        true => console.result(&analysed.card.tidy)?,
        false => analysing::show("confounding", &[("data", &analysed.data)], &analysed.card, console)?,
    }
    analysing::tell(&analysed, console);
    Ok(())
}
