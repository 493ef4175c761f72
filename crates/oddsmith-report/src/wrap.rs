//! Lines broken between words, for terminals.

/// Words of a text on lines of at most so many columns; what follows the first line is indented. A word that is wider than a line has
/// one of its own. Without a width nothing is broken.
pub fn wrapped(text: &str, width: Option<usize>, indent: usize) -> String {
    let Some(width) = width else { return text.to_owned() };
    let mut lines = Vec::new();
    for line in text.split('\n') {
        // A line that is aligned by hand keeps its beginning.
        let lead = line.len() - line.trim_start().len();
        let mut current = line[..lead].to_owned();
        let mut empty = true;
        for word in line.split_whitespace() {
            if !empty && current.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::replace(&mut current, " ".repeat(lead + indent)));
                empty = true;
            }
            if !empty {
                current.push(' ');
            }
            current.push_str(word);
            empty = false;
        }
        lines.push(current);
    }
    lines.join("\n")
}

/// The same for a cell: a word that is wider than the cell is cut into pieces.
pub(crate) fn in_cell(text: &str, width: usize) -> String {
    let pieces: Vec<String> = text
        .split(' ')
        .map(|word| {
            let letters: Vec<char> = word.chars().collect();
            letters.chunks(width.max(1)).map(|piece| piece.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    wrapped(&pieces.join(" "), Some(width), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_indented() {
        assert_eq!(wrapped("one two three four", Some(9), 2), "one two\n  three\n  four");
        assert_eq!(wrapped("  one two three", Some(9), 2), "  one two\n    three");
        assert_eq!(wrapped("one two", None, 2), "one two");
        assert_eq!(wrapped("unbreakable x", Some(4), 0), "unbreakable\nx");
        assert_eq!(in_cell("unbreakable x", 4), "unbr\neaka\nble\nx");
    }
}
