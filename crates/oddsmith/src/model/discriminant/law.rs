//! The density of a row at squared distance q from its class: normal, or Student's t where the covariance is integrated out.
//!
//! With d columns, ν degrees of freedom and q = (x − m)ᵀ (f Σ)⁻¹ (x − m):
//! log p = lnΓ((ν+d)/2) − lnΓ(ν/2) − (d/2) ln(νπ) − ½ ln|fΣ| − ((ν+d)/2) ln(1 + q/ν).
//! ν = ∞ is the normal density −(d/2) ln 2π − ½ ln|fΣ| − q/2. Leaving columns out keeps ν and f.

use std::f64::consts::PI;

use crate::num::special::student_t;

/// How the density of a class falls with the distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Law {
    /// Degrees of freedom ν; infinite for the normal density.
    pub(super) freedom: f64,
    /// Factor f of the covariance matrix.
    pub(super) widening: f64,
}

impl Law {
    /// The normal density.
    pub(super) const NORMAL: Law = Law { freedom: f64::INFINITY, widening: 1.0 };

    fn is_normal(self) -> bool {
        self.freedom == f64::INFINITY
    }

    /// The log density at the class mean but for −½ ln|Σ|, over `d` columns.
    pub(super) fn log_peak(self, d: usize) -> f64 {
        student_t::log_normalizer(d, self.freedom) - 0.5 * d as f64 * self.widening.ln()
    }

    /// What a squared distance takes off; `square` is measured with Σ, before widening.
    #[inline]
    pub(super) fn log_fall(self, square: f64, d: usize) -> f64 {
        let q = square / self.widening;
        match self.is_normal() {
            true => -0.5 * q,
            false => -0.5 * (self.freedom + d as f64) * (q / self.freedom).ln_1p(),
        }
    }

    /// log p(x_d | x_<d) but for the scale of column d: `before` is the squared distance of the `d` columns before it and
    /// `step` what the column adds to it.
    pub(super) fn log_next(self, d: usize, before: f64, step: f64) -> f64 {
        if self.is_normal() {
            return -0.5 * (2.0 * PI).ln() - 0.5 * self.widening.ln() - 0.5 * step / self.widening;
        }
        let (before, step, seen) = (before / self.widening, step / self.widening, self.freedom + d as f64);
        let fall = -0.5 * ((before + step) / self.freedom).ln_1p() - 0.5 * seen * (step / (self.freedom + before)).ln_1p();
        self.log_peak(d + 1) - self.log_peak(d) + fall
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_with_one_degree_of_freedom_is_cauchy() {
        let law = Law { freedom: 1.0, widening: 4.0 };
        let z2: f64 = 2.89;
        let cauchy = -(2.0 * PI * (1.0 + z2 / 4.0)).ln();
        assert!((law.log_peak(1) + law.log_fall(z2, 1) - cauchy).abs() < 1e-14);
    }

    #[test]
    fn the_chain_rule_adds_up_for_both_laws() {
        for law in [Law { freedom: 4.5, widening: 1.3 }, Law { freedom: f64::INFINITY, widening: 0.7 }] {
            let steps = [0.3, 2.0, 0.0, 7.5];
            let (mut before, mut sum) = (0.0, 0.0);
            for (d, step) in steps.iter().enumerate() {
                sum += law.log_next(d, before, *step);
                before += step;
            }
            assert!((sum - law.log_peak(4) - law.log_fall(before, 4)).abs() < 1e-13);
        }
    }

    #[test]
    fn many_degrees_of_freedom_come_close_to_normal() {
        let law = Law { freedom: 1e7, widening: 1.0 };
        let difference = law.log_peak(3) + law.log_fall(2.0, 3) - Law::NORMAL.log_peak(3) - Law::NORMAL.log_fall(2.0, 3);
        assert!(difference.abs() < 1e-6);
    }
}
