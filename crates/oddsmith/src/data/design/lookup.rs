//! Finds the columns that a formula names.

use std::collections::BTreeMap;

use crate::data::formula::{ColumnName, Fault};
use crate::data::{Kind, Layout, Plane, Space};

/// The features of a layout by name: wide tables are looked up column by column.
pub(super) struct Lookup<'a> {
    pub(super) layout: &'a Layout,
    by_name: BTreeMap<&'a str, usize>,
}

impl<'a> Lookup<'a> {
    /// Sorts the names of a layout.
    pub(super) fn new(layout: &'a Layout) -> Self {
        let by_name = layout.features().iter().enumerate().map(|(at, feature)| (feature.name.as_str(), at)).collect();
        Lookup { layout, by_name }
    }

    /// The index of a column.
    pub(super) fn feature(&self, column: &ColumnName) -> Result<usize, Fault> {
        let found = self.by_name.get(column.name.as_str());
        found.copied().ok_or_else(|| Fault::unknown(column.place, "column", &column.name, &self.layout.names()))
    }

    /// The index of a column that must hold numbers.
    pub(super) fn number(&self, column: &ColumnName) -> Result<usize, Fault> {
        let feature = self.feature(column)?;
        match self.kind(feature) {
            Kind::Number => Ok(feature),
            kind => {
                let what = format!("arithmetic takes numbers, and `{}` holds {}", column.name, plural(kind));
                Err(Fault::new(column.place, what, "a number column"))
            }
        }
    }

    /// The kind of a feature.
    pub(super) fn kind(&self, feature: usize) -> Kind {
        self.layout.features()[feature].kind()
    }

    /// The kind of a column by its name, where there is such a column.
    pub(super) fn kind_of(&self, name: &str) -> Option<Kind> {
        self.by_name.get(name).map(|feature| self.kind(*feature))
    }

    /// The name of a feature.
    pub(super) fn name(&self, feature: usize) -> &'a str {
        &self.layout.features()[feature].name
    }

    /// The position of a feature in its plane.
    pub(super) fn place_in_plane(&self, feature: usize) -> usize {
        let (Plane::Numbers(place) | Plane::Codes(place) | Plane::Words(place)) = self.layout.plane(feature);
        place
    }

    /// The levels of a category; none for other kinds.
    pub(super) fn levels(&self, feature: usize) -> &'a [String] {
        match &self.layout.features()[feature].space {
            Space::Levels { levels, .. } => levels.names(),
            Space::Number | Space::Words { .. } => &[],
        }
    }
}

/// What a column of a kind holds.
pub(super) fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "numbers",
        Kind::Category => "categories",
        Kind::Boolean => "booleans",
        Kind::Text => "texts",
    }
}
