//! The driver: cuts a source into lanes, sums each lane up on some thread, and merges in the order of lanes.
//!
//! The number of lanes depends on the sizes of the data and of the summary, never on the number of threads, and a lane
//! is summed in the order of its rows: every number of threads gives the same bits. Workers take lanes in
//! order, and a finished lane is merged as soon as all before it are ([`Merged`]), so that about as many summaries are alive as
//! there are threads. A summary that takes rows in their order ([`Statistics::in_order`]) has one lane.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::merged::{MergeTree, Merged};
use super::row_states::RowStates;
use crate::control::Control;
use crate::data::{Extent, Source};
use crate::error::{Error, Result};
use crate::model::{Learner, PassInfo, Procedure, Step};
use crate::stats::{Parts, Statistics, TableStats};

/// Fewest lanes where there are that many partitions, so that a wide summary still uses several cores.
const FEWEST_LANES: u64 = 2;
/// Bytes of a summary from which on no worker begins a lane far ahead of the first that is missing: on a busy machine one worker may be much slower than
/// the others, whose sums would pile up behind its own.
const LARGE_SUMMARY: usize = 1 << 20;
/// How many lanes for every worker are far.
const FAR: usize = 2;
/// A lane should read at least this many times the bytes of the summary that it has to clear and to merge.
const BYTES_PER_SUMMARY_BYTE: u64 = 16;

/// A model, or what else a procedure ends in, and how it was reached.
pub struct Fitted<M> {
    /// What was concluded.
    pub model: M,
    /// Passes over the data.
    pub passes: usize,
    /// Total weight of the rows.
    pub weight: f64,
}

/// Fits a learner to a source.
pub fn fit<L: Learner>(learner: &L, source: &dyn Source, threads: Option<NonZeroUsize>, control: &Control) -> Result<Fitted<L::Model>> {
    conclude(learner, source, threads, control)
}

/// Carries out the passes of a procedure, whatever it ends in.
pub fn conclude<P: Procedure>(
    procedure: &P,
    source: &dyn Source,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> Result<Fitted<P::Output>> {
    conclude_watched(procedure, source, threads, control, None)
}

/// What looks at the sums of every pass before the procedure does.
pub(super) type Watch<'a, S> = Option<&'a mut dyn FnMut(&S) -> Result<()>>;

/// The same, watched. What is watched keeps no rows between passes: a search over kept rows would make its steps unseen.
pub(super) fn conclude_watched<P: Procedure>(
    procedure: &P,
    source: &dyn Source,
    threads: Option<NonZeroUsize>,
    control: &Control,
    mut watch: Watch<'_, P::Stats>,
) -> Result<Fitted<P::Output>> {
    let info = PassInfo { threads: worker_count(threads, usize::MAX), ..PassInfo::of(source) };
    let info = if watch.is_some() { PassInfo { memory: 0, ..info } } else { info };
    let mut empty = procedure.begin(&Arc::new(source.layout().clone()), &info)?;
    let mut states = RowStates::default();
    let most = procedure.most_passes();
    for passes in 1..=most {
        states.prepare(empty.row_state(), source.partitions());
        let stats = pass_with(source, &empty, &states, threads, control)?;
        if let Some(watch) = &mut watch {
            watch(&stats)?;
        }
        match procedure.finish(&stats)? {
            Step::Again(next) => empty = next,
            Step::Done(model) => return Ok(Fitted { model, passes, weight: stats.weight() }),
        }
    }
    Err(Error::internal(format!("the learner asked for more than {most} passes")))
}

/// Sums a source up for any one-pass model, with a second pass when a column's squares leave the range of numbers.
pub fn gather(source: &dyn Source, parts: Parts, threads: Option<NonZeroUsize>, control: &Control) -> Result<TableStats> {
    let stats = pass(source, &TableStats::new(Arc::new(source.layout().clone()), parts), threads, control)?;
    match stats.rescaled() {
        Some(again) => pass(source, &again, threads, control),
        None => Ok(stats),
    }
}

/// Sums a source up once. `threads` defaults to what the machine offers.
pub fn pass<S>(source: &dyn Source, empty: &S, threads: Option<NonZeroUsize>, control: &Control) -> Result<S>
where
    S: for<'a> Statistics<Input<'a> = crate::data::Rows<'a>>,
{
    pass_with(source, empty, &RowStates::default(), threads, control)
}

fn pass_with<S>(source: &dyn Source, empty: &S, states: &RowStates, threads: Option<NonZeroUsize>, control: &Control) -> Result<S>
where
    S: for<'a> Statistics<Input<'a> = crate::data::Rows<'a>>,
{
    let lanes = Lanes::of_pass(empty, source.partitions(), source.bytes(), source.most_lanes());
    let threads = worker_count(threads, lanes.count());
    let merged = Mutex::new(Merged::new(MergeTree::of(lanes.count(), empty.bytes())));
    control.begin(source.rows().unwrap_or(0));
    let ahead = if empty.bytes() < LARGE_SUMMARY { usize::MAX } else { FAR * threads };
    let (next, moved, broken) = (AtomicUsize::new(0), Condvar::new(), AtomicBool::new(false));
    let work = Work { source, empty, states, control, lanes, next, merged, moved, ahead, broken };
    if threads == 1 {
        work.run();
    } else {
        std::thread::scope(|scope| {
            (0..threads).for_each(|_| {
                scope.spawn(|| work.run());
            });
        });
    }
    work.merged.into_inner().unwrap_or_else(PoisonError::into_inner).finish(empty)
}

/// Most workers: a system refuses threads at some number, and results do not depend on it.
const MOST_WORKERS: usize = 256;

/// How many workers share `pieces` pieces of work: those asked for, or what the machine (and its quota) offers.
pub(super) fn worker_count(threads: Option<NonZeroUsize>, pieces: usize) -> usize {
    let wanted = threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    wanted.min(pieces.max(1)).min(MOST_WORKERS)
}

/// How a pass is cut: which partitions are read, and which of them each lane sums up in their order.
pub(super) struct Lanes {
    partitions: Vec<usize>,
    /// Where each lane starts among them, and where the last one ends.
    starts: Vec<usize>,
}

impl Lanes {
    /// The lanes of a pass over a source of so many partitions and bytes.
    pub(super) fn of_pass<S: Statistics>(empty: &S, all: usize, bytes: u64, most: usize) -> Lanes {
        let partitions = Lanes::read(empty, all);
        let bytes = (bytes as u128 * partitions.len() as u128 / all.max(1) as u128) as u64;
        let wanted = (bytes / ((empty.bytes() as u64).max(1) * BYTES_PER_SUMMARY_BYTE)).clamp(FEWEST_LANES, most.max(2) as u64);
        let (count, lanes) = (partitions.len(), if empty.in_order() { 1 } else { (wanted as usize).min(partitions.len()) });
        let starts = (0..=lanes).map(|lane| (lane * count).checked_div(lanes).unwrap_or(0)).collect();
        Lanes { partitions, starts }
    }

    /// One lane for every part of a table whose parts cannot be read by whoever sums up another.
    pub(super) fn of_parts<S: Statistics>(empty: &S, extents: &[Extent]) -> Lanes {
        let partitions = Lanes::read(empty, extents.iter().map(|extent| extent.partitions).sum());
        let (mut starts, mut end) = (vec![0], 0);
        for extent in extents {
            end += extent.partitions;
            starts.push(partitions.partition_point(|partition| *partition < end));
        }
        Lanes { partitions, starts }
    }

    /// Lanes that begin with some of these, each with all that come before the next.
    pub(super) fn joined(&self, firsts: &[usize]) -> Lanes {
        let ends = [self.partitions.len()];
        Lanes { partitions: self.partitions.clone(), starts: firsts.iter().map(|lane| self.starts[*lane]).chain(ends).collect() }
    }

    fn read<S: Statistics>(empty: &S, all: usize) -> Vec<usize> {
        (0..all).filter(|partition| !empty.skips(*partition, all)).collect()
    }

    /// Number of lanes.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The partitions of a lane.
    pub(super) fn of(&self, lane: usize) -> &[usize] {
        &self.partitions[self.starts[lane]..self.starts[lane + 1]]
    }

    /// Whether every one of `all` partitions is read.
    pub(super) fn skips_none(&self, all: usize) -> bool {
        self.partitions.len() == all
    }
}

/// Adds partitions, one after the other, to the empty summary of a pass.
pub(super) fn sum_of<S>(source: &dyn Source, empty: &S, states: &RowStates, partitions: &[usize], control: &Control) -> Result<S>
where
    S: for<'a> Statistics<Input<'a> = crate::data::Rows<'a>>,
{
    let mut sum = empty.clone();
    for partition in partitions {
        let mut state = states.of(*partition);
        source.scan(*partition, &mut |rows| {
            let count = rows.labels.len();
            match &mut state {
                None => sum.observe(rows)?,
                Some(state) => sum.observe_kept(rows, state.next(count))?,
            }
            control.advance(count as u64)
        })?;
    }
    Ok(sum)
}

struct Work<'a, S> {
    source: &'a dyn Source,
    empty: &'a S,
    states: &'a RowStates,
    control: &'a Control,
    lanes: Lanes,
    next: AtomicUsize,
    merged: Mutex<Merged<S>>,
    /// Told whenever a lane is there.
    moved: Condvar,
    /// Lanes that a worker may be ahead of the first that is missing.
    ahead: usize,
    /// Whether a worker has panicked: its lane will never be there.
    broken: AtomicBool,
}

/// Lets the others go on when a worker panics.
struct Awake<'a, 'b, S>(&'a Work<'b, S>);

impl<S> Drop for Awake<'_, '_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let held = self.0.merged.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.broken.store(true, Ordering::Relaxed);
            drop(held);
            self.0.moved.notify_all();
        }
    }
}

impl<S> Work<'_, S>
where
    S: for<'a> Statistics<Input<'a> = crate::data::Rows<'a>>,
{
    fn run(&self) {
        let _awake = Awake(self);
        loop {
            let lane = self.next.fetch_add(1, Ordering::Relaxed);
            // A lane before the failed one is still summed: it may fail too, and the earliest failure is the one to report.
            if lane >= self.lanes.count() || self.lock().failed.as_ref().is_some_and(|(failed, _)| *failed < lane) {
                return;
            }
            self.wait_for_others(lane);
            let sum = sum_of(self.source, self.empty, self.states, self.lanes.of(lane), self.control);
            self.lock().take(lane, sum);
            self.moved.notify_all();
        }
    }

    /// Waits until the first missing lane is near enough. Somebody who does not wait has it, because lanes are begun in their order.
    fn wait_for_others(&self, lane: usize) {
        let mut merged = self.lock();
        while lane.saturating_sub(merged.next()) > self.ahead && merged.failed.is_none() && !self.broken.load(Ordering::Relaxed) {
            merged = self.moved.wait(merged).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Merged<S>> {
        self.merged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::Cell;
    use crate::data::{Classes, Feature, Features, Layout, ViewSource, Weighting};
    use crate::num::MatrixView;
    use crate::study::ClassCounts;

    #[test]
    fn an_analysis_ends_in_a_card_by_the_same_driver() {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
        let values: Vec<f64> = (0..20_000).map(f64::from).collect();
        let labels: Vec<u32> = (0..20_000).map(|i| u32::from(i % 4 == 0)).collect();
        let features = Features::of_numbers(MatrixView::row_major(&values, 20_000, 1).unwrap());
        let source = ViewSource::new(&layout, features, &labels, None).unwrap();
        let concluded = conclude(&ClassCounts, &source, None, &Control::new()).unwrap();
        let counts: Vec<&Cell> = concluded.model.tidy.rows().iter().map(|row| &row[1]).collect();
        assert_eq!(counts, [&Cell::Count(15_000), &Cell::Count(5_000)]);
        // H(1/4) = 2 − ¾ log2 3.
        let Cell::Number(bits) = concluded.model.facts[2].1 else { panic!("no entropy") };
        assert!((bits - (2.0 - 0.75 * 3f64.log2())).abs() < 1e-15, "{bits}");
        assert_eq!((concluded.passes, concluded.weight), (1, 20_000.0));
    }

    /// Forty empty partitions, of which the first takes long.
    struct SlowStart {
        layout: Layout,
        begun: AtomicUsize,
        /// How many others were begun when the first ended.
        seen: AtomicUsize,
    }

    impl Source for SlowStart {
        fn layout(&self) -> &Layout {
            &self.layout
        }

        fn partitions(&self) -> usize {
            40
        }

        fn bytes(&self) -> u64 {
            1 << 40
        }

        fn rows(&self) -> Option<u64> {
            Some(0)
        }

        fn scan(&self, partition: usize, _sink: &mut dyn FnMut(crate::data::Rows<'_>) -> Result<()>) -> Result<()> {
            if partition == 0 {
                std::thread::sleep(std::time::Duration::from_millis(300));
                self.seen.store(self.begun.load(Ordering::SeqCst), Ordering::SeqCst);
            } else {
                self.begun.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        }
    }

    #[test]
    fn large_sums_do_not_pile_up_behind_a_slow_lane() {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let columns = (0..400).map(|j| Feature::number(format!("x{j}"))).collect();
        let layout = Layout::new("y", columns, classes, Weighting::None).unwrap();
        let parts = Parts { scatter: crate::stats::ScatterPart::Pooled, ..Parts::default() };
        let empty = TableStats::new(Arc::new(layout.clone()), parts);
        assert!(empty.bytes() >= LARGE_SUMMARY);
        let source = SlowStart { layout, begun: AtomicUsize::new(0), seen: AtomicUsize::new(0) };
        let threads = NonZeroUsize::new(4);
        assert_eq!(pass(&source, &empty, threads, &Control::new()).unwrap().weight(), 0.0);
        let (seen, all) = (source.seen.load(Ordering::SeqCst), source.begun.load(Ordering::SeqCst));
        assert!((1..=4 * FAR).contains(&seen) && all == 39, "{seen} of {all}");
    }
}
