//! A table's sums as a record and back, bit by bit. Reading trusts nothing: every array has the shape that the layout
//! gives it, weights and squares are not negative, all numbers are finite, and a class without rows has no sums.

use std::sync::Arc;

use super::{ClassTable, ClassWeights, LevelCounts, NumberMoments, NumberTallies, Parts, Scatter, ScatterPart, TableStats, WordCounts};
use crate::data::Layout;
use crate::error::{DataFault, Error, Result};
use crate::record::{Array, Record, fault};

/// The tag of stored statistics.
const TAG: &str = "table-stats";
/// The newest content that is read, and the one that is written.
const VERSION: u32 = 1;

impl TableStats {
    /// The sums as plain data. Sums that wait for a second pass, or that are not finite, cannot be stored.
    pub fn record(&self) -> Result<Record> {
        if self.rescaled().is_some() {
            return Err(Error::internal("the squares of a column left the range of numbers and were not summed again in scaled units"));
        }
        let mut record = Record::new(TAG, VERSION, &serde_json::json!({}))?;
        self.layout.write(&mut record, "layout")?;
        record.put_part("parts", &self.parts)?;
        self.classes.write(&mut record);
        if let Some(scales) = &self.scales {
            record.put("scales", scales);
        }
        if let Some(moments) = &self.moments {
            record.put("moments.weight", moments.weight.cells());
            record.put("moments.mean", moments.mean.cells());
            record.put("moments.mean_low", moments.mean_low.cells());
            record.put("moments.squares", moments.squares.cells());
        }
        if let Some(tallies) = &self.tallies {
            record.put("tallies.weight", tallies.weight.cells());
            record.put("tallies.totals", tallies.totals.cells());
            record.put("tallies.positive", tallies.positive.cells());
            record.put("tallies.negative", &tallies.negative);
        }
        if let Some(levels) = &self.levels {
            record.put("levels.counts", levels.counts.cells());
        }
        for (block, words) in self.words.iter().enumerate() {
            record.put(format!("words.{block}.documents"), &words.documents);
            for (name, table) in [("totals", &words.totals), ("presence", &words.presence)] {
                table.iter().for_each(|table| record.put(format!("words.{block}.{name}"), table.cells()));
            }
        }
        if let Some(scatter) = &self.scatter {
            scatter.write(&mut record);
        }
        self.refuse_overflow(&record)?;
        Ok(record)
    }

    /// Names the column whose sums left the range of 64-bit numbers.
    fn refuse_overflow(&self, record: &Record) -> Result<()> {
        for (name, array) in &record.arrays {
            let Array::Numbers(values) = array else { continue };
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
        let parts: Parts = record.part("parts")?;
        let classes = ClassWeights::read(record, layout.classes().len())?;
        let sums = SumReader { record, rows: &classes.rows };
        let numbers = layout.numbers().len();
        let when = |wanted: bool| wanted.then_some(());
        let moments = when(parts.moments && numbers > 0).map(|()| sums.moments(numbers)).transpose()?;
        let tallies = when(parts.tallies && numbers > 0).map(|()| sums.tallies(numbers, parts.flag_threshold)).transpose()?;
        let levels = when(parts.levels && !layout.codes().is_empty()).map(|()| sums.levels(&layout.level_counts())).transpose()?;
        let words =
            layout.word_widths().into_iter().enumerate().map(|(block, width)| sums.words(block, width, parts)).collect::<Result<_>>()?;
        let scatter = when(parts.scatter != ScatterPart::None && numbers > 0);
        let scatter = scatter.map(|()| Scatter::read(record, &classes, numbers, parts)).transpose()?;
        let scales = record.arrays.contains_key("scales").then(|| read_scales(record, numbers)).transpose()?.map(Arc::new);
        let extremes = vec![0.0; numbers];
        Ok(TableStats { layout, parts, classes, moments, tallies, levels, words, scatter, scales, extremes })
    }
}

/// Scales are powers of two.
fn read_scales(record: &Record, columns: usize) -> Result<Vec<f64>> {
    let scales = record.numbers("scales", columns)?;
    match scales.iter().all(|scale| *scale > 0.0 && scale.is_normal() && scale.to_bits().trailing_zeros() >= 52) {
        true => Ok(scales),
        false => Err(fault("`scales` holds something that is no power of two")),
    }
}

/// Reads tables of sums by class.
struct SumReader<'a> {
    record: &'a Record,
    /// Rows of each class.
    rows: &'a [u64],
}

impl SumReader<'_> {
    /// One weight per class.
    fn per_class(&self, name: &str) -> Result<Vec<f64>> {
        Ok(self.weights(name, 1)?.cells().to_vec())
    }

    /// A table of sums that cannot be negative.
    fn weights(&self, name: &str, columns: usize) -> Result<ClassTable> {
        self.table(name, columns, Record::weights)
    }

    /// A table of sums with any sign.
    fn numbers(&self, name: &str, columns: usize) -> Result<ClassTable> {
        self.table(name, columns, Record::numbers)
    }

    fn table(&self, name: &str, columns: usize, read: fn(&Record, &str, usize) -> Result<Vec<f64>>) -> Result<ClassTable> {
        let classes = self.rows.len();
        let cells = classes.checked_mul(columns).ok_or_else(|| fault(format!("`{name}` has more cells than memory has bytes")))?;
        let table = ClassTable::from_cells(classes, columns, read(self.record, name, cells)?);
        let table = table.ok_or_else(|| fault(format!("`{name}` has another shape than {classes} × {columns}")))?;
        let ghost = (0..classes).find(|&k| self.rows[k] == 0 && table.row(k).iter().any(|sum| *sum != 0.0));
        match ghost {
            None => Ok(table),
            Some(k) => Err(fault(format!("`{name}` has sums of class {k}, which has no rows"))),
        }
    }

    fn moments(&self, columns: usize) -> Result<NumberMoments> {
        Ok(NumberMoments {
            classes: self.rows.len(),
            weight: self.weights("moments.weight", columns)?,
            mean: self.numbers("moments.mean", columns)?,
            mean_low: self.numbers("moments.mean_low", columns)?,
            squares: self.weights("moments.squares", columns)?,
        })
    }

    fn tallies(&self, columns: usize, threshold: f64) -> Result<NumberTallies> {
        Ok(NumberTallies {
            weight: self.weights("tallies.weight", columns)?,
            totals: self.numbers("tallies.totals", columns)?,
            positive: self.weights("tallies.positive", columns)?,
            threshold,
            negative: self.record.weights("tallies.negative", columns)?,
        })
    }

    fn levels(&self, counts: &[usize]) -> Result<LevelCounts> {
        let table = self.weights("levels.counts", counts.iter().sum())?;
        Ok(LevelCounts::from_counts(self.rows.len(), counts, table))
    }

    fn words(&self, block: usize, width: usize, parts: Parts) -> Result<WordCounts> {
        let table = |wanted: bool, name: &str| wanted.then(|| self.weights(&format!("words.{block}.{name}"), width)).transpose();
        Ok(WordCounts {
            documents: self.per_class(&format!("words.{block}.documents"))?,
            totals: table(parts.words.totals, "totals")?,
            presence: table(parts.words.presence, "presence")?,
        })
    }
}
