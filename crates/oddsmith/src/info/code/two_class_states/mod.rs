//! Two classes of very many rows by asymmetric numeral systems: sixteen states side by side, one instruction for all of them where the processor can.
//!
//! ```text
//! to code a class of share g/2¹⁴ that begins at c:   x ≥ g·2¹⁸ writes 16 bits of x;   x ← ⌊x/g⌋·2¹⁴ + x mod g + c
//! to read it back:   s = x mod 2¹⁴ lies in the share of the class;   x ← g·⌊x/2¹⁴⌋ + s − c;   x < 2¹⁶ reads 16 bits
//! ```
//!
//! What was written last is read first (Duda 2009), so rows are coded from the last to the first. Row i goes to state i mod 16; the words of all states
//! lie in one stream, in the order in which a reader asks for them, behind the states: four bits for the place of the highest bit of each, and the bits
//! below it. Rows lose some 10⁻⁴ bits, and a state costs at most 20 bits more than it says.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod decoder;
mod encoder;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod packed;
mod shares;

use pulp::Arch;

use self::decoder::StateDecoder;
use self::encoder::StateEncoder;
use self::shares::shares;
use super::class_stream::broken;
use super::probability_rows::ProbabilityRows;
use crate::error::Result;

/// States side by side.
const STATES: usize = 16;
/// Shares are numbers of 14 bits: a state has at least 16, and what it has beyond the shares is how finely it is divided.
const ONE: u32 = 1 << 14;
/// The least value of a state before it reads, and the one that it begins and ends with.
const LEAST: u32 = 1 << 16;

/// Rows whose shares are computed before they are coded. Rows are coded from the last to the first, but read forwards within a block: memory is
/// slow where blocks are short.
const BLOCK: usize = 2048;

/// A row of every state.
type Group = [u32; STATES];

/// Codes the classes of a part of the rows; tells whether all of them are probabilities. Every block is shown to `see`, with the number of its first
/// row, while it is at hand.
pub(super) fn encode(classes: &[u32], rows: &ProbabilityRows<'_>, mut see: impl FnMut(usize, &[u32])) -> (Vec<u8>, bool) {
    let arch = Arch::new();
    let (mut encoder, mut own, mut fine) = (StateEncoder::new(arch), [0; BLOCK], true);
    for (block, classes) in classes.chunks(BLOCK).enumerate().rev() {
        let lo = block * BLOCK;
        fine &= shares(arch, &rows.part(lo, lo + classes.len()), &mut own);
        encoder.push_block(classes, &own);
        see(lo, classes);
    }
    (encoder.finish(), fine)
}

/// Reads the classes of a part of the rows into their places; tells whether all rows are probabilities. Blocks are shown as they are when they are coded.
pub(super) fn decode(bytes: &[u8], rows: &ProbabilityRows<'_>, classes: &mut [u32], mut see: impl FnMut(usize, &[u32])) -> Result<bool> {
    let arch = Arch::new();
    let mut decoder = StateDecoder::new(arch, bytes).ok_or_else(|| broken("it is cut"))?;
    let (mut own, mut fine) = ([0; BLOCK], true);
    for (block, classes) in classes.chunks_mut(BLOCK).enumerate() {
        let lo = block * BLOCK;
        fine &= shares(arch, &rows.part(lo, lo + classes.len()), &mut own);
        decoder.next_block(&own, classes);
        see(lo, classes);
    }
    match !fine || decoder.is_at_its_end() {
        true => Ok(fine),
        false => Err(broken("its numbers lie outside of what was coded")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::kernel::testing::every_arch;

    /// Blocks of shares, most of them at the ends, with classes that have them.
    fn drawn(rows: usize) -> (Vec<u32>, Vec<[u32; BLOCK]>) {
        let mut state = 7u64;
        let mut draw = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        let mut share = || ((draw() % ONE) >> (draw() % 14)).max(1);
        let shares: Vec<[u32; BLOCK]> = (0..rows.div_ceil(BLOCK)).map(|_| std::array::from_fn(|_| share())).collect();
        let classes = shares.as_flattened().iter().take(rows).enumerate();
        (classes.map(|(at, share)| u32::from((at as u32).wrapping_mul(2_654_435_761) >> 18 >= *share)).collect(), shares)
    }

    #[test]
    fn rows_come_back_however_many_are_done_at_a_time() {
        for arch in every_arch() {
            for rows in [0, 1, 15, 16, 17, 255, 256, 257, BLOCK - 1, BLOCK, BLOCK + 1, 60_000] {
                check_rows(arch, rows);
            }
        }
    }

    /// Codes rows in blocks and one by one, and reads them in both ways.
    fn check_rows(arch: Arch, rows: usize) {
        let (classes, shares) = drawn(rows);
        let (mut encoder, mut plain) = (StateEncoder::new(arch), StateEncoder::new(arch));
        plain.words = vec![0; rows + STATES];
        for (block, own) in classes.chunks(BLOCK).zip(&shares).rev() {
            encoder.push_block(block, own);
            (0..block.len()).rev().for_each(|at| plain.push(at % STATES, block[at], own[at]));
        }
        let bytes = encoder.finish();
        assert_eq!(bytes, plain.finish(), "{arch:?} {rows}");
        let (mut wide, mut narrow) = (StateDecoder::new(arch, &bytes).unwrap(), StateDecoder::new(arch, &bytes).unwrap());
        let (mut found, mut one_by_one) = (vec![9; rows], Vec::new());
        for (block, own) in found.chunks_mut(BLOCK).zip(&shares) {
            wide.next_block(own, block);
            one_by_one.extend((0..block.len()).map(|at| narrow.next(at % STATES, own[at])));
        }
        assert!(found == classes && one_by_one == classes && wide.is_at_its_end() && narrow.is_at_its_end(), "{arch:?} {rows}");
    }

    /// Quotients are one off at most at the ends of what a state can be, too.
    #[test]
    fn states_at_their_ends_are_divided_as_one_by_one() {
        for first in [1, 2, 3, 5, 7, 127, 128, 5461, 8191, 8192, 8193, 16_381, 16_382, 16_383] {
            for share in [first, ONE - first] {
                let full = share << 18;
                let near = |x: u32| (0..4).flat_map(move |by| [x.wrapping_sub(by), x.wrapping_add(by)]);
                let whole = [1u32, 2, 3, 1 << 17, (1 << 17) + 1, (1 << 18) - 1].map(|quotient| quotient * share);
                let starts: Vec<u32> =
                    whole.into_iter().chain([full, LEAST, u32::MAX - 4]).flat_map(near).filter(|x| *x >= LEAST).collect();
                for states in starts.chunks(STATES).map(|some| std::array::from_fn(|at| some[at % some.len()])) {
                    check_step(states, u32::from(share != first), first);
                }
            }
        }
    }

    /// Codes a group of equal rows from given states.
    fn check_step(states: Group, class: u32, first: u32) {
        let stepped = |arch: Arch| {
            let mut encoder = StateEncoder { states, ..StateEncoder::new(arch) };
            encoder.push_block(&[class; STATES], &[first; BLOCK]);
            encoder.words.truncate(encoder.written);
            (encoder.states, encoder.words)
        };
        let plain = stepped(Arch::Scalar);
        every_arch().into_iter().for_each(|arch| assert_eq!(stepped(arch), plain, "{arch:?}: {states:?} {class} {first}"));
    }

    #[test]
    fn shares_are_the_nearest_of_14_bits_and_what_is_no_probability_is_told() {
        let mut p: Vec<f64> = (0..=1000).map(|at| f64::from(at) / 1000.0).collect();
        p.extend((0..100).map(|at| (f64::from(at) + 0.5) / f64::from(ONE)).chain([1e-300, 1.0 - 1e-16]));
        let share = |p: f64| ((f64::from(ONE) * (1.0 - p) + 0.5).floor() as u32).clamp(1, ONE - 1);
        for arch in every_arch() {
            let told = |p: &[f64]| {
                let mut own = [0; BLOCK];
                (shares(arch, &ProbabilityRows::OfSecond(p), &mut own), own)
            };
            let (fine, own) = told(&p);
            assert!(fine);
            assert_eq!(own[..p.len()], p.iter().map(|p| share(*p)).collect::<Vec<_>>(), "{arch:?}");
            for wrong in [f64::NAN, -1e-300, 1.0 + 1e-15, f64::INFINITY] {
                assert!((0..p.len()).step_by(41).all(|at| !told(&[&p[..at], &[wrong], &p[at..]].concat()).0), "{arch:?} {wrong}");
            }
        }
    }

    #[test]
    fn bytes_without_states_are_none() {
        let begun = |bytes: &[u8]| StateDecoder::new(Arch::new(), bytes);
        // Sixteen states of 4 and 16 bits are 40 bytes, of 4 and 31 bits 70.
        assert!(begun(&[0; 39]).is_none() && begun(&[0; 41]).is_none() && begun(&[0; 40]).is_some());
        // Whatever stands there, reading ends, and is not at its end.
        for arch in every_arch() {
            let mut decoder = StateDecoder::new(arch, &[255; 72]).unwrap();
            decoder.next_block(&[3; BLOCK], &mut [0; 100]);
            assert!(!decoder.is_at_its_end());
        }
    }
}
