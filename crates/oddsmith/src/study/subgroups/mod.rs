//! `subgroups`: is the effect of an exposure another one among some of the rows? Groups by one column or two, p-values that know how many were looked at,
//! and the effect again on rows that had no part in the search.
//!
//! ```text
//! z of a group      (a − A)/√V: the score test of one odds ratio inside and outside (Breslow–Day at the Mantel–Haenszel odds ratio, Tarone's correction), signed
//! max-T             exposure and outcome of rows are dealt anew, together, over all other columns; p = (1 + how often the largest |z| of a deal
//!                   reaches the group's)/(1 + deals)
//! held-out half     odds ratios inside and outside, and their test, on the rows that were not searched
//! ```
//!
//! Rows are kept, because they are dealt anew: one pass, memory O(rows · columns). Which rows are searched, and every deal, follow from what the rows say and
//! from the seed: no order, partition or number of threads changes them.

mod card;
mod group;
mod procedure;
mod rows;
mod scan;

pub(super) use procedure::ENTRY;
pub use procedure::Subgroups;
pub use rows::KeptRows;
