//! Why a task stopped, and with which exit code.

use std::fmt;
use std::process::ExitCode;

/// A message and an exit code: that of the program that failed, 2 for a wrong call, 1 for the rest.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// Something did not hold.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: 1 }
    }

    /// The task was called in a way that it does not understand.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: 2 }
    }

    /// A program ended with `code`; without one it was ended by a signal.
    pub(crate) fn of_program(message: impl Into<String>, code: Option<i32>) -> Self {
        let code = code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0).unwrap_or(1);
        Failure { message: message.into(), code }
    }

    /// The exit code of the workshop.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::new(error.to_string())
    }
}
