//! What the cuts of a column gain, all at once.
//!
//! In most columns no cut gains more than the best so far. To know that, eight cuts at a time are enough; only a column with a better one is looked at cut
//! by cut. Every gain has the bits that it has alone.

use super::gradient_search::GradientRules;
use super::gradient_sums::GradientSum;
use crate::num::kernel::widest;

/// Codes of a column.
const CODES: usize = 256;
/// Cuts that are compared at a time.
const LANES: usize = 8;

/// The largest gain of a cut behind some code, gaps aside; below all numbers where no cut leaves either side what a leaf needs.
pub(super) fn largest_gain(column: &[GradientSum], total: &GradientSum, rules: &GradientRules, whole: f64) -> f64 {
    // What is not filled has no weight, which is not enough for a leaf.
    let (mut left, mut below) = ([[[0; LANES]; CODES / LANES]; 3], GradientSum::default());
    let codes = &column[1.min(column.len())..column.len().min(CODES)];
    for (at, sum) in codes.iter().enumerate() {
        below.add(sum);
        left.iter_mut().zip(below.0).for_each(|(left, part)| left[at / LANES][at % LANES] = part);
    }
    let ([gradients, curvatures, units], blocks) = (&left, codes.len().div_ceil(LANES));
    widest(
        #[inline(always)]
        || {
            let mut most = [f64::NEG_INFINITY; LANES];
            for block in 0..blocks {
                for (lane, most) in most.iter_mut().enumerate() {
                    let left = GradientSum([gradients[block][lane], curvatures[block][lane], units[block][lane]]);
                    let mut right = *total;
                    right.take(&left);
                    let enough = left.units() >= rules.least_leaf && right.units() >= rules.least_leaf;
                    let gain = left.worth(rules.l2) + right.worth(rules.l2) - whole;
                    let gain = if enough { gain } else { f64::NEG_INFINITY };
                    *most = if gain > *most { gain } else { *most };
                }
            }
            most.into_iter().fold(f64::NEG_INFINITY, f64::max)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tree::canonical::Draws;

    #[test]
    fn it_is_the_largest_of_the_gains_of_single_cuts() {
        let draws = Draws::new(5, 7);
        let mut next = 0;
        let mut draw = |below: u64| {
            next += 1;
            draws.at(next) % below
        };
        for codes in [1, 2, 7, 9, 64, 255, 256] {
            for (least, l2) in [(1, 0.0), (1, 1e9), (40, 5e8), (u64::from(u32::MAX), 0.0)] {
                let mut row = || {
                    let units = draw(4) as i64;
                    GradientSum([units * (draw(1 << 30) as i64 - (1 << 29)), units * draw(1 << 28) as i64, units])
                };
                let mut column: Vec<GradientSum> = (0..codes).map(|_| row()).collect();
                column[0] = GradientSum::default();
                let mut total = GradientSum::default();
                column.iter().for_each(|sum| total.add(sum));
                let rules = GradientRules { max_leaves: 31, max_depth: 9, least_leaf: least, l2 };
                let (whole, mut left, mut most) = (total.worth(l2), GradientSum::default(), f64::NEG_INFINITY);
                for sum in &column {
                    left.add(sum);
                    let mut right = total;
                    right.take(&left);
                    if left.units() >= least && right.units() >= least {
                        most = most.max(left.worth(l2) + right.worth(l2) - whole);
                    }
                }
                assert_eq!(largest_gain(&column, &total, &rules, whole).to_bits(), most.to_bits(), "{codes} codes, {least} rows, λ {l2}");
            }
        }
    }
}
