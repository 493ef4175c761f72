//! Repairing probabilities: maps from a model's scores to calibrated ones, other class proportions, stored decisions.

mod adjusted;
mod curve;
mod held_out;
mod logit_line;
mod map;
mod method;
mod newton;
mod pav;
mod prevalence;
mod stored;
mod temperature;

pub use adjusted::Adjusted;
pub use curve::Curve;
pub use held_out::HeldOut;
pub use logit_line::{LogitLine, NoLine, Outcomes};
pub use map::CalibrationMap;
pub use method::Method;
pub use pav::{Pooled, pool};
pub use prevalence::{ClassProportions, estimate_proportions, shift, undo_fractions};

pub(crate) use adjusted::TAG;
pub(crate) use stored::read;
