//! Logistic and softmax regression, with inference.
//!
//! A fit is a sequence of passes (`fit/learner.rs`): a survey of the columns, the examination of columns that may depend on others, the
//! points that the solver asks for, and the points that profile intervals and tests ask for. Every pass is a mergeable
//! statistic with the current coefficients frozen inside (`fit/passes.rs`); nothing but the driver ever loops over rows.

mod describe;
pub(crate) mod effects;
mod entries;
mod fit;
mod given;
mod infer;
mod model;
mod one_vs_rest;
mod options;
pub(crate) mod params;
mod rise;
mod stored;
mod wide_scores;

pub use describe::crude::beside_crude;
pub use effects::{EffectAnalysis, EffectSums};
pub use fit::descent::{DescentUnits, Solver};
pub use fit::passes::LinearStats;
pub use infer::account::{Account, IntervalKind, Method, RatioTest};
pub use infer::augment::{ClassDiagnostics, RowDiagnostics};
pub use infer::row_account::{CategoryCounts, RowAccount};
pub use infer::sandwich::Robust;
pub(in crate::model) use infer::uncertainty::covariances;
pub use model::{Covariance, LogisticModel, Parameters};
pub(in crate::model) use one_vs_rest::against_rest;
pub use one_vs_rest::{OneVsRest, OneVsRestModel, OneVsRestStats};
pub use options::{ClassWeighting, Intervals, Logistic, OnSeparation, StartPoint};
pub use rise::Rise;

pub(crate) use describe::odds_ratios::ratio;
pub(crate) use entries::ENTRIES;
