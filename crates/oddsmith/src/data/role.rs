//! Parts that columns play besides those of features, target and weight: keys by which rows belong together.

use super::Levels;

/// Why rows with the same key belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// They stay in one fold.
    Group,
    /// They are compared with each other only: matched sets, strata of a table.
    Stratum,
    /// Their errors are not independent.
    Cluster,
}

impl Role {
    /// The name used on the command line and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Role::Group => "group",
            Role::Stratum => "stratum",
            Role::Cluster => "cluster",
        }
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
