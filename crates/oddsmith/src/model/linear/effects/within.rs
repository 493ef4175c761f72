//! The column within whose levels effects are told: a category, or a number that is 0 or 1.

use crate::data::{Features, Layout, MISSING, Plane};
use crate::error::{DataFault, Error, Result};

const ACCEPTED: &str = "a category, or a column of 0 and 1; read numbers as a category, or cut them into ranges first";

/// The column, and what its levels are called.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Within {
    name: String,
    plane: Plane,
    levels: Vec<String>,
}

/// The level of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LevelOfRow {
    Known(usize),
    Missing,
    /// A number that is neither 0 nor 1.
    Other,
}

impl Within {
    /// The feature of this place in the layout, which must not be a text.
    pub(super) fn of(layout: &Layout, feature: usize) -> Result<Self> {
        let (name, plane) = (layout.features()[feature].name.clone(), layout.plane(feature));
        let levels = match plane {
            Plane::Codes(_) => (0..).map_while(|at| layout.level_name(feature, at)).collect(),
            Plane::Numbers(_) => ["0", "1"].map(str::to_owned).to_vec(),
            _ => return Err(DataFault::new("effects are told within levels of a column").column(&name).accepted(ACCEPTED).into()),
        };
        Ok(Within { name, plane, levels })
    }

    pub(super) fn levels(&self) -> &[String] {
        &self.levels
    }

    /// The level of row `i`.
    pub(super) fn level_of(&self, rows: &Features<'_>, i: usize) -> LevelOfRow {
        match self.plane {
            Plane::Codes(at) => match rows.codes.get(i, at) {
                MISSING => LevelOfRow::Missing,
                code => LevelOfRow::Known(code as usize),
            },
            Plane::Numbers(at) => match rows.numbers.get(i, at) {
                0.0 => LevelOfRow::Known(0),
                1.0 => LevelOfRow::Known(1),
                x if x.is_nan() => LevelOfRow::Missing,
                _ => LevelOfRow::Other,
            },
            _ => LevelOfRow::Missing,
        }
    }

    /// Sets the column of one row, given as its numbers and codes, to a level.
    pub(super) fn set(&self, level: usize, numbers: &mut [f64], codes: &mut [u32]) {
        match self.plane {
            Plane::Codes(at) => codes[at] = level as u32,
            Plane::Numbers(at) => numbers[at] = level as f64,
            _ => {}
        }
    }

    /// What is said of rows whose number is neither 0 nor 1.
    pub(super) fn refusal(&self, rows: u64) -> Error {
        let what = format!("effects are told within levels, and {rows} rows have a number that is neither 0 nor 1");
        DataFault::new(what).column(&self.name).accepted(ACCEPTED).into()
    }
}
