//! Ctrl-C and termination: ask the work to stop, and leave soon even if it does not listen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use oddsmith::control::Control;
#[cfg(unix)]
use signal_hook::consts::{SIGABRT, SIGXFSZ};
use signal_hook::consts::{SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;

#[cfg(unix)]
use crate::exit;

/// How long the work has to notice that it should stop. It looks up after every batch; only a read or a write that
/// waits for somebody else takes longer, and there is nothing to finish then.
const GRACE: Duration = Duration::from_millis(120);

/// The first signal that arrived, 0 before.
static ARRIVED: AtomicI32 = AtomicI32::new(0);

/// The exit code of a process that was stopped: 128 and the signal, as shells have it.
pub(crate) fn exit_code() -> u8 {
    match ARRIVED.load(Ordering::Relaxed) {
        0 => 128 + SIGINT as u8,
        signal => 128 + signal as u8,
    }
}

/// Starts to listen. Where signals cannot be watched the system's own handling stays in place.
#[cfg(unix)]
pub(crate) fn watch(control: &Arc<Control>) {
    // A write beyond the limit of file sizes then fails with an error, which is told; its signal would end the process and leave half a file behind.
    _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    // Memory that the system does not give ends the process from within, after a line that says how much was asked for.
    _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, i32::from(exit::IO), Arc::new(AtomicBool::new(true)));
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    let control = Arc::clone(control);
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            ARRIVED.store(signal, Ordering::Relaxed);
            control.cancel();
            std::thread::sleep(GRACE);
            oddsmith_io::remove_unfinished();
            leave(i32::from(exit_code()));
        }
    });
}

/// The system ends the process by itself where there are no signals.
#[cfg(not(unix))]
pub(crate) fn watch(_control: &Arc<Control>) {}

#[cfg(unix)]
#[expect(clippy::exit, reason = "the main thread is stuck in a system call and cannot be asked to return")]
fn leave(code: i32) {
    std::process::exit(code);
}
