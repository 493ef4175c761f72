//! Tables of strata: pooled measures, tests of association and of homogeneity.

mod cmh;
mod homogeneity;
mod interaction;
mod logistic;
mod mantel_haenszel;
mod standardised;

#[cfg(test)]
mod tests;

pub use interaction::Interaction;
pub use standardised::Standardised;

use super::table::Table2x2;

/// One 2×2 table per stratum.
#[derive(Debug, Clone, PartialEq)]
pub struct StratifiedTable {
    /// The tables. A stratum with an empty margin tells nothing of an odds ratio: it counts for nothing there, and is no error.
    pub strata: Vec<Table2x2>,
}

impl StratifiedTable {
    /// The strata that tell something of an odds ratio.
    pub fn informative(&self) -> impl Iterator<Item = &Table2x2> {
        self.strata.iter().filter(|stratum| stratum.is_informative())
    }

    /// The strata in which risks can be compared: both groups have rows.
    fn comparable(&self) -> impl Iterator<Item = &Table2x2> {
        self.strata.iter().filter(|stratum| stratum.exposed() > 0.0 && stratum.unexposed() > 0.0)
    }

    /// All strata in one table.
    pub fn crude(&self) -> Table2x2 {
        let zero = Table2x2 { a: 0.0, b: 0.0, c: 0.0, d: 0.0 };
        self.strata.iter().fold(zero, |sum, stratum| Table2x2 {
            a: sum.a + stratum.a,
            b: sum.b + stratum.b,
            c: sum.c + stratum.c,
            d: sum.d + stratum.d,
        })
    }
}
