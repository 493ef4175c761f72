//! Forward substitution for several right sides at once: X = L⁻¹ B.
//!
//! One right side waits for its own sums; eight of them side by side fill the vectors, and four rows of L share what is loaded of X. Every sum takes its
//! terms in the order of the columns, so a right side has the bits that it has alone. Cost: m² operations a right side.

use super::widest;
use std::array::from_fn;

/// Right sides that are solved together.
pub const SIDES: usize = 8;
/// Rows of L that share what is loaded.
const ROWS: usize = 4;

/// Solves L X = B in place: `sides[i]` holds entry i of every right side, `lower` the m × m matrix L row after row, of which what lies above the diagonal is
/// not looked at.
///
/// # Panics
/// When `lower` is not as large as the right sides are long.
pub fn solve_lower(lower: &[f64], sides: &mut [[f64; SIDES]]) {
    let size = sides.len();
    assert_eq!(lower.len(), size * size, "a square matrix of one row per entry");
    widest(
        #[inline(always)]
        || {
            let whole = size - size % ROWS;
            for first in (0..whole).step_by(ROWS) {
                rows::<ROWS>(lower, sides, first);
            }
            for first in whole..size {
                rows::<1>(lower, sides, first);
            }
        },
    );
}

/// Solves for the entries of Q rows, those before them being known.
#[inline(always)]
fn rows<const Q: usize>(lower: &[f64], sides: &mut [[f64; SIDES]], first: usize) {
    let size = sides.len();
    let (known, own) = sides.split_at_mut(first);
    let factors: [&[f64]; Q] = from_fn(|q| &lower[(first + q) * size..][..first]);
    let mut sums = [[0.0; SIDES]; Q];
    for (j, x) in known.iter().enumerate() {
        for (sums, factors) in sums.iter_mut().zip(&factors) {
            let factor = factors[j];
            sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += factor * x);
        }
    }
    for (q, mut sums) in sums.into_iter().enumerate() {
        let factors = &lower[(first + q) * size + first..][..=q];
        for (factor, x) in factors.iter().zip(&own[..q]) {
            sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += factor * x);
        }
        own[q].iter_mut().zip(&sums).for_each(|(x, sum)| *x = (*x - sum) / factors[q]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Random;
    use super::*;

    #[test]
    fn every_side_has_the_bits_that_it_has_alone() {
        let mut random = Random::new(3);
        for size in [0, 1, 3, 4, 5, 8, 37, 130] {
            let mut lower = random.normals(size * size);
            (0..size).for_each(|i| lower[i * size + i] = 2.0 + lower[i * size + i].abs());
            let right: Vec<Vec<f64>> = (0..SIDES).map(|_| random.normals(size)).collect();
            let mut sides: Vec<[f64; SIDES]> = (0..size).map(|i| from_fn(|s| right[s][i])).collect();
            solve_lower(&lower, &mut sides);
            for (s, right) in right.iter().enumerate() {
                let mut alone = right.clone();
                for i in 0..size {
                    let before = (0..i).fold(0.0, |sum, j| sum + lower[i * size + j] * alone[j]);
                    alone[i] = (alone[i] - before) / lower[i * size + i];
                }
                let bits = |x: &f64| x.to_bits();
                assert!(alone.iter().map(bits).eq(sides.iter().map(|side| bits(&side[s]))), "{size} rows, side {s}");
            }
        }
    }
}
