//! Changes to bytes: those that have broken parsers before, drawn from a seed.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Numbers at which lengths and counts overflow.
const WORDS: [u64; 10] = [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 60, u64::MAX, 0x7ff8_0000_0000_0000];
/// Pieces of text that mean something to one of the readers.
const PIECES: [&str; 28] = [
    "\"",
    "'",
    ",",
    ";",
    "\t",
    "\r\n",
    "\n",
    "\r",
    "\0",
    "\u{feff}",
    "NaN",
    "inf",
    "1e999",
    "-0",
    "1e-320",
    "9007199254740993",
    "0x1p3",
    "1.797e308",
    "((((((((",
    "))",
    "{\"a\":",
    "[[[[",
    "__label__",
    "~ . ^ 9",
    "C(x, levels=",
    "\u{1b}[31m",
    "<script>",
    "\\end{tabular}",
];
/// No input grows beyond this.
const LONGEST: usize = 1 << 16;

/// Draws inputs: each one is a seed with a few changes.
pub struct Mutator {
    random: ChaCha8Rng,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    /// Inputs near the seeds; the same ones for the same number.
    pub fn new(seeds: Vec<Vec<u8>>, seed: u64) -> Self {
        Mutator { random: ChaCha8Rng::seed_from_u64(seed), seeds }
    }

    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.random.next_u64()) * n as u128) >> 64) as usize
    }

    /// The next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut bytes = match self.below(self.seeds.len() + 1) {
            0 => Vec::new(),
            at => self.seeds[at - 1].clone(),
        };
        for _ in 0..=self.below(6) {
            self.change(&mut bytes);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let size = bytes.len();
        let at = self.below(size + 1);
        match self.below(10) {
            0 if size > 0 => bytes[at.min(size - 1)] ^= 1 << self.below(8),
            1 if size > 0 => bytes[at.min(size - 1)] = self.below(256) as u8,
            2 => bytes.insert(at, self.below(256) as u8),
            3 if size > 0 => {
                let to = (at + 1 + self.below(32)).min(size);
                drop(bytes.drain(at.min(size)..to));
            }
            4 => {
                let piece = PIECES[self.below(PIECES.len())];
                drop(bytes.splice(at..at, piece.bytes()));
            }
            5 if size >= at + 8 => {
                let (word, long) = (WORDS[self.below(WORDS.len())].to_le_bytes(), self.below(2) == 0);
                let length = if long { 8 } else { 4 };
                bytes[at..at + length].copy_from_slice(&word[..length]);
            }
            6 => self.repeat(bytes, at),
            7 if !self.seeds.is_empty() => self.splice(bytes, at),
            8 => bytes.truncate(at),
            _ => self.digit(bytes),
        }
    }

    /// Repeats a piece many times: long lines, deep nesting, many columns.
    fn repeat(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let piece = bytes[at..(at + 1 + self.below(24)).min(bytes.len())].to_vec();
        let most = if self.below(20) == 0 { 4000 } else { 8 };
        let repeated = piece.repeat(1 + self.below(most));
        drop(bytes.splice(at..at, repeated));
    }

    /// Puts a piece of another seed in.
    fn splice(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let other = self.below(self.seeds.len());
        let size = self.seeds[other].len();
        let from = self.below(size + 1);
        let to = (from + self.below(128)).min(size);
        let piece = self.seeds[other][from..to].to_vec();
        drop(bytes.splice(at..at, piece));
    }

    /// Writes another digit where one stands: counts, versions, offsets.
    fn digit(&mut self, bytes: &mut [u8]) {
        let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
        if !digits.is_empty() {
            let at = digits[self.below(digits.len())];
            bytes[at] = b'0' + self.below(10) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_the_same_for_the_same_seed_and_differ_from_the_files() {
        let seeds = vec![b"a,b\n1,2\n".to_vec(), vec![0; 100]];
        let drawn = |seed| {
            let mut mutator = Mutator::new(seeds.clone(), seed);
            (0..2000).map(|_| mutator.next_input()).collect::<Vec<_>>()
        };
        let first = drawn(1);
        assert_eq!(first, drawn(1));
        assert_ne!(first, drawn(2));
        assert!(first.iter().all(|input| input.len() <= LONGEST));
        assert!(first.iter().filter(|input| !seeds.contains(input)).count() > 1900);
    }
}
