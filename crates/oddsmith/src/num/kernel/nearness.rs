//! Points in tiles against a group of queries in single precision: s_qi = norm_i + Σ_j query_jq · cell_ji, and which of them stay below a limit.
//!
//! With −2 q as query and |x|² as norm, s is |x − q|² − |q|². The sums of a tile and of all queries of a group stay in registers while the
//! coordinates pass; they leave them only where one is below the limit of its query, which few are once a search has begun. Cost: 2 operations
//! per query, point and coordinate.

use crate::num::kernel::instructions::arch;
use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// Points in a tile.
pub const TILE: usize = 32;
/// Queries that are taken side by side at the most.
pub const GROUP: usize = 12;

/// Tiles of points, coordinate after coordinate within a tile.
#[derive(Debug, Clone, Copy)]
pub struct Tiles<'a> {
    /// [`TILE`] numbers per tile and coordinate.
    pub cells: &'a [f32],
    /// One number per point.
    pub norms: &'a [f32],
}

/// Calls `below(q, i, scores)` with the scores of query q and the points from i on wherever one of them is at most the limit of the query; the
/// answer is the query's new limit. `queries` holds `limits.len()` numbers per coordinate.
///
/// # Panics
/// When there are more than [`GROUP`] queries, or the slices contradict each other.
pub fn near_points(tiles: Tiles<'_>, queries: &[f32], limits: &mut [f32], below: impl FnMut(usize, usize, &[f32]) -> f32) {
    let (count, places) = (limits.len(), tiles.norms.len());
    assert!(count <= GROUP && places.is_multiple_of(TILE), "a group of queries and whole tiles");
    let width = queries.len() / count.max(1);
    assert_eq!((queries.len(), tiles.cells.len()), (width * count, width * places), "as many coordinates of points as of queries");
    let arch = arch();
    match count {
        0 => {}
        1 => arch.dispatch(Near::<_, 1> { tiles, queries, limits, width, below }),
        2..=4 => arch.dispatch(Near::<_, 4> { tiles, queries, limits, width, below }),
        _ => arch.dispatch(Near::<_, GROUP> { tiles, queries, limits, width, below }),
    }
}

struct Near<'a, F, const Q: usize> {
    tiles: Tiles<'a>,
    queries: &'a [f32],
    limits: &'a mut [f32],
    width: usize,
    below: F,
}

impl<F: FnMut(usize, usize, &[f32]) -> f32, const Q: usize> WithSimd for Near<'_, F, Q> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Sixteen numbers to a vector leave registers for two vectors of points beside every query, narrower ones for one.
        match S::F32_LANES {
            16 => self.run::<S, 2>(simd),
            _ => self.run::<S, 1>(simd),
        }
    }
}

impl<F: FnMut(usize, usize, &[f32]) -> f32, const Q: usize> Near<'_, F, Q> {
    #[inline(always)]
    fn run<S: Simd, const V: usize>(mut self, simd: S) {
        let count = self.limits.len();
        // Coordinate after coordinate, with zeros for queries that there are not: their limit is below everything.
        let mut padded = vec![[0.0f32; Q]; self.width];
        for (to, from) in padded.iter_mut().zip(self.queries.chunks_exact(count)) {
            to[..count].copy_from_slice(from);
        }
        let mut limits: [f32; Q] = from_fn(|q| self.limits.get(q).copied().unwrap_or(f32::NEG_INFINITY));
        let step = V * S::F32_LANES;
        for (tile, norms) in self.tiles.norms.as_chunks::<TILE>().0.iter().enumerate() {
            let cells = &self.tiles.cells[tile * TILE * self.width..(tile + 1) * TILE * self.width];
            for first in (0..TILE).step_by(step) {
                let sums = Self::sums::<S, V>(simd, &padded, cells, norms, first);
                for (q, sums) in sums.iter().enumerate() {
                    let limit = simd.splat_f32s(limits[q]);
                    let none = sums.iter().all(|sum| simd.first_true_m32s(simd.less_than_or_equal_f32s(*sum, limit)) >= S::F32_LANES);
                    if !none {
                        let mut scores = [0.0f32; TILE];
                        let (vectors, _) = S::as_mut_simd_f32s(&mut scores[..step]);
                        vectors.iter_mut().zip(sums).for_each(|(to, sum)| *to = *sum);
                        limits[q] = (self.below)(q, tile * TILE + first, &scores[..step]);
                    }
                }
            }
        }
        self.limits.copy_from_slice(&limits[..count]);
    }

    /// The scores of V vectors of points, from `first` of a tile on, for all queries.
    #[inline(always)]
    fn sums<S: Simd, const V: usize>(simd: S, queries: &[[f32; Q]], cells: &[f32], norms: &[f32; TILE], first: usize) -> [[S::f32s; V]; Q] {
        let (norms, _) = S::as_simd_f32s(&norms[first..]);
        let mut sums: [[S::f32s; V]; Q] = [from_fn(|v| norms[v]); Q];
        for (cells, queries) in cells.as_chunks::<TILE>().0.iter().zip(queries) {
            let (cells, _) = S::as_simd_f32s(&cells[first..]);
            let cells: [S::f32s; V] = from_fn(|v| cells[v]);
            for (sums, query) in sums.iter_mut().zip(queries) {
                let query = simd.splat_f32s(*query);
                for (sum, cell) in sums.iter_mut().zip(cells) {
                    *sum = simd.mul_add_e_f32s(query, cell, *sum);
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_points_below_the_limit_are_told_with_their_scores() {
        for (width, count) in [(0, 1), (1, 3), (5, 12), (16, 7), (3, 1)] {
            let number = |at: usize| ((at * 37 + 11) % 64) as f32 / 8.0 - 4.0;
            let places = 3 * TILE;
            let cells: Vec<f32> = (0..width * places).map(number).collect();
            let queries: Vec<f32> = (0..width * count).map(|at| number(at + 5)).collect();
            let norms: Vec<f32> = (0..places).map(|i| number(i + 9)).collect();
            // Eighths are exact.
            let score = |q: usize, i: usize| {
                let cell = |j: usize| cells[(i / TILE * width + j) * TILE + i % TILE];
                norms[i] + (0..width).map(|j| queries[j * count + q] * cell(j)).sum::<f32>()
            };
            let limits: Vec<f32> = (0..count).map(|q| q as f32 - 3.0).collect();
            let mut told = Vec::new();
            near_points(Tiles { cells: &cells, norms: &norms }, &queries, &mut limits.clone(), |q, first, scores| {
                scores.iter().enumerate().for_each(|(lane, got)| assert_eq!(*got, score(q, first + lane), "{width}: {q}, {first}"));
                told.extend((first..first + scores.len()).filter(|i| score(q, *i) <= limits[q]).map(|i| (q, i)));
                limits[q]
            });
            told.sort_unstable();
            let all = (0..count).flat_map(|q| (0..places).map(move |i| (q, i)));
            assert_eq!(told, all.filter(|(q, i)| score(*q, *i) <= limits[*q]).collect::<Vec<_>>(), "{width} × {count}");
        }
    }
}
