//! `oddsmith info`: what columns tell about a target, and entropies, divergences and capacities of numbers.

mod between;
mod numbers;
mod screen;

use std::sync::Arc;

use clap::{Args, Subcommand};
use oddsmith::control::Control;

use crate::console::Console;
use crate::exit::Failure;
use numbers::{CapacityArgs, NumbersArgs, TableArgs};
use screen::ScreenArgs;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith info births.csv --target low --exclude bwt     # bits that each column tells about low
  oddsmith info births.csv --target low --features age,lwt --strata smoke  # where smoke is known
  oddsmith info births.csv --target low --exclude bwt --pairs 4  # and what pairs tell together
  oddsmith info births.csv --between age lwt              # two columns of any kinds
  oddsmith info entropy 0.5 0.25 0.25                     # bits; --base e for nats
  oddsmith info kl 0.5,0.5 0.9,0.1                        # of the first from the second
  oddsmith info kl --gaussian 0,1 1,4                     # of normal distributions: mean,variance
  oddsmith info mi 68,20,15,5 119,84,54,29 26,17,14,14 7,94,10,16  # a table of counts
  oddsmith info capacity 0.9,0.1 0.1,0.9                  # a channel: one row per input";

/// Arguments of `info`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct InfoArgs {
    #[command(subcommand)]
    command: Option<InfoCommand>,

    #[command(flatten)]
    screen: ScreenArgs,
}

/// What to compute of numbers.
#[derive(Debug, Subcommand)]
enum InfoCommand {
    /// Entropy of a distribution; differential entropy of a normal one.
    Entropy(NumbersArgs),
    /// Cross-entropy of two distributions: what the first costs in the code of the second.
    Cross(NumbersArgs),
    /// Relative entropy (Kullback–Leibler divergence) of the first distribution from the second.
    Kl(NumbersArgs),
    /// Mutual information of a table of counts; of a normal distribution from its covariance.
    Mi(TableArgs),
    /// Capacity of a channel, with the input that achieves it.
    Capacity(CapacityArgs),
}

/// Runs a subcommand, or the screen.
pub(crate) fn run(args: &InfoArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    match &args.command {
        None => screen::run(&args.screen, console, control),
        Some(InfoCommand::Entropy(args)) => numbers::entropy(args, console),
        Some(InfoCommand::Cross(args)) => numbers::cross(args, console),
        Some(InfoCommand::Kl(args)) => numbers::kl(args, console),
        Some(InfoCommand::Mi(args)) => numbers::mi(args, console),
        Some(InfoCommand::Capacity(args)) => numbers::capacity(args, console),
    }
}
