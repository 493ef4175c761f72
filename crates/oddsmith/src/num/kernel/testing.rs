//! What the kernels' tests share: random input in every layout, every instruction set of this machine.

use crate::num::MatrixView;
use pulp::Arch;

/// A small reproducible generator (splitmix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Roughly normal: the sum of twelve uniforms, moved to zero.
    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    pub(super) fn normals(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.normal()).collect()
    }

    /// Labels below `classes`, every seventh or so a row that does not count.
    pub(super) fn labels(&mut self, rows: usize, classes: usize) -> Vec<u32> {
        (0..rows).map(|_| if self.below(7) == 0 { super::SKIP } else { self.below(classes) as u32 }).collect()
    }

    /// Positive weights with some zeros.
    pub(super) fn weights(&mut self, rows: usize) -> Vec<f64> {
        (0..rows).map(|_| if self.below(5) == 0 { 0.0 } else { 0.25 + self.unit() * 3.0 }).collect()
    }
}

/// The instruction sets that this machine can run.
pub(crate) fn every_arch() -> Vec<Arch> {
    #[allow(unused_mut)]
    let mut all = vec![Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        all.extend(pulp::x86::V3::try_new().map(Arch::V3));
        all.extend(pulp::x86::V4::try_new().map(Arch::V4));
    }
    #[cfg(target_arch = "aarch64")]
    all.extend(pulp::aarch64::Neon::try_new().map(Arch::Neon));
    all
}

/// Calls `check` with the row-major `matrix` in many layouts: padded rows, columns, gaps, reversed.
pub(super) fn layouts(matrix: &[f64], rows: usize, cols: usize, mut check: impl FnMut(&str, MatrixView<'_>)) {
    let place = |size: usize, at: &dyn Fn(usize, usize) -> usize| {
        let mut data = vec![f64::NAN; size];
        for i in 0..rows {
            for j in 0..cols {
                data[at(i, j)] = matrix[i * cols + j];
            }
        }
        data
    };
    let (n, p) = (rows as isize, cols as isize);
    check("row-major", MatrixView::row_major(matrix, rows, cols).unwrap());
    let wide = place(rows * (cols + 3) + 2, &|i, j| 2 + i * (cols + 3) + j);
    check("rows with gaps", MatrixView::new(&wide, 2, (rows, cols), (p + 3, 1)).unwrap());
    let columns = place(rows * cols, &|i, j| j * rows + i);
    check("column-major", MatrixView::column_major(&columns, rows, cols).unwrap());
    let sparse = place(rows * cols * 2, &|i, j| (i * cols + j) * 2);
    check("every second column", MatrixView::new(&sparse, 0, (rows, cols), (2 * p, 2)).unwrap());
    let upside = place(rows * cols, &|i, j| (rows - 1 - i) * cols + j);
    check("rows reversed", MatrixView::new(&upside, (rows - 1) * cols, (rows, cols), (-p, 1)).unwrap());
    let turned = place(rows * cols, &|i, j| rows * cols - 1 - (i * cols + j));
    check("all reversed", MatrixView::new(&turned, rows * cols - 1, (rows, cols), (-p, -1)).unwrap());
    let mirrored = place(rows * cols, &|i, j| j * rows + (rows - 1 - i));
    check("columns upside down", MatrixView::new(&mirrored, rows - 1, (rows, cols), (-1, n)).unwrap());
}

/// Shapes (rows, columns, classes) that leave every kind of remainder.
pub(super) fn shapes(random: &mut Random) -> Vec<(usize, usize, usize)> {
    let mut shapes: Vec<_> = (1..=70).map(|cols| (1 + random.below(90), cols, 1 + random.below(7))).collect();
    shapes.extend([(1, 1, 1), (3, 2, 7), (500, 8, 3), (401, 50, 3), (150, 129, 4)]);
    shapes
}

/// Fails unless `got` is `want` within `tolerance` times `scale`; equal infinities and NaNs agree.
pub(super) fn assert_close(got: f64, want: f64, scale: f64, tolerance: f64, place: &dyn std::fmt::Debug) {
    if got == want || (got.is_nan() && want.is_nan()) {
        return;
    }
    assert!((got - want).abs() <= tolerance * scale, "{place:?}: got {got:e}, want {want:e} (scale {scale:e})");
}
