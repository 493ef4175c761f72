//! How results are written.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use oddsmith_report::Format;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR or TERM=dumb says otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Format of the result; svg draws one that has a picture [default: table on a terminal, csv when piped].
    #[arg(long, global = true, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Option<Format>,

    /// Short for --format json.
    #[arg(long, global = true, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Colours.
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN", hide_possible_values = false)]
    pub(crate) color: ColorWhen,

    /// Put an apostrophe before CSV texts that a spreadsheet would run as a formula.
    #[arg(long, global = true)]
    pub(crate) guard_formulas: bool,

    /// Print errors only: no notes, no warnings, no progress.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say more about each step.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.into_iter().chain([Format::Svg]).map(Format::name)).try_map(|name| name.parse::<Format>())
}

/// A file to write. Standard output holds the result, so `-` can be no model, and a file of that name would surprise.
pub(crate) fn new_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path == Path::new("-") {
        true => Err("`-` is standard output, where the result goes; the name of a file (./- for one of that name)"),
        false => Ok(path),
    })
}
