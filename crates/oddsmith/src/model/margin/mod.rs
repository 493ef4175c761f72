//! Linear classifiers whose scores are margins: the least-squares classifier and the perceptron.

mod entries;
mod gram;
mod least_squares;
mod least_squares_model;
#[cfg(test)]
mod nist;
mod perceptron;
mod perceptron_epoch;
mod perceptron_model;
mod perceptron_verdict;
mod row_sums;
mod solved;

pub(crate) use entries::ENTRIES;
pub use least_squares::{Coding, LeastSquares, LeastSquaresStats, LeastSquaresSums};
pub use least_squares_model::LeastSquaresModel;
pub use perceptron::{Perceptron, PerceptronStats, Variant};
pub use perceptron_epoch::EpochSums;
pub use perceptron_model::{PerceptronModel, Verdict};
pub use perceptron_verdict::VerdictSums;
pub use row_sums::RowSums;
