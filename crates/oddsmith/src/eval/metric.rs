//! A figure with its interval, or the reason why there is none.

use std::fmt;

use crate::card::Cell;
use crate::data::Weighting;
use crate::num::special::normal;

/// Confidence of every interval that is not asked for otherwise.
pub(super) const CONFIDENCE: f64 = 0.95;

/// Why a mean has no interval.
pub(super) const ONE_ROW: &str = "there is only one row";

/// An estimate and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Its standard error, where the interval rests on one; that of an area is DeLong's.
    pub std_error: Option<f64>,
    /// A 95 % confidence interval, where there is one.
    pub interval: Option<(f64, f64)>,
    /// Why a figure that usually has an interval has none here.
    pub no_interval: Option<&'static str>,
}

impl Estimate {
    /// A value without an interval.
    pub fn exact(value: f64) -> Self {
        Estimate { value, std_error: None, interval: None, no_interval: None }
    }

    /// A value of which the rows do not say how sure it is, and why.
    pub fn unsure(value: f64, why: &'static str) -> Self {
        Estimate { value, std_error: None, interval: None, no_interval: Some(why) }
    }

    /// A value between bounds.
    pub fn within(value: f64, interval: (f64, f64)) -> Self {
        Estimate { value, std_error: None, interval: Some(interval), no_interval: None }
    }

    /// A value with its normal interval, kept within the range of the figure.
    pub fn normal(value: f64, variance: f64, (low, high): (f64, f64)) -> Self {
        let error = variance.sqrt();
        let reach = normal::quantile_upper(0.5 * (1.0 - CONFIDENCE)) * error;
        match variance.is_finite() {
            true => Estimate { std_error: Some(error), ..Estimate::within(value, ((value - reach).max(low), (value + reach).min(high))) },
            false => Estimate::unsure(value, "its variance is not finite"),
        }
    }

    /// Value and ends of the interval, as cells of a table.
    pub fn cells(&self) -> [Cell; 3] {
        let end = |end: Option<f64>| end.map_or(Cell::Empty, Cell::from);
        [self.value.into(), end(self.interval.map(|ends| ends.0)), end(self.interval.map(|ends| ends.1))]
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

    /// A figure that needs two classes, of which there are more.
    pub fn not_two(classes: usize) -> Self {
        Undefined(format!("it needs two classes, and there are {classes}"))
    }

    /// A figure that needs probabilities, where scores are margins.
    pub fn margins() -> Self {
        Undefined("scores are margins and no probabilities; calibrate the model".into())
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
pub type Metric<T = Estimate> = std::result::Result<T, Undefined>;

/// Value and ends of the interval of a figure, and why one of them is missing.
pub fn metric_cells(figure: &Metric) -> [Cell; 4] {
    let [value, low, high] = figure.as_ref().map_or([Cell::Empty, Cell::Empty, Cell::Empty], Estimate::cells);
    [value, low, high, missing(figure).map_or(Cell::Empty, Cell::from)]
}

/// Why a figure has no value, or no interval.
pub fn missing(figure: &Metric) -> Option<String> {
    match figure {
        Ok(estimate) => estimate.no_interval.map(|why| format!("no interval: {why}")),
        Err(reason) => Some(reason.to_string()),
    }
}

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
pub(super) fn share(part: f64, whole: Mass, weighting: Weighting, otherwise: &str) -> Metric {
    if whole.weight <= 0.0 {
        return Err(otherwise.into());
    }
    let (p, z) = (part / whole.weight, normal::quantile_upper(0.5 * (1.0 - CONFIDENCE)));
    let rows = weighting.effective_rows(whole.weight, whole.squared);
    let centre = (p + z * z / (2.0 * rows)) / (1.0 + z * z / rows);
    let reach = z / (1.0 + z * z / rows) * (p * (1.0 - p) / rows + z * z / (4.0 * rows * rows)).sqrt();
    // None and all have an end of their own, which rounding must not miss.
    let (low, high) = (if p == 0.0 { 0.0 } else { (centre - reach).max(0.0) }, if p == 1.0 { 1.0 } else { (centre + reach).min(1.0) });
    Ok(Estimate::within(p, (low, high)))
}
