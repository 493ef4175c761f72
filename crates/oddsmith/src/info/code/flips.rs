//! Any distribution from flips of a fair coin.
//!
//! Knuth and Yao's tree has a leaf for symbol i at depth k exactly where the k-th binary digit of p_i is 1. No tree needs fewer flips:
//! E = Σ_i Σ_k k·digit_k(p_i)/2ᵏ, with H ≤ E < H + 2. Probabilities are fractions a_i/N, whose digits come exactly from remainders
//! (double, compare with N, subtract). The teaching variant flips m times, 2^m ≥ N, gives a_i of the 2^m strings to symbol i and begins
//! again on the others: E = m·2^m/N, and more than r new beginnings with probability (1 − N/2^m)^(r+1). Cost of a draw O(flips · symbols).

use crate::error::{DataFault, Result};

/// Most binary digits that add to an expectation of finite precision.
const DIGITS: i32 = 1100;

/// The tree of Knuth and Yao.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flips {
    weights: Vec<u64>,
    total: u64,
}

impl Flips {
    /// Symbols with probabilities that are proportional to whole numbers.
    pub fn new(weights: &[u64]) -> Result<Self> {
        let total = weights.iter().try_fold(0u64, |sum, weight| sum.checked_add(*weight)).filter(|total| *total > 0);
        let Some(total) = total else {
            let what = "the weights add up to 0, or to more than 64 bits hold";
            return Err(DataFault::new(what).accepted("give whole numbers from 0 up, one at least above 0").into());
        };
        let divisor = weights.iter().fold(0, |divisor, weight| greatest_common_divisor(divisor, *weight));
        Ok(Flips { weights: weights.iter().map(|weight| weight / divisor).collect(), total: total / divisor })
    }

    /// The weights in lowest terms and their sum.
    pub fn weights(&self) -> (&[u64], u64) {
        (&self.weights, self.total)
    }

    /// Leaves of the tree down to a depth: depth and symbol.
    pub fn leaves(&self, depth: u32) -> Vec<(u32, usize)> {
        let mut leaves = Vec::new();
        let mut remainders = self.remainders();
        if let Some(certain) = self.weights.iter().position(|weight| *weight == self.total) {
            return vec![(0, certain)];
        }
        for k in 1..=depth {
            leaves.extend(self.next_digits(&mut remainders).into_iter().map(|symbol| (k, symbol)));
        }
        leaves
    }

    /// Expected number of flips.
    pub fn expected(&self) -> f64 {
        let mut remainders = self.remainders();
        let mut addends = Vec::new();
        if self.weights.contains(&self.total) {
            return 0.0;
        }
        for k in 1..=DIGITS {
            let leaves = self.next_digits(&mut remainders).len();
            addends.push(f64::from(k) * leaves as f64 * libm::ldexp(1.0, -k));
        }
        addends.iter().rev().sum()
    }

    /// Draws a symbol with as many flips as it takes; gives both.
    pub fn draw(&self, mut flip: impl FnMut() -> bool) -> (usize, u32) {
        if let Some(certain) = self.weights.iter().position(|weight| *weight == self.total) {
            return (certain, 0);
        }
        let mut remainders = self.remainders();
        // The place among the nodes of a level, leaves first.
        let (mut place, mut flips) = (0usize, 0u32);
        loop {
            place = 2 * place + usize::from(flip());
            flips += 1;
            let leaves = self.next_digits(&mut remainders);
            match leaves.get(place) {
                Some(symbol) => return (*symbol, flips),
                None => place -= leaves.len(),
            }
        }
    }

    fn remainders(&self) -> Vec<u128> {
        self.weights.iter().map(|weight| u128::from(*weight)).collect()
    }

    /// The symbols whose next binary digit is 1.
    fn next_digits(&self, remainders: &mut [u128]) -> Vec<usize> {
        let total = u128::from(self.total);
        let mut ones = Vec::new();
        for (symbol, remainder) in remainders.iter_mut().enumerate() {
            *remainder *= 2;
            if *remainder >= total {
                *remainder -= total;
                ones.push(symbol);
            }
        }
        ones
    }
}

/// A fixed number of flips at a time, with new beginnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetFlips {
    weights: Vec<u64>,
    total: u64,
    flips: u32,
}

impl ResetFlips {
    /// For the distribution of a tree.
    pub fn new(tree: &Flips) -> Self {
        let flips = (0..64).find(|m| 1u64 << m >= tree.total).unwrap_or(64);
        ResetFlips { weights: tree.weights.clone(), total: tree.total, flips }
    }

    /// Flips at a time.
    pub fn flips(&self) -> u32 {
        self.flips
    }

    /// Strings of flips that stand for a new beginning.
    pub fn resets(&self) -> u128 {
        (1u128 << self.flips) - u128::from(self.total)
    }

    /// Expected number of flips.
    pub fn expected(&self) -> f64 {
        f64::from(self.flips) * libm::ldexp(1.0, self.flips as i32) / self.total as f64
    }

    /// The probability of more than `r` new beginnings.
    pub fn more_resets_than(&self, r: u32) -> f64 {
        let share = self.resets() as f64 / libm::ldexp(1.0, self.flips as i32);
        libm::pow(share, f64::from(r) + 1.0)
    }

    /// Draws a symbol; gives it, the flips and the new beginnings that it took.
    pub fn draw(&self, mut flip: impl FnMut() -> bool) -> (usize, u64, u64) {
        let mut resets = 0;
        loop {
            let mut string = (0..self.flips).fold(0u64, |string, _| string << 1 | u64::from(flip()));
            for (symbol, &weight) in self.weights.iter().enumerate() {
                if string < weight {
                    return (symbol, u64::from(self.flips) * (resets + 1), resets);
                }
                string -= weight;
            }
            resets += 1;
        }
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(weights: &[u64]) -> f64 {
        Flips::new(weights).unwrap().expected()
    }

    #[test]
    fn known_expectations() {
        let near = |found: f64, known: f64| assert!((found - known).abs() < 1e-14, "{found} {known}");
        near(expected(&[1; 3]), 8.0 / 3.0);
        near(expected(&[1; 6]), 11.0 / 3.0);
        near(expected(&[1; 10]), 4.6);
        near(expected(&[9, 1]), 2.0);
        near(expected(&[4, 2, 1, 1]), 1.75);
        near(expected(&[0, 7]), 0.0);
        let die = ResetFlips::new(&Flips::new(&[1; 6]).unwrap());
        assert_eq!((die.flips(), die.resets(), die.expected()), (3, 2, 4.0));
        // More than five new beginnings, as in throwing a die with three flips.
        assert_eq!(die.more_resets_than(5), 4f64.powi(-6));
    }

    #[test]
    fn the_leaves_carry_the_probabilities() {
        let tree = Flips::new(&[9, 1]).unwrap();
        let mut shares = [0.0; 2];
        tree.leaves(60).iter().for_each(|(depth, symbol)| shares[*symbol] += 0.5f64.powi(*depth as i32));
        assert!((shares[0] - 0.9).abs() < 1e-15 && (shares[1] - 0.1).abs() < 1e-15);
        assert_eq!(tree.leaves(4), [(1, 0), (2, 0), (3, 0), (4, 1)]);
        assert!(Flips::new(&[0, 0]).is_err() && Flips::new(&[u64::MAX, 1]).is_err());
    }

    #[test]
    fn all_strings_of_flips_together_give_the_distribution() {
        // Every string of 12 flips once: shares of symbols that are drawn within them are those of the leaves.
        let tree = Flips::new(&[1, 2, 4]).unwrap();
        let mut drawn = [0u32; 3];
        for string in 0..1u32 << 12 {
            let mut at = 0;
            let (symbol, flips) = tree.draw(|| {
                at += 1;
                at <= 12 && string >> (12 - at) & 1 == 1
            });
            drawn[symbol] += u32::from(flips <= 12);
        }
        // 1/7 = .001001001001…, 2/7 = .010010010010…, 4/7 = .100100100100… in binary.
        assert_eq!(drawn, [585, 1170, 2340]);
        let reset = ResetFlips::new(&tree);
        let bits = [true, true, true, false, true, false];
        let mut at = 0;
        let drawn = reset.draw(|| {
            at += 1;
            bits[at - 1]
        });
        assert_eq!(drawn, (1, 6, 1));
    }
}
