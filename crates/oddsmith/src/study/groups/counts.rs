//! Are the levels of a category as frequent in one group as in another? Pearson's χ² where all expected counts reach 5, else Fisher's exact test where its
//! tables can be counted.

use super::super::table::independence;
use super::{GroupTest, fisher};

/// The least expected count at which Pearson's χ² is trusted.
const TRUSTED: f64 = 5.0;

/// The test of counts by level and group, level after level, and whether it is doubtful: small counts without an exact test.
pub fn counts(table: &[f64], groups: usize) -> (GroupTest, bool) {
    let told = independence(table, groups);
    let doubtful = told.least_expected < TRUSTED;
    let exact = if doubtful && told.pearson.df > 0 { fisher(table, groups) } else { None };
    if let Some(p_value) = exact {
        return (GroupTest::exact("Fisher's exact test", p_value), false);
    }
    let df = if told.pearson.df == 0 { f64::NAN } else { told.pearson.df as f64 };
    (GroupTest { statistic: told.pearson.statistic, df, ..GroupTest::exact("Pearson's χ² test", told.pearson.p_value) }, doubtful)
}
