//! Models from tables: what is read for a model, how a fit is carried out, and how it is shown.

mod augmented;
mod drawn;
mod fitted;
mod opening;
mod shown;

pub(crate) use augmented::{Telling, augment, kept_for_rereading};
pub(crate) use drawn::{own_columns, picture, without_rows};
pub(crate) use fitted::{FitRequest, FittedTable, fit};
pub(crate) use opening::ModelRequest;
pub(crate) use shown::{narrow, tests_table, write as show};
