//! `oddsmith plot`: one picture of a model, or of what it says about the rows of a table.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use oddsmith::card::Picture;
use oddsmith::control::Control;
use oddsmith::data::Weighting;
use oddsmith::error::DataFault;
use oddsmith::eval::pictures::PICTURES;
use oddsmith::eval::{EvalSettings, Evaluation};
use oddsmith::model::{Classifier, Scale};
use oddsmith::train::pictures::{OF_MODEL, OVER_ROWS, Waterfall, of_model, over_rows};
use oddsmith::{Error, ErrorKind, train};
use oddsmith_io::{NewBatch, ReadOptions, open_for_prediction};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::labelled_table::{LabelledTable, TableRows};
use crate::options::{PriorArgs, ReadingArgs, TextArgs, WeightArgs, new_file, parse_number, split_list};
use crate::plot;
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith plot forest low.odds -o forest.svg                 # odds ratios with their limits
  oddsmith plot roc low.odds new.csv -o roc.svg               # with a band; also precision-recall
  oddsmith plot calibration low.odds new.csv                  # at a terminal: characters
  oddsmith plot waterfall low.odds new.csv --row 7 -o row-7.svg  # one row, step by step
  oddsmith plot nomogram low.odds births.csv -o nomogram.svg  # points to add up
  oddsmith plot boundary iris.odds iris.csv --columns Petal.Length,Petal.Width -o map.svg
  oddsmith plot decision low.odds new.csv --format csv        # what is drawn, as a table";

/// The picture of one row.
const WATERFALL: &str = "waterfall";

/// Arguments of `plot`.
#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// The picture.
    #[arg(value_name = "PICTURE", value_parser = names())]
    picture: String,

    /// A model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// A table with the columns of the model and its target; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: Option<OsString>,

    /// Where to write it: .svg, .json, .csv or .html [default: standard output].
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: Option<PathBuf>,

    /// The columns of a boundary (two), a density, a sigmoid (one) or a landscape (one or two) [default: the first number columns].
    #[arg(long, value_name = "COLUMN,…")]
    columns: Vec<String>,

    /// The row of a waterfall, counted from 1 without the header.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    row: u64,

    /// Mark this threshold in place of the model's own.
    #[arg(long, value_name = "P", value_parser = parse_number)]
    threshold: Option<f64>,

    #[command(flatten)]
    prior: PriorArgs,

    #[command(flatten)]
    weights: WeightArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(PICTURES.into_iter().chain(OF_MODEL).chain(OVER_ROWS).chain([WATERFALL]))
}

/// Draws and writes.
pub(crate) fn run(args: &PlotArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let model = args.prior.applied(files::read_model(&args.model)?)?;
    if let (Some(output), Some(data)) = (&args.output, &args.data) {
        files::refuse_same(output, &[&args.model, Path::new(data)])?;
    }
    let picture = draw(args, &*model, console, control)?;
    match &args.output {
        Some(path) => plot::save(&picture, path, console),
        None => plot::show(&picture, console),
    }
}

fn draw(args: &PlotArgs, model: &dyn Classifier, console: &Console, control: &Arc<Control>) -> Result<Picture, Failure> {
    if OF_MODEL.contains(&args.picture.as_str()) {
        return Ok(of_model(&args.picture, model)?);
    }
    let Some(data) = &args.data else {
        return Err(Failure::Usage(format!("the picture `{}` is drawn over the rows of a table; name one after the model", args.picture)));
    };
    let input = files::table(data)?;
    let options = args.reading.options(&args.text)?;
    let table = LabelledTable { input: &input, options: &options, weight: args.weights.weight().map(|(column, _)| column) };
    let _progress = Progress::start(console, control, "drawing");
    if args.picture == WATERFALL {
        return waterfall(args, model, &table, control);
    }
    if !OVER_ROWS.contains(&args.picture.as_str()) {
        return judged(args, model, &table, &options, console, control);
    }
    let asked: Vec<String> = args.columns.iter().flat_map(|list| split_list(list)).collect();
    let rows = TableRows { table, model, threads: args.reading.threads, control };
    Ok(over_rows(&args.picture, model, &rows, &asked)?)
}

fn judged(
    args: &PlotArgs,
    model: &dyn Classifier,
    table: &LabelledTable<'_>,
    options: &ReadOptions,
    console: &Console,
    control: &Arc<Control>,
) -> Result<Picture, Failure> {
    let classes = model.layout().classes();
    let settings = EvalSettings {
        decision: model.decision(),
        weighting: args.weights.weight().map_or(Weighting::None, |(_, kind)| kind),
        memory: usize::try_from(options.memory / 2).unwrap_or(usize::MAX),
        margins: model.scale() == Scale::Margin,
        ..EvalSettings::default()
    };
    let empty = train::Evaluator::new(model, Evaluation::new(classes.len(), train::score_scale(classes.len()), settings));
    let (evaluator, notices) = table.sum(model, &empty, args.reading.threads, control)?;
    console.notices(&notices);
    plot::of_evaluation(&args.picture, &evaluator.into_sums(), (model.layout().target(), classes), args.threshold)
}

fn waterfall(args: &PlotArgs, model: &dyn Classifier, table: &LabelledTable<'_>, control: &Control) -> Result<Picture, Failure> {
    let rows = open_for_prediction(table.input, table.options, model.layout(), &[])?;
    let wanted = args.row - 1;
    let (mut found, mut seen) = (None, 0);
    let outcome = rows.scan(control, &mut |batch: NewBatch<'_>| {
        seen = batch.first_row + batch.features.rows() as u64;
        if wanted >= seen {
            return Ok(());
        }
        let i = (wanted - batch.first_row) as usize;
        let mut words = Vec::new();
        let row = batch.features.slice(i, i + 1, &mut words);
        found = Some(Waterfall::of_row(model, &row, args.row)?);
        // An error is the only way to stop a scan, and there is nothing more to read.
        Err(ErrorKind::Interrupted.into())
    });
    match (found, outcome) {
        (Some(found), _) => Ok(found.picture()),
        (None, Err(error)) => Err(error.in_table(&table.input.name()).into()),
        (None, Ok(_)) => {
            let fault = DataFault::new(format!("there is no row {}", args.row));
            Err(Error::from(fault.accepted(format!("the table has {}", oddsmith::notice::counted(seen, "row"))))
                .in_table(&table.input.name())
                .into())
        }
    }
}
