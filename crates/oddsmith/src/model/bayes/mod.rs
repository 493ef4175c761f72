//! Naive Bayes: columns that are independent within a class, each with its own distribution.
//!
//! One model over numbers, categories, booleans and text: log p(x, y) = log p(y) + Σ_columns log p(x_j | y), where a
//! missing value leaves its column out of the sum. The members of the family differ only in which distribution a
//! kind of column gets.

mod entries;
mod estimate;
mod family;
mod gaussian;
mod learner;
mod model;
mod params;
mod part;
mod polya;
mod stored;
mod student;

pub use family::Family;
pub use gaussian::GaussianPart;
pub use learner::NaiveBayes;
pub use model::NaiveBayesModel;
pub use part::{CountPart, Part};
pub use polya::{CountSource, PolyaPart};
pub use student::StudentPart;

pub(crate) use learner::label_evidence;

pub(crate) use entries::ENTRIES;
