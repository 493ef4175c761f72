//! Hot loops over blocks of rows, compiled for several instruction sets and chosen at run time.
//!
//! Every kernel adds in an order that depends on its arguments alone, never on threads, so a block gives
//! the same bits wherever it is computed; the instruction set may change rounding (fused multiply-add).
//! Rows reach the kernels as slices of adjacent numbers: [`Panel`] brings any other layout into that form,
//! a cache-sized block at a time. A label that names no class (such as [`SKIP`]) and a weight of zero both
//! mean that a row does not count.

mod aligned;
mod corrections;
mod cross;
mod exp;
mod factor;
mod finite;
mod flag_scores;
mod forward;
mod gaussian;
mod gram;
mod instructions;
mod level_scores;
mod levels;
mod linear;
mod ln;
mod logistic;
mod marks;
mod moments;
mod nearness;
mod panel;
mod quadratic;
mod row_sums;
mod softmax;
mod softplus;
mod sparse;
#[cfg(test)]
pub(crate) mod testing;
mod tile;
mod unit_sums;
mod word_scores;
mod words;

pub use corrections::{Corrections, Shown};
pub use cross::CrossSums;
pub use exp::exp_all;
pub use factor::factor_upper;
pub use finite::all_finite;
pub use flag_scores::FlagScores;
pub use forward::{SIDES, solve_lower};
pub use gaussian::GaussianScores;
pub use gram::Gram;
pub use level_scores::LevelScores;
pub use levels::{Codes, LevelCounts, LevelSums};
pub use linear::LinearScores;
pub use logistic::{LogisticLoss, logistic};
pub use marks::{MarkProducts, Marks, mixed_width};
pub use moments::{MomentSums, Moments};
pub use nearness::{GROUP, TILE, Tiles, near_points};
pub use panel::{Panel, PanelRows};
pub use quadratic::{QuadraticScores, QuadraticScratch};
pub use softmax::{log_softmax, softmax};
pub use softplus::softplus_all;
pub use sparse::{Position, SparseRows};
pub use unit_sums::UnitSums;
pub use word_scores::WordScores;
pub use words::{WordMeasure, add_words};

use pulp::Simd;

/// Label of a row that does not count: its target is missing or its weight is zero.
pub const SKIP: u32 = u32::MAX;
/// Code of a missing value in a category column.
pub const MISSING: u32 = u32::MAX;
/// Code of a level that the layout does not know.
pub const UNSEEN: u32 = u32::MAX - 1;

/// Runs a plain loop compiled for the widest instruction set of the machine. Mark the closure `#[inline(always)]`, or it is compiled on its
/// own, for the narrowest.
pub fn widest<R>(work: impl FnOnce() -> R) -> R {
    instructions::arch().dispatch(work)
}

/// The sum of numbers in an order of its own, eight at a time: none of them waits for the one before.
pub fn fast_sum(numbers: &[f64]) -> f64 {
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0; 8];
    eights.iter().for_each(|eight| sums.iter_mut().zip(eight).for_each(|(sum, x)| *sum += x));
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// Σ a b in an order of its own, sixteen at a time. It becomes part of what calls it: a few numbers are no work worth a call.
#[inline(always)]
pub fn fast_dot(a: &[f64], b: &[f64]) -> f64 {
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    let mut sums = [[0.0; 8]; 2];
    for (a, b) in a8.chunks(2).zip(b8.chunks(2)) {
        for (sums, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
                *sum += a * b;
            }
        }
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7]: [f64; 8] = std::array::from_fn(|at| sums[0][at] + sums[1][at]);
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7)) + rest
}

/// Tables of parameters are padded with zeros to a multiple of the widest vector, so that their last
/// vector is always whole.
const PAD: usize = 8;

/// `cols` rounded up to whole vectors.
fn padded(cols: usize) -> usize {
    cols.next_multiple_of(PAD)
}

/// a·b + c, fused where the instruction set has it: the software fallback of `f64::mul_add` would cost
/// more than the whole loop around it.
#[inline(always)]
fn fused<S: Simd>(a: f64, b: f64, c: f64) -> f64 {
    if S::IS_SCALAR { a * b + c } else { a.mul_add(b, c) }
}
