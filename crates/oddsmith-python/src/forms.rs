//! The form in which a layout wants its rows.

use oddsmith::data::Layout;

/// How the columns of an array are read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    /// Every column is a number.
    Numbers,
    /// Every column holds codes of levels; the numbers of levels.
    Codes(Vec<usize>),
    /// All columns together are one sparse block; entries above the threshold are flags, where there is one.
    Words { threshold: Option<f64> },
}

impl Form {
    /// The form of a layout whose features all live on one plane.
    pub(crate) fn of(layout: &Layout, threshold: Option<f64>) -> Self {
        match (layout.numbers().is_empty(), layout.words().is_empty()) {
            (false, _) => Form::Numbers,
            (true, false) => Form::Words { threshold },
            (true, true) => Form::Codes(layout.level_counts()),
        }
    }

    /// Number of array columns that a layout of this form describes.
    pub(crate) fn width(&self, layout: &Layout) -> usize {
        match self {
            Form::Words { .. } => layout.word_widths().iter().sum(),
            _ => layout.features().len(),
        }
    }
}
