//! How many members and cases every set has. A set can be taken up only when all of its members are there, so sizes come first.
//!
//! Rows without a gap are members. One pass; memory 8 bytes a set.

use crate::codec::{Codec, Encode};
use crate::error::Result;

/// Members and cases by set, and the rows that are neither.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SetCounts {
    /// Members by set.
    pub members: Vec<u64>,
    /// Cases by set.
    pub cases: Vec<u64>,
    /// Rows with a gap, which are no members.
    pub gaps: u64,
}

impl SetCounts {
    /// Nothing counted yet.
    pub fn new(sets: usize) -> Self {
        SetCounts { members: vec![0; sets], cases: vec![0; sets], gaps: 0 }
    }

    /// Counts a row of a set, which is no member if it has a gap.
    pub(super) fn see(&mut self, set: usize, case: bool, complete: bool) {
        match complete {
            true => {
                self.members[set] += 1;
                self.cases[set] += u64::from(case);
            }
            false => self.gaps += 1,
        }
    }

    /// Sizes of the sets that say something; 0 for a set without a case or without a control.
    pub fn sizes(&self) -> Vec<u64> {
        let size = |(members, cases): (&u64, &u64)| if *cases == 0 || cases == members { 0 } else { *members };
        self.members.iter().zip(&self.cases).map(size).collect()
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.members.iter_mut().zip(&other.members).for_each(|(sum, count)| *sum += count);
        self.cases.iter_mut().zip(&other.cases).for_each(|(sum, count)| *sum += count);
        self.gaps += other.gaps;
    }
}

impl Encode for SetCounts {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.counts("members", &mut self.members)?;
        codec.counts("cases", &mut self.cases)?;
        codec.count("gaps", &mut self.gaps)
    }
}
