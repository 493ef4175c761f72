//! Pieces of work on several threads, with their results in the order of the pieces.
//!
//! Threads are spawned for the call and joined at its end, as a pass over rows does it: nothing is left behind. Who takes which piece
//! depends on luck, so a piece must not depend on others, and results are put together in their order.

use std::sync::{Mutex, PoisonError};

/// Gives every piece to `work` on up to `threads` threads, of which the calling one is the first.
pub(crate) fn each<T: Send, R: Send>(threads: usize, pieces: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(pieces.len());
    if threads <= 1 {
        return pieces.into_iter().map(work).collect();
    }
    let queue = Mutex::new(pieces.into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    let run = || {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((at, piece)) = next else { return };
            let result = work(piece);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| {
            scope.spawn(run);
        });
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_pieces() {
        for threads in [0, 1, 2, 3, 8, 200] {
            let pieces: Vec<u64> = (0..100).collect();
            // Early pieces take longest.
            let slow = |piece: u64| (0..(100 - piece) * 200).fold(piece, |sum, x| std::hint::black_box(sum ^ x ^ x));
            assert_eq!(each(threads, pieces.clone(), slow), pieces, "{threads}");
        }
        assert!(each(4, Vec::<u8>::new(), |piece| piece).is_empty());
    }

    #[test]
    fn pieces_may_be_borrowed_for_writing() {
        let mut numbers = vec![0; 10];
        each(3, numbers.chunks_mut(3).enumerate().collect(), |(at, chunk)| chunk.fill(at));
        assert_eq!(numbers, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]);
    }
}
