//! What every column of a table tells about its target.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;
use oddsmith::model::Procedure;
use oddsmith::study::information::Information;
use oddsmith::{Error, train};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::flags;
use crate::options::{AnalysisArgs, OfAnalysis, ReadingArgs, RoleArgs, TextArgs, split_list};
use crate::plot;
use crate::progress::Progress;

/// The analysis.
#[derive(Debug, Clone)]
pub(super) struct Screen;

impl OfAnalysis for Screen {
    const NAME: &'static str = "information";
}

/// Arguments of the screen.
#[derive(Debug, Args)]
pub(super) struct ScreenArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA", required = true)]
    data: Option<OsString>,

    /// What two columns tell about each other; short for --target and --features.
    #[arg(long, value_name = "COLUMN", num_args = 2, conflicts_with_all = ["target", "features", "exclude"])]
    between: Vec<String>,

    /// Draw the bars of information in place of tables.
    #[arg(long, value_name = "PICTURE", value_parser = ["information"])]
    plot: Option<String>,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    params: AnalysisArgs<Screen>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Reads the table and ranks its columns.
pub(super) fn run(args: &ScreenArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let Some(data) = &args.data else { return Err(Failure::Usage("name a table, such as births.csv".into())) };
    let input = files::table(data)?;
    let screen = Information::from_params(&args.params.params()?);
    let mut roles = args.roles.roles()?;
    if let [x, y] = &args.between[..] {
        roles.target = Some(split_list(y).concat());
        roles.features = Some(split_list(x));
    }
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        let open = |options: &_, roles: &_| oddsmith_io::open(&input, options, roles, control);
        oddsmith_io::open_for(screen.needs()?, args.reading.options(&args.text)?, &roles, open)?
    };
    files::need_target(&opened)?;
    let mut card = {
        let _progress = Progress::start(console, control, "counting");
        train::conclude(&screen, &*opened.source, args.reading.threads, control)
            .map_err(|error: Error| error.in_table(&input.name()))?
            .model
    };
    control.check()?;
    card.notices.splice(0..0, opened.notices.iter().cloned());
    match &args.plot {
        Some(name) => plot::show(plot::of_card(&card, name)?, console)?,
        None => console.result(&card)?,
    }
    console.notices(&card.notices);
    flags::tell(&opened, console);
    Ok(())
}
