//! Lines of `__label__spam __label__ad some words`: a table of two columns, `label` and `text`.
//!
//! When learning, a line with several labels counts once for each of them; when predicting, its first label is
//! the truth to compare with. Every line is a row: a blank one has neither a label nor a text.

use crate::grid::{Grid, Text};
use crate::records::Span;

/// What a label starts with.
const PREFIX: &[u8] = b"__label__";
/// The names of the two columns.
pub(crate) const NAMES: [&str; 2] = ["label", "text"];

/// Whether a text looks like such lines.
pub(crate) fn detect(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(PREFIX)
}

/// Fills the grid with the next lines and counts those with several labels.
pub(crate) fn fill(grid: &mut Grid, text: &mut Text, rows: usize, every_label: bool) -> u64 {
    grid.begin(rows, NAMES.len());
    let mut several = 0;
    let mut labels: Vec<Span> = Vec::new();
    while let Some((start, end)) = text.peek_line() {
        let words = read_labels(&text.bytes[..end], start, &mut labels);
        several += u64::from(labels.len() > 1);
        labels.truncate(if every_label { rows } else { 1 });
        if grid.rows + labels.len().max(1) > rows {
            several -= u64::from(labels.len() > 1);
            break;
        }
        let record = text.next_line(end);
        let words = [words as u32, end as u32];
        if labels.is_empty() {
            grid.push_row(record, &[[0; 2], words]);
        }
        for label in &labels {
            grid.push_row(record, &[*label, words]);
        }
    }
    several
}

/// Collects the labels at the start of a line and gives the place where the words start.
fn read_labels(line: &[u8], mut at: usize, labels: &mut Vec<Span>) -> usize {
    labels.clear();
    loop {
        while line.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if !line[at..].starts_with(PREFIX) {
            return at;
        }
        let length = line[at..].iter().position(u8::is_ascii_whitespace).unwrap_or(line.len() - at);
        labels.push([(at + PREFIX.len()) as u32, (at + length) as u32]);
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, capacity: usize, every_label: bool) -> (Vec<String>, u64) {
        let mut text = Text::of(text, None);
        let (mut grid, mut all, mut several) = (Grid::default(), Vec::new(), 0);
        loop {
            several += fill(&mut grid, &mut text, capacity, every_label);
            if grid.rows == 0 {
                return (all, several);
            }
            for i in 0..grid.rows {
                let cell = |j: usize| {
                    String::from_utf8_lossy(&text.bytes[grid.column(j)[i][0] as usize..grid.column(j)[i][1] as usize]).into_owned()
                };
                all.push(format!("{} {}: {}", grid.records[i], cell(0), cell(1)));
            }
        }
    }

    #[test]
    fn labels_and_words_become_two_columns() {
        let text = "__label__spam buy now\n\n__label__a __label__b  x y\r\nno label\n__label__c\n";
        for capacity in [2, 3, 100] {
            let (all, several) = rows(text, capacity, true);
            assert_eq!(all, ["0 spam: buy now", "1 : ", "2 a: x y", "2 b: x y", "3 : no label", "4 c: "]);
            assert_eq!(several, 1);
        }
        assert_eq!(rows(text, 100, false).0[1..], ["1 : ", "2 a: x y", "3 : no label", "4 c: "]);
        assert!(detect(b"\n__label__x y") && !detect(b"label,text\n"));
    }
}
