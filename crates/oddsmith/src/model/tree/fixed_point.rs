//! Weights as whole numbers of a unit that is a power of two.
//!
//! Sums of whole numbers are exact, so no order, partition or number of threads changes a bit of them. The unit is 1 where all weights are
//! whole; otherwise it is so small that 2^62 units hold all rows, which leaves a weight more bits than rounding of sums would.

/// How many units a weight is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FixedPoint {
    /// A weight w is w · 2^shift units.
    shift: i32,
}

/// Bits of a sum of all weights.
const BITS: i32 = 62;

impl FixedPoint {
    /// For so many rows of weights up to `largest`; `whole` when all of them are whole numbers.
    pub(super) fn new(rows: u64, largest: f64, whole: bool) -> Self {
        let of_rows = 64 - rows.max(1).leading_zeros() as i32;
        let room = BITS - of_rows - (libm::ilogb(largest.max(f64::MIN_POSITIVE)) + 1);
        FixedPoint { shift: if whole && room >= 0 { 0 } else { room } }
    }

    /// With a shift that was stored.
    pub(super) fn from_shift(shift: i32) -> Self {
        FixedPoint { shift }
    }

    /// The shift, to be stored.
    pub(super) fn shift(self) -> i32 {
        self.shift
    }

    /// A weight above zero in units, at least one.
    pub(super) fn units(self, weight: f64) -> u64 {
        (libm::ldexp(weight, self.shift).round() as u64).max(1)
    }

    /// The weight of some units.
    pub(super) fn weight(self, units: u64) -> f64 {
        libm::ldexp(units as f64, -self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_weights_are_themselves_and_others_keep_their_bits() {
        let whole = FixedPoint::new(1_000_000, 40.0, true);
        assert_eq!((whole.shift(), whole.units(40.0), whole.weight(7)), (0, 40, 7.0));
        for largest in [1e-300, 0.3, 1e300] {
            let fixed = FixedPoint::new(1_000_000, largest, false);
            let weight = largest / 3.0;
            assert!((fixed.weight(fixed.units(weight)) / weight - 1.0).abs() < 1e-11, "{largest}");
            assert!(fixed.units(largest) < u64::MAX >> 22);
        }
    }
}
