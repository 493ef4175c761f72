//! What is remembered of the rows of a fit beside its likelihood. Files of earlier versions hold nothing of it, and earlier versions
//! pass over it.

use serde::{Deserialize, Serialize};

/// The rows of a fit in numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RowAccount {
    /// Proportion of every class that the intercepts stand for: that of the rows as they came, or that of the population they were moved to.
    /// Empty where it is not known.
    pub class_proportions: Vec<f64>,
    /// What the log odds of every class were moved by after the fit; empty when they were not.
    pub moved_by: Vec<f64>,
    /// Pearson's χ²; `None` for fits without tests.
    pub pearson: Option<f64>,
    /// Weight of every class at each level of the categories.
    pub categories: Vec<CategoryCounts>,
    /// The column of weights.
    pub weight_column: Option<String>,
    /// Columns with the proportion of every class in place of labels.
    #[serde(rename = "share_columns")]
    pub proportion_columns: Option<Vec<String>>,
}

/// How the rows of a fit fall on the levels of a category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CategoryCounts {
    /// The column.
    pub column: String,
    /// Weight of every class, level after level, and of rows without a level.
    pub levels: Vec<Vec<f64>>,
}

impl RowAccount {
    /// Weight of every class at a level of a column.
    pub fn at_level(&self, column: &str, level: usize) -> Option<&[f64]> {
        self.categories.iter().find(|category| category.column == column)?.levels.get(level).map(Vec::as_slice)
    }

    /// Whether every list fits the number of classes and holds numbers.
    pub(crate) fn suits(&self, classes: usize) -> bool {
        let proportions = self.class_proportions.iter().all(|share| (0.0..=1.0).contains(share));
        let fits = |length: usize| length == 0 || length == classes;
        proportions
            && fits(self.class_proportions.len())
            && fits(self.moved_by.len())
            && self.moved_by.iter().all(|offset| offset.is_finite())
            && self.categories.iter().flat_map(|category| &category.levels).all(|level| level.len() == classes)
    }
}
