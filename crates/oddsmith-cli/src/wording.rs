//! What the library advises, in the words of the command: options are flags.

use oddsmith::error::Wording;

/// Options as flags.
pub(crate) struct Flags;

impl Wording for Flags {
    fn option(&self, name: &str, value: &str) -> String {
        let separator = if value.is_empty() { "" } else { " " };
        format!("--{name}{separator}{value}")
    }

    fn model(&self, name: &str) -> String {
        format!("--model {name}")
    }

    fn leave_out(&self) -> Option<String> {
        Some("--exclude".into())
    }
}
