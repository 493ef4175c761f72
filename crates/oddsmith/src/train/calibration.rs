//! Calibrating a model on rows it has not seen, and judging the result on rows that the map has not seen.

use super::folds::Folds;
use super::scored_table::ScoredTable;
use crate::calibrate::{CalibrationMap, HeldOut, Method};
use crate::data::SKIP;
use crate::error::Result;
use crate::eval::{Evaluation, Settings};

/// The map that all rows teach, and figures in which every row was mapped by what the other folds teach.
pub fn calibrated_out_of_fold(
    rows: &ScoredTable,
    method: Method,
    folds: usize,
    seed: u64,
    settings: Settings,
) -> Result<(CalibrationMap, Evaluation)> {
    let map = method.fit(&rows.held_out())?;
    let folds = Folds::stratified(rows.labels(), folds, seed)?;
    let mut mapped = rows.clone();
    for fold in 0..folds.count() {
        let own = |i: usize| folds.of_rows()[i] as usize == fold;
        let labels: Vec<u32> = rows.labels().iter().enumerate().map(|(i, label)| if own(i) { SKIP } else { *label }).collect();
        let others = method.fit(&HeldOut { labels: &labels, ..rows.held_out() })?;
        mapped.map_rows(own, |row| others.apply(row));
    }
    Ok((map, mapped.evaluated(settings)?))
}
