//! Rows that a condition lets through, judged by their cells before anything is encoded.

use std::sync::Arc;

use oddsmith::data::{Condition, ConditionCells};
use oddsmith::error::DataFault;
use oddsmith::{Error, Result};

use crate::column::{NumberCell, RawBatch};
use crate::column_encoder::{Spot, not_a_number};
use crate::kinds;
use crate::missing::Markers;
use crate::number;

/// A condition whose columns were found.
#[derive(Debug, Clone)]
pub(crate) struct RowFilter {
    condition: Arc<Condition>,
    /// Names and places of its columns.
    columns: Vec<(String, usize)>,
}

impl RowFilter {
    /// Finds the columns of a condition among those of a table.
    pub(crate) fn new(condition: &Condition, names: &[String]) -> Result<RowFilter> {
        let find = |name: String| match names.iter().position(|known| *known == name) {
            Some(at) => Ok((name, at)),
            None => Err(condition.unknown_column(&name, names).unwrap_or_else(|| Error::internal("a condition lost its column"))),
        };
        let columns = condition.columns().into_iter().map(find).collect::<Result<_>>()?;
        Ok(RowFilter { condition: Arc::new(condition.clone()), columns })
    }

    /// Places of the columns that it looks at.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().map(|(_, at)| *at)
    }

    /// Lets go of the rows for which the condition is not true.
    pub(crate) fn apply(&self, at: (usize, &RawBatch<'_>), reading: (u8, &Markers), keep: &mut Vec<u32>) -> Result<(), Spot> {
        let mut cells = Cells { filter: self, at, reading, keep, spot: None };
        let holds = self.condition.holds(&mut cells);
        match (holds, cells.spot) {
            (_, Some(spot)) => Err(spot),
            (Ok(holds), None) => {
                let mut holds = holds.into_iter();
                keep.retain(|_| holds.next() == Some(true));
                Ok(())
            }
            (Err(error), None) => {
                let fault = DataFault::new(format!("the condition cannot be judged: {error}"));
                Err(Spot { at: (at.0, 0), fault: Box::new(fault) })
            }
        }
    }
}

/// The cells of the kept rows of a batch.
struct Cells<'a> {
    filter: &'a RowFilter,
    at: (usize, &'a RawBatch<'a>),
    reading: (u8, &'a Markers),
    keep: &'a [u32],
    /// The first cell that cannot be judged.
    spot: Option<Spot>,
}

impl Cells<'_> {
    fn place(&self, column: &str) -> Result<usize> {
        let found = self.filter.columns.iter().find(|(name, _)| name == column);
        found.map(|(_, at)| *at).ok_or_else(|| Error::internal("a condition asks for a column that it does not name"))
    }

    fn note(&mut self, column: &str, i: usize, fault: DataFault, cell: &[u8]) -> f64 {
        let at = (self.at.0, self.at.1.record(self.keep[i] as usize));
        let fault = fault.column(column).value(String::from_utf8_lossy(cell));
        Spot::earlier(&mut self.spot, Some(Spot { at, fault: Box::new(fault) }));
        f64::NAN
    }
}

impl ConditionCells for Cells<'_> {
    fn rows(&self) -> usize {
        self.keep.len()
    }

    fn numbers(&mut self, column: &str) -> Result<Vec<f64>> {
        let (decimal, markers) = self.reading;
        let mut values = vec![f64::NAN; self.keep.len()];
        let cells = self.at.1.column(self.place(column)?);
        cells.each_number(self.keep, decimal, markers, |i, cell| {
            values[i] = match cell {
                NumberCell::Number(value) => value,
                NumberCell::Null => f64::NAN,
                NumberCell::Text(text) if markers.has(text) => f64::NAN,
                NumberCell::Text(text) => {
                    match number::parse(text, decimal).or_else(|| kinds::boolean(text).map(|flag| f64::from(u8::from(flag)))) {
                        Some(value) => value,
                        None => self.note(column, i, not_a_number(), text),
                    }
                }
            };
        });
        Ok(values)
    }

    fn equal(&mut self, column: &str, text: &str) -> Result<Vec<f64>> {
        let mut values = vec![f64::NAN; self.keep.len()];
        self.at.1.column(self.place(column)?).each_text(self.keep, |i, cell| {
            if let Some(cell) = cell.filter(|cell| !self.reading.1.has(cell)) {
                values[i] = f64::from(u8::from(cell == text.as_bytes()));
            }
        });
        Ok(values)
    }

    fn truths(&mut self, column: &str) -> Result<Vec<f64>> {
        let mut values = vec![f64::NAN; self.keep.len()];
        let cells = self.at.1.column(self.place(column)?);
        cells.each_text(self.keep, |i, cell| {
            let Some(cell) = cell.filter(|cell| !self.reading.1.has(cell)) else { return };
            values[i] = match kinds::lenient_boolean(cell) {
                Some(flag) => f64::from(u8::from(flag)),
                None => {
                    let accepted = "compare it with something, as in sex == \"f\"";
                    self.note(column, i, DataFault::new("is neither true nor false:").accepted(accepted), cell)
                }
            };
        });
        Ok(values)
    }
}
