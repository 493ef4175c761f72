//! The edge of the program: arguments in, exit code out, and the net under everything that should not happen.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser;
use oddsmith::control::Control;

use crate::command_line::CommandLine;
use crate::commands;
use crate::console::Console;
use crate::exit::{self, Failure};
use crate::signals;

/// Parses the arguments, runs the command and gives the exit code.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let parsed = match CommandLine::try_parse_from(arguments) {
        Ok(parsed) => parsed,
        Err(refusal) => {
            // Help goes to standard output and a refusal to standard error; nobody is left to tell if the latter fails.
            let printed = refusal.print().and_then(|()| std::io::stdout().flush());
            return ExitCode::from(match (refusal.use_stderr(), printed) {
                (true, _) => exit::USAGE,
                (false, Err(error)) if error.kind() != ErrorKind::BrokenPipe => exit::IO,
                (false, _) => exit::OK,
            });
        }
    };
    let console = Console::new(&parsed.output);
    let control = Arc::new(Control::new());
    signals::watch(&control);
    ExitCode::from(guarded(&console, || commands::run(parsed, &console, &control)))
}

/// Whether the arguments are a command line.
pub(crate) fn understands(arguments: impl IntoIterator<Item = OsString>) -> bool {
    CommandLine::try_parse_from(arguments).is_ok()
}

/// Runs `work`, tells what went wrong and gives the exit code; a panic is a bug to be reported.
fn guarded(console: &Console, work: impl FnOnce() -> Result<(), Failure>) -> u8 {
    let first_panic = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&first_panic);
    panic::set_hook(Box::new(move |info| {
        let what = info.payload_as_str().unwrap_or("a panic without words").to_owned();
        let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
        seen.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(format!("{what}{place}"));
    }));
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    let _ = panic::take_hook();
    match outcome {
        Ok(Ok(())) => exit::OK,
        Ok(Err(failure)) => {
            console.failure(&failure);
            failure.code()
        }
        Err(_) => {
            let what = first_panic.lock().unwrap_or_else(PoisonError::into_inner).take();
            let failure = Failure::Library(fault_of(what.unwrap_or_default()));
            console.failure(&failure);
            failure.code()
        }
    }
}

/// The fault behind a panic: a bug, unless the standard library says that the system refused a thread, which it can say in no other way.
fn fault_of(panic: String) -> oddsmith::Error {
    match panic.starts_with("failed to spawn thread") {
        true => {
            let why = "the system gives no memory or no room for it; take fewer (--threads 1) or raise the limit (ulimit)";
            oddsmith::ErrorKind::Io { path: "a thread".into(), source: std::io::Error::other(why) }.into()
        }
        false => oddsmith::Error::internal(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_a_worker_becomes_exit_code_70() {
        let console = Console::for_tests();
        let code = guarded(&console, || {
            std::thread::scope(|scope| {
                scope.spawn(|| panic!("the sky fell"));
            });
            Ok(())
        });
        assert_eq!(code, 70);
        assert_eq!(guarded(&console, || Ok(())), 0);
        assert_eq!(guarded(&console, || panic!("failed to spawn thread: {:?}", std::io::ErrorKind::WouldBlock)), 6);
    }
}
