//! `oddsmith models`: what can be fitted, and with which options.

use clap::Args;
use oddsmith::card::{FixedTable, Table};
use oddsmith::model::{Param, ParamKind};
use oddsmith::registry::{Entry, MODELS};
use oddsmith_report::Format;
use serde_json::{Value, json};

use crate::console::Console;
use crate::exit::Failure;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith models                # what can be fitted
  oddsmith models --options lda  # the options of a model
  oddsmith models --json         # everything, for programs";

/// Arguments of `models`.
#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// List the options of this model.
    #[arg(long, value_name = "MODEL")]
    options: Option<String>,
}

/// Lists the registry.
pub(crate) fn run(args: &ModelsArgs, console: &Console) -> Result<(), Failure> {
    if let Some(name) = &args.options {
        return console.result(&options_table(oddsmith::registry::find(name)?));
    }
    if console.format() == Format::Json {
        let text = serde_json::to_string_pretty(&MODELS.iter().map(object).collect::<Vec<_>>());
        let text = text.map_err(|error| oddsmith::Error::internal(format!("the models cannot be listed: {error}")))?;
        return console.text(&format!("{text}\n"));
    }
    let mut table = FixedTable::new("models", ["model", "aliases", "what_it_is"]);
    for entry in MODELS {
        table.push([entry.name.into(), entry.aliases.join(" ").into(), entry.summary.into()]);
    }
    console.result(&Table::from(table))
}

fn options_table(entry: &Entry) -> Table {
    let mut table = FixedTable::new("options", ["option", "accepts", "default", "what_it_does"]);
    for param in entry.params {
        table.push([param.name.into(), param.kind.accepted().into(), param.default.into(), param.doc.into()]);
    }
    table.into()
}

fn object(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "aliases": entry.aliases,
        "python": entry.python,
        "family": entry.family,
        "summary": entry.summary,
        "one_pass": entry.one_pass,
        "takes_formula": entry.takes_formula,
        "searches": entry.learner().is_ok_and(|learner| learner.searches_any()),
        "options": entry.params.iter().map(|param| option(param)).collect::<Vec<_>>(),
    })
}

fn option(param: &Param) -> Value {
    let choices = if let ParamKind::Choice(words) = param.kind { json!(words) } else { Value::Null };
    json!({
        "name": param.name,
        "aliases": param.aliases,
        "accepts": param.kind.accepted(),
        "choices": choices,
        "default": param.default,
        "doc": param.doc,
    })
}
