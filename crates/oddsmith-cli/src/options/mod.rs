//! Groups of flags that several commands share, and how they become the library's options.

mod knobs;
mod list;
mod output;
mod reading;
mod regression;
mod size;

pub(crate) use knobs::{KnobArgs, PriorArgs, parse_number};
pub(crate) use list::{split_list, split_pair};
pub(crate) use output::{ColorWhen, OutputArgs};
pub(crate) use reading::{KindArgs, ReadingArgs, RoleArgs, TextArgs, WeightArgs};
pub(crate) use regression::{Regression, RegressionArgs};
