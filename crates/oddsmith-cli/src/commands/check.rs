//! `oddsmith check`: a look at a table before anything is fitted to it.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::card::{Cell, Table};
use oddsmith::control::Control;
use oddsmith::error::DataFault;
use oddsmith::stats::TableStats;
use oddsmith::{Error, Notice, train};
use oddsmith_io::{Input, Opened, ReadOptions};
use oddsmith_report::Format;

use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files;
use crate::flags;
use crate::lint::{self, EventsPerVariable, RowSample};
use crate::options::{ReadingArgs, RoleArgs, TextArgs};
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith check births.csv --target low
  oddsmith check births.csv --target low --strict --json  # exit code 7 on any warning";

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// Fail if there is anything to warn about.
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Reads the table, tells what is in it and what to look at.
pub(crate) fn run(args: &CheckArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let input = files::table(&args.data)?;
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        let options = ReadOptions { flags: Some(Vec::new()), ..args.reading.options(&args.text)? };
        oddsmith_io::open(&input, &options, &args.roles.roles()?, control)?
    };
    files::need_target(&opened)?;
    let _progress = Progress::start(console, control, "checking");
    let in_table = |error: Error| error.in_table(&input.name());
    let layout = Arc::new(opened.layout().clone());
    let empty = TableStats::new(Arc::clone(&layout), lint::parts());
    let stats = train::pass(&*opened.source, &empty, args.reading.threads, control).map_err(in_table)?;
    let sample = train::pass(&*opened.source, &RowSample::new(&layout), args.reading.threads, control).map_err(in_table)?;
    one_class(&stats).map_err(in_table)?;
    report(&input, &opened, &stats, &sample, args.strict, console)
}

fn report(input: &Input, opened: &Opened, stats: &TableStats, sample: &RowSample, strict: bool, console: &Console) -> Result<(), Failure> {
    let mut card = data_card(&input.name(), opened);
    card.notices.extend(lint::findings(stats, sample, &opened.columns));
    let events = EventsPerVariable::new(stats);
    flag_columns(&mut card.tidy, &card.notices);
    if console.format() == Format::Table {
        // Warnings are the result of this command, so people find them where the result is.
        console.result(&card)?;
        console.text(&oddsmith_report::notices(&card.notices, console.style()))?;
        let help = card.notices.first().map_or_else(String::new, |first| format!("`oddsmith help {}` explains a warning\n", first.id));
        console.sentences(&format!("{events}\n{help}"))?;
    } else {
        card.facts.extend(events.facts());
        console.result(&card)?;
        console.notices(&card.notices);
    }
    flags::tell(opened, console);
    if strict && card.notices.iter().any(Notice::is_warning) { Err(Failure::strict(&card.notices)) } else { Ok(()) }
}

/// Adds a column with the ids of the warnings about each column.
fn flag_columns(table: &mut Table, notices: &[Notice]) {
    table.push_column("warnings", |_, row| {
        let about = |notice: &&Notice| notice.column.as_deref().map(Cell::from).as_ref() == row.first();
        let mut ids: Vec<&str> = notices.iter().filter(about).map(|notice| notice.id).collect();
        ids.dedup();
        if ids.is_empty() { Cell::Empty } else { ids.join(" ").into() }
    });
}

/// A target that never changes is the fault that every model would stop at.
fn one_class(stats: &TableStats) -> Result<(), Error> {
    let seen: Vec<usize> = (0..stats.classes().rows.len()).filter(|&k| stats.classes().rows[k] > 0).collect();
    match seen[..] {
        [k] => {
            let layout = stats.layout();
            let what = format!("the target has one class: {} ({} rows)", layout.classes().label(k), stats.classes().rows[k]);
            Err(DataFault::new(what).column(layout.target()).accepted("two classes or more are needed").into())
        }
        _ => Ok(()),
    }
}
