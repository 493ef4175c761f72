//! Numbers of analyses as cells, where some may be unknown.

use crate::card::Cell;

/// A number that may be unknown.
pub(super) fn known(value: f64) -> Cell {
    if value.is_nan() { Cell::Empty } else { value.into() }
}

/// A p-value that may be unknown.
pub(super) fn p_value(value: f64) -> Cell {
    if value.is_nan() { Cell::Empty } else { Cell::PValue(value) }
}

/// A p-value in a sentence.
pub(super) fn p_text(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }
}

/// A sum of weights: whole where it is.
pub(super) fn count(weight: f64) -> Cell {
    if weight.fract() == 0.0 && (0.0..9e15).contains(&weight) { Cell::Count(weight as u64) } else { weight.into() }
}
