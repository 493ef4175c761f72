//! Class probabilities you can trust, learned from mergeable statistics of batches of rows.

pub mod control;
pub mod data;
pub mod error;
pub mod notice;
pub mod num;

pub use error::{Error, ErrorKind, Result};
pub use notice::Notice;
