//! Passes over data: the one loop that owns threads.

mod calibration;
mod column_pick;
mod column_source;
mod comparison;
mod complete_source;
mod contest;
mod cross_validation;
mod driver;
mod entrant;
mod folded;
mod folds;
mod joint_loss;
mod judging;
mod picked_rows;
mod scored_table;
mod scorer;
mod selection;
mod subsets;
mod sums_likelihood;

pub use calibration::{calibrated_out_of_fold, refitted};
pub use column_source::ColumnSource;
pub use comparison::{PairedLoss, Standing, paired_loss, standings};
pub use complete_source::CompleteSource;
pub use contest::{Candidate, Contest};
pub use cross_validation::{Borrowed, CrossValidation, Dealing, FoldTables};
pub use driver::{Fitted, fit, gather, pass};
pub use entrant::{Entrant, Outcome, failures, interval_cells, mean, model_table, pair_table, verdict};
pub use folded::MaskedSource;
pub use folds::Folds;
pub use joint_loss::JointLoss;
pub use judging::{Judging, score_scale};
pub use scored_table::ScoredTable;
pub use scorer::{classify_into, predict_into, score_into};
pub use selection::{Allowed, Direction, Judge, Likelihood, Selection, SelectionStep, select_among, select_by_tests, select_columns};
pub use subsets::{SubsetSums, has_no_model};
pub use sums_likelihood::{SumsModel, likelihood_of_sums};
