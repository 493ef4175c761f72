//! The page that holds the tables of the last long run, each between two marks.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

const END: &str = "<!-- end -->";

fn begin(place: &str) -> String {
    format!("<!-- measured: {place} -->\n")
}

/// Writes a table into a place of the page.
pub(crate) fn write(root: &Path, place: &str, table: &str) -> Result<(), Failure> {
    let path = root.join("docs/trust.md");
    let page = filled(&fs::read_to_string(&path)?, place, table);
    let page = page.ok_or_else(|| Failure::new(format!("{} has no place `{}` … `{END}`", path.display(), begin(place).trim_end())))?;
    Ok(fs::write(path, page)?)
}

/// The page with another table between the marks of a place, if it has them.
fn filled(page: &str, place: &str, table: &str) -> Option<String> {
    let begin = begin(place);
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{begin}{table}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let page = "# Trust\n<!-- measured: a -->\nold\n<!-- end -->\nmore\n<!-- measured: b -->\nstays\n<!-- end -->\n";
        let once = filled(page, "a", "| new |\n").unwrap();
        assert_eq!(once, page.replace("old", "| new |"));
        assert_eq!(filled(&once, "a", "| new |\n").unwrap(), once);
        assert!(filled("# Trust\n", "a", "").is_none() && filled(page, "c", "").is_none());
    }
}
