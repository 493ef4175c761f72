//! Where in the text of a formula something stands.

/// Bytes `start..end` of the text. Two formulas are the same wherever their parts stand, so all places are equal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Place {
    /// From the start of this place to the end of another.
    pub(super) fn to(self, last: Place) -> Place {
        Place { start: self.start, end: last.end.max(self.end) }
    }
}
