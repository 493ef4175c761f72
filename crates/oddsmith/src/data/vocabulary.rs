//! The words of a text column: a discovered list, or a hashed width.

use serde::{Deserialize, Serialize};

/// What one word contributes to its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WordValue {
    /// How often the word stands in the row.
    Count,
    /// 1 when it stands there at all.
    Presence,
}

/// The columns that a text column becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vocabulary {
    /// One column per listed word, in this order.
    Listed(Vec<String>),
    /// `width` columns; a word goes to the column its hash selects (or the columns simply have no names).
    Hashed(usize),
}

impl Vocabulary {
    /// Number of columns.
    pub fn len(&self) -> usize {
        match self {
            Vocabulary::Listed(words) => words.len(),
            Vocabulary::Hashed(width) => *width,
        }
    }

    /// True when there is no column.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The word of a column, or `#17` when columns have no words.
    pub fn word(&self, column: usize) -> String {
        match self {
            Vocabulary::Listed(words) => words[column].clone(),
            Vocabulary::Hashed(_) => format!("#{column}"),
        }
    }
}
