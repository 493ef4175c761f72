//! `oddsmith table`: an outcome by an exposure, alone or within strata.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::card::Card;
use oddsmith::control::Control;
use oddsmith::data::Weighting;
use oddsmith::model::Params;
use oddsmith::study::cross::{CrossAnalysis, CrossTable};
use oddsmith::{Error, registry};
use oddsmith_io::{Input, Roles};

use crate::analysing;
use crate::by;
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::fitting;
use crate::options::SourceArgs;
use crate::plot;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith table births.csv --outcome low --exposure smoke                # odds, risks, tests
  oddsmith table births.csv --outcome low --exposure smoke --strata race  # Mantel–Haenszel
  oddsmith table births.csv --outcome low --exposure race                 # several levels, trend
  oddsmith table births.csv --outcome low --exposure smoke --by ht --json
  oddsmith table --cells 30,44,29,86                                      # four counts";

/// Arguments of `table`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TableArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA", required_unless_present = "cells")]
    data: Option<OsString>,

    /// The column of the outcome; its last class is the event.
    #[arg(long, value_name = "COLUMN", alias = "target", required_unless_present = "cells")]
    outcome: Option<String>,

    /// The column of the exposure; its first level is what the others are compared with.
    #[arg(long, value_name = "COLUMN", required_unless_present = "cells")]
    exposure: Option<String>,

    /// Compare rows with each other only where these columns have the same values.
    #[arg(long, value_name = "COLUMN,…")]
    strata: Option<String>,

    /// A column that says how often a row is to be counted.
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,

    /// One table for every level of this column.
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,

    /// Four counts in place of a table: exposed cases, exposed others, unexposed cases, unexposed others.
    #[arg(long, value_name = "A,B,C,D", conflicts_with_all = ["data", "outcome", "exposure", "strata", "weight", "by"])]
    cells: Option<String>,

    /// Exposure and outcome are two answers of the same pair: McNemar's test.
    #[arg(long)]
    paired: bool,

    /// How rows came to be: observed, treated at random, or sampled by their outcome, where there are no risks.
    #[arg(long, value_name = "DESIGN", default_value = "cohort", value_parser = ["cohort", "trial", "case-control"])]
    design: String,

    /// Level of the intervals.
    #[arg(long, value_name = "LEVEL", default_value = "0.95")]
    level: String,

    /// Add this to every count, as 0.5 where a cell is empty.
    #[arg(long, value_name = "COUNT")]
    add: Option<String>,

    /// Numbers of the levels in the test of trend.
    #[arg(long, value_name = "NUMBER,…", allow_hyphen_values = true)]
    scores: Option<String>,

    #[command(flatten)]
    part: PartArgs,

    #[command(flatten)]
    source: SourceArgs,
}

/// One table in place of everything.
#[derive(Debug, Clone, Copy, Args)]
struct PartArgs {
    /// Only the measures.
    #[arg(long, group = "part")]
    tidy: bool,

    /// Only the tests.
    #[arg(long, group = "part")]
    tests: bool,

    /// Draw a picture in place of tables: the forest of odds ratios.
    #[arg(long, group = "part", value_name = "PICTURE", value_enum)]
    plot: Option<TablePicture>,

    /// Only the counts: by level, or by stratum.
    #[arg(long, group = "part")]
    counts: bool,
}

/// A picture of a table of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TablePicture {
    /// Odds ratios with their limits.
    Forest,
}

/// Counts and shows.
pub(crate) fn run(args: &TableArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let params = args.params()?;
    if let Some(cells) = &args.cells {
        let card = CrossAnalysis::new(&params)?.card(&CrossTable::of_cells(four(cells)?)?)?;
        return show(args.part, &[], &card, console);
    }
    let Some(data) = &args.data else { return Err(Failure::Usage("name a table, or four counts with --cells".into())) };
    let input = files::table(data)?;
    let Some(column) = &args.by else { return count(args, &input, &params, console, control) };
    let input = fitting::kept_for_rereading(input)?;
    let levels = by::levels(column, &input, &args.source.options()?, console, control)?;
    by::each_level(column, &levels, console, &mut |only, console| {
        let each = TableArgs { source: args.source.only(only)?, ..args.clone() };
        count(&each, &input, &params, console, control)
    })
}

/// One pass over the rows.
fn count(args: &TableArgs, input: &Input, params: &Params, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    args.refuse_overlaps()?;
    let roles = Roles {
        target: args.outcome.clone(),
        weight: args.weight.clone().map(|column| (column, Weighting::Frequency)),
        order: args.source.order()?,
        ..Roles::default()
    };
    let reading = (args.source.options()?, roles);
    let procedure = Box::new(CrossAnalysis::new(params)?);
    let analysed = analysing::analyse(procedure, input, reading, args.source.threads(), console, control)?;
    show(args.part, &[("data", &analysed.data)], &analysed.card, console)?;
    analysing::tell(&analysed, console);
    Ok(())
}

/// The card, or the part that was asked for.
fn show(part: PartArgs, before: &[(&str, &Card)], card: &Card, console: &Console) -> Result<(), Failure> {
    if part.plot.is_some() {
        return plot::show(plot::of_card(card, "forest")?, console);
    }
    let named = |name: &str| card.tables.iter().find(|table| table.name() == name);
    if part.tidy {
        return console.result(&card.tidy);
    }
    if part.tests {
        return console.result(named("tests").unwrap_or(&card.tidy));
    }
    if part.counts {
        return console.result(named("strata").or(named("counts")).unwrap_or(&card.tidy));
    }
    analysing::show("table", before, card, console)
}

impl TableArgs {
    /// The options of the analysis.
    fn params(&self) -> Result<Params, Failure> {
        let Some(entry) = registry::analysis("table") else { return Err(Error::internal("there is no analysis `table`").into()) };
        let mut params = entry.defaults();
        let flag = self.paired.then(|| "true".to_owned());
        let given = [
            ("exposure", &self.exposure),
            ("strata", &self.strata),
            ("level", &Some(self.level.clone())),
            ("add", &self.add),
            ("paired", &flag),
            ("scores", &self.scores),
            ("design", &Some(self.design.clone())),
        ];
        for (name, value) in given {
            value.iter().try_for_each(|value| params.set(name, value))?;
        }
        Ok(params)
    }

    /// A column has one part only.
    fn refuse_overlaps(&self) -> Result<(), Failure> {
        let strata = self.strata.as_deref().map(crate::options::split_list).unwrap_or_default();
        let mut parts = vec![("--outcome", self.outcome.clone()), ("--exposure", self.exposure.clone()), ("--weight", self.weight.clone())];
        parts.extend(strata.into_iter().map(|column| ("--strata", Some(column))));
        for (at, (flag, column)) in parts.iter().enumerate() {
            let Some(column) = column else { continue };
            if let Some((other, _)) = parts[..at].iter().find(|(_, known)| known.as_ref() == Some(column)) {
                if other == flag {
                    return Err(Failure::Usage(format!("`{column}` is named twice in {flag}")));
                }
                return Err(Failure::Usage(format!("`{column}` cannot be both {other} and {flag}")));
            }
        }
        Ok(())
    }
}

/// Four counts as they are written.
fn four(text: &str) -> Result<[f64; 4], Failure> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let accepted = "four counts from 0 up, such as 30,70,10,90: exposed cases, exposed others, unexposed cases, unexposed others";
    let four =
        numbers.and_then(|numbers| <[f64; 4]>::try_from(numbers).ok()).filter(|four| four.iter().all(|n| (0.0..f64::INFINITY).contains(n)));
    four.ok_or_else(|| Error::option("cells", text, accepted).into())
}
