//! Files that somebody changed on the way, and files made to do harm.

use std::time::Duration;

use oddsmith::persist::{load_model, load_stats};
use oddsmith::train::{Answer, Round};
use oddsmith_fuzz::hostile::{GOOD, Kind, hostile_files};
use oddsmith_fuzz::seeds;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::measure::measured;

/// What a refusal may allocate beside the file: its own words.
const WORDS: usize = 64 << 10;

/// What came of many files.
#[derive(Default)]
struct Account {
    files: u64,
    accepted: u64,
    panics: u64,
    slowest: Duration,
    /// The most that was allocated beyond twice the size of a file, in bytes.
    excess: usize,
}

impl Account {
    fn try_file(&mut self, kind: Kind, bytes: &[u8], name: &str) {
        let mut accepted = false;
        let cost = measured(|| accepted = reads(kind, bytes));
        self.files += 1;
        self.accepted += u64::from(accepted);
        self.panics += u64::from(cost.panic.is_some());
        self.slowest = self.slowest.max(cost.time);
        self.excess = self.excess.max(cost.bytes.saturating_sub(2 * bytes.len() + WORDS));
        if accepted || cost.panic.is_some() {
            println!("finding {name}: {}", cost.panic.as_deref().unwrap_or("accepted"));
        }
    }

    fn tell(&self) {
        println!("files {}", self.files);
        println!("accepted {}", self.accepted);
        println!("panics {}", self.panics);
        println!("slowest_ms {}", self.slowest.as_millis());
        println!("excess_kib {}", self.excess >> 10);
    }
}

fn reads(kind: Kind, bytes: &[u8]) -> bool {
    match kind {
        Kind::Model => load_model(bytes).is_ok(),
        Kind::Statistics => load_stats(bytes).is_ok(),
        Kind::Round => Round::from_bytes(bytes).is_ok(),
        Kind::Answer => Answer::from_bytes(bytes).is_ok_and(|answer| advances(&answer)),
    }
}

/// Whether a round takes an answer: its sums are looked at when the question is known that they answer.
fn advances(answer: &Answer) -> bool {
    let file = |name: &str| seeds::files(name).into_iter().next().map(|(_, bytes)| bytes).unwrap_or_default();
    let (round, other) = (Round::from_bytes(&file("round-1.round")), Answer::from_bytes(&file("answer-1b.answer")));
    let taken = round.and_then(|round| round.advance(&[("forged", answer), ("other", &other?)]).map(|_| ()));
    taken.is_ok()
}

/// Flips a bit of a model file, or cuts it off, again and again.
pub(crate) fn flips([runs, seed]: [&str; 2]) -> Option<()> {
    let (runs, seed): (u64, u64) = (runs.parse().ok()?, seed.parse().ok()?);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |n: usize| ((u128::from(random.next_u64()) * n as u128) >> 64) as usize;
    let files = seeds::files(".odds");
    let mut account = Account::default();
    for run in 0..runs {
        let (name, file) = &files[below(files.len())];
        let mut bytes = file.clone();
        match run % 4 {
            0 => bytes.truncate(below(file.len())),
            _ => bytes[below(file.len())] ^= 1 << below(8),
        }
        account.try_file(Kind::Model, &bytes, name);
    }
    account.tell();
    Some(())
}

/// Every file that was made to do harm.
pub(crate) fn hostile() -> Option<()> {
    let mut account = Account::default();
    // The files that are forged are good ones: refusals would tell nothing otherwise.
    for (kind, name) in GOOD {
        let file = seeds::files(name).into_iter().next().map(|(_, bytes)| bytes).unwrap_or_default();
        if !reads(kind, &file) {
            println!("finding {name} is refused as it is");
        }
    }
    for file in hostile_files() {
        account.try_file(file.kind, &file.bytes, &file.name);
    }
    account.tell();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer whose sums were no numbers was taken once.
    #[test]
    fn every_forged_file_is_refused_and_the_good_ones_are_not() {
        assert!(GOOD.iter().all(|(kind, name)| seeds::files(name).iter().all(|(_, bytes)| reads(*kind, bytes))));
        let accepted: Vec<String> =
            hostile_files().into_iter().filter(|file| reads(file.kind, &file.bytes)).map(|file| file.name).collect();
        assert!(accepted.is_empty(), "{accepted:?}");
    }
}
