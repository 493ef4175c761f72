//! Classes into states, the last row first.

use pulp::Arch;

use super::packed::packed;
use super::{BLOCK, Group, LEAST, ONE, STATES};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Writes classes, the last row first.
#[derive(Debug)]
pub(super) struct StateEncoder {
    pub(super) arch: Arch,
    pub(super) states: Group,
    /// Words in the order of writing, and room for more.
    pub(super) words: Vec<u16>,
    pub(super) written: usize,
}

impl StateEncoder {
    /// Nothing written yet.
    pub(super) fn new(arch: Arch) -> Self {
        StateEncoder { arch, states: [LEAST; STATES], words: Vec::new(), written: 0 }
    }

    /// Codes the classes of a block of rows, whose first one has a number that sixteen divides; the block after it was the one before.
    pub(super) fn push_block(&mut self, classes: &[u32], shares: &[u32; BLOCK]) {
        // A row writes one word at most, and a group is written as a whole.
        if self.words.len() < self.written + BLOCK + STATES {
            self.words.resize(2 * self.words.len() + BLOCK + STATES, 0);
        }
        let (groups, rest) = classes.as_chunks::<STATES>();
        let shares = shares.as_chunks::<STATES>().0;
        if let Some(shares) = shares.get(groups.len()) {
            rest.iter().enumerate().rev().for_each(|(state, class)| self.push(state, *class, shares[state]));
        }
        match self.arch {
            #[cfg(target_arch = "x86_64")]
            Arch::V4(simd) => avx512::push(simd, self, groups, shares),
            #[cfg(target_arch = "x86_64")]
            Arch::V3(simd) => avx2::push(simd, self, groups, shares),
            _ => self.push_groups(groups, shares),
        }
    }

    fn push_groups(&mut self, groups: &[Group], shares: &[Group]) {
        for (classes, shares) in groups.iter().zip(shares).rev() {
            (0..STATES).rev().for_each(|state| self.push(state, classes[state], shares[state]));
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, state: usize, class: u32, first: u32) {
        let (share, begin) = if class == 0 { (first, 0) } else { (ONE - first, first) };
        let x = &mut self.states[state];
        if *x >= share << 18 {
            self.words[self.written] = *x as u16;
            self.written += 1;
            *x >>= 16;
        }
        // ⌊x/g⌋·2¹⁴ + x mod g by one division.
        *x += *x / share * (ONE - share) + begin;
    }

    /// The bytes: the states, and the words as they are read.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = packed(&self.states);
        let states = bytes.len();
        bytes.resize(states + 2 * self.written, 0);
        let (places, _) = bytes[states..].as_chunks_mut::<2>();
        places.iter_mut().zip(self.words[..self.written].iter().rev()).for_each(|(place, word)| *place = word.to_le_bytes());
        bytes
    }
}
