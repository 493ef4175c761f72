//! Numbers: log-space sums, special functions and hot kernels over plain slices of `f64`.

mod logspace;
mod matrix;
mod two_sum;

pub use logspace::{log_sum_exp, softmax};
pub use matrix::MatrixView;
pub use two_sum::two_sum;
