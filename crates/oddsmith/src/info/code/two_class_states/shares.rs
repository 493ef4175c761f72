//! Probabilities of two classes as whole numbers of 14 bits.

use pulp::Arch;

use super::{BLOCK, ONE};
use crate::info::code::class_coder::whole;
use crate::info::code::probability_rows::ProbabilityRows;

/// The shares of the first classes of some rows, and whether all rows are probabilities. They add up to 1, so nothing is divided.
pub(super) fn shares(arch: Arch, rows: &ProbabilityRows<'_>, into: &mut [u32; BLOCK]) -> bool {
    let mut into = &mut into[..];
    let (mut rows, mut fine) = (*rows, true);
    #[cfg(target_arch = "x86_64")]
    if let (Arch::V3(simd), ProbabilityRows::OfSecond(cells)) = (arch, rows) {
        let (eights, rest) = cells.as_chunks();
        let (own, after) = into.as_chunks_mut().0.split_at_mut(eights.len());
        fine = simd.vectorize(eight::SharesOfSecond { simd, eights, into: own });
        (rows, into) = (ProbabilityRows::OfSecond(rest), after.as_flattened_mut());
    }
    let plain = arch.dispatch(
        #[inline(always)]
        || rows.each_of_two(into, |first, _| whole(f64::from(ONE) * first).min(ONE - 1)),
    );
    fine & plain
}

/// Eight rows at a time: a conversion that rounds to zero in place of the additions by which a plain loop rounds down.
#[cfg(target_arch = "x86_64")]
mod eight {
    use std::arch::x86_64::{__m256d, __m256i, _CMP_GE_OQ};

    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, cast};

    use super::ONE;

    pub(super) struct SharesOfSecond<'a> {
        pub(super) simd: V3,
        pub(super) eights: &'a [[f64; 8]],
        pub(super) into: &'a mut [[u32; 8]],
    }

    impl NullaryFnOnce for SharesOfSecond<'_> {
        type Output = bool;

        #[inline(always)]
        fn call(self) -> bool {
            let SharesOfSecond { simd, eights, into } = self;
            let (avx, avx2) = (simd.avx, simd.avx2);
            let (one, zero) = (avx._mm256_set1_pd(1.0), avx._mm256_setzero_pd());
            let (all, half) = (avx._mm256_set1_pd(f64::from(ONE)), avx._mm256_set1_pd(0.5));
            let (least, most) = (avx._mm256_set1_epi32(1), avx._mm256_set1_epi32(ONE as i32 - 1));
            let mut fine = avx._mm256_cmp_pd::<_CMP_GE_OQ>(one, zero);
            for (eight, own) in eights.iter().zip(into) {
                let [second, other_second]: [__m256d; 2] = cast(*eight);
                let (first, other_first) = (avx._mm256_sub_pd(one, second), avx._mm256_sub_pd(one, other_second));
                // What is no number is the lesser one, too.
                let lesser = avx._mm256_cmp_pd::<_CMP_GE_OQ>(avx._mm256_min_pd(first, second), zero);
                let other_lesser = avx._mm256_cmp_pd::<_CMP_GE_OQ>(avx._mm256_min_pd(other_first, other_second), zero);
                fine = avx._mm256_and_pd(fine, avx._mm256_and_pd(lesser, other_lesser));
                // Products with a power of two are exact, so that it does not matter when they are rounded.
                let low = avx._mm256_cvttpd_epi32(simd.fma._mm256_fmadd_pd(all, first, half));
                let high = avx._mm256_cvttpd_epi32(simd.fma._mm256_fmadd_pd(all, other_first, half));
                let both: __m256i = cast([low, high]);
                *own = cast(avx2._mm256_max_epi32(least, avx2._mm256_min_epi32(both, most)));
            }
            avx._mm256_movemask_pd(fine) == 0b1111
        }
    }
}
