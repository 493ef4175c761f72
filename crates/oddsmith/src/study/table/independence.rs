//! Tests of independence of two classifications, and how strong the association is.
//!
//! ```text
//! E_ij = R_i C_j / N     χ² = Σ (O − E)²/E     Yates: |O − E| − ½ (2×2)     G = 2 Σ O ln(O/E)     df (r−1)(c−1)
//! Cramér's V = √(χ² / (N (min(r, c) − 1)))
//! ```
//!
//! Rows and columns without any count are no part of the table.

use super::super::estimate::ChiSquared;

/// The tests of one r×c table.
#[derive(Debug, Clone, PartialEq)]
pub struct Independence {
    /// Pearson's test.
    pub pearson: ChiSquared,
    /// Pearson's test with Yates' correction; only a 2×2 table has it.
    pub yates: Option<ChiSquared>,
    /// The likelihood-ratio test.
    pub g: ChiSquared,
    /// Cramér's V.
    pub cramers_v: f64,
    /// The least expected count: below 5 the χ² approximation is doubtful.
    pub least_expected: f64,
}

/// The tests of counts that are given row by row, `columns` to a row.
pub fn independence(counts: &[f64], columns: usize) -> Independence {
    let sums = |keep: &dyn Fn(usize) -> usize, length: usize| {
        let mut sums = vec![0.0; length];
        counts.iter().enumerate().for_each(|(at, count)| sums[keep(at)] += count);
        sums
    };
    let row_sums = sums(&|at| at / columns, counts.len().div_ceil(columns.max(1)));
    let column_sums = sums(&|at| at % columns, columns);
    let total: f64 = row_sums.iter().sum();
    let (rows, filled) = (row_sums.iter().filter(|sum| **sum > 0.0).count(), column_sums.iter().filter(|sum| **sum > 0.0).count());
    let df = rows.saturating_sub(1) * filled.saturating_sub(1);
    let (mut pearson, mut yates, mut g, mut least) = (0.0, 0.0, 0.0, f64::INFINITY);
    for (at, &count) in counts.iter().enumerate() {
        let expected = row_sums[at / columns] * column_sums[at % columns] / total;
        if expected > 0.0 {
            let apart = (count - expected).abs();
            pearson += apart * apart / expected;
            yates += (apart - apart.min(0.5)).powi(2) / expected;
            g += deviance(count, expected);
            least = least.min(expected);
        }
    }
    Independence {
        pearson: ChiSquared::new(pearson, df),
        yates: (rows == 2 && filled == 2).then(|| ChiSquared::new(yates, df)),
        g: ChiSquared::new(2.0 * g, df),
        cramers_v: (pearson / (total * (rows.min(filled).saturating_sub(1)) as f64)).sqrt(),
        least_expected: least,
    }
}

/// O ln(O/E) − O + E, a term that is never negative and sums up to the same: near independence nothing cancels.
fn deviance(observed: f64, expected: f64) -> f64 {
    if observed == 0.0 {
        return expected;
    }
    let part = (observed - expected) / expected;
    if part.abs() < 1e-3 {
        // E ((1+t) ln(1+t) − t) by its series.
        let t2 = part * part;
        return expected * t2 * (0.5 - part / 6.0 + t2 / 12.0 - t2 * part / 20.0 + t2 * t2 / 30.0);
    }
    observed * libm::log(observed / expected) - observed + expected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_rows_and_columns_are_no_part_of_the_table() {
        let whole = independence(&[10.0, 20.0, 30.0, 15.0], 2);
        let padded = independence(&[10.0, 0.0, 20.0, 0.0, 0.0, 0.0, 30.0, 0.0, 15.0], 3);
        assert_eq!(whole.pearson, padded.pearson);
        assert_eq!((whole.g, whole.yates, padded.yates.is_some()), (padded.g, padded.yates, true));
        assert!(independence(&[10.0, 0.0, 30.0, 0.0], 2).pearson.p_value.is_nan());
    }

    #[test]
    fn terms_of_the_deviance_agree_where_their_forms_meet() {
        for t in [-1.1e-3, -0.9e-3, 0.9e-3, 1.1e-3] {
            let direct = (1.0 + t) * f64::ln_1p(t) - t;
            assert!((deviance(7.0 * (1.0 + t), 7.0) / (7.0 * direct) - 1.0).abs() < 1e-8);
        }
    }
}
