//! Arithmetic coding of yes-or-no decisions: a message of any length in its −log2 P bits and at most two bytes more.
//!
//! An interval [low, low + range) of 64-bit numbers stands for everything said so far. A decision of probability p/2³² keeps that share of
//! it; when fewer than 2³² numbers are left, 32 bits of `low` are settled and written, but for a carry, which runs back through what is
//! written. At the end come as many bytes as it takes to stay within the interval. Both ends must use the same integers p.
//! Whole messages, not single symbols, are within 16 bits and some n·2⁻³² of −Σ log2 of the integers. Cost: one multiplication a decision.

use std::hint::select_unpredictable;

use crate::error::{Error, ErrorKind, Result};

/// Numbers left in an interval before 32 bits of it are written.
const LEAST: u64 = 1 << 32;

/// Writes decisions.
#[derive(Debug, Clone)]
pub struct RangeEncoder {
    low: u64,
    range: u64,
    words: Vec<u32>,
}

impl Default for RangeEncoder {
    fn default() -> Self {
        RangeEncoder { low: 0, range: u64::MAX, words: Vec::new() }
    }
}

impl RangeEncoder {
    /// Adds a decision that is true with probability `p`/2³²; `p` is above 0.
    #[inline]
    pub fn push(&mut self, truth: bool, p: u32) {
        let share = shared(self.range, p);
        // Which way a decision went is what nobody can predict, so it is no branch.
        let (low, carried) = self.low.overflowing_add(select_unpredictable(truth, 0, share));
        (self.low, self.range) = (low, select_unpredictable(truth, share, self.range - share));
        if carried {
            self.carry();
        }
        if self.range < LEAST {
            self.words.push((self.low >> 32) as u32);
            self.low <<= 32;
            self.range <<= 32;
        }
    }

    #[cold]
    fn carry(&mut self) {
        for word in self.words.iter_mut().rev() {
            let (raised, carried) = word.overflowing_add(1);
            *word = raised;
            if !carried {
                break;
            }
        }
    }

    /// The bytes of all decisions.
    pub fn finish(mut self) -> Vec<u8> {
        let mut stream = Vec::with_capacity(4 * self.words.len() + 8);
        if self.words.is_empty() && self.range == u64::MAX {
            return stream;
        }
        // The fewest bytes that lie in the interval whatever follows them: dropping more would hide bits in the length of the stream.
        for bytes in 1..=8u32 {
            let unit = u64::MAX.checked_shr(8 * bytes).unwrap_or(0);
            let (raised, carried) = self.low.overflowing_add(unit);
            let number = raised & !unit;
            let above = number.wrapping_sub(self.low);
            if bytes == 8 || above < self.range && self.range - above > unit {
                if carried {
                    self.carry();
                }
                stream.extend(self.words.iter().flat_map(|word| word.to_be_bytes()));
                stream.extend_from_slice(&number.to_be_bytes()[..bytes as usize]);
                break;
            }
        }
        stream
    }
}

/// Reads decisions back.
#[derive(Debug, Clone)]
pub struct RangeDecoder<'a> {
    stream: &'a [u8],
    at: usize,
    offset: u64,
    range: u64,
}

impl<'a> RangeDecoder<'a> {
    /// Reads from the beginning of a stream.
    pub fn new(stream: &'a [u8]) -> Self {
        let mut decoder = RangeDecoder { stream, at: 0, offset: 0, range: u64::MAX };
        decoder.offset = (u64::from(decoder.next_word()) << 32) | u64::from(decoder.next_word());
        decoder
    }

    /// The next four bytes; zeros follow the stream.
    #[inline]
    fn next_word(&mut self) -> u32 {
        let rest = self.stream.get(self.at..).unwrap_or_default();
        self.at += 4;
        match rest.first_chunk() {
            Some(word) => u32::from_be_bytes(*word),
            None => rest.iter().zip([24, 16, 8]).fold(0, |word, (byte, shift)| word | u32::from(*byte) << shift),
        }
    }

    /// The next decision, which was true with probability `p`/2³².
    #[inline]
    pub fn next(&mut self, p: u32) -> bool {
        let share = shared(self.range, p);
        let (above, truth) = self.offset.overflowing_sub(share);
        self.offset = select_unpredictable(truth, self.offset, above);
        self.range = select_unpredictable(truth, share, self.range - share);
        if self.range < LEAST {
            self.offset = self.offset << 32 | u64::from(self.next_word());
            self.range <<= 32;
        }
        truth
    }

    /// Refuses a stream that goes on after what was read, or that no encoder wrote.
    pub fn finish(self) -> Result<()> {
        let broken = |what: &str| Err(Error::from(ErrorKind::Format { expected: "coded stream", what: what.into() }));
        match (self.at < self.stream.len(), self.offset < self.range) {
            (true, _) => broken("it goes on after its last symbol"),
            (_, false) => broken("its numbers lie outside of what was coded"),
            _ => Ok(()),
        }
    }
}

/// The share p/2³² of a range, above 0 and below the range: the upper word of a product.
#[inline(always)]
fn shared(range: u64, p: u32) -> u64 {
    ((u128::from(range) * u128::from(u64::from(p) << 32)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(decisions: &[(bool, u32)]) -> f64 {
        let mut encoder = RangeEncoder::default();
        let mut ideal = 0.0;
        for &(truth, p) in decisions {
            encoder.push(truth, p);
            let share = f64::from(p) / LEAST as f64;
            ideal -= if truth { share } else { 1.0 - share }.log2();
        }
        let stream = encoder.finish();
        let mut decoder = RangeDecoder::new(&stream);
        for (i, &(truth, p)) in decisions.iter().enumerate() {
            assert_eq!(decoder.next(p), truth, "decision {i}");
        }
        decoder.finish().unwrap();
        8.0 * stream.len() as f64 - ideal
    }

    #[test]
    fn a_hundred_thousand_random_decisions_come_back_within_the_bound() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for sharp in [0, 4, 12, 30] {
            let decisions: Vec<(bool, u32)> = (0..100_000)
                .map(|_| {
                    let p = (next() >> (next() % (sharp + 1))).max(1);
                    (next() < p, p)
                })
                .collect();
            let excess = check(&decisions);
            assert!((-1e-3..=16.01).contains(&excess), "{sharp}: {excess}");
        }
    }

    #[test]
    fn carries_run_back_through_the_whole_stream() {
        // Half steps to the upper end pile up ones; the last decision carries through all of them.
        let mut decisions = vec![(false, 1u32 << 31); 500];
        decisions.extend([(false, u32::MAX), (false, u32::MAX), (true, 1), (false, 1 << 31)]);
        check(&decisions);
        check(&vec![(false, u32::MAX); 300]);
        check(&vec![(true, 1); 300]);
        check(&[]);
    }

    #[test]
    fn what_follows_the_end_is_an_error() {
        let mut encoder = RangeEncoder::default();
        (0..200).for_each(|i| encoder.push(i % 3 == 0, 1 << 30));
        let mut stream = encoder.finish();
        stream.extend([1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let mut decoder = RangeDecoder::new(&stream);
        let read = (0..200).filter(|_| decoder.next(1 << 30)).count();
        assert_eq!(read, 67);
        assert!(decoder.finish().unwrap_err().to_string().contains("goes on"));
    }

    proptest! {
        #[test]
        fn decisions_come_back(decisions in prop::collection::vec((any::<bool>(), 1u32..), 0..400)) {
            let excess = check(&decisions);
            prop_assert!(excess <= 16.01 && excess > -1e-3, "{excess}");
        }
    }
}
