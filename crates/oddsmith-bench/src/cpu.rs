//! Processor time of this process, where the system tells it.

/// Seconds that all threads together have spent so far.
#[cfg(unix)]
pub(crate) fn seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// Seconds that all threads together have spent so far.
#[cfg(not(unix))]
pub(crate) fn seconds() -> Option<f64> {
    None
}
