//! Evaluator probabilities: figures over scores, truth and weights. This room never sees a model.
//!
//! ```text
//! judged rows -> sums (log loss, Brier, confusion)        exact in one pass, merge by addition
//!             -> kept scores, or a histogram of them      -> ranking -> curves, areas, calibration
//! ```
//!
//! A figure that the rows do not determine is an [`Undefined`] with its reason, never a NaN.

mod auc;
mod brier;
mod calibration;
mod confusion;
mod delong;
mod ece;
mod evaluation;
mod hosmer_lemeshow;
mod kept;
mod lift;
mod log_loss;
mod metric;
mod multiclass;
mod net_benefit;
pub mod pictures;
mod precision_recall;
mod ranking;
mod reliability;
mod roc;
mod roc_band;
mod score_histogram;
mod scored_batch;
mod sorting;
mod threshold;

pub use auc::Auc;
pub use brier::Brier;
pub use calibration::CalibrationLine;
pub use confusion::Confusion;
pub use delong::{PairedAreas, paired_areas};
pub use ece::{CalibrationError, calibration_error};
pub use evaluation::{EvalSettings, Evaluation, Named};
pub use hosmer_lemeshow::{HosmerLemeshow, hosmer_lemeshow};
pub use kept::Kept;
pub use lift::{Lift, lift};
pub use log_loss::LogLoss;
pub use metric::{Estimate, Metric, Undefined, metric_cells, missing};
pub use multiclass::{hand_till, one_vs_rest};
pub use net_benefit::{NetBenefit, net_benefit};
pub use precision_recall::{PrPoint, average_precision, precision_recall};
pub use ranking::{Ranking, ScoreScale, Tie};
pub use reliability::{Reliability, ReliabilityStep};
pub use roc::{Roc, RocPoint};
pub use roc_band::RocBand;
pub use scored_batch::ScoredBatch;
pub use threshold::{Aim, Cut, at_threshold, choose_threshold};
