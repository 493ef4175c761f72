//! Units of change of odds ratios: of a column wherever it enters as it is, products with other columns included.
//!
//! A term that bends a column (a logarithm, a power, a spline) has no such unit: its coefficient belongs to the bent value.

use crate::data::formula::Variable;
use crate::data::{Formula, Kind, Layout};
use crate::error::{Error, Result};
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::Logistic;

impl Logistic {
    /// Refuses units of columns that the formula does not have as numbers.
    pub(in crate::model::linear) fn check_units(&self, formula: &Formula, layout: &Layout) -> Result<()> {
        let is_number = |name: &str| layout.index(name).is_ok_and(|j| layout.features()[j].kind() == Kind::Number);
        let plain: Vec<&str> = formula
            .variables()
            .iter()
            .filter_map(|variable| if let Variable::Column(column) = variable { Some(column.name.as_str()) } else { None })
            .filter(|name| is_number(name))
            .collect();
        let Some((name, size)) = self.units.iter().find(|(name, _)| !plain.contains(&name.as_str())) else { return Ok(()) };
        let accepted = if !formula.columns().contains(name) {
            let known = if plain.is_empty() { "none".to_owned() } else { plain.join(", ") };
            format!("the formula has no column `{name}`; its columns of numbers: {known}")
        } else if !is_number(name) {
            format!("`{name}` is no number; odds ratios of a category compare its levels")
        } else {
            format!("`{name}` is only part of functions, whose odds ratios are not for a change of it; leave the unit out")
        };
        Err(Error::option("unit", format!("{name}={size}"), accepted))
    }
}

impl LogisticModel {
    /// The size of change that a column's odds ratio is for: the product of the units of the columns that it is the product of.
    pub(super) fn unit(&self, column: Option<usize>) -> f64 {
        column.map_or(1.0, |j| self.units_of(j).product())
    }

    fn units_of(&self, j: usize) -> impl Iterator<Item = f64> {
        let labels = &self.design.columns()[j].labels;
        let as_it_is = move |name: &str| labels.iter().any(|(label, level)| label == name && level.is_none());
        self.account.units.iter().filter(move |(name, _)| as_it_is(name)).map(|(_, size)| *size)
    }

    /// The name of a term with the unit of its odds ratios, where one was chosen.
    pub(super) fn term_label(&self, term: usize, column: usize) -> String {
        let label = &self.design.terms()[term].label;
        let units: Vec<String> = self.units_of(column).filter(|size| *size != 1.0).map(|size| size.to_string()).collect();
        match units.is_empty() {
            false => format!("{label} (per {})", units.join(" × ")),
            true if self.bends_a_unit(term, column) => format!("{label} (no unit)"),
            true => label.clone(),
        }
    }

    /// Whether a column with a unit enters the term by a function.
    fn bends_a_unit(&self, term: usize, column: usize) -> bool {
        let (term, labels) = (&self.design.terms()[term], &self.design.columns()[column].labels);
        let read = |name: &str| term.features.iter().any(|f| self.layout.features()[*f].name == name);
        let plain = |name: &str| labels.iter().any(|(label, _)| label == name);
        self.account.units.iter().any(|(name, _)| read(name) && !plain(name) && term.label != format!("missing({name})"))
    }
}
