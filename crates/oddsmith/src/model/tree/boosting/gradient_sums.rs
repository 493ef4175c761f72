//! Sums of gradients and curvatures as whole numbers.
//!
//! A row's gradient w (y − p) and curvature w p (1 − p) are rounded to 2^−30 of the largest weight (of a single row where weights are whole
//! numbers) and added in 64 bits, so every sum is exact: no order, partition or number of threads changes a bit of a tree. Rounding costs a sum of n rows about √n · 3e-10.

/// One part of 2^30.
const PARTS: f64 = (1u32 << 30) as f64;

/// Gradient, curvature and weight in units of some rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct GradientSum(pub(super) [i64; 3]);

impl GradientSum {
    /// Of one row; `times` when gradient and curvature are those of one unit.
    #[inline]
    pub(super) fn of_row([gradient, curvature]: [i32; 2], units: u64, times: bool) -> Self {
        let factor = if times { units as i64 } else { 1 };
        GradientSum([i64::from(gradient) * factor, i64::from(curvature) * factor, units as i64])
    }

    /// Adds another.
    #[inline]
    pub(super) fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = mine.wrapping_add(*theirs));
    }

    /// Takes another away.
    #[inline]
    pub(super) fn take(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = mine.wrapping_sub(*theirs));
    }

    /// Weight in units.
    #[inline]
    pub(super) fn units(&self) -> u64 {
        self.0[2] as u64
    }

    /// Gradient and curvature in parts.
    #[inline]
    pub(super) fn parts(&self) -> (f64, f64) {
        (self.0[0] as f64, self.0[1] as f64)
    }

    /// G²/(H + λ), λ in parts; what a node of these rows can lessen the loss by, twice.
    #[inline]
    pub(super) fn worth(&self, l2: f64) -> f64 {
        let (gradient, curvature) = self.parts();
        if curvature + l2 > 0.0 { gradient * (gradient / (curvature + l2)) } else { 0.0 }
    }

    /// G/(H + λ): the step of these rows.
    pub(super) fn step(&self, l2: f64) -> f64 {
        let (gradient, curvature) = self.parts();
        if curvature + l2 > 0.0 { gradient / (curvature + l2) } else { 0.0 }
    }
}

/// Parts of a gradient or curvature of a row whose weight is `share` of the largest.
#[inline]
pub(super) fn quantised(value: f64, share: f64) -> i32 {
    // Rounds halves away from zero, without the call that `round` is on most processors.
    let parts = value * share * PARTS;
    let whole = parts as i32;
    let rest = parts - f64::from(whole);
    whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)
}

/// A strength λ in parts, where weights go up to `largest`.
pub(super) fn strength_in_parts(l2: f64, largest: f64) -> f64 {
    l2 / largest * PARTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_rounded_halves_away_from_zero() {
        let halves = (-9..=9).map(|k| f64::from(k) / 2.0 / PARTS);
        let near = halves.clone().flat_map(|x| [x, x.next_up(), x.next_down()]);
        for value in near.chain([0.3, -0.7, 1.0, -1.0, 0.249_999_999_9]) {
            for share in [1.0, 0.37] {
                assert_eq!(quantised(value, share), (value * share * PARTS).round() as i32, "{value} {share}");
            }
        }
    }
}
