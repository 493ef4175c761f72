//! What was found in each column, for people.

use std::collections::BTreeMap;

use oddsmith::data::{Kind, Role as KeyRole};
use oddsmith::notice::{self, Notice};

use crate::record_counts::counted;

/// What a column is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// To be predicted.
    Target,
    /// To learn from.
    Feature,
    /// Row weights.
    Weight,
    /// To tell which rows belong together, and why.
    Key(KeyRole),
    /// Not used.
    Unused,
}

/// One column of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// What it holds; `None` for a column that is not used.
    pub kind: Option<Kind>,
    /// Cells without a value, among the rows that count.
    pub missing: u64,
    /// What its values are like.
    pub values: Values,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Nothing is known.
    Unknown,
    /// Smallest and largest number; infinite the wrong way round when there is none.
    Range {
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
    },
    /// Levels in their order with their rows.
    Levels(Vec<(String, u64)>),
    /// The number of different terms, or the width to which they are hashed.
    Terms(usize),
}

/// The notices about one column; `rows` is the number of rows that count.
pub(crate) fn notices(column: &ColumnSummary, rows: u64) -> Vec<Notice> {
    let mut notices = Vec::new();
    if column.role == Role::Feature {
        notices.extend(Gap { column: column.name.clone(), place: GapIn::Feature, missing: column.missing }.notice(rows));
    }
    if let Values::Levels(levels) = &column.values {
        notices.extend(look_alikes(&column.name, levels.iter().map(|(level, _)| level.as_str())));
    }
    notices
}

/// In which columns a cell has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GapIn {
    /// In one to learn from.
    Feature,
    /// In the target: such a row does not count.
    Target,
    /// In one that tells which rows belong together: such a row does not count either.
    Key,
}

impl GapIn {
    /// All of them.
    pub const ALL: [GapIn; 3] = [GapIn::Feature, GapIn::Target, GapIn::Key];
}

/// Cells of a column without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The column.
    pub column: String,
    /// What the column is used for.
    pub place: GapIn,
    /// How many there are.
    pub missing: u64,
}

impl Gap {
    /// The gaps of a column that is used.
    pub(crate) fn of(column: &ColumnSummary) -> Option<Gap> {
        let place = match column.role {
            Role::Feature => GapIn::Feature,
            Role::Target => GapIn::Target,
            Role::Key(_) => GapIn::Key,
            Role::Weight | Role::Unused => return None,
        };
        (column.missing > 0).then(|| Gap { column: column.name.clone(), place, missing: column.missing })
    }

    /// What is said of it among so many rows that count; nothing where there is none.
    pub(crate) fn notice(&self, rows: u64) -> Option<Notice> {
        let missing = self.missing;
        let (id, text) = match self.place {
            _ if missing == 0 => return None,
            GapIn::Feature => (notice::MISSING_VALUES, format!("{missing} missing ({:.1} %)", 100.0 * missing as f64 / rows.max(1) as f64)),
            GapIn::Target => (notice::MISSING_TARGET, format!("{} without a target left out", counted(missing, "row"))),
            GapIn::Key => (notice::MISSING_VALUES, format!("{missing} rows have no value here and belong nowhere; they were excluded")),
        };
        Some(Notice::new(id, text).column(&self.column))
    }
}

/// Groups of levels that differ only in case or in the spaces around and between words.
pub(crate) fn look_alikes<'a>(column: &str, levels: impl Iterator<Item = &'a str> + Clone) -> Vec<Notice> {
    const MOST: usize = 5;
    // Levels in plain small letters and digits differ in more than that.
    let plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    if levels.clone().all(|level| level.bytes().all(plain)) {
        return Vec::new();
    }
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for level in levels {
        let plain = level.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
        groups.entry(plain).or_default().push(level);
    }
    let alike = || groups.values().filter(|group| group.len() > 1);
    let more = alike().count().saturating_sub(MOST);
    alike()
        .take(MOST)
        .enumerate()
        .map(|(i, group)| {
            let listed: Vec<String> = group.iter().map(|level| format!("`{}`", oddsmith::error::visible(level))).collect();
            let rest = if i + 1 == MOST && more > 0 { format!("; {more} more such groups") } else { String::new() };
            let text = format!("{} differ only in case or spaces; they are kept apart{rest}", listed.join(" and "));
            Notice::new(notice::LOOK_ALIKES, text).column(column).level(group[0])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_named_together() {
        let levels = ["Yes", "no", "yes "].map(|level| (level.to_owned(), 1)).to_vec();
        let summary =
            ColumnSummary { name: "y".into(), role: Role::Target, kind: Some(Kind::Category), missing: 0, values: Values::Levels(levels) };
        let found: Vec<String> = notices(&summary, 3).iter().map(Notice::to_string).collect();
        assert_eq!(found, ["W123 y `Yes` and `yes ` differ only in case or spaces; they are kept apart"]);
    }

    #[test]
    fn gaps_are_counted_with_their_share() {
        let values = Values::Range { min: 0.0, max: 1.0 };
        let summary = ColumnSummary { name: "sbp".into(), role: Role::Feature, kind: Some(Kind::Number), missing: 4, values };
        assert_eq!(notices(&summary, 200)[0].to_string(), "W121 sbp 4 missing (2.0 %)");
    }
}
