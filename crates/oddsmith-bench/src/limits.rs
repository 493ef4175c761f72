//! What the machine can do at best: reading memory and finding the ends of lines.
//!
//! Rates are bytes per second of the fastest of several runs over a buffer far larger than any cache, cut into one piece per
//! thread. Every cell is added (or compared), so that no part of the reading can be left out.

use std::time::Instant;

use oddsmith::num::kernel::widest;

/// Runs of which the fastest counts.
const RUNS: usize = 7;
/// Sums that are under way at once, so that none waits for the one before it.
const LANES: usize = 64;
/// A line as a table of twenty numbers has it.
const LINE_BYTES: usize = 200;

/// Bytes per second at which `threads` threads read memory.
pub(crate) fn read_rate(bytes: usize, threads: usize) -> f64 {
    // Ones and not zeros: pages that were never written all share one page of zeros.
    rate(&vec![1.0; bytes / 8], threads, sum)
}

/// Bytes per second at which `threads` threads count the lines of a text in memory.
pub(crate) fn line_rate(bytes: usize, threads: usize) -> f64 {
    let text: Vec<u8> = (0..bytes).map(|i| if i % LINE_BYTES == 0 { b'\n' } else { b'7' }).collect();
    rate(&text, threads, lines)
}

#[inline(always)]
fn sum(cells: &[f64]) -> usize {
    let mut sums = [0.0; LANES];
    for chunk in cells.as_chunks::<LANES>().0 {
        sums.iter_mut().zip(chunk).for_each(|(sum, cell)| *sum += cell);
    }
    sums.iter().sum::<f64>() as usize
}

#[inline(always)]
fn lines(text: &[u8]) -> usize {
    let mut found = 0;
    // Counts of a short piece fit a byte each, so that a vector holds many of them.
    for piece in text.chunks(255 * LANES) {
        let (chunks, rest) = piece.as_chunks::<LANES>();
        let mut counts = [0u8; LANES];
        for chunk in chunks {
            counts.iter_mut().zip(chunk).for_each(|(count, cell)| *count += u8::from(*cell == b'\n'));
        }
        found += rest.iter().filter(|cell| **cell == b'\n').count();
        found += counts.iter().map(|count| usize::from(*count)).sum::<usize>();
    }
    found
}

fn rate<T: Sync>(cells: &[T], threads: usize, work: impl Fn(&[T]) -> usize + Sync) -> f64 {
    let share = cells.len().div_ceil(threads.max(1)).max(1);
    let work = &work;
    let fastest = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                let parts = cells.chunks(share);
                let running: Vec<_> = parts
                    .map(|part| {
                        scope.spawn(move || {
                            widest(
                                #[inline(always)]
                                || work(part),
                            )
                        })
                    })
                    .collect();
                running.into_iter().filter_map(|part| part.join().ok()).for_each(|found| {
                    std::hint::black_box(found);
                });
            });
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    std::mem::size_of_val(cells) as f64 / fastest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_a_machine() {
        for threads in [1, 2, 3] {
            assert!(read_rate(1 << 20, threads) > 0.0 && line_rate(1 << 20, threads).is_finite());
        }
    }

    #[test]
    fn every_cell_counts() {
        let text: Vec<u8> = (0..100_003).map(|i| if i % 100 == 7 { b'\n' } else { b'x' }).collect();
        assert_eq!(lines(&text), 1000);
        assert_eq!(sum(&vec![1.0; 640]), 640);
    }
}
