//! `oddsmith subgroups`: groups of rows in which the odds ratio of an exposure is another one.

use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;

use super::scan::ScanArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::options::{AnalysisArgs, OfAnalysis, SourceArgs};

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith subgroups births.csv --outcome low --exposure smoke --candidates race,age,lwt
  oddsmith subgroups births.csv --outcome low --exposure smoke --exclude bwt --depth 1
  oddsmith subgroups births.csv --outcome low --exposure smoke --candidates ht,ui --least 5 --seed 7
  oddsmith subgroups births.csv --outcome low --exposure smoke --exclude bwt --plot forest";

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
    #[command(flatten)]
    scan: ScanArgs,

    #[command(flatten)]
    params: AnalysisArgs<Searched>,

    #[command(flatten)]
    source: SourceArgs,
}

/// Counts and shows.
pub(crate) fn run(args: &SubgroupsArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    args.scan.run(("subgroups", args.params.procedure()?), None, &args.source, console, control)
}
