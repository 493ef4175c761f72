//! Category codes in 64-bit integers: how many levels each column has, and blocks of 32-bit codes.

use oddsmith::data::UNSEEN;
use oddsmith::num::kernel::widest;

/// Cells of one block of the search for the largest codes, so that its columns are vectors of a fixed length.
const MANY: usize = 8;

/// Replaces `out` by the cells as codes; numbers that cannot be one name no level.
pub(crate) fn convert(cells: &[i64], out: &mut Vec<u32>) {
    out.clear();
    let wide = widest(
        #[inline(always)]
        || {
            out.extend(cells.iter().map(|&cell| cell as u32));
            cells.iter().fold(0, |bits, &cell| bits | (cell >> 32))
        },
    );
    // Only cells that are negative or beyond 32 bits leave bits behind.
    if wide != 0 {
        out.iter_mut().zip(cells).for_each(|(code, &cell)| *code = u32::try_from(cell).unwrap_or(UNSEEN));
    }
}

/// Whether a block of codes, row after row, has one beyond the levels of its column.
pub(crate) fn has_beyond(block: &[u32], levels: &[u32]) -> bool {
    widest(
        #[inline(always)]
        || {
            block
                .chunks_exact(levels.len().max(1))
                .any(|row| row.iter().zip(levels).fold(false, |beyond, (code, count)| beyond | (code >= count)))
        },
    )
}

/// Largest code plus one, column by column, on all cores.
pub(crate) fn level_counts(cells: &[i64], columns: usize) -> Vec<usize> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let share = (cells.len() / columns.max(1)).div_ceil(threads).max(1) * columns.max(1);
    let mut largest = vec![-1; columns];
    std::thread::scope(|scope| {
        let parts: Vec<_> = cells.chunks(share).map(|part| scope.spawn(move || largest_codes(part, columns))).collect();
        for part in parts.into_iter().filter_map(|part| part.join().ok()) {
            largest.iter_mut().zip(part).for_each(|(all, own)| *all = own.max(*all));
        }
    });
    largest.into_iter().map(|code| usize::try_from(code + 1).unwrap_or(0)).collect()
}

fn largest_codes(cells: &[i64], columns: usize) -> Vec<i64> {
    // Several rows side by side keep more than one comparison per column under way.
    let mut largest = vec![-1; MANY * columns];
    widest(
        #[inline(always)]
        || {
            for rows in cells.chunks(MANY * columns.max(1)) {
                largest.iter_mut().zip(rows).for_each(|(all, &cell)| *all = if cell > *all { cell } else { *all });
            }
        },
    );
    (0..columns).map(|j| largest.iter().skip(j).step_by(columns).copied().max().unwrap_or(-1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_counted_to_the_largest_code() {
        let cells: Vec<i64> = (0..1003).flat_map(|i| [i % 7, -5, 2 * i]).collect();
        assert_eq!(level_counts(&cells, 3), [7, 0, 2005]);
        assert_eq!(level_counts(&[], 2), [0, 0]);
    }

    #[test]
    fn a_code_beyond_its_column_is_seen() {
        assert!(!has_beyond(&[0, 4, 1, 0], &[2, 5]));
        assert!(has_beyond(&[0, 4, 2, 0], &[2, 5]));
    }

    #[test]
    fn numbers_that_are_no_codes_name_no_level() {
        let mut codes = vec![1];
        convert(&[0, 3, 4_000_000_000], &mut codes);
        assert_eq!(codes, [0, 3, 4_000_000_000]);
        convert(&[2, -1, 1 << 40, i64::MIN], &mut codes);
        assert_eq!(codes, [2, UNSEEN, UNSEEN, UNSEEN]);
    }
}
