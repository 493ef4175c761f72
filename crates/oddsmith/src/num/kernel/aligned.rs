//! A buffer of numbers that starts on a cache line, so that no vector of it straddles two.

/// Bytes of a cache line and of the widest vector.
const LINE: usize = 64;
/// Numbers by which the start may have to move.
const SLACK: usize = LINE / size_of::<f64>() - 1;

/// Numbers behind an aligned start.
#[derive(Debug, Default)]
pub(crate) struct Aligned {
    cells: Vec<f64>,
    len: usize,
}

impl Clone for Aligned {
    /// A copy lies elsewhere and has a start of its own, so its numbers are moved there.
    fn clone(&self) -> Self {
        let mut copy = Aligned::zeros(self.len);
        copy.numbers_mut().copy_from_slice(self.numbers());
        copy
    }
}

impl Aligned {
    /// `len` zeros.
    pub(super) fn zeros(len: usize) -> Self {
        Aligned { cells: vec![0.0; len + SLACK], len }
    }

    /// Makes room for `len` numbers; what they held is lost.
    pub(super) fn reserve(&mut self, len: usize) {
        if self.len < len {
            *self = Aligned::zeros(len);
        }
    }

    /// Rows of `cols` numbers, each followed by zeros up to `width`.
    pub(crate) fn padded_rows(matrix: &[f64], cols: usize, width: usize) -> Self {
        let mut aligned = Aligned::zeros(matrix.len() / cols.max(1) * width);
        aligned.fill_rows(matrix, cols, width);
        aligned
    }

    /// Overwrites the first `cols` of every `width` numbers with the rows of `matrix`.
    pub(super) fn fill_rows(&mut self, matrix: &[f64], cols: usize, width: usize) {
        if cols > 0 {
            for (into, row) in self.numbers_mut().chunks_exact_mut(width).zip(matrix.chunks_exact(cols)) {
                into[..cols].copy_from_slice(row);
            }
        }
    }

    fn start(&self) -> usize {
        self.cells.as_ptr().align_offset(LINE).min(SLACK)
    }

    /// The numbers.
    #[inline(always)]
    pub(crate) fn numbers(&self) -> &[f64] {
        if self.len == 0 { &[] } else { &self.cells[self.start()..][..self.len] }
    }

    /// The numbers, to be changed.
    #[inline(always)]
    pub(crate) fn numbers_mut(&mut self) -> &mut [f64] {
        let start = self.start();
        if self.len == 0 { &mut [] } else { &mut self.cells[start..][..self.len] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_on_a_cache_line_and_keeps_its_rows() {
        for rows in 0..20 {
            let matrix: Vec<f64> = (0..rows * 3).map(|x| x as f64).collect();
            let aligned = Aligned::padded_rows(&matrix, 3, 8);
            assert_eq!(aligned.numbers().len(), rows * 8);
            assert!(rows == 0 || aligned.numbers().as_ptr().addr().is_multiple_of(LINE));
            for (row, padded) in matrix.chunks(3).zip(aligned.clone().numbers().chunks(8)) {
                assert_eq!((row, &[0.0; 5][..]), padded.split_at(3));
            }
            // Copies that lie at many different addresses.
            let copies: Vec<(Vec<u8>, Aligned)> = (0..40).map(|odd| (vec![0; 8 * odd + 1], aligned.clone())).collect();
            assert!(copies.iter().all(|(_, copy)| copy.numbers() == aligned.numbers()));
        }
    }
}
