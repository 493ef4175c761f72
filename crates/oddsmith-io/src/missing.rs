//! Cells that mean "there is no value".

use crate::number;

/// The cells that are missing unless the caller lists others; spaces around them do not matter.
pub const DEFAULT_MISSING: &[&str] = &["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "Null", ".", "?"];

/// The markers of a table.
#[derive(Debug, Clone)]
pub(crate) struct Markers {
    markers: Vec<Vec<u8>>,
    /// The markers that are numbers, such as -9.
    numbers: Vec<f64>,
}

impl Markers {
    /// The caller's markers, or the default ones.
    pub(crate) fn new(asked: Option<&[String]>) -> Self {
        let markers: Vec<Vec<u8>> = match asked {
            Some(asked) => asked.iter().map(|marker| marker.trim().as_bytes().to_vec()).collect(),
            None => DEFAULT_MISSING.iter().map(|marker| marker.as_bytes().to_vec()).collect(),
        };
        let numbers = markers.iter().filter_map(|marker| number::parse(marker, b'.')).collect();
        Markers { markers, numbers }
    }

    /// For tables that have a null of their own: only what the caller lists.
    pub(crate) fn for_typed(asked: Option<&[String]>) -> Self {
        Markers::new(Some(asked.unwrap_or(&[])))
    }

    /// Whether a cell is a marker.
    pub(crate) fn has(&self, cell: &[u8]) -> bool {
        let cell = cell.trim_ascii();
        self.markers.iter().any(|marker| marker == cell)
    }

    /// Whether a number is a marker, however it is written.
    #[inline]
    pub(crate) fn has_number(&self, value: f64) -> bool {
        self.numbers.contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_exact_but_for_spaces_and_can_be_replaced() {
        let default = Markers::new(None);
        assert!(default.has(b"") && default.has(b" NA ") && default.has(b".") && !default.has(b"Na") && !default.has(b"None"));
        let own = Markers::new(Some(&["-9".into()]));
        assert!(own.has_number(-9.0) && own.has(b"-9") && !own.has(b"") && !own.has(b"NA"));
    }
}
