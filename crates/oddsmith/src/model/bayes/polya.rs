//! Words with their shares integrated out: the Dirichlet-multinomial (Pólya) distribution.
//!
//! With a symmetric Dirichlet prior λ and class counts n_kv, α_kv = n_kv + λ and A_k = Σ α_kv, a text with counts c_v and
//! length n has log p = lnΓ(A_k) − lnΓ(A_k + n) + Σ_v [lnΓ(α_kv + c_v) − lnΓ(α_kv)]: the probability of its words in
//! order. Beyond lengths of 1e9 what classes differ by is lost beside what they share, lnΓ(c_v) and
//! lnΓ(n), which leaves the range of numbers in the end: it is left out there, and lnΓ(α + c) − lnΓ(c) − lnΓ(α) remains of each. A word that repeats is less surprising the second time, which plug-in multinomials cannot say.

use serde::{Deserialize, Serialize};

use crate::data::{Features, Layout};
use crate::model::{Contributions, Scores};
use crate::num::special::{ln_gamma, ln_gamma_ratio};

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

/// Length of a draw beyond which what all classes share is left out: rounding of 1e9 ln 1e9 is 4e-6.
const LONGEST: f64 = 1e9;
/// Count beyond which lnΓ(α + c) − lnΓ(c) is α ln c to the last digit.
const ENDLESS: f64 = 1e200;

/// The length of what row `i` holds, and its logarithm where it is beyond the longest.
fn measured(source: &CountSource, rows: &Features<'_>, i: usize) -> (f64, Option<f64>) {
    let (mut length, mut largest) = (0.0f64, 0.0f64);
    source.counts(rows, i, |_, count| {
        length += count;
        largest = largest.max(count);
    });
    if length <= LONGEST {
        return (length, None);
    }
    let mut parts = 0.0;
    source.counts(rows, i, |_, count| parts += count / largest);
    (length, Some(largest.ln() + parts.ln()))
}

/// lnΓ(a + c) − lnΓ(a), without lnΓ(c) where c is beyond the longest.
fn log_rising_beside(a: f64, c: f64, ln_c: f64) -> f64 {
    match c {
        c if c <= LONGEST => log_rising(a, c),
        c if c <= ENDLESS => ln_gamma_ratio(c, a) - ln_gamma(a),
        _ => a * ln_c - ln_gamma(a),
    }
}

impl PolyaPart {
    /// Adds the log probabilities of a batch to its scores.
    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) {
        let classes = scores.classes();
        for (i, scores) in scores.parts_mut().0.chunks_exact_mut(classes).enumerate() {
            let (length, beyond) = measured(&self.source, rows, i);
            self.source.counts(rows, i, |at, count| {
                let alphas = &self.alphas[at * classes..];
                let rising =
                    |alpha: f64| if beyond.is_some() { log_rising_beside(alpha, count, count.ln()) } else { log_rising(alpha, count) };
                scores.iter_mut().zip(alphas).for_each(|(sum, alpha)| *sum += rising(*alpha));
            });
            let whole = |total: f64| beyond.map_or_else(|| log_rising(total, length), |ln| log_rising_beside(total, length, ln));
            scores.iter_mut().zip(&self.totals).for_each(|(sum, total)| *sum -= whole(*total));
        }
    }

    /// Adds the log probabilities feature by feature; the normaliser of the whole draw is split among the words by
    /// their share of its length.
    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) {
        let classes = self.totals.len();
        for i in 0..rows.rows() {
            let (length, beyond) = measured(&self.source, rows, i);
            let whole = |total: f64| beyond.map_or_else(|| log_rising(total, length), |ln| log_rising_beside(total, length, ln));
            let rising: Vec<f64> = self.totals.iter().map(|total| whole(*total)).collect();
            self.source.counts(rows, i, |at, count| {
                let feature = self.source.place(at, layout).0;
                let alphas = &self.alphas[at * classes..];
                let (ln, share) = (count.ln(), beyond.map_or_else(|| count / length, |whole| (count.ln() - whole).exp()));
                for (k, addend) in out.addends_mut(i, feature).iter_mut().enumerate() {
                    let own = if beyond.is_some() { log_rising_beside(alphas[k], count, ln) } else { log_rising(alphas[k], count) };
                    *addend += own - rising[k] * share;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What classes differ by tends to a limit, the gammas and Σ α ln c − A ln n, while what they share leaves the range of numbers.
    #[test]
    fn endless_texts_have_the_differences_of_very_long_ones() {
        let source = CountSource::Numbers { columns: vec![0, 1] };
        let part = PolyaPart { source, alphas: vec![2.5, 1.5, 3.0, 4.5], totals: vec![5.5, 6.0], lengths: vec![1.0, 1.0] };
        let differences = [1e12, 1e16, 1e100, 3e300, 1.2e308].map(|size| {
            let data = [0.25 * size, 0.75 * size];
            let rows = Features::of_numbers(crate::num::MatrixView::row_major(&data, 1, 2).unwrap());
            let mut score = Scores::new();
            score.reset(1, &[0.0, 0.0]);
            part.add_scores(&rows, &mut score);
            score.row(0)[1] - score.row(0)[0]
        });
        let gamma = |k: usize| libm::lgamma(part.totals[k]) - libm::lgamma(part.alphas[k]) - libm::lgamma(part.alphas[2 + k]);
        // α and A add up to the same, so lengths cancel.
        let log = |k: usize| part.alphas[k] * 0.25f64.ln() + part.alphas[2 + k] * 0.75f64.ln();
        let want = gamma(1) - gamma(0) + log(1) - log(0);
        assert!(differences.iter().all(|difference| (difference - want).abs() < 1e-9), "{differences:?} are not {want}");
    }

    #[test]
    fn both_roads_to_the_rising_factorial_agree() {
        let exact = libm::lgamma(2.5 + 7.0) - libm::lgamma(2.5);
        assert!((log_rising(2.5, 7.0) - exact).abs() < 1e-13);
        assert_eq!(log_rising(2.5, 0.0), 0.0);
    }
}
