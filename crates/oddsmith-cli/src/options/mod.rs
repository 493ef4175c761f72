//! Groups of flags that several commands share, and how they become the library's options.

mod analysis;
mod order;
mod output;
mod params;
mod reading;
mod size;
mod source;

pub(crate) use analysis::{AnalysisArgs, OfAnalysis};
pub(crate) use oddsmith::model::params::{split_list, split_pair};
pub(crate) use order::OrderArgs;
pub(crate) use output::{ColorWhen, OutputArgs, new_file};
pub(crate) use params::{ParamArgs, PriorArgs, parse_number};
pub(crate) use reading::{KindArgs, ReadingArgs, RoleArgs, TextArgs, WeightArgs};
pub(crate) use source::SourceArgs;
