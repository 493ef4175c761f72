//! A group of rows at a time by AVX-512: sixteen states in one vector.

use std::arch::x86_64::__m512i;

use pulp::x86::V4;
use pulp::{NullaryFnOnce, cast};

use super::decoder::StateDecoder;
use super::encoder::StateEncoder;
use super::{Group, LEAST, ONE, STATES};

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
