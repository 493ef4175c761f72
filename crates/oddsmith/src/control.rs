//! The wire between long work and the person who waits for it: progress one way, a stop the other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{ErrorKind, Result};

/// Shared by the thread that waits and the threads that work. Workers call [`Control::advance`] after every
/// batch, so a stop is noticed within one batch.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// A control that nobody has stopped.
    pub fn new() -> Self {
        Control::default()
    }

    /// Asks the workers to stop; callable from a signal handler.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Fails once someone asked to stop.
    pub fn check(&self) -> Result<()> {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Err(ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// Starts to count towards `total` units (0 when it is not known).
    pub fn begin(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Reports finished units and fails once someone asked to stop.
    pub fn advance(&self, units: u64) -> Result<()> {
        self.done.fetch_add(units, Ordering::Relaxed);
        self.check()
    }

    /// Units done and the total (0 when it is not known).
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}
