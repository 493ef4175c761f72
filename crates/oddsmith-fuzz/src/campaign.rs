//! A target fed for a while.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use oddsmith_fuzz::mutator::Mutator;
use oddsmith_fuzz::{Target, seeds, target};

use crate::measure::{Cost, SLOW, measured};

/// What one input may allocate.
const LARGE: usize = 512 << 20;
/// After this an input is taken to hang.
const HANGS: Duration = Duration::from_secs(60);
/// Inputs that are kept; one fault mostly has many.
const KEPT: usize = 5;

/// Milliseconds since the beginning at which the input began that is running.
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// What came of it.
#[derive(Default)]
struct Account {
    runs: u64,
    slowest: Duration,
    largest: usize,
    findings: usize,
}

impl Account {
    /// Adds what an input did; gives the reason why it is a finding, if it is one.
    fn add(&mut self, cost: Cost) -> Option<String> {
        self.runs += 1;
        self.slowest = self.slowest.max(cost.time);
        self.largest = self.largest.max(cost.bytes);
        let slow = || (cost.time > SLOW).then(|| format!("took {:?}", cost.time));
        let large = || (cost.bytes > LARGE).then(|| format!("took {} MiB", cost.bytes >> 20));
        let finding = cost.panic.or_else(slow).or_else(large);
        self.findings += usize::from(finding.is_some());
        finding
    }
}

/// Feeds a target for so many seconds or runs, whichever end first.
pub(crate) fn run(name: &str, [seconds, runs, seed]: [&str; 3], folder: &str) -> Option<()> {
    let target = target(name)?;
    let (seconds, runs, seed): (f64, u64, u64) = (seconds.parse().ok()?, runs.parse().ok()?, seed.parse().ok()?);
    let begin = Instant::now();
    let limit = Duration::from_secs_f64(seconds);
    watch(begin, name.to_owned());
    let mut account = Account::default();
    let first = known(target);
    first.iter().for_each(|input| feed(target, input, begin, &mut account, Path::new(folder)));
    let mut mutator = Mutator::new(first, seed);
    while account.runs < runs && begin.elapsed() < limit {
        let input = mutator.next_input();
        feed(target, &input, begin, &mut account, Path::new(folder));
    }
    println!("runs {}", account.runs);
    println!("slowest_ms {}", account.slowest.as_millis());
    println!("largest_kib {}", account.largest >> 10);
    println!("findings {}", account.findings);
    Some(())
}

/// Inputs to begin with, and what broke the target once.
fn known(target: &Target) -> Vec<Vec<u8>> {
    (target.seeds)().into_iter().chain(seeds::found(target.name).into_iter().map(|(_, bytes)| bytes)).collect()
}

/// Writes the inputs to begin with into a folder.
pub(crate) fn write_seeds(name: &str, folder: &str) -> Option<()> {
    let write = |(at, bytes): (usize, Vec<u8>)| fs::write(Path::new(folder).join(format!("seed-{at}")), bytes).ok();
    known(target(name)?).into_iter().enumerate().try_for_each(write)
}

fn feed(target: &Target, input: &[u8], begin: Instant, account: &mut Account, folder: &Path) {
    BEGAN.store(begin.elapsed().as_millis() as u64, Ordering::Relaxed);
    let cost = measured(|| (target.run)(input));
    if let Some(why) = account.add(cost)
        && account.findings <= KEPT
    {
        let path = folder.join(format!("{}-{}", target.name, account.findings));
        let kept = fs::write(&path, input).is_ok();
        println!("finding {}: {why}", if kept { path.display().to_string() } else { "(not kept)".into() });
    }
}

/// Ends the process when an input hangs: nobody else can.
fn watch(begin: Instant, name: String) {
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            let since = begin.elapsed().saturating_sub(Duration::from_millis(BEGAN.load(Ordering::Relaxed)));
            if since > HANGS {
                println!("finding an input of {name} hangs; the same call with fewer runs ends before it");
                std::process::abort();
            }
        }
    });
}
