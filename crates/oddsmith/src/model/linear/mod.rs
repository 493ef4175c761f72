//! Logistic and softmax regression, with inference.
//!
//! A fit is a sequence of passes (`learner.rs`): a survey of the columns, the examination of columns that may depend on others, the
//! points that the solver asks for, and the points that profile intervals and tests ask for. Every pass is a mergeable
//! statistic with the current coefficients frozen inside (`passes.rs`); nothing but the driver ever loops over rows.

mod account;
mod analysis;
mod augment;
mod build;
mod column_sums;
mod descent;
mod describe;
mod first_looks;
mod fit_steps;
mod frame;
mod intake;
mod jeffreys;
mod knobs;
mod lasso;
mod learner;
mod left_out;
mod lens;
mod linear_view;
mod link;
mod metric;
mod model;
mod nested;
mod one_vs_rest;
mod passes;
mod penalty;
mod probe;
mod rank;
mod row_figures;
mod sample;
mod sandwich;
mod search;
mod separation;
mod solver;
mod sparse;
mod stage;
mod stored;
mod sums;
mod survey;
mod symmetric;
mod target;
mod uncertainty;

pub use account::{Account, IntervalKind, Method, RatioTest};
pub use augment::{ClassDiagnostics, RowDiagnostics};
pub use descent::Route;
pub use knobs::{ClassWeighting, Logistic, OnSeparation, Precision, StartPoint};
pub use model::{Covariance, LogisticModel, Parameters};
pub(crate) use one_vs_rest::read as read_one_vs_rest;
pub use one_vs_rest::{OneVsRest, OneVsRestModel, OneVsRestStats};
pub use passes::LinearStats;
pub(crate) use passes::PassSummary;
pub use row_figures::shares_of_labels;
pub use sandwich::Robust;
pub(crate) use stored::read;
pub use uncertainty::Uncertainty;
