//! Discriminants: classes whose number columns have a joint normal density.
//!
//! log p(x, k) = log π_k − (p/2) log 2π − ½ log|Σ_k| − ½ (x − m_k)ᵀ Σ_k⁻¹ (x − m_k). LDA shares one Σ, which makes its
//! log odds linear: w = Σ⁻¹(m_1 − m_0), w0 = log π_1/π_0 + ½ m_0ᵀΣ⁻¹m_0 − ½ m_1ᵀΣ⁻¹m_1. QDA gives every class its own.
//!
//! All algebra happens in coordinates (x − c)/s with c the mean of the class means and s a power of two near the
//! column's standard deviation within classes. Dividing by a power of two is exact, so columns of any unit give the same bits, and an
//! offset of 1e8 costs no digits. A missing number is integrated out: the density of the observed columns remains.
//! Columns that do not vary, or that are combinations of earlier ones, take no part and are named in a notice.
//!
//! Categories and booleans take part as 0/1 columns, one for every level but the first (`data/dummies.rs`): the sums, and the model, are those
//! of numbers, and rows are written as numbers on the way in.
//!
//! With `predictive` the means and covariances are integrated out under a normal-inverse-Wishart prior, and the
//! normal densities become multivariate t densities.

mod covariance;
mod describe;
mod elimination;
mod entries;
mod fisher;
mod joint;
mod law;
mod lda;
mod learner;
mod ledoit_wolf;
mod moments;
mod observed;
mod qda;
mod settings;
mod span;
mod stored;
mod wishart;

pub use fisher::FisherProjection;
pub use lda::LdaModel;
pub use learner::{DiscriminantStats, Lda, Qda};
pub use qda::QdaModel;
use settings::PARAMS;
pub use settings::{DiscriminantParams, Given};

pub(crate) use entries::ENTRIES;
