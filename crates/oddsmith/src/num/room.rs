//! Whether the machine has memory for large arrays, asked before they are made: an allocation that fails ends the process.

use crate::error::{Advice, ErrorKind, Result};

/// Refuses what needs so many floating-point numbers at once where the machine does not give memory for them.
///
/// # Errors
///
/// [`ErrorKind::Memory`] with the amount and the advice.
pub(crate) fn check_room(numbers: u128, what: impl FnOnce() -> String, advice: impl FnOnce() -> Advice) -> Result<()> {
    let bytes = u64::try_from(numbers.saturating_mul(8)).unwrap_or(u64::MAX);
    // The system counts what it promises; nothing of it is touched, so asking costs nothing. Many promise more than they have, and end
    // the process that takes it.
    let promised = usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if promised && bytes <= available() { Ok(()) } else { Err(ErrorKind::Memory { what: what(), bytes, advice: advice() }.into()) }
}

/// Bytes that are free on this machine and in the group of processes that this one belongs to, as far as the system says so.
fn available() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let free = free_memory(&read("/proc/meminfo"));
    let limit = |name: &str| read(&format!("/sys/fs/cgroup/memory.{name}")).trim().parse::<u64>().ok();
    let in_group = limit("max").zip(limit("current")).map(|(most, used)| most.saturating_sub(used));
    free.unwrap_or(u64::MAX).min(in_group.unwrap_or(u64::MAX))
}

/// The free memory in a listing of lines such as `MemAvailable:   21 kB`.
fn free_memory(listing: &str) -> Option<u64> {
    let line = listing.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_read_from_the_system() {
        assert_eq!(free_memory("MemTotal: 9 kB\nMemAvailable:    2048 kB\nSwap: 0 kB\n"), Some(2 << 20));
        assert_eq!(free_memory(""), None);
        assert!(available() > 1 << 20);
    }

    #[test]
    fn what_no_machine_has_is_refused_with_the_amount() {
        assert!(check_room(1 << 10, String::new, || "".into()).is_ok());
        for numbers in [1u128 << 60, u128::MAX] {
            let refused = check_room(numbers, || "a table of products".into(), || "leave a column out".into()).unwrap_err();
            assert!(matches!(refused.kind(), ErrorKind::Memory { .. }));
            assert!(refused.to_string().starts_with("a table of products would take "), "{refused}");
        }
    }
}
