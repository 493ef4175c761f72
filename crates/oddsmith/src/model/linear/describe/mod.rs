//! What is told about a fitted regression: the model, its card and its tables.

pub(super) mod build;
pub(super) mod card;
pub(super) mod crude;
pub(super) mod forest;
pub(super) mod linear_view;
pub(super) mod notices;
pub(super) mod odds_ratios;
pub(super) mod summary;
pub(super) mod term_tests;
pub(super) mod test_tables;
pub(super) mod tidy;
pub(super) mod units;
