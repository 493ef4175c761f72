//! `--labels FILE`: what columns and levels are called where people read.
//!
//! A row is `name,label` for a column, and `name,label,level,label of the level` for a level; cells may be quoted, a header is left out.

use std::path::Path;

use oddsmith::card::Labels;
use oddsmith::error::{DataFault, ErrorKind};

use crate::exit::Failure;

/// The labels of a file.
pub(crate) fn read(path: &Path) -> Result<Labels, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| oddsmith::Error::from(ErrorKind::Io { path: path.display().to_string(), source }))?;
    let mut labels = Labels::default();
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let cells = cells(line);
        let is_header = at == 0 && cells.first().is_some_and(|name| name.eq_ignore_ascii_case("name"));
        match &cells[..] {
            _ if is_header => {}
            [name, label] => labels.add_column(name, label),
            [name, label, level, told] => {
                if !label.is_empty() {
                    labels.add_column(name, label);
                }
                if !level.is_empty() {
                    labels.add_level(name, level, told);
                }
            }
            cells => {
                let count = oddsmith::notice::counted(cells.len() as u64, "cell");
                let fault = DataFault::new(format!("line {} has {count}", at + 1));
                let accepted = "a line of labels is `name,label`, or `name,label,level,label of the level`";
                return Err(oddsmith::Error::from(fault.accepted(accepted)).in_table(&path.display().to_string()).into());
            }
        }
    }
    Ok(labels)
}

/// The cells of a line: quotes hold commas, two of them are one.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut();
        match (letter, cell) {
            ('"', Some(cell)) if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => cells.push(String::new()),
            (letter, Some(cell)) => cell.push(letter),
            (_, None) => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_may_be_quoted() {
        assert_eq!(cells("age, \"Age, \"\"years\"\"\",,x"), ["age", "Age, \"years\"", "", "x"]);
    }
}
