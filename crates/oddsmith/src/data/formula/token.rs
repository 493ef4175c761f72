//! The words of a formula: names, numbers, quoted texts and signs, each with its place.

use std::borrow::Cow;

use super::Place;
use super::fault::Fault;

/// One word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name, bare or in backquotes.
    Name(String),
    /// A text in quotes.
    Text(String),
    /// A number.
    Number(f64),
    /// A sign: `~ + - * / : ^ ( ) [ ] , = < > ! & |`; signs of two characters are `≤ ≥ ≠` and `≡` for `==`.
    Sign(char),
    /// `.` alone: all other columns.
    Dot,
    /// The end of the text.
    End,
}

const SIGNS: &str = "~+-*/:^()[],=<>!&|≤≥≠";

/// Signs that are written with two characters.
const DOUBLE_SIGNS: [(&str, char); 6] = [("<=", '≤'), (">=", '≥'), ("!=", '≠'), ("==", '≡'), ("&&", '&'), ("||", '|')];

/// Cuts a text into words; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Place)>, Fault> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '`' | '"' | '\'' => quoted(rest, first, at)?,
            c if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|d: char| d.is_ascii_digit())) => number(rest, at)?,
            c if starts_name(c) => {
                let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
                let name = &rest[..length];
                (if name == "." { Token::Dot } else { Token::Name(name.to_owned()) }, length)
            }
            c if SIGNS.contains(c) => match DOUBLE_SIGNS.iter().find(|(written, _)| rest.starts_with(written)) {
                Some((written, sign)) => (Token::Sign(*sign), written.len()),
                None => (Token::Sign(c), c.len_utf8()),
            },
            c => {
                let place = Place { start: at, end: at + c.len_utf8() };
                let accepted = "names with other characters than letters, digits, `.` and `_` stand in backquotes";
                return Err(Fault::new(place, format!("`{}` means nothing in a formula", c.escape_default()), accepted));
            }
        };
        found.push((token, Place { start: at, end: at + length }));
        at += length;
    }
    found.push((Token::End, Place { start: text.len(), end: text.len() }));
    Ok(found)
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '.' || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '.' || c == '_'
}

/// A name as it is written in a formula: bare where that reads back as the same name, in backquotes otherwise.
pub(super) fn written(name: &str) -> Cow<'_, str> {
    let bare = name.starts_with(starts_name)
        && name.chars().all(continues_name)
        && name != "."
        && !name.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if bare { Cow::Borrowed(name) } else { Cow::Owned(in_quotes(name, '`')) }
}

/// A text between two marks, with the mark and the backslash escaped by a backslash.
pub(super) fn in_quotes(text: &str, mark: char) -> String {
    let mut quoted = String::from(mark);
    for c in text.chars() {
        if c == mark || c == '\\' {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push(mark);
    quoted
}

fn quoted(rest: &str, mark: char, at: usize) -> Result<(Token, usize), Fault> {
    let mut inside = String::new();
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => {
                inside.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            c if c == mark => {
                let token = if mark == '`' { Token::Name(inside) } else { Token::Text(inside) };
                return Ok((token, i + 1));
            }
            c => inside.push(c),
        }
    }
    Err(Fault::new(Place { start: at, end: at + 1 }, format!("the `{mark}` that opens here is never closed"), "close it"))
}

/// Digits, perhaps with a point and an exponent.
fn number(rest: &str, at: usize) -> Result<(Token, usize), Fault> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut length = digits(rest);
    if rest[length..].starts_with('.') {
        length += 1 + digits(&rest[length + 1..]);
    }
    if let Some(exponent) = rest[length..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let places = digits(&exponent[sign..]);
        length += if places > 0 { 1 + sign + places } else { 0 };
    }
    let place = Place { start: at, end: at + length };
    if let Some(after) = rest[length..].chars().next().filter(|c| continues_name(*c)) {
        let place = Place { start: at, end: at + length + after.len_utf8() };
        let accepted = "a name that starts with a digit stands in backquotes";
        return Err(Fault::new(place, format!("`{}{after}` is neither a number nor a name", &rest[..length]), accepted));
    }
    match rest[..length].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Token::Number(value), length)),
        _ => Err(Fault::new(place, "the number is too large", "numbers up to 1.7e308")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Token> {
        tokens(text).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn names_may_hold_dots_and_anything_in_backquotes() {
        let name = |name: &str| Token::Name(name.into());
        assert_eq!(words("Sepal.Length _x .y größe"), [name("Sepal.Length"), name("_x"), name(".y"), name("größe"), Token::End]);
        assert_eq!(words(r"`a b` `\`\\`"), [name("a b"), name("`\\"), Token::End]);
        for odd in ["", ".", ".5", "2d", "a b", "`", "\\", "a`b", "ü-1", "\n"] {
            assert_eq!(words(&written(odd)), [name(odd), Token::End], "{odd:?}");
        }
        assert_eq!(written("Sepal.Length"), "Sepal.Length");
    }

    #[test]
    fn numbers_have_points_and_exponents() {
        assert_eq!(
            words("1 .5 2. 1e3 2.5E-1"),
            [1.0, 0.5, 2.0, 1000.0, 0.25].map(Token::Number).into_iter().chain([Token::End]).collect::<Vec<_>>()
        );
        assert!(tokens("2d").is_err() && tokens("1e999").is_err() && tokens("1e").is_err());
    }

    #[test]
    fn what_means_nothing_is_pointed_at() {
        let fault = tokens("a + ü ? b").unwrap_err();
        assert_eq!((fault.place.start, fault.place.end), (7, 8));
        assert_eq!(tokens("a + 'b").unwrap_err().place.start, 4);
    }
}
