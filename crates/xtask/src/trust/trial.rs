//! One run of the command in a folder, to its end or to a moment at which it is stopped.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// The command with these words, in a folder, silent.
pub(crate) fn command(program: &Path, folder: &Path, words: &str) -> Command {
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs the command; anything but exit code 0 is a failure of the harness.
pub(crate) fn succeed(program: &Path, folder: &Path, words: &str) -> Result<Duration, Failure> {
    let begin = Instant::now();
    let output = command(program, folder, words).stderr(Stdio::piped()).output()?;
    match output.status.success() {
        true => Ok(begin.elapsed()),
        false => Err(Failure::new(format!("`oddsmith {words}` failed: {}", String::from_utf8_lossy(&output.stderr)))),
    }
}

/// Runs the command in a folder and gives what it said.
pub(crate) fn said(program: &Path, folder: &Path, words: &str) -> Result<Output, Failure> {
    Ok(command(program, folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).output()?)
}

/// Runs a line of the shell in a folder; `$0` is the command.
pub(crate) fn shell(program: &Path, folder: &Path, line: &str) -> Result<Output, Failure> {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).arg(program).current_dir(folder).stdin(Stdio::null());
    Ok(shell.output()?)
}

/// Sleeps shortly, and more exactly than the system's timer: what is tried happens within fractions of a millisecond.
pub(crate) fn wait_exactly(time: Duration) {
    let begin = Instant::now();
    if let Some(most) = time.checked_sub(Duration::from_micros(500)) {
        thread::sleep(most);
    }
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Sends a signal by name.
pub(crate) fn send(child: &Child, signal: &str) -> Result<(), Failure> {
    // A process that has just ended cannot be told; its exit code will say what it did.
    Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status()?;
    Ok(())
}

/// Runs `work` on pieces of `0..count`, as many at a time as the machine has cores, and gives what they return.
pub(crate) fn side_by_side<T: Send>(count: usize, work: impl Fn(usize) -> Result<T, Failure> + Sync) -> Result<Vec<T>, Failure> {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get()).min(count.max(1));
    let results = thread::scope(|scope| {
        let work = &work;
        let piece = |core: usize| scope.spawn(move || (core..count).step_by(cores).map(work).collect::<Result<Vec<T>, Failure>>());
        let running: Vec<_> = (0..cores).map(piece).collect();
        running.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut all = Vec::new();
    for result in results {
        all.extend(result.map_err(|_| Failure::new("a thread of the workshop panicked"))??);
    }
    Ok(all)
}
