//! Columns of hashed words in tables for people: a million columns of which a hundred were ever seen have as many different parameters as
//! those hundred, and one more that all others share.

use crate::data::{Layout, Space, Vocabulary};

/// Columns up to which every one of them is listed.
const MOST_LISTED: usize = 10_000;
/// What the columns that share their parameters are called.
pub(crate) const OTHERS: &str = "(each other)";

/// The parameters that most columns of a hashed text share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SharedRow<'a>(Option<&'a [f64]>);

impl<'a> SharedRow<'a> {
    /// Looks for them in a table of so many numbers per column.
    pub(crate) fn find(layout: &Layout, feature: usize, table: &'a [f64], width: usize) -> Self {
        let hashed = matches!(&layout.features()[feature].space, Space::Words { vocabulary: Vocabulary::Hashed(columns), .. } if *columns > MOST_LISTED);
        SharedRow(if hashed { majority(table, width) } else { None })
    }

    /// Whether a column has them.
    pub(crate) fn is(&self, row: &[f64]) -> bool {
        self.0 == Some(row)
    }

    /// The parameters.
    pub(crate) fn row(&self) -> Option<&'a [f64]> {
        self.0
    }
}

/// The row that more than half of a table consists of: whatever survives when different rows are paired off.
fn majority(table: &[f64], width: usize) -> Option<&[f64]> {
    let rows = || table.chunks_exact(width.max(1));
    let (mut left, mut count) = (None, 0usize);
    for row in rows() {
        match (left == Some(row), count) {
            (true, _) => count += 1,
            (false, 0) => (left, count) = (Some(row), 1),
            (false, _) => count -= 1,
        }
    }
    left.filter(|left| 2 * rows().filter(|row| row == left).count() > rows().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_majority_is_found_and_nothing_less() {
        assert_eq!(majority(&[1.0, 2.0, 1.0, 2.0, 3.0, 4.0], 2), Some(&[1.0, 2.0][..]));
        assert_eq!(majority(&[3.0, 1.0, 1.0, 2.0, 1.0], 1), Some(&[1.0][..]));
        assert_eq!(majority(&[1.0, 2.0, 1.0, 2.0], 1), None);
        assert_eq!(majority(&[], 1), None);
    }
}
