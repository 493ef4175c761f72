//! Class weights by code of the columns of a node: where a histogram is counted before it is searched or stored.
//!
//! Every column has room for 256 codes, so an add needs no check; only codes that occur are cleared again. Rows are gathered in blocks and counted by groups of
//! columns, which keeps both in the nearest caches. Time O(rows · columns).

use super::code_set::CodeSet;
use super::code_table::CodeTable;
use super::row_words::{BLOCK, GROUP, RowWords};

/// Codes of a column.
const CODES: usize = 256;
/// Cells of a column where there are two classes.
const PAIRS: usize = 2 * CODES;

/// A count of a histogram.
pub(super) trait Count: Copy + Default + Into<u64> + PartialEq + Send + Sync {
    /// Adds another.
    fn add(&mut self, other: Self);

    /// Takes another away.
    fn take(&mut self, other: Self);
}

impl Count for u32 {
    #[inline]
    fn add(&mut self, other: Self) {
        *self = self.wrapping_add(other);
    }

    #[inline]
    fn take(&mut self, other: Self) {
        *self = self.wrapping_sub(other);
    }
}

impl Count for u64 {
    #[inline]
    fn add(&mut self, other: Self) {
        *self = self.wrapping_add(other);
    }

    #[inline]
    fn take(&mut self, other: Self) {
        *self = self.wrapping_sub(other);
    }
}

/// How heavy rows are.
pub(super) trait RowWeights<C>: Copy + Send + Sync {
    /// The weight of the row at a place, in units.
    fn of(&self, place: u32) -> C;
}

/// Every row weighs one unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct One;

impl RowWeights<u32> for One {
    #[inline]
    fn of(&self, _: u32) -> u32 {
        1
    }
}

/// Weights by place.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByPlace<'a, C>(pub(super) &'a [C]);

impl<C: Count> RowWeights<C> for ByPlace<'_, C> {
    #[inline]
    fn of(&self, place: u32) -> C {
        self.0[place as usize]
    }
}

/// Cells by slot, code and class; a slot is a column of its own choice.
pub(super) struct Tally<C> {
    classes: usize,
    cells: Vec<C>,
    /// Room for a block of rows, with their classes and weights.
    words: Option<RowWords>,
    own: Vec<(usize, C)>,
}

impl<C: Count> Tally<C> {
    /// Zeros for so many columns.
    pub(super) fn new(slots: usize, classes: usize) -> Self {
        Tally { classes, cells: vec![C::default(); slots * CODES * classes], words: None, own: Vec::new() }
    }

    /// The cells of a slot, by code and class.
    pub(super) fn slot(&self, slot: usize) -> &[C] {
        &self.cells[slot * CODES * self.classes..][..CODES * self.classes]
    }

    /// Clears some codes of a slot.
    pub(super) fn clear(&mut self, slot: usize, codes: CodeSet) {
        let (start, classes) = (slot * CODES * self.classes, self.classes);
        let cells = &mut self.cells[start..start + CODES * classes];
        if let (2, Ok(cells)) = (classes, <&mut [C; PAIRS]>::try_from(&mut *cells)) {
            codes.codes().for_each(|code| (cells[pair(code, 0)], cells[pair(code, 1)]) = Default::default());
            return;
        }
        codes.codes().for_each(|code| cells[usize::from(code) * classes..][..classes].fill(C::default()));
    }

    /// Adds rows to the cells of all columns, in their order.
    pub(super) fn count<W: RowWeights<C>>(&mut self, table: &CodeTable<'_>, places: &[u32], weights: W) {
        let (last, classes) = (table.stride - 1, self.classes);
        if classes != 2 {
            for place in places {
                let (row, weight) = (table.row(*place), weights.of(*place));
                let class = usize::from(row[last]);
                for (cells, code) in self.cells.chunks_exact_mut(CODES * classes).zip(&row[..last]) {
                    cells[usize::from(*code) * classes + class].add(weight);
                }
            }
            return;
        }
        let (slots, _) = self.cells.as_chunks_mut::<PAIRS>();
        let (words, own) = (self.words.get_or_insert_with(|| RowWords::new(table.stride)), &mut self.own);
        for block in places.chunks(BLOCK) {
            words.gather(table, block);
            own.clear();
            let classes = words.group(last / GROUP).iter().map(|word| usize::from(word.to_le_bytes()[last % GROUP] & 1));
            own.extend(block.iter().zip(classes).map(|(place, class)| (class, weights.of(*place))));
            for (group, slots) in slots[..last].chunks_mut(GROUP).enumerate() {
                match <&mut [[C; PAIRS]; GROUP]>::try_from(&mut *slots) {
                    Ok(slots) => count_words(slots, words.group(group), own),
                    Err(_) => count_words(slots, words.group(group), own),
                }
            }
        }
    }

    /// Adds rows to the cells of some columns, a slot each.
    pub(super) fn count_some<W: RowWeights<C>>(&mut self, table: &CodeTable<'_>, places: &[u32], weights: W, columns: &[usize]) {
        let (last, classes) = (table.stride - 1, self.classes);
        if classes == 2 {
            let (slots, _) = self.cells.as_chunks_mut::<PAIRS>();
            for place in places {
                let (row, weight) = (table.row(*place), weights.of(*place));
                let class = usize::from(row[last] & 1);
                slots.iter_mut().zip(columns).for_each(|(cells, j)| cells[pair(row[*j], class)].add(weight));
            }
            return;
        }
        for place in places {
            let (row, weight) = (table.row(*place), weights.of(*place));
            let class = usize::from(row[last]);
            for (cells, j) in self.cells.chunks_exact_mut(CODES * classes).zip(columns) {
                cells[usize::from(row[*j]) * classes + class].add(weight);
            }
        }
    }

    /// The same, and the codes that occur.
    pub(super) fn count_few<W: RowWeights<C>>(
        &mut self,
        table: &CodeTable<'_>,
        places: &[u32],
        weights: W,
        columns: &[usize],
        sets: &mut [CodeSet],
    ) {
        sets.fill(CodeSet::default());
        if self.classes != 2 {
            self.count_some(table, places, weights, columns);
            for (set, j) in sets.iter_mut().zip(columns) {
                places.iter().for_each(|place| set.insert(table.row(*place)[*j]));
            }
            return;
        }
        let (slots, _) = self.cells.as_chunks_mut::<PAIRS>();
        for place in places {
            let (row, weight) = (table.row(*place), weights.of(*place));
            let class = usize::from(row[table.stride - 1] & 1);
            for ((cells, set), j) in slots.iter_mut().zip(&mut *sets).zip(columns) {
                cells[pair(row[*j], class)].add(weight);
                set.insert(row[*j]);
            }
        }
    }

    /// Moves the first cells of all columns one after the other, `offsets[j]` to `offsets[j + 1]` for column j, and clears them.
    pub(super) fn move_to(&mut self, offsets: &[usize], out: &mut Vec<C>) {
        out.clear();
        for (cells, pair) in self.cells.chunks_exact_mut(CODES * self.classes).zip(offsets.windows(2)) {
            let cells = &mut cells[..pair[1] - pair[0]];
            out.extend_from_slice(cells);
            cells.fill(C::default());
        }
    }
}

/// Where a code and one of two classes stand in the cells of a column.
#[inline]
fn pair(code: u8, class: usize) -> usize {
    (usize::from(code) << 1) | class
}

/// Adds rows to the cells of the columns of a word.
#[inline]
fn count_words<C: Count, S: AsMut<[[C; PAIRS]]> + ?Sized>(slots: &mut S, words: &[u64], own: &[(usize, C)]) {
    for (word, (class, weight)) in words.iter().zip(own) {
        slots.as_mut().iter_mut().zip(word.to_le_bytes()).for_each(|(cells, code)| cells[pair(code, *class & 1)].add(*weight));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_of_counting_agree() {
        for classes in [2usize, 3] {
            let stride = 12;
            let rows: Vec<u8> = (0..6000usize)
                .flat_map(|i| (0..stride).map(move |j| if j == stride - 1 { (i % classes) as u8 } else { (i * (j + 3) % 251) as u8 }))
                .collect();
            let (table, places) = (CodeTable::new(&rows, stride), (0..6000).filter(|i| i % 3 != 1).collect::<Vec<u32>>());
            let weights: Vec<u64> = (0..6000).map(|i| 1 + i % 4).collect();
            let mut whole = Tally::<u64>::new(stride - 1, classes);
            whole.count(&table, &places, ByPlace(&weights));
            let (mut some, mut sets) = (Tally::<u64>::new(3, classes), [CodeSet::default(); 3]);
            some.count_few(&table, &places, ByPlace(&weights), &[4, 10, 0], &mut sets);
            for (slot, j) in [4usize, 10, 0].into_iter().enumerate() {
                assert_eq!(some.slot(slot), whole.slot(j));
                for code in 0..=u8::MAX {
                    let mut plain = vec![0u64; classes];
                    for place in places.iter().filter(|place| table.row(**place)[j] == code) {
                        plain[table.class(*place)] += weights[*place as usize];
                    }
                    assert_eq!(&whole.slot(j)[usize::from(code) * classes..][..classes], plain);
                    assert_eq!(sets[slot].has(code), plain.iter().sum::<u64>() > 0);
                }
                some.clear(slot, sets[slot]);
                assert!(some.slot(slot).iter().all(|cell| *cell == 0));
            }
        }
    }
}
