//! Which sums a pass collects. A learner asks for what it needs; `stats gather` asks for everything.

use serde::{Deserialize, Serialize};

/// Which sums of a text column to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WordParts {
    /// Sums of word counts (multinomial, complement).
    pub totals: bool,
    /// Numbers of rows that hold the word (Bernoulli).
    pub presence: bool,
}

/// Which products of number columns to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScatterPart {
    /// None.
    #[default]
    None,
    /// One matrix of products around the class means (LDA).
    Pooled,
    /// One matrix per class (QDA, and LDA from the same file).
    PerClass,
}

/// The switchable parts of a [`super::TableStats`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Parts {
    /// Mean and squared deviations of number columns.
    pub moments: bool,
    /// Sums and non-zero counts of number columns, for models that read numbers as counts.
    pub tallies: bool,
    /// A number above this is a set flag in the tallies.
    pub flag_threshold: f64,
    /// Level counts of category columns.
    pub levels: bool,
    /// Sums of text columns.
    pub words: WordParts,
    /// Products of number columns.
    pub scatter: ScatterPart,
    /// How many different patterns of missing numbers get a product matrix of their own; 1 keeps complete
    /// rows only.
    pub patterns: usize,
}

impl Parts {
    /// Everything that any one-pass model could ask for.
    pub fn all() -> Self {
        Parts {
            moments: true,
            tallies: true,
            flag_threshold: 0.0,
            levels: true,
            words: WordParts { totals: true, presence: true },
            scatter: ScatterPart::PerClass,
            patterns: 64,
        }
    }

    /// What either asks for. Only one flag threshold can be kept: the first that is asked for.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let scatter = match (self.scatter, other.scatter) {
            (ScatterPart::PerClass, _) | (_, ScatterPart::PerClass) => ScatterPart::PerClass,
            (ScatterPart::Pooled, _) | (_, ScatterPart::Pooled) => ScatterPart::Pooled,
            _ => ScatterPart::None,
        };
        Parts {
            moments: self.moments || other.moments,
            tallies: self.tallies || other.tallies,
            flag_threshold: if self.tallies { self.flag_threshold } else { other.flag_threshold },
            levels: self.levels || other.levels,
            words: WordParts { totals: self.words.totals || other.words.totals, presence: self.words.presence || other.words.presence },
            scatter,
            patterns: self.patterns.max(other.patterns),
        }
    }

    /// Whether a summary with these parts can serve a learner that wants `wanted`.
    pub fn covers(&self, wanted: &Parts) -> bool {
        let scatter = match wanted.scatter {
            ScatterPart::None => true,
            ScatterPart::Pooled => self.scatter != ScatterPart::None,
            ScatterPart::PerClass => self.scatter == ScatterPart::PerClass,
        };
        scatter
            && self.moments >= wanted.moments
            && self.tallies >= wanted.tallies
            && (!wanted.tallies || self.flag_threshold == wanted.flag_threshold)
            && self.levels >= wanted.levels
            && self.words.totals >= wanted.words.totals
            && self.words.presence >= wanted.words.presence
    }
}
