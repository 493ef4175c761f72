//! A line of text with a line of carets under the place that is meant.

use std::fmt::Write;
use std::ops::Range;

/// Characters shown on either side of the place, when the text is longer.
const AROUND: usize = 60;

/// Two lines: the text, and carets under the bytes of `span` (at least one). Control characters are shown as `·`, so that
/// neither a terminal is driven nor the carets move; of a long text only the neighbourhood is shown.
pub(super) fn marked(text: &str, span: &Range<usize>) -> String {
    let before = text.char_indices().take_while(|(at, _)| *at < span.start).count();
    let under = text.char_indices().filter(|(at, _)| span.contains(at)).count().max(1);
    let (skipped, width) = (before.saturating_sub(AROUND), under.min(AROUND));
    let mut line: String = text.chars().skip(skipped).take(before - skipped + width + AROUND).map(shown).collect();
    let mut indent = before - skipped;
    if skipped > 0 {
        line.insert(0, '…');
        indent += 1;
    }
    if text.chars().count() > before + width + AROUND {
        line.push('…');
    }
    let mut lines = format!("  {line}\n  ");
    // Writing to a string cannot fail.
    let _ = write!(lines, "{:indent$}{}", "", "^".repeat(width));
    lines
}

fn shown(c: char) -> char {
    if c.is_control() { '·' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_under_characters_not_bytes() {
        assert_eq!(marked("größe ~ ülter", &(10..16)), "  größe ~ ülter\n          ^^^^^");
        assert_eq!(marked("y ~", &(3..3)), "  y ~\n     ^");
        assert_eq!(marked("", &(0..0)), "  \n  ^");
        assert_eq!(marked("a\n\u{1b}b", &(3..4)), "  a··b\n     ^");
    }

    #[test]
    fn a_long_text_is_cut_around_the_place() {
        let text = "x + ".repeat(1000) + "wrong" + &" + x".repeat(1000);
        let lines = marked(&text, &(4000..4005));
        let (line, carets) = lines.split_once('\n').unwrap();
        assert!(line.chars().count() < 140 && line.starts_with("  …") && line.ends_with('…'));
        let at = carets.find('^').unwrap();
        assert_eq!(line.chars().skip(at).take(5).collect::<String>(), "wrong");
        assert_eq!(carets.matches('^').count(), 5);
    }
}
