//! Special functions and the tails of the classical distributions.
//!
//! Arguments are taken as exact: a tail of 1e-290 is as right, digit for digit, as one of 0.3. Three ideas carry this.
//! The small tail is a positive integral and is computed as one, never as a difference; its leading factor is kept
//! as an exponent of twice the precision; the large tail is one minus the small one, so the two add up to 1. Every
//! tail also has a logarithm that goes on where the probability underflows.
//!
//! A fault of the domain (NaN, a negative number of degrees of freedom, a probability of 2) gives NaN. Nothing panics.
//!
//! Each file states the worst relative error that its table of 60-digit values shows; the tables live in
//! `testdata/special`.

pub mod beta;
mod beta_point;
pub mod binomial;
pub mod chi_squared;
mod double_double;
pub mod f_ratio;
pub mod incomplete_beta;
pub mod incomplete_gamma;
mod ln_beta;
mod ln_gamma;
mod ln_gamma_ratio;
pub mod normal;
mod polygamma;
mod quantile;
mod remainder;
mod stirling;
pub mod student_t;
mod tail_integral;
mod tails;

#[cfg(test)]
pub(crate) mod table;

pub use ln_beta::ln_beta;
pub use ln_gamma::{ln_gamma, ln_gamma_multivariate};
pub use ln_gamma_ratio::ln_gamma_ratio;
pub use polygamma::{digamma, trigamma};
