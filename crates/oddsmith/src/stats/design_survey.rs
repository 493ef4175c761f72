//! A survey of the columns of a design is a statistic like any other. What it sums is written beside the design that needs
//! it, in [`crate::data::design`].

use super::Statistics;
use crate::data::Rows;
use crate::data::design::DesignSurvey;
use crate::error::Result;

impl Statistics for DesignSurvey {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        DesignSurvey::observe(self, &rows)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        DesignSurvey::merge(self, other)
    }

    fn weight(&self) -> f64 {
        DesignSurvey::weight(self)
    }

    fn purpose(&self) -> String {
        "values that the formula depends on".into()
    }

    fn discloses(&self) -> Option<String> {
        let bases = self.kept_values();
        (!bases.is_empty()).then(|| format!("the values of the rows that {} is made of", bases.join(", ")))
    }

    fn bytes(&self) -> usize {
        DesignSurvey::bytes(self)
    }
}
