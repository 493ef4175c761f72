//! Columns of numbers with a few cells that are something else: categories by the letter, and most likely a slip.

use oddsmith::error::visible;
use oddsmith::notice::{self, Notice};

use crate::level_lane::LevelLane;
use crate::number;

/// Share of numbers among the cells from which the others look like slips.
const MOSTLY: f64 = 0.8;

/// The first cell of a column of levels that is no number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OddCell {
    /// Partition and record.
    pub(crate) at: (usize, u64),
    /// What stands there.
    pub(crate) text: String,
}

impl OddCell {
    /// Keeps the earlier of two.
    pub(crate) fn earlier(kept: &mut Option<OddCell>, other: Option<&OddCell>) {
        if let Some(other) = other
            && kept.as_ref().is_none_or(|cell| other.at < cell.at)
        {
            *kept = Some(other.clone());
        }
    }
}

/// How many cells are numbers, and where the first of the others stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MixedCells {
    numbers: u64,
    cells: u64,
    first: OddCell,
}

impl MixedCells {
    /// What a column of levels has of both; `None` when it is a plain category. Codes with leading zeros are no numbers, and
    /// where there are some, the others are codes too.
    pub(crate) fn of(lane: &LevelLane, decimal: u8) -> Option<MixedCells> {
        let first = lane.odd.clone()?;
        let (mut numbers, mut cells) = (0, 0);
        for (level, rows) in lane.counts.iter().enumerate() {
            let text = lane.name(level as u32);
            if number::zero_padded(text) {
                return None;
            }
            cells += rows;
            numbers += if is_number(text, decimal) { *rows } else { 0 };
        }
        (numbers < cells && numbers as f64 >= MOSTLY * cells as f64).then_some(MixedCells { numbers, cells, first })
    }

    /// The notice; `records_before` gives the records before a partition.
    pub(crate) fn notice(&self, column: &str, records_before: impl Fn(usize) -> u64) -> Notice {
        let OddCell { at: (partition, record), text } = &self.first;
        let row = records_before(*partition) + record + 1;
        let shown = visible(text);
        let told = format!(
            "{} of {} cells are numbers, and `{shown}` in row {row} is none, so this is a category; list it with --missing-markers if it means \
             that there is no value, or give the column a --kind",
            self.numbers, self.cells
        );
        Notice::new(notice::MIXED_CELLS, told).column(column).level(text)
    }
}

/// Whether a cell is a number that a column of numbers could hold.
pub(crate) fn is_number(cell: &[u8], decimal: u8) -> bool {
    number::parse(cell, decimal).is_some_and(f64::is_finite)
}
