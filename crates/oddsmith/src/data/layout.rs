//! The layout: features, their kinds and value spaces, and the classes, fixed before anything is counted.
//!
//! Statistics are dense arrays over a layout, so two summaries add up exactly when their layouts are
//! equal; [`crate::stats::TableStats`] knows how to bring two different ones to their union first.

use serde::{Deserialize, Serialize};

use super::{Classes, Key, Levels, Role, TextForm, Vocabulary, WordValue};
use crate::error::{DataFault, ErrorKind, Result};

/// What a column holds, as a person would say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Values on a scale; missing is NaN.
    Number,
    /// One of several levels.
    Category,
    /// True or false: a category with two fixed levels.
    Boolean,
    /// Words.
    Text,
}

impl Kind {
    /// The name used on the command line and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Number => "number",
            Kind::Category => "category",
            Kind::Boolean => "boolean",
            Kind::Text => "text",
        }
    }
}

/// The values a feature can take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Space {
    /// Any finite number.
    Number,
    /// One of the levels; `boolean` remembers the kind.
    Levels {
        /// The levels in code order.
        levels: Levels,
        /// Whether the column is a boolean.
        boolean: bool,
    },
    /// A sparse row over a vocabulary.
    Words {
        /// The columns.
        vocabulary: Vocabulary,
        /// Counts or presence.
        value: WordValue,
        /// How texts become terms and terms numbers.
        form: TextForm,
    },
}

/// One named feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// The column's name.
    pub name: String,
    /// What it can take.
    pub space: Space,
}

impl Feature {
    /// A number column.
    pub fn number(name: impl Into<String>) -> Self {
        Feature { name: name.into(), space: Space::Number }
    }

    /// A category column.
    pub fn category(name: impl Into<String>, levels: Levels) -> Self {
        Feature { name: name.into(), space: Space::Levels { levels, boolean: false } }
    }

    /// A boolean column.
    pub fn boolean(name: impl Into<String>) -> Self {
        Feature { name: name.into(), space: Space::Levels { levels: Levels::boolean(), boolean: true } }
    }

    /// A text column, or a block of sparse columns.
    pub fn words(name: impl Into<String>, vocabulary: Vocabulary, value: WordValue) -> Self {
        Feature { name: name.into(), space: Space::Words { vocabulary, value, form: TextForm::default() } }
    }

    /// The same text column in another form.
    #[must_use]
    pub fn in_form(mut self, text: TextForm) -> Self {
        if let Space::Words { form, .. } = &mut self.space {
            *form = text;
        }
        self
    }

    /// The kind of the column.
    pub fn kind(&self) -> Kind {
        match &self.space {
            Space::Number => Kind::Number,
            Space::Levels { boolean: false, .. } => Kind::Category,
            Space::Levels { boolean: true, .. } => Kind::Boolean,
            Space::Words { .. } => Kind::Text,
        }
    }
}

/// What row weights mean. It changes divisors and evidence, never the weighted sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weighting {
    /// Every row counts once.
    #[default]
    None,
    /// A weight of 3 stands for three equal rows.
    Frequency,
    /// A weight says how many units of the population the row stands for; the number of rows stays the
    /// amount of evidence.
    Sampling,
}

impl Weighting {
    /// How many independent rows a sum of weights is worth as evidence: the sum itself, or, where weights say how much of a population a
    /// row stands for, Kish's effective number (Σw)²/Σw², which knows no unit.
    pub fn effective_rows(self, weight: f64, squared: f64) -> f64 {
        if self == Weighting::Sampling && weight > 0.0 { weight * (weight / squared) } else { weight }
    }
}

/// The plane of a [`super::Features`] batch in which a feature lives, and its position there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plane {
    /// Column of the number matrix.
    Numbers(usize),
    /// Column of the code matrix.
    Codes(usize),
    /// Index of the sparse block.
    Words(usize),
}

/// Features in the user's order, the classes, and the meaning of weights.
#[derive(Debug, Clone)]
pub struct Layout {
    target: String,
    features: Vec<Feature>,
    classes: Classes,
    weighting: Weighting,
    planes: Vec<Plane>,
    numbers: Vec<usize>,
    codes: Vec<usize>,
    words: Vec<usize>,
    /// Feature indices in the order of their names.
    by_name: Vec<usize>,
    keys: Vec<Key>,
}

/// Keys tell which rows of a source belong together. They are no part of what rows must look like, so they make no layout another one.
impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        let same = self.target == other.target && self.features == other.features;
        same && self.classes == other.classes && self.weighting == other.weighting
    }
}

impl Eq for Layout {}

impl Layout {
    /// A layout; feature names must differ from each other.
    pub fn new(target: impl Into<String>, features: Vec<Feature>, classes: Classes, weighting: Weighting) -> Result<Self> {
        let name = |j: usize| features[j].name.as_str();
        let mut by_name: Vec<usize> = (0..features.len()).collect();
        by_name.sort_unstable_by_key(|j| name(*j));
        if let Some(pair) = by_name.windows(2).find(|pair| name(pair[0]) == name(pair[1])) {
            let fault = DataFault::new("the column name appears twice").column(name(pair[0]));
            return Err(fault.accepted("give every column its own name").into());
        }
        let (mut planes, mut numbers, mut codes, mut words) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (j, feature) in features.iter().enumerate() {
            let (list, plane): (&mut Vec<usize>, fn(usize) -> Plane) = match feature.space {
                Space::Number => (&mut numbers, Plane::Numbers),
                Space::Levels { .. } => (&mut codes, Plane::Codes),
                Space::Words { .. } => (&mut words, Plane::Words),
            };
            planes.push(plane(list.len()));
            list.push(j);
        }
        Ok(Layout { target: target.into(), features, classes, weighting, planes, numbers, codes, words, by_name, keys: Vec::new() })
    }

    /// The target column's name.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Features in the user's order.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Feature names in the user's order.
    pub fn names(&self) -> Vec<String> {
        self.features.iter().map(|f| f.name.clone()).collect()
    }

    /// The classes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// What weights mean.
    pub fn weighting(&self) -> Weighting {
        self.weighting
    }

    /// Where feature `j` lives in a batch.
    pub fn plane(&self, j: usize) -> Plane {
        self.planes[j]
    }

    /// Feature indices of the number matrix's columns.
    pub fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// Feature indices of the code matrix's columns.
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }

    /// Feature indices of the sparse blocks.
    pub fn words(&self) -> &[usize] {
        &self.words
    }

    /// Numbers of levels of the code columns, in plane order.
    pub fn level_counts(&self) -> Vec<usize> {
        self.codes
            .iter()
            .map(|&j| match &self.features[j].space {
                Space::Levels { levels, .. } => levels.len(),
                _ => 0,
            })
            .collect()
    }

    /// Widths of the sparse blocks, in plane order.
    pub fn word_widths(&self) -> Vec<usize> {
        self.words
            .iter()
            .map(|&j| match &self.features[j].space {
                Space::Words { vocabulary, .. } => vocabulary.len(),
                _ => 0,
            })
            .collect()
    }

    /// The index of a feature.
    pub fn index(&self, name: &str) -> Result<usize> {
        let found = self.by_name.binary_search_by_key(&name, |j| self.features[*j].name.as_str());
        found.map(|at| self.by_name[at]).map_err(|_| ErrorKind::Unknown { noun: "column", name: name.into(), known: self.names() }.into())
    }

    /// The name of level or word `at` of feature `j`; `None` for numbers.
    pub fn level_name(&self, j: usize, at: usize) -> Option<String> {
        match &self.features[j].space {
            Space::Number => None,
            Space::Levels { levels, .. } => levels.names().get(at).cloned(),
            Space::Words { vocabulary, .. } => Some(vocabulary.word(at)),
        }
    }

    /// Columns by which rows belong together.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The place of the first key with a role.
    pub fn key(&self, role: Role) -> Option<usize> {
        self.keys.iter().position(|key| key.role == role)
    }

    /// The same problem with these features, which must be categories, as keys.
    pub fn keyed(&self, keys: &[(String, Role)]) -> Result<Layout> {
        let mut own = self.keys.clone();
        for (name, role) in keys {
            let feature = &self.features[self.index(name)?];
            let Space::Levels { levels, .. } = &feature.space else {
                let fault = DataFault::new(format!("is a {} and cannot be the {}", feature.kind().name(), role.name())).column(name);
                return Err(fault.accepted("a column of levels").into());
            };
            own.push(Key { name: name.clone(), role: *role, levels: levels.clone() });
        }
        let rest = (0..self.features.len()).filter(|j| keys.iter().all(|(name, _)| *name != self.features[*j].name));
        Ok(self.select(&rest.collect::<Vec<_>>())?.with_keys(own))
    }

    /// The same problem with the keys as the last features.
    pub fn unkeyed(&self) -> Result<Layout> {
        let keys = self.keys.iter().map(|key| Feature::category(&key.name, key.levels.clone()));
        let features = self.features.iter().cloned().chain(keys).collect();
        Layout::new(self.target.clone(), features, self.classes.clone(), self.weighting)
    }

    /// The same problem with other keys.
    pub fn with_keys(self, keys: Vec<Key>) -> Layout {
        Layout { keys, ..self }
    }

    /// The same problem with only these features, in this order.
    pub fn select(&self, features: &[usize]) -> Result<Layout> {
        let chosen = features.iter().map(|&j| self.features[j].clone()).collect();
        Ok(Layout::new(self.target.clone(), chosen, self.classes.clone(), self.weighting)?.with_keys(self.keys.clone()))
    }
}
