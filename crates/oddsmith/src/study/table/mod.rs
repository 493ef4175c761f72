//! 2×2 and r×c tables: measures of association, their limits, and tests.

mod attributable;
mod conditional;
mod independence;
mod mcnemar;
mod score;
mod trend;
mod two_by_two;
mod wald;

#[cfg(test)]
mod tests;

pub use conditional::ConditionalCount;
pub use independence::{Independence, independence};
pub use mcnemar::{McNemar, mcnemar};
pub use trend::{Trend, cochran_armitage};
pub use two_by_two::Table2x2;
