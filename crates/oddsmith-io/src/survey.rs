//! The first reading of a table: every worker encodes partitions with lanes of its own.
//!
//! The pass goes on past a cell that contradicts a guess, so that one more pass settles all columns. Which worker
//! takes which partition is left to chance; nothing that comes out depends on it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use oddsmith::control::Control;
use oddsmith::data::SKIP;
use oddsmith::error::DataFault;
use oddsmith::{Error, Result};

use crate::block::Block;
use crate::column::RawBatch;
use crate::column_encoder::{NumberLane, View, WordLane};
use crate::feed::{Feed, Pass, Scratch, Trouble};
use crate::kinds::{Choice, Encoding};
use crate::level_lane::{LevelLane, tally};
use crate::options::ReadOptions;
use crate::plan::Plan;
use crate::record_counts::Records;
use crate::selection;
use crate::tokens::Tokenizer;

/// What is learned about one feature.
#[derive(Debug)]
pub(crate) enum ColumnEncoder {
    /// A column of numbers.
    Number(NumberLane),
    /// A column of levels.
    Levels(LevelLane),
    /// A column of text.
    Words(WordLane),
}

impl ColumnEncoder {
    fn new(choice: Choice, options: &ReadOptions) -> Self {
        match choice.encoding {
            Encoding::Number => ColumnEncoder::Number(NumberLane::new(choice.given.is_some())),
            Encoding::Levels => ColumnEncoder::Levels(LevelLane::new(choice.given)),
            Encoding::Words => ColumnEncoder::Words(WordLane::new(Tokenizer::new(&options.text), options.text.hashed, options.text.value)),
        }
    }

    fn memory(&self) -> u64 {
        match self {
            ColumnEncoder::Number(_) => 0,
            ColumnEncoder::Levels(lane) => lane.memory(),
            ColumnEncoder::Words(lane) => lane.memory(),
        }
    }
}

/// A partition after its first reading.
#[derive(Debug)]
pub(crate) struct SurveyedBlock {
    /// Its index.
    pub(crate) partition: usize,
    /// The worker whose numbers its blocks use.
    pub(crate) worker: usize,
    /// Its records.
    pub(crate) records: Records,
    /// Its rows that count.
    pub(crate) rows: u64,
    /// The weight of its rows by the worker's number of their class; 1 for each row without weights.
    pub(crate) class_weights: Vec<f64>,
    /// Its encoded rows, unless the table does not fit.
    pub(crate) blocks: Vec<Block>,
}

/// What one worker learned.
pub(crate) struct Worker {
    /// The target column.
    pub(crate) target: LevelLane,
    /// The features.
    pub(crate) lanes: Vec<ColumnEncoder>,
    /// The partitions it read.
    pub(crate) parts: Vec<SurveyedBlock>,
}

/// What all workers learned.
pub(crate) struct TableSurvey {
    /// The workers; their lanes are still apart.
    pub(crate) workers: Vec<Worker>,
    /// Whether the blocks of all partitions were kept.
    pub(crate) kept: bool,
}

/// What the workers share.
struct Shared<'a> {
    feed: &'a dyn Feed,
    plan: &'a Plan,
    options: &'a ReadOptions,
    control: &'a Control,
    pass: Pass,
    /// Someone failed: take no new partition.
    stop: AtomicBool,
    /// Blocks are kept as long as this holds.
    keep: AtomicBool,
    kept_bytes: AtomicU64,
}

/// Reads the whole table once.
pub(crate) fn survey(
    feed: &dyn Feed,
    plan: &Plan,
    choices: &[Choice],
    keep: bool,
    options: &ReadOptions,
    control: &Control,
) -> Result<TableSurvey> {
    let shared = Shared {
        feed,
        plan,
        options,
        control,
        pass: Pass::default(),
        stop: AtomicBool::new(false),
        keep: AtomicBool::new(keep),
        kept_bytes: AtomicU64::new(0),
    };
    let threads = options.workers();
    let outcomes: Vec<(Worker, Option<Failure>)> = std::thread::scope(|scope| {
        let start = |index| {
            let shared = &shared;
            move || work(shared, index, choices)
        };
        let others: Vec<_> = (1..threads).map(|index| scope.spawn(start(index))).collect();
        let mut outcomes = vec![start(0)()];
        outcomes.extend(others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        outcomes
    });
    let mut workers = Vec::new();
    let mut failures = Vec::new();
    for (worker, failure) in outcomes {
        workers.push(worker);
        failures.extend(failure);
    }
    if let Some(first) = failures.into_iter().min_by_key(Failure::place) {
        let before = records_before(&workers, first.partition);
        return Err(feed.report(first.trouble, before));
    }
    Ok(TableSurvey { workers, kept: shared.keep.load(Ordering::Relaxed) })
}

/// Records in the partitions before one.
pub(crate) fn records_before(workers: &[Worker], partition: usize) -> u64 {
    workers.iter().flat_map(|worker| &worker.parts).filter(|part| part.partition < partition).map(|part| part.records.all).sum()
}

/// Trouble and the partition it happened in.
struct Failure {
    partition: usize,
    trouble: Trouble,
}

impl Failure {
    /// The first failure in the order of the file is the one to report, whoever met it first.
    fn place(&self) -> (usize, u64) {
        match &self.trouble {
            Trouble::Row(spot, _) => spot.at,
            Trouble::Other(_) => (self.partition, u64::MAX),
        }
    }
}

fn work(shared: &Shared<'_>, index: usize, choices: &[Choice]) -> (Worker, Option<Failure>) {
    let lanes = choices.iter().map(|choice| ColumnEncoder::new(*choice, shared.options)).collect();
    let mut worker = Worker { target: LevelLane::new(None), lanes, parts: Vec::new() };
    let mut bench = Bench::default();
    let mut partition = usize::MAX;
    let mut read_all = || -> Result<(), Trouble> {
        while !shared.stop.load(Ordering::Relaxed) {
            let Some(next) = shared.feed.claim(&shared.pass, &mut bench.scratch)? else { break };
            partition = next;
            let part = read_partition(shared, &mut worker, &mut bench, index, partition)?;
            worker.parts.push(part);
            check_memory(shared, &worker)?;
        }
        Ok(())
    };
    let failure = read_all().err().map(|trouble| {
        shared.stop.store(true, Ordering::Relaxed);
        Failure { partition, trouble }
    });
    (worker, failure)
}

/// The buffers of a worker.
#[derive(Default)]
struct Bench {
    scratch: Scratch,
    keep: Vec<u32>,
    block: Block,
}

fn read_partition(
    shared: &Shared<'_>,
    worker: &mut Worker,
    bench: &mut Bench,
    index: usize,
    partition: usize,
) -> Result<SurveyedBlock, Trouble> {
    let Bench { scratch, keep, block } = bench;
    let (mut blocks, mut class_weights) = (Vec::new(), Vec::new());
    let (mut rows, mut left_out) = (0, 0);
    let mut records = shared.feed.batches(partition, scratch, &mut |batch| {
        shared.control.advance(batch.rows() as u64)?;
        observe(shared, worker, (partition, batch), keep, block, &mut left_out)?;
        rows += block.rows as u64;
        add_class_weights(block, &mut class_weights);
        if block.rows > 0 && shared.keep.load(Ordering::Relaxed) {
            let size = shared.kept_bytes.fetch_add(block.bytes(), Ordering::Relaxed) + block.bytes();
            let contradicted = worker.lanes.iter().any(|lane| matches!(lane, ColumnEncoder::Number(lane) if lane.contradicted));
            if contradicted || size > shared.options.table_budget() {
                shared.keep.store(false, Ordering::Relaxed);
            } else {
                blocks.push(block.compact());
            }
        }
        Ok(())
    })?;
    records.left_out = left_out;
    if !shared.keep.load(Ordering::Relaxed) {
        blocks = Vec::new();
        worker.parts.iter_mut().for_each(|part| part.blocks = Vec::new());
    }
    Ok(SurveyedBlock { partition, worker: index, records, rows, class_weights, blocks })
}

fn add_class_weights(block: &Block, sums: &mut Vec<f64>) {
    if block.weights.is_empty() {
        // One more than a label that is left out is 0.
        const { assert!(SKIP == u32::MAX) };
        let classes = block.labels.iter().fold(0, |most: u32, label| most.max(label.wrapping_add(1)));
        let mut counts = vec![0u64; classes as usize];
        tally(&block.labels, &mut counts);
        sums.resize(sums.len().max(counts.len()), 0.0);
        return sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count as f64);
    }
    for (i, label) in block.labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
        let label = *label as usize;
        if sums.len() <= label {
            sums.resize(label + 1, 0.0);
        }
        sums[label] += block.weights.get(i).copied().unwrap_or(1.0);
    }
}

/// Encodes a batch with the worker's lanes.
fn observe(
    shared: &Shared<'_>,
    worker: &mut Worker,
    (partition, batch): (usize, &RawBatch<'_>),
    keep: &mut Vec<u32>,
    block: &mut Block,
    left_out: &mut u64,
) -> Result<(), Trouble> {
    let (plan, decimal, markers) = (shared.plan, shared.feed.decimal(), shared.feed.markers());
    selection::by_condition((partition, batch), plan.filter.as_ref(), (decimal, markers), keep, left_out)?;
    if let Some(column) = plan.weight {
        selection::by_weight((partition, batch), column, (decimal, markers), keep, &mut block.weights)
            .map_err(|spot| spot.in_column(plan.name(column)))?;
    }
    block.labels.clear();
    block.labels.resize(keep.len(), SKIP);
    if let Some(column) = plan.target {
        worker.target.observe(&View { partition, batch, keep, decimal, markers }, column, &mut block.labels);
        if worker.target.has_more_than(shared.options.max_classes) {
            return Err(too_many_classes(shared.feed, plan.name(column), shared.options.max_classes).into());
        }
        selection::by_label(keep, &mut block.labels, &mut block.weights);
    }
    let count = |wanted: fn(&ColumnEncoder) -> bool| worker.lanes.iter().filter(|lane| wanted(lane)).count();
    let numbers = count(|lane| matches!(lane, ColumnEncoder::Number(_)));
    let codes = count(|lane| matches!(lane, ColumnEncoder::Levels(_)));
    let rows = keep.len();
    block.reset(rows, numbers, codes, worker.lanes.len() - numbers - codes);
    let view = View { partition, batch, keep, decimal, markers };
    let (mut number, mut code, mut word) = (0, 0, 0);
    for (lane, &column) in worker.lanes.iter_mut().zip(&plan.features) {
        match lane {
            ColumnEncoder::Number(lane) => {
                lane.observe(&view, column, &mut block.numbers[number * rows..(number + 1) * rows]);
                number += 1;
            }
            ColumnEncoder::Levels(lane) => {
                lane.observe(&view, column, &mut block.codes[code * rows..(code + 1) * rows]);
                code += 1;
            }
            ColumnEncoder::Words(lane) => {
                lane.observe(&view, column, &mut block.words[word]);
                word += 1;
            }
        }
    }
    Ok(())
}

/// The fault of a target with too many labels.
pub(crate) fn too_many_classes(feed: &dyn Feed, target: &str, most: usize) -> Error {
    let fault = DataFault::new(format!("has more than {most} classes"))
        .column(target)
        .accepted("is it an identifier? choose another target, or raise --max-classes");
    feed.place().fault(fault)
}

/// Levels and words must fit the budget, or the table cannot be described at all.
fn check_memory(shared: &Shared<'_>, worker: &Worker) -> Result<()> {
    let total: u64 = worker.lanes.iter().map(ColumnEncoder::memory).sum();
    if total <= shared.options.memory {
        return Ok(());
    }
    let largest = worker.lanes.iter().zip(&shared.plan.features).max_by_key(|(lane, _)| lane.memory());
    let (what, advice) = match largest {
        Some((ColumnEncoder::Words(_), _)) => ("words", "raise --memory, or hash them with --hash-width"),
        _ => ("values", "leave the column out with --exclude, or raise --memory"),
    };
    let name = largest.map_or("", |(_, column)| shared.plan.name(*column));
    let fault = DataFault::new(format!("has more different {what} than the memory budget holds")).column(name).accepted(advice);
    Err(shared.feed.place().fault(fault))
}
