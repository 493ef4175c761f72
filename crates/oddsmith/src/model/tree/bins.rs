//! Columns as byte codes: 0 is a gap, 1 to 255 are bins of numbers in rising order, or levels.
//!
//! A number column has a bin for every distinct value while there are at most 255, else bins between quantiles
//! ([`QuantileSketch`](crate::stats::QuantileSketch)). A category of more than 255 levels keeps its heaviest 254; the others share the last code.

use super::bin_grid::BinGrid;
use super::survey::Survey;
use crate::data::{Features, Layout, Plane, Space};
use crate::error::Result;
use crate::record::{Record, fault};
use crate::stats::{ColumnBins, MOST_VALUES, between};

/// Rows that are coded column by column.
pub(super) const BLOCK: usize = 64;

/// Room for the numbers and the codes of a column of a block of rows.
struct Block {
    numbers: [f64; BLOCK],
    codes: [u8; BLOCK],
}

impl Block {
    const EMPTY: Block = Block { numbers: [0.0; BLOCK], codes: [0; BLOCK] };
}

/// How a column becomes codes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ColumnCodes {
    /// A number column, by its place in the plane.
    Number {
        place: usize,
        bins: ColumnBins,
        /// Where numbers are looked up.
        grid: BinGrid,
    },
    /// A category or boolean.
    Levels {
        place: usize,
        /// The code of every level.
        codes: Vec<u8>,
        /// Codes by the order of the names of their levels.
        by_name: Vec<u8>,
    },
}

impl ColumnCodes {
    /// Looks the codes of some rows up, no more than [`BLOCK`].
    #[inline]
    fn look_up(&self, rows: &Features<'_>, places: impl ExactSizeIterator<Item = usize>, found: &mut Block) {
        match self {
            ColumnCodes::Number { place, grid, .. } => {
                let count = places.len().min(BLOCK);
                found.numbers.iter_mut().zip(places).for_each(|(x, i)| *x = rows.numbers.get(i, *place));
                grid.codes(&found.numbers[..count], &mut found.codes);
            }
            ColumnCodes::Levels { place, codes, .. } => {
                let of = |i: usize| codes.get(rows.codes.get(i, *place) as usize).copied().unwrap_or(0);
                found.codes.iter_mut().zip(places).for_each(|(code, i)| *code = of(i));
            }
        }
    }
}

/// The codes of all columns of a layout.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bins {
    columns: Vec<ColumnCodes>,
    /// Features in the order of their names, in which ties are settled.
    by_name: Vec<usize>,
}

impl Bins {
    /// Bins for what a survey has seen.
    pub(super) fn new(layout: &Layout, survey: &Survey) -> Self {
        let sketch = survey.sketch.settled();
        let column = |j: usize| match layout.plane(j) {
            Plane::Numbers(place) => number(place, sketch.bins(place, MOST_VALUES)),
            Plane::Codes(place) | Plane::Words(place) => levels(layout, j, place, level_codes(survey.levels_of(place))),
        };
        Bins { columns: (0..layout.features().len()).map(column).collect(), by_name: names_in_order(layout) }
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// How column `j` becomes codes.
    pub(super) fn column(&self, j: usize) -> &ColumnCodes {
        &self.columns[j]
    }

    /// Columns in the order of their names.
    pub(super) fn by_name(&self) -> &[usize] {
        &self.by_name
    }

    /// Codes of column `j`, with the gap.
    pub(super) fn codes(&self, j: usize) -> usize {
        match &self.columns[j] {
            ColumnCodes::Number { bins, .. } => bins.cuts.len() + 2,
            ColumnCodes::Levels { codes, .. } => codes.iter().copied().max().map_or(1, |most| usize::from(most) + 1),
        }
    }

    /// Where the cells of every column start in a table of `classes` cells per code; one more than there are columns.
    pub(super) fn offsets(&self, classes: usize) -> Vec<usize> {
        let starts = (0..self.width()).scan(0, |sum, j| {
            *sum += self.codes(j) * classes;
            Some(*sum)
        });
        std::iter::once(0).chain(starts).collect()
    }

    /// The threshold of a split between two bins of number column `j`, the nearest ones with rows.
    pub(super) fn threshold(&self, j: usize, last: u8, next: u8) -> f64 {
        let ColumnCodes::Number { bins, .. } = &self.columns[j] else { return f64::NAN };
        let (last, next) = (usize::from(last), usize::from(next));
        match &bins.values {
            Some(values) => between(values[last - 1], values[next - 1]),
            None if next == last + 1 => bins.cuts[last - 1],
            None => between(bins.cuts[last - 1], bins.cuts[next - 2]),
        }
    }

    /// Writes the codes of a batch, `stride` bytes a row.
    pub(super) fn encode(&self, rows: &Features<'_>, out: &mut [u8], stride: usize) {
        let mut found = Block::EMPTY;
        for (block, out) in out.chunks_mut(BLOCK * stride).enumerate() {
            let (first, count) = (block * BLOCK, out.len() / stride);
            for (j, column) in self.columns.iter().enumerate() {
                column.look_up(rows, first..first + count, &mut found);
                out.chunks_exact_mut(stride).zip(&found.codes).for_each(|(row, code)| row[j] = *code);
            }
        }
    }

    /// Writes the codes of some columns of some rows: `places` among the [`BLOCK`] rows from row `first` on.
    pub(super) fn encode_some(
        &self,
        rows: &Features<'_>,
        columns: &[usize],
        (first, places): (usize, &[usize]),
        out: &mut [u8],
        stride: usize,
    ) {
        let mut found = Block::EMPTY;
        for j in columns {
            self.columns[*j].look_up(rows, places.iter().map(|place| first + place), &mut found);
            places.iter().zip(&found.codes).for_each(|(place, code)| out[place * stride + j] = *code);
        }
    }

    /// Stores the bins.
    pub(super) fn write(&self, record: &mut Record) {
        for (j, column) in self.columns.iter().enumerate() {
            match column {
                ColumnCodes::Number { bins, .. } => {
                    record.put(format!("bins{j}.cuts"), &bins.cuts);
                    if let Some(values) = &bins.values {
                        record.put(format!("bins{j}.values"), values);
                    }
                }
                ColumnCodes::Levels { codes, .. } => record.put_bytes(format!("bins{j}.codes"), codes.clone()),
            }
        }
    }

    /// Reads bins of a layout.
    pub(super) fn read(record: &Record, layout: &Layout) -> Result<Self> {
        let column = |j: usize| -> Result<ColumnCodes> {
            match layout.plane(j) {
                Plane::Numbers(place) => {
                    let (cuts, values) = (rising(record, &format!("bins{j}.cuts"))?, format!("bins{j}.values"));
                    let values = record.arrays.contains_key(&values).then(|| rising(record, &values)).transpose()?;
                    if values.as_ref().is_some_and(|values| values.len() != cuts.len() + usize::from(!values.is_empty())) {
                        return Err(fault(format!("`bins{j}` has other values than bins")));
                    }
                    Ok(number(place, ColumnBins { cuts, values }))
                }
                Plane::Codes(place) | Plane::Words(place) => {
                    let codes = record.bytes(&format!("bins{j}.codes"))?.to_vec();
                    if codes.len() != level_count(layout, j) {
                        return Err(fault(format!("`bins{j}` has codes of other levels")));
                    }
                    Ok(levels(layout, j, place, codes))
                }
            }
        };
        let columns = (0..layout.features().len()).map(column).collect::<Result<_>>()?;
        Ok(Bins { columns, by_name: names_in_order(layout) })
    }
}

fn rising(record: &Record, name: &str) -> Result<Vec<f64>> {
    let length = match record.arrays.get(name) {
        Some(crate::record::Array::Numbers(values)) => values.len(),
        _ => 0,
    };
    let values = record.numbers(name, length)?;
    match values.windows(2).all(|pair| pair[0] < pair[1]) && values.len() <= MOST_VALUES {
        true => Ok(values),
        false => Err(fault(format!("`{name}` does not rise"))),
    }
}

fn number(place: usize, bins: ColumnBins) -> ColumnCodes {
    ColumnCodes::Number { place, grid: BinGrid::new(&bins.cuts), bins }
}

fn levels(layout: &Layout, j: usize, place: usize, codes: Vec<u8>) -> ColumnCodes {
    let name = |level: &usize| layout.level_name(j, *level).unwrap_or_default();
    let mut order: Vec<usize> = (0..codes.len()).collect();
    order.sort_by_key(name);
    let mut by_name = Vec::new();
    for level in order {
        if codes[level] > 0 && !by_name.contains(&codes[level]) {
            by_name.push(codes[level]);
        }
    }
    ColumnCodes::Levels { place, codes, by_name }
}

fn level_count(layout: &Layout, j: usize) -> usize {
    match &layout.features()[j].space {
        Space::Levels { levels, .. } => levels.len(),
        _ => 0,
    }
}

/// The code of every level: its own while codes last, else the heaviest have their own and the others share the last.
fn level_codes(weights: &[f64]) -> Vec<u8> {
    if weights.len() <= MOST_VALUES {
        return (0..weights.len()).map(|level| (level + 1) as u8).collect();
    }
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let mut codes = vec![u8::MAX; weights.len()];
    for (at, level) in order.into_iter().take(MOST_VALUES - 1).enumerate() {
        codes[level] = (at + 1) as u8;
    }
    codes
}

fn names_in_order(layout: &Layout) -> Vec<usize> {
    let mut order: Vec<usize> = (0..layout.features().len()).collect();
    order.sort_by(|a, b| layout.features()[*a].name.cmp(&layout.features()[*b].name));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lightest_of_many_levels_share_a_code() {
        let weights: Vec<f64> = (0..300).map(f64::from).collect();
        let codes = level_codes(&weights);
        assert_eq!((codes[299], codes[298], codes[46], codes[45], codes[0]), (1, 2, 254, 255, 255));
        assert_eq!(level_codes(&weights[..3]), [1, 2, 3]);
    }
}
