//! Class probabilities you can trust, learned from mergeable statistics of batches of rows.
//!
//! A table is a [`Source`](data::Source) of rows with a [`Layout`](data::Layout), which knows columns, kinds and classes. A
//! [`Learner`](model::Learner) says what to add up in a pass over the rows; [`train::fit`] adds it up on all cores; the sums become a
//! [`Classifier`](model::Classifier), which gives scores, and a [`Predictor`](model::Predictor) turns scores into probabilities.
//!
//! ```
//! use oddsmith::prelude::*;
//!
//! # fn main() -> oddsmith::Result<()> {
//! // Six patients: age and dose, row by row, and whether they are ill. Rows are read where they lie.
//! let values = [31.0, 5.0, 42.0, 4.0, 54.0, 4.5, 45.0, 1.0, 56.0, 2.0, 69.0, 1.5];
//! let labels = [0, 0, 0, 1, 1, 1];
//! let layout = Layout::new(
//!     "state",
//!     vec![Feature::number("age"), Feature::number("dose")],
//!     Classes::new(vec!["healthy".into(), "ill".into()])?,
//!     Weighting::None,
//! )?;
//! let rows = Features::of_numbers(MatrixView::row_major(&values, 6, 2)?);
//! let source = ViewSource::new(&layout, rows, &labels, None)?;
//!
//! // Any model of the registry, by name and options as people write them.
//! let (entry, options) = registry::parse("gaussian-nb(tying=per-column)")?;
//! let fitted = fit(&(entry.build)(&options)?, &source, None, &Control::new())?;
//!
//! let mut predictions = Predictions::new();
//! Predictor::new(&*fitted.model).predict(&rows, &mut predictions)?;
//! assert!(predictions.row(0)[0] > 0.9 && predictions.row(5)[1] > 0.9);
//!
//! // What there is to say about a model is plain data: title, facts, tables, notices.
//! let card = fitted.model.card();
//! assert_eq!(card.title, "Gaussian naive Bayes");
//! assert!(card.tidy.column("estimate").is_some());
//! # Ok(())
//! # }
//! ```
//!
//! A model that is known at compile time needs no registry: `fit(&NaiveBayes::new(Family::Gaussian), …)` gives a
//! [`NaiveBayesModel`](model::bayes::NaiveBayesModel). Missing numbers are NaN, missing categories [`data::MISSING`].
//!
//! | room | what it has |
//! | --- | --- |
//! | [`data`] | layouts, batches of rows, sources, formulas |
//! | [`stats`] | sums that merge: gather at several places, add up, fit once |
//! | [`model`] | naive Bayes, discriminants, logistic and softmax regression, and the contracts for more |
//! | [`calibrate`] | probabilities mended on rows that the model has not seen, or moved to other class proportions |
//! | [`eval`] | log loss, Brier score, AUC with DeLong's interval, calibration, thresholds |
//! | [`registry`] | all models by name, with their options |
//! | [`persist`] | model files, checked when they are read |
//! | [`train`] | passes over rows on all cores, cross-validation, comparison, fits between places |
//!
//! The crate `oddsmith-io` reads CSV, Parquet, Arrow and more into sources, `oddsmith-report` writes cards as text. Programs to start from are in
//! the folders `examples` of the crates: `arrays` (ndarray), `merging`, `calibrating` here, `odds_ratios` and `data_frame` (polars, and all that speaks
//! Arrow) in `oddsmith-io`.

pub mod calibrate;
pub mod card;
pub mod codec;
pub mod control;
pub mod data;
pub mod error;
pub mod eval;
pub mod info;
pub mod model;
pub mod notice;
pub mod num;
pub mod persist;
pub mod picture;
pub mod record;
pub mod registry;
pub mod stats;
pub mod study;
pub mod train;
mod workers;

pub use error::{Error, ErrorKind, Result};
pub use notice::Notice;

/// What nearly every program needs: `use oddsmith::prelude::*;`.
pub mod prelude {
    pub use crate::card::{Card, Cell, Table};
    pub use crate::control::Control;
    pub use crate::data::{Classes, Feature, Features, Formula, Layout, Source, ViewSource, Weighting};
    pub use crate::eval::{EvalSettings, Evaluation};
    pub use crate::model::bayes::{Family, NaiveBayes};
    pub use crate::model::discriminant::{Lda, Qda};
    pub use crate::model::linear::Logistic;
    pub use crate::model::{Classifier, Learner, Predictions, Predictor};
    pub use crate::num::MatrixView;
    pub use crate::train::{fit, gather};
    pub use crate::{Error, Notice, persist, registry};
}

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
