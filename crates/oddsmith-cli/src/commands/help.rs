//! `oddsmith help`: a page for every warning and every command.

use clap::{Args, CommandFactory};
use oddsmith::ErrorKind;
use oddsmith::card::Table;
use oddsmith::notice::{self, CATALOGUE};
use oddsmith_report::Format;

use crate::command_line::CommandLine;
use crate::console::Console;
use crate::exit::Failure;

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
    let mut table = Table::new("warnings", &["id", "name", "page"]);
    for entry in CATALOGUE {
        table.push(vec![entry.id.into(), entry.name.into(), entry.page.into()]);
    }
    console.result(&table)
}

fn page(id: &str, console: &Console) -> Result<(), Failure> {
    let Some(entry) = notice::page(id) else { return list(console) };
    if matches!(console.format(), Format::Json | Format::Ndjson) {
        let object = serde_json::json!({ "id": entry.id, "name": entry.name, "page": entry.page });
        return console.text(&format!("{object}\n"));
    }
    console.text(&format!("{} {}\n\n{}", entry.id, entry.name, wrapped(entry.page)))
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

/// Lines of at most [`WIDTH`] characters.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let size = word.chars().count();
        if length > 0 && length + 1 + size > WIDTH {
            lines.push('\n');
            length = 0;
        }
        if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += size;
    }
    lines.push('\n');
    lines
}
