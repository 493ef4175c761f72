//! What an exposure is set to, and rows that have it so.

use crate::data::{CodesView, Features, Layout, Plane, Space};
use crate::error::{DataFault, Result};
use crate::num::MatrixView;

/// The column whose effect is told.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exposure {
    /// Its name.
    pub(super) name: String,
    /// Its place among the features.
    pub(super) feature: usize,
    pub(super) plane: Plane,
    /// Names of its levels; none for a number.
    pub(super) levels: Vec<String>,
}

/// One value that the exposure is set to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scenario {
    /// A level.
    Code(u32),
    /// A number.
    Value(f64),
    /// The row's own number, moved by so many of its steps.
    Moved(f64),
}

/// Rows with the exposure set, in buffers that are used again.
#[derive(Debug, Clone, Default)]
pub(super) struct Replaced {
    numbers: Vec<f64>,
    codes: Vec<u32>,
}

impl Exposure {
    pub(super) fn of(layout: &Layout, feature: usize) -> Result<Self> {
        let (name, plane) = (layout.features()[feature].name.clone(), layout.plane(feature));
        let levels = match &layout.features()[feature].space {
            Space::Levels { levels, .. } => levels.names().to_vec(),
            Space::Number => Vec::new(),
            Space::Words { .. } => {
                return Err(DataFault::new("a text has no effect of its own").column(&name).accepted("a number or a category").into());
            }
        };
        Ok(Exposure { name, feature, plane, levels })
    }

    /// Values whose risks are compared: all levels, or 0 and 1.
    pub(super) fn scenarios(&self) -> Vec<Scenario> {
        match self.levels.len() {
            0 => vec![Scenario::Value(0.0), Scenario::Value(1.0)],
            levels => (0..levels as u32).map(Scenario::Code).collect(),
        }
    }

    pub(super) fn is_number(&self) -> bool {
        self.levels.is_empty()
    }

    /// A step of the number `x` over which slopes are taken: a power of two, so that moving and dividing by it are exact.
    pub(super) fn step(x: f64) -> f64 {
        const SHARE: i32 = -12;
        2f64.powi(SHARE + (x.abs().max(1.0).log2().floor() as i32).clamp(0, 1000))
    }

    /// The exposure in row `i`; NaN for a category.
    pub(super) fn value(&self, rows: &Features<'_>, i: usize) -> f64 {
        match self.plane {
            Plane::Numbers(at) => rows.numbers.get(i, at),
            _ => f64::NAN,
        }
    }
}

impl Replaced {
    /// The rows with the exposure set.
    pub(super) fn rows<'a>(&'a mut self, rows: &Features<'a>, exposure: &Exposure, scenario: Scenario) -> Result<Features<'a>> {
        let count = rows.rows();
        match (exposure.plane, scenario) {
            (Plane::Numbers(at), Scenario::Value(_) | Scenario::Moved(_)) => {
                let width = rows.numbers.cols();
                self.numbers.clear();
                for i in 0..count {
                    let own = rows.numbers.get(i, at);
                    let set = match scenario {
                        // A row without the number has a gap, whatever it is set to.
                        _ if own.is_nan() => own,
                        Scenario::Value(value) => value,
                        Scenario::Moved(steps) => own + steps * Exposure::step(own),
                        Scenario::Code(_) => own,
                    };
                    self.numbers.extend((0..width).map(|j| if j == at { set } else { rows.numbers.get(i, j) }));
                }
                Ok(Features { numbers: MatrixView::row_major(&self.numbers, count, width)?, ..*rows })
            }
            (Plane::Codes(at), Scenario::Code(code)) => {
                let width = rows.codes.cols();
                self.codes.clear();
                for i in 0..count {
                    let set = |j: usize| if j == at && rows.codes.get(i, j) != crate::data::MISSING { code } else { rows.codes.get(i, j) };
                    self.codes.extend((0..width).map(set));
                }
                Ok(Features { codes: CodesView::row_major(&self.codes, count, width)?, ..*rows })
            }
            _ => Ok(*rows),
        }
    }
}
