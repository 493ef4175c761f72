//! Kernels: linear models of what rows have in common with landmarks.

mod curvature;
mod entries;
mod function;
mod landmarks;
mod learner;
mod model;
mod pool;

pub use curvature::CurvatureSums;
pub(crate) use entries::ENTRIES;
pub use function::Kernel;
pub use learner::{FeatureMap, InnerStats, KernelLearner, KernelStats, KernelSums};
pub use model::KernelModel;
pub use pool::PoolSums;
