//! What a learner wants of a table before it is read.

use std::collections::BTreeMap;

use crate::data::{Classes, Formula, Kind, Role};

/// Columns and kinds that a learner asks for. The default leaves all choices to whoever reads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableNeeds {
    /// The formula that chooses the columns.
    pub formula: Option<Formula>,
    /// The column of labels.
    pub target: Option<String>,
    /// The columns that are read beside the target; `None` when the reader chooses.
    pub features: Option<Vec<String>>,
    /// Columns that play another part than that of a feature: they are read whatever else is chosen.
    pub reserved: Vec<String>,
    /// Columns by which rows belong together, and why they do. They are read beside the features.
    pub keys: Vec<(String, Role)>,
    /// Kinds of columns, where nobody has chosen others.
    pub kinds: BTreeMap<String, Kind>,
    /// Number columns that hold only 0 and 1 are read as booleans, but for the named ones; `None` when they stay numbers.
    pub flags: Option<Vec<String>>,
    /// The name and the classes of a response that stands in columns and not in labels.
    pub response: Option<(String, Classes)>,
}
