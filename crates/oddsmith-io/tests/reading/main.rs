//! Tables through the public doors: opened to learn from, opened for a model, and refused.

mod faults;
mod learning;
mod predicting;
mod same_rows;
mod tables;
