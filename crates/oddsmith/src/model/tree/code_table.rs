//! Coded rows as trees are grown from them: row by row for histograms, column by column for splits.
//!
//! A node is a list of places of rows, in rising order. A histogram reads whole rows, one line of memory each; a split asks for one
//! column alone, whose bytes lie together. Memory: a byte per row and column beside the rows themselves.

use super::code_set::CodeSet;

/// Rows that are turned at a time.
const BLOCK: usize = 64;

/// Codes of rows, both ways.
pub(super) struct CodeTable<'a> {
    /// Bytes of a row: one per column, and its class.
    pub(super) stride: usize,
    by_row: &'a [u8],
    by_column: Vec<u8>,
}

impl<'a> CodeTable<'a> {
    /// Of rows that lie one after the other.
    pub(super) fn new(by_row: &'a [u8], stride: usize) -> Self {
        let rows = by_row.len() / stride;
        let mut by_column = vec![0; rows * (stride - 1)];
        for first in (0..rows).step_by(BLOCK) {
            let last = (first + BLOCK).min(rows);
            let block = &by_row[first * stride..last * stride];
            for j in 0..stride - 1 {
                let column = &mut by_column[j * rows + first..j * rows + last];
                column.iter_mut().zip(block.chunks_exact(stride)).for_each(|(code, row)| *code = row[j]);
            }
        }
        CodeTable { stride, by_row, by_column }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.by_row.len() / self.stride
    }

    /// The codes of a row, its class last.
    #[inline]
    pub(super) fn row(&self, place: u32) -> &'a [u8] {
        &self.by_row[place as usize * self.stride..][..self.stride]
    }

    /// The class of a row.
    #[inline]
    pub(super) fn class(&self, place: u32) -> usize {
        usize::from(self.row(place)[self.stride - 1])
    }

    /// Puts the places of rows that go left before the others, either in their order; gives how many go left.
    pub(super) fn part(&self, places: &mut [u32], feature: usize, left: &CodeSet, spare: &mut Vec<u32>) -> usize {
        let (column, count) = (&self.by_column[feature * self.len()..][..self.len()], places.len());
        if spare.len() < count {
            spare.resize(count, 0);
        }
        let (mut next, mut others) = (0, 0);
        for at in 0..count {
            let place = places[at];
            let goes_left = left.has(column[place as usize]);
            // Both are written and one of them counts, because no one can foresee which.
            places[next] = place;
            spare[others] = place;
            next += usize::from(goes_left);
            others += usize::from(!goes_left);
        }
        places[next..].copy_from_slice(&spare[..others]);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_their_order_on_both_sides() {
        // Two columns and a class.
        let rows: Vec<u8> = (0..200u8).flat_map(|i| [i % 7, i % 3, i % 2]).collect();
        let table = CodeTable::new(&rows, 3);
        assert_eq!((table.len(), table.row(9), table.class(9)), (200, &[2, 0, 1][..], 1));
        let mut places: Vec<u32> = (0..200).filter(|i| i % 5 != 0).collect();
        let (want_left, want_right): (Vec<u32>, Vec<u32>) = places.iter().partition(|i| [1, 4].contains(&(*i % 7)));
        let left = CodeSet::default().with(1).with(4);
        let middle = table.part(&mut places, 0, &left, &mut Vec::new());
        assert_eq!((&places[..middle], &places[middle..]), (&want_left[..], &want_right[..]));
    }
}
