//! A part of the rows with all that boosting keeps of them: margins, gradients, and which leaf of the growing tree they are in.
//!
//! Every thread has a shard. A leaf is a run of places in every shard; a split parts the run, and the histogram of a leaf is the sum over shards.
//! Gradients, curvatures and weights are added as whole numbers, so the number of shards changes no bit. Where every row weighs one unit, a cell
//! packs curvature and count into one number for as many rows as fit: an add is then one instruction. Memory per row: its codes by
//! column, margins, a probability and a loss per margin, and 16 bytes.

use std::ops::Range;

use super::gradient_sums::{GradientSum, quantised};
use super::margins::{Loss, Margins};
use crate::model::tree::bins::Bins;
use crate::model::tree::code_table::CodeTable;
use crate::model::tree::coded_rows::CodedRows;
use crate::model::tree::coded_tree::CodedTree;
use crate::model::tree::row_words::{BLOCK, GROUP, RowWords};
use crate::model::tree::search::Split;

/// Codes of a column.
const CODES: usize = 256;
/// Bits in which rows of a packed cell are counted; the others hold curvatures, of which one takes no more than 28.
const COUNT_BITS: u32 = 17;
/// Rows of a packed cell at most.
const MOST_PACKED: usize = (1 << COUNT_BITS) - 1;

/// Gradient, and curvature with the number of rows in its lowest bits.
type Packed = [i64; 2];

/// Some of the rows.
pub(super) struct Shard<'a> {
    table: CodeTable<'a>,
    /// Weights in units; empty where every row weighs one unit.
    units: &'a [u64],
    /// Whether gradients are those of one unit, to be multiplied by the units of their row.
    times: bool,
    margins: Margins<'a>,
    /// Places of rows that are learned from, and of those that are held out.
    training: Vec<u32>,
    held_out: Vec<u32>,
    gradients: Vec<[i32; 2]>,
    /// Places by leaf, and the run of every node of the growing tree.
    places: Vec<u32>,
    runs: Vec<Range<usize>>,
    spare: Vec<u32>,
    packed: Vec<[Packed; CODES]>,
    row_sums: Vec<Packed>,
    words: RowWords,
    /// The histogram that was counted last.
    pub(super) sums: Vec<GradientSum>,
}

impl<'a> Shard<'a> {
    /// The rows of a range, with margins at their start.
    pub(super) fn new(rows: &'a CodedRows, range: Range<usize>, start: &'a [f64], heaviest: Option<u64>, held_out: &[bool]) -> Self {
        let (stride, width) = (rows.book.stride(), rows.book.bins.width());
        let units = if rows.weights.is_empty() { &[][..] } else { &rows.weights[range.clone()] };
        let table = CodeTable::new(&rows.codes[range.start * stride..range.end * stride], stride);
        let (held_out, training) = (0..table.len() as u32).partition(|place| held_out[range.start + *place as usize]);
        let packed = if units.is_empty() { vec![[[0; 2]; CODES]; width] } else { Vec::new() };
        let mut shard = Shard {
            margins: Margins::new((0..table.len() as u32).map(|place| table.class(place) as u8).collect(), units, start, heaviest),
            gradients: vec![[0; 2]; table.len()],
            times: heaviest.is_none(),
            places: Vec::new(),
            runs: Vec::new(),
            spare: Vec::new(),
            row_sums: Vec::new(),
            words: RowWords::new(stride),
            sums: Vec::new(),
            table,
            units,
            training,
            held_out,
            packed,
        };
        shard.margins.refresh();
        shard
    }

    /// Starts a tree for log odds `k`: gradients of all rows, which are in one leaf.
    pub(super) fn begin(&mut self, k: usize) {
        for (i, both) in self.gradients.iter_mut().enumerate() {
            let (gradient, curvature, share) = self.margins.gradient(i, k);
            *both = [quantised(gradient, share), quantised(curvature, share)];
        }
        self.places.clone_from(&self.training);
        self.runs.clear();
        self.runs.push(0..self.places.len());
    }

    /// Parts the rows of a leaf; its children are the two nodes that come next.
    pub(super) fn part(&mut self, at: usize, split: &Split) {
        let run = self.runs[at].clone();
        let middle = run.start + self.table.part(&mut self.places[run.clone()], split.feature, &split.left, &mut self.spare);
        self.runs.extend([run.start..middle, middle..run.end]);
    }

    /// Counts the rows of a leaf by column and code.
    pub(super) fn count(&mut self, at: usize, bins: &Bins, offsets: &[usize]) {
        let sums = &mut self.sums;
        sums.clear();
        sums.resize(offsets[offsets.len() - 1], GradientSum::default());
        let places = &self.places[self.runs[at].clone()];
        if self.units.is_empty() {
            for places in places.chunks(MOST_PACKED) {
                for block in places.chunks(BLOCK) {
                    self.row_sums.clear();
                    let packed = |place: &u32| {
                        let [gradient, curvature] = self.gradients[*place as usize];
                        [i64::from(gradient), (i64::from(curvature) << COUNT_BITS) | 1]
                    };
                    self.row_sums.extend(block.iter().map(packed));
                    self.words.gather(&self.table, block);
                    add_block(&mut self.packed, &self.words, &self.row_sums);
                }
                self.packed.iter_mut().enumerate().for_each(|(j, cells)| unpack(&mut cells[..bins.codes(j)], &mut sums[offsets[j]..]));
            }
            return;
        }
        for place in places {
            let (both, units) = (self.gradients[*place as usize], self.units[*place as usize]);
            let own = GradientSum::of_row(both, units, self.times);
            let codes = &self.table.row(*place)[..self.table.stride - 1];
            offsets.iter().zip(codes).for_each(|(offset, code)| sums[offset + usize::from(*code)].add(&own));
        }
    }

    /// Adds the values of leaves to the margins of their rows: `values` by node, those of held-out rows by walking.
    pub(super) fn step(&mut self, k: usize, leaves: &[usize], values: &[f64], tree: &CodedTree) {
        for leaf in leaves {
            self.places[self.runs[*leaf].clone()].iter().for_each(|place| self.margins.add(*place as usize, k, values[*leaf]));
        }
        for place in &self.held_out {
            self.margins.add(*place as usize, k, values[tree.leaf(self.table.row(*place))]);
        }
    }

    /// Ends a round: losses of the rows that are learned from, and of those that are held out.
    pub(super) fn end_round(&mut self) -> [Loss; 2] {
        self.margins.refresh();
        [&self.training, &self.held_out].map(|places| self.margins.loss(places))
    }
}

/// Adds rows to the cells of all columns.
fn add_block(cells: &mut [[Packed; CODES]], words: &RowWords, row_sums: &[Packed]) {
    for (group, columns) in cells.chunks_mut(GROUP).enumerate() {
        let words = words.group(group);
        match <&mut [[Packed; CODES]; GROUP]>::try_from(&mut *columns) {
            Ok(columns) => add_words(columns, words, row_sums),
            Err(_) => add_words(columns, words, row_sums),
        }
    }
}

/// Adds rows to the cells of the columns of a word.
#[inline]
fn add_words<S: AsMut<[[Packed; CODES]]> + ?Sized>(columns: &mut S, words: &[u64], row_sums: &[Packed]) {
    for (word, own) in words.iter().zip(row_sums) {
        columns.as_mut().iter_mut().zip(word.to_le_bytes()).for_each(|(column, code)| add(&mut column[usize::from(code)], own));
    }
}

#[inline]
fn add(cell: &mut Packed, own: &Packed) {
    *cell = [cell[0].wrapping_add(own[0]), cell[1].wrapping_add(own[1])];
}

/// Adds packed cells to sums and clears them.
fn unpack(cells: &mut [Packed], sums: &mut [GradientSum]) {
    for (cell, sum) in cells.iter_mut().zip(sums) {
        let [gradient, packed] = std::mem::take(cell);
        sum.add(&GradientSum([gradient, packed >> COUNT_BITS, packed & MOST_PACKED as i64]));
    }
}
