//! Parts that columns play besides those of features, target and weight: keys by which rows belong together.
//!
//! | role | option | in a formula | what it does |
//! | --- | --- | --- | --- |
//! | group | `group` | | rows stay in one fold |
//! | stratum | `strata` | `strata(x)` | rows are compared with each other only |
//! | cluster | `cluster` | `cluster(x)` | errors of rows are not independent |
//!
//! A learner says in its needs which columns are its keys. Readers move them out of the features and hand their codes on beside them
//! ([`super::Rows::keys`]); a source that has no keys may hold the column among its features, and [`KeyPlace`] finds it there.

use super::{Layout, Levels, MISSING, Plane, Rows};
use crate::error::Result;

/// Why rows with the same key belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// They stay in one fold.
    Group,
    /// They are compared with each other only: matched sets, strata of a table.
    Stratum,
    /// Their errors are not independent.
    Cluster,
}

impl Role {
    /// The name used in messages.
    pub fn name(self) -> &'static str {
        match self {
            Role::Group => "group",
            Role::Stratum => "stratum",
            Role::Cluster => "cluster",
        }
    }

    /// The name of the option that gives a column this part, and of the function that does so in a formula.
    pub fn option(self) -> &'static str {
        match self {
            Role::Group => "group",
            Role::Stratum => "strata",
            Role::Cluster => "cluster",
        }
    }

    /// The part that a function of a formula gives to a column.
    pub(super) fn of_function(name: &str) -> Option<Role> {
        [Role::Stratum, Role::Cluster].into_iter().find(|role| role.option() == name)
    }
}

/// A column of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The column's name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its values in code order.
    pub levels: Levels,
}

/// Where the keys of rows lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// Beside the features.
    Key(usize),
    /// Among the features, where the column is a predictor as well or the source knows of no keys.
    Feature(Plane),
}

impl KeyPlace {
    /// The keys of a column in batches of a layout; an error when there is no such column.
    pub fn find(layout: &Layout, role: Role, column: &str) -> Result<KeyPlace> {
        match layout.keys().iter().position(|key| key.role == role && key.name == column) {
            Some(at) => Ok(KeyPlace::Key(at)),
            None => Ok(KeyPlace::Feature(layout.plane(layout.index(column)?))),
        }
    }

    /// The codes of all rows as they lie, where the keys are codes that lie one after the other.
    pub fn codes<'a>(self, rows: &Rows<'a>) -> Option<&'a [u32]> {
        match self {
            KeyPlace::Key(at) => rows.keys.column(at),
            KeyPlace::Feature(Plane::Codes(at)) => rows.features.codes.column(at),
            KeyPlace::Feature(_) => None,
        }
    }

    /// The key of row `i`: equal where rows belong together. `None` for a row that has none.
    pub fn of_row(self, rows: &Rows<'_>, i: usize) -> Option<u64> {
        let level = |code: u32| (code != MISSING).then_some(u64::from(code));
        match self {
            KeyPlace::Key(at) => level(rows.keys.get(i, at)),
            KeyPlace::Feature(Plane::Codes(at)) => level(rows.features.codes.get(i, at)),
            KeyPlace::Feature(Plane::Numbers(at)) => {
                let value = rows.features.numbers.get(i, at);
                // Zero has two signs and is one number.
                (!value.is_nan()).then(|| (value + 0.0).to_bits())
            }
            KeyPlace::Feature(Plane::Words(_)) => None,
        }
    }
}
