//! Whether every number of a block is finite.

use super::widest;
use crate::num::MatrixView;

/// All bits of the exponent are set in infinities and NaNs alone; a loop over them vectorises, one over floats does not.
const EXPONENT: u64 = 0x7FF << 52;

/// Whether every number is finite.
pub fn all_finite(numbers: MatrixView<'_>) -> bool {
    let finite = |cells: &[f64]| {
        widest(
            #[inline(always)]
            || !cells.iter().fold(false, |found, x| found | (x.to_bits() & EXPONENT == EXPONENT)),
        )
    };
    match numbers.as_row_major() {
        Some(cells) => finite(cells),
        None => (0..numbers.cols()).all(|j| match numbers.column(j) {
            Some(column) => finite(column),
            None => (0..numbers.rows()).all(|i| numbers.get(i, j).is_finite()),
        }),
    }
}
