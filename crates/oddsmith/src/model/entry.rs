//! What a model declares of itself, once.

use super::{AnyLearner, Classifier, Param, Params};
use crate::data::{Kind, Layout};
use crate::error::{Error, ErrorKind, Result, visible};
use crate::record::Record;

/// One model.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Command-line name and file tag.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// The Python class.
    pub python: &'static str,
    /// The family whose options it shares, in words.
    pub family: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Whether a table of statistics is all that it learns from; others need the rows themselves, several times.
    pub one_pass: bool,
    /// The columns that it learns from; it refuses others by name.
    pub takes: Takes,
    /// How far rounding may move a log probability of a small table, in parts of one plus its size. Where a matrix is inverted, a handful of
    /// rows may leave few of its digits.
    pub tolerance: f64,
    /// Which units of number columns leave its probabilities as they are, with default options.
    pub units: Units,
    /// Whether a formula may say what is learned from which columns.
    pub takes_formula: bool,
    /// Its options.
    pub params: &'static [&'static Param],
    /// Builds the learner.
    pub build: fn(&Params) -> Result<Box<dyn AnyLearner>>,
    /// Rebuilds a stored model, checking every shape.
    pub read: fn(&Record) -> Result<Box<dyn Classifier>>,
}

impl Entry {
    /// Its options, none of them given.
    pub fn defaults(&self) -> Params {
        Params::new(self.name, self.params)
    }

    /// The learner with default options.
    pub fn learner(&self) -> Result<Box<dyn AnyLearner>> {
        (self.build)(&self.defaults())
    }
}

/// The kinds of columns that a model learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Takes {
    /// Which numbers.
    pub numbers: Numbers,
    /// Whether categories.
    pub categories: bool,
    /// Whether booleans.
    pub booleans: bool,
    /// Whether text, word by word.
    pub text: Text,
}

/// Which numbers a model learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// None.
    None,
    /// Those from zero up.
    Counts,
    /// Any.
    Any,
}

/// Whether a model learns from text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// No.
    No,
    /// With a penalty only: words that tell the classes apart have no finite estimate without.
    Penalised,
    /// Yes.
    Yes,
}

impl Takes {
    /// Columns of every kind.
    pub const ALL: Takes = Takes { numbers: Numbers::Any, categories: true, booleans: true, text: Text::Yes };
    /// Columns of every kind, and text with a penalty.
    pub const DESIGN: Takes = Takes { text: Text::Penalised, ..Takes::ALL };
    /// Numbers alone.
    pub const NUMBERS: Takes = Takes { numbers: Numbers::Any, categories: false, booleans: false, text: Text::No };
    /// Numbers, and levels as columns of zeros and ones.
    pub const DENSE: Takes = Takes { text: Text::No, ..Takes::ALL };
    /// Counts of things and of words.
    pub const COUNTS: Takes = Takes { numbers: Numbers::Counts, categories: false, booleans: false, text: Text::Yes };
    /// Numbers above a threshold, booleans, presence of words.
    pub const FLAGS: Takes = Takes { categories: false, ..Takes::ALL };
    /// Levels.
    pub const LEVELS: Takes = Takes { numbers: Numbers::None, categories: true, booleans: true, text: Text::No };

    /// Whether it takes columns of a kind with default options.
    pub fn kind(&self, kind: Kind) -> bool {
        match kind {
            Kind::Number => self.numbers != Numbers::None,
            Kind::Category => self.categories,
            Kind::Boolean => self.booleans,
            Kind::Text => self.text == Text::Yes,
        }
    }

    /// Refuses columns of kinds that it does not take, by name, and tables without any column.
    pub fn check(&self, model: &str, layout: &Layout) -> Result<()> {
        let others = layout.features().iter().filter(|feature| !self.kind(feature.kind()));
        let others: Vec<String> = others.map(|feature| format!("`{}` ({})", visible(&feature.name), feature.kind().name())).collect();
        match (others.is_empty(), layout.features().is_empty()) {
            (true, false) => Ok(()),
            (true, true) => Err(Error::data(format!("there is no column for {model} to learn from"))),
            (false, _) => {
                let what = format!("use {}, only {}", others.join(", "), self.words());
                let advice = "leave them out, or use a model that takes every kind, such as nb".into();
                Err(ErrorKind::Unsupported { model: model.into(), what, advice }.into())
            }
        }
    }

    /// The kinds that it takes, in words.
    fn words(&self) -> String {
        let kinds = [
            (self.kind(Kind::Number), "numbers"),
            (self.categories, "categories"),
            (self.booleans, "booleans"),
            (self.kind(Kind::Text), "text"),
        ];
        kinds.into_iter().filter_map(|(taken, name)| taken.then_some(name)).collect::<Vec<_>>().join(", ")
    }
}

/// Changes of the units of number columns that leave every probability as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// None: a threshold, a count, an offset or a share of a total hangs on the unit.
    Fixed,
    /// Another zero: what is penalised or shared between columns hangs on their scales alone.
    Zero,
    /// Another zero and another scale.
    Free,
}
