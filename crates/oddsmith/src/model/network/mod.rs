//! A small network: one or two hidden layers between the columns and the classes.

mod adam;
mod entries;
mod gradient;
mod learner;
mod model;
mod shape;

pub use adam::AdamSums;
pub(crate) use entries::ENTRIES;
pub use gradient::GradientSums;
pub use learner::{Network, NetworkStats, NetworkSums, Search};
pub use model::NetworkModel;
pub use shape::Activation;
