//! Class probabilities you can trust, learned from mergeable statistics of batches of rows.

pub mod calibrate;
pub mod card;
pub mod codec;
pub mod control;
pub mod data;
pub mod error;
pub mod eval;
pub mod info;
pub mod model;
pub mod notice;
pub mod num;
pub mod persist;
pub mod picture;
pub mod record;
pub mod registry;
pub mod stats;
pub mod study;
pub mod train;

pub use error::{Error, ErrorKind, Result};
pub use notice::Notice;

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
