//! The rows of a table with what a regression says about them.

use std::io::Read;

use oddsmith::card::Cell;
use oddsmith::control::Control;
use oddsmith::data::SKIP;
use oddsmith::model::{Classifier, Inference, RowMetrics};
use oddsmith::{Error, ErrorKind};
use oddsmith_io::{Input, ReadOptions, open_for_prediction};

use crate::console::Console;
use crate::exit::{Failure, output_fault};
use crate::stream::Stream;

/// A table that can be read twice: once for the fit, once to be written with what the fit says. What flows by only once is kept in memory.
pub(crate) fn kept_for_rereading(input: Input) -> Result<Input, Failure> {
    let name = input.name();
    let mut bytes = Vec::new();
    match &input {
        Input::Path(path) if !path.exists() || path.is_file() => return Ok(input),
        Input::Bytes { .. } | Input::Many(_) | Input::Piece(_) => return Ok(input),
        Input::Path(path) => std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
        Input::Stdin => std::io::stdin().lock().read_to_end(&mut bytes),
    }
    .map_err(|source| Error::from(ErrorKind::Io { path: name.clone(), source }))?;
    Ok(Input::Bytes { name, bytes: bytes.into() })
}

/// Whether the reader of a table tells what it met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// It does.
    Notices,
    /// It does not: the fit to the same table has.
    Nothing,
}

/// Writes all rows of a table, in their order and with the numbers they have there: those without a response and those of weight zero too.
pub(crate) fn augment(
    model: &dyn Classifier,
    input: &Input,
    options: &ReadOptions,
    telling: Telling,
    console: &Console,
    control: &Control,
) -> Result<(), Failure> {
    let Some(inference) = model.inference() else {
        let advice = "only regressions have leverages and residuals".into();
        return Err(Error::from(ErrorKind::Unsupported { model: model.card().title, what: "augment rows".into(), advice }).into());
    };
    let metrics = row_metrics(model, inference, input, options)?;
    if !metrics.knows_weights() {
        return Err(Failure::Usage(
            "the rows of the fit had weights, and the model does not know their column; use `fit … --augment`".into(),
        ));
    }
    let new_rows = open_for_prediction(input, options, metrics.layout(), &[])?;
    let tell = |notices: &[_]| {
        if telling == Telling::Notices {
            console.notices(notices)
        }
    };
    tell(&new_rows.notices);
    console.rows_only()?;
    let mut out = console.writer();
    let mut stream = Stream::new(&mut out, &output_fault, console, &columns(&*metrics));
    let classes = metrics.layout().classes();
    let notices = new_rows
        .scan(control, &mut |batch| {
            let rows = metrics.of_rows(&batch.features, batch.labels, batch.first_row)?;
            for (i, values) in rows.metrics.into_iter().enumerate() {
                let truth = match (metrics.has_labels(), classes.labels()) {
                    (true, labels) => {
                        let code = batch.labels.map_or(SKIP, |labels| labels[i]);
                        labels.get(code as usize).map_or(Cell::Empty, |label| label.as_str().into())
                    }
                    // Counts and proportions of the event.
                    (false, [_, _]) => known(rows.proportions[i]),
                    (false, _) => Cell::Empty,
                };
                let row = [Cell::from(batch.first_row + i as u64 + 1), truth];
                stream.row(row.into_iter().chain(values.into_iter().map(known)).collect())?;
            }
            stream.hand_on()
        })
        .map_err(|error| error.in_table(&input.name()))?;
    stream.finish()?;
    tell(&notices);
    Ok(())
}

/// What is known about rows, by what the table has of the columns of responses and weights. What flows by only once cannot be asked before,
/// and must have them all.
fn row_metrics(
    model: &dyn Classifier,
    inference: &dyn Inference,
    input: &Input,
    options: &ReadOptions,
) -> Result<Box<dyn RowMetrics>, Failure> {
    if matches!(input, Input::Stdin) {
        return Ok(inference.row_metrics(&|_| true)?);
    }
    let names = open_for_prediction(input, options, model.layout(), &[])?.names().to_vec();
    Ok(inference.row_metrics(&|name| names.iter().any(|known| known == name))?)
}

fn columns(metrics: &dyn RowMetrics) -> Vec<String> {
    let layout = metrics.layout();
    let target = if layout.names().iter().any(|name| name == layout.target()) { "truth" } else { layout.target() };
    ["row", target].into_iter().map(str::to_owned).chain(metrics.names()).collect()
}

/// A metric, or nothing where it is not known.
fn known(value: f64) -> Cell {
    if value.is_nan() { Cell::Empty } else { value.into() }
}
