//! Numbers: log-space sums, special functions and hot kernels over plain slices of `f64`.

mod cholesky;
pub mod kernel;
pub mod logspace;
mod matrix;
mod mdl_cuts;
pub(crate) mod optimise;
mod room;
pub mod root;
pub mod special;
mod two_sum;

pub(crate) use cholesky::cholesky;
pub use logspace::log_sum_exp;
pub use matrix::MatrixView;
pub use mdl_cuts::mdl_cuts;
pub(crate) use room::check_room;
pub use two_sum::two_sum;
