//! The rows with what a regression says about them.

use oddsmith::card::Cell;
use oddsmith::control::Control;
use oddsmith::data::{Features, SKIP, Weighting};
use oddsmith::model::{Classifier, Inference, ObservedResponse, proportions_of_labels};
use oddsmith::train::ProjectedModel;
use oddsmith::{ErrorKind, Result};
use oddsmith_io::{Input, ReadOptions, open_for_prediction};

use super::fitted::FittedTable;
use crate::console::Console;
use crate::exit::{Failure, output_fault};
use crate::stream::Stream;

/// The rows that a regression was fitted to, in their order.
pub(crate) fn augment_fit(fitted: &FittedTable, console: &Console, control: &Control) -> Result<(), Failure> {
    let source = &*fitted.opened.source;
    let layout = source.layout();
    let rows = AugmentedRows::new(&*fitted.model)?;
    let labelled = fitted.learner.needs_any()?.response.is_none();
    let projected = ProjectedModel::new(&*fitted.model, layout)?;
    let mut out = console.writer();
    let mut stream = Stream::new(&mut out, &output_fault, console, &rows.columns());
    control.begin(source.rows().unwrap_or(0));
    for partition in 0..source.partitions() {
        source.scan(partition, &mut |batch| {
            control.advance(batch.labels.len() as u64)?;
            let ObservedResponse { proportions, weights } = fitted.learner.response_any(layout, &batch)?;
            let truth = |i: usize| match labelled {
                true => label(layout.classes().labels(), batch.labels[i]),
                // Counts and proportions of the event.
                false if layout.classes().len() == 2 => proportions[i].into(),
                false => Cell::Empty,
            };
            projected.with_columns(&batch.features, |features| {
                rows.write(&features, &proportions, Some(&weights), &truth, batch.first_row, &mut stream)
            })
        })?;
    }
    Ok(stream.finish()?)
}

/// The rows of another table.
pub(crate) fn augment_new(
    model: &dyn Classifier,
    input: &Input,
    options: &ReadOptions,
    console: &Console,
    control: &Control,
) -> Result<(), Failure> {
    let rows = AugmentedRows::new(model)?;
    if model.layout().weighting() != Weighting::None {
        return Err(Failure::Usage("the rows of the fit had weights, which `show` does not know; use `fit … --augment`".into()));
    }
    let new_rows = open_for_prediction(input, options, model.layout(), &[])?;
    console.notices(&new_rows.notices);
    let mut out = console.writer();
    let mut stream = Stream::new(&mut out, &output_fault, console, &rows.columns());
    let labels = model.layout().classes().labels();
    let notices = new_rows
        .scan(control, &mut |batch| {
            let known = |i: usize| batch.labels.map_or(SKIP, |labels| labels[i]);
            let truth: Vec<u32> = (0..batch.features.rows()).map(known).collect();
            let proportions = proportions_of_labels(&truth, labels.len());
            rows.write(&batch.features, &proportions, None, &|i| label(labels, known(i)), batch.first_row, &mut stream)
        })
        .map_err(|error| error.in_table(&input.name()))?;
    stream.finish()?;
    console.notices(&notices);
    Ok(())
}

fn label(labels: &[String], code: u32) -> Cell {
    labels.get(code as usize).map_or(Cell::Empty, |label| label.as_str().into())
}

/// What is written about every row.
struct AugmentedRows<'a> {
    model: &'a dyn Classifier,
    inference: &'a dyn Inference,
}

impl<'a> AugmentedRows<'a> {
    fn new(model: &'a dyn Classifier) -> Result<Self> {
        match model.inference() {
            Some(inference) => Ok(AugmentedRows { model, inference }),
            None => {
                let advice = "only regressions have leverages and residuals".into();
                Err(ErrorKind::Unsupported { model: model.card().title, what: "augment rows".into(), advice }.into())
            }
        }
    }

    fn columns(&self) -> Vec<String> {
        let layout = self.model.layout();
        let target = if layout.names().iter().any(|name| name == layout.target()) { "truth" } else { layout.target() };
        ["row", target].into_iter().map(str::to_owned).chain(self.inference.row_metric_names()).collect()
    }

    fn write(
        &self,
        features: &Features<'_>,
        proportions: &[f64],
        weights: Option<&[f64]>,
        truth: &dyn Fn(usize) -> Cell,
        first_row: u64,
        stream: &mut Stream<'_>,
    ) -> Result<()> {
        for (i, figures) in self.inference.row_metrics(features, proportions, weights)?.into_iter().enumerate() {
            let cells = figures.into_iter().map(|value| if value.is_nan() { Cell::Empty } else { value.into() });
            stream.row([Cell::from(first_row + i as u64 + 1), truth(i)].into_iter().chain(cells).collect())?;
        }
        stream.hand_on()
    }
}
