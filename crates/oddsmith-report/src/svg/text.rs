//! Texts in pictures: escaped by one function, measured by estimated widths, cut where there is no room.

use crate::escape;

/// Units of a line of text.
pub(super) const SIZE: f64 = 12.0;
/// Units of a small text.
pub(super) const SMALL: f64 = 11.0;

/// Where a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) anchor: Anchor,
    pub(super) small: bool,
    pub(super) muted: bool,
    pub(super) bold: bool,
    /// Whether it stands on what is drawn, and needs an edge to be read.
    pub(super) halo: bool,
    /// Whether it stands on a filled shape, and takes the colour of the page.
    pub(super) reversed: bool,
}

impl Style {
    pub(super) fn plain() -> Self {
        Style { anchor: Anchor::Start, small: false, muted: false, bold: false, halo: false, reversed: false }
    }

    pub(super) fn muted() -> Self {
        Style { muted: true, ..Style::plain() }
    }

    pub(super) fn at(self, anchor: Anchor) -> Self {
        Style { anchor, ..self }
    }

    pub(super) fn small(self) -> Self {
        Style { small: true, ..self }
    }

    pub(super) fn halo(self) -> Self {
        Style { halo: true, ..self }
    }

    /// On a filled shape, where an edge in the colour of the page would leave nothing of the letters.
    pub(super) fn reversed(self) -> Self {
        Style { reversed: true, halo: false, ..self }
    }

    /// Units that a text takes.
    pub(super) fn width(&self, text: &str) -> f64 {
        width(text) * if self.small { SMALL / SIZE } else { 1.0 } * if self.bold { 1.06 } else { 1.0 }
    }
}

/// A text from data, for an element or an attribute: control characters and marks of direction are spelled out, and so is what XML has no place for.
pub(super) fn escaped(text: &str) -> String {
    escape::html(&text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
}

/// Estimated units of a text of size 12: the fonts of a reader are not known, so it errs on the wide side.
pub(super) fn width(text: &str) -> f64 {
    escape::printable(text).chars().map(of_character).sum()
}

fn of_character(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' | '!' | '.' | ',' | ':' | ';' | '·' | '’' => 3.4,
        ' ' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '/' | '-' | '"' | '{' | '}' | '\\' | '`' => 4.2,
        'm' | 'M' | 'W' | '%' | '@' | '—' => 10.8,
        'w' | 'C' | 'D' | 'G' | 'H' | 'N' | 'O' | 'Q' | 'R' | 'U' => 9.0,
        'A'..='Z' | '&' => 8.2,
        '0'..='9' | 'a'..='z' | '+' | '−' | '–' | '<' | '>' | '=' | '~' | '_' | '$' | '#' | '*' | '?' => 6.9,
        '\u{300}'..='\u{36f}' => 0.0,
        '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f000}'..='\u{1faff}' => 12.4,
        _ => 8.0,
    }
}

/// The text, or as much of it as fits with a mark that there is more.
pub(super) fn fitted(text: &str, room: f64) -> String {
    let shown = escape::printable(text);
    if width(&shown) <= room {
        return shown;
    }
    let mut kept = String::new();
    let mut used = of_character('m');
    for c in shown.chars() {
        used += of_character(c);
        if used > room {
            break;
        }
        kept.push(c);
    }
    format!("{}…", kept.trim_end())
}

/// The text, or what fits of its beginning and its last words: the value behind a long name, the share behind a long class.
pub(super) fn with_last_words(text: &str, room: f64) -> String {
    const SHARE: f64 = 0.45;
    let shown = escape::printable(text);
    if width(&shown) <= room {
        return shown;
    }
    let parts = shown.match_indices(' ').map(|(at, _)| (&shown[..at], &shown[at + 1..]));
    match parts.into_iter().find(|(_, last)| !last.is_empty() && width(last) <= SHARE * room) {
        Some((before, last)) => format!("{} {last}", fitted(before, room - width(" ") - width(last))),
        None => fitted(text, room),
    }
}

/// As many words of a text as fit; what is left of one that does not fit by itself.
pub(super) fn whole_words(text: &str, room: f64) -> String {
    let mut kept = escape::printable(text);
    while width(&kept) > room {
        match kept.rfind(' ') {
            Some(at) => kept.truncate(at),
            None => return fitted(&kept, room),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_to_their_room() {
        assert_eq!(fitted("age", 100.0), "age");
        let cut = fitted(&"x".repeat(200), 60.0);
        assert!(cut.ends_with('…') && width(&cut) <= 60.0, "{cut}");
        assert_eq!(fitted("age", 0.0), "…");
    }

    #[test]
    fn what_stands_behind_a_long_name_is_kept() {
        for (text, room, end) in [
            ("age in completed years at the day of admission 77.4", 160.0, "… 77.4"),
            ("48 rows, versicolor 89%", 105.0, "… 89%"),
            ("race = white and age < 23", 118.0, "… age < 23"),
        ] {
            let cut = with_last_words(text, room);
            assert!(cut.ends_with(end) && cut.starts_with(&text[..5]) && width(&cut) <= room, "{cut}");
            assert_eq!(with_last_words(text, 1000.0), text);
        }
        assert!(with_last_words(&"x".repeat(200), 60.0).ends_with('…'));
        assert!(with_last_words(&format!("a {}", "x".repeat(200)), 60.0).ends_with('…'));
    }

    #[test]
    fn words_stay_whole_where_one_fits() {
        assert_eq!(whole_words("less likely yes", 1000.0), "less likely yes");
        assert_eq!(whole_words("less likely yes", width("less likely") + 1.0), "less likely");
        assert!(whole_words(&"x".repeat(200), 60.0).ends_with('…'));
    }

    #[test]
    fn nothing_of_the_data_is_markup() {
        assert_eq!(escaped("<script>\"\u{ffff}\u{1}"), "&lt;script&gt;&quot;\u{fffd}\\x01");
    }
}
