//! Passes over data: the one loop that owns threads.

mod calibration;
mod column_source;
mod comparison;
mod contest;
mod cross_validation;
mod driver;
mod entrant;
mod folded;
mod folds;
mod judging;
mod log_loss;
mod picked_rows;
mod scored_table;
mod scorer;
mod selection;

pub use calibration::calibrated_out_of_fold;
pub use column_source::ColumnSource;
pub use comparison::{PairedLoss, Standing, paired_loss, standings};
pub use contest::{Candidate, Contest};
pub use cross_validation::{CrossValidation, Dealing, FoldTables};
pub use driver::{Fitted, fit, gather, pass};
pub use entrant::{Entrant, Outcome, failures, interval_cells, mean, model_table, pair_table, verdict};
pub use folded::MaskedSource;
pub use folds::Folds;
pub use judging::{Judging, score_scale};
pub use log_loss::LogLoss;
pub use scored_table::ScoredTable;
pub use scorer::{classify_into, predict_into, score_into};
pub use selection::{Direction, Selection, SelectionStep, select_columns};
