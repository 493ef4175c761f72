//! Whether the machine has memory for large arrays, asked before they are made: an allocation that fails ends the process.

use crate::error::{Advice, ErrorKind, Result};

/// Refuses what needs so many floating-point numbers at once where the machine does not give memory for them.
///
/// # Errors
///
/// [`ErrorKind::Memory`] with the amount and the advice.
pub(crate) fn check_room(numbers: u128, what: impl FnOnce() -> String, advice: impl FnOnce() -> Advice) -> Result<()> {
    let bytes = u64::try_from(numbers.saturating_mul(8)).unwrap_or(u64::MAX);
    // The system counts what it promises; nothing of it is touched, so asking costs nothing.
    let given = usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if given { Ok(()) } else { Err(ErrorKind::Memory { what: what(), bytes, advice: advice() }.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
