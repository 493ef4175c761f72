//! Classes of whole-number labels: found in one pass, encoded a block at a time.

use std::collections::{BTreeMap, BTreeSet};

use oddsmith::data::Classes;
use oddsmith::error::{Error, Result};

/// Widest range of labels for which a table is kept instead of a search tree.
const TABLE_RANGE: u64 = 1 << 16;
/// Entry of the table for a number that is no label.
const NONE: u32 = u32::MAX;

/// Distinct labels in ascending order and a way from a label to its class.
pub(crate) struct Labels {
    values: Vec<i64>,
    codes: Codes,
}

enum Codes {
    /// `table[label − low]`.
    Table { low: i64, table: Vec<u32> },
    /// For labels that lie far apart.
    Tree(BTreeMap<i64, u32>),
}

impl Labels {
    /// The classes of these labels.
    pub(crate) fn discover(labels: &[i64]) -> Self {
        let low = labels.iter().copied().min().unwrap_or(0);
        let high = labels.iter().copied().max().unwrap_or(0);
        if high.abs_diff(low) < TABLE_RANGE {
            let mut table = vec![NONE; high.abs_diff(low) as usize + 1];
            for &label in labels {
                table[label.abs_diff(low) as usize] = 0;
            }
            let mut values = Vec::new();
            for (at, code) in table.iter_mut().enumerate().filter(|(_, code)| **code == 0) {
                *code = values.len() as u32;
                values.push(low + at as i64);
            }
            return Labels { values, codes: Codes::Table { low, table } };
        }
        let values: Vec<i64> = labels.iter().copied().collect::<BTreeSet<i64>>().into_iter().collect();
        let codes = values.iter().zip(0..).map(|(&value, code)| (value, code)).collect();
        Labels { values, codes: Codes::Tree(codes) }
    }

    /// The distinct labels, ascending.
    pub(crate) fn values(&self) -> &[i64] {
        &self.values
    }

    /// The labels as classes of a layout.
    pub(crate) fn classes(&self) -> Result<Classes> {
        Classes::new(self.values.iter().map(i64::to_string).collect())
    }

    /// Replaces `out` by the classes of these labels.
    pub(crate) fn encode(&self, labels: &[i64], out: &mut Vec<u32>) -> Result<()> {
        out.clear();
        match &self.codes {
            Codes::Table { low, table } => {
                out.extend(labels.iter().map(|label| table.get(label.abs_diff(*low) as usize).copied().unwrap_or(NONE)));
            }
            Codes::Tree(codes) => out.extend(labels.iter().map(|label| codes.get(label).copied().unwrap_or(NONE))),
        }
        match out.contains(&NONE) {
            true => Err(Error::data("a label was not there when the classes were found")),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_near_and_far_apart_become_classes_in_order() {
        for labels in [[5, -3, 5, 7, -3], [5, i64::MIN, 5, i64::MAX, i64::MIN]] {
            let found = Labels::discover(&labels);
            let mut codes = vec![9];
            found.encode(&labels, &mut codes).unwrap();
            assert_eq!((codes, found.values().len()), (vec![1, 0, 1, 2, 0], 3));
            assert!(found.values().is_sorted());
            assert!(found.encode(&[6], &mut Vec::new()).is_err());
        }
    }
}
