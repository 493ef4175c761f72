//! The commands, one file each.

pub(crate) mod bayes;
pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod code;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod confounding;
pub(crate) mod degree;
pub(crate) mod describe;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod help;
pub(crate) mod info;
mod man;
pub(crate) mod models;
pub(crate) mod plot;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod rounds;
pub(crate) mod sample;
mod scan;
pub(crate) mod select;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod subgroups;
pub(crate) mod table;
pub(crate) mod threshold;
mod version;

use std::sync::Arc;

use oddsmith::control::Control;

use crate::command_line::{Command, CommandLine};
use crate::console::Console;
use crate::exit::Failure;

/// Runs the command that the arguments name.
pub(crate) fn run(parsed: CommandLine, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    if parsed.version {
        return version::run(console);
    }
    match parsed.command {
        None => help::top(console),
        Some(Command::Check(args)) => check::run(&args, console, control),
        Some(Command::Describe(args)) => describe::run(&args, console, control),
        Some(Command::Fit(args)) => fit::run(&args, console, control),
        Some(Command::Show(args)) => show::run(&args, console, control),
        Some(Command::Predict(args)) => predict::run(&args, console, control),
        Some(Command::Evaluate(args)) => evaluate::run(&args, console, control),
        Some(Command::Calibrate(args)) => calibrate::run(&args, console, control),
        Some(Command::Compare(args)) => compare::run(&args, console, control),
        Some(Command::Select(args)) => select::run(&args, console, control),
        Some(Command::Table(args)) => table::run(&args, console, control),
        Some(Command::Plot(args)) => plot::run(&args, console, control),
        Some(Command::Report(args)) => report::run(&args, console, control),
        Some(Command::Confounding(args)) => confounding::run(&args, console, control),
        Some(Command::Subgroups(args)) => subgroups::run(&args, console, control),
        Some(Command::Threshold(args)) => threshold::run(&args, console, control),
        Some(Command::Explain(args)) => explain::run(&args, console, control),
        Some(Command::Sample(args)) => sample::run(&args, console, control),
        Some(Command::Stats(command)) => stats::run(&command, console, control),
        Some(Command::Rounds(command)) => rounds::run(&command, console, control),
        Some(Command::Info(args)) => info::run(&args, console, control),
        Some(Command::Code(command)) => code::run(&command, console, control),
        Some(Command::Bayes(args)) => bayes::run(&args, console),
        Some(Command::Degree(args)) => degree::run(&args, console, control),
        Some(Command::Models(args)) => models::run(&args, console),
        Some(Command::Completions(args)) => completions::run(&args, console),
        Some(Command::Man) => man::run(console),
        Some(Command::Help(args)) => help::run(&args, console),
    }
}
