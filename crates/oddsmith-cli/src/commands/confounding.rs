//! `oddsmith confounding`: by how much the odds ratio of an exposure moves within the levels of each other column.

use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;

use super::scan::ScanArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::options::{AnalysisArgs, OfAnalysis, SourceArgs, WeightArgs};

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith confounding births.csv --outcome low --exposure smoke --exclude bwt
  oddsmith confounding births.csv --outcome low --exposure smoke,ht --candidates race,age,lwt
  oddsmith confounding stones.csv --outcome success --exposure treatment --weight n
  oddsmith confounding births.csv --outcome low --exposure smoke --exclude bwt --plot forest";

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
    #[command(flatten)]
    scan: ScanArgs,

    #[command(flatten)]
    params: AnalysisArgs<Scanned>,

    #[command(flatten)]
    weights: WeightArgs,

    #[command(flatten)]
    source: SourceArgs,
}

/// Counts and shows.
pub(crate) fn run(args: &ConfoundingArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    args.scan.run(("confounding", args.params.procedure()?), args.weights.weight(), &args.source, console, control)
}
