//! Are groups of rows alike in a column? Tests of means, of ranks and of counts, and how far apart groups are in units of their spread.

mod counts;
mod difference;
mod exact;
mod means;
mod ranks;

#[cfg(test)]
mod tests;

pub use counts::counts;
pub use difference::{of_levels, of_means};
pub use exact::fisher;
pub use means::{Variances, means};
pub use ranks::ranks;

/// A test of groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupTest {
    /// Its name.
    pub name: &'static str,
    /// Its statistic; NaN for an exact test, which has none.
    pub statistic: f64,
    /// Degrees of freedom; NaN where there are none.
    pub df: f64,
    /// Those of the denominator of an F ratio; NaN elsewhere.
    pub df_within: f64,
    /// The p-value; NaN where the rows leave nothing to test.
    pub p_value: f64,
}

impl GroupTest {
    /// A test that has a p-value alone.
    fn exact(name: &'static str, p_value: f64) -> Self {
        GroupTest { name, statistic: f64::NAN, df: f64::NAN, df_within: f64::NAN, p_value }
    }

    /// Whether there was something to test.
    pub fn is_known(&self) -> bool {
        !self.p_value.is_nan()
    }
}
