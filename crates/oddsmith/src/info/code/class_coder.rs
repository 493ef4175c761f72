//! Probabilities of classes as integers that both ends of a line compute alike, and symbols coded by them.
//!
//! A symbol of K is K − 1 decisions: is it the first, else is it the second, … Decision k has the integer probability
//! round(2³² p_k / Σ_{j≥k} p_j), kept from 1 to 2³² − 1, so that nothing that can happen is without a code. The bits of a symbol are those of
//! these integers, which differ from −log2 p by some 2⁻³²/p. Cost: a division and a multiplication for each decision.

use super::{RangeDecoder, RangeEncoder};

pub(super) const ONE: f64 = 4_294_967_296.0;

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
        let Some((last, others)) = probabilities.split_last() else { return };
        // Summed from the end: differences from 1 would lose the rare classes.
        let mut rest = *last;
        for (decision, p) in self.decisions.iter_mut().zip(others).rev() {
            rest += p;
            *decision = whole(if rest > 0.0 { ONE * (p / rest) } else { 0.5 * ONE });
        }
        if !(rest > 0.0 && rest.is_finite()) || others.len() != self.decisions.len() {
            self.set_even();
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

/// The nearest whole number from 1 to 2³² − 1; 1 where there is none.
#[inline(always)]
#[expect(clippy::manual_clamp, reason = "what is not a number becomes 1 here, and stays what it is in a clamp")]
pub(super) fn whole(p: f64) -> u32 {
    /// Numbers from here on have no fraction, and end with the bits of whole numbers.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let up = (p + 0.5).max(1.0).min(ONE - 1.0);
    // Rounded down by additions alone: a loop over this becomes vector code on every processor, one over a conversion does not.
    let near = (up + WHOLE) - WHOLE;
    let down = near - if near > up { 1.0 } else { 0.0 };
    (down + WHOLE).to_bits() as u32
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
    fn whole_numbers_are_the_nearest_ones() {
        for p in [0.0, -3.0, 0.499, 0.5, 1.499_999, 1.5, 2.5, 3.0, 1e9 + 0.5, 2_147_483_648.75, ONE - 1.5, ONE - 0.5, ONE, 1e300] {
            assert_eq!(f64::from(whole(p)), (p + 0.5).floor().clamp(1.0, ONE - 1.0), "{p}");
        }
        assert_eq!(whole(f64::NAN), 1);
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
