//! Predicting many rows that already lie in memory: blocks of rows side by side on all cores.
//!
//! Every row is predicted on its own, so the result does not depend on how rows are shared out.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use super::driver::worker_count;
use crate::control::Control;
use crate::data::Features;
use crate::error::{Error, Result};
use crate::model::{Classifier, Predictions, Predictor};

/// Rows that one worker predicts at a time: their scores and probabilities stay in its cache.
const BLOCK_ROWS: usize = 1024;

/// Writes the class probabilities of all rows to `out`, row after row. Gives the rows that every class calls
/// impossible, for which the prior stands in `out`.
pub fn predict_into<M: Classifier + ?Sized>(
    model: &M,
    rows: &Features<'_>,
    threads: Option<NonZeroUsize>,
    control: &Control,
    out: &mut [f64],
) -> Result<Vec<usize>> {
    let classes = model.layout().classes().len();
    if out.len() != rows.rows() * classes {
        return Err(Error::internal(format!("{} probabilities do not fit {} rows of {classes} classes", out.len(), rows.rows())));
    }
    let blocks = rows.rows().div_ceil(BLOCK_ROWS);
    let queue = Mutex::new(out.chunks_mut(BLOCK_ROWS * classes.max(1)).enumerate());
    let outcome = Mutex::new((Ok(()), Vec::new()));
    let work = || {
        let (mut predictions, mut words) = (Predictions::new(), Vec::new());
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((block, out)) = next else { return };
            let lo = block * BLOCK_ROWS;
            let part = rows.slice(lo, lo + out.len() / classes.max(1), &mut words);
            let done = control.advance(part.rows() as u64).and_then(|()| Predictor::new(model).predict(&part, &mut predictions));
            let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = done {
                outcome.0 = Err(error);
                return;
            }
            outcome.1.extend(predictions.scores().impossible().iter().map(|i| lo + i));
            drop(outcome);
            out.copy_from_slice(predictions.probabilities());
        }
    };
    match worker_count(threads, blocks) {
        1 => work(),
        workers => std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work)))),
    }
    let (result, mut impossible) = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    impossible.sort_unstable();
    result.map(|()| impossible)
}
