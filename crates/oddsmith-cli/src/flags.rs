//! Columns of zeros and ones: booleans for the models that count levels, numbers for all others.

use oddsmith::Result;
use oddsmith::error::visible;
use oddsmith::model::AnyLearner;
use oddsmith::stats::TableStats;
use oddsmith_io::Opened;

use crate::console::Console;

/// Columns that are named; a wide table has more.
const MOST_NAMED: usize = 10;

/// Sums as a learner would have gathered them from the rows.
pub(crate) fn of_sums(stats: TableStats, learner: &dyn AnyLearner) -> Result<TableStats> {
    match learner.needs_any()?.flags {
        Some(except) => stats.flags_as_booleans(&except),
        None => Ok(stats),
    }
}

/// Tells which columns were read as booleans, and how to have them as numbers: a note, not a warning.
pub(crate) fn tell(opened: &Opened, console: &Console) {
    let layout = opened.layout();
    let read_so = |name: &&String| layout.index(name).is_ok_and(|j| !layout.numbers().contains(&j));
    let names: Vec<String> = opened.flags.iter().filter(read_so).map(|name| visible(name)).collect();
    let Some(first) = names.first() else { return };
    let (hold, were) = if names.len() == 1 { ("holds", "was") } else { ("hold", "were") };
    let shown = names[..names.len().min(MOST_NAMED)].join(", ");
    let more = if names.len() > MOST_NAMED { format!(" and {} more", names.len() - MOST_NAMED) } else { String::new() };
    console.note(&format!("{shown}{more} {hold} only 0 and 1 and {were} read as boolean; --kind {first}=number reads a number"));
}
