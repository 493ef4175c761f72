//! Calibrating a model on rows it has not seen, and judging the result on rows that the map has not seen.

use std::num::NonZeroUsize;

use super::cross_validation::{Borrowed, CrossValidation, FoldSpec};
use super::driver::fit;
use super::folds::Folds;
use super::scored_table::ScoredTable;
use crate::calibrate::{CalibrationMap, HeldOut, Method};
use crate::control::Control;
use crate::data::{SKIP, Source};
use crate::error::{Error, Result};
use crate::eval::{EvalSettings, Evaluation};
use crate::model::{AnyLearner, Classifier};

/// A model of all rows of a source, and what models of the other folds say about every row: rows to calibrate it with that no model has
/// seen. The refits learn from a little fewer rows than the model, so the map errs, if at all, on the side of caution.
pub fn refitted(
    source: &dyn Source,
    learner: &dyn AnyLearner,
    spec: FoldSpec<'_>,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> Result<(Box<dyn Classifier>, ScoredTable)> {
    let folds = CrossValidation::new(source, spec, threads, control)?;
    let tables = folds.gather(&[learner])?;
    let models = folds.models(learner, tables.as_ref())?;
    let rows = folds.out_of_fold(&[models])?.pop().ok_or_else(|| Error::internal("a model was not judged"))?;
    Ok((fit(&Borrowed(learner), source, threads, control)?.model, rows))
}

/// The map that all rows teach, and figures in which every row was mapped by what the other folds teach.
pub fn calibrated_out_of_fold(
    rows: &ScoredTable,
    method: Method,
    folds: usize,
    seed: u64,
    settings: EvalSettings,
) -> Result<(CalibrationMap, Evaluation)> {
    let map = method.fit(&rows.held_out())?;
    let folds = Folds::stratified(rows.labels(), folds, seed)?;
    let mut mapped = rows.clone().of_margins(false);
    for fold in 0..folds.count() {
        let own = |i: usize| folds.of_rows()[i] as usize == fold;
        let labels: Vec<u32> = rows.labels().iter().enumerate().map(|(i, label)| if own(i) { SKIP } else { *label }).collect();
        let others = method.fit(&HeldOut { labels: &labels, ..rows.held_out() })?;
        mapped.map_rows(own, |row| others.apply(row));
    }
    Ok((map, mapped.evaluated(settings)?))
}
