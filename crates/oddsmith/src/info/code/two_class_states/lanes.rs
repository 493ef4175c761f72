//! Words of some of eight lanes: shuffles of bytes that push them together, and that spread them again.

/// For every set of lanes, where the bytes of eight words come from.
pub(super) type Shuffles = [[u8; 16]; 256];

/// A byte that a shuffle makes zero.
const NONE: u8 = 0x80;

/// Words of the lanes of a set, the last lane first.
pub(super) static GATHERED: Shuffles = gathered();
/// Words as they come, to the lanes of a set, the first lane first; zero in all others.
pub(super) static SPREAD: Shuffles = spread();

const fn gathered() -> Shuffles {
    let mut all = [[NONE; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut to) = (8, 0);
        while lane > 0 {
            lane -= 1;
            if set >> lane & 1 == 1 {
                all[set][2 * to] = 2 * lane as u8;
                all[set][2 * to + 1] = 2 * lane as u8 + 1;
                to += 1;
            }
        }
        set += 1;
    }
    all
}

const fn spread() -> Shuffles {
    let mut all = [[NONE; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut from) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                all[set][2 * lane] = 2 * from;
                all[set][2 * lane + 1] = 2 * from + 1;
                from += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shuffle makes of the words 1 … 8.
    fn shuffled(by: &[u8; 16]) -> Vec<u16> {
        let words: Vec<u8> = (1..=8u16).flat_map(u16::to_le_bytes).collect();
        let byte = |from: &u8| if *from < NONE { words[*from as usize] } else { 0 };
        by.chunks(2).map(|pair| u16::from_le_bytes([byte(&pair[0]), byte(&pair[1])])).collect()
    }

    #[test]
    fn lanes_are_gathered_from_the_last_and_spread_from_the_first() {
        for set in 0..256usize {
            let mut lanes: Vec<u16> = (0..8).filter(|lane| set >> lane & 1 == 1).collect();
            let mut next = 0;
            let back = (0..8u16).map(|lane| {
                if lanes.contains(&lane) {
                    next += 1;
                    next
                } else {
                    0
                }
            });
            assert_eq!(shuffled(&SPREAD[set]), back.collect::<Vec<_>>(), "{set}");
            lanes.reverse();
            let mut together: Vec<u16> = lanes.iter().map(|lane| lane + 1).collect();
            together.resize(8, 0);
            assert_eq!(shuffled(&GATHERED[set]), together, "{set}");
        }
    }
}
