//! The order of levels that the dictionaries of a table declare.
//!
//! A dictionary column is a category, whatever its values are: a pandas Categorical, a polars Enum, an R factor, an enumeration of a
//! database. The order of its dictionary is the order of its levels, whether or not the column calls itself ordered, because that is what
//! pandas and R mean by the order of categories: the first is the reference. A polars Categorical has no order but that in which its
//! values were met, which is no declaration; nor is the dictionary page of a Parquet file, unless the writer is known to keep it as it was
//! given.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use oddsmith::data::Levels;

use crate::typed;

/// Marks that polars leaves on its columns: on those whose dictionary is in the order of appearance, and on those whose values were
/// enumerated before, with these values. The marks have numbered versions.
const POLARS_CATEGORICAL: &str = "_PL_CATEGORICAL";
const POLARS_ENUM: &str = "_PL_ENUM_VALUES";

/// Dictionaries that were met, by column.
#[derive(Debug, Default)]
pub(crate) struct Dictionaries {
    met: Mutex<BTreeMap<usize, Met>>,
}

/// The dictionaries of one column.
#[derive(Debug, Default)]
struct Met {
    /// The last one that was looked at: batches mostly share it.
    last: Option<ArrayRef>,
    different: Vec<Vec<String>>,
}

/// Whether a column is a category because it has a dictionary.
pub(crate) fn has_dictionary(field: &Field) -> bool {
    matches!(field.data_type(), DataType::Dictionary(..))
}

/// Whether the order of a column's dictionary means anything.
pub(crate) fn declares_order(field: &Field) -> bool {
    has_dictionary(field) && !field.metadata().keys().any(|mark| mark.starts_with(POLARS_CATEGORICAL))
}

/// The values that polars enumerated for a column: each after its length in bytes, as in `3;low4;high`.
pub(crate) fn enumerated(field: &Field) -> Option<Levels> {
    let (_, mut rest) =
        field.metadata().iter().find(|(mark, _)| mark.starts_with(POLARS_ENUM)).map(|(mark, values)| (mark, &values[..]))?;
    let mut names = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_once(';')?;
        let length: usize = length.parse().ok()?;
        names.push(after.get(..length)?.to_owned());
        rest = after.get(length..)?;
    }
    Some(Levels::in_order(names))
}

impl Dictionaries {
    /// Looks at the dictionary of a column of a batch.
    pub(crate) fn meet(&self, column: usize, array: &dyn Array) {
        let Some(dictionary) = array.as_any_dictionary_opt() else { return };
        let values = dictionary.values();
        let mut all = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let met = all.entry(column).or_default();
        if met.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, values)) {
            return;
        }
        let names = names_of(values);
        met.last = Some(Arc::clone(values));
        if !met.different.contains(&names) {
            met.different.push(names);
        }
    }

    /// The order that all dictionaries of a column agree on; `None` when they contradict each other or there is none.
    pub(crate) fn order(&self, column: usize) -> Option<Levels> {
        let all = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let lists: Vec<&[String]> = all.get(&column)?.different.iter().map(Vec::as_slice).collect();
        Levels::joined(&lists)
    }
}

/// The values as levels are written; a null is none.
fn names_of(values: &ArrayRef) -> Vec<String> {
    let keep: Vec<u32> = (0..values.len() as u32).collect();
    let (mut names, mut buffer) = (Vec::with_capacity(keep.len()), String::new());
    typed::each(values, &keep, |_, cell| {
        names.extend(cell.text(&mut buffer).map(|text| String::from_utf8_lossy(text).into_owned()));
    });
    names
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn enumerated_values_are_read_by_their_lengths() {
        let field = |values: &str| {
            let mark = HashMap::from([(format!("{POLARS_ENUM}2"), values.to_owned())]);
            Field::new("x", DataType::Utf8, true).with_metadata(mark)
        };
        let names = |values: &str| enumerated(&field(values)).map(|levels| levels.names().join("|"));
        assert_eq!(names("1;z4;b;;c3;é1").as_deref(), Some("z|b;;c|é1"));
        assert_eq!(names("9;short"), None);
        assert_eq!(names("x;y"), None);
        assert_eq!(names("1;é"), None);
    }
}
