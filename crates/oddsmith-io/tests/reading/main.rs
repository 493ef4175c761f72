//! Tables through the public doors: opened to learn from, opened for a model, and refused.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

mod faults;
mod learning;
mod many_files;
mod odd_lines;
mod order;
mod predicting;
mod same_rows;
mod summing;
mod tables;
mod terms;
mod typed_files;
#[cfg(feature = "xlsx")]
mod workbooks;
