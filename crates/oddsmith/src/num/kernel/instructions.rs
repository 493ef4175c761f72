//! Which instructions the kernels use: the widest that the processor has. For tests that compare what each gives, the environment variable
//! `ODDSMITH_INSTRUCTIONS` asks for `avx2` or `plain`; it is read once, and what the processor does not have is not used.

use std::sync::OnceLock;

use pulp::Arch;

/// The variable.
const ASKED: &str = "ODDSMITH_INSTRUCTIONS";

/// The instructions of this process.
pub(crate) fn arch() -> Arch {
    static CHOSEN: OnceLock<Arch> = OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var(ASKED).ok().and_then(|asked| named(&asked)).unwrap_or_default())
}

/// The instructions of a name, where the processor has them.
fn named(name: &str) -> Option<Arch> {
    match name {
        "plain" => Some(Arch::Scalar),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        "avx2" => pulp::x86::V3::try_new().map(Arch::V3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_or_leave_the_choice_to_the_processor() {
        assert!(matches!(named("plain"), Some(Arch::Scalar)));
        assert!(named("").is_none() && named("sse").is_none());
    }
}
