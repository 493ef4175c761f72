//! The shortest code whose words are no longer than a limit: package-merge (Larmore and Hirschberg).
//!
//! Buying a word of length l costs a coin of weight p at each of the widths 2⁻¹ … 2⁻ˡ. From the longest width on, coins are paired into
//! packages of the next width and merged with its coins; the 2n − 2 lightest of width ½ are bought, and a symbol's length is how often it
//! is among them. Cost O(n · limit).

use crate::error::{Error, Result};

/// A coin of one symbol, or two of the width below.
#[derive(Clone, Copy)]
enum Item {
    Symbol(usize),
    Package(usize, usize),
}

/// Lengths of the words of a shortest code for weights above 0 with words of at most `limit` bits.
pub fn limited_lengths(weights: &[f64], limit: u32) -> Result<Vec<u32>> {
    let n = weights.len();
    let least = n.next_power_of_two().trailing_zeros();
    if limit < least || limit > 64 {
        return Err(Error::option("limit", limit, format!("{n} symbols need words of {least} bits at least; the limit is 64 at most")));
    }
    if n < 2 {
        return Ok(vec![0; n]);
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    let mut arena: Vec<(f64, Item)> = Vec::new();
    let mut below: Vec<usize> = Vec::new();
    for _ in 0..limit {
        let packages: Vec<usize> = below
            .chunks_exact(2)
            .map(|pair| {
                arena.push((arena[pair[0]].0 + arena[pair[1]].0, Item::Package(pair[0], pair[1])));
                arena.len() - 1
            })
            .collect();
        let coins: Vec<usize> = order
            .iter()
            .map(|&symbol| {
                arena.push((weights[symbol], Item::Symbol(symbol)));
                arena.len() - 1
            })
            .collect();
        // Coins stand before packages of the same weight, which keeps the lengths close to each other.
        below = coins.into_iter().chain(packages).collect();
        below.sort_by(|&a, &b| arena[a].0.total_cmp(&arena[b].0));
    }
    let mut lengths = vec![0; n];
    let mut bought: Vec<usize> = below.into_iter().take(2 * n - 2).collect();
    while let Some(item) = bought.pop() {
        match arena[item].1 {
            Item::Symbol(symbol) => lengths[symbol] += 1,
            Item::Package(a, b) => bought.extend([a, b]),
        }
    }
    Ok(lengths)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::info::code::huffman_lengths;

    fn cost(weights: &[f64], lengths: &[u32]) -> f64 {
        weights.iter().zip(lengths).map(|(w, l)| w * f64::from(*l)).sum()
    }

    /// The cheapest lengths by trying all of them.
    fn cheapest(weights: &[f64], limit: u32) -> f64 {
        let mut best = f64::INFINITY;
        let choices = (limit as usize).pow(weights.len() as u32);
        for mut choice in 0..choices {
            let lengths: Vec<u32> = weights
                .iter()
                .map(|_| {
                    let length = choice % limit as usize + 1;
                    choice /= limit as usize;
                    length as u32
                })
                .collect();
            if lengths.iter().map(|l| 0.5f64.powi(*l as i32)).sum::<f64>() <= 1.0 {
                best = best.min(cost(weights, &lengths));
            }
        }
        best
    }

    #[test]
    fn a_limit_of_the_logarithm_makes_all_words_as_long() {
        assert_eq!(limited_lengths(&[100.0, 1.0, 1.0, 1.0], 2).unwrap(), [2, 2, 2, 2]);
        assert_eq!(limited_lengths(&[5.0], 1).unwrap(), [0]);
        let refused = limited_lengths(&[1.0; 5], 2).unwrap_err().to_string();
        assert!(refused.contains("5 symbols need words of 3 bits at least"), "{refused}");
    }

    proptest! {
        #[test]
        fn no_other_lengths_within_the_limit_are_cheaper(counts in prop::collection::vec(1u32..100, 2..6), more in 0u32..2) {
            let weights: Vec<f64> = counts.iter().map(|count| f64::from(*count)).collect();
            let limit = weights.len().next_power_of_two().trailing_zeros() + more;
            let lengths = limited_lengths(&weights, limit).unwrap();
            prop_assert!(lengths.iter().all(|l| (1..=limit).contains(l)));
            prop_assert_eq!(cost(&weights, &lengths), cheapest(&weights, limit));
            // Without a limit that binds, it is Huffman's code.
            prop_assert_eq!(cost(&weights, &limited_lengths(&weights, 20).unwrap()), cost(&weights, &huffman_lengths(&weights)));
        }
    }
}
