//! Interaction on the additive scale: do two exposures together do more than the sum of what each does alone?
//!
//! ```text
//! R10, R01, R11: odds ratios of the first alone, the second alone and both, against neither;  θ their logarithms,  V their covariance
//! RERI = R11 − R10 − R01 + 1       slopes in θ: −R10, −R01, R11
//! AP = RERI / R11                  −R10/R11, −R01/R11, (R10 + R01 − 1)/R11
//! ln S, S = (R11 − 1)/(R10 + R01 − 2)   −R10/(R10 + R01 − 2), −R01/(R10 + R01 − 2), R11/(R11 − 1)
//! variance: slopes' V slopes
//! ```
//!
//! RERI and AP are 0, and S is 1, where effects add up (Rothman 1976; Hosmer and Lemeshow 1992). Odds ratios stand for risk ratios, as for a rare
//! outcome.

/// A measure and its standard error; that of the logarithm for S.
pub(crate) type Told = (f64, f64);

/// RERI, AP and S from log odds ratios of the first exposure alone, the second alone and both.
pub(crate) fn additive(logs: [f64; 3], covariance: [[f64; 3]; 3]) -> [Told; 3] {
    let [r10, r01, r11] = logs.map(libm::exp);
    let error = |slopes: [f64; 3]| {
        let mut variance = 0.0;
        for (a, slope) in slopes.iter().enumerate() {
            for (b, other) in slopes.iter().enumerate() {
                variance += slope * other * covariance[a][b];
            }
        }
        variance.max(0.0).sqrt()
    };
    let (reri, joint, alone) = (r11 - r10 - r01 + 1.0, r11 - 1.0, r10 + r01 - 2.0);
    [
        (reri, error([-r10, -r01, r11])),
        (reri / r11, error([-r10 / r11, -r01 / r11, (r10 + r01 - 1.0) / r11])),
        (joint / alone, error([-r10 / alone, -r01 / alone, r11 / joint])),
    ]
}
