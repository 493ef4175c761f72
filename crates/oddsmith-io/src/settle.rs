//! From what the workers saw to one layout: kinds, levels and vocabularies over all rows.

use oddsmith::data::{DocumentCounts, Feature, Kind, Levels, MISSING, Terms, TextForm, Vocabulary};
use oddsmith::error::DataFault;
use oddsmith::{Error, Result};

use crate::column_encoder::{NumberLane, Spot, WordLane};
use crate::kinds::{self, Choice, Encoding};
use crate::level_lane::LevelLane;
use crate::mixed_cells::MixedCells;
use crate::options::TextOptions;
use crate::order::{self, Declared};
use crate::summary::Values;

/// A column that is settled: its feature, what to tell people, and the new number of every level or term of
/// every worker.
pub(crate) struct Settled {
    /// The feature.
    pub(crate) feature: Feature,
    /// Missing cells.
    pub(crate) missing: u64,
    /// Its values.
    pub(crate) values: Values,
    /// For each worker, new numbers by old ones; empty where nothing is to be renumbered.
    pub(crate) renumbering: Vec<Vec<u32>>,
    /// A category most of whose cells are numbers.
    pub(crate) mixed: Option<MixedCells>,
    /// Whether it holds numbers, and only 0 and 1.
    pub(crate) flags: bool,
}

/// What became of a guess.
pub(crate) enum Verdict {
    /// It held.
    Holds(Box<Settled>),
    /// The column must be read again in this way.
    Again(Choice),
    /// A cell cannot be used.
    Fault(Spot),
    /// A value is not among those that the column may have.
    Refused(Box<DataFault>),
}

/// Settles a column of numbers; zeros and ones alone are read again where they should be booleans.
pub(crate) fn numbers(name: &str, lanes: Vec<NumberLane>, choice: Choice, flags: bool) -> Verdict {
    let mut all = NumberLane::new(false);
    lanes.into_iter().for_each(|lane| all.merge(lane));
    if all.contradicted {
        return Verdict::Again(Choice::guessed(Encoding::Levels));
    }
    if let Some(spot) = all.bad {
        return Verdict::Fault(spot);
    }
    let holds_flags = all.holds_flags() && choice.given.is_none();
    if holds_flags && flags {
        return Verdict::Again(Choice::flags());
    }
    let values = Values::Range { min: all.min, max: all.max };
    let feature = Feature::number(name);
    Verdict::Holds(Box::new(Settled { feature, missing: all.missing, values, renumbering: Vec::new(), mixed: None, flags: holds_flags }))
}

/// Settles a column of levels: a boolean, a category, or after all a text; or, where it should have been zeros and ones, numbers.
pub(crate) fn levels(name: &str, lanes: &[&LevelLane], choice: Choice, decimal: u8, declared: &Declared<'_>) -> Verdict {
    let given = lanes.first().and_then(|lane| lane.given());
    let (all, numbers) = merge_levels(lanes, given);
    if let Some(spot) = all.bad {
        return Verdict::Fault(spot);
    }
    let texts = (0..all.len() as u32).map(|level| all.name(level));
    let cells: u64 = all.counts.iter().sum();
    if choice.flags && !zeros_and_ones(texts.clone()) {
        return Verdict::Again(Choice::guessed(Encoding::Number));
    }
    if given.is_none() && kinds::is_text(cells, texts.clone()) {
        return Verdict::Again(Choice::guessed(Encoding::Words));
    }
    let boolean = choice.flags
        || given == Some(Kind::Boolean)
        || (given.is_none() && all.len() > 0 && texts.clone().all(|text| kinds::boolean(text).is_some()));
    let boolean = boolean && !declared.is_listed();
    let (settled, codes) = if boolean {
        let codes = texts.map(|text| u32::from(kinds::lenient_boolean(text) == Some(true))).collect();
        (Levels::boolean(), codes)
    } else {
        let names = level_names(&all);
        match declared.arrange(&names) {
            Ok(levels) => {
                let codes = order::codes(&levels, &names);
                (levels, codes)
            }
            Err(fault) => return Verdict::Refused(fault),
        }
    };
    let values = Values::Levels(count_levels(&settled, &all, &codes));
    let feature = if boolean { Feature::boolean(name) } else { Feature::category(name, settled) };
    let mixed = if given.is_none() && !boolean { MixedCells::of(&all, decimal) } else { None };
    Verdict::Holds(Box::new(Settled {
        feature,
        missing: all.missing,
        values,
        renumbering: compose(numbers, &codes),
        mixed,
        flags: choice.flags,
    }))
}

/// Whether there are zeros and ones and nothing else.
fn zeros_and_ones<'a>(texts: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut seen = [false; 2];
    for text in texts {
        let Some(flag) = kinds::flag(text) else { return false };
        seen[usize::from(flag)] = true;
    }
    seen == [true; 2]
}

/// The settled target.
pub(crate) struct Target {
    /// Its labels in their order.
    pub(crate) labels: Levels,
    /// The labels with their rows.
    pub(crate) counts: Vec<(String, u64)>,
    /// Rows without a label.
    pub(crate) missing: u64,
    /// For each worker, new numbers by old ones.
    pub(crate) renumbering: Vec<Vec<u32>>,
}

/// Settles the target, which is always a category.
pub(crate) fn target(lanes: &[&LevelLane], declared: &Declared<'_>) -> Result<Target> {
    let (all, numbers) = merge_levels(lanes, None);
    let names = level_names(&all);
    let mut labels = declared.arrange(&names).map_err(Error::from)?;
    if !declared.column.is_empty() {
        labels = declared.order.with_event(declared.column, &labels)?;
    }
    let codes = order::codes(&labels, &names);
    let counts = count_levels(&labels, &all, &codes);
    Ok(Target { labels, counts, missing: all.missing, renumbering: compose(numbers, &codes) })
}

fn merge_levels(lanes: &[&LevelLane], given: Option<Kind>) -> (LevelLane, Vec<Vec<u32>>) {
    let mut all = LevelLane::new(given);
    let numbers = lanes.iter().map(|lane| all.merge(lane)).collect();
    (all, numbers)
}

/// The levels as they are written. A negative zero is the same level as a zero.
fn level_names(all: &LevelLane) -> Vec<String> {
    (0..all.len() as u32).map(|level| String::from_utf8_lossy(unsigned_zero(all.name(level))).into_owned()).collect()
}

fn count_levels(settled: &Levels, all: &LevelLane, codes: &[u32]) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = settled.names().iter().map(|name| (name.clone(), 0)).collect();
    for (level, &code) in codes.iter().enumerate() {
        counts[code as usize].1 += all.counts[level];
    }
    counts
}

/// `-0`, `-0.0` … without the sign; everything else as it is.
pub(crate) fn unsigned_zero(cell: &[u8]) -> &[u8] {
    match cell {
        [b'-', digits @ ..] if !digits.is_empty() && digits.iter().all(|b| matches!(b, b'0' | b'.')) && digits.contains(&b'0') => digits,
        _ => cell,
    }
}

/// Settles a column of text.
pub(crate) fn words(name: &str, lanes: &[&WordLane], options: &TextOptions) -> Settled {
    let tokenizer = crate::tokens::Tokenizer::new(options);
    // A list of words shows by itself how long its runs are.
    let terms = Some(options.terms).filter(|terms| match terms {
        Terms::Words { shortest: 1, longest } => options.hashed.is_some() && *longest > 1,
        _ => true,
    });
    let mut all = WordLane::new(tokenizer, options.hashed, options.value);
    let numbers: Vec<Vec<u32>> = lanes.iter().map(|lane| all.merge(lane)).collect();
    if let Some(width) = options.hashed {
        let feature = Feature::words(name, Vocabulary::Hashed(width), options.value).in_form(TextForm { terms, weights: None });
        return Settled { feature, missing: all.missing, values: Values::Terms(width), renumbering: Vec::new(), mixed: None, flags: false };
    }
    let mut chosen: Vec<u32> = (0..all.terms.len() as u32).filter(|term| all.documents[*term as usize] >= options.min_documents).collect();
    if let Some(most) = options.max_words.filter(|most| *most < chosen.len()) {
        chosen.sort_unstable_by(|a, b| {
            let rows = |term: &u32| all.documents[*term as usize];
            rows(b).cmp(&rows(a)).then_with(|| all.terms.name(*a).cmp(all.terms.name(*b)))
        });
        chosen.truncate(most);
    }
    chosen.sort_unstable_by(|a, b| all.terms.name(*a).cmp(all.terms.name(*b)));
    let mut codes = vec![MISSING; all.terms.len()];
    for (column, term) in chosen.iter().enumerate() {
        codes[*term as usize] = column as u32;
    }
    let listed: Vec<String> = chosen.iter().map(|term| String::from_utf8_lossy(all.terms.name(*term)).into_owned()).collect();
    let values = Values::Terms(listed.len());
    let with_term = chosen.iter().map(|term| all.documents[*term as usize]).collect();
    let weights = options.tf_idf.then_some(DocumentCounts { texts: all.texts, with_term });
    let feature = Feature::words(name, Vocabulary::Listed(listed), options.value).in_form(TextForm { terms, weights });
    Settled { feature, missing: all.missing, values, renumbering: compose(numbers, &codes), mixed: None, flags: false }
}

/// Worker numbers to merged numbers to final ones; those without a merged number keep none.
fn compose(numbers: Vec<Vec<u32>>, codes: &[u32]) -> Vec<Vec<u32>> {
    let last = |number: u32| codes.get(number as usize).copied().unwrap_or(MISSING);
    numbers.into_iter().map(|worker| worker.into_iter().map(last).collect()).collect()
}
