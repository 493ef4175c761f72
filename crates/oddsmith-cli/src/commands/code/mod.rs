//! `oddsmith code`: codes as trees, columns and labels by wire, distributions from coin flips.

mod cells;
mod column;
mod flips;
mod labels;
mod ledger;
mod tree;

use std::sync::Arc;

use clap::Subcommand;
use oddsmith::control::Control;

use crate::console::Console;
use crate::deferred::Deferred;
use crate::exit::Failure;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith code tree a=0.5 b=0.25 c=0.125 d=0.125        # Huffman's code, its tree and its cost
  oddsmith code tree a=9 b=1 --counts --code shannon     # Shannon's lengths
  oddsmith code tree births.csv --column race            # of a column of a table
  oddsmith code encode births.csv race -o race.cells     # a column by arithmetic coding
  oddsmith code decode race.cells > race.csv             # and back, cell by cell
  oddsmith code flips 1/6,1/6,1/6,1/6,1/6,1/6            # a die from a fair coin
  oddsmith fit births.csv 'low ~ age + smoke' -o wire.odds
  oddsmith code labels wire.odds births.csv -o low.bits  # the labels in the bits of their log loss
  oddsmith code labels wire.odds births.csv --decode low.bits > low.csv  # and back
  oddsmith code ledger births.csv 'low ~ lwt + smoke + age'  # what every term saves of them";

/// What to code.
#[derive(Debug, Subcommand)]
pub(crate) enum CodeCommand {
    /// The words and the tree of a prefix-free code.
    Tree(Deferred<tree::TreeArgs>),
    /// The cells of a column in as few bytes as they take.
    Encode(Deferred<cells::EncodeArgs>),
    /// The cells of a coded column.
    Decode(cells::DecodeArgs),
    /// Any distribution from flips of a fair coin.
    Flips(flips::FlipsArgs),
    /// Labels of rows, coded by the probabilities of a model that both ends have.
    Labels(Deferred<labels::LabelsArgs>),
    /// What every column saves of the bits that labels take.
    Ledger(Deferred<ledger::LedgerArgs>),
}

/// Runs a subcommand.
pub(crate) fn run(command: &CodeCommand, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    match command {
        CodeCommand::Tree(args) => tree::run(args, console, control),
        CodeCommand::Encode(args) => cells::encode(args, console, control),
        CodeCommand::Decode(args) => cells::decode(args, console, control),
        CodeCommand::Flips(args) => flips::run(args, console),
        CodeCommand::Labels(args) => labels::run(args, console, control),
        CodeCommand::Ledger(args) => ledger::run(args, console, control),
    }
}
