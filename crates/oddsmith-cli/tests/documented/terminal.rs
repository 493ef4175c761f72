//! A pseudo-terminal of eighty columns: what a person at a terminal sees.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

/// Columns of the terminal.
pub(crate) const COLUMNS: u16 = 80;

/// Runs a command with both streams on a terminal; gives its exit code and the lines without colours.
pub(crate) fn run(mut command: Command) -> (Option<i32>, Vec<String>) {
    let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    rustix::termios::tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
    let screen = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    command.env("TERM", "xterm").stdout(Stdio::from(screen.try_clone().unwrap())).stderr(Stdio::from(screen));
    let mut child = command.spawn().unwrap();
    // The command holds this side of the terminal open; without it reading would never end.
    drop(command);
    let mut bytes = Vec::new();
    let mut reader = File::from(master);
    let mut block = [0; 4096];
    // A terminal that nobody holds any more answers with an error where a pipe would end.
    while let Ok(read @ 1..) = reader.read(&mut block) {
        bytes.extend_from_slice(&block[..read]);
    }
    let code = child.wait().unwrap().code();
    (code, String::from_utf8_lossy(&bytes).lines().map(without_colours).collect())
}

/// A line without escape sequences, as it stands after returns to its beginning.
fn without_colours(line: &str) -> String {
    let mut shown = String::new();
    let mut chars = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or("").chars();
    while let Some(c) = chars.next() {
        match c {
            // What is erased is not seen: the last picture of a progress bar.
            '\x1b' => {
                if chars.by_ref().skip_while(|c| *c == '[').find(char::is_ascii_alphabetic) == Some('K') {
                    shown.clear();
                }
            }
            c => shown.push(c),
        }
    }
    shown
}

#[test]
fn a_terminal_has_its_width_and_its_colours_are_taken_off() {
    let mut command = Command::new("sh");
    command.arg("-c").arg("test -t 1 && test -t 2 && stty size < /dev/stdout 2>/dev/null; printf '\\033[1mbold\\033[0m\\n'; exit 3");
    let (code, lines) = run(command);
    assert_eq!(code, Some(3));
    assert_eq!(lines.last().map(String::as_str), Some("bold"));
    assert_eq!(lines.first().map(String::as_str), Some("24 80"));
}
