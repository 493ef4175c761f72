//! `oddsmith explain`: where the probability of one row comes from.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;

use crate::console::Console;
use crate::exit::Failure;
use crate::explanation::{Explanation, Unit};
use crate::files;
use crate::options::{ReadingArgs, TextArgs};

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith explain low.odds new.csv --row 7                 weights of evidence in decibans
  oddsmith explain low.odds new.csv --row 7 --unit bits     the same in bits
  oddsmith explain iris.odds new.csv --row 1 --class virginica --against versicolor";

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// A table with the columns of the model; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The row, counted from 1 without the header.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    row: u64,

    /// Unit of the weights: 10 decibans are a factor of ten in the odds, 1 bit a factor of two.
    #[arg(long, value_enum, default_value = "decibans")]
    unit: Unit,

    /// Explain this class [default: the event; with more than two classes the most probable one].
    #[arg(long, value_name = "LABEL")]
    class: Option<String>,

    /// Against this class [default: the most probable other one].
    #[arg(long, value_name = "LABEL")]
    against: Option<String>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// TMP
pub(crate) fn run(args: &ExplainArgs, console: &Console, _control: &Arc<Control>) -> Result<(), Failure> {
    let model = files::read_model(&args.model)?;
    let e = Explanation::new(&*model, todo!(), None, None)?;
    console.result(&e.card(args.row, args.unit))
}
