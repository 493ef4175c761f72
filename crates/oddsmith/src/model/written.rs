//! Models as people write them: `lda`, `logistic(l2=1, firth)`, and lists of them.

use super::{Entry, FAMILIES, Params};
use crate::error::{Error, ErrorKind, Result};

/// All entries, in the order in which they are listed to people.
fn entries() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The model of a name or alias.
pub fn find(name: &str) -> Result<&'static Entry> {
    entries().find(|entry| entry.name == name || entry.aliases.contains(&name)).ok_or_else(|| {
        let known = entries().map(|entry| entry.name.to_owned()).collect();
        ErrorKind::Unknown { noun: "model", name: name.into(), known }.into()
    })
}

/// A model with options as people write it: `lda`, `logistic(l2=1, firth)`.
pub fn parse(text: &str) -> Result<(&'static Entry, Params)> {
    let text = text.trim();
    let (name, options) = match text.split_once('(') {
        None => (text, None),
        Some((name, rest)) => match rest.trim_end().strip_suffix(')') {
            Some(options) => (name.trim_end(), Some(options)),
            None => return Err(Error::option("models", text, "a closing parenthesis, as in logistic(l2=1)")),
        },
    };
    let entry = find(name)?;
    let mut params = entry.defaults();
    for option in options.map(split_options).into_iter().flatten() {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        params.set(name.trim(), unquoted(value.trim()))?;
    }
    Ok((entry, params))
}

/// Several models with options, separated by commas outside parentheses.
pub fn parse_list(text: &str) -> Result<Vec<(&'static Entry, Params)>> {
    split_options(text).into_iter().map(parse).collect()
}

/// The name of a model with the options that were given.
pub fn named(entry: &Entry, params: &Params) -> String {
    let given = params.given().flat_map(|(name, values)| values.iter().map(move |value| format!("{name}={value}")));
    let options = given.collect::<Vec<_>>().join(", ");
    if options.is_empty() { entry.name.to_owned() } else { format!("{}({options})", entry.name) }
}

/// A value without the quotes that keep its commas together, as in `unit="age=10,lwt=5"`.
fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(value)
}

/// Items between commas that stand in no parentheses or quotes.
fn split_options(text: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim());
    items.retain(|item| !item.is_empty());
    items
}
