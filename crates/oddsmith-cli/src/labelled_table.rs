//! A table with the columns and the target of a model: its rows, encoded for the model, with truth and weights.

use oddsmith::control::Control;
use oddsmith::data::{Rows, SKIP, UNSEEN};
use oddsmith::error::DataFault;
use oddsmith::model::Classifier;
use oddsmith::{Error, Notice, notice};
use oddsmith_io::{Input, NewBatch, ReadOptions, open_for_prediction};

use crate::exit::Failure;

/// Where the rows are and how they are read.
pub(crate) struct LabelledTable<'a> {
    /// The table.
    pub(crate) input: &'a Input,
    /// How it is read.
    pub(crate) options: &'a ReadOptions,
    /// The column of row weights.
    pub(crate) weight: Option<String>,
}

impl LabelledTable<'_> {
    /// Gives every batch to `sink`, in the order of the table; what comes back are notices about its rows.
    pub(crate) fn scan(
        &self,
        model: &dyn Classifier,
        control: &Control,
        sink: &mut dyn FnMut(Rows<'_>) -> oddsmith::Result<()>,
    ) -> Result<Vec<Notice>, Failure> {
        let layout = model.layout();
        let echo: Vec<String> = std::iter::once(layout.target().to_owned()).chain(self.weight.clone()).collect();
        let rows = open_for_prediction(self.input, self.options, layout, &echo)?;
        let mut notices = rows.notices.clone();
        let mut skipped = 0u64;
        let scanned = rows.scan(control, &mut |batch| {
            let labels = batch.labels.unwrap_or(&[]);
            refuse_unknown_class(&batch, labels, model)?;
            skipped += labels.iter().filter(|label| **label == SKIP).count() as u64;
            let weights = self.weight.as_ref().map(|column| weights_of(&batch, column)).transpose()?;
            sink(Rows::new(batch.features, labels, weights.as_deref(), batch.first_row))
        });
        notices.extend(scanned.map_err(|error: Error| error.in_table(&self.input.name()))?);
        if skipped > 0 {
            let text = format!("{} without a target excluded", notice::counted(skipped, "row"));
            notices.push(Notice::new(notice::MISSING_TARGET, text).column(layout.target()));
        }
        Ok(notices)
    }
}

/// A row of a class that the model never saw cannot be judged.
fn refuse_unknown_class(batch: &NewBatch<'_>, labels: &[u32], model: &dyn Classifier) -> oddsmith::Result<()> {
    let Some(i) = labels.iter().position(|label| *label == UNSEEN) else { return Ok(()) };
    let mut value = String::new();
    batch.echo(0, |row, cell| {
        if row == i {
            value = cell.to_owned();
        }
    });
    let fault = DataFault::new("the model does not know the class").column(model.layout().target()).row(batch.first_row + i as u64 + 1);
    Err(fault.value(value).accepted(format!("it knows {}", model.layout().classes().labels().join(", "))).into())
}

fn weights_of(batch: &NewBatch<'_>, column: &str) -> oddsmith::Result<Vec<f64>> {
    let mut weights = Vec::new();
    let mut refused = None;
    batch.echo(1, |i, cell| match cell.trim().parse::<f64>() {
        Ok(weight) => weights.push(weight),
        Err(_) => {
            refused.get_or_insert((i, cell.to_owned()));
        }
    });
    match refused {
        None => Ok(weights),
        Some((i, cell)) => {
            let fault = DataFault::new("is no weight:").column(column).row(batch.first_row + i as u64 + 1).value(cell);
            Err(fault.accepted("weights are finite numbers from 0 up").into())
        }
    }
}
