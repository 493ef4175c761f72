//! The design of a linear model: what the columns of a formula are, and how rows become cells.
//!
//! ```text
//! DesignOptions { missing: MissingPolicy, contrast: Contrast, references: Vec<(String, String)> }
//! DesignSurvey::new(&Formula, &Layout, &DesignOptions) -> Result<DesignSurvey>      a Statistics over Rows
//! Design::compile(&Formula, &Layout, &DesignOptions, Option<&DesignSurvey>) -> Result<Design>
//! Design::{intercept, columns, terms, words, has_offset, plain_numbers}
//! Design::expand(&self, &Features, lo, hi, &mut DesignBlock) -> Result<()>           rows lo..hi of the batch
//! Design::{marked_columns, expand_marked}                                             wide categories as marks
//! Design::write(&self, &mut Record, prefix), Design::read(&Record, prefix, &Layout) -> Result<Design>
//! ResponseReader::compile(&Formula, &Layout) -> Result<Option<ResponseReader>>       grouped responses only
//! ResponseReader::read(&self, &Features, lo, hi, &mut ResponseBlock) -> Result<()>
//! Design::columns_without(term) -> Vec<usize>, columns_before(term), is_marginal(term) -> bool
//! ```

mod basis;
mod block;
mod coding;
mod column;
mod compile;
mod contrast;
mod copies;
mod expand;
mod facts;
mod intake;
mod intake_plan;
mod lookup;
mod marked;
mod mean_sum;
mod offset;
mod options;
mod point_sample;
mod product;
mod record;
mod response;
mod step;
mod survey;
#[cfg(test)]
mod tests;
mod value_table;
mod variables;
mod writer;

pub use block::{DesignBlock, Gap};
pub use column::{DesignColumn, DesignTerm};
pub(crate) use compile::MISSING_LEVEL;
pub use expand::Design;
pub use marked::{MarkedColumns, Place};
pub use options::{DesignOptions, MissingPolicy};
pub use response::{ResponseBlock, ResponseReader};
pub use survey::DesignSurvey;

pub use super::formula::Contrast;
