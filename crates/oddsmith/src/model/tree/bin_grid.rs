//! Finds the bin of a number: one more than the number of cuts that do not exceed it, 0 for a gap.
//!
//! The range of the cuts is divided into equal cells. A number's cell says how many cuts lie in cells before it, and these are all below the number;
//! the next cut or two are compared. Where a cell has more of them, or the range has no finite scale, the cuts are halved eight times. All ways give the
//! same code.

/// Cuts of a column, padded so that halving needs no bound.
const PADDED: usize = 256;
/// Cells of the range.
const CELLS: usize = 4096;
/// Cuts below which halving is as good.
const FEW_CUTS: usize = 4;

/// The bins of a number column, for looking numbers up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BinGrid {
    /// The cuts, rising, then infinities.
    cuts: Box<[f64; PADDED]>,
    low: f64,
    /// Cells per unit; 0 where there are none.
    scale: f64,
    /// Cuts in cells before every cell.
    before: Vec<u8>,
}

impl BinGrid {
    /// Of no more than 255 rising cuts.
    pub(super) fn new(cuts: &[f64]) -> Self {
        let mut padded = Box::new([f64::INFINITY; PADDED]);
        padded.iter_mut().zip(cuts).for_each(|(room, cut)| *room = *cut);
        let (low, high) = (padded[0], cuts.last().copied().unwrap_or(f64::INFINITY));
        let scale = (CELLS - 1) as f64 / (high - low);
        let mut grid = BinGrid { cuts: padded, low, scale, before: Vec::new() };
        if cuts.len() < FEW_CUTS || !scale.is_normal() {
            return BinGrid { low: 0.0, scale: 0.0, ..grid };
        }
        for (count, cut) in cuts.iter().enumerate() {
            let cell = grid.cell(*cut);
            if grid.before.len() <= cell {
                grid.before.resize(cell + 1, count as u8);
            }
        }
        grid.before.resize(CELLS, cuts.len() as u8);
        grid
    }

    /// The cell of a number. It never falls as numbers rise.
    #[inline]
    fn cell(&self, x: f64) -> usize {
        ((x - self.low) * self.scale).clamp(0.0, (CELLS - 1) as f64) as usize
    }

    /// The codes of some numbers.
    pub(super) fn codes(&self, numbers: &[f64], codes: &mut [u8]) {
        let Some(before) = self.before.first_chunk::<CELLS>() else {
            numbers.iter().zip(codes).for_each(|(x, code)| *code = self.halved(*x));
            return;
        };
        for (x, code) in numbers.iter().zip(codes) {
            let first = before[self.cell(*x) & (CELLS - 1)];
            let at = first + u8::from(self.cuts[usize::from(first)] <= *x);
            *code = match self.cuts[usize::from(at)] <= *x {
                true => self.halved(*x),
                false if x.is_nan() => 0,
                false => at.saturating_add(1),
            };
        }
    }

    /// Eight steps without a branch.
    #[inline]
    fn halved(&self, x: f64) -> u8 {
        let mut at = 0;
        for step in [128, 64, 32, 16, 8, 4, 2, 1] {
            at += if self.cuts[(at + step - 1) & (PADDED - 1)] <= x { step } else { 0 };
        }
        if x.is_nan() { 0 } else { (at + 1).min(255) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_count_the_cuts_that_a_value_reaches() {
        let even: Vec<f64> = (0..254).map(|i| f64::from(i) * 2.0).collect();
        let skewed: Vec<f64> = (0..254).map(|i| (f64::from(i) / 8.0).exp()).collect();
        let near: Vec<f64> = (0..100).scan(1.0f64, |x, _| Some(std::mem::replace(x, x.next_up()))).collect();
        let far = vec![-f64::MAX, -1.0, 0.0, 1.0, f64::MAX];
        let tiny: Vec<f64> = (0..9).map(|i| f64::from(i) * f64::MIN_POSITIVE).collect();
        for cuts in [even, skewed, near, far, tiny, vec![3.0], vec![]] {
            let grid = BinGrid::new(&cuts);
            let around = cuts.iter().flat_map(|cut| [*cut, cut.next_up(), cut.next_down(), cut * 1.01, cut - 0.3]);
            let mut numbers: Vec<f64> = around.chain([0.0, -1.0, 1e300, -1e300, f64::MAX, f64::MIN, f64::NAN]).collect();
            numbers.retain(|x| !x.is_infinite());
            let mut codes = vec![0; numbers.len()];
            grid.codes(&numbers, &mut codes);
            for (x, code) in numbers.iter().zip(codes) {
                let want = if x.is_nan() { 0 } else { 1 + cuts.iter().filter(|cut| **cut <= *x).count() };
                assert_eq!(usize::from(code), want, "{x} among {} cuts", cuts.len());
            }
        }
    }
}
