//! A table's sums as a record and back, bit by bit. Reading trusts nothing: every array has the shape that the layout
//! gives it, weights and squares are not negative, all numbers are finite, and a class without rows has no sums.
//!
//! Only sums that wait for a second pass in other units may have left the range of numbers. They go between places, but not into files.

use std::sync::Arc;

use super::{ClassTable, ClassWeights, LevelCounts, NumberMoments, NumberTallies, Parts, Scatter, ScatterPart, TableStats, WordCounts};
use crate::codec::{Codec, Encode};
use crate::data::Layout;
use crate::error::{DataFault, Error, Result};
use crate::record::{Array, Record, fault};

/// The tag of stored statistics.
const TAG: &str = "table-stats";
/// The tag of statistics that are yet to be summed up, which only workers see.
const SHAPE: &str = "table-shape";
/// The newest content that is read, and the one that is written.
const VERSION: u32 = 1;

impl Encode for TableStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("classes", &mut self.classes)?;
        codec.rare("extremes", &mut self.extremes)?;
        codec.accept("extremes", &self.extremes, |v| v.is_finite() && v >= 0.0, "a number that is not finite or below zero")?;
        let extreme = self.extremes.iter().any(|largest| *largest > 0.0);
        if codec.is_reading() && extreme && self.scales.is_some() {
            return Err(fault("`extremes` asks for other units of columns that have some already"));
        }
        let sums = SumCodec { rows: &self.classes.rows, extreme };
        if let Some(moments) = &mut self.moments {
            codec.within("moments", |codec| sums.moments(codec, moments))?;
        }
        if let Some(tallies) = &mut self.tallies {
            codec.within("tallies", |codec| sums.tallies(codec, tallies))?;
        }
        if let Some(levels) = &mut self.levels {
            codec.within("levels", |codec| sums.weights(codec, "counts", &mut levels.counts))?;
        }
        for (block, words) in self.words.iter_mut().enumerate() {
            codec.within(&format!("words.{block}"), |codec| sums.words(codec, words))?;
        }
        if let Some(scatter) = &mut self.scatter {
            codec.within("scatter", |codec| scatter.enter(codec, &self.classes, extreme))?;
        }
        match codec.written() {
            Some((record, prefix)) if !extreme => self.refuse_overflow(record, prefix),
            _ => Ok(()),
        }
    }
}

impl TableStats {
    /// The sums as plain data. Sums that wait for a second pass, or that are not finite, cannot be stored.
    pub fn record(&self) -> Result<Record> {
        if self.rescaled().is_some() {
            return Err(Error::internal("the squares of a column left the range of numbers and were not summed again in scaled units"));
        }
        let mut record = Record::new(TAG, VERSION, &serde_json::json!({}))?;
        self.layout.write(&mut record, "layout")?;
        record.put_part("parts", &self.parts)?;
        self.write_scales(&mut record);
        self.clone().encode(&mut Codec::out(&mut record, ""))?;
        Ok(record)
    }

    /// What is summed up, without any sums.
    pub(crate) fn shape(&self) -> Result<Record> {
        let mut record = Record::new(SHAPE, VERSION, &serde_json::json!({}))?;
        self.layout.write(&mut record, "layout")?;
        record.put_part("parts", &self.parts)?;
        self.write_scales(&mut record);
        Ok(record)
    }

    /// Nothing seen of what a record says is summed up.
    pub(crate) fn of_shape(record: &Record) -> Result<TableStats> {
        record.expect(SHAPE, VERSION)?;
        let mut empty = TableStats::new(Arc::new(Layout::read(record, "layout")?), record.part("parts")?);
        empty.read_scales(record)?;
        Ok(empty)
    }

    /// Names the column whose sums left the range of 64-bit numbers.
    fn refuse_overflow(&self, record: &Record, prefix: &str) -> Result<()> {
        for (full, array) in record.arrays.range(prefix.to_owned()..).take_while(|(name, _)| name.starts_with(prefix)) {
            let (name, Array::Numbers(values)) = (&full[prefix.len()..], array) else { continue };
            let Some(at) = values.iter().position(|v| !v.is_finite()) else { continue };
            let fault = DataFault::new(format!("the sums `{name}` are too large for 64-bit numbers"))
                .accepted("divide large columns or weights by a power of ten");
            let of_column = name.starts_with("moments.") || name.starts_with("tallies.");
            let names: Vec<&String> = self.layout.numbers().iter().map(|&j| &self.layout.features()[j].name).collect();
            return Err(if of_column { fault.column(names[at % names.len()]).into() } else { Error::from(fault) });
        }
        Ok(())
    }

    /// The sums of a record.
    pub fn read(record: &Record) -> Result<TableStats> {
        record.expect(TAG, VERSION)?;
        let layout = Arc::new(Layout::read(record, "layout")?);
        let mut read = TableStats::unread(layout, record.part("parts")?);
        read.read_scales(record)?;
        read.encode(&mut Codec::from(record, ""))?;
        match read.rescaled() {
            None => Ok(read),
            Some(_) => Err(fault("its sums wait for a second pass")),
        }
    }

    /// Sums that are yet to be read: no memory is taken for them before a record is known to hold them.
    fn unread(layout: Arc<Layout>, parts: Parts) -> Self {
        let (classes, numbers) = (layout.classes().len(), layout.numbers().len());
        let (has_numbers, table) = (numbers > 0, || ClassTable::unread(numbers));
        let words = |width: usize| WordCounts {
            documents: vec![0.0; classes],
            totals: parts.words.totals.then(|| ClassTable::unread(width)),
            presence: parts.words.presence.then(|| ClassTable::unread(width)),
        };
        TableStats {
            parts,
            classes: ClassWeights::new(classes),
            moments: (parts.moments && has_numbers).then(|| NumberMoments {
                classes,
                weight: table(),
                mean: table(),
                mean_low: table(),
                squares: table(),
            }),
            tallies: (parts.tallies && has_numbers).then(|| NumberTallies {
                weight: table(),
                totals: table(),
                positive: table(),
                threshold: parts.flag_threshold,
                negative: vec![0.0; numbers],
            }),
            levels: (parts.levels && !layout.codes().is_empty()).then(|| LevelCounts::unread(classes, &layout.level_counts())),
            words: layout.word_widths().into_iter().map(words).collect(),
            scatter: (parts.scatter != ScatterPart::None && has_numbers)
                .then(|| Scatter::unread(classes, numbers, parts.scatter, parts.patterns)),
            scales: None,
            extremes: vec![0.0; numbers],
            layout,
        }
    }

    /// The units of an empty summary, where they are not those of the columns.
    pub(crate) fn write_scales(&self, record: &mut Record) {
        if let Some(scales) = &self.scales {
            record.put("scales", scales);
        }
    }

    /// Takes the units that [`TableStats::write_scales`] wrote; they are powers of two.
    pub(crate) fn read_scales(&mut self, record: &Record) -> Result<()> {
        if !record.arrays.contains_key("scales") {
            return Ok(());
        }
        let scales = record.numbers("scales", self.extremes.len())?;
        match scales.iter().all(|scale| *scale > 0.0 && scale.is_normal() && scale.to_bits().trailing_zeros() >= 52) {
            true => self.scales = Some(Arc::new(scales)),
            false => return Err(fault("`scales` holds something that is no power of two")),
        }
        Ok(())
    }
}

/// Tables of sums by class on their way to a record or from one.
struct SumCodec<'a> {
    /// Rows of each class.
    rows: &'a [u64],
    /// Whether sums may have left the range of numbers.
    extreme: bool,
}

impl SumCodec<'_> {
    /// A table of sums that cannot be negative.
    fn weights(&self, codec: &mut Codec<'_>, name: &str, table: &mut ClassTable) -> Result<()> {
        self.table(codec, name, table, |v| v.is_finite() && v >= 0.0, "a number that is not finite or below zero")
    }

    /// A table of sums with any sign.
    fn numbers(&self, codec: &mut Codec<'_>, name: &str, table: &mut ClassTable) -> Result<()> {
        self.table(codec, name, table, f64::is_finite, "a number that is not finite")
    }

    fn table(&self, codec: &mut Codec<'_>, name: &str, table: &mut ClassTable, accepted: fn(f64) -> bool, otherwise: &str) -> Result<()> {
        let classes = self.rows.len();
        let cells = classes.checked_mul(table.columns());
        let cells = cells.ok_or_else(|| fault(format!("`{}` has more cells than memory has bytes", codec.full_name(name))))?;
        codec.cells(name, cells, table.stored_cells())?;
        if !self.extreme {
            codec.accept(name, table.cells(), accepted, otherwise)?;
        }
        match (0..classes).find(|&k| self.rows[k] == 0 && table.row(k).iter().any(|sum| *sum != 0.0)) {
            Some(k) if codec.is_reading() => Err(fault(format!("`{}` has sums of class {k}, which has no rows", codec.full_name(name)))),
            _ => Ok(()),
        }
    }

    fn moments(&self, codec: &mut Codec<'_>, moments: &mut NumberMoments) -> Result<()> {
        self.weights(codec, "weight", &mut moments.weight)?;
        self.numbers(codec, "mean", &mut moments.mean)?;
        self.numbers(codec, "mean_low", &mut moments.mean_low)?;
        self.weights(codec, "squares", &mut moments.squares)
    }

    fn tallies(&self, codec: &mut Codec<'_>, tallies: &mut NumberTallies) -> Result<()> {
        self.weights(codec, "weight", &mut tallies.weight)?;
        self.numbers(codec, "totals", &mut tallies.totals)?;
        self.weights(codec, "positive", &mut tallies.positive)?;
        codec.weights("negative", &mut tallies.negative)
    }

    fn words(&self, codec: &mut Codec<'_>, words: &mut WordCounts) -> Result<()> {
        codec.weights("documents", &mut words.documents)?;
        let ghost = (0..self.rows.len()).find(|&k| self.rows[k] == 0 && words.documents[k] != 0.0);
        if let Some(k) = ghost.filter(|_| codec.is_reading()) {
            return Err(fault(format!("`{}` has sums of class {k}, which has no rows", codec.full_name("documents"))));
        }
        for (name, table) in [("totals", &mut words.totals), ("presence", &mut words.presence)] {
            table.iter_mut().try_for_each(|table| self.weights(codec, name, table))?;
        }
        Ok(())
    }
}
