//! Four counts: exposed or not, case or not.
//!
//! ```text
//!              case   other
//! exposed       a       b     n1 = a + b
//! not exposed   c       d     n0 = c + d
//!              m1       m0     N
//!
//! odds ratio ad/bc · risk ratio (a/n1)/(c/n0) · risk difference a/n1 − c/n0
//! ```
//!
//! A zero cell makes an odds ratio 0 or ∞, never a number of its own making; ½ is added to cells only when asked for.

use crate::error::{Error, Result};

/// A 2×2 table of counts or of frequency weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table2x2 {
    /// Exposed cases.
    pub a: f64,
    /// Exposed others.
    pub b: f64,
    /// Cases that were not exposed.
    pub c: f64,
    /// Others that were not exposed.
    pub d: f64,
}

impl Table2x2 {
    /// Counts row by row; finite, from 0 up, not all zero.
    pub fn new([a, b, c, d]: [f64; 4]) -> Result<Self> {
        for (name, count) in [("a", a), ("b", b), ("c", c), ("d", d)] {
            if !(0.0..f64::INFINITY).contains(&count) {
                return Err(Error::option(&format!("count {name}"), count, "counts are finite numbers from 0 up"));
            }
        }
        match a + b + c + d > 0.0 {
            true => Ok(Table2x2 { a, b, c, d }),
            false => Err(Error::data("all four counts of the table are zero")),
        }
    }

    /// Exposed, n1.
    pub fn exposed(&self) -> f64 {
        self.a + self.b
    }

    /// Not exposed, n0.
    pub fn unexposed(&self) -> f64 {
        self.c + self.d
    }

    /// Cases, m1.
    pub fn cases(&self) -> f64 {
        self.a + self.c
    }

    /// Others, m0.
    pub fn others(&self) -> f64 {
        self.b + self.d
    }

    /// All, N.
    pub fn total(&self) -> f64 {
        self.a + self.b + self.c + self.d
    }

    /// The counts, row by row.
    pub fn cells(&self) -> [f64; 4] {
        [self.a, self.b, self.c, self.d]
    }

    /// Whether all counts are whole numbers, as exact methods need them.
    pub fn is_whole(&self) -> bool {
        const EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
        self.cells().iter().all(|count| count.fract() == 0.0) && self.total() < EXACT
    }

    /// Whether the table says anything about an odds ratio: no margin is empty.
    pub fn is_informative(&self) -> bool {
        self.exposed() > 0.0 && self.unexposed() > 0.0 && self.cases() > 0.0 && self.others() > 0.0
    }

    /// Whether a cell is empty.
    pub fn has_zero(&self) -> bool {
        self.cells().contains(&0.0)
    }

    /// The same with a count added to every cell.
    #[must_use]
    pub fn plus(&self, added: f64) -> Self {
        Table2x2 { a: self.a + added, b: self.b + added, c: self.c + added, d: self.d + added }
    }

    /// Risk of the exposed; NaN when there are none.
    pub fn exposed_risk(&self) -> f64 {
        self.a / self.exposed()
    }

    /// Risk of those who are not exposed; NaN when there are none.
    pub fn unexposed_risk(&self) -> f64 {
        self.c / self.unexposed()
    }

    /// ad/bc: 0 or ∞ with an empty cell, NaN with an empty margin.
    pub fn odds_ratio(&self) -> f64 {
        (self.a * self.d) / (self.b * self.c)
    }

    /// Risk of the exposed over that of the others; ∞ when only the exposed have cases, NaN without any case or without a row.
    pub fn risk_ratio(&self) -> f64 {
        (self.a * self.unexposed()) / (self.c * self.exposed())
    }

    /// Risk of the exposed minus that of the others.
    pub fn risk_difference(&self) -> f64 {
        self.exposed_risk() - self.unexposed_risk()
    }

    /// The table of the same margins whose odds ratio is `psi`.
    pub fn fitted(&self, psi: f64) -> Table2x2 {
        let (n1, n0, m1, m0) = (self.exposed(), self.unexposed(), self.cases(), self.others());
        // Every cell by its own root, so that a small one keeps its digits.
        Table2x2 {
            a: fitted_cell(n1, n0, m1, psi),
            b: fitted_cell(n1, n0, m0, 1.0 / psi),
            c: fitted_cell(n0, n1, m1, 1.0 / psi),
            d: fitted_cell(n0, n1, m0, psi),
        }
    }

    /// The exposed cases of that table alone.
    pub(in crate::study) fn fitted_exposed_cases(&self, psi: f64) -> f64 {
        fitted_cell(self.exposed(), self.unexposed(), self.cases(), psi)
    }

    /// 1/a + 1/b + 1/c + 1/d: the variance of the log odds ratio.
    pub fn reciprocals(&self) -> f64 {
        self.cells().iter().map(|count| 1.0 / count).sum()
    }
}

/// The cell A of the margins (row `n1`, other row `n0`, column `m1`) with A (n0 − m1 + A) = ψ (n1 − A)(m1 − A).
///
/// With B = n0 − m1 + ψ(n1 + m1), A = 2ψ n1 m1 / (B + √(B² + 4(1 − ψ)ψ n1 m1)): right at ψ = 1, where the textbook's root is 0/0.
fn fitted_cell(n1: f64, n0: f64, m1: f64, psi: f64) -> f64 {
    if psi == f64::INFINITY {
        return n1.min(m1);
    }
    let product = psi * n1 * m1;
    let b = n0 - m1 + psi * (n1 + m1);
    let root = (b * b + 4.0 * (1.0 - psi) * product).max(0.0).sqrt();
    // The denominator cancels only where B is negative, and there the other form of the root does not.
    if b >= 0.0 { 2.0 * product / (b + root) } else { (root - b) / (2.0 * (1.0 - psi)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_cells_make_zero_or_infinity() {
        let table = |cells| Table2x2::new(cells).unwrap();
        assert_eq!(table([0.0, 10.0, 5.0, 5.0]).odds_ratio(), 0.0);
        assert_eq!(table([5.0, 0.0, 5.0, 5.0]).odds_ratio(), f64::INFINITY);
        assert!(table([0.0, 10.0, 0.0, 5.0]).odds_ratio().is_nan());
        assert_eq!(table([5.0, 5.0, 0.0, 10.0]).risk_ratio(), f64::INFINITY);
        assert_eq!(table([0.0, 10.0, 0.0, 5.0]).risk_difference(), 0.0);
        assert!(Table2x2::new([1.0, -2.0, 3.0, 4.0]).unwrap_err().to_string().contains("count b = -2"));
        assert!(Table2x2::new([0.0; 4]).unwrap_err().to_string().contains("all four counts"));
    }

    #[test]
    fn a_fitted_table_has_the_margins_and_the_odds_ratio() {
        for cells in [[512.0, 313.0, 89.0, 19.0], [1.0, 400.0, 3.0, 2.0], [7.0, 3.0, 0.0, 5.0], [90.0, 5.0, 80.0, 2.0]] {
            let table = Table2x2::new(cells).unwrap();
            for psi in [1e-6, 0.02, 0.5, 1.0, 1.0 + 1e-9, 3.0, 200.0, 1e6] {
                let fitted = table.fitted(psi);
                let close = |x: f64, y: f64| assert!((x - y).abs() <= 1e-9 * y.abs().max(1e-9), "{cells:?} {psi}: {x} {y}");
                close(fitted.odds_ratio(), psi);
                close(fitted.exposed(), table.exposed());
                close(fitted.cases(), table.cases());
                close(fitted.total(), table.total());
            }
        }
    }
}
