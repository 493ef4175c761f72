//! Symbols by arithmetic coding with probabilities that follow what was seen so far: nothing but the number of symbols is known before.
//!
//! A symbol of K is the path to its leaf in a balanced tree: its binary digits, the highest first. At every fork the next digit is 1 with the
//! probability (n₁ + ½)/(n + 1) of Krichevsky and Trofimov, n counting the symbols that came that way. Digits that cannot be otherwise cost
//! nothing. Both ends count in whole numbers, so they never differ. Within (K − 1)(½ log2 n + 1) bits and the two bytes of the coder of the
//! entropy of n symbols. Cost: log2 K decisions a symbol, memory O(K).

use super::{RangeDecoder, RangeEncoder};
use crate::error::{DataFault, Result};
use crate::num::logspace::NeumaierSum;

/// Symbols at a fork before both counts are halved, so that probabilities stay whole numbers of 32 bits.
const MOST_COUNTED: u32 = 1 << 30;

/// What was seen of the symbols so far.
#[derive(Debug, Clone)]
pub struct SymbolCounts {
    symbols: usize,
    digits: u32,
    /// How often the digit was 0 and 1 at every fork, the root at 1.
    forks: Vec<[u32; 2]>,
    bits: NeumaierSum,
}

impl SymbolCounts {
    /// Nothing seen of so many symbols; one at least.
    pub fn new(symbols: usize) -> Result<Self> {
        if symbols == 0 || symbols > u32::MAX as usize {
            return Err(DataFault::new(format!("{symbols} symbols cannot be coded")).accepted("one symbol at least must occur").into());
        }
        let digits = symbols.next_power_of_two().trailing_zeros();
        Ok(SymbolCounts { symbols, digits, forks: vec![[0, 0]; 1 << digits], bits: NeumaierSum::default() })
    }

    /// −Σ log2 of the whole-numbered probabilities of all that was coded.
    pub fn ideal_bits(&self) -> f64 {
        self.bits.value()
    }

    /// Codes a symbol and counts it.
    pub fn encode(&mut self, symbol: usize, encoder: &mut RangeEncoder) -> Result<()> {
        if symbol >= self.symbols {
            return Err(DataFault::new(format!("symbol {symbol} is none of the {}", self.symbols)).into());
        }
        self.walk(|at, p| {
            let digit = symbol >> at & 1 == 1;
            encoder.push(digit, p);
            digit
        });
        Ok(())
    }

    /// Reads a symbol and counts it.
    pub fn decode(&mut self, decoder: &mut RangeDecoder<'_>) -> usize {
        self.walk(|_, p| decoder.next(p))
    }

    /// Goes down the tree, `decide` giving the digit of place `at` that is 1 with probability p/2³².
    fn walk(&mut self, mut decide: impl FnMut(u32, u32) -> bool) -> usize {
        let mut path = 0usize;
        for at in (0..self.digits).rev() {
            let above = (2 * path + 1) << at;
            // No symbol begins with these digits and a 1.
            if above >= self.symbols {
                path *= 2;
                continue;
            }
            let fork = &mut self.forks[(1 << (self.digits - 1 - at)) + path];
            let p = probability(*fork);
            let digit = decide(at, p);
            let share = f64::from(p) / 4_294_967_296.0;
            self.bits.add(-if digit { libm::log2(share) } else { libm::log1p(-share) * std::f64::consts::LOG2_E });
            fork[usize::from(digit)] += 1;
            if fork[0] + fork[1] >= MOST_COUNTED {
                fork.iter_mut().for_each(|count| *count /= 2);
            }
            path = 2 * path + usize::from(digit);
        }
        path
    }
}

/// (n₁ + ½)/(n + 1) in parts of 2³², which is above 0 and below 2³².
fn probability([zeros, ones]: [u32; 2]) -> u32 {
    let (ones, all) = (2 * u64::from(ones) + 1, 2 * (u64::from(zeros) + u64::from(ones)) + 2);
    ((ones << 32) / all) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::krichevsky_trofimov_bits;

    fn stream(symbols: usize, message: &[usize]) -> (Vec<u8>, f64) {
        let (mut counts, mut encoder) = (SymbolCounts::new(symbols).unwrap(), RangeEncoder::default());
        message.iter().for_each(|symbol| counts.encode(*symbol, &mut encoder).unwrap());
        (encoder.finish(), counts.ideal_bits())
    }

    fn read(symbols: usize, bytes: &[u8], count: usize) -> Vec<usize> {
        let (mut counts, mut decoder) = (SymbolCounts::new(symbols).unwrap(), RangeDecoder::new(bytes));
        let message = (0..count).map(|_| counts.decode(&mut decoder)).collect();
        decoder.finish().unwrap();
        message
    }

    #[test]
    fn two_symbols_take_the_bits_of_krichevsky_and_trofimov() {
        let message: Vec<usize> = [0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0].to_vec();
        let (bytes, ideal) = stream(2, &message);
        assert!((ideal - krichevsky_trofimov_bits(&[4.0, 8.0])).abs() < 1e-7, "{ideal}");
        assert!((ideal - 13.170_277_264_9).abs() < 1e-7 && 8.0 * bytes.len() as f64 - ideal <= 16.01);
    }

    #[test]
    fn a_hundred_thousand_random_messages_come_back() {
        let mut state = 7u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..100_000 {
            let (symbols, length) = (1 + next(9), next(12));
            let message: Vec<usize> = (0..length).map(|_| next(symbols)).collect();
            let (bytes, ideal) = stream(symbols, &message);
            assert_eq!(read(symbols, &bytes, length), message);
            let excess = 8.0 * bytes.len() as f64 - ideal;
            assert!((-1e-3..=16.01).contains(&excess), "{excess}");
        }
    }

    #[test]
    fn many_symbols_are_within_their_bound_of_the_entropy() {
        let message: Vec<usize> = (0..50_000).map(|i: usize| (i * i / 7) % 100).collect();
        let (bytes, ideal) = stream(100, &message);
        let mut counts = vec![0.0; 100];
        message.iter().for_each(|symbol| counts[*symbol] += 1.0);
        let entropy = 50_000.0 * crate::info::entropy(&counts) * std::f64::consts::LOG2_E;
        assert!((0.0..=64.0 + 50.0).contains(&(8.0 * bytes.len() as f64 - ideal)));
        assert!(ideal >= entropy && ideal <= entropy + 99.0 * (0.5 * 50_000f64.log2() + 1.0), "{ideal} {entropy}");
        assert_eq!(read(100, &bytes, message.len()), message);
        assert!(SymbolCounts::new(0).is_err() && SymbolCounts::new(3).unwrap().encode(3, &mut RangeEncoder::default()).is_err());
    }
}
