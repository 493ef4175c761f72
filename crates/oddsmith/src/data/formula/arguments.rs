//! Arguments of a function: values by position, then words, numbers and lists by name.

use std::ops::RangeInclusive;

use super::Place;
use super::arithmetic;
use super::expr::Expr;
use super::fault::Fault;
use super::token::Token;
use super::variable::Word;
use super::words::Words;

/// The value of a named argument.
#[derive(Debug)]
enum Value {
    /// A word, bare or in quotes.
    Word(String),
    /// A number, and how it was written.
    Number(f64, String),
    /// `c(1, 2, 3)` or `["low", "high"]`.
    List(Vec<Item>),
}

/// A part of a list: how it is written, and its value where that is a number.
#[derive(Debug)]
struct Item {
    text: String,
    number: Option<f64>,
}

#[derive(Debug)]
struct Named {
    name: String,
    name_place: Place,
    value: Value,
    place: Place,
}

/// The arguments of a call.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    function: &'a str,
    /// Values by position, each with its place.
    pub(super) positional: Vec<(Expr, Place)>,
    /// The list that stands by position, as in `cut(x, c(0, 5))`.
    unnamed_list: Option<(Vec<Item>, Place)>,
    named: Vec<Named>,
    end: Place,
}

impl Item {
    /// The number that it is; `Inf` is one.
    fn value(&self) -> Option<f64> {
        match self.text.as_str() {
            "Inf" | "inf" => Some(f64::INFINITY),
            "-Inf" | "-inf" => Some(f64::NEG_INFINITY),
            _ => self.number,
        }
    }
}

impl<'a> Arguments<'a> {
    /// Reads from the opening parenthesis to the closing one.
    pub(super) fn read(words: &mut Words<'_>, function: &'a str) -> Result<Self, Fault> {
        words.expect('(', "`(`")?;
        let mut arguments = Arguments { function, positional: Vec::new(), unnamed_list: None, named: Vec::new(), end: words.place() };
        while *words.peek() != Token::Sign(')') {
            match (words.peek(), words.peek_second()) {
                (Token::Name(name), Token::Sign('=')) => arguments.read_named(words, name)?,
                (Token::Sign('['), _) => arguments.read_list(words)?,
                (Token::Name(name), Token::Sign('(')) if name == "c" => arguments.read_list(words)?,
                _ if !arguments.named.is_empty() => return Err(words.unexpected("arguments with a name stand last")),
                _ => {
                    let start = words.place();
                    let value = arithmetic::value(words)?;
                    arguments.positional.push((value, start.to(words.last_place())));
                }
            }
            if !words.take_sign(',') {
                break;
            }
        }
        arguments.end = words.place();
        words.expect(')', "`,` or `)`")?;
        Ok(arguments)
    }

    fn read_list(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        let start = words.place();
        let items = list(words)?;
        let place = start.to(words.last_place());
        match self.unnamed_list.replace((items, place)) {
            None => Ok(()),
            Some(_) => Err(Fault::new(place, "there is a list already", "one list")),
        }
    }

    /// A list of numbers by name, or the one that stands by position; `Inf` is a number here.
    pub(super) fn numbers_or_list(&mut self, name: &str) -> Result<Option<(Vec<f64>, Place)>, Fault> {
        let (items, place) = match (self.unnamed_list.take(), self.take(name)) {
            (None, None) => return Ok(None),
            (Some(list), None) => list,
            (None, Some(Named { value: Value::List(items), place, .. })) => (items, place),
            (None, Some(named)) => return Err(Fault::new(named.place, format!("`{name}` takes a list"), "a list such as c(1, 2.5, 4)")),
            (Some(_), Some(named)) => return Err(Fault::new(named.name_place, format!("`{name}` is given twice"), "once")),
        };
        match items.iter().map(Item::value).collect() {
            Some(values) => Ok(Some((values, place))),
            None => Err(Fault::new(place, format!("`{name}` takes numbers"), "a list such as c(0, 2.5, Inf)")),
        }
    }

    fn read_named(&mut self, words: &mut Words<'_>, name: &str) -> Result<(), Fault> {
        let (_, name_place) = words.take();
        words.take();
        if self.named.iter().any(|named| named.name == name) {
            return Err(Fault::new(name_place, format!("`{name}` is given twice"), "once"));
        }
        let start = words.place();
        let value = match (words.peek(), words.peek_second()) {
            (Token::Sign('['), _) => Value::List(list(words)?),
            (Token::Name(function), Token::Sign('(')) if function == "c" => Value::List(list(words)?),
            (Token::Name(word) | Token::Text(word), _) => {
                words.take();
                Value::Word(word.clone())
            }
            (Token::Sign('-'), _) => {
                let number = signed_number(words)?;
                Value::Number(number, format!("-{}", words.text_at(words.last_place())))
            }
            _ => {
                let number = signed_number(words)?;
                Value::Number(number, words.text_at(words.last_place()).to_owned())
            }
        };
        self.named.push(Named { name: name.to_owned(), name_place, value, place: start.to(words.last_place()) });
        Ok(())
    }

    fn take(&mut self, name: &str) -> Option<Named> {
        let at = self.named.iter().position(|named| named.name == name)?;
        Some(self.named.remove(at))
    }

    /// A word; a number counts as the word it is written as.
    pub(super) fn word(&mut self, name: &str) -> Result<Option<(String, Place)>, Fault> {
        match self.take(name) {
            Some(Named { value: Value::Word(word) | Value::Number(_, word), place, .. }) => Ok(Some((word, place))),
            Some(named) => Err(Fault::new(named.place, format!("`{name}` takes one word"), "a word or a text in quotes")),
            None => Ok(None),
        }
    }

    /// true or false.
    pub(super) fn flag(&mut self, name: &str) -> Result<Option<bool>, Fault> {
        match self.word(name)? {
            None => Ok(None),
            Some((word, place)) => match word.as_str() {
                "true" | "TRUE" => Ok(Some(true)),
                "false" | "FALSE" => Ok(Some(false)),
                _ => Err(Fault::new(place, format!("`{name}` cannot be `{}`", crate::error::visible(&word)), "true or false")),
            },
        }
    }

    /// A whole number by name, or by its position.
    pub(super) fn whole(
        &mut self,
        name: &str,
        position: Option<usize>,
        range: RangeInclusive<usize>,
    ) -> Result<Option<(usize, Place)>, Fault> {
        let by_position = position.filter(|at| self.positional.len() > *at).map(|at| self.positional.remove(at));
        let (value, place) = match (by_position, self.take(name)) {
            (None, None) => return Ok(None),
            (Some(_), Some(named)) => return Err(Fault::new(named.name_place, format!("`{name}` is given twice"), "once")),
            (Some((Expr::Number(value), place)), None) => (Some(value), place),
            (Some((_, place)), None) => (None, place),
            (None, Some(Named { value: Value::Number(value, _), place, .. })) => (Some(value), place),
            (None, Some(named)) => (None, named.place),
        };
        let whole = value.filter(|v| v.fract() == 0.0 && *v >= *range.start() as f64 && *v <= *range.end() as f64);
        match whole {
            Some(value) => Ok(Some((value as usize, place))),
            None => {
                let accepted = format!("a whole number from {} to {}", range.start(), range.end());
                Err(Fault::new(place, format!("`{name}` of {}() cannot be this", self.function), accepted))
            }
        }
    }

    /// A number above zero.
    pub(super) fn positive(&mut self, name: &str) -> Result<Option<f64>, Fault> {
        match self.take(name) {
            None => Ok(None),
            Some(Named { value: Value::Number(value, _), .. }) if value > 0.0 => Ok(Some(value)),
            Some(named) => Err(Fault::new(named.place, format!("`{name}` of {}() cannot be this", self.function), "a number above 0")),
        }
    }

    /// A list of numbers, or one.
    pub(super) fn numbers(&mut self, name: &str) -> Result<Option<(Vec<f64>, Place)>, Fault> {
        let Some(named) = self.take(name) else { return Ok(None) };
        let values = match named.value {
            Value::List(items) => items.iter().map(|item| item.number).collect(),
            Value::Number(value, _) => Some(vec![value]),
            Value::Word(_) => None,
        };
        match values {
            Some(values) => Ok(Some((values, named.place))),
            None => Err(Fault::new(named.place, format!("`{name}` takes numbers"), "a list such as c(1, 2.5, 4)")),
        }
    }

    /// A list of words that differ; numbers count as the words they are written as.
    pub(super) fn words(&mut self, name: &str) -> Result<Option<Vec<String>>, Fault> {
        let Some(named) = self.take(name) else { return Ok(None) };
        let accepted = format!("a list such as {name} = [low, mid, \"very high\"]");
        let Value::List(items) = named.value else {
            return Err(Fault::new(named.place, format!("`{name}` takes a list"), accepted));
        };
        let words: Vec<String> = items.into_iter().map(|item| item.text).collect();
        match words.iter().enumerate().find(|(at, word)| words[..*at].contains(word)) {
            Some((_, twice)) => {
                Err(Fault::new(named.place, format!("`{}` is listed twice", crate::error::visible(twice)), "levels that differ"))
            }
            None => Ok(Some(words)),
        }
    }

    /// Refuses what was not taken: named arguments that the function does not have, and values beyond `positions`.
    pub(super) fn finish(&self, positions: usize, known: &[&str]) -> Result<(), Fault> {
        let function = self.function;
        if let Some(named) = self.named.first() {
            let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
            return Err(Fault::unknown(named.name_place, &format!("argument of {function}() called"), &named.name, &known));
        }
        if let Some((_, place)) = &self.unnamed_list {
            return Err(Fault::new(*place, format!("{function}() takes no list here"), format!("by name: {}", known.join(", "))));
        }
        match self.positional.get(positions) {
            Some((_, place)) => {
                let accepted = format!("{positions} without a name, and by name: {}", known.join(", "));
                Err(Fault::new(*place, format!("{function}() takes no further argument here"), accepted))
            }
            None => Ok(()),
        }
    }

    /// The fault that something was not given.
    pub(super) fn missing(&self, accepted: &str) -> Fault {
        Fault::new(self.end, format!("{}() needs more", self.function), accepted)
    }
}

fn signed_number(words: &mut Words<'_>) -> Result<f64, Fault> {
    let negative = words.take_sign('-');
    match words.peek() {
        Token::Number(value) => {
            words.take();
            Ok(if negative { -value } else { *value })
        }
        _ => Err(words.unexpected("a word, a number, or a list such as c(1, 2.5, 4)")),
    }
}

/// `c(1, 2, 3)` or `[1, 2, 3]`.
fn list(words: &mut Words<'_>) -> Result<Vec<Item>, Fault> {
    let close = if words.take_sign('[') {
        ']'
    } else {
        words.take();
        words.take();
        ')'
    };
    let mut items = vec![item(words)?];
    while words.take_sign(',') {
        items.push(item(words)?);
    }
    words.expect(close, if close == ']' { "`,` or `]`" } else { "`,` or `)`" })?;
    Ok(items)
}

/// The parts of a list as values, each with its place.
pub(super) fn values(words: &mut Words<'_>) -> Result<Vec<(Expr, Place)>, Fault> {
    let opens = match words.peek() {
        Token::Sign('[') => true,
        Token::Name(function) => function == "c" && *words.peek_second() == Token::Sign('('),
        _ => false,
    };
    if !opens {
        return Err(words.unexpected("a list such as [\"a\", \"b\"]"));
    }
    let place = words.place();
    let value = |item: Item| match item.number {
        Some(number) => Expr::Number(number),
        None => Expr::Text(Word { text: item.text, place }),
    };
    Ok(list(words)?.into_iter().map(|item| (value(item), place)).collect())
}

fn item(words: &mut Words<'_>) -> Result<Item, Fault> {
    if let Token::Name(text) | Token::Text(text) = words.peek() {
        words.take();
        return Ok(Item { text: text.clone(), number: None });
    }
    let start = words.place();
    if let (Token::Sign('-'), Token::Name(name)) = (words.peek(), words.peek_second()) {
        words.take();
        words.take();
        return Ok(Item { text: format!("-{name}"), number: None });
    }
    let number = signed_number(words)?;
    Ok(Item { text: words.text_at(start.to(words.last_place())).replace(' ', ""), number: Some(number) })
}
