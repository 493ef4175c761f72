//! Which items of the crate a source names, and where.

use super::tokens::{Token, tokens};

/// A path from the crate's root, such as `["data", "Rows"]`, and its line.
#[derive(Debug, PartialEq)]
pub(crate) struct Named {
    /// Names from the root down; the last may be an item.
    pub path: Vec<String>,
    /// Line, from 1.
    pub line: usize,
}

/// Every path that begins at `crate` or climbs with `super`, written out from the root; `module` is where the source
/// stands, such as `["stats", "table"]`. Groups in braces are followed.
pub(crate) fn paths(source: &str, module: &[String]) -> Vec<Named> {
    let tokens = tokens(source);
    let (mut found, mut i) = (Vec::new(), 0);
    while i < tokens.len() {
        let begins = i == 0 || tokens[i - 1].text != "::";
        let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
        if !begins || !is(i + 1, "::") || !(is(i, "crate") || is(i, "super")) {
            i += 1;
            continue;
        }
        let mut prefix = if is(i, "crate") { Vec::new() } else { parent(module) };
        i += 2;
        while is(i, "super") && is(i + 1, "::") {
            prefix = parent(&prefix);
            i += 2;
        }
        i = follow(&tokens, i, &prefix, &mut found);
    }
    found
}

fn parent(module: &[String]) -> Vec<String> {
    module[..module.len().saturating_sub(1)].to_vec()
}

/// Reads the rest of a path after `prefix::` and gives the place behind it.
fn follow(tokens: &[Token], from: usize, prefix: &[String], found: &mut Vec<Named>) -> usize {
    let (mut path, mut i) = (prefix.to_vec(), from);
    while let Some(token) = tokens.get(i) {
        match token.text.as_str() {
            "{" => return follow_group(tokens, i + 1, &path, found),
            "::" => i += 1,
            "*" => {
                i += 1;
                break;
            }
            text if text.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                path.push(text.to_owned());
                i += 1;
                if tokens.get(i).is_none_or(|next| next.text != "::") {
                    break;
                }
            }
            _ => break,
        }
    }
    let line = tokens.get(i.saturating_sub(1)).map_or(0, |token| token.line);
    found.push(Named { path, line });
    i
}

fn follow_group(tokens: &[Token], from: usize, prefix: &[String], found: &mut Vec<Named>) -> usize {
    let mut i = from;
    while let Some(token) = tokens.get(i) {
        match token.text.as_str() {
            "}" => return i + 1,
            "," => i += 1,
            "as" => i += 2,
            _ => i = follow(tokens, i, prefix, found).max(i + 1),
        }
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(source: &str, module: &str) -> Vec<String> {
        let module: Vec<String> = module.split('/').map(str::to_owned).collect();
        paths(source, &module).iter().map(|named| format!("{} {}", named.line, named.path.join("/"))).collect()
    }

    #[test]
    fn plain_paths_and_groups() {
        assert_eq!(
            listed("use crate::data::Rows;\nfn f() -> crate::Result<crate::num::X> {}", "stats"),
            ["1 data/Rows", "2 Result", "2 num/X"]
        );
        let grouped = "use crate::{data::{self, Rows as R, features::*}, Error};";
        assert_eq!(listed(grouped, "stats"), ["1 data/self", "1 data/Rows", "1 data/features", "1 Error"]);
        assert_eq!(listed("pub(crate) struct S; use serde::de; std::super_thing::x", "stats"), Vec::<String>::new());
    }

    #[test]
    fn climbing_reaches_other_rooms() {
        assert_eq!(listed("use super::add;", "stats/table"), ["1 stats/add"]);
        assert_eq!(listed("use super::super::train::fit;", "model/bayes"), ["1 train/fit"]);
        assert_eq!(listed("use super::{SKIP, super_name};", "num/kernel/levels"), ["1 num/kernel/SKIP", "1 num/kernel/super_name"]);
    }
}
