//! How texts become terms, and terms numbers.

use serde::{Deserialize, Serialize};

/// What the terms of a text are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "of")]
pub enum Terms {
    /// Runs of so many adjacent words.
    Words {
        /// Words of the shortest run.
        shortest: usize,
        /// Words of the longest run.
        longest: usize,
    },
    /// Runs of so many adjacent characters of the text in lower case, in which every white space is one space.
    Characters {
        /// Characters of the shortest run.
        shortest: usize,
        /// Characters of the longest run.
        longest: usize,
    },
}

impl Default for Terms {
    fn default() -> Self {
        Terms::Words { shortest: 1, longest: 1 }
    }
}

impl Terms {
    /// The longest run.
    pub fn longest(self) -> usize {
        match self {
            Terms::Words { longest, .. } | Terms::Characters { longest, .. } => longest,
        }
    }
}

/// In how many texts each term stands: what tf-idf weighs terms by. It is a sum over rows like any other.
///
/// A term that stands t times in a text weighs t · (1 + ln((1 + n) / (1 + d))), n being the number of texts and d that of texts with the term,
/// and the weights of a text are divided by their Euclidean length: scikit-learn's smoothed idf and its norm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentCounts {
    /// Texts.
    pub texts: u64,
    /// Texts in which each term of the vocabulary stands.
    pub with_term: Vec<u64>,
}

impl DocumentCounts {
    /// The factor of every term.
    pub fn factors(&self) -> Vec<f64> {
        let texts = (1 + self.texts) as f64;
        self.with_term.iter().map(|with_term| 1.0 + (texts / (1 + with_term) as f64).ln()).collect()
    }
}

/// How a text column became numbers, where that does not follow from its vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextForm {
    /// What its terms are; `None` for words as the vocabulary has them.
    pub terms: Option<Terms>,
    /// What its terms are weighed by; `None` for counts or presence as they are.
    pub weights: Option<DocumentCounts>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_in_every_text_weighs_as_it_is() {
        let counts = DocumentCounts { texts: 3, with_term: vec![3, 1, 0] };
        assert_eq!(counts.factors(), [1.0, 1.0 + 2f64.ln(), 1.0 + 4f64.ln()]);
    }
}
