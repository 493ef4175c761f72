//! Predicting many rows: blocks of rows side by side on all cores.
//!
//! Every row is predicted on its own, so the result does not depend on how rows are shared out.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::driver::worker_count;
use crate::control::Control;
use crate::data::{FeatureBlocks, Features};
use crate::error::{Error, Result};
use crate::model::{Classifier, Predictor, Scores};

/// Rows that one worker predicts at a time: their scores and probabilities stay in its cache.
const BLOCK_ROWS: usize = 1024;

/// Writes the class probabilities of all rows to `out`, row after row. Gives the rows that every class calls
/// impossible, for which the prior stands in `out`.
pub fn predict_into<M: Classifier + ?Sized>(
    model: &M,
    rows: &dyn FeatureBlocks,
    threads: Option<NonZeroUsize>,
    control: &Control,
    out: &mut [f64],
) -> Result<Vec<usize>> {
    let classes = model.layout().classes().len();
    for_blocks(rows, classes, threads, control, out, |scores, features, out| {
        Predictor::new(model).probabilities_into(features, scores, out)
    })
}

/// Writes the scores of all rows to `out`, row after row: log p(x, y) for generative models. Gives the rows that every
/// class calls impossible, for which the log prior stands in `out`.
pub fn score_into<M: Classifier + ?Sized>(
    model: &M,
    rows: &dyn FeatureBlocks,
    threads: Option<NonZeroUsize>,
    control: &Control,
    out: &mut [f64],
) -> Result<Vec<usize>> {
    let classes = model.layout().classes().len();
    for_blocks(rows, classes, threads, control, out, |scores, features, out| {
        model.score(features, scores)?;
        out.copy_from_slice(scores.values());
        Ok(())
    })
}

/// Writes the most probable class of every row to `out`, the first of several equals. Gives the rows that every class
/// calls impossible, for which the prior decides.
pub fn classify_into<M: Classifier + ?Sized>(
    model: &M,
    rows: &dyn FeatureBlocks,
    threads: Option<NonZeroUsize>,
    control: &Control,
    out: &mut [u32],
) -> Result<Vec<usize>> {
    for_blocks(rows, 1, threads, control, out, |scores, features, out| {
        model.score_relative(features, scores)?;
        for (i, class) in out.iter_mut().enumerate() {
            let row = scores.row(i);
            let first = (0, row.first().copied().unwrap_or(0.0));
            *class = (1..).zip(row.iter().skip(1)).fold(first, |best, (k, score)| if *score > best.1 { (k, *score) } else { best }).0;
        }
        Ok(())
    })
}

/// Shares blocks of rows among workers. `work` scores a block in a worker's own buffer and fills `width` entries of `out` per row.
/// Blocks with doubtful scores are looked at again. Gives the rows that every class calls impossible.
fn for_blocks<T: Send>(
    rows: &dyn FeatureBlocks,
    width: usize,
    threads: Option<NonZeroUsize>,
    control: &Control,
    out: &mut [T],
    work: impl Fn(&mut Scores, &Features<'_>, &mut [T]) -> Result<()> + Sync,
) -> Result<Vec<usize>> {
    let count = rows.rows();
    if out.len() != count * width {
        return Err(Error::internal(format!("room for {} answers does not fit {count} rows of {width}", out.len())));
    }
    let queue = Mutex::new(out.chunks_mut(BLOCK_ROWS * width.max(1)).enumerate());
    let outcome = Mutex::new((Ok(()), Vec::new()));
    let worker = || {
        let mut scores = Scores::new();
        loop {
            let next = locked(&queue).next();
            let Some((block, out)) = next else { return };
            let lo = block * BLOCK_ROWS;
            let hi = lo + out.len() / width.max(1);
            let done = control.advance((hi - lo) as u64).and_then(|()| {
                let scored = rows.block(lo, hi, &mut |features| work(&mut scores, features, out));
                if scored.is_err() || scores.are_doubtful() {
                    rows.doubt(lo, hi)?;
                }
                scored
            });
            if let Err(error) = done {
                locked(&outcome).0 = Err(error);
                return;
            }
            if !scores.impossible().is_empty() {
                locked(&outcome).1.extend(scores.impossible().iter().map(|i| lo + i));
            }
        }
    };
    match worker_count(threads, count.div_ceil(BLOCK_ROWS)) {
        1 => worker(),
        workers => std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker)))),
    }
    let (result, mut impossible) = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    impossible.sort_unstable();
    result.map(|()| impossible)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, Feature, Layout, ViewSource, Weighting};
    use crate::model::Predictions;
    use crate::model::bayes::{Family, NaiveBayes};
    use crate::num::MatrixView;
    use crate::train::fit;

    #[test]
    fn every_number_of_threads_gives_the_same_answers() {
        let rows = 3 * BLOCK_ROWS + 17;
        let values: Vec<f64> = (0..2 * rows).map(|i| ((i * 7919) % 1009) as f64 / 1009.0 + (i % 6) as f64).collect();
        let labels: Vec<u32> = (0..rows as u32).map(|i| i % 3).collect();
        let classes = Classes::new(["a", "b", "c"].map(String::from).to_vec()).unwrap();
        let layout = Layout::new("y", vec![Feature::number("u"), Feature::number("v")], classes, Weighting::None).unwrap();
        let features = Features::of_numbers(MatrixView::row_major(&values, rows, 2).unwrap());
        let source = ViewSource::new(&layout, features, &labels, None).unwrap();
        let control = Control::new();
        let model = fit(&NaiveBayes::new(Family::Gaussian), &source, None, &control).unwrap().model;
        let mut whole = Predictions::new();
        Predictor::new(&model).predict(&features, &mut whole).unwrap();
        for threads in 1..=4 {
            let threads = NonZeroUsize::new(threads);
            let (mut probabilities, mut chosen) = (vec![0.0; 3 * rows], vec![9; rows]);
            assert!(predict_into(&model, &features, threads, &control, &mut probabilities).unwrap().is_empty());
            assert_eq!(probabilities, whole.probabilities());
            assert!(classify_into(&model, &features, threads, &control, &mut chosen).unwrap().is_empty());
            let mut scores = vec![0.0; 3 * rows];
            assert!(score_into(&model, &features, threads, &control, &mut scores).unwrap().is_empty());
            assert_eq!(scores, whole.scores().values());
            for (row, &class) in probabilities.chunks_exact(3).zip(&chosen) {
                assert!(row.iter().all(|p| *p <= row[class as usize]));
            }
        }
        assert!(classify_into(&model, &features, None, &control, &mut [0; 3]).is_err());
        control.cancel();
        assert!(predict_into(&model, &features, None, &control, &mut vec![0.0; 3 * rows]).is_err());
    }
}
