//! The rows that count: those with a weight above zero and, when learning, a label.

use oddsmith::data::{MISSING, SKIP};
use oddsmith::error::DataFault;

use crate::column::{NumberCell, RawBatch};
use crate::column_encoder::Spot;
use crate::condition::RowFilter;
use crate::missing::Markers;
use crate::number;

/// Keeps all rows of a batch for which a condition is true, and counts the others.
pub(crate) fn by_condition(
    (partition, batch): (usize, &RawBatch<'_>),
    filter: Option<&RowFilter>,
    reading: (u8, &Markers),
    keep: &mut Vec<u32>,
    left_out: &mut u64,
) -> Result<(), Spot> {
    keep.clear();
    keep.extend(0..batch.rows() as u32);
    if let Some(filter) = filter {
        filter.apply((partition, batch), reading, keep)?;
        *left_out += (batch.rows() - keep.len()) as u64;
    }
    Ok(())
}

/// Reads the weights of the kept rows and lets go of those with weight zero; the first bad weight is the fault.
pub(crate) fn by_weight(
    (partition, batch): (usize, &RawBatch<'_>),
    column: usize,
    (decimal, markers): (u8, &Markers),
    keep: &mut Vec<u32>,
    weights: &mut Vec<f64>,
) -> Result<(), Spot> {
    weights.clear();
    let mut bad: Option<Spot> = None;
    batch.column(column).each_number(keep, decimal, markers, |i, cell| {
        let value = match cell {
            NumberCell::Number(value) => value,
            NumberCell::Null => f64::NAN,
            NumberCell::Text(text) if markers.has(text) => f64::NAN,
            NumberCell::Text(text) => number::parse(text, decimal).unwrap_or(f64::NAN),
        };
        if !(0.0..f64::INFINITY).contains(&value) && bad.is_none() {
            let shown = match cell {
                NumberCell::Text(text) => String::from_utf8_lossy(text).into_owned(),
                NumberCell::Number(value) => value.to_string(),
                NumberCell::Null => String::new(),
            };
            let fault = DataFault::new("is not a weight:").value(shown).accepted("a weight is a number that is zero or above");
            bad = Some(Spot { at: (partition, batch.record(keep[i] as usize)), fault: Box::new(fault) });
        }
        weights.push(value);
    });
    if let Some(bad) = bad {
        return Err(bad);
    }
    let mut weight = weights.iter();
    keep.retain(|_| weight.next().is_some_and(|weight| *weight > 0.0));
    weights.retain(|weight| *weight > 0.0);
    Ok(())
}

/// Lets go of the rows without a label.
pub(crate) fn by_label(keep: &mut Vec<u32>, labels: &mut Vec<u32>, weights: &mut Vec<f64>) {
    const { assert!(MISSING == SKIP) };
    if !labels.contains(&SKIP) {
        return;
    }
    let mut label = labels.iter();
    keep.retain(|_| label.next().is_some_and(|label| *label != SKIP));
    let mut label = labels.iter();
    weights.retain(|_| label.next().is_some_and(|label| *label != SKIP));
    labels.retain(|label| *label != SKIP);
}
