//! From a feed to a source: guess, survey, settle, and keep or stream.

use oddsmith::control::Control;
use oddsmith::data::{Classes, DocumentCounts, Feature, KeyedSource, Kind, Layout, Levels, Order, Source, Space};
use oddsmith::error::DataFault;
use oddsmith::notice::{self, Notice};
use oddsmith::{Error, ErrorKind, Result};

use crate::block::Block;
use crate::column_encoder::{NumberLane, Spot, WordLane};
use crate::encoder::{Encoder, Wiring};
use crate::feed::{Feed, Sample, Trouble};
use crate::kinds::{self, Choice, Encoding};
use crate::level_lane::LevelLane;
use crate::options::{ReadOptions, Roles};
use crate::order::Declared;
use crate::plan::Plan;
use crate::record_counts::Records;
use crate::settle::{self, Settled, Target, Verdict};
use crate::streamed::{Extent, Streamed};
use crate::summary::{self, ColumnSummary, Gap, GapIn, Role, Values};
use crate::survey::{self, ColumnEncoder, SurveyedBlock, TableSurvey, Worker};
use crate::table::Table;

/// Classes up to which nobody asks whether the target is a measurement, and rows of each that make classes of more.
const FEW_CLASSES: usize = 10;
const ROWS_PER_CLASS: u64 = 10;

/// Passes after which every guess must have settled: zeros and ones to numbers to levels to words, and one to spare.
const MOST_PASSES: usize = 5;

/// A table that is ready to be learned from.
pub(crate) struct Reading {
    pub(crate) source: Box<dyn Source + Send>,
    pub(crate) columns: Vec<ColumnSummary>,
    pub(crate) rows: u64,
    pub(crate) in_memory: bool,
    pub(crate) class_weights: Vec<f64>,
    pub(crate) flags: Vec<String>,
    pub(crate) notices: Vec<Notice>,
}

/// Reads a feed; `defaults` are kinds that the format implies.
pub(crate) fn read(
    mut feed: Box<dyn Feed>,
    roles: &Roles,
    options: &ReadOptions,
    defaults: &[(String, Kind)],
    control: &Control,
) -> Result<Reading> {
    roles.order.check()?;
    let plan = Plan::new(feed.names(), roles, options, feed.place())?;
    let notices = feed.use_columns(&plan.used())?;
    let (mut choices, sample) = first_guesses(&*feed, &plan, &roles.order, options, defaults)?;
    let rows_expected = sample.rows_in(feed.bytes());
    for _ in 0..MOST_PASSES {
        control.begin(rows_expected);
        let keep = expected_bytes(&choices, rows_expected, feed.bytes(), options) <= options.table_budget();
        let mut survey = survey::survey(&*feed, &plan, &choices, keep, options, control)?;
        match settle_columns(&*feed, &plan, &roles.order, &mut survey, &mut choices, options)? {
            Some(settled) => return finish(feed, plan, &roles.order, survey, settled, notices, options),
            None => drop(survey),
        }
    }
    Err(Error::internal("the kinds of the columns did not settle"))
}

fn first_guesses(
    feed: &dyn Feed,
    plan: &Plan,
    order: &Order,
    options: &ReadOptions,
    defaults: &[(String, Kind)],
) -> Result<(Vec<Choice>, Sample)> {
    let mut choices = Vec::new();
    let sample = feed.sample(&mut |batch| {
        choices.extend(plan.features.iter().enumerate().map(|(at, &column)| {
            if plan.key(at).is_some() {
                return Choice::given(Kind::Category);
            }
            let name = plan.name(column);
            let default = defaults.iter().find(|(known, _)| known == name).map(|(_, kind)| kind);
            match options.kinds.get(name).or(default) {
                Some(kind) => Choice::given(*kind),
                None if order.of(name).is_some() || feed.holds_levels(column) => Choice::given(Kind::Category),
                None => kinds::guess(batch, column, feed.holds_numbers(column), options.flags_in(name), feed.decimal(), feed.markers()),
            }
        }));
    })?;
    Ok((choices, sample))
}

/// The memory that the encoded rows will take. A term takes 12 bytes where its word took about six.
fn expected_bytes(choices: &[Choice], rows: u64, file: u64, options: &ReadOptions) -> u64 {
    let cell = |choice: &Choice| match choice.encoding {
        Encoding::Number => 8,
        Encoding::Levels => 4,
        Encoding::Words => 9,
    };
    let has_words = choices.iter().any(|choice| choice.encoding == Encoding::Words);
    let words = if has_words { file * 2 * options.text.terms.longest() as u64 } else { 0 };
    rows * (choices.iter().map(cell).sum::<u64>() + 12) + words
}

/// Settles every column, or changes the choices of those that must be read again and gives `None`.
fn settle_columns(
    feed: &dyn Feed,
    plan: &Plan,
    order: &Order,
    survey: &mut TableSurvey,
    choices: &mut [Choice],
    options: &ReadOptions,
) -> Result<Option<Vec<Settled>>> {
    let mut settled = Vec::new();
    let mut first_fault: Option<Spot> = None;
    let mut again = false;
    for (j, &column) in plan.features.iter().enumerate() {
        let verdict = match choices[j].encoding {
            Encoding::Number => {
                let name = plan.name(column);
                settle::numbers(name, take_numbers(&mut survey.workers, j), choices[j], options.flags_in(name))
            }
            Encoding::Levels => {
                let declared = Declared { column: plan.name(column), order, dictionary: feed.level_order(column) };
                settle::levels(plan.name(column), &level_lanes(&survey.workers, j), choices[j], feed.decimal(), &declared)
            }
            Encoding::Words => Verdict::Holds(Box::new(settle::words(plan.name(column), &word_lanes(&survey.workers, j), &options.text))),
        };
        match verdict {
            Verdict::Holds(column) => settled.push(*column),
            Verdict::Again(choice) => {
                choices[j] = choice;
                again = true;
            }
            Verdict::Fault(spot) => Spot::earlier(&mut first_fault, Some(spot.in_column(plan.name(column)))),
            Verdict::Refused(fault) => return Err(feed.place().fault(*fault)),
        }
    }
    match first_fault {
        Some(spot) => {
            let before = survey::records_before(&survey.workers, spot.at.0);
            Err(feed.report(Trouble::from(spot), before))
        }
        None => Ok((!again).then_some(settled)),
    }
}

fn take_numbers(workers: &mut [Worker], j: usize) -> Vec<NumberLane> {
    let take = |worker: &mut Worker| match &mut worker.lanes[j] {
        ColumnEncoder::Number(lane) => Some(std::mem::replace(lane, NumberLane::new(false))),
        _ => None,
    };
    workers.iter_mut().filter_map(take).collect()
}

fn level_lanes(workers: &[Worker], j: usize) -> Vec<&LevelLane> {
    workers
        .iter()
        .filter_map(|worker| match &worker.lanes[j] {
            ColumnEncoder::Levels(lane) => Some(lane),
            _ => None,
        })
        .collect()
}

fn word_lanes(workers: &[Worker], j: usize) -> Vec<&WordLane> {
    workers
        .iter()
        .filter_map(|worker| match &worker.lanes[j] {
            ColumnEncoder::Words(lane) => Some(lane),
            _ => None,
        })
        .collect()
}

/// Builds the layout and the source.
fn finish(
    feed: Box<dyn Feed>,
    plan: Plan,
    order: &Order,
    survey: TableSurvey,
    settled: Vec<Settled>,
    mut notices: Vec<Notice>,
    options: &ReadOptions,
) -> Result<Reading> {
    let TableSurvey { workers, kept } = survey;
    let target = settle_target(&*feed, &plan, order, &workers, options)?;
    let mut parts: Vec<SurveyedBlock> = workers.into_iter().flat_map(|worker| worker.parts).collect();
    parts.sort_unstable_by_key(|part| part.partition);
    let rows: u64 = parts.iter().map(|part| part.rows).sum();
    let records = parts.iter().fold(Records::default(), |sum, part| sum.then(part.records));
    let class_weights = class_weights(&parts, &target);
    if rows == 0 {
        return Err(no_rows(&*feed, &plan, records.all, target.missing));
    }
    refuse_measurements(&*feed, &plan, order, &target, rows, options)?;
    let columns = summarise(&plan, &settled, &target);
    notices.extend(columns.iter().flat_map(|column| unused_levels(column, order)));
    notices.extend(records.notices(options.ragged));
    notices.extend(gaps(&columns, GapIn::Target).filter_map(|gap| gap.notice(rows)));
    notices.extend(plan.target.and_then(|column| one_number(plan.name(column), target.labels.names())));
    let before = |partition: usize| parts.iter().filter(|part| part.partition < partition).map(|part| part.records.all).sum();
    for (column, settled) in plan.features.iter().zip(&settled) {
        notices.extend(settled.mixed.as_ref().map(|mixed| mixed.notice(plan.name(*column), before)));
    }
    columns.iter().for_each(|column| notices.extend(summary::notices(column, rows)));
    notices.extend(gaps(&columns, GapIn::Key).filter_map(|gap| gap.notice(rows)));
    let flags = settled.iter().filter(|column| column.flags).map(|column| column.feature.name.clone()).collect();
    let target_name = plan.target.map_or("", |column| plan.name(column));
    let keys = plan.keys.clone();
    let features = settled.iter().map(|column| column.feature.clone()).collect();
    let layout = Layout::new(target_name, features, Classes::new(target.labels.names().to_vec())?, plan.weighting)?;
    let source: Box<dyn Source + Send> = if kept {
        renumber(&mut parts, &layout, &settled, &target.renumbering, options.workers());
        Box::new(Table::new(layout, parts.into_iter().map(|part| part.blocks).collect()))
    } else {
        let weight_name = plan.weight.map_or("", |column| plan.name(column)).to_owned();
        let wiring = Wiring { features: plan.features, target: plan.target, weight: plan.weight, filter: plan.filter };
        let encoder = Encoder::new(&layout, wiring, &weight_name, true, &options.text);
        Box::new(Streamed::new(layout, feed, encoder, extents(&parts), rows, options.table_budget()))
    };
    let source = if keys.is_empty() { source } else { Box::new(KeyedSource::new(source, &keys)?) };
    Ok(Reading { source, columns, rows, in_memory: kept, class_weights, flags, notices })
}

/// The weight of every class, added up in the order of the file, so that it does not depend on who read what.
fn class_weights(parts: &[SurveyedBlock], target: &Target) -> Vec<f64> {
    let mut sums = vec![0.0; target.labels.len()];
    for part in parts {
        for (weight, class) in part.class_weights.iter().zip(&target.renumbering[part.worker]) {
            // A class that only a dictionary knows has neither rows nor a place.
            if let Some(sum) = sums.get_mut(*class as usize) {
                *sum += weight;
            }
        }
    }
    sums
}

fn settle_target(feed: &dyn Feed, plan: &Plan, order: &Order, workers: &[Worker], options: &ReadOptions) -> Result<Target> {
    let lanes: Vec<&LevelLane> = workers.iter().map(|worker| &worker.target).collect();
    let name = plan.target.map_or("", |column| plan.name(column));
    let declared = Declared { column: name, order, dictionary: plan.target.and_then(|column| feed.level_order(column)) };
    let target = settle::target(&lanes, &declared).map_err(|error| error.in_table(feed.place().name()))?;
    if target.labels.len() > options.max_classes {
        return Err(survey::too_many_classes(feed, name, options.max_classes));
    }
    Ok(target)
}

/// A target of many different numbers, each in a few rows, is a measurement, from which no class could be learned. A column whose type or
/// whose caller says that it holds levels is none.
fn refuse_measurements(feed: &dyn Feed, plan: &Plan, order: &Order, target: &Target, rows: u64, options: &ReadOptions) -> Result<()> {
    let (names, count) = (target.labels.names(), target.labels.len());
    let Some(column) = plan.target.filter(|_| count > FEW_CLASSES && rows < ROWS_PER_CLASS * count as u64) else { return Ok(()) };
    let name = plan.name(column);
    let typed = feed.holds_numbers(column) == Some(false) || feed.holds_levels(column);
    let declared = options.kinds.contains_key(name) || order.of(name).is_some();
    if typed || declared || names.iter().any(|label| label.trim().parse::<f64>().is_err()) {
        return Ok(());
    }
    let fault = DataFault::new(format!("a numeric outcome, not classes: {count} different numbers in {rows} rows")).column(name);
    let accepted = "a target of few classes; cut the numbers into ranges first, or say that the kind of the column is category";
    Err(feed.place().fault(fault.accepted(accepted)))
}

/// What is said of a table of whose rows none counts.
const NO_ROWS: [&str; 3] = ["the table has a header and no rows", "has no value in any row", "no row is left"];

/// Whether a table was refused because none of its rows counts: where it is one of many, it adds nothing.
pub(crate) fn has_no_rows(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Data(fault) if NO_ROWS.contains(&fault.what.as_str()))
}

fn no_rows(feed: &dyn Feed, plan: &Plan, records: u64, unlabelled: u64) -> Error {
    let fault = match (records, plan.target) {
        (0, _) => DataFault::new(NO_ROWS[0]).accepted("a table needs at least one row"),
        (_, Some(target)) if unlabelled > 0 => DataFault::new(NO_ROWS[1]).column(plan.name(target)).accepted("choose another target"),
        _ => DataFault::new(NO_ROWS[2])
            .accepted("rows of weight zero, ragged rows that are skipped and rows that the condition leaves out do not count"),
    };
    feed.place().fault(fault)
}

/// Classes whose labels are the same number in two spellings: nobody means `1` and `1.0` to be two.
fn one_number(name: &str, labels: &[String]) -> Option<Notice> {
    let number = |label: &String| label.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    // Adding zero makes one of both zeros.
    let mut values: Vec<(f64, &String)> = labels.iter().filter_map(|label| Some((number(label)? + 0.0, label))).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let pair = values.windows(2).find(|pair| pair[0].0 == pair[1].0)?;
    let (first, second) = (pair[0].1, pair[1].1);
    let text = format!("`{first}` and `{second}` are one number and two classes; write them alike if they should be one");
    Some(Notice::new(notice::ONE_NUMBER, text).column(name))
}

/// The declared levels of a column that occur in no row.
fn unused_levels(column: &ColumnSummary, order: &Order) -> Vec<Notice> {
    let Values::Levels(counted) = &column.values else { return Vec::new() };
    if order.of(&column.name).is_none() {
        return Vec::new();
    }
    let levels = Levels::in_order(counted.iter().map(|(level, _)| level.clone()).collect());
    Declared { column: &column.name, order, dictionary: None }.unused(&levels)
}

fn summarise(plan: &Plan, settled: &[Settled], target: &Target) -> Vec<ColumnSummary> {
    let unused = |name: &String| ColumnSummary { name: name.clone(), role: Role::Unused, kind: None, missing: 0, values: Values::Unknown };
    let mut columns: Vec<ColumnSummary> = plan.names.iter().map(unused).collect();
    for (at, (column, settled)) in plan.features.iter().zip(settled).enumerate() {
        let summary = &mut columns[*column];
        summary.role = plan.key(at).map_or(Role::Feature, Role::Key);
        summary.kind = Some(settled.feature.kind());
        summary.missing = settled.missing;
        summary.values = settled.values.clone();
    }
    if let Some(column) = plan.weight {
        columns[column].role = Role::Weight;
        columns[column].kind = Some(Kind::Number);
    }
    if let Some(column) = plan.target {
        let summary = &mut columns[column];
        summary.role = Role::Target;
        summary.kind = Some(Kind::Category);
        summary.missing = target.missing;
        summary.values = Values::Levels(target.counts.clone());
    }
    columns
}

fn gaps(columns: &[ColumnSummary], place: GapIn) -> impl Iterator<Item = Gap> {
    columns.iter().filter_map(Gap::of).filter(move |gap| gap.place == place)
}

/// Gives every code and word of the kept blocks its final number.
fn renumber(parts: &mut [SurveyedBlock], layout: &Layout, settled: &[Settled], labels: &[Vec<u32>], threads: usize) {
    let code_columns: Vec<&Settled> = layout.codes().iter().map(|&j| &settled[j]).collect();
    let factors = |feature: &Feature| match &feature.space {
        Space::Words { form, .. } => form.weights.as_ref().map(DocumentCounts::factors),
        _ => None,
    };
    let word_columns: Vec<(&Settled, Option<Vec<f64>>)> =
        layout.words().iter().map(|&j| (&settled[j], factors(&settled[j].feature))).collect();
    let renumber_block = |block: &mut Block, worker: usize| {
        renumber_codes(&mut block.labels, &labels[worker]);
        for (column, codes) in code_columns.iter().zip(block.codes.chunks_exact_mut(block.rows)) {
            renumber_codes(codes, &column.renumbering[worker]);
        }
        for ((column, factors), words) in word_columns.iter().zip(&mut block.words) {
            if let Some(numbers) = column.renumbering.get(worker) {
                words.renumber(numbers, oddsmith::data::MISSING);
            }
            if let Some(factors) = factors {
                words.weigh(factors);
            }
        }
    };
    let share = parts.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for parts in parts.chunks_mut(share) {
            let renumber_block = &renumber_block;
            scope.spawn(move || {
                for part in parts {
                    part.blocks.iter_mut().for_each(|block| renumber_block(block, part.worker));
                }
            });
        }
    });
}

/// Gives codes their new numbers, where they change.
fn renumber_codes(codes: &mut [u32], numbers: &[u32]) {
    if numbers.iter().enumerate().all(|(old, new)| old as u32 == *new) {
        return;
    }
    for code in codes {
        *code = numbers.get(*code as usize).copied().unwrap_or(*code);
    }
}

fn extents(parts: &[SurveyedBlock]) -> Vec<Extent> {
    let mut next = Extent::default();
    parts
        .iter()
        .map(|part| {
            let this = next;
            next = Extent { records_before: this.records_before + part.records.all, rows_before: this.rows_before + part.rows };
            this
        })
        .collect()
}
