//! A group of rows at a time by AVX2: sixteen states in two vectors, whose chains of instructions do not wait for each other.

use std::arch::x86_64::__m256i;

use pulp::x86::V3;
use pulp::{NullaryFnOnce, cast};

use super::decoder::StateDecoder;
use super::encoder::StateEncoder;
use super::lanes::{GATHERED, SPREAD};
use super::{Group, ONE};

pub(super) fn push(simd: V3, encoder: &mut StateEncoder, groups: &[Group], shares: &[Group]) {
    simd.vectorize(Push { simd, encoder, groups, shares });
}

pub(super) fn next(simd: V3, decoder: &mut StateDecoder, shares: &[Group], groups: &mut [Group]) {
    simd.vectorize(Next { simd, decoder, shares, groups });
}

/// States of eight rows, or numbers of them.
type Eight = __m256i;

/// The lanes whose bits are set.
#[inline(always)]
fn lanes(simd: V3, mask: Eight) -> u8 {
    simd.avx._mm256_movemask_ps(simd.avx._mm256_castsi256_ps(mask)) as u8
}

struct Push<'a> {
    simd: V3,
    encoder: &'a mut StateEncoder,
    groups: &'a [Group],
    shares: &'a [Group],
}

impl NullaryFnOnce for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Push { simd, encoder, groups, shares } = self;
        let [mut low, mut high]: [Eight; 2] = cast(encoder.states);
        // In registers: through memory, the place of every word would wait for the one before to be stored.
        let (words, mut written) = (&mut encoder.words[..], encoder.written);
        for (classes, shares) in groups.iter().zip(shares).rev() {
            let ([low_classes, high_classes], [low_shares, high_shares]): ([Eight; 2], [Eight; 2]) = (cast(*classes), cast(*shares));
            let (low_slice, high_slice) = (Slice::of(simd, low_classes, low_shares), Slice::of(simd, high_classes, high_shares));
            let (low_full, high_full) = (low_slice.is_full(simd, low), high_slice.is_full(simd, high));
            // The last state comes first, so that the words of a group are written in the order in which they are written one by one.
            let [low_words, high_words] = lowest_words(simd, low, high);
            for (full, told) in [(lanes(simd, high_full), high_words), (lanes(simd, low_full), low_words)] {
                if let Some(room) = words.get_mut(written..).and_then(|rest| rest.first_chunk_mut::<8>()) {
                    *room = cast(simd.ssse3._mm_shuffle_epi8(cast(told), cast(GATHERED[usize::from(full)])));
                }
                written += full.count_ones() as usize;
            }
            low = low_slice.push(simd, low, low_full);
            high = high_slice.push(simd, high, high_full);
        }
        encoder.written = written;
        encoder.states = cast([low, high]);
    }
}

/// The lowest 16 bits of all states.
#[inline(always)]
fn lowest_words(simd: V3, low: Eight, high: Eight) -> [[u16; 8]; 2] {
    let below = simd.avx._mm256_set1_epi32(0xFFFF);
    let both = simd.avx2._mm256_packus_epi32(simd.avx2._mm256_and_si256(low, below), simd.avx2._mm256_and_si256(high, below));
    // Vectors are packed half by half.
    cast(simd.avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(both))
}

/// What the states of eight rows are divided by. Nothing of it depends on them, so it is there before they are.
struct Slice {
    /// Shares g of the classes, and where they begin.
    share: Eight,
    begin: Eight,
    /// 2¹⁴ − g.
    others: Eight,
    /// 2/g, and 1/(2g) − ¾.
    twice: std::arch::x86_64::__m256,
    offset: std::arch::x86_64::__m256,
}

impl Slice {
    #[inline(always)]
    fn of(simd: V3, classes: Eight, first: Eight) -> Self {
        let (avx, avx2) = (simd.avx, simd.avx2);
        let is_first = avx2._mm256_cmpeq_epi32(classes, avx._mm256_setzero_si256());
        let rest = avx2._mm256_sub_epi32(avx._mm256_set1_epi32(ONE as i32), first);
        let share = avx2._mm256_blendv_epi8(rest, first, is_first);
        let twice = avx._mm256_div_ps(avx._mm256_set1_ps(2.0), avx._mm256_cvtepi32_ps(share));
        Slice {
            share,
            begin: avx2._mm256_andnot_si256(is_first, first),
            others: avx2._mm256_blendv_epi8(first, rest, is_first),
            twice,
            offset: simd.fma._mm256_fmadd_ps(twice, avx._mm256_set1_ps(0.25), avx._mm256_set1_ps(-0.75)),
        }
    }

    /// The states that write a word: x ≥ g·2¹⁸.
    #[inline(always)]
    fn is_full(&self, simd: V3, x: Eight) -> Eight {
        let limit = simd.avx2._mm256_slli_epi32::<18>(self.share);
        simd.avx2._mm256_cmpeq_epi32(simd.avx2._mm256_max_epu32(x, limit), x)
    }

    /// The states behind the rows, where those that are `full` write a word.
    ///
    /// With x = 2h + b = q g + r the number that is rounded is t = (2h + ½)/g − ¾ = q + (r ± ½)/g − ¾, which lies from q − 1¼ to q + ¼. It is
    /// computed from h, 2/g and the offset, each of them and the result within 2⁻²⁴ of themselves, and q < 2¹⁸: t is off by less than 2⁻⁴. So the
    /// nearest whole number is q or q − 1, and the rest of x says which.
    #[inline(always)]
    fn push(&self, simd: V3, x: Eight, full: Eight) -> Eight {
        let (avx, avx2) = (simd.avx, simd.avx2);
        let x = avx2._mm256_blendv_epi8(x, avx2._mm256_srli_epi32::<16>(x), full);
        let half = avx._mm256_cvtepi32_ps(avx2._mm256_srli_epi32::<1>(x));
        let near = avx._mm256_cvtps_epi32(simd.fma._mm256_fmadd_ps(half, self.twice, self.offset));
        let rest = avx2._mm256_sub_epi32(x, avx2._mm256_mullo_epi32(near, self.share));
        // rest is below 2g, so its sign is that of a small number.
        let is_less = avx2._mm256_cmpgt_epi32(self.share, rest);
        // q·2¹⁴ + r + c is near·2¹⁴ + rest + c, and 2¹⁴ − g more where near is q − 1.
        let begun = avx2._mm256_add_epi32(avx2._mm256_slli_epi32::<14>(near), self.begin);
        let more = avx2._mm256_andnot_si256(is_less, self.others);
        avx2._mm256_add_epi32(avx2._mm256_add_epi32(begun, rest), more)
    }
}

struct Next<'a> {
    simd: V3,
    decoder: &'a mut StateDecoder,
    shares: &'a [Group],
    groups: &'a mut [Group],
}

impl NullaryFnOnce for Next<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Next { simd, decoder, shares, groups } = self;
        let (avx2, none) = (simd.avx2, [0u16; 8]);
        let mut states: [Eight; 2] = cast(decoder.states);
        let (words, mut read) = (&decoder.words[..], decoder.read);
        for (classes, shares) in groups.iter_mut().zip(shares) {
            let shares: [Eight; 2] = cast(*shares);
            let mut found = [simd.avx._mm256_setzero_si256(); 2];
            for ((x, first), class) in states.iter_mut().zip(shares).zip(&mut found) {
                (*x, *class) = divided(simd, *x, first);
                let short = avx2._mm256_cmpeq_epi32(avx2._mm256_srli_epi32::<16>(*x), simd.avx._mm256_setzero_si256());
                let set = lanes(simd, short);
                let told = words.get(read..).and_then(|rest| rest.first_chunk()).unwrap_or(&none);
                let told = simd.ssse3._mm_shuffle_epi8(cast(*told), cast(SPREAD[usize::from(set)]));
                read += set.count_ones() as usize;
                let moved = avx2._mm256_blendv_epi8(*x, avx2._mm256_slli_epi32::<16>(*x), short);
                *x = avx2._mm256_or_si256(moved, avx2._mm256_cvtepu16_epi32(told));
            }
            *classes = cast(found);
        }
        decoder.read = read;
        decoder.states = cast(states);
    }
}

/// The states before the rows, but for what they read, and the classes of the rows.
#[inline(always)]
fn divided(simd: V3, x: Eight, first: Eight) -> (Eight, Eight) {
    let (avx, avx2) = (simd.avx, simd.avx2);
    let (place, whole) = (avx2._mm256_and_si256(x, avx._mm256_set1_epi32(ONE as i32 - 1)), avx2._mm256_srli_epi32::<14>(x));
    let is_first = avx2._mm256_cmpgt_epi32(first, place);
    let share = avx2._mm256_blendv_epi8(avx2._mm256_sub_epi32(avx._mm256_set1_epi32(ONE as i32), first), first, is_first);
    let place = avx2._mm256_sub_epi32(place, avx2._mm256_andnot_si256(is_first, first));
    let class = avx2._mm256_add_epi32(avx._mm256_set1_epi32(1), is_first);
    (avx2._mm256_add_epi32(avx2._mm256_mullo_epi32(share, whole), place), class)
}
