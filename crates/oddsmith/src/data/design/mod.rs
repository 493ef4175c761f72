//! The design of a linear model: what the columns of a formula are, and how rows become cells.
//!
//! ```text
//! DesignOptions { missing: MissingPolicy, contrast: Contrast, references: Vec<(String, String)> }
//! DesignSurvey::new(&Formula, &Layout, &DesignOptions) -> Result<DesignSurvey>      a Statistics over Rows
//! Design::compile(&Formula, &Layout, &DesignOptions, Option<&DesignSurvey>) -> Result<Design>
//! Design::{intercept, columns, terms, words, has_offset, plain_numbers}
//! Design::expand(&self, &Features, lo, hi, &mut DesignBlock) -> Result<()>           rows lo..hi of the batch
//! Design::columns_without(term) -> Vec<usize>, columns_before(term), is_marginal(term) -> bool
//! ```

mod block;
mod coding;
mod column;
mod compile;
mod contrast;
mod expand;
mod facts;
mod intake;
mod options;
mod product;
mod step;
mod survey;
#[cfg(test)]
mod tests;
mod variables;

pub use block::{DesignBlock, Gap};
pub use column::{DesignColumn, DesignTerm};
pub use expand::Design;
pub use options::{DesignOptions, MissingPolicy};
pub use survey::DesignSurvey;

pub use super::formula::Contrast;
