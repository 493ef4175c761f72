//! What every column saves of the bits that labels take, proven by streams that are written and read back.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::card::{Card, Cell, FixedTable, Summary};
use oddsmith::control::Control;
use oddsmith::data::{Formula, Weighting};
use oddsmith::model::Classifier;
use oddsmith::notice::{self, Notice};
use oddsmith::registry;
use oddsmith::train::{self, BitsLedger, Borrowed, ColumnSource, CompleteSource, bits_ledger};
use oddsmith::{Error, Result as LibraryResult};

use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files;
use crate::fitting::ModelRequest;
use crate::options::{ParamArgs, ReadingArgs, RoleArgs, TextArgs};
use crate::progress::Progress;
use crate::search::{Units, unless_no_model};

/// Characters of the longest bar.
const BAR: f64 = 10.0;

/// Arguments of `code ledger`.
#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// A formula of a regression, whose terms are looked at one after the other.
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,

    /// The model [default: naive Bayes, and logistic regression for a formula].
    #[arg(short, long, value_name = "MODEL")]
    model: Option<String>,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    params: ParamArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Keeps the ledger.
pub(super) fn run(args: &LedgerArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let formula = args.formula.as_deref().map(Formula::parse).transpose()?;
    let entry = match &args.model {
        Some(name) => registry::find(name)?,
        None => registry::default_for(formula.is_some()),
    };
    let mut model = ModelRequest::new(entry, args.params.of(entry)?, formula)?;
    let input = files::table(&args.data)?;
    let in_table = |error: Error| error.in_table(&input.name());
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        model.open(&input, args.reading.options(&args.text)?, args.roles.roles()?, control)?
    };
    files::need_target(&opened)?;
    if opened.layout().weighting() != Weighting::None {
        return Err(Failure::Usage("a label is sent once for every row, whatever its weight; leave --weight out".into()));
    }
    let units = Units::of(model, &opened)?;
    let complete = CompleteSource::new(&*opened.source);
    let names = units.names(&*opened.source);
    let fit = |subset: &[usize]| -> LibraryResult<Option<Box<dyn Classifier>>> {
        if !units.allows(subset) {
            return Ok(None);
        }
        let learner = units.quick(subset)?;
        let fitted = match &units {
            Units::Terms(..) => train::fit(&Borrowed(&*learner), &complete, args.reading.threads, control),
            Units::Columns(..) => train::fit(&Borrowed(&*learner), &ColumnSource::new(&complete, subset)?, args.reading.threads, control),
        };
        unless_no_model(fitted.map(|fitted| fitted.model))
    };
    let ledger = {
        let _progress = Progress::start(console, control, "coding");
        bits_ledger(&complete, &names, &fit, control).map_err(in_table)?
    };
    let incomplete = complete.incomplete_rows().map_err(in_table)?;
    let mut notices = data_card(&input.name(), &opened).notices;
    if incomplete > 0 {
        let text = format!(
            "{} excluded for missing values, so that all columns are judged on the same labels",
            notice::counted(incomplete, "row")
        );
        notices.push(Notice::new(notice::MISSING_VALUES, text));
    }
    console.result(&card(entry.name, opened.layout().target(), &ledger))?;
    console.notices(&notices);
    Ok(())
}

fn card(model: &str, target: &str, ledger: &BitsLedger) -> Card {
    let facts: Vec<(String, Cell)> = vec![
        ("labels".into(), ledger.rows.into()),
        ("bits without columns".into(), ledger.base_bits.into()),
        ("saved bits".into(), ledger.saved().into()),
        ("model".into(), model.into()),
    ];
    let mut shown = FixedTable::new("ledger", ["column", "stream_bits", "saved_bits", "alone_bits", "last_bits", "model_bits", "bar"]);
    let most = ledger.lines.iter().map(|line| line.in_order).fold(0.0, f64::max);
    let cell = |bits: Option<f64>| bits.map_or(Cell::Empty, Cell::from);
    for line in &ledger.lines {
        let width = if most > 0.0 { (line.in_order.max(0.0) / most * BAR).round() as usize } else { 0 };
        shown.push([
            line.name.as_str().into(),
            line.with.stream_bits.into(),
            line.in_order.into(),
            cell(line.alone),
            cell(line.last),
            line.with.model_bits.into(),
            "█".repeat(width).into(),
        ]);
    }
    let footnotes = vec![
        "stream_bits: labels as they were written and read back, with the columns down to this one; saved_bits: what it saves there"
            .to_owned(),
        "alone_bits: what it saves by itself; last_bits: what it saves after all others; model_bits: what it costs to say the model"
            .to_owned(),
    ];
    Card {
        title: format!("Bits of the labels {target}, column by column"),
        summary: Some(Summary { facts: facts.clone(), table: Some(shown.into()), footnotes }),
        facts,
        tidy: ledger.table(),
        ..Card::default()
    }
}
