//! `oddsmith help`: a page for every warning and every command.

use clap::{Args, CommandFactory};
use oddsmith::ErrorKind;
use oddsmith::card::{Card, FixedTable, Summary, Table};
use oddsmith::notice::{self, CATALOGUE, NoticePage};
use oddsmith_report::Format;

use crate::command_line::CommandLine;
use crate::console::Console;
use crate::exit::Failure;
use crate::wording::Flags;

/// Arguments of `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A warning such as W112, `warnings` for the list of all, or a command such as `fit` or `stats merge`.
    topic: Vec<String>,
}

/// Width of a page's text.
const WIDTH: usize = 80;

/// Prints the page of a topic.
pub(crate) fn run(args: &HelpArgs, console: &Console) -> Result<(), Failure> {
    match &args.topic[..] {
        [] => top(console),
        [word] if word == "warnings" => list(console),
        [word] if notice::page(word).is_some() => page(word, console),
        words => command(words, console),
    }
}

/// Prints the help of the whole program.
pub(crate) fn top(console: &Console) -> Result<(), Failure> {
    console.text(&CommandLine::command().render_long_help().to_string())
}

fn list(console: &Console) -> Result<(), Failure> {
    console.result(&pages(CATALOGUE))
}

/// Pages of warnings as a table.
fn pages(entries: &[NoticePage]) -> Table {
    let mut table = FixedTable::new("warnings", ["id", "name", "page"]);
    for entry in entries {
        table.push([entry.id.into(), entry.name.into(), entry.worded(&Flags).into()]);
    }
    table.into()
}

fn page(id: &str, console: &Console) -> Result<(), Failure> {
    let Some(entry) = notice::page(id) else { return list(console) };
    let title = format!("{} {}", entry.id, entry.name);
    match console.asked() {
        None | Some(Format::Table) => {
            console.text(&format!("{title}\n\n{}\n", oddsmith_report::wrapped(&entry.worded(&Flags), Some(WIDTH), 0)))
        }
        Some(Format::Json | Format::Ndjson) => {
            console.text(&format!("{}\n", serde_json::json!({ "id": entry.id, "name": entry.name, "page": entry.worded(&Flags) })))
        }
        Some(Format::Csv) => console.result(&pages(std::slice::from_ref(entry))),
        Some(_) => {
            let summary = Summary { footnotes: vec![entry.worded(&Flags)], ..Summary::default() };
            console.result(&Card { title, summary: Some(summary), ..Card::default() })
        }
    }
}

fn command(words: &[String], console: &Console) -> Result<(), Failure> {
    let mut found = CommandLine::command();
    found.build();
    for word in words {
        let known: Vec<String> = found.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        found = match found.find_subcommand(word) {
            Some(subcommand) => subcommand.clone(),
            None => {
                let known = known.into_iter().chain(CATALOGUE.iter().map(|entry| entry.id.to_owned())).collect();
                return Err(oddsmith::Error::from(ErrorKind::Unknown { noun: "help topic", name: word.clone(), known }).into());
            }
        };
    }
    console.text(&found.render_long_help().to_string())
}
