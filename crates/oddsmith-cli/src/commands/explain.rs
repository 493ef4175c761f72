//! `oddsmith explain`: where the probability of one row comes from.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use oddsmith::card::Card;
use oddsmith::control::Control;
use oddsmith::error::DataFault;
use oddsmith::model::Classifier;
use oddsmith::{Error, ErrorKind};
use oddsmith_io::{Input, NewBatch, open_for_prediction};

use crate::console::Console;
use crate::exit::Failure;
use crate::explanation::{Explanation, Unit, neighbour_card};
use crate::files;
use crate::options::{PriorArgs, ReadingArgs, TextArgs};
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith explain low.odds new.csv --row 7              # weights of evidence in decibans
  oddsmith explain low.odds new.csv --row 7 --unit bits  # the same in bits
  oddsmith explain iris.odds iris.csv --row 101 --class virginica --against versicolor";

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
    #[arg(long, default_value_t = 1, value_parser = parse_row)]
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
    prior: PriorArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Finds the row and takes its log odds apart.
pub(crate) fn run(args: &ExplainArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let model = args.prior.applied(files::read_model(&args.model)?)?;
    let classes = model.layout().classes();
    let class = args.class.as_deref().map(|label| classes.index(label)).transpose()?;
    let against = args.against.as_deref().map(|label| classes.index(label)).transpose()?;
    let input = files::table(&args.data)?;
    let card = {
        let _progress = Progress::start(console, control, "looking for the row");
        find(args, &input, &*model, (class, against), control)?
    };
    console.result(&card)?;
    console.notices(&card.notices);
    Ok(())
}

fn find(
    args: &ExplainArgs,
    input: &Input,
    model: &dyn Classifier,
    (class, against): (Option<usize>, Option<usize>),
    control: &Control,
) -> Result<Card, Failure> {
    let wanted = args.row - 1;
    let rows = open_for_prediction(input, &args.reading.options(&args.text)?, model.layout(), &model.layout().names())?;
    let mut found = None;
    let mut seen = 0;
    let outcome = rows.scan(control, &mut |batch: NewBatch<'_>| {
        seen = batch.first_row + batch.features.rows() as u64;
        if wanted >= seen {
            return Ok(());
        }
        let i = (wanted - batch.first_row) as usize;
        let mut cells = Vec::new();
        for column in 0..model.layout().features().len() {
            batch.echo(column, |row, cell| cells.extend((row == i).then(|| cell.to_owned())));
        }
        let mut words = Vec::new();
        let row = batch.features.slice(i, i + 1, &mut words);
        let card = match model.neighbours() {
            Some(neighbours) => neighbour_card(model, neighbours, &row, args.row),
            None => Explanation::new(model, &row, cells, class, against).map(|explanation| explanation.card(args.row, args.unit)),
        };
        found = Some(card.map_err(|error| at_row(error, args.row))?);
        // An error is the only way to stop a scan, and there is nothing more to read.
        Err(ErrorKind::Interrupted.into())
    });
    match (found, outcome) {
        (Some(card), _) => Ok(card),
        (None, Err(error)) => Err(error.in_table(&input.name()).into()),
        (None, Ok(_)) => Err(no_such_row(args.row, seen).in_table(&input.name()).into()),
    }
}

/// Names the row in a fault of its values.
fn at_row(error: Error, row: u64) -> Error {
    match error.into_kind() {
        ErrorKind::Data(fault) => fault.row(row).into(),
        other => other.into(),
    }
}

fn parse_row(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|row| *row > 0).ok_or_else(|| "rows are counted from 1".into())
}

fn no_such_row(row: u64, rows: u64) -> Error {
    DataFault::new(format!("there is no row {row}")).accepted(format!("the table has {}", oddsmith::notice::counted(rows, "row"))).into()
}
