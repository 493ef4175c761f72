//! Models against R, scikit-learn and closed forms, and the laws of each family.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../support/mod.rs"]
mod support;

mod average;
mod bayes_golden;
mod discriminant_categories;
mod discriminant_faults;
mod discriminant_golden;
mod discriminant_laws;
mod held_rows;
mod info_golden;
mod information;
mod kernels;
mod logistic_golden;
mod logistic_posterior;
mod logistic_solvers;
mod margins;
mod neighbors;
mod network;
mod pictures;
mod trace;
mod tree_golden;
mod tree_ways;
mod worked_examples;
