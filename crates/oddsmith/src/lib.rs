//! Class probabilities you can trust, learned from mergeable statistics of batches of rows.

pub mod num;
