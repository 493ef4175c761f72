//! How many records a table has, which of them are odd, and what people are told about them.

use oddsmith::notice::{self, Notice};

use crate::options::Ragged;

/// Records of a partition, or of several that follow each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Records {
    /// All of them.
    pub(crate) all: u64,
    /// Those of the wrong width.
    pub(crate) ragged: u64,
    /// Lines that carry more than one label.
    pub(crate) several_labels: u64,
    /// Cells with text after their closing quote.
    pub(crate) stray_quotes: u64,
    /// Those for which the condition on rows is not true.
    pub(crate) left_out: u64,
    /// Blank lines that are no records and have a record after them.
    pub(crate) blank: u64,
    /// Blank lines after the last record: at the end of a file they mean nothing.
    pub(crate) blank_at_end: u64,
    /// Blank lines that are records, because every line is answered.
    pub(crate) blank_rows: u64,
}

impl Records {
    /// These records and those of the partition that comes next.
    #[must_use]
    pub(crate) fn then(self, next: Records) -> Records {
        let (blank, blank_at_end) = match next.all {
            0 => (self.blank, self.blank_at_end + next.blank_at_end),
            _ => (self.blank + self.blank_at_end + next.blank, next.blank_at_end),
        };
        Records {
            all: self.all + next.all,
            ragged: self.ragged + next.ragged,
            several_labels: self.several_labels + next.several_labels,
            stray_quotes: self.stray_quotes + next.stray_quotes,
            left_out: self.left_out + next.left_out,
            blank,
            blank_at_end,
            blank_rows: self.blank_rows + next.blank_rows,
        }
    }

    /// What happened to odd rows.
    pub(crate) fn notices(&self, ragged: Ragged) -> Vec<Notice> {
        let mut notices = Vec::new();
        if self.ragged > 0 {
            let what = if ragged == Ragged::Pad { "filled with missing cells or cut" } else { "left out" };
            let text = format!("{} of another width than the header {what}", counted(self.ragged, "row"));
            notices.push(Notice::new(notice::RAGGED_ROWS, text));
        }
        if self.blank > 0 {
            notices.push(Notice::new(notice::BLANK_LINES, format!("{} between rows left out", counted(self.blank, "blank line"))));
        }
        if self.blank_rows > 0 {
            let what = if self.blank_rows == 1 { "is a row" } else { "are rows" };
            let text = format!("{} {what} without any value", counted(self.blank_rows, "blank line"));
            notices.push(Notice::new(notice::BLANK_LINES, text));
        }
        if self.stray_quotes > 0 {
            let has = if self.stray_quotes == 1 { "has" } else { "have" };
            let text = format!(
                "{} {has} text after a closing quote; --quote none reads quotes as ordinary characters",
                counted(self.stray_quotes, "cell")
            );
            notices.push(Notice::new(notice::STRAY_QUOTES, text));
        }
        if self.left_out > 0 {
            let text = format!("{} of {} not read, because the condition on rows is not true", self.left_out, counted(self.all, "row"));
            notices.push(Notice::new(notice::ROWS_LEFT_OUT, text));
        }
        if self.several_labels > 0 {
            let text = format!("{} with several labels, counted once for each label", counted(self.several_labels, "row"));
            notices.push(Notice::new(notice::ENCODING_ASSUMED, text));
        }
        notices
    }
}

/// A number and its noun.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_at_the_end_count_only_when_rows_follow() {
        let rows = |all: u64, blank: u64, blank_at_end: u64| Records { all, blank, blank_at_end, ..Records::default() };
        let sum = |parts: &[Records]| parts.iter().fold(Records::default(), |sum, part| sum.then(*part));
        assert_eq!(sum(&[rows(2, 1, 3)]), rows(2, 1, 3));
        assert_eq!(sum(&[rows(2, 1, 3), rows(0, 0, 2)]), rows(2, 1, 5));
        assert_eq!(sum(&[rows(2, 1, 3), rows(0, 0, 2), rows(4, 1, 0)]), rows(6, 7, 0));
    }
}
