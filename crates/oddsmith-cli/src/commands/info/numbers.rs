//! Entropies, divergences, mutual information and capacities of numbers at the command.

use std::path::PathBuf;

use clap::Args;
use oddsmith::Error;
use oddsmith::card::{Card, Cell, FixedTable, Table};
use oddsmith::info::{Channel, Distribution, Gaussian, Joint};
use oddsmith::notice::{self, Notice};

use crate::console::Console;
use crate::exit::Failure;
use crate::rows_of_numbers::{matrix, one_row, parse_level, rows};

/// What all of them take.
#[derive(Debug, Args)]
pub(super) struct UnitArgs {
    /// Base of logarithms: 2 for bits, e for nats, 10 for bans, or any number above 1.
    #[arg(long, value_name = "BASE", default_value = "2", value_parser = parse_base)]
    base: f64,

    /// Read the rows of numbers from this file, one a line.
    #[arg(long, value_name = "FILE", conflicts_with = "rows")]
    file: Option<PathBuf>,
}

/// Distributions.
#[derive(Debug, Args)]
pub(super) struct NumbersArgs {
    /// Probabilities, decimals or fractions, with commas between those of one distribution.
    #[arg(value_name = "P,…", allow_negative_numbers = true)]
    rows: Vec<String>,

    /// The numbers are counts and need not add up to 1.
    #[arg(long, conflicts_with = "gaussian")]
    counts: bool,

    /// The numbers are mean and variance of normal distributions.
    #[arg(long)]
    gaussian: bool,

    #[command(flatten)]
    unit: UnitArgs,
}

/// A table of counts, or a covariance.
#[derive(Debug, Args)]
pub(super) struct TableArgs {
    /// Rows of the table, with commas between numbers.
    #[arg(value_name = "N,…", allow_negative_numbers = true)]
    rows: Vec<String>,

    /// The rows are those of a covariance.
    #[arg(long)]
    gaussian: bool,

    /// Variables on the first side, where the rows are a covariance.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "gaussian")]
    split: usize,

    /// Coverage of the interval.
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = parse_level)]
    level: f64,

    #[command(flatten)]
    unit: UnitArgs,
}

/// A channel.
#[derive(Debug, Args)]
pub(super) struct CapacityArgs {
    /// Rows of the channel: for every input the probabilities of the outputs, with commas between them.
    #[arg(value_name = "P,…", allow_negative_numbers = true)]
    rows: Vec<String>,

    #[command(flatten)]
    unit: UnitArgs,
}

impl UnitArgs {
    /// From nats.
    fn of(&self, nats: f64) -> Cell {
        Cell::Number(nats / self.base.ln())
    }

    /// The name of the unit.
    fn name(&self) -> Cell {
        match self.base {
            2.0 => "bits".into(),
            base if base == std::f64::consts::E => "nats".into(),
            10.0 => "bans".into(),
            base => format!("log base {base}").into(),
        }
    }
}

impl NumbersArgs {
    fn distribution(&self, row: &[f64]) -> Result<Distribution, Error> {
        if self.counts { Distribution::of_counts(row) } else { Distribution::new(row) }
    }

    fn two(&self, what: &str) -> Result<[Vec<f64>; 2], Failure> {
        let rows = rows(&self.rows, self.unit.file.as_deref())?;
        <[Vec<f64>; 2]>::try_from(rows).map_err(|rows| {
            let given = oddsmith::notice::counted(rows.len() as u64, "row");
            Failure::Usage(format!("{what} needs two distributions, such as 0.5,0.5 0.9,0.1; {given} of numbers came"))
        })
    }

    fn gaussian(row: &[f64]) -> Result<Gaussian, Failure> {
        match row {
            [mean, variance] => Ok(Gaussian::new(&[*mean], &[*variance])?),
            _ => Err(Failure::Usage("a normal distribution is its mean and its variance, such as 0,1".into())),
        }
    }
}

/// Entropy.
pub(super) fn entropy(args: &NumbersArgs, console: &Console) -> Result<(), Failure> {
    let row = one_row(rows(&args.rows, args.unit.file.as_deref())?);
    let record: Vec<(&str, Cell)> = if args.gaussian {
        vec![("differential_entropy", args.unit.of(NumbersArgs::gaussian(&row)?.entropy())), ("unit", args.unit.name())]
    } else {
        let p = args.distribution(&row)?;
        let most = (row.len() as f64).ln();
        vec![("entropy", args.unit.of(p.entropy())), ("largest", args.unit.of(most)), ("unit", args.unit.name())]
    };
    show("entropy", record, console)
}

/// Cross-entropy.
pub(super) fn cross(args: &NumbersArgs, console: &Console) -> Result<(), Failure> {
    if args.gaussian {
        return Err(Failure::Usage("--gaussian is for entropy, kl and mi".into()));
    }
    let [p, q] = args.two("a cross-entropy")?;
    let (p, q) = (args.distribution(&p)?, args.distribution(&q)?);
    let record = vec![
        ("cross_entropy", args.unit.of(p.cross_entropy(&q)?)),
        ("entropy", args.unit.of(p.entropy())),
        ("relative_entropy", args.unit.of(p.relative_entropy(&q)?)),
        ("unit", args.unit.name()),
    ];
    show("cross_entropy", record, console)
}

/// Relative entropy.
pub(super) fn kl(args: &NumbersArgs, console: &Console) -> Result<(), Failure> {
    let [p, q] = args.two("a relative entropy")?;
    let mut record = Vec::new();
    if args.gaussian {
        let (p, q) = (NumbersArgs::gaussian(&p)?, NumbersArgs::gaussian(&q)?);
        record.push(("relative_entropy", args.unit.of(p.relative_entropy(&q)?)));
        record.push(("reverse", args.unit.of(q.relative_entropy(&p)?)));
    } else {
        let (p, q) = (args.distribution(&p)?, args.distribution(&q)?);
        record.push(("relative_entropy", args.unit.of(p.relative_entropy(&q)?)));
        record.push(("reverse", args.unit.of(q.relative_entropy(&p)?)));
        record.push(("jensen_shannon", args.unit.of(p.jensen_shannon(&q)?)));
    }
    record.push(("unit", args.unit.name()));
    show("relative_entropy", record, console)
}

/// Mutual information.
pub(super) fn mi(args: &TableArgs, console: &Console) -> Result<(), Failure> {
    let (columns, cells) = matrix(&rows(&args.rows, args.unit.file.as_deref())?)?;
    if args.gaussian {
        let gaussian = Gaussian::new(&vec![0.0; columns], &cells)?;
        let nats = gaussian.mutual_information(args.split)?;
        return show("mutual_information", vec![("mutual_information", args.unit.of(nats)), ("unit", args.unit.name())], console);
    }
    let joint = Joint::new(columns, cells)?;
    if joint.total() <= 0.0 {
        return Err(Failure::Usage("the table counts nothing".into()));
    }
    let found = joint.inference(joint.total(), args.level);
    let unit = |nats: f64| args.unit.of(nats);
    let limits = found.non_central_limits(joint.total(), args.level);
    let record = vec![
        ("mutual_information", unit(found.plug_in)),
        ("corrected", unit(found.estimate)),
        ("std_error", unit(found.standard_error)),
        ("conf_low", unit(found.interval.0)),
        ("conf_high", unit(found.interval.1)),
        ("non_central_low", unit(limits.0)),
        ("non_central_high", unit(limits.1)),
        ("g", found.g.into()),
        ("df", found.df.into()),
        ("p_value", Cell::PValue(found.p_value)),
        ("row_entropy", unit(joint.row_entropy())),
        ("column_entropy", unit(joint.column_entropy())),
        ("joint_entropy", unit(joint.joint_entropy())),
        ("row_given_column", unit(joint.row_given_column())),
        ("column_given_row", unit(joint.column_given_row())),
        ("unit", args.unit.name()),
    ];
    show("mutual_information", record, console)
}

/// Channel capacity.
pub(super) fn capacity(args: &CapacityArgs, console: &Console) -> Result<(), Failure> {
    let (outputs, cells) = matrix(&rows(&args.rows, args.unit.file.as_deref())?)?;
    let capacity = Channel::new(outputs, &cells)?.capacity();
    let mut tidy = FixedTable::new("inputs", ["input", "probability"]);
    capacity.input.iter().enumerate().for_each(|(x, p)| tidy.push([Cell::from(x + 1), (*p).into()]));
    let facts = vec![
        ("capacity".into(), args.unit.of(capacity.value())),
        ("lower bound".into(), args.unit.of(capacity.lower)),
        ("upper bound".into(), args.unit.of(capacity.upper)),
        ("unit".into(), args.unit.name()),
        ("steps".into(), capacity.steps.into()),
    ];
    let text = "the bounds of the capacity have not met; it lies between them";
    let notices = if capacity.is_found() { Vec::new() } else { vec![Notice::new(notice::CAPACITY_BOUNDS, text)] };
    let card = Card { title: "Channel capacity".into(), facts, tidy: tidy.into(), notices, ..Card::default() };
    console.result(&card)?;
    console.notices(&card.notices);
    Ok(())
}

fn show(name: &str, record: Vec<(&str, Cell)>, console: &Console) -> Result<(), Failure> {
    console.result(&Table::of_record(name, record.into_iter().map(|(name, cell)| (name.to_owned(), cell))))
}

fn parse_base(text: &str) -> Result<f64, String> {
    let base = if text == "e" { Some(std::f64::consts::E) } else { text.parse::<f64>().ok() };
    base.filter(|base| *base > 1.0 && base.is_finite()).ok_or_else(|| "2, e, 10, or any number above 1".into())
}
