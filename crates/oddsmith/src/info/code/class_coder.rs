//! Probabilities of classes as integers that both ends of a line compute alike, and symbols coded by them.
//!
//! A symbol of K is K − 1 decisions: is it the first, else is it the second, … Decision k has the integer probability
//! round(2³² p_k / Σ_{j≥k} p_j), kept from 1 to 2³² − 1, so that nothing that can happen is without a code. The bits of a symbol are those of
//! these integers, which differ from −log2 p by some 2⁻³²/p. Cost: a division and a multiplication for each decision.

use super::{RangeDecoder, RangeEncoder};
use crate::error::Result;

const ONE: f64 = 4_294_967_296.0;

/// Integer probabilities of the classes of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassProbabilities {
    decisions: Vec<u32>,
}

impl ClassProbabilities {
    /// Equal probabilities of `classes` classes.
    pub fn even(classes: usize) -> Self {
        let mut even = ClassProbabilities { decisions: vec![0; classes.saturating_sub(1)] };
        even.set_even();
        even
    }

    fn set_even(&mut self) {
        let classes = self.decisions.len() + 1;
        for (k, decision) in self.decisions.iter_mut().enumerate() {
            *decision = whole(ONE / (classes - k) as f64);
        }
    }

    /// Takes over the probabilities of a row; equal ones where the row has none (a sum that is not above 0, or no number).
    pub fn set(&mut self, probabilities: &[f64]) {
        let mut rest: f64 = probabilities.iter().rev().sum();
        if !(rest > 0.0 && rest.is_finite()) || probabilities.len() != self.decisions.len() + 1 {
            return self.set_even();
        }
        for (k, decision) in self.decisions.iter_mut().enumerate() {
            *decision = whole(if rest > 0.0 { ONE * (probabilities[k] / rest) } else { 0.5 * ONE });
            // Summed anew from the end: differences would lose the rare classes.
            rest = probabilities[k + 1..].iter().rev().sum();
        }
    }

    /// Codes a class.
    #[inline]
    pub fn encode(&self, class: usize, encoder: &mut RangeEncoder) {
        for (k, &p) in self.decisions.iter().enumerate().take(class + 1) {
            encoder.push(k == class, p);
        }
    }

    /// Reads a class.
    #[inline]
    pub fn decode(&self, decoder: &mut RangeDecoder<'_>) -> usize {
        self.decisions.iter().position(|&p| decoder.next(p)).unwrap_or(self.decisions.len())
    }

    /// Bits that a class costs by these integers.
    pub fn bits(&self, class: usize) -> f64 {
        let mut bits = 0.0;
        for (k, &p) in self.decisions.iter().enumerate().take(class + 1) {
            let share = f64::from(p) / ONE;
            bits -= if k == class { libm::log2(share) } else { libm::log1p(-share) * std::f64::consts::LOG2_E };
        }
        bits
    }
}

/// The nearest whole number from 1 to 2³² − 1.
#[inline(always)]
fn whole(p: f64) -> u32 {
    // Through 64 signed bits, which processors convert to at once.
    (p + 0.5).clamp(1.0, ONE - 1.0) as i64 as u32
}

/// Codes classes by the probabilities of their rows, row after row; both are as many as fit together.
pub fn encode_classes(classes: &[u32], probabilities: &[f64], count: usize) -> Vec<u8> {
    let mut encoder = RangeEncoder::default();
    if count == 2 {
        let mut decisions = [0; BLOCK];
        for (classes, rows) in classes.chunks(BLOCK).zip(probabilities.chunks(2 * BLOCK)) {
            let decisions = of_two(rows, &mut decisions);
            classes.iter().zip(decisions).for_each(|(class, p)| encoder.push(*class == 0, *p));
        }
        return encoder.finish();
    }
    let mut row = ClassProbabilities::even(count);
    for (class, p) in classes.iter().zip(probabilities.chunks_exact(count.max(1))) {
        row.set(p);
        row.encode(*class as usize, &mut encoder);
    }
    encoder.finish()
}

/// Reads classes back by the same probabilities.
pub fn decode_classes(stream: &[u8], probabilities: &[f64], count: usize) -> Result<Vec<u32>> {
    let mut decoder = RangeDecoder::new(stream);
    let classes = if count == 2 {
        let mut classes = Vec::with_capacity(probabilities.len() / 2);
        let mut decisions = [0; BLOCK];
        for rows in probabilities.chunks(2 * BLOCK) {
            classes.extend(of_two(rows, &mut decisions).iter().map(|p| u32::from(!decoder.next(*p))));
        }
        classes
    } else {
        let mut row = ClassProbabilities::even(count);
        let mut read = |p: &[f64]| {
            row.set(p);
            row.decode(&mut decoder) as u32
        };
        probabilities.chunks_exact(count.max(1)).map(&mut read).collect()
    };
    decoder.finish()?;
    Ok(classes)
}

/// Rows of two classes whose decisions are computed before they are coded: divisions of many rows overlap, and coding must go one by one.
const BLOCK: usize = 256;

/// The decisions of rows of two classes, as [`ClassProbabilities::set`] makes them.
#[inline]
fn of_two<'a>(rows: &[f64], decisions: &'a mut [u32; BLOCK]) -> &'a [u32] {
    let rows = rows.chunks_exact(2);
    let count = rows.len();
    for (decision, p) in decisions.iter_mut().zip(rows) {
        let rest = p[1] + p[0];
        // Probabilities of two classes mostly add up to one, and a quotient by one need not be computed.
        let share = if rest == 1.0 { p[0] } else { p[0] / rest };
        *decision = whole(if rest > 0.0 && rest.is_finite() { ONE * share } else { 0.5 * ONE });
    }
    &decisions[..count]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn impossible_classes_still_have_a_code() {
        let mut row = ClassProbabilities::even(3);
        assert!((row.bits(2) - 3f64.log2()).abs() < 1e-8);
        row.set(&[1.0, 0.0, 0.0]);
        assert!(row.bits(0) < 1e-8 && row.bits(2) > 32.0 && row.bits(2).is_finite());
        row.set(&[f64::NAN, 0.5, 0.5]);
        assert_eq!(row, ClassProbabilities::even(3));
        assert_eq!(ClassProbabilities::even(1).bits(0), 0.0);
    }

    #[test]
    fn a_hundred_thousand_random_messages_come_back() {
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        for _ in 0..100_000 {
            let (count, rows) = (2 + next() as usize % 4, next() as usize % 9);
            let p: Vec<f64> = (0..count * rows).map(|_| f64::from(next() >> (next() % 30)) / f64::from(1u32 << 31)).collect();
            let classes: Vec<u32> = (0..rows).map(|_| next() % count as u32).collect();
            let stream = encode_classes(&classes, &p, count);
            assert_eq!(decode_classes(&stream, &p, count).unwrap(), classes);
            // One row after the other by the same integers.
            let (mut row, mut encoder, mut ideal) = (ClassProbabilities::even(count), RangeEncoder::default(), 0.0);
            for (class, p) in classes.iter().zip(p.chunks_exact(count)) {
                row.set(p);
                row.encode(*class as usize, &mut encoder);
                ideal += row.bits(*class as usize);
            }
            assert_eq!(encoder.finish(), stream);
            assert!((-1e-3..=64.0).contains(&(8.0 * stream.len() as f64 - ideal)));
        }
    }

    proptest! {
        #[test]
        fn classes_come_back_in_the_bits_of_their_probabilities(rows in prop::collection::vec((prop::collection::vec(1e-6..1.0f64, 4), 0usize..4), 0..300)) {
            let mut row = ClassProbabilities::even(4);
            let mut encoder = RangeEncoder::default();
            let (mut by_integers, mut by_logarithms) = (0.0, 0.0);
            for (p, class) in &rows {
                row.set(p);
                row.encode(*class, &mut encoder);
                by_integers += row.bits(*class);
                by_logarithms -= (p[*class] / p.iter().sum::<f64>()).log2();
            }
            let stream = encoder.finish();
            let mut decoder = RangeDecoder::new(&stream);
            for (p, class) in &rows {
                row.set(p);
                prop_assert_eq!(row.decode(&mut decoder), *class);
            }
            decoder.finish().unwrap();
            let excess = 8.0 * stream.len() as f64 - by_integers;
            prop_assert!((-1e-3..=16.01).contains(&excess), "{}", excess);
            prop_assert!((by_integers - by_logarithms).abs() < 1e-2, "{by_integers} {by_logarithms}");
        }
    }
}
