//! Rows that a model says nothing about.

use oddsmith::notice::{self, Notice};

/// Says how many rows could not be judged because a model says nothing about them.
pub(crate) fn silent_rows(silent: u64, whose: &str) -> Option<Notice> {
    let rows = match silent {
        0 => return None,
        1 => "1 row lacks".to_owned(),
        rows => format!("{rows} rows lack"),
    };
    Some(Notice::new(notice::NO_PREDICTION, format!("{rows} a value that {whose} needs and cannot be judged")))
}
