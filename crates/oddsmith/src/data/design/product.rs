//! Writes the columns of a term: the product of its variables, the first varying fastest.
//!
//! A category coded by indicators has at most one entry per row, so a term with such categories writes one cell per row for
//! each combination of its other columns: the cells are zero before.

use super::block::Scratch;

/// A code that has no column: the reference level.
const NOWHERE: u32 = u32::MAX;

/// A category coded by 0/1 columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Indicators {
    /// The code column.
    pub(super) codes: usize,
    /// Per level, how far from the term's first column its column stands; [`NOWHERE`] for the reference.
    offsets: Vec<u32>,
}

/// Columns held by registers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dense {
    /// The first register.
    pub(super) register: usize,
    /// Number of registers.
    pub(super) width: usize,
    /// How far apart its columns stand in the term.
    pub(super) stride: usize,
}

/// The columns of a term.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Product {
    /// The first column of the design.
    pub(super) column: usize,
    /// Categories coded by indicators.
    pub(super) indicators: Vec<Indicators>,
    /// Everything else.
    pub(super) dense: Vec<Dense>,
}

impl Indicators {
    /// `columns[level]` is the position of the level among the variable's columns, which stand `stride` apart.
    pub(super) fn new(codes: usize, columns: &[Option<usize>], stride: usize) -> Self {
        let offsets = columns.iter().map(|column| column.map_or(NOWHERE, |column| (column * stride) as u32)).collect();
        Indicators { codes, offsets }
    }
}

impl Product {
    /// Whether every row has at most one entry, a 1.
    pub(super) fn is_indicated(&self) -> bool {
        self.dense.is_empty() && !self.indicators.is_empty()
    }

    /// Writes the column of such a term in which every row has its 1, `none` where it has none.
    pub(super) fn marks<'a>(&self, rows: usize, none: u32, scratch: &mut Scratch, out: impl Iterator<Item = &'a mut u32>) {
        let Scratch { codes, slots, .. } = scratch;
        let codes = |column: usize| &codes[column * rows..(column + 1) * rows];
        let mark = |slot: u32| if slot == NOWHERE { none } else { self.column as u32 + slot };
        if let [only] = self.indicators.as_slice() {
            let marks: Vec<u32> = only.offsets.iter().map(|offset| mark(*offset)).collect();
            out.zip(codes(only.codes)).for_each(|(out, code)| *out = marks[*code as usize]);
            return;
        }
        fill_slots(rows, &self.indicators, slots, codes);
        out.zip(slots).for_each(|(out, slot)| *out = mark(*slot));
    }

    /// Writes all rows; `width` is the number of columns of the design.
    pub(super) fn write(&self, cells: &mut [f64], width: usize, rows: usize, scratch: &mut Scratch) {
        let Scratch { registers, codes, slots, product, .. } = scratch;
        let codes = |column: usize| &codes[column * rows..(column + 1) * rows];
        if let ([only], []) = (self.indicators.as_slice(), self.dense.as_slice()) {
            for (row, code) in cells.chunks_exact_mut(width).zip(codes(only.codes)) {
                let offset = only.offsets[*code as usize];
                if offset != NOWHERE {
                    row[self.column + offset as usize] = 1.0;
                }
            }
            return;
        }
        fill_slots(rows, &self.indicators, slots, codes);
        let combinations: usize = self.dense.iter().map(|dense| dense.width).product();
        for combination in 0..combinations {
            let (mut rest, mut column) = (combination, self.column);
            product.clear();
            for dense in &self.dense {
                let at = rest % dense.width;
                rest /= dense.width;
                column += at * dense.stride;
                let values = &registers[(dense.register + at) * rows..(dense.register + at + 1) * rows];
                if product.is_empty() {
                    product.extend_from_slice(values);
                } else {
                    product.iter_mut().zip(values).for_each(|(product, x)| *product *= x);
                }
            }
            product.resize(rows, 1.0);
            let rows = cells.chunks_exact_mut(width).zip(&*product);
            if self.indicators.is_empty() {
                rows.for_each(|(row, x)| row[column] = *x);
            } else {
                for ((row, x), slot) in rows.zip(&*slots) {
                    if *slot != NOWHERE {
                        row[column + *slot as usize] = *x;
                    }
                }
            }
        }
    }
}

/// Where in its term every row has its entry: the offsets of its levels, added up.
fn fill_slots<'a>(rows: usize, indicators: &[Indicators], slots: &mut Vec<u32>, codes: impl Fn(usize) -> &'a [u32]) {
    slots.clear();
    slots.resize(rows, 0);
    for indicators in indicators {
        for (slot, code) in slots.iter_mut().zip(codes(indicators.codes)) {
            let offset = indicators.offsets[*code as usize];
            *slot = if *slot == NOWHERE || offset == NOWHERE { NOWHERE } else { *slot + offset };
        }
    }
}
