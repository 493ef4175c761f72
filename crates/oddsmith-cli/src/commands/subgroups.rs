//! `oddsmith subgroups`: groups of rows in which the odds ratio of an exposure is another one.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;
use oddsmith_io::Roles;

use crate::analysing;
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::options::{AnalysisArgs, OfAnalysis, OrderArgs, ReadingArgs, TextArgs, split_list};

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith subgroups births.csv --outcome low --exposure smoke --candidates race,age,lwt
  oddsmith subgroups births.csv --outcome low --exposure smoke --exclude bwt --depth 1
  oddsmith subgroups births.csv --outcome low --exposure smoke --candidates ht,ui --least 5 --seed 7";

/// The analysis.
#[derive(Debug, Clone)]
pub(crate) struct Searched;

impl OfAnalysis for Searched {
    const NAME: &'static str = "subgroups";
    const HEADING: &'static str = "the search";
}

/// Arguments of `subgroups`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SubgroupsArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The column of the outcome; its last class is the event.
    #[arg(long, value_name = "COLUMN", alias = "target", required = true)]
    outcome: String,

    /// Columns to leave out.
    #[arg(long, value_name = "COLUMN,…", conflicts_with = "candidates")]
    exclude: Vec<String>,

    /// Only the table of groups, with every number.
    #[arg(long)]
    tidy: bool,

    #[command(flatten)]
    params: AnalysisArgs<Searched>,

    #[command(flatten)]
    order: OrderArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Counts and shows.
pub(crate) fn run(args: &SubgroupsArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let input = files::table(&args.data)?;
    let roles = Roles {
        target: Some(args.outcome.clone()),
        exclude: args.exclude.iter().flat_map(|list| split_list(list)).collect(),
        order: args.order.order()?,
        ..Roles::default()
    };
    let reading = (args.reading.options(&args.text)?, roles);
    let analysed = analysing::analyse(args.params.procedure()?, &input, reading, args.reading.threads, console, control)?;
    match args.tidy {
        true => console.result(&analysed.card.tidy)?,
        false => analysing::show("subgroups", &[("data", &analysed.data)], &analysed.card, console)?,
    }
    analysing::tell(&analysed, console);
    Ok(())
}
