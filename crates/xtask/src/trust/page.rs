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

/// What stands in a place of the page.
pub(crate) fn read(root: &Path, place: &str) -> Result<String, Failure> {
    let page = fs::read_to_string(root.join("docs/trust.md"))?;
    let inside = page.split_once(&begin(place)).and_then(|(_, rest)| rest.split_once(END));
    Ok(inside.map_or_else(String::new, |(inside, _)| inside.to_owned()))
}

/// A table with the lines of the properties that were not run as they stood before, in the order of `names`.
pub(crate) fn with_others(before: &str, table: &str, run: &[&str], names: &[&str]) -> String {
    let of = |text: &str, name: &str| -> String {
        let begins = format!("| {name} | ");
        text.lines().filter(|line| line.starts_with(&begins)).map(|line| format!("{line}\n")).collect()
    };
    let head: String = table.lines().take(2).map(|line| format!("{line}\n")).collect();
    let lines = names.iter().map(|name| of(if run.contains(name) { table } else { before }, name));
    head + &lines.collect::<String>()
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
    fn lines_of_other_properties_stay() {
        let before = "*old*\n\n| property | a |\n| --- | --- |\n| crash | 1 |\n| bits | 2 |\n| gone | 3 |\n";
        let now = "| property | b |\n| --- | --- |\n| bits | 4 |\n| bits | 5 |\n";
        let whole = with_others(before, now, &["bits"], &["crash", "bits", "load"]);
        assert_eq!(whole, "| property | b |\n| --- | --- |\n| crash | 1 |\n| bits | 4 |\n| bits | 5 |\n");
    }

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let page = "# Trust\n<!-- measured: a -->\nold\n<!-- end -->\nmore\n<!-- measured: b -->\nstays\n<!-- end -->\n";
        let once = filled(page, "a", "| new |\n").unwrap();
        assert_eq!(once, page.replace("old", "| new |"));
        assert_eq!(filled(&once, "a", "| new |\n").unwrap(), once);
        assert!(filled("# Trust\n", "a", "").is_none() && filled(page, "c", "").is_none());
    }
}
