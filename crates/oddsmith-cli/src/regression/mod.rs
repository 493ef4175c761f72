//! Regressions at the command: what is read for a formula, how a fit is carried out, and how it is shown.

mod augmented;
mod fitting;
mod reading;
mod shown;

pub(crate) use augmented::{augment_fit, augment_new};
pub(crate) use fitting::{Request, fit};
pub(crate) use reading::{chosen_columns, open, open_chosen, target_name};
pub(crate) use shown::{tests_table, write as show};
