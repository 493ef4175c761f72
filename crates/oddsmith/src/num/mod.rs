//! Numbers: log-space sums, special functions and hot kernels over plain slices of `f64`.

pub mod kernel;
pub mod logspace;
mod matrix;
pub(crate) mod optimise;
pub mod root;
pub mod special;
mod two_sum;

pub use logspace::log_sum_exp;
pub use matrix::MatrixView;
pub use two_sum::two_sum;
