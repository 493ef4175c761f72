//! `oddsmith degree`: the degree of a polynomial by description length.
//!
//! A number is told by a least-squares curve: (n/2) log2(2πe RSS/n) + ((k+1)/2) log2 n bits. A class is told by the logistic curve of a
//! polynomial: −log2 likelihood + (k/2) log2 n bits. Either has a part for the rows and a part for the curve.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::card::{Card, Cell, FixedTable, Summary};
use oddsmith::control::Control;
use oddsmith::data::{Formula, Plane, Response};
use oddsmith::error::DataFault;
use oddsmith::info::{TwoPart, polynomial_picture, polynomial_residuals, two_part_picture};
use oddsmith::picture::Picture;
use oddsmith::{Error, ErrorKind, registry, train};
use oddsmith_io::{Input, Opened, ReadOptions, Roles};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::fitting;
use crate::options::{ReadingArgs, TextArgs};
use crate::plot;
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith degree births.csv 'bwt ~ lwt'          # a number: least squares
  oddsmith degree births.csv 'low ~ age' --most 5  # a class: logistic curves";

/// Characters of the longest bar.
const BAR: f64 = 22.0;

/// Arguments of `degree`.
#[derive(Debug, Args)]
pub(crate) struct DegreeArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// One column and the number that it follows, such as 'y ~ x'.
    #[arg(value_name = "FORMULA")]
    formula: String,

    /// Highest degree that is tried.
    #[arg(long, value_name = "DEGREE", default_value_t = 15, value_parser = clap::value_parser!(u8).range(0..=40))]
    most: u8,

    /// Draw a picture in place of tables: the two parts of every description, or for a number the curves of a line, of the best and of the highest degree.
    #[arg(long, value_name = "PICTURE", value_parser = ["description", "curves"])]
    plot: Option<String>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// A degree and what it costs.
struct Length {
    degree: usize,
    parts: TwoPart,
}

/// Tries every degree.
pub(crate) fn run(args: &DegreeArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let formula = Formula::parse(&args.formula)?;
    let usage = || Failure::Usage("write one column on either side, such as 'y ~ x'".into());
    let Response::Column(response) = formula.response() else { return Err(usage()) };
    let y = response.name.clone();
    let predictors: Vec<String> = formula.columns().into_iter().filter(|name| *name != y).collect();
    let [x] = &predictors[..] else { return Err(usage()) };
    let input = fitting::kept_for_rereading(files::table(&args.data)?)?;
    let options = args.reading.options(&args.text)?;
    let _progress = Progress::start(console, control, "reading");
    let both = Roles { features: Some(vec![x.clone(), y.clone()]), ..Roles::default() };
    let opened = oddsmith_io::open(&input, &options, &both, control)?;
    let layout = opened.layout();
    let planes = (layout.plane(layout.index(x)?), layout.plane(layout.index(&y)?));
    let (Plane::Numbers(x_at), y_plane) = planes else {
        let fault = DataFault::new("is no number column").column(x.clone());
        return Err(Error::from(fault.accepted("polynomials are of numbers")).in_table(&input.name()).into());
    };
    let in_table = |error: Error| error.in_table(&input.name());
    let card = match y_plane {
        // A column of 0 and 1 is a class, as in every fit.
        Plane::Numbers(y_at) if !opened.flags.contains(&y) => {
            let rows = pairs(&opened, x_at, y_at).map_err(in_table)?;
            let lengths = of_number(&rows, usize::from(args.most)).map_err(in_table)?;
            let mut card = card(&y, x, rows.0.len() as f64, &lengths);
            card.pictures.push(curves((x, &y), &rows, &lengths).map_err(in_table)?);
            card
        }
        _ => {
            let (rows, lengths) = of_class(args, &input, &options, (x, &y), control).map_err(in_table)?;
            card(&y, x, rows, &lengths)
        }
    };
    match &args.plot {
        Some(name) => plot::show(plot::of_card(&card, name)?, console)?,
        None => console.result(&card)?,
    }
    console.notices(&opened.notices);
    Ok(())
}

/// The rows that have both numbers.
fn pairs(opened: &Opened, x_at: usize, y_at: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for partition in 0..opened.source.partitions() {
        opened.source.scan(partition, &mut |rows| {
            let numbers = rows.features.numbers;
            let pairs = (0..numbers.rows()).map(|i| (numbers.get(i, x_at), numbers.get(i, y_at)));
            for (a, b) in pairs.filter(|(a, b)| !a.is_nan() && !b.is_nan()) {
                x.push(a);
                y.push(b);
            }
            Ok(())
        })?;
    }
    Ok((x, y))
}

/// Least-squares curves.
fn of_number((x, y): &(Vec<f64>, Vec<f64>), most: usize) -> Result<Vec<Length>, Error> {
    // A curve through all points leaves nothing to compare.
    let most = most.min(x.len().saturating_sub(2));
    let squares = polynomial_residuals(x, y, None, most)?;
    let length = |(degree, rss): (usize, f64)| Length { degree, parts: TwoPart::of_least_squares(rss, degree + 1, x.len() as f64) };
    Ok(squares.into_iter().enumerate().map(length).collect())
}

/// The curves of a line, of the best and of the highest degree, with their bits.
fn curves(names: (&str, &str), (x, y): &(Vec<f64>, Vec<f64>), lengths: &[Length]) -> Result<Picture, Error> {
    let best = lengths.iter().min_by(|a, b| a.parts.total().total_cmp(&b.parts.total()));
    let drawn = |length: &&Length| {
        let chosen = best.is_some_and(|best| best.degree == length.degree);
        chosen || length.degree == 1 || length.degree + 1 == lengths.len()
    };
    let told = |length: &Length| (length.degree, format!(": {:.1} bits", length.parts.total()));
    let degrees: Vec<(usize, String)> = lengths.iter().filter(drawn).map(told).collect();
    polynomial_picture(names, x, y, &degrees)
}

/// Logistic curves. A degree without an estimate ends the search.
fn of_class(
    args: &DegreeArgs,
    input: &Input,
    options: &ReadOptions,
    (x, y): (&str, &str),
    control: &Control,
) -> Result<(f64, Vec<Length>), Error> {
    let entry = registry::default_for(true);
    let roles = Roles { target: Some(y.to_owned()), features: Some(vec![x.to_owned()]), ..Roles::default() };
    let opened = oddsmith_io::open(input, options, &roles, control)?;
    let (mut rows, mut lengths) = (0.0, Vec::new());
    for degree in 0..=usize::from(args.most) {
        let right = match degree {
            0 => "1".to_owned(),
            1 => quoted(x),
            _ => format!("poly({}, {degree})", quoted(x)),
        };
        let formula = Formula::parse(&format!("{} ~ {right}", quoted(y)))?;
        let learner = (entry.build)(&entry.defaults().without_inference().with_formula(Some(formula))?)?;
        let fitted = match train::fit(&learner, &*opened.source, args.reading.threads, control) {
            Ok(fitted) => fitted,
            Err(error)
                if degree > 0
                    && matches!(error.kind(), ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } | ErrorKind::Formula { .. }) =>
            {
                break;
            }
            Err(error) => return Err(error),
        };
        let Some(inference) = fitted.model.inference() else { break };
        let likelihood = inference.likelihood();
        rows = likelihood.observations;
        lengths.push(Length {
            degree,
            parts: TwoPart::of_likelihood(likelihood.log_likelihood, fitted.model.free_parameters() as f64, rows, 1),
        });
    }
    Ok((rows, lengths))
}

/// A column as formulas write it.
fn quoted(name: &str) -> String {
    format!("`{name}`")
}

/// Bars of both parts of every description.
fn picture(y: &str, x: &str, lengths: &[Length]) -> Picture {
    let named: Vec<(String, TwoPart)> = lengths.iter().map(|length| (format!("degree {}", length.degree), length.parts)).collect();
    let what = format!("Bits to tell {y} by polynomials of {x}: those for the rows shrink with the degree, those for the curve grow.");
    two_part_picture(&named, ["the rows, given the curve", "the curve"], &what)
}

/// Both parts of a description, one after the other.
fn bar(data: f64, model: f64, longest: f64) -> String {
    if !(longest > 0.0 && data.is_finite()) {
        return String::new();
    }
    let place = |bits: f64| (bits / longest * BAR).round() as usize;
    format!("{}{}", "█".repeat(place(data)), "░".repeat(place(data + model) - place(data)))
}

fn card(y: &str, x: &str, rows: f64, lengths: &[Length]) -> Card {
    let best = lengths.iter().min_by(|a, b| a.parts.total().total_cmp(&b.parts.total()));
    let mut tidy = FixedTable::new("degrees", ["degree", "data_bits", "model_bits", "total_bits", "above_best"]);
    let mut shown = FixedTable::new("degrees", ["degree", "data_bits", "model_bits", "total_bits", "above_best", "bar"]);
    let least = best.map_or(0.0, |best| best.parts.total());
    let fewest = lengths.iter().map(|length| length.parts.data).fold(f64::INFINITY, f64::min);
    let longest = lengths.iter().map(|length| length.parts.total() - fewest).filter(|above| above.is_finite()).fold(0.0, f64::max);
    for Length { degree, parts } in lengths {
        let above = if parts.total() == least { 0.0 } else { parts.total() - least };
        let cells = [Cell::from(*degree), parts.data.into(), parts.model.into(), parts.total().into(), above.into()];
        let [a, b, c, d, e] = cells.clone();
        shown.push([a, b, c, d, e, bar(parts.data - fewest, parts.model, longest).into()]);
        tidy.push(cells);
    }
    let facts: Vec<(String, Cell)> =
        vec![("shortest".into(), best.map_or(Cell::Empty, |best| Cell::from(best.degree))), ("rows".into(), (rows as u64).into())];
    let footnotes = vec!["bar: █ data_bits above the fewest of any degree, ░ model_bits".to_owned()];
    Card {
        title: format!("Degree of a polynomial of {x} for {y}, by description length"),
        summary: Some(Summary { facts: facts.clone(), table: Some(shown.into()), footnotes }),
        facts,
        tidy: tidy.into(),
        pictures: vec![picture(y, x, lengths)],
        ..Card::default()
    }
}
