//! `oddsmith models`: what can be fitted.

use oddsmith::card::Table;
use oddsmith::registry::MODELS;

use crate::console::Console;
use crate::exit::Failure;

/// Lists the registry.
pub(crate) fn run(console: &Console) -> Result<(), Failure> {
    let mut table = Table::new("models", &["model", "aliases", "what_it_is"]);
    for entry in MODELS {
        table.push(vec![entry.name.into(), entry.aliases.join(" ").into(), entry.summary.into()]);
    }
    console.result(&table)
}
