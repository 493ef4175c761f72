//! Scores of category levels: out[i,k] += Σ_j table[(offset_j + code_ij), k].
//!
//! A code that names no level of its column (missing, unseen) adds nothing. The table is padded to groups
//! of four classes, so that the classes of a cell are added as vectors.
//! Cost: 4·n·p bytes read, one short vector addition per cell and four classes.

use super::aligned::Aligned;
use super::levels::{Codes, Span, spans};
use super::word_scores::{QUAD, pad_table};
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};

/// Scores of K classes from the levels of p columns.
#[derive(Debug, Clone)]
pub struct LevelScores {
    arch: Arch,
    classes: usize,
    spans: Vec<Span>,
    table: Aligned,
}

impl LevelScores {
    /// `offsets` as for [`LevelCounts`](super::LevelCounts::new); `table` holds K numbers per level.
    ///
    /// # Panics
    /// When the table does not have K numbers per level.
    pub fn new(classes: usize, offsets: &[usize], table: &[f64]) -> Self {
        Self::for_arch(arch(), classes, offsets, table)
    }

    pub(super) fn for_arch(arch: Arch, classes: usize, offsets: &[usize], table: &[f64]) -> Self {
        assert_eq!(table.len(), classes * offsets.last().copied().unwrap_or(0), "one number per level and class");
        LevelScores { arch, classes, spans: spans(offsets), table: pad_table(table, classes) }
    }

    /// Adds the scores of `out.len() / K` rows to `out` (n × K).
    ///
    /// # Panics
    /// When `codes` has fewer rows or columns than `out` and the offsets ask for.
    pub fn add(&self, codes: Codes<'_>, buffer: &mut Vec<u32>, out: &mut [f64]) {
        if self.classes == 0 {
            return;
        }
        let rows = out.len() / self.classes;
        codes.for_blocks(rows, self.spans.len(), buffer, |first, count, stride, cells| {
            let out = &mut out[first * self.classes..(first + count) * self.classes];
            self.arch.dispatch(AddBlock { scores: self, stride, cells, out });
        });
    }
}

struct AddBlock<'a> {
    scores: &'a LevelScores,
    stride: usize,
    cells: &'a [u32],
    out: &'a mut [f64],
}

impl WithSimd for AddBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        match self.scores.classes.div_ceil(QUAD) {
            1 => self.add_quads::<1>(0),
            2 => self.add_quads::<2>(0),
            quads => {
                for first in 0..quads / 2 {
                    self.add_quads::<2>(2 * first);
                }
                if quads % 2 == 1 {
                    self.add_quads::<1>(quads - 1);
                }
            }
        }
    }
}

impl AddBlock<'_> {
    /// Adds the classes of `N` groups of four, from group `first` on.
    #[inline(always)]
    fn add_quads<const N: usize>(&mut self, first: usize) {
        let LevelScores { classes, spans, table, .. } = self.scores;
        let quads = classes.div_ceil(QUAD);
        let (table, _) = table.numbers().as_chunks::<QUAD>();
        for (i, out) in self.out.chunks_exact_mut(*classes).enumerate() {
            let row = &self.cells[i * self.stride..][..spans.len()];
            let mut sums = [[0.0; QUAD]; N];
            for (&code, span) in row.iter().zip(spans) {
                if code < span.levels {
                    let Some(entry) = table[(span.start + code as usize) * quads + first..].first_chunk::<N>() else { break };
                    for (sum, entry) in sums.iter_mut().zip(entry) {
                        for (sum, entry) in sum.iter_mut().zip(entry) {
                            *sum += entry;
                        }
                    }
                }
            }
            for (out, sum) in out[first * QUAD..].iter_mut().zip(sums.as_flattened()) {
                *out += sum;
            }
        }
    }
}
