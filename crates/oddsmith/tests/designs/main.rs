//! Formulas and the columns that they make; the sources' own words; the examples.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../support/mod.rs"]
mod support;

mod design_faults;
mod design_golden;
mod design_laws;
mod examples;
mod formula_laws;
mod wording;
