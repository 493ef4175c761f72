//! Do the values of one group tend to lie above those of another?
//!
//! ```text
//! ranks of values, equal ones sharing the middle of theirs;  R_g their sum in a group,  E_g = n_g (N + 1)/2,  T = Σ (t³ − t) over ties of t
//! two groups   Wilcoxon  W = R_1 − n1 (n1 + 1)/2,  z = (W − n1 n2/2 ∓ ½)/√(n1 n2/12 (N + 1 − T/(N (N − 1))))
//!              exact where there are no ties and fewer than 50 values in each group
//! more         Kruskal–Wallis  H = 12/(N (N + 1)) Σ (R_g − E_g)²/n_g / (1 − T/(N³ − N)),  χ² with k − 1 degrees of freedom
//! ```

use super::GroupTest;
use crate::num::special::{chi_squared, normal};

/// Values in each of two groups from which on the normal approximation is taken.
const EXACT: f64 = 50.0;

/// What ranks say about groups.
struct RankSums {
    sizes: Vec<f64>,
    sums: Vec<f64>,
    /// Σ (t³ − t).
    ties: f64,
    whole: bool,
}

/// The test of values, in rising order with their weights by group.
pub fn ranks(values: &[(f64, Vec<f64>)]) -> GroupTest {
    let mut told = rank_sums(values);
    let filled: Vec<bool> = told.sizes.iter().map(|size| *size > 0.0).collect();
    for list in [&mut told.sizes, &mut told.sums] {
        let mut kept = filled.iter();
        list.retain(|_| kept.next() == Some(&true));
    }
    match told.sizes.len() {
        0 | 1 => GroupTest::exact("", f64::NAN),
        2 => wilcoxon(&told),
        _ => kruskal_wallis(&told),
    }
}

fn rank_sums(values: &[(f64, Vec<f64>)]) -> RankSums {
    let groups = values.first().map_or(0, |(_, weights)| weights.len());
    let mut told = RankSums { sizes: vec![0.0; groups], sums: vec![0.0; groups], ties: 0.0, whole: true };
    let mut below = 0.0;
    for (_, weights) in values {
        let tied: f64 = weights.iter().sum();
        let rank = below + (tied + 1.0) / 2.0;
        for (group, weight) in weights.iter().enumerate() {
            told.sizes[group] += weight;
            told.sums[group] += weight * rank;
            told.whole &= weight.fract() == 0.0;
        }
        told.ties += tied * (tied - 1.0) * (tied + 1.0);
        below += tied;
    }
    told
}

fn wilcoxon(told: &RankSums) -> GroupTest {
    let [n1, n2] = [told.sizes[0], told.sizes[1]];
    let n = n1 + n2;
    let w = told.sums[0] - n1 * (n1 + 1.0) / 2.0;
    if told.ties == 0.0 && told.whole && n1 < EXACT && n2 < EXACT {
        let p_value = exact_p(w as usize, n1 as usize, n2 as usize);
        return GroupTest { statistic: w, ..GroupTest::exact("Wilcoxon's rank-sum test, exact", p_value) };
    }
    let spread = (n1 * n2 / 12.0 * (n + 1.0 - told.ties / (n * (n - 1.0)))).sqrt();
    let apart = w - n1 * n2 / 2.0;
    let corrected = apart.signum() * (apart.abs() - apart.abs().min(0.5));
    let p_value = if spread > 0.0 { normal::two_sided(corrected / spread) } else { f64::NAN };
    GroupTest { statistic: w, ..GroupTest::exact("Wilcoxon's rank-sum test", p_value) }
}

/// Twice the smaller tail of W, from the number of ways to pick ranks of the first group that make each sum.
fn exact_p(w: usize, n1: usize, n2: usize) -> f64 {
    let most = n1 * n2;
    // ways[k][s]: subsets of k of the ranks so far whose sum is s above the least that k ranks can have.
    let mut ways = vec![vec![0.0f64; most + 1]; n1 + 1];
    ways[0][0] = 1.0;
    for rank in 1..=n1 + n2 {
        for k in (1..=n1.min(rank)).rev() {
            // The k-th smallest rank of a subset is `rank`: it lies rank − k above the least.
            let (fewer, more) = ways.split_at_mut(k);
            for s in (rank - k..=most).rev() {
                more[0][s] += fewer[k - 1][s + k - rank];
            }
        }
    }
    let all: f64 = ways[n1].iter().sum();
    let below: f64 = ways[n1][..=w].iter().sum();
    let above: f64 = ways[n1][w..].iter().sum();
    f64::min(1.0, 2.0 * below.min(above) / all)
}

fn kruskal_wallis(told: &RankSums) -> GroupTest {
    let n: f64 = told.sizes.iter().sum();
    let between: f64 = told.sums.iter().zip(&told.sizes).map(|(sum, size)| (sum - size * (n + 1.0) / 2.0).powi(2) / size).sum();
    let statistic = 12.0 / (n * (n + 1.0)) * between / (1.0 - told.ties / (n * (n - 1.0) * (n + 1.0)));
    let df = (told.sizes.len() - 1) as f64;
    let p_value = if statistic.is_finite() { chi_squared::sf(statistic, df) } else { f64::NAN };
    GroupTest { statistic, df, ..GroupTest::exact("Kruskal–Wallis test", p_value) }
}
