//! What every column of a table tells about its target.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::card::{Card, Summary};
use oddsmith::control::Control;
use oddsmith::model::Procedure;
use oddsmith::study::information::Information;
use oddsmith::{Error, train};
use oddsmith_io::{Input, Opened, Roles};
use oddsmith_report::Format;

use super::between;
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::fitting;
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
    let mut input = files::table(data)?;
    let screen = Information::from_params(&args.params.params()?);
    let mut roles = args.roles.roles()?;
    if let [x, y] = &args.between[..] {
        let [x, y] = [x, y].map(|name| split_list(name).concat());
        input = fitting::kept_for_rereading(input)?;
        roles.features = Some(vec![x.clone(), y.clone()]);
        let both = open(args, &screen, &input, &roles, console, control)?;
        if let Some(places) = between::both_numbers(&both, &x, &y)? {
            if screen.strata.is_some() || screen.forms || screen.pairs > 0 {
                return Err(Failure::Usage("--strata, --forms and --pairs need one column at least that is no number".into()));
            }
            let card = between::card(&both, places, [&x, &y], &screen).map_err(|error| error.in_table(&input.name()))?;
            console.result(&card)?;
            console.notices(&both.notices.iter().chain(&card.notices).cloned().collect::<Vec<_>>());
            return Ok(());
        }
        // What is told is the same from either side; a number is the side that can be cut.
        let (feature, target) = if between::turned(&both, &x, &y)? { (y, x) } else { (x, y) };
        (roles.target, roles.features) = (Some(target), Some(vec![feature]));
    }
    let opened = open(args, &screen, &input, &roles, console, control)?;
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
        None => show(&card, console)?,
    }
    console.notices(&card.notices);
    flags::tell(&opened, console);
    Ok(())
}

/// The screen and, where they were asked for, the pairs: below it for people, in their place where there is room for one table only.
fn show(card: &Card, console: &Console) -> Result<(), Failure> {
    let Some(pairs) = card.tables.iter().find(|table| table.name() == "pairs") else { return console.result(card) };
    match console.format() {
        Format::Csv | Format::Ndjson => console.result(pairs),
        _ => {
            let mut shown = pairs.clone();
            shown.retain_columns(|_, name| !matches!(name, "weight" | "second_given_first_bits"));
            let footnotes = vec![
                "interaction_bits: above 0 both tell more together than one by one, below 0 they say the same twice".to_owned(),
                "p_value: of the second column's adding nothing to the first".to_owned(),
            ];
            let summary = Some(Summary { table: Some(shown), footnotes, ..Summary::default() });
            let title = "What pairs of columns tell together".to_owned();
            let below = Card { title, tidy: pairs.clone(), summary, ..Card::default() };
            let single = Card { tables: Vec::new(), ..card.clone() };
            console.result(&[("information", &single), ("pairs", &below)][..])
        }
    }
}

fn open(
    args: &ScreenArgs,
    screen: &Information,
    input: &Input,
    roles: &Roles,
    console: &Console,
    control: &Arc<Control>,
) -> Result<Opened, Failure> {
    let _progress = Progress::start(console, control, "reading");
    let open = |options: &_, roles: &_| oddsmith_io::open(input, options, roles, control);
    Ok(oddsmith_io::open_for(screen.needs()?, args.reading.options(&args.text)?, roles, open)?)
}
