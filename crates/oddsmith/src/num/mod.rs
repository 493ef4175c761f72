//! Numbers: log-space sums, special functions and hot kernels over plain slices of `f64`.

pub mod kernel;
mod matrix;

pub use matrix::MatrixView;
