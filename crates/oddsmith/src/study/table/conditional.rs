//! The exact distribution of exposed cases when all margins are given: Fisher's non-central hypergeometric, of one table or of the sum
//! over strata.
//!
//! ```text
//! P(X = x) ∝ w(x) ψ^x,   w(x) = C(n1, x) C(n0, m1 − x);   over strata the weights convolve
//! exact limits    P(X ≥ x; ψ_low) = α/2,  P(X ≤ x; ψ_high) = α/2;   mid-p counts half of P(X = x)
//! estimate        E(X; ψ) = x              (conditional maximum likelihood)
//! p two-sided     Σ of the P at ψ = 1 that are no larger than that of x (Fisher); mid-p: twice the smaller tail with half of P(x)
//! ```
//!
//! Everything is kept as logarithms. The weights are log-concave, so a sum starts at its largest term and ends where terms vanish: its cost is
//! the spread of X and not its range.

use crate::num::logspace::NeumaierSum;
use crate::num::root::root_from;

use super::super::estimate::Estimate;
use super::Table2x2;

/// Most products that a convolution over strata may cost: about a second.
const MOST_PRODUCTS: f64 = 60_000_000.0;
/// Terms this far below the largest, in logarithms, add nothing.
const NEGLIGIBLE: f64 = 50.0;
/// Furthest log odds ratio that is looked at.
const FURTHEST: f64 = 700.0;
/// Probabilities that differ by no more than this part are equal to Fisher's test, as in other programs.
const SAME: f64 = 1e-7;

/// Log weights of the possible numbers of exposed cases, and the number that was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionalCount {
    /// The seen number minus the least possible one.
    seen: usize,
    log_weights: Vec<f64>,
}

impl ConditionalCount {
    /// The distribution of a table; `None` unless its counts are whole numbers.
    pub fn of(table: &Table2x2) -> Option<Self> {
        if !table.is_whole() {
            return None;
        }
        let (n1, n0, m1) = (table.exposed(), table.unexposed(), table.cases());
        let (first, last) = ((m1 - n0).max(0.0), n1.min(m1));
        let length = (last - first) as usize + 1;
        // ln w(x+1) − ln w(x), summed with what rounding drops: differences of log factorials would lose digits of large tables.
        let mut log_weights = Vec::with_capacity(length);
        let mut sum = NeumaierSum::default();
        log_weights.push(0.0);
        for step in 0..length - 1 {
            let x = first + step as f64;
            sum.add(libm::log(((n1 - x) / (x + 1.0)) * ((m1 - x) / (n0 - m1 + x + 1.0))));
            log_weights.push(sum.value());
        }
        Some(ConditionalCount { seen: (table.a - first) as usize, log_weights })
    }

    /// The distribution of the sum over strata; `None` when a count is no whole number, or when the convolution would take too long.
    pub fn of_strata(strata: &[Table2x2]) -> Option<Self> {
        let informative = || strata.iter().filter(|stratum| stratum.is_informative());
        // Lengths follow from the margins, so that a convolution that takes too long is not begun.
        let (mut products, mut length) = (0.0, 1.0);
        for stratum in informative() {
            let own = stratum.exposed().min(stratum.cases()) - (stratum.cases() - stratum.unexposed()).max(0.0) + 1.0;
            products += length * own;
            length += own - 1.0;
        }
        if products > MOST_PRODUCTS {
            return None;
        }
        let start = ConditionalCount { seen: 0, log_weights: vec![0.0] };
        informative().try_fold(start, |all, stratum| Some(all.plus(&ConditionalCount::of(stratum)?)))
    }

    /// The distribution of the sum of two independent counts.
    fn plus(&self, other: &Self) -> Self {
        let (long, short) = if self.log_weights.len() >= other.log_weights.len() { (self, other) } else { (other, self) };
        let (long, short) = (&long.log_weights, &short.log_weights);
        let log_weights = (0..long.len() + short.len() - 1).map(|z| {
            let terms = z.saturating_sub(long.len() - 1)..=z.min(short.len() - 1);
            let term = |x: usize| short[x] + long[z - x];
            let largest = terms.clone().map(term).fold(f64::NEG_INFINITY, f64::max);
            largest + libm::log(terms.map(|x| libm::exp(term(x) - largest)).sum())
        });
        ConditionalCount { seen: self.seen + other.seen, log_weights: log_weights.collect() }
    }

    /// Whether only one number was possible.
    pub fn is_certain(&self) -> bool {
        self.log_weights.len() == 1
    }

    /// ln Σ w(x) ψ^x over a range of x, with θ = ln ψ, and the mean of x under it.
    fn sum(&self, from: usize, to: usize, theta: f64) -> (f64, f64) {
        let at = |x: usize| self.log_weights[x] + x as f64 * theta;
        let (mut low, mut high) = (from, to);
        // The largest term: where the slopes, which fall, turn negative.
        while low < high {
            let middle = usize::midpoint(low, high);
            if at(middle + 1) > at(middle) { low = middle + 1 } else { high = middle }
        }
        let (mode, largest) = (low, at(low));
        let (mut total, mut shift) = (NeumaierSum::default(), NeumaierSum::default());
        total.add(1.0);
        for direction in [1.0, -1.0] {
            let mut x = mode;
            loop {
                let beyond = if direction > 0.0 { x == to } else { x == from };
                if beyond {
                    break;
                }
                x = if direction > 0.0 { x + 1 } else { x - 1 };
                let term = at(x) - largest;
                if term < -NEGLIGIBLE {
                    break;
                }
                let part = libm::exp(term);
                total.add(part);
                shift.add(part * direction * x.abs_diff(mode) as f64);
            }
        }
        (largest + libm::log(total.value()), mode as f64 + shift.value() / total.value())
    }

    fn last(&self) -> usize {
        self.log_weights.len() - 1
    }

    /// ln of P(X ≥ seen) or P(X ≤ seen) at θ; with `mid` half of P(X = seen) is left out.
    fn log_tail(&self, upper: bool, mid: bool, theta: f64) -> f64 {
        let (whole, _) = self.sum(0, self.last(), theta);
        let at_seen = self.log_weights[self.seen] + self.seen as f64 * theta;
        let (tail, _) = if upper { self.sum(self.seen, self.last(), theta) } else { self.sum(0, self.seen, theta) };
        let part = if mid { libm::log1p(-0.5 * libm::exp(at_seen - tail)) } else { 0.0 };
        (tail + part - whole).min(0.0)
    }

    /// The conditional maximum-likelihood odds ratio: 0 or ∞ when the least or largest possible number was seen, NaN when only one was possible.
    pub fn odds_ratio(&self) -> f64 {
        match (self.seen == 0, self.seen == self.last()) {
            (true, true) => f64::NAN,
            (true, false) => 0.0,
            (false, true) => f64::INFINITY,
            (false, false) => {
                let excess = |theta: f64| self.sum(0, self.last(), theta).1 - self.seen as f64;
                let step = if excess(0.0) > 0.0 { -1.0 } else { 1.0 };
                root_from(0.0, step, FURTHEST, excess).map_or(f64::NAN, libm::exp)
            }
        }
    }

    /// The conditional odds ratio with exact limits; with `mid` by mid-p.
    pub fn estimate(&self, level: f64, mid: bool) -> Estimate {
        let value = self.odds_ratio();
        let aim = libm::log(0.5 * (1.0 - level));
        let start = if value > 0.0 && value < f64::INFINITY { libm::log(value) } else { 0.0 };
        let limit = |upper_tail: bool| {
            let departure = |theta: f64| self.log_tail(upper_tail, mid, theta) - aim;
            // P(X ≥ x) rises with ψ, P(X ≤ x) falls.
            let step = if (departure(start) > 0.0) == upper_tail { -1.0 } else { 1.0 };
            root_from(start, step, FURTHEST, departure).map(libm::exp)
        };
        let low = if self.seen == 0 { 0.0 } else { limit(true).unwrap_or(0.0) };
        let high = if self.seen == self.last() { f64::INFINITY } else { limit(false).unwrap_or(f64::INFINITY) };
        Estimate::between(value, (low, high))
    }

    /// Fisher's two-sided p-value of no association.
    pub fn p_value(&self) -> f64 {
        let (whole, _) = self.sum(0, self.last(), 0.0);
        let bound = self.log_weights[self.seen] + libm::log1p(SAME);
        // Weights rise and then fall, so those below the bound lie at both ends.
        let weights = &self.log_weights;
        let mode = weights.windows(2).position(|pair| pair[1] <= pair[0]).unwrap_or(self.last());
        let left = weights[..=mode].partition_point(|weight| *weight <= bound);
        if left > mode {
            return 1.0;
        }
        let right = mode + weights[mode..].partition_point(|weight| *weight > bound);
        let mut p = NeumaierSum::default();
        if left > 0 {
            p.add(libm::exp(self.sum(0, left - 1, 0.0).0 - whole));
        }
        if right < weights.len() {
            p.add(libm::exp(self.sum(right, self.last(), 0.0).0 - whole));
        }
        p.value().min(1.0)
    }

    /// Twice the smaller tail with half of the seen number's probability.
    pub fn mid_p_value(&self) -> f64 {
        let smaller = self.log_tail(true, true, 0.0).min(self.log_tail(false, true, 0.0));
        (2.0 * libm::exp(smaller)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cells: [f64; 4]) -> ConditionalCount {
        ConditionalCount::of(&Table2x2::new(cells).unwrap()).unwrap()
    }

    /// Tails by the definition, with exact binomial coefficients.
    fn direct(cells: [u128; 4], psi: f64) -> (f64, f64, f64) {
        let choose = |n: u128, k: u128| (0..k).fold(1u128, |product, i| product * (n - i) / (i + 1)) as f64;
        let [a, b, c, d] = cells;
        let (n1, n0, m1) = (a + b, c + d, a + c);
        let weights: Vec<(u128, f64)> =
            (m1.saturating_sub(n0)..=n1.min(m1)).map(|x| (x, choose(n1, x) * choose(n0, m1 - x) * psi.powi(x as i32))).collect();
        let whole: f64 = weights.iter().map(|(_, w)| w).sum();
        let part = |keep: &dyn Fn(u128) -> bool| weights.iter().filter(|(x, _)| keep(*x)).map(|(_, w)| w).sum::<f64>() / whole;
        (part(&|x| x >= a), part(&|x| x <= a), part(&|x| x == a))
    }

    #[test]
    fn limits_solve_their_defining_equations() {
        for cells in [[30, 44, 29, 86], [3, 1, 1, 3], [0, 10, 5, 5], [7, 0, 3, 9], [1, 40, 12, 30], [2, 0, 0, 2]] {
            let exact = of(cells.map(|count| count as f64)).estimate(0.9, false);
            let mid = of(cells.map(|count| count as f64)).estimate(0.9, true);
            if exact.low > 0.0 {
                assert!((direct(cells, exact.low).0 - 0.05).abs() < 1e-13, "{cells:?}");
                let (upper, _, at) = direct(cells, mid.low);
                assert!((upper - 0.5 * at - 0.05).abs() < 1e-13, "{cells:?}");
            }
            if exact.high < f64::INFINITY {
                assert!((direct(cells, exact.high).1 - 0.05).abs() < 1e-13, "{cells:?}");
                let (_, lower, at) = direct(cells, mid.high);
                assert!((lower - 0.5 * at - 0.05).abs() < 1e-13, "{cells:?}");
            }
            assert!(exact.low <= mid.low && mid.high <= exact.high, "{cells:?}");
        }
    }

    #[test]
    fn the_ends_of_the_range_give_zero_and_infinity_with_one_limit() {
        let none = of([0.0, 10.0, 5.0, 5.0]).estimate(0.95, false);
        assert!(none.value == 0.0 && none.low == 0.0 && none.high > 0.0 && none.high.is_finite());
        let all = of([7.0, 0.0, 3.0, 9.0]).estimate(0.95, false);
        assert!(all.value == f64::INFINITY && all.high == f64::INFINITY && all.low > 0.0 && all.low.is_finite());
        let certain = of([0.0, 4.0, 0.0, 6.0]);
        assert!(certain.is_certain() && certain.odds_ratio().is_nan() && certain.p_value() == 1.0);
    }

    #[test]
    fn large_tables_keep_their_digits_and_take_no_time() {
        // The normal limit of a huge table is Woolf's, to the order of its skewness.
        let cells = [250_400.0, 249_600.0, 249_700.0, 250_300.0];
        let table = Table2x2::new(cells).unwrap();
        let (exact, woolf) = (of(cells).estimate(0.95, true), table.woolf(0.95));
        assert!((exact.low / woolf.low - 1.0).abs() < 1e-7 && (exact.high / woolf.high - 1.0).abs() < 1e-7);
        assert_eq!(ConditionalCount::of(&Table2x2::new([1.5, 2.0, 3.0, 4.0]).unwrap()), None);
    }

    #[test]
    fn a_sum_over_strata_is_the_convolution() {
        let strata = [[3.0, 1.0, 1.0, 3.0], [2.0, 2.0, 1.0, 4.0]].map(|cells| Table2x2::new(cells).unwrap());
        let all = ConditionalCount::of_strata(&strata).unwrap();
        let [first, second] = strata.map(|stratum| ConditionalCount::of(&stratum).unwrap());
        for z in 0..all.log_weights.len() {
            let products = (0..=z).filter(|x| *x < first.log_weights.len() && z - x < second.log_weights.len());
            let sum: f64 = products.map(|x| (first.log_weights[x] + second.log_weights[z - x]).exp()).sum();
            assert!((all.log_weights[z] - sum.ln()).abs() < 1e-14);
        }
        assert_eq!(all.seen, first.seen + second.seen);
    }
}
