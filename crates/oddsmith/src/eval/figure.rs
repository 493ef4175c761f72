//! A figure with its interval, or the reason why there is none.

use std::fmt;

use crate::data::Weighting;
use crate::num::special::normal;

/// Confidence of every interval that is not asked for otherwise.
pub(super) const CONFIDENCE: f64 = 0.95;

/// An estimate and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// A 95 % confidence interval, where there is one.
    pub interval: Option<(f64, f64)>,
}

impl Estimate {
    /// A value without an interval.
    pub fn exact(value: f64) -> Self {
        Estimate { value, interval: None }
    }

    /// A value with its normal interval, kept within the range of the figure.
    pub fn normal(value: f64, variance: f64, (low, high): (f64, f64)) -> Self {
        let reach = normal::quantile_upper(0.5 * (1.0 - CONFIDENCE)) * variance.sqrt();
        let interval = variance.is_finite().then(|| ((value - reach).max(low), (value + reach).min(high)));
        Estimate { value, interval }
    }
}

impl From<f64> for Estimate {
    fn from(value: f64) -> Self {
        Estimate::exact(value)
    }
}

/// Why a figure has no value, in a few lower-case words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undefined(pub String);

impl Undefined {
    /// A figure that needs both classes.
    pub fn one_class() -> Self {
        Undefined("there is only one class".into())
    }

    /// A figure that needs rows.
    pub fn no_rows() -> Self {
        Undefined("there are no rows".into())
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Undefined {
    fn from(reason: &str) -> Self {
        Undefined(reason.into())
    }
}

/// A figure, or why there is none.
pub type Figure<T = Estimate> = std::result::Result<T, Undefined>;

/// The weight of some rows, with what is needed to know how much evidence they are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Mass {
    /// Σ w.
    pub(super) weight: f64,
    /// Σ w².
    pub(super) squared: f64,
}

impl Mass {
    /// Adds the sums of more rows.
    pub(super) fn add(&mut self, weight: f64, squared: f64) {
        self.weight += weight;
        self.squared += squared;
    }
}

impl std::iter::Sum for Mass {
    fn sum<I: Iterator<Item = Mass>>(parts: I) -> Mass {
        parts.fold(Mass::default(), |mut sum, part| {
            sum.add(part.weight, part.squared);
            sum
        })
    }
}

/// A share `part / whole` with Wilson's interval.
pub(super) fn share(part: f64, whole: Mass, weighting: Weighting, otherwise: &str) -> Figure {
    if whole.weight <= 0.0 {
        return Err(otherwise.into());
    }
    let (p, z) = (part / whole.weight, normal::quantile_upper(0.5 * (1.0 - CONFIDENCE)));
    let rows = weighting.effective_rows(whole.weight, whole.squared);
    let centre = (p + z * z / (2.0 * rows)) / (1.0 + z * z / rows);
    let reach = z / (1.0 + z * z / rows) * (p * (1.0 - p) / rows + z * z / (4.0 * rows * rows)).sqrt();
    Ok(Estimate { value: p, interval: Some(((centre - reach).max(0.0), (centre + reach).min(1.0))) })
}
