//! What must be known of the data before a design can be written down.

use super::DesignOptions;
use super::facts::Facts;
use crate::data::formula::Formula;
use crate::data::{Layout, Rows};
use crate::error::Result;

/// A summary of the columns whose values decide what a design looks like. Spend a pass on it only when
/// [`DesignSurvey::is_needed`].
#[derive(Debug, Clone)]
pub struct DesignSurvey {
    needed: bool,
    weight: f64,
}

impl DesignSurvey {
    /// An empty survey for a formula. A `.` stands for all columns of the layout.
    pub fn new(formula: &Formula, layout: &Layout, options: &DesignOptions) -> Result<Self> {
        let _ = (formula, layout, options);
        Ok(DesignSurvey { needed: false, weight: 0.0 })
    }

    /// Whether the design depends on the data at all.
    pub fn is_needed(&self) -> bool {
        self.needed
    }

    pub(crate) fn observe(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.weight += rows.labels.len() as f64;
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight += other.weight;
        Ok(())
    }

    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
    }

    pub(super) fn facts(&self) -> Facts {
        Facts::default()
    }
}
