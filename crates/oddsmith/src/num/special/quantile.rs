//! Inversion of a tail: the argument at which it has a given probability.
//!
//! ```text
//! ln v ← ln v − (ln tail(v) − ln p) / (d ln tail / d ln v)
//! ```
//!
//! Newton's method in the logarithms of both. Tails are log-concave there, so the iteration is monotone after at most one
//! overshoot; a bracket guards the rest. The last step multiplies `v` by `1 + tiny`, so the result has the
//! relative precision of the tail times `|d ln v / d ln p|`. Cost: 4 to 8 tails, some 30 µs.

use crate::num::special::tails::Tails;

/// A probability, or one so small that only its logarithm is a number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    Probability(f64),
    Log(f64),
}

/// Which tail is to have the given level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    Lower,
    Upper,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }
}

impl Level {
    pub(crate) fn is_valid(self) -> bool {
        match self {
            Self::Probability(p) => (0.0..=1.0).contains(&p),
            Self::Log(log_p) => log_p <= 0.0,
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        match self {
            Self::Probability(p) => p == 0.0,
            Self::Log(log_p) => log_p == f64::NEG_INFINITY,
        }
    }

    pub(crate) fn log(self) -> f64 {
        match self {
            Self::Probability(p) => libm::log(p),
            Self::Log(log_p) => log_p,
        }
    }

    /// The same point told by its smaller tail, which is the one that can be inverted to full precision.
    pub(crate) fn smaller_tail(self, side: Side) -> (Self, Side) {
        match self {
            // 1 − p is exact from one half on.
            Self::Probability(p) if p > 0.5 => (Self::Probability(1.0 - p), side.other()),
            Self::Log(log_p) if log_p > -std::f64::consts::LN_2 => (Self::Probability(-libm::expm1(log_p)), side.other()),
            level => (level, side),
        }
    }

    /// `ln(tail / level)`, by the difference where the probability is a normal number.
    pub(crate) fn log_excess(self, tail: f64, log_tail: f64) -> f64 {
        match self {
            Self::Probability(p) if p >= f64::MIN_POSITIVE && tail > 0.0 => libm::log1p((tail - p) / p),
            level => log_tail - level.log(),
        }
    }
}

/// Longest step in `ln v` before the bracket is closed.
const LONGEST_STEP: f64 = 20.0;
const MOST_STEPS: usize = 200;
/// Below this a step that no longer shrinks is rounding.
const CONVERGING: f64 = 1e-9;

/// The `v > 0` whose `side` tail has the given level; `elasticity` is `d ln v` per unit of the rates.
///
/// `tails(v)` gives the tails at `v`. The result is 0 or `+inf` where it leaves the range of `f64`.
pub(crate) fn invert_tail(level: Level, side: Side, start: f64, elasticity: f64, tails: impl Fn(f64) -> Tails) -> f64 {
    let (mut below, mut above) = (0.0_f64, f64::INFINITY);
    let mut v = start.clamp(f64::MIN_POSITIVE, f64::MAX);
    let mut last_size = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let at = tails(v);
        let step = match side {
            Side::Lower => -level.log_excess(at.lower, at.log_lower) / at.rate_lower,
            Side::Upper => level.log_excess(at.upper, at.log_upper) / at.rate_upper,
        };
        let step = (elasticity * step).clamp(-LONGEST_STEP, LONGEST_STEP);
        let newton = v + v * libm::expm1(step);
        let size = step.abs();
        let settled = size <= f64::EPSILON || (size < CONVERGING && size >= 0.5 * last_size);
        if settled || step.is_nan() || newton == v || newton == 0.0 || newton == f64::INFINITY {
            return newton;
        }
        if step > 0.0 {
            below = v;
        } else {
            above = v;
        }
        let inside = newton > below && newton < above;
        v = if inside { newton } else { below.sqrt() * above.sqrt() };
        last_size = size;
    }
    v
}
