//! What the command says of faults: in which column, row or value, and what to do, in three lines at most.

use std::fs;

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;
use crate::trust::trial;

/// The faults and what must be said.
const FAULTS: &str = "tests/trust/messages.txt";
/// Lines of a message, beside notices and how options are used.
const MOST_LINES: usize = 3;
const USAGE: [&str; 3] = ["Usage:", "For more information", "  tip:"];

/// One fault.
#[derive(Debug, PartialEq)]
struct Fault {
    name: String,
    table: Vec<u8>,
    words: String,
    code: i32,
    says: Vec<String>,
}

/// Tries every fault.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let folder = scope.folder("messages")?;
    let faults = read(&fs::read_to_string(scope.root.join(FAULTS))?).ok_or_else(|| Failure::new(format!("{FAULTS} cannot be read")))?;
    let mut wrong = Vec::new();
    for fault in &faults {
        fs::write(folder.join("t.csv"), &fault.table)?;
        let output = trial::said(&scope.program, &folder, &fault.words)?;
        let said = String::from_utf8_lossy(&output.stderr);
        let missing = fault.says.iter().find(|word| !said.contains(word.as_str()));
        if output.status.code() != Some(fault.code) || missing.is_some() || lines(&said) > MOST_LINES {
            wrong.push(format!("{} (exit {:?}, {} lines, without {missing:?})", fault.name, output.status.code(), lines(&said)));
        }
    }
    let measured = format!("{} as promised, others: {wrong:?}", faults.len() - wrong.len());
    Ok(vec![Finding::new(
        format!("messages of {} faults", faults.len()),
        "exit code, column or value, what to do, three lines",
        measured,
        wrong.is_empty() && faults.len() >= 40,
    )])
}

/// Lines of a message that are neither notices nor usage.
fn lines(said: &str) -> usize {
    let notice = |line: &&str| line.starts_with('W') && line[1..].starts_with(|c: char| c.is_ascii_digit());
    let plain = said.lines().filter(|line| !line.trim().is_empty() && !notice(line));
    plain.filter(|line| !USAGE.iter().any(|begin| line.starts_with(begin))).count()
}

/// The blocks of the file.
fn read(text: &str) -> Option<Vec<Fault>> {
    text.split("\n== ").skip(1).map(block).collect()
}

fn block(text: &str) -> Option<Fault> {
    let mut lines = text.lines();
    let (name, table) = (lines.next()?.to_owned(), bytes(lines.next()?)?);
    let words = lines.next()?.strip_prefix("$ ")?.to_owned();
    let code = lines.next()?.strip_prefix("exit ")?.parse().ok()?;
    let says = lines.next()?.strip_prefix("says ")?.split(" | ").map(str::to_owned).collect();
    Some(Fault { name, table, words, code, says })
}

/// The bytes that a line stands for.
fn bytes(line: &str) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::new(), line);
    while let Some((before, after)) = rest.split_once('\\') {
        out.extend_from_slice(before.as_bytes());
        let (byte, length) = match after.as_bytes().first()? {
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b'0' => (0, 1),
            b'x' => (u8::from_str_radix(after.get(1..3)?, 16).ok()?, 3),
            _ => return None,
        };
        out.push(byte);
        rest = after.get(length..)?;
    }
    out.extend_from_slice(rest.as_bytes());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read() {
        let text = "# what\n\n== a name\na,y\\n\\xfc,no\\0\n$ fit t.csv y~a\nexit 5\nsays `a` | --firth\n";
        let says = vec!["`a`".to_owned(), "--firth".to_owned()];
        let fault = Fault { name: "a name".into(), table: b"a,y\n\xfc,no\0".to_vec(), words: "fit t.csv y~a".into(), code: 5, says };
        assert_eq!(read(text), Some(vec![fault]));
        assert!(read("\n== a name\na\\q\n$ fit\nexit 5\nsays a\n").is_none() && read("\n== a name\n").is_none());
        assert_eq!(lines("W101 assumed\nerror: a\n  y~b\n\n  tip: b\nUsage: c\nWhy so\n"), 3);
    }
}
