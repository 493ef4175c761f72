//! Words with their shares integrated out: the Dirichlet-multinomial (Pólya) distribution.
//!
//! With a symmetric Dirichlet prior λ and class counts n_kv, α_kv = n_kv + λ and A_k = Σ α_kv, a text with counts c_v and
//! length n has log p = lnΓ(A_k) − lnΓ(A_k + n) + Σ_v [lnΓ(α_kv + c_v) − lnΓ(α_kv)]: the probability of its words in
//! order. A word that repeats is less surprising the second time, which plug-in multinomials cannot say.

use serde::{Deserialize, Serialize};

use crate::data::{Features, Layout};
use crate::model::{Contributions, Scores};
use crate::num::special::ln_gamma_ratio;

/// Where the counts of a draw of words stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum CountSource {
    /// In the sparse block of a text column.
    Words {
        /// Index of the block.
        block: usize,
    },
    /// In number columns that are counts together.
    Numbers {
        /// Positions in the number plane.
        columns: Vec<usize>,
    },
}

impl CountSource {
    /// The feature and, for words, the word of entry `at`.
    pub(super) fn place(&self, at: usize, layout: &Layout) -> (usize, Option<String>) {
        match self {
            CountSource::Words { block } => (layout.words()[*block], layout.level_name(layout.words()[*block], at)),
            CountSource::Numbers { columns } => (layout.numbers()[columns[at]], None),
        }
    }

    /// Calls `each` with entry and count of everything that row `i` holds.
    fn counts(&self, rows: &Features<'_>, i: usize, mut each: impl FnMut(usize, f64)) {
        match self {
            CountSource::Words { block } => {
                let (columns, values) = rows.words[*block].row(i);
                columns.iter().zip(values).for_each(|(&word, &count)| each(word as usize, count));
            }
            CountSource::Numbers { columns } => {
                let present = columns.iter().enumerate().map(|(at, &j)| (at, rows.numbers.get(i, j))).filter(|(_, count)| *count > 0.0);
                present.for_each(|(at, count)| each(at, count));
            }
        }
    }
}

/// Posterior Dirichlet parameters of the words of a text column.
#[derive(Debug, Clone, PartialEq)]
pub struct PolyaPart {
    /// Where the counts stand.
    pub source: CountSource,
    /// α: `alphas[word · classes + k]`.
    pub alphas: Vec<f64>,
    /// A per class.
    pub totals: Vec<f64>,
    /// Mean length of a text per class, for sampling.
    pub lengths: Vec<f64>,
}

/// lnΓ(a + c) − lnΓ(a); for small whole c as a sum of logarithms, which is faster and exact to rounding.
fn log_rising(a: f64, c: f64) -> f64 {
    const MOST_FACTORS: f64 = 8.0;
    if c <= MOST_FACTORS && c.fract() == 0.0 {
        return (0..c as u32).map(|step| (a + f64::from(step)).ln()).sum();
    }
    ln_gamma_ratio(a, c)
}

impl PolyaPart {
    /// Adds the log probabilities of a batch to its scores.
    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) {
        let classes = scores.classes();
        for (i, scores) in scores.parts_mut().0.chunks_exact_mut(classes).enumerate() {
            let mut length = 0.0;
            self.source.counts(rows, i, |at, count| {
                length += count;
                let alphas = &self.alphas[at * classes..];
                scores.iter_mut().zip(alphas).for_each(|(sum, alpha)| *sum += log_rising(*alpha, count));
            });
            scores.iter_mut().zip(&self.totals).for_each(|(sum, total)| *sum -= log_rising(*total, length));
        }
    }

    /// Adds the log probabilities feature by feature; the normaliser of the whole draw is split among the words by
    /// their share of its length.
    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) {
        let classes = self.totals.len();
        for i in 0..rows.rows() {
            let mut length = 0.0;
            self.source.counts(rows, i, |_, count| length += count);
            let rising: Vec<f64> = self.totals.iter().map(|total| log_rising(*total, length)).collect();
            self.source.counts(rows, i, |at, count| {
                let feature = self.source.place(at, layout).0;
                let alphas = &self.alphas[at * classes..];
                for (k, addend) in out.addends_mut(i, feature).iter_mut().enumerate() {
                    *addend += log_rising(alphas[k], count) - rising[k] * (count / length);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_roads_to_the_rising_factorial_agree() {
        let exact = libm::lgamma(2.5 + 7.0) - libm::lgamma(2.5);
        assert!((log_rising(2.5, 7.0) - exact).abs() < 1e-13);
        assert_eq!(log_rising(2.5, 0.0), 0.0);
    }
}
