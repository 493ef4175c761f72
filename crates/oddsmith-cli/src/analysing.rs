//! The road of an analysis: the table as it needs it, its passes, its card.

use std::num::NonZeroUsize;
use std::sync::Arc;

use oddsmith::card::{Card, Summary, Table};
use oddsmith::control::Control;
use oddsmith::model::{AnyProcedure, Conclusion};
use oddsmith::train::Trace;
use oddsmith::{Error, train};
use oddsmith_io::{Input, ReadOptions, Roles};
use oddsmith_report::Format;

use crate::console::Console;
use crate::data_card::{data_card, tell_doubts};
use crate::exit::Failure;
use crate::fitting;
use crate::progress::Progress;

/// What tables of analyses can do without at a narrow terminal, first to go first.
const DISPENSABLE: [&str; 4] = ["all", "SMD", "outside", "n"];

/// What was read, and what an analysis concluded from it.
pub(crate) struct Analysed {
    /// The table.
    pub(crate) data: Card,
    /// What was concluded.
    pub(crate) card: Card,
}

/// Carries an analysis out. Columns that were chosen win over those it asks for.
pub(crate) fn analyse(
    procedure: Box<dyn AnyProcedure>,
    input: &Input,
    reading: (ReadOptions, Roles),
    threads: Option<NonZeroUsize>,
    console: &Console,
    control: &Arc<Control>,
) -> Result<Analysed, Failure> {
    analyse_watched(procedure, input, reading, threads, (console, control), None)
}

/// The same, with the steps of its search where somebody wants them.
pub(crate) fn analyse_watched(
    procedure: Box<dyn AnyProcedure>,
    input: &Input,
    (options, mut roles): (ReadOptions, Roles),
    threads: Option<NonZeroUsize>,
    (console, control): (&Console, &Arc<Control>),
    trace: Option<&mut Trace>,
) -> Result<Analysed, Failure> {
    let needs = procedure.needs_any()?;
    roles.target = roles.target.or(needs.target.clone());
    roles.features = roles.features.or(needs.features.clone());
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        oddsmith_io::open_for(needs, options, &roles, |options, roles| oddsmith_io::open(input, options, roles, control))?
    };
    let concluded = {
        let _progress = Progress::start(console, control, "counting");
        let concluded = match trace {
            Some(trace) => train::conclude_traced(&procedure, &*opened.source, threads, control, trace),
            None => train::conclude(&procedure, &*opened.source, threads, control),
        };
        concluded.inspect_err(|error| tell_doubts(&input.name(), &opened, error, console)).map_err(|error| error.in_table(&input.name()))?
    };
    if console.verbose() {
        let passes = oddsmith::notice::counted(concluded.passes as u64, "pass");
        console.note(&format!("{passes} over {}", oddsmith::notice::counted(opened.rows, "row")));
    }
    let Conclusion::Card(card) = concluded.model else { return Err(Error::internal("an analysis ended in a model").into()) };
    control.check()?;
    let mut data = data_card(&input.name(), &opened);
    if console.format().is_for_people() {
        data.tidy.truncate(0);
    }
    Ok(Analysed { data, card: *card })
}

/// Shows a card under a key: for programs its further tables come before it, each a card of its own.
pub(crate) fn show(key: &str, before: &[(&str, &Card)], card: &Card, console: &Console) -> Result<(), Failure> {
    let narrow = at_terminal(card, console);
    let card = narrow.as_ref().unwrap_or(card);
    let for_programs = matches!(console.format(), Format::Csv | Format::Json | Format::Ndjson);
    let further = |table: &Table| Card { title: table.name().to_owned(), tidy: table.clone(), ..Card::default() };
    let tables: Vec<Card> = if for_programs { card.tables.iter().map(further).collect() } else { Vec::new() };
    let mut cards = before.to_vec();
    cards.extend(tables.iter().map(|card| (card.tidy.name(), card)));
    cards.push((key, card));
    console.result(&cards[..])
}

/// The card with a table that fits a terminal, where it can do without some of its columns.
fn at_terminal(card: &Card, console: &Console) -> Option<Card> {
    let width = console.style().width.filter(|_| console.format() == Format::Table)?;
    let summary = card.summary.as_ref()?;
    let table = fitting::narrow(summary.table.as_ref()?, width, &DISPENSABLE);
    Some(Card { summary: Some(Summary { table: Some(table), ..summary.clone() }), ..card.clone() })
}

/// A further table of a card, or its own.
pub(crate) fn named<'a>(card: &'a Card, name: &str) -> &'a Table {
    card.tables.iter().find(|table| table.name() == name).unwrap_or(&card.tidy)
}

/// Notices of the table and of the analysis.
pub(crate) fn tell(analysed: &Analysed, console: &Console) {
    console.notices(&analysed.data.notices);
    console.notices(&analysed.card.notices);
}
