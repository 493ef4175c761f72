//! Classes out of states, the first row first.

use pulp::Arch;

use super::packed::unpacked;
use super::{BLOCK, Group, LEAST, ONE, STATES};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Reads classes, the first row first.
#[derive(Debug)]
pub(super) struct StateDecoder {
    arch: Arch,
    pub(super) states: Group,
    /// The words, and zeros for a group behind them.
    pub(super) words: Vec<u16>,
    pub(super) read: usize,
}

impl StateDecoder {
    /// Reads from the beginning; none where there is not even a state for every row of a group.
    pub(super) fn new(arch: Arch, bytes: &[u8]) -> Option<Self> {
        let (states, words) = unpacked(bytes)?;
        let (told, []) = words.as_chunks::<2>() else { return None };
        let mut words = Vec::with_capacity(told.len() + STATES);
        words.extend(told.iter().map(|word| u16::from_le_bytes(*word)));
        words.extend([0; STATES]);
        Some(StateDecoder { arch, states, words, read: 0 })
    }

    /// Reads the classes of the next block of rows.
    pub(super) fn next_block(&mut self, shares: &[u32; BLOCK], classes: &mut [u32]) {
        let (groups, rest) = classes.as_chunks_mut::<STATES>();
        let shares = shares.as_chunks::<STATES>().0;
        let last = shares.get(groups.len());
        match self.arch {
            #[cfg(target_arch = "x86_64")]
            Arch::V4(simd) => avx512::next(simd, self, shares, groups),
            #[cfg(target_arch = "x86_64")]
            Arch::V3(simd) => avx2::next(simd, self, shares, groups),
            _ => self.next_groups(shares, groups),
        }
        if let Some(shares) = last {
            rest.iter_mut().enumerate().for_each(|(state, class)| *class = self.next(state, shares[state]));
        }
    }

    fn next_groups(&mut self, shares: &[Group], groups: &mut [Group]) {
        for (classes, shares) in groups.iter_mut().zip(shares) {
            (0..STATES).for_each(|state| classes[state] = self.next(state, shares[state]));
        }
    }

    #[inline(always)]
    pub(super) fn next(&mut self, state: usize, first: u32) -> u32 {
        let x = &mut self.states[state];
        let (place, whole) = (*x & (ONE - 1), *x >> 14);
        let second = place >= first;
        *x = if second { (ONE - first) * whole + place - first } else { first * whole + place };
        if *x < LEAST {
            *x = *x << 16 | u32::from(self.words.get(self.read).copied().unwrap_or(0));
            self.read += 1;
        }
        u32::from(second)
    }

    /// Whether everything was read, and nothing else.
    pub(super) fn is_at_its_end(&self) -> bool {
        self.read + STATES == self.words.len() && self.states == [LEAST; STATES]
    }
}
