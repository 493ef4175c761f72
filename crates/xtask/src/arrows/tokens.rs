//! Just enough of Rust's lexer to find paths: names, `::`, and single signs; comments, strings and test modules are
//! left out.

/// A token and the line it stands on, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    /// A name, `::`, or one sign.
    pub text: String,
    /// Line, from 1.
    pub line: usize,
}

/// The tokens of a source outside of `#[cfg(test)]` items.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    without_tests(all_tokens(source))
}

fn all_tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let (mut found, mut i, mut line) = (Vec::new(), 0, 1);
    while i < chars.len() {
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => i = end_of_line(&chars, i),
            '/' if at(i + 1) == '*' => i = end_of_comment(&chars, i),
            'r' | 'b' if raw_string_hashes(&chars, i).is_some() => i = end_of_raw_string(&chars, i),
            '"' => i = end_of_string(&chars, i),
            '\'' => i = end_of_quote(&chars, i),
            c if c.is_alphabetic() || c == '_' => {
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
                found.push(Token { text: chars[start..i].iter().collect(), line });
            }
            ':' if at(i + 1) == ':' => {
                i += 2;
                found.push(Token { text: "::".into(), line });
            }
            c => {
                i += 1;
                if !c.is_whitespace() {
                    found.push(Token { text: c.into(), line });
                }
            }
        }
        line += chars[start..i].iter().filter(|c| **c == '\n').count();
    }
    found
}

fn end_of_line(chars: &[char], from: usize) -> usize {
    chars[from..].iter().position(|c| *c == '\n').map_or(chars.len(), |at| from + at)
}

/// The end of a block comment; they nest.
fn end_of_comment(chars: &[char], from: usize) -> usize {
    let (mut i, mut depth) = (from, 0);
    while i < chars.len() {
        match (chars[i], chars.get(i + 1)) {
            ('/', Some('*')) => (depth, i) = (depth + 1, i + 2),
            ('*', Some('/')) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i.min(chars.len())
}

/// The number of `#` before the quote of a raw string that starts here, when one does.
fn raw_string_hashes(chars: &[char], from: usize) -> Option<usize> {
    let prefix = if chars[from] == 'b' { 1 } else { 0 };
    if chars.get(from + prefix) != Some(&'r') || (from > 0 && (chars[from - 1].is_alphanumeric() || chars[from - 1] == '_')) {
        return None;
    }
    let hashes = chars[from + prefix + 1..].iter().take_while(|c| **c == '#').count();
    (chars.get(from + prefix + 1 + hashes) == Some(&'"')).then_some(hashes)
}

fn end_of_raw_string(chars: &[char], from: usize) -> usize {
    let hashes = raw_string_hashes(chars, from).unwrap_or(0);
    let open = chars[from..].iter().position(|c| *c == '"').map_or(chars.len(), |at| from + at + 1);
    let closes = |i: usize| chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
    (open..chars.len()).find(|&i| closes(i)).map_or(chars.len(), |i| i + 1 + hashes)
}

fn end_of_string(chars: &[char], from: usize) -> usize {
    let mut i = from + 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(chars.len())
}

/// The end of a character, or of the quote alone when it begins a lifetime.
fn end_of_quote(chars: &[char], from: usize) -> usize {
    match (chars.get(from + 1), chars.get(from + 2)) {
        (Some('\\'), _) => chars[from + 3..].iter().position(|c| *c == '\'').map_or(chars.len(), |at| from + 3 + at + 1),
        (Some(_), Some('\'')) => from + 3,
        _ => from + 1,
    }
}

/// Drops every item that `#[cfg(test)]` stands before.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut i) = (Vec::new(), 0);
    while i < tokens.len() {
        if tokens[i..].len() >= MARK.len() && tokens[i..].iter().zip(MARK).all(|(token, mark)| token.text == mark) {
            i = end_of_item(&tokens, i + MARK.len());
        } else {
            kept.push(tokens[i].clone());
            i += 1;
        }
    }
    kept
}

/// The end of an item: its closing brace, or the semicolon when it has no body.
fn end_of_item(tokens: &[Token], from: usize) -> usize {
    let has_body = tokens.get(from).is_some_and(|token| token.text != "use");
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(from) {
        match token.text.as_str() {
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 && has_body {
                    return i + 1;
                }
            }
            ";" if depth == 0 => return i + 1,
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> String {
        tokens(source).iter().map(|t| t.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_strings_and_characters_are_left_out() {
        assert_eq!(words("a /* b /* c */ d */ e // f\ng"), "a e g");
        assert_eq!(words(r#"a("crate::x \" y", 'c', '\'', b'z', '\u{1F600}') b"#), "a ( , , , b , ) b");
        assert_eq!(words("r\"x\" r#\"y \" z\"# br\"w\" e"), "e");
        assert_eq!(words("fn f<'a>(x: &'a str)"), "fn f < a > ( x : & a str )");
    }

    #[test]
    fn test_items_are_left_out() {
        assert_eq!(words("a #[cfg(test)] mod tests { fn f() { x } } b"), "a b");
        assert_eq!(words("a #[cfg(test)]\nmod testing;\nb"), "a b");
        assert_eq!(words("a #[cfg(test)] use crate::{x, y}; b"), "a b");
        assert_eq!(words("#[cfg(unix)] a"), "# [ cfg ( unix ) ] a");
    }

    #[test]
    fn lines_are_counted_through_everything() {
        let found = tokens("a\n/* \n */ b \"\n\" c");
        assert_eq!(found.iter().map(|t| t.line).collect::<Vec<_>>(), [1, 3, 4]);
    }
}
