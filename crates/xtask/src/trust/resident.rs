//! How much memory a process holds, as the system counts it.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::failure::Failure;

/// How a process ended, and the most memory it held.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) peak_mib: f64,
}

/// Runs a process to its end and watches its memory; where the system does not tell it, 0.
pub(crate) fn run(mut command: Command) -> Result<Ended, Failure> {
    let mut child = command.spawn()?;
    let mut peak_mib = 0.0f64;
    loop {
        peak_mib = peak_mib.max(memory_mib(child.id(), "VmHWM:").unwrap_or(0.0));
        if let Some(status) = child.try_wait()? {
            return Ok(Ended { code: status.code(), peak_mib });
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// A figure of a process in MiB: `VmRSS:` now, `VmHWM:` at most.
pub(crate) fn memory_mib(process: u32, name: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_takes_memory_is_seen() {
        let mut command = Command::new("sh");
        command.args(["-c", "x=$(head -c 30000000 /dev/zero | tr '\\0' a); sleep 0.2; exit 3"]);
        let ended = run(command).unwrap();
        assert_eq!(ended.code, Some(3));
        if cfg!(target_os = "linux") {
            assert!(ended.peak_mib > 25.0, "{}", ended.peak_mib);
        }
    }
}
