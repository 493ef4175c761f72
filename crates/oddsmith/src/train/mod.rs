//! Passes over data: the one loop that owns threads.

mod calibration;
mod comparison;
mod cross_validation;
mod driver;
mod folded;
mod folds;
mod judging;
mod log_loss;
mod picked_rows;
mod scorer;

pub use calibration::{ScoredTable, calibrated_out_of_fold};
pub use comparison::{PairedLoss, Standing, paired_loss, standings};
pub use cross_validation::{CrossValidation, Dealing, FoldTables};
pub use driver::{Fitted, fit, gather, pass};
pub use folds::Folds;
pub use judging::{Judging, score_scale};
pub use log_loss::LogLoss;
pub use scorer::{classify_into, predict_into, score_into};
