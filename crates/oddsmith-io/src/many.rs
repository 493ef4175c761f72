//! Pieces of many files opened side by side and joined to one table.
//!
//! The first piece with rows says which columns are categories or texts; levels, classes and words are united over all pieces. A column
//! that is something else elsewhere is refused with the names of both files. Zeros and ones are booleans (where a model wants that) only
//! if they are all that any piece has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use oddsmith::control::Control;
use oddsmith::data::{JoinedSource, Kind, Layout, Order, Source, Space};
use oddsmith::notice::{self, Notice};
use oddsmith::train::common_layout;
use oddsmith::{Error, Result};

use crate::open::{Opened, open};
use crate::options::{Input, ReadOptions, Roles};
use crate::piece::Piece;
use crate::reading::has_no_rows;
use crate::summary::{self, ColumnSummary, Gap, Role, Values};

/// A number column that may be zeros and ones, with its smallest and largest number.
type FlagCandidate = (String, f64, f64);

/// Opens one of many pieces with `open`. What depends on all rows of a table (which class is the event, whether zeros and ones are booleans)
/// is left open.
pub fn open_piece(options: &ReadOptions, roles: &Roles, open: impl FnOnce(&ReadOptions, &Roles) -> Result<Opened>) -> Result<Opened> {
    let text = &options.text;
    if text.tf_idf || text.min_documents > 1 || text.max_words.is_some() {
        let accepted = "which words are kept follows from all rows, and many files are read one by one; hash them, or make one file";
        return Err(Error::option("text", "weights or words chosen by their texts", accepted));
    }
    let options = ReadOptions { flags: None, ..options.clone() };
    let roles = Roles { order: Order { event: None, ..roles.order.clone() }, ..roles.clone() };
    open(&options, &roles)
}

/// A piece that was opened; `None` where none of its rows counts.
pub fn if_rows(opened: Result<Opened>) -> Result<Option<Opened>> {
    match opened {
        Err(error) if has_no_rows(&error) => Ok(None),
        opened => opened.map(Some),
    }
}

/// The kinds that the first piece settles for all others: those of columns that are no numbers. What was given stays.
pub fn given_kinds(first: &Opened, given: &BTreeMap<String, Kind>) -> BTreeMap<String, Kind> {
    let settled = first.layout().features().iter().map(|feature| (feature.name.clone(), feature.kind()));
    let mut kinds: BTreeMap<String, Kind> = settled.filter(|(_, kind)| *kind != Kind::Number).collect();
    kinds.extend(given.clone());
    kinds
}

/// Number columns of a piece that hold zeros and ones alone, as far as this piece can tell.
pub fn flag_candidates(opened: &Opened, given: &BTreeMap<String, Kind>) -> Vec<FlagCandidate> {
    let candidate = |column: &ColumnSummary| match column.values {
        Values::Range { min, max } if column.role == Role::Feature && !given.contains_key(&column.name) => {
            let one_value = min > max || (min == max && (min == 0.0 || min == 1.0));
            (one_value || opened.flags.contains(&column.name)).then(|| (column.name.clone(), min, max))
        }
        _ => None,
    };
    opened.columns.iter().filter_map(candidate).collect()
}

/// The columns that hold zeros and ones in all pieces together, but for the named ones.
pub fn flag_columns(pieces: &[Vec<FlagCandidate>], except: &[String]) -> Vec<String> {
    let mut common: BTreeMap<&str, (usize, f64, f64)> = BTreeMap::new();
    for (name, min, max) in pieces.iter().flatten() {
        let range = common.entry(name).or_insert((0, f64::INFINITY, f64::NEG_INFINITY));
        *range = (range.0 + 1, range.1.min(*min), range.2.max(*max));
    }
    let holds = |(name, (count, min, max)): (&str, (usize, f64, f64))| {
        (count == pieces.len() && min == 0.0 && max == 1.0 && !except.iter().any(|kept| kept == name)).then(|| name.to_owned())
    };
    common.into_iter().filter_map(holds).collect()
}

/// Opens all pieces as one table.
pub fn open_pieces(pieces: &[Piece], options: &ReadOptions, roles: &Roles, control: &Control) -> Result<Opened> {
    let inputs: Vec<Input> = pieces.iter().cloned().map(Input::Piece).collect();
    let total: u64 = pieces.iter().map(|piece| piece.bytes).sum();
    let share = |at: usize, kinds: &BTreeMap<String, Kind>| {
        let memory = (u128::from(options.memory) * u128::from(pieces[at].bytes) / u128::from(total.max(1))) as u64;
        let threads = if pieces.len() < options.workers() { options.threads } else { 1 };
        ReadOptions { memory, threads, kinds: kinds.clone(), ..options.clone() }
    };
    let read = |at: usize, kinds: &BTreeMap<String, Kind>| {
        if_rows(open_piece(&share(at, kinds), roles, |options, roles| open(&inputs[at], options, roles, control)))
    };
    let mut first = None;
    for at in 0..inputs.len() {
        if let Some(opened) = read(at, &options.kinds)? {
            first = Some((at, opened));
            break;
        }
    }
    let Some((at, opened)) = first else {
        // The reason of the first piece is that of all.
        return open(&inputs[0], options, roles, control);
    };
    let mut kinds = given_kinds(&opened, &options.kinds);
    let rest = side_by_side(at + 1..inputs.len(), options.workers(), |at| read(at, &kinds))?;
    let mut all: Vec<(usize, Opened)> = std::iter::once((at, opened)).chain(rest).collect();
    if let Some(except) = &options.flags {
        let candidates: Vec<Vec<FlagCandidate>> = all.iter().map(|(_, opened)| flag_candidates(opened, &options.kinds)).collect();
        let flags = flag_columns(&candidates, except);
        if !flags.is_empty() {
            kinds.extend(flags.into_iter().map(|name| (name, Kind::Boolean)));
            all = side_by_side(0..inputs.len(), options.workers(), |at| read(at, &kinds))?;
        }
    }
    let names: Vec<String> = all.iter().map(|(at, _)| inputs[*at].name()).collect();
    joined(all.into_iter().map(|(_, opened)| opened).collect(), &names, roles, total)
}

/// Does pieces of work on several threads and gives what has come of them in order; the first error in that order is the one to report.
fn side_by_side<T: Send>(
    pieces: std::ops::Range<usize>,
    threads: usize,
    work: impl Fn(usize) -> Result<Option<T>> + Sync,
) -> Result<Vec<(usize, T)>> {
    let (next, done) = (AtomicUsize::new(pieces.start), Mutex::new(BTreeMap::new()));
    let run = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= pieces.end {
                return;
            }
            let outcome = work(at);
            if outcome.is_err() {
                next.store(pieces.end, Ordering::Relaxed);
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(at, outcome);
        }
    };
    std::thread::scope(|scope| (0..threads.min(pieces.len())).for_each(|_| _ = scope.spawn(run)));
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let kept = done.into_iter().filter_map(|(at, outcome)| outcome.map(|kept| kept.map(|kept| (at, kept))).transpose());
    kept.collect()
}

/// One table of all pieces.
fn joined(pieces: Vec<Opened>, names: &[String], roles: &Roles, bytes: u64) -> Result<Opened> {
    let layouts = pieces.iter().map(|piece| piece.layout().unkeyed()).collect::<Result<Vec<Layout>>>()?;
    let named: Vec<(&str, &Layout)> = names.iter().map(String::as_str).zip(&layouts).collect();
    let (mut layout, _) = common_layout(&named)?;
    if !roles.order.is_empty() {
        layout = roles.order.applied(&layout)?;
    }
    if !roles.keys.is_empty() {
        layout = layout.keyed(&roles.keys)?;
    }
    let columns = joined_columns(&pieces, &layout);
    let rows = pieces.iter().map(|piece| piece.rows).sum();
    let class_weights = class_weights(&pieces, &layout)?;
    let mut told = BTreeSet::new();
    let mut notices: Vec<Notice> = pieces.iter().flat_map(own_notices).filter(|notice| told.insert(notice.to_string())).cloned().collect();
    notices.extend(joined_notices(pieces.iter().flat_map(gaps), &layout, rows));
    let (format, compression) = (pieces[0].format.clone(), pieces[0].compression);
    let in_memory = pieces.iter().all(|piece| piece.in_memory);
    let flags = pieces[0].flags.iter().filter(|name| pieces.iter().all(|piece| piece.flags.contains(name))).cloned().collect();
    let sources: Vec<Arc<dyn Source + Send>> = pieces.into_iter().map(|piece| Arc::from(piece.source)).collect();
    let source = Box::new(JoinedSource::new(sources, layout, bytes)?);
    Ok(Opened { source, format, compression, columns, rows, class_weights, flags, in_memory, notices })
}

/// Weights of the classes of all pieces, added up in their order.
fn class_weights(pieces: &[Opened], layout: &Layout) -> Result<Vec<f64>> {
    let mut sums = vec![0.0; layout.classes().len()];
    for piece in pieces {
        for (label, weight) in piece.layout().classes().labels().iter().zip(&piece.class_weights) {
            sums[layout.classes().index(label)?] += weight;
        }
    }
    Ok(sums)
}

/// What is known of every column over all pieces.
fn joined_columns(pieces: &[Opened], layout: &Layout) -> Vec<ColumnSummary> {
    let names_of = |column: &ColumnSummary| -> Vec<String> {
        let key = layout.keys().iter().find(|key| key.name == column.name);
        match (column.role, layout.features().iter().find(|feature| feature.name == column.name).map(|feature| &feature.space), key) {
            (Role::Target, _, _) => layout.classes().labels().to_vec(),
            (_, Some(Space::Levels { levels, .. }), _) => levels.names().to_vec(),
            (_, _, Some(key)) => key.levels.names().to_vec(),
            _ => Vec::new(),
        }
    };
    let mut columns = pieces[0].columns.clone();
    for column in &mut columns {
        let same = |piece: &Opened| piece.columns.iter().find(|other| other.name == column.name).cloned();
        let others: Vec<ColumnSummary> = pieces[1..].iter().filter_map(same).collect();
        column.missing += others.iter().map(|other| other.missing).sum::<u64>();
        let all = || std::iter::once(&column.values).chain(others.iter().map(|other| &other.values));
        column.values = match &column.values {
            Values::Unknown => Values::Unknown,
            Values::Range { .. } => {
                let range =
                    |values: &Values| if let Values::Range { min, max } = values { (*min, *max) } else { (f64::INFINITY, -f64::INFINITY) };
                let (min, max) = all().map(range).fold((f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
                Values::Range { min, max }
            }
            Values::Levels(_) => {
                let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
                for (level, count) in
                    all().filter_map(|values| if let Values::Levels(levels) = values { Some(levels) } else { None }).flatten()
                {
                    *counts.entry(level).or_default() += count;
                }
                Values::Levels(
                    names_of(column).into_iter().map(|name| (name.clone(), counts.get(name.as_str()).copied().unwrap_or(0))).collect(),
                )
            }
            Values::Terms(_) => Values::Terms(layout.index(&column.name).map_or(0, |j| terms(layout, j))),
        };
    }
    columns
}

fn terms(layout: &Layout, j: usize) -> usize {
    let place = layout.words().iter().position(|word| *word == j);
    place.and_then(|place| layout.word_widths().get(place).copied()).unwrap_or(0)
}

/// Notices that say of all pieces together what each of them would say of itself.
const OF_ALL: [&str; 3] = [notice::MISSING_VALUES, notice::MISSING_TARGET, notice::LOOK_ALIKES];

/// What a piece has to tell beside what all of them tell together.
pub fn own_notices(opened: &Opened) -> impl Iterator<Item = &Notice> {
    opened.notices.iter().filter(|notice| !OF_ALL.contains(&notice.id))
}

/// The cells without a value of a piece, by column.
pub fn gaps(opened: &Opened) -> Vec<Gap> {
    opened.columns.iter().filter_map(Gap::of).collect()
}

/// What is to be told of the columns of all pieces, whose gaps are given one after the other.
pub fn joined_notices(gaps: impl IntoIterator<Item = Gap>, layout: &Layout, rows: u64) -> Vec<Notice> {
    let mut total: Vec<Gap> = Vec::new();
    for gap in gaps {
        match total.iter_mut().find(|known| known.column == gap.column) {
            Some(known) => known.missing += gap.missing,
            None => total.push(gap),
        }
    }
    let levels = layout.features().iter().filter_map(|feature| match &feature.space {
        Space::Levels { levels, .. } => Some((feature.name.as_str(), levels.names())),
        _ => None,
    });
    let keys = layout.keys().iter().map(|key| (key.name.as_str(), key.levels.names()));
    let named = std::iter::once((layout.target(), layout.classes().labels())).chain(levels).chain(keys);
    let alike = named.flat_map(|(name, levels)| summary::look_alikes(name, levels.iter().map(String::as_str)));
    total.iter().filter_map(|gap| gap.notice(rows)).chain(alike).collect()
}
