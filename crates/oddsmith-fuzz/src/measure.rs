//! What one input costs: whether it broke a promise, how long it took and how much it allocated.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What the last panic said; readers of typed files catch panics of other people's code, and those are no findings.
static SAID: Mutex<String> = Mutex::new(String::new());

/// What an input did.
pub(crate) struct Cost {
    /// What the panic said that came through, if one did.
    pub(crate) panic: Option<String>,
    pub(crate) time: Duration,
    pub(crate) bytes: usize,
}

/// Keeps panics from being printed; they are told with the input that caused them.
pub(crate) fn keep_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
        let what = info.payload_as_str().unwrap_or("a panic without words").chars().take(300).collect::<String>();
        *SAID.lock().unwrap_or_else(PoisonError::into_inner) = format!("{what}{place}");
    }));
}

/// What one input may take.
pub(crate) const SLOW: Duration = Duration::from_secs(1);
/// How often an input is tried that takes longer: other work of the machine may have held it up, its own holds it up every time.
const TRIES: usize = 3;

/// Runs something and measures it; what takes too long is tried again, and its shortest time counts.
pub(crate) fn measured(mut work: impl FnMut()) -> Cost {
    let mut best = measured_once(&mut work);
    for _ in 1..TRIES {
        if best.time <= SLOW || best.panic.is_some() {
            break;
        }
        let again = measured_once(&mut work);
        best = Cost { time: best.time.min(again.time), bytes: best.bytes.max(again.bytes), panic: again.panic };
    }
    best
}

fn measured_once(work: &mut impl FnMut()) -> Cost {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let begin = Instant::now();
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    let (time, bytes) = (begin.elapsed(), MEMORY.peak_usage().saturating_sub(before));
    let panic = outcome.is_err().then(|| SAID.lock().unwrap_or_else(PoisonError::into_inner).clone());
    Cost { panic, time, bytes }
}
