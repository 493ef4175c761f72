//! A coefficient of log odds as all tables for programs have it.

use crate::card::Cell;

/// What is known about the precision of a coefficient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CoefficientInference {
    pub(crate) error: f64,
    pub(crate) statistic: f64,
    pub(crate) p_value: f64,
    pub(crate) log_p_value: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

/// Columns of a table of coefficients, in the order and by the names that R's broom made customary.
pub(crate) const COEFFICIENT_COLUMNS: [&str; 13] = [
    "term",
    "level",
    "column",
    "estimate",
    "std_error",
    "statistic",
    "p_value",
    "log_p_value",
    "conf_low",
    "conf_high",
    "odds_ratio",
    "odds_low",
    "odds_high",
];

/// One row of such a table: term, level and column of the design, the coefficient, and its odds ratio for a change by `unit`.
pub(crate) fn coefficient_row(names: [Cell; 3], estimate: f64, inference: Option<CoefficientInference>, unit: f64) -> [Cell; 13] {
    let [term, level, column] = names;
    let known = |part: fn(&CoefficientInference) -> f64| inference.as_ref().map_or(Cell::Empty, |known| told(part(known)));
    let odds = |part: fn(&CoefficientInference) -> f64| inference.as_ref().map_or(Cell::Empty, |known| told((part(known) * unit).exp()));
    [
        term,
        level,
        column,
        estimate.into(),
        known(|known| known.error),
        known(|known| known.statistic),
        known(|known| known.p_value),
        known(|known| known.log_p_value),
        known(|known| known.lower),
        known(|known| known.upper),
        (estimate * unit).exp().into(),
        odds(|known| known.lower),
        odds(|known| known.upper),
    ]
}

/// A number, or nothing where there is none.
fn told(value: f64) -> Cell {
    if value.is_nan() { Cell::Empty } else { value.into() }
}
