//! `oddsmith describe`: every column over all rows and by group, the first table of a report.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;
use oddsmith_io::Roles;

use crate::analysing::{self, Analysed};
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::labels;
use crate::options::{AnalysisArgs, OfAnalysis, SourceArgs, WeightArgs, split_list};
use crate::plot;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith describe births.csv --by low                          # counts, means, medians, tests
  oddsmith describe births.csv --by race --columns age,lwt,smoke # some columns, three groups
  oddsmith describe births.csv --by low --numbers mean --equal-variances
  oddsmith describe births.csv --exclude bwt --format md         # no groups
  oddsmith describe births.csv --by smoke --exclude bwt --plot differences
  oddsmith describe births.csv --by low --labels labels.csv --format docx > table1.docx";

/// The analysis.
#[derive(Debug, Clone)]
pub(crate) struct Described;

impl OfAnalysis for Described {
    const NAME: &'static str = "describe";
    const HEADING: &'static str = "the description";
}

/// Arguments of `describe`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DescribeArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// Compare the groups of this column.
    #[arg(long, value_name = "COLUMN", alias = "target")]
    by: Option<String>,

    /// Columns to leave out.
    #[arg(long, value_name = "COLUMN,…", conflicts_with = "columns")]
    exclude: Vec<String>,

    /// What columns and levels are called in tables for people: lines of name,label or name,label,level,label.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    #[command(flatten)]
    part: PartArgs,

    #[command(flatten)]
    params: AnalysisArgs<Described>,

    #[command(flatten)]
    weights: WeightArgs,

    #[command(flatten)]
    source: SourceArgs,
}

/// One table in place of everything.
#[derive(Debug, Clone, Args)]
struct PartArgs {
    /// Only one row for every column, level and group.
    #[arg(long, group = "part")]
    tidy: bool,

    /// Only the tests.
    #[arg(long, group = "part", requires = "by")]
    tests: bool,

    /// Draw a picture in place of tables: how far groups are apart in every column.
    #[arg(long, group = "part", requires = "by", value_name = "PICTURE", value_parser = ["differences"])]
    plot: Option<String>,
}

/// Counts and shows.
pub(crate) fn run(args: &DescribeArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let input = files::table(&args.data)?;
    let labels = args.labels.as_deref().map(labels::read).transpose()?;
    let roles = Roles {
        target: args.by.clone(),
        exclude: args.exclude.iter().flat_map(|list| split_list(list)).collect(),
        weight: args.weights.weight(),
        order: args.source.order()?,
        ..Roles::default()
    };
    let procedure = args.params.procedure()?;
    let reading = (args.source.options()?, roles);
    let mut analysed: Analysed = analysing::analyse(procedure, &input, reading, args.source.threads(), console, control)?;
    if let Some(labels) = &labels {
        labels.apply(&mut analysed.card);
    }
    let card = &analysed.card;
    match (&args.part.plot, args.part.tidy, args.part.tests) {
        (Some(picture), ..) => plot::show(plot::of_card(card, picture)?, console)?,
        (_, true, _) => console.result(&card.tidy)?,
        (.., true) => console.result(analysing::named(card, "tests"))?,
        _ => analysing::show("description", &[("data", &analysed.data)], card, console)?,
    }
    analysing::tell(&analysed, console);
    Ok(())
}
