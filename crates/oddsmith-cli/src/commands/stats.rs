//! `oddsmith stats`: statistics as files, so that models can be fitted without the rows.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use oddsmith::control::Control;
use oddsmith::persist::{self, Members};
use oddsmith::stats::{Named, Parts, ScatterPart, TableStats, Union};
use oddsmith::{Error, ErrorKind, Notice, train};
use oddsmith_io::Input;
use oddsmith_report::Format;

use crate::commands::show::statistics_card;
use crate::console::Console;
use crate::deferred::Deferred;
use crate::exit::Failure;
use crate::files;
use crate::options::{ReadingArgs, RoleArgs, TextArgs, new_file, parse_number};
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith stats gather site-a.csv --target low -o site-a.stats      # at every site
  oddsmith stats gather site-b.csv --target low -o site-b.stats
  oddsmith stats merge site-a.stats site-b.stats -o all.stats        # where the sites meet
  oddsmith fit all.stats --model lda --features age,lwt -o lda.odds  # of the pooled rows
  oddsmith stats subtract all.stats site-a.stats -o rest.stats       # take a site away again";

/// What to do with statistics.
#[derive(Debug, Subcommand)]
pub(crate) enum StatsCommand {
    /// Sum a table up.
    Gather(Deferred<GatherArgs>),
    /// Add statistics up; levels, classes and words that differ are united.
    Merge(MergeArgs),
    /// Take statistics away from a whole that holds them.
    Subtract(SubtractArgs),
}

/// Arguments of `stats gather`.
#[derive(Debug, Args)]
pub(crate) struct GatherArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// Where to save the statistics.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,

    /// A number above this is a set flag for Bernoulli columns.
    #[arg(long, value_name = "THRESHOLD", default_value = "0", allow_negative_numbers = true, value_parser = parse_number)]
    binarize: f64,

    /// Leave out the products of number columns, which only lda and qda need; a wide table has many.
    #[arg(long)]
    no_products: bool,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Arguments of `stats merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Statistics files.
    #[arg(value_name = "STATS", required = true, num_args = 1..)]
    inputs: Vec<PathBuf>,

    /// Where to save the sum.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,
}

/// Arguments of `stats subtract`.
#[derive(Debug, Args)]
pub(crate) struct SubtractArgs {
    /// The statistics of the whole.
    #[arg(value_name = "WHOLE")]
    whole: PathBuf,

    /// The statistics of parts of it.
    #[arg(value_name = "PART", required = true, num_args = 1..)]
    parts: Vec<PathBuf>,

    /// Where to save what remains.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,
}

/// Runs a subcommand.
pub(crate) fn run(command: &StatsCommand, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    match command {
        StatsCommand::Gather(args) => gather(args, console, control),
        StatsCommand::Merge(args) => merge(args, console),
        StatsCommand::Subtract(args) => subtract(args, console),
    }
}

fn gather(args: &GatherArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let input = files::table(&args.data)?;
    if let Input::Path(data) = &input {
        files::refuse_same(&args.output, &[data])?;
    }
    let options = args.reading.options(&args.text)?;
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        oddsmith_io::open(&input, &options, &args.roles.roles()?, control)?
    };
    files::need_target(&opened)?;
    let layout = opened.layout();
    let scatter = if args.no_products { ScatterPart::None } else { ScatterPart::PerClass };
    let products = 8 * (layout.numbers().len() as u64).pow(2) * layout.classes().len() as u64;
    if scatter != ScatterPart::None && products > options.memory {
        let what = format!("the products of {} number columns take {} MB", layout.numbers().len(), products >> 20);
        return Err(Failure::Usage(format!("{what}; raise --memory, leave columns out with --exclude, or use --no-products")));
    }
    let parts = Parts { flag_threshold: args.binarize, scatter, ..Parts::all() };
    let stats = {
        let _progress = Progress::start(console, control, "gathering");
        train::gather(&*opened.source, parts, args.reading.threads, control).map_err(|error| error.in_table(&input.name()))?
    };
    control.check()?;
    save(&stats, &Members::new(), &args.output, opened.notices, console)
}

fn merge(args: &MergeArgs, console: &Console) -> Result<(), Failure> {
    files::refuse_same(&args.output, &args.inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    // Two readings, with one file in memory at a time: layouts first, then sums.
    let (mut union, mut seen) = (Union::default(), BTreeMap::new());
    for path in &args.inputs {
        let (name, stats) = (path.display().to_string(), files::read_statistics(path)?);
        for member in files::read_members(path)? {
            if let Some(first) = seen.insert(member, name.clone()) {
                return Err(persist::counted_twice(&first, &name).into());
            }
        }
        union.look(&Named { name: &name, stats: &stats })?;
    }
    for path in &args.inputs {
        union.add(&files::read_statistics(path)?)?;
    }
    let (total, notices) = union.finish()?;
    save(&total, &seen.into_keys().collect(), &args.output, notices, console)
}

fn subtract(args: &SubtractArgs, console: &Console) -> Result<(), Failure> {
    files::refuse_same(&args.output, &std::iter::once(&args.whole).chain(&args.parts).map(PathBuf::as_path).collect::<Vec<_>>())?;
    let mut rest = files::read_statistics(&args.whole)?;
    let mut members = files::read_members(&args.whole)?;
    let mut notices = Vec::new();
    for path in &args.parts {
        let part = files::read_statistics(path)?;
        let (left_name, right_name) = (args.whole.display().to_string(), path.display().to_string());
        let whole = Named { name: &left_name, stats: &rest };
        let (left, told) = persist::without(&whole, &members, &right_name, &files::read_members(path)?)?;
        members = left;
        notices.extend(told);
        let named = |what: String| Error::from(ErrorKind::Mismatch { left_name: left_name.clone(), right_name: right_name.clone(), what });
        // The part may have seen fewer levels than the whole, never more.
        let part = part.project(Arc::clone(rest.layout())).map_err(|error| named(error.to_string()))?;
        rest.subtract(&part).map_err(|error| match error.into_kind() {
            ErrorKind::Mismatch { what, .. } => named(what),
            other => other.into(),
        })?;
    }
    save(&rest, &members, &args.output, notices, console)
}

fn save(stats: &TableStats, members: &Members, output: &Path, notices: Vec<Notice>, console: &Console) -> Result<(), Failure> {
    let saved = files::save(output, &persist::save_members(stats, members)?)?;
    let mut card = statistics_card(stats);
    card.notices = notices;
    if console.format() != Format::Table {
        card.facts.extend(saved.facts());
    }
    console.result(&card)?;
    console.notices(&card.notices);
    console.note(&format!("statistics → {saved}"));
    Ok(())
}
