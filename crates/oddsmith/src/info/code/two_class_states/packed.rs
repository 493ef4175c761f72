//! The states at the head of a stream: four bits for the place of the highest bit of each, and the bits below it.

use super::{Group, STATES};
use crate::info::code::{BitReader, BitWriter};

/// The states in as few bits as they have: sixteen times four bits for how many there are above sixteen, then the bits below the highest.
pub(super) fn packed(states: &Group) -> Vec<u8> {
    let mut bits = BitWriter::default();
    for state in states {
        bits.push_number(state.ilog2() - 16, 4);
    }
    for state in states {
        let length = state.ilog2();
        bits.push_number(*state, length);
    }
    bits.into_bytes()
}

/// The states, and what stands behind them.
pub(super) fn unpacked(bytes: &[u8]) -> Option<(Group, &[u8])> {
    let mut bits = BitReader::new(bytes);
    let mut states = [0; STATES];
    for state in &mut states {
        *state = bits.next_number(4)? + 16;
    }
    let length = (4 * STATES as u32 + states.iter().sum::<u32>()).div_ceil(8) as usize;
    for state in &mut states {
        *state = 1 << *state | bits.next_number(*state)?;
    }
    Some((states, bytes.get(length..)?))
}
