//! The codes of scattered rows, gathered before they are counted: eight columns to a word, the words of a group of columns side by side.
//!
//! A row that is not in the cache is waited for; a loop that does nothing but fetch waits for many rows at once, one that counts between two of them
//! for few.

use super::code_table::CodeTable;

/// Rows that are gathered at a time: their words stay in the second cache.
pub(super) const BLOCK: usize = 4096;
/// Columns of a word.
pub(super) const GROUP: usize = 8;

/// Words of up to [`BLOCK`] rows.
pub(super) struct RowWords {
    words: Vec<u64>,
    rows: usize,
}

impl RowWords {
    /// Room for rows of a table.
    pub(super) fn new(stride: usize) -> Self {
        RowWords { words: vec![0; stride.div_ceil(GROUP) * BLOCK], rows: 0 }
    }

    /// Fetches the rows at some places, no more than [`BLOCK`].
    pub(super) fn gather(&mut self, table: &CodeTable<'_>, places: &[u32]) {
        let columns = table.stride - 1;
        let (full, rest) = (columns / GROUP, columns % GROUP);
        self.rows = places.len().min(BLOCK);
        for (i, place) in places.iter().take(BLOCK).enumerate() {
            let row = table.row(*place);
            let (groups, tail) = row.as_chunks::<GROUP>();
            for (group, codes) in groups[..full].iter().enumerate() {
                self.words[group * BLOCK + i] = u64::from_le_bytes(*codes);
            }
            // What is left of the columns, and the class behind them.
            self.words[full * BLOCK + i] = match row.last_chunk::<GROUP>() {
                Some(codes) => u64::from_le_bytes(*codes) >> (8 * (GROUP - 1 - rest)),
                None => tail.iter().rev().fold(0, |word, code| (word << 8) | u64::from(*code)),
            };
        }
    }

    /// The words of a group of columns, row by row. The last group has the class behind its columns.
    pub(super) fn group(&self, group: usize) -> &[u64] {
        &self.words[group * BLOCK..][..self.rows]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_the_codes_of_their_rows() {
        for stride in [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33] {
            let rows: Vec<u8> = (0..100 * stride).map(|i| (i * 37 % 256) as u8).collect();
            let (table, places) = (CodeTable::new(&rows, stride), (0..100).step_by(3).collect::<Vec<u32>>());
            let mut words = RowWords::new(stride);
            words.gather(&table, &places);
            for (i, place) in places.iter().enumerate() {
                for (j, code) in table.row(*place).iter().enumerate() {
                    assert_eq!(words.group(j / GROUP)[i].to_le_bytes()[j % GROUP], *code, "byte {j} of {stride}");
                }
            }
        }
    }
}
