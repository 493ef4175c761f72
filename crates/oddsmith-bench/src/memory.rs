//! Peak resident memory of this process, where the system tells it.

use std::fs;

/// Resident memory before a piece of work, from which the peak is counted.
pub(crate) struct Watermark {
    before: Option<u64>,
}

impl Watermark {
    /// Forgets the peak so far and starts to watch.
    pub(crate) fn start() -> Self {
        // 5 resets the peak; where it cannot be written the first peak of the process stands.
        let reset = fs::write("/proc/self/clear_refs", "5");
        Watermark { before: reset.ok().and_then(|()| status_bytes("VmRSS:")) }
    }

    /// Bytes by which the peak has exceeded the start, when the system tells.
    pub(crate) fn extra(&self) -> Option<u64> {
        Some(status_bytes("VmHWM:")?.saturating_sub(self.before?))
    }
}

fn status_bytes(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
