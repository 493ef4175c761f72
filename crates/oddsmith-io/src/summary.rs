//! What was found in each column, for people.

use std::collections::BTreeMap;

use oddsmith::data::{Kind, Role as KeyRole};
use oddsmith::notice::{self, Notice};

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
    if column.missing > 0 && column.role == Role::Feature {
        let share = 100.0 * column.missing as f64 / rows.max(1) as f64;
        notices.push(Notice::new(notice::MISSING_VALUES, format!("{} missing ({share:.1} %)", column.missing)).column(&column.name));
    }
    if let Values::Levels(levels) = &column.values {
        notices.extend(look_alikes(&column.name, levels));
    }
    notices
}

/// Groups of levels that differ only in case or in the spaces around and between words.
fn look_alikes(column: &str, levels: &[(String, u64)]) -> Vec<Notice> {
    const MOST: usize = 5;
    // Levels in plain small letters and digits differ in more than that.
    let plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    if levels.iter().all(|(level, _)| level.bytes().all(plain)) {
        return Vec::new();
    }
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (level, _) in levels {
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
