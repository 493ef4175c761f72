//! What an option takes.

use super::list::{split_list, split_pair};
use crate::error::{Error, Result};

/// What an option takes. Values are given as text; a model that reads one finds it in its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParamKind {
    /// On or off.
    Flag,
    /// A finite number from `least` to `most`, both included.
    Number {
        /// The smallest.
        least: f64,
        /// The largest; infinity for none.
        most: f64,
    },
    /// A finite number above `least` and below `most`.
    Between {
        /// What it must exceed.
        least: f64,
        /// What it must stay below; infinity for none.
        most: f64,
    },
    /// A whole number from `least` to `most`.
    Whole {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// One of several words.
    Choice(&'static [&'static str]),
    /// A text that the model itself understands; the words say what it accepts.
    Text(&'static str),
    /// Pairs of a name and something, such as `age=10`; may be given several times. The words say what is accepted.
    Pairs(&'static str),
    /// A column that plays another part than that of a feature.
    Column,
    /// Several such columns.
    Columns,
}

impl ParamKind {
    /// Whether it may be given several times.
    pub fn repeats(self) -> bool {
        matches!(self, ParamKind::Pairs(_))
    }

    /// What kind it is, in one word.
    pub fn name(self) -> &'static str {
        match self {
            ParamKind::Flag => "flag",
            ParamKind::Number { .. } | ParamKind::Between { .. } => "number",
            ParamKind::Whole { .. } => "whole",
            ParamKind::Choice(_) => "choice",
            ParamKind::Text(_) => "text",
            ParamKind::Pairs(_) => "pairs",
            ParamKind::Column => "column",
            ParamKind::Columns => "columns",
        }
    }

    /// What it accepts, in words.
    pub fn accepted(self) -> String {
        match self {
            ParamKind::Flag => "yes or no".into(),
            ParamKind::Number { least, most: f64::INFINITY } => format!("a finite number from {least} up"),
            ParamKind::Number { least, most } => format!("a number from {least} to {most}"),
            ParamKind::Between { least, most: f64::INFINITY } => format!("a finite number above {least}"),
            ParamKind::Between { least, most } => format!("a number between {least} and {most}"),
            ParamKind::Whole { least, most: u64::MAX } => format!("a whole number from {least} up"),
            ParamKind::Whole { least, most } => format!("a whole number from {least} to {most}"),
            ParamKind::Choice(words) => format!("one of: {}", words.join(", ")),
            ParamKind::Text(words) | ParamKind::Pairs(words) => words.into(),
            ParamKind::Column => "the name of a column".into(),
            ParamKind::Columns => "names of columns, separated by commas".into(),
        }
    }

    /// Refuses a text that is no value of this kind.
    pub(super) fn check(self, name: &str, text: &str) -> Result<()> {
        let fits = match self {
            ParamKind::Flag => matches!(text, "true" | "false"),
            ParamKind::Number { least, most } => number(text).is_some_and(|value| value >= least && value <= most),
            ParamKind::Between { least, most } => number(text).is_some_and(|value| value > least && value < most),
            ParamKind::Whole { least, most } => text.trim().parse::<u64>().is_ok_and(|value| (least..=most).contains(&value)),
            ParamKind::Choice(words) => words.contains(&text),
            ParamKind::Text(_) => true,
            ParamKind::Pairs(_) => split_list(text).iter().all(|item| split_pair(item).is_some()),
            ParamKind::Column => !text.is_empty(),
            ParamKind::Columns => split_list(text).iter().all(|item| !item.is_empty()),
        };
        if fits { Ok(()) } else { Err(Error::option(name, text, self.accepted())) }
    }
}

/// A finite number.
pub(super) fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|value| value.is_finite())
}
