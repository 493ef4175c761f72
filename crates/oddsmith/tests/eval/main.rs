//! Figures over scores and truth: reference results, laws, and inputs that have no answer.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../support/mod.rs"]
mod support;

mod calibrating;
mod cross_validation;
mod degenerate;
mod golden;
mod laws;
mod learning_curve;
mod population;
mod selection;
mod weights;
