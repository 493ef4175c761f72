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

use super::class_coder::whole;
use super::probability_rows::{BLOCK, ProbabilityRows};
use super::{BitReader, BitWriter};
use crate::error::Result;
use crate::num::kernel::widest;

/// States side by side.
const STATES: usize = 16;
/// Shares are numbers of 14 bits: a state has at least 16, and what it has beyond the shares is how finely it is divided.
const ONE: u32 = 1 << 14;
/// The least value of a state before it reads, and the one that it begins and ends with.
const LEAST: u32 = 1 << 16;

/// A row of every state.
type Group = [u32; STATES];

/// The states in as few bits as they have: sixteen times four bits for how many there are above sixteen, then the bits below the highest.
fn packed(states: &Group) -> Vec<u8> {
    let mut bits = BitWriter::default();
    for state in states {
        bits.push_number(state.ilog2() - 16, 4);
    }
    for state in states {
        let length = state.ilog2();
        bits.push_number(*state, length);
    }
    bits.into_bytes()
}

/// The states, and what stands behind them.
fn unpacked(bytes: &[u8]) -> Option<(Group, &[u8])> {
    let mut bits = BitReader::new(bytes);
    let mut states = [0; STATES];
    for state in &mut states {
        *state = bits.next_number(4)? + 16;
    }
    let length = (4 * STATES as u32 + states.iter().sum::<u32>()).div_ceil(8) as usize;
    for state in &mut states {
        *state = 1 << *state | bits.next_number(*state)?;
    }
    Some((states, bytes.get(length..)?))
}

/// Writes classes, the last row first.
#[derive(Debug)]
pub(super) struct StateEncoder {
    states: Group,
    /// Words in the order of writing, and room for more.
    words: Vec<u16>,
    written: usize,
}

impl StateEncoder {
    /// Nothing written yet.
    pub(super) fn new() -> Self {
        StateEncoder { states: [LEAST; STATES], words: Vec::new(), written: 0 }
    }

    /// Codes the classes of a block of rows, whose first one has a number that sixteen divides; the block after it was the one before.
    pub(super) fn push_block(&mut self, classes: &[u32], shares: &[u32; BLOCK]) {
        // A row writes one word at most, and a group is written as a whole.
        if self.words.len() < self.written + BLOCK + STATES {
            self.words.resize(2 * self.words.len() + BLOCK + STATES, 0);
        }
        let (groups, rest) = classes.as_chunks::<STATES>();
        let shares = shares.as_chunks::<STATES>().0;
        if let Some(shares) = shares.get(groups.len()) {
            rest.iter().enumerate().rev().for_each(|(state, class)| self.push(state, *class, shares[state]));
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            return wide::push(simd, self, groups, shares);
        }
        self.push_groups(groups, shares);
    }

    fn push_groups(&mut self, groups: &[Group], shares: &[Group]) {
        for (classes, shares) in groups.iter().zip(shares).rev() {
            (0..STATES).rev().for_each(|state| self.push(state, classes[state], shares[state]));
        }
    }

    #[inline(always)]
    fn push(&mut self, state: usize, class: u32, first: u32) {
        let (share, begin) = if class == 0 { (first, 0) } else { (ONE - first, first) };
        let x = &mut self.states[state];
        if *x >= share << 18 {
            self.words[self.written] = *x as u16;
            self.written += 1;
            *x >>= 16;
        }
        // ⌊x/g⌋·2¹⁴ + x mod g by one division.
        *x += *x / share * (ONE - share) + begin;
    }

    /// The bytes: the states, and the words as they are read.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = packed(&self.states);
        bytes.reserve(2 * self.written);
        self.words[..self.written].iter().rev().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }
}

/// Reads classes, the first row first.
#[derive(Debug)]
pub(super) struct StateDecoder {
    states: Group,
    /// The words, and zeros for a group behind them.
    words: Vec<u16>,
    read: usize,
}

impl StateDecoder {
    /// Reads from the beginning; none where there is not even a state for every row of a group.
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let (states, words) = unpacked(bytes)?;
        let (words, []) = words.as_chunks::<2>() else { return None };
        let words = words.iter().map(|word| u16::from_le_bytes(*word)).chain([0; STATES]).collect();
        Some(StateDecoder { states, words, read: 0 })
    }

    /// Reads the classes of the next block of rows.
    pub(super) fn next_block(&mut self, shares: &[u32; BLOCK], classes: &mut [u32]) {
        let (groups, rest) = classes.as_chunks_mut::<STATES>();
        let shares = shares.as_chunks::<STATES>().0;
        let last = shares.get(groups.len());
        self.next_groups_widest(shares, groups);
        if let Some(shares) = last {
            rest.iter_mut().enumerate().for_each(|(state, class)| *class = self.next(state, shares[state]));
        }
    }

    fn next_groups_widest(&mut self, shares: &[Group], groups: &mut [Group]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            return wide::next(simd, self, shares, groups);
        }
        self.next_groups(shares, groups);
    }

    fn next_groups(&mut self, shares: &[Group], groups: &mut [Group]) {
        for (classes, shares) in groups.iter_mut().zip(shares) {
            (0..STATES).for_each(|state| classes[state] = self.next(state, shares[state]));
        }
    }

    #[inline(always)]
    fn next(&mut self, state: usize, first: u32) -> u32 {
        let x = &mut self.states[state];
        let (place, whole) = (*x & (ONE - 1), *x >> 14);
        let second = place >= first;
        *x = if second { (ONE - first) * whole + place - first } else { first * whole + place };
        if *x < LEAST {
            *x = *x << 16 | u32::from(self.words.get(self.read).copied().unwrap_or(0));
            self.read += 1;
        }
        u32::from(second)
    }

    /// Whether everything was read, and nothing else.
    pub(super) fn is_at_its_end(&self) -> bool {
        self.read + STATES == self.words.len() && self.states == [LEAST; STATES]
    }
}

/// The shares of the first classes of some rows, and whether all rows are probabilities. They add up to 1, so nothing is divided.
pub(super) fn shares(rows: &ProbabilityRows<'_>, into: &mut [u32; BLOCK]) -> bool {
    widest(
        #[inline(always)]
        || rows.each_of_two(into, |first, _| whole(f64::from(ONE) * first).min(ONE - 1)),
    )
}

/// Codes the classes of a part of the rows; tells whether all of them are probabilities. Every block is shown to `see`, with the number of its first
/// row, while it is at hand.
pub(super) fn encode(classes: &[u32], rows: &ProbabilityRows<'_>, mut see: impl FnMut(usize, &[u32])) -> (Vec<u8>, bool) {
    let (mut encoder, mut own, mut fine) = (StateEncoder::new(), [0; BLOCK], true);
    for (block, classes) in classes.chunks(BLOCK).enumerate().rev() {
        let lo = block * BLOCK;
        fine &= shares(&rows.part(lo, lo + classes.len()), &mut own);
        encoder.push_block(classes, &own);
        see(lo, classes);
    }
    (encoder.finish(), fine)
}

/// Reads the classes of a part of the rows; tells whether all of them are probabilities. Blocks are shown as they are when they are coded.
pub(super) fn decode(bytes: &[u8], rows: &ProbabilityRows<'_>, mut see: impl FnMut(usize, &[u32])) -> Result<(Vec<u32>, bool)> {
    let mut decoder = StateDecoder::new(bytes).ok_or_else(|| super::class_stream::broken("it is cut"))?;
    let (mut own, mut block, mut fine) = ([0; BLOCK], [0; BLOCK], true);
    let mut classes = Vec::with_capacity(rows.rows());
    for lo in (0..rows.rows()).step_by(BLOCK) {
        let part = rows.part(lo, rows.rows().min(lo + BLOCK));
        let block = &mut block[..part.rows()];
        fine &= shares(&part, &mut own);
        decoder.next_block(&own, block);
        see(lo, block);
        classes.extend_from_slice(block);
    }
    match !fine || decoder.is_at_its_end() {
        true => Ok((classes, fine)),
        false => Err(super::class_stream::broken("its numbers lie outside of what was coded")),
    }
}

/// The same for a group of rows at a time.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::__m512i;

    use pulp::x86::V4;
    use pulp::{NullaryFnOnce, cast};

    use super::{Group, LEAST, ONE, STATES, StateDecoder, StateEncoder};

    pub(super) fn push(simd: V4, encoder: &mut StateEncoder, groups: &[Group], shares: &[Group]) {
        simd.vectorize(Push { simd, encoder, groups, shares });
    }

    pub(super) fn next(simd: V4, decoder: &mut StateDecoder, shares: &[Group], groups: &mut [Group]) {
        simd.vectorize(Next { simd, decoder, shares, groups });
    }

    struct Push<'a> {
        simd: V4,
        encoder: &'a mut StateEncoder,
        groups: &'a [Group],
        shares: &'a [Group],
    }

    impl NullaryFnOnce for Push<'_> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let Push { simd, encoder, groups, shares } = self;
            let avx = simd.avx512f;
            // The last state comes first, so that the words of a group are written in the order in which they are written one by one.
            let back: __m512i = cast::<Group, _>(std::array::from_fn(|state| (STATES - 1 - state) as u32));
            let (all, one) = (avx._mm512_set1_epi32(ONE as i32), avx._mm512_set1_epi32(1));
            let mut x = avx._mm512_permutexvar_epi32(back, cast(encoder.states));
            // In registers: through memory, the place of every word would wait for the one before to be stored.
            let (words, mut written) = (&mut encoder.words[..], encoder.written);
            for (classes, shares) in groups.iter().zip(shares).rev() {
                let classes = avx._mm512_permutexvar_epi32(back, cast(*classes));
                let first = avx._mm512_permutexvar_epi32(back, cast(*shares));
                let second = avx._mm512_test_epi32_mask(classes, classes);
                let share = avx._mm512_mask_sub_epi32(first, second, all, first);
                let full = avx._mm512_cmpge_epu32_mask(x, avx._mm512_slli_epi32::<18>(share));
                let told = avx._mm512_cvtepi32_epi16(avx._mm512_maskz_compress_epi32(full, x));
                if let Some(room) = words.get_mut(written..).and_then(|rest| rest.first_chunk_mut::<STATES>()) {
                    *room = cast(told);
                }
                written += full.count_ones() as usize;
                x = avx._mm512_mask_srli_epi32::<16>(x, full, x);
                // A quotient of less than 2¹⁸ by numbers of 24 bits is one off at most; what remains says which way.
                let near = avx._mm512_div_ps(avx._mm512_cvtepu32_ps(x), avx._mm512_cvtepu32_ps(share));
                let near = avx._mm512_cvttps_epu32(near);
                let rest = avx._mm512_sub_epi32(x, avx._mm512_mullo_epi32(near, share));
                let above = avx._mm512_cmplt_epi32_mask(rest, avx._mm512_setzero_si512());
                let below = avx._mm512_mask_cmpge_epu32_mask(!above, rest, share);
                let quotient = avx._mm512_mask_sub_epi32(near, above, near, one);
                let quotient = avx._mm512_mask_add_epi32(quotient, below, quotient, one);
                let grown = avx._mm512_add_epi32(x, avx._mm512_mullo_epi32(quotient, avx._mm512_sub_epi32(all, share)));
                x = avx._mm512_mask_add_epi32(grown, second, grown, first);
            }
            encoder.written = written;
            encoder.states = cast(avx._mm512_permutexvar_epi32(back, x));
        }
    }

    struct Next<'a> {
        simd: V4,
        decoder: &'a mut StateDecoder,
        shares: &'a [Group],
        groups: &'a mut [Group],
    }

    impl NullaryFnOnce for Next<'_> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let Next { simd, decoder, shares, groups } = self;
            let (avx, none) = (simd.avx512f, [0u16; STATES]);
            let (all, least) = (avx._mm512_set1_epi32(ONE as i32), avx._mm512_set1_epi32(LEAST as i32));
            let below_all = avx._mm512_set1_epi32(ONE as i32 - 1);
            let mut x: __m512i = cast(decoder.states);
            let (all_words, mut read) = (&decoder.words[..], decoder.read);
            for (classes, shares) in groups.iter_mut().zip(shares) {
                let first = cast(*shares);
                let (place, whole) = (avx._mm512_and_si512(x, below_all), avx._mm512_srli_epi32::<14>(x));
                let second = avx._mm512_cmpge_epu32_mask(place, first);
                let share = avx._mm512_mask_sub_epi32(first, second, all, first);
                let place = avx._mm512_mask_sub_epi32(place, second, place, first);
                x = avx._mm512_add_epi32(avx._mm512_mullo_epi32(share, whole), place);
                let short = avx._mm512_cmplt_epu32_mask(x, least);
                let words = all_words.get(read..).and_then(|rest| rest.first_chunk()).unwrap_or(&none);
                let words = avx._mm512_maskz_expand_epi32(short, avx._mm512_cvtepu16_epi32(cast(*words)));
                read += short.count_ones() as usize;
                x = avx._mm512_or_si512(avx._mm512_mask_slli_epi32::<16>(x, short, x), words);
                *classes = cast(avx._mm512_maskz_set1_epi32(second, 1));
            }
            decoder.read = read;
            decoder.states = cast(x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for rows in [0, 1, 15, 16, 17, 255, 256, 257, 5000] {
            let (classes, shares) = drawn(rows);
            let (mut encoder, mut plain) = (StateEncoder::new(), StateEncoder::new());
            plain.words = vec![0; rows + STATES];
            for (block, own) in classes.chunks(BLOCK).zip(&shares).rev() {
                encoder.push_block(block, own);
                (0..block.len()).rev().for_each(|at| plain.push(at % STATES, block[at], own[at]));
            }
            let bytes = encoder.finish();
            assert_eq!(bytes, plain.finish(), "{rows}");
            let (mut wide, mut narrow) = (StateDecoder::new(&bytes).unwrap(), StateDecoder::new(&bytes).unwrap());
            let (mut found, mut one_by_one) = (vec![9; rows], Vec::new());
            for (block, own) in found.chunks_mut(BLOCK).zip(&shares) {
                wide.next_block(own, block);
                one_by_one.extend((0..block.len()).map(|at| narrow.next(at % STATES, own[at])));
            }
            assert!(found == classes && one_by_one == classes && wide.is_at_its_end() && narrow.is_at_its_end(), "{rows}");
        }
    }

    #[test]
    fn groups_by_themselves_are_the_rows_one_by_one() {
        let (classes, shares) = drawn(4 * BLOCK);
        let (groups, shares) = (classes.as_chunks::<STATES>().0, shares.as_flattened().as_chunks::<STATES>().0);
        let mut encoder = StateEncoder::new();
        encoder.words = vec![0; classes.len()];
        encoder.push_groups(groups, shares);
        let mut decoder = StateDecoder::new(&encoder.finish()).unwrap();
        let mut found = vec![[9; STATES]; groups.len()];
        decoder.next_groups(shares, &mut found);
        assert!(found == groups && decoder.is_at_its_end());
    }

    #[test]
    fn bytes_without_states_are_none() {
        // Sixteen states of 4 and 16 bits are 40 bytes, of 4 and 31 bits 70.
        assert!(StateDecoder::new(&[0; 39]).is_none() && StateDecoder::new(&[0; 41]).is_none() && StateDecoder::new(&[0; 40]).is_some());
        // Whatever stands there, reading ends, and is not at its end.
        let mut decoder = StateDecoder::new(&[255; 72]).unwrap();
        decoder.next_block(&[3; BLOCK], &mut [0; 100]);
        assert!(!decoder.is_at_its_end());
    }
}
