//! What is asked about an optimum: errors, intervals, tests, separation, influence of rows.

pub(super) mod account;
pub(super) mod analysis;
pub(super) mod augment;
pub(super) mod augmenter;
pub(super) mod face;
pub(super) mod hypothesis;
pub(super) mod infinite;
pub(super) mod left_out;
pub(super) mod nested;
pub(super) mod one_sided;
pub(super) mod reduction;
pub(super) mod row_account;
pub(super) mod row_metrics;
pub(super) mod row_sums;
pub(super) mod sandwich;
pub(super) mod search;
pub(super) mod separation;
pub(super) mod separation_steps;
pub(super) mod uncertainty;
pub(super) mod undecided;
