//! Texts from data made harmless for the place where they are written.

/// The text with control characters spelled out, so that a name in a file cannot drive a terminal: no escape
/// sequences, no line ends, no marks that turn the writing direction.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if c.is_control() => shown.push_str(&format!("\\x{:02x}", c as u32)),
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
                shown.push_str(&format!("\\u{{{:x}}}", c as u32));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// A CSV cell, quoted where it must be. With `guard`, a text that a spreadsheet would take for a formula gets an
/// apostrophe in front.
pub(crate) fn csv(text: &str, guard: bool, out: &mut String) {
    let formula = guard && text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let quoted = formula || text.is_empty() || text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ');
    if !quoted {
        out.push_str(text);
        return;
    }
    out.push('"');
    if formula {
        out.push('\'');
    }
    for c in text.chars() {
        if c == '"' {
            out.push('"');
        }
        out.push(c);
    }
    out.push('"');
}

/// A text inside a cell of a Markdown table.
pub(crate) fn markdown(text: &str) -> String {
    let mut safe = String::new();
    for c in printable(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe
}

/// A text inside an HTML element.
pub(crate) fn html(text: &str) -> String {
    let mut safe = String::new();
    for c in printable(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_the_data_can_drive_a_terminal() {
        assert_eq!(printable("a\x1b[31mred\x07\n\u{202e}x\u{9b}"), "a\\x1b[31mred\\x07\\n\\u{202e}x\\x9b");
        assert_eq!(printable("größe, 年"), "größe, 年");
    }

    #[test]
    fn csv_quotes_what_needs_it_and_guards_formulas_on_request() {
        let cell = |text: &str, guard| {
            let mut out = String::new();
            csv(text, guard, &mut out);
            out
        };
        assert_eq!(cell("plain", false), "plain");
        assert_eq!(cell("", false), "\"\"");
        assert_eq!(cell("a,\"b\"\n", false), "\"a,\"\"b\"\"\n\"");
        assert_eq!(cell("=1+1", false), "=1+1");
        assert_eq!(cell("=1+1", true), "\"'=1+1\"");
    }

    #[test]
    fn documents_show_markup_as_text() {
        assert_eq!(html("<script>&\"'"), "&lt;script&gt;&amp;&quot;&#39;");
        assert_eq!(markdown("a|b_<i>"), "a\\|b\\_&lt;i>");
    }
}
