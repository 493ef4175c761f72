//! A table with the columns and the target of a model: its rows, encoded for the model, with truth and weights.

use std::num::NonZeroUsize;

use oddsmith::control::Control;
use oddsmith::data::{Rows, SKIP, UNSEEN};
use oddsmith::error::DataFault;
use oddsmith::model::Classifier;
use oddsmith::stats::Statistics;
use oddsmith::train::findings::SumRows;
use oddsmith::{Error, Notice, notice};
use oddsmith_io::{Input, NewBatch, NewRows, PartSums, ReadOptions, open_for_prediction};

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
        let rows = self.open(model)?;
        let mut notices = rows.notices.clone();
        let mut skipped = 0u64;
        let scanned = rows.scan(control, &mut |batch| {
            skipped += labelled(&batch, model, self.weight.as_deref(), &mut *sink)?;
            Ok(())
        });
        notices.extend(scanned.map_err(|error: Error| error.in_table(&self.input.name()))?);
        notices.extend(without_target(skipped, model));
        Ok(notices)
    }

    /// Sums the rows up on several threads, with the same bits for any number of them; with notices about the rows.
    pub(crate) fn sum<S>(
        &self,
        model: &dyn Classifier,
        empty: &S,
        threads: Option<NonZeroUsize>,
        control: &Control,
    ) -> Result<(S, Vec<Notice>), Failure>
    where
        S: for<'b> Statistics<Input<'b> = Rows<'b>>,
    {
        let rows = self.open(model)?;
        let mut notices = rows.notices.clone();
        let empty = LabelledSums { model, weight: self.weight.as_deref(), stats: empty.clone(), skipped: 0 };
        let summed = rows.sum(&empty, threads, control).map_err(|error| error.in_table(&self.input.name()));
        let (LabelledSums { stats, skipped, .. }, told) = summed?;
        notices.extend(told);
        notices.extend(without_target(skipped, model));
        Ok((stats, notices))
    }

    fn open(&self, model: &dyn Classifier) -> Result<NewRows, Failure> {
        let layout = model.layout();
        let echo: Vec<String> = std::iter::once(layout.target().to_owned()).chain(self.weight.clone()).collect();
        Ok(open_for_prediction(self.input, self.options, layout, &echo)?)
    }
}

/// The rows of a labelled table, as findings sum them up.
pub(crate) struct TableRows<'a> {
    /// The table.
    pub(crate) table: LabelledTable<'a>,
    /// The model that they are encoded for.
    pub(crate) model: &'a dyn Classifier,
    /// Threads; those of the machine by default.
    pub(crate) threads: Option<NonZeroUsize>,
    /// Progress and stop.
    pub(crate) control: &'a Control,
}

impl SumRows for TableRows<'_> {
    fn sum<S>(&self, empty: &S) -> oddsmith::Result<S>
    where
        S: for<'b> Statistics<Input<'b> = Rows<'b>>,
    {
        let summed = self.table.sum(self.model, empty, self.threads, self.control);
        summed.map(|(sums, _)| sums).map_err(|failure| match failure {
            Failure::Library(error) | Failure::InFile(_, error) => error,
            other => Error::data(other.to_string()),
        })
    }
}

/// A statistic over labelled rows, and how many rows had no target.
#[derive(Clone)]
struct LabelledSums<'a, S> {
    model: &'a dyn Classifier,
    weight: Option<&'a str>,
    stats: S,
    skipped: u64,
}

impl<S> PartSums for LabelledSums<'_, S>
where
    S: for<'b> Statistics<Input<'b> = Rows<'b>>,
{
    fn add(&mut self, batch: &NewBatch<'_>) -> oddsmith::Result<()> {
        self.skipped += labelled(batch, self.model, self.weight, |rows| self.stats.observe(rows))?;
        Ok(())
    }

    fn join(&mut self, later: &Self, before: u64) -> oddsmith::Result<()> {
        self.skipped += later.skipped;
        let mut stats = later.stats.clone();
        stats.come_after(before);
        self.stats.merge(&stats)
    }
}

/// Gives a batch with its truth and weights to `sink`; comes back with the number of rows that have no target.
fn labelled(
    batch: &NewBatch<'_>,
    model: &dyn Classifier,
    weight: Option<&str>,
    sink: impl FnOnce(Rows<'_>) -> oddsmith::Result<()>,
) -> oddsmith::Result<u64> {
    let labels = batch.labels.unwrap_or(&[]);
    refuse_unknown_class(batch, labels, model)?;
    let weights = weight.map(|column| weights_of(batch, column)).transpose()?;
    sink(Rows::new(batch.features, labels, weights.as_deref(), batch.first_row))?;
    Ok(labels.iter().filter(|label| **label == SKIP).count() as u64)
}

fn without_target(rows: u64, model: &dyn Classifier) -> Option<Notice> {
    let text = || {
        format!(
            "{rows} {} no target and {} left out",
            if rows == 1 { "row has" } else { "rows have" },
            if rows == 1 { "was" } else { "were" }
        )
    };
    (rows > 0).then(|| Notice::new(notice::MISSING_TARGET, text()).column(model.layout().target()))
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
