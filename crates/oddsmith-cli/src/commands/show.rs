//! `oddsmith show`: what a model file or a statistics file holds.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use oddsmith::ErrorKind;
use oddsmith::card::{Card, Table};
use oddsmith::control::Control;
use oddsmith::error::visible;
use oddsmith::model::Classifier;
use oddsmith::stats::TableStats;

use crate::commands::rounds;
use crate::console::Console;
use crate::exit::Failure;
use crate::files::{self, Content};
use crate::fitting;
use crate::lint;
use crate::options::{ReadingArgs, TextArgs};

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith show low.odds                       # what was learned
  oddsmith show low.odds --weights             # log-odds weights of a linear model
  oddsmith show low.odds --tidy --json         # every parameter, for programs
  oddsmith show low.odds --tests               # tests of the terms of a regression
  oddsmith show low.odds --augment births.csv  # what a regression says about every row
  oddsmith show site-a.stats                   # what was gathered";

/// Arguments of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// A model file or a statistics file.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Only the table of parameters: class, column, level, parameter, estimate.
    #[arg(long, group = "part")]
    tidy: bool,

    /// Only one row about the whole model.
    #[arg(long, group = "part")]
    glance: bool,

    /// The exact log-odds weights, where the model is linear in its log odds.
    #[arg(long, group = "part")]
    weights: bool,

    /// Only the tests of the terms of a regression.
    #[arg(long, group = "part")]
    tests: bool,

    /// The rows of a table with what a regression says about them: fitted probability, leverage, residuals …
    #[arg(long, group = "part", value_name = "DATA")]
    augment: Option<OsString>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Shows the file.
pub(crate) fn run(args: &ShowArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let model = match files::read(&args.file)? {
        Content::Model(model) => model,
        Content::Statistics(_) if args.weights || args.tests || args.augment.is_some() => {
            return Err(Failure::Usage("statistics have no weights, tests or predictions; fit a model to them first".into()));
        }
        Content::Round(_) | Content::Question(_) | Content::Answer(_) if args.weights || args.tests || args.augment.is_some() => {
            return Err(Failure::Usage("a fit under way has no weights, tests or predictions; `oddsmith rounds advance` goes on".into()));
        }
        Content::Statistics(stats) => return show_card(args, &statistics_card(&stats), console),
        Content::Round(round) => return show_card(args, &rounds::question_card(&round.question()?, round.sites())?, console),
        Content::Question(question) => return show_card(args, &rounds::question_card(&question, &[])?, console),
        Content::Answer(answer) => return show_card(args, &rounds::answer_card(&answer), console),
    };
    if args.weights {
        return console.result(&weights(&*model)?);
    }
    if args.tests {
        return console.result(&fitting::tests_table(&*model)?);
    }
    if let Some(data) = &args.augment {
        let input = files::table(data)?;
        let options = args.reading.options(&args.text)?;
        return fitting::augment(&*model, &input, &options, fitting::Telling::Notices, console, control);
    }
    let card = model_card(&*model);
    if args.tidy || args.glance {
        return show_card(args, &card, console);
    }
    fitting::show(&card, &[], console)?;
    console.notices(&card.notices);
    Ok(())
}

fn show_card(args: &ShowArgs, card: &Card, console: &Console) -> Result<(), Failure> {
    if args.tidy {
        return console.result(&card.tidy);
    }
    if args.glance {
        return console.result(&glance(card));
    }
    console.result(card)?;
    console.notices(&card.notices);
    Ok(())
}

/// The card of a model with the classes it tells apart.
pub(crate) fn model_card(model: &dyn Classifier) -> Card {
    let mut card = model.card();
    let classes = model.layout().classes();
    let labels = classes.labels().iter().map(|label| visible(label)).collect::<Vec<_>>().join(", ");
    let event = if classes.len() == 2 { format!("; event {}", visible(classes.label(1))) } else { String::new() };
    card.facts.insert(0, ("target".into(), format!("{}: {labels}{event}", model.layout().target()).into()));
    card.facts.insert(1, ("columns".into(), model.layout().features().len().into()));
    card
}

/// The card of statistics.
pub(crate) fn statistics_card(stats: &TableStats) -> Card {
    let layout = stats.layout();
    let classes = stats.classes();
    let counts = layout.classes().labels().iter().zip(&classes.rows).map(|(label, rows)| format!("{} ({rows})", visible(label)));
    Card {
        title: "Statistics".into(),
        facts: vec![
            ("rows".into(), classes.total_rows().into()),
            ("weight".into(), classes.total().into()),
            ("target".into(), format!("{}: {}", layout.target(), counts.collect::<Vec<_>>().join(", ")).into()),
            ("columns".into(), layout.features().len().into()),
        ],
        tidy: lint::columns_table(stats),
        ..Card::default()
    }
}

fn weights(model: &dyn Classifier) -> Result<Table, Failure> {
    match model.linear() {
        Some(linear) => Ok(linear.table(model.layout())),
        None => Err(oddsmith::Error::from(ErrorKind::Unsupported {
            model: model.card().title,
            what: "show weights".into(),
            advice: "its log odds are not linear, or a probability of zero makes a weight infinite; --tidy lists its parameters".into(),
        })
        .into()),
    }
}

/// The facts of a card as one row.
pub(crate) fn glance(card: &Card) -> Table {
    let snake = |name: &String| name.to_lowercase().replace(' ', "_");
    let facts = card.facts.iter().map(|(name, value)| (snake(name), value.clone()));
    Table::of_record("glance", std::iter::once(("model".to_owned(), card.title.as_str().into())).chain(facts))
}
