//! Comma-separated lists in one argument.

/// The items of a list; an item that holds a comma stands in double quotes, and a double quote is doubled there.
pub fn split_list(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let item = items.last_mut().map(|item| (item.is_empty(), item));
        let Some((starts, item)) = item else { break };
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => item.extend(letters.next()),
            '"' if quoted => quoted = false,
            '"' if starts => quoted = true,
            ',' if !quoted => items.push(String::new()),
            c => item.push(c),
        }
    }
    items
}

/// The list of some items, which [`split_list`] takes apart again.
pub fn join_list(items: &[String]) -> String {
    items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(",")
}

/// `name=value`, split at the last `=` because names come from data.
pub fn split_pair(item: &str) -> Option<(&str, &str)> {
    item.rsplit_once('=').filter(|(name, _)| !name.is_empty())
}

/// An item of a list, in quotes where it holds a comma or a quote.
pub fn quoted(item: &str) -> String {
    if item.contains([',', '"']) { format!("\"{}\"", item.replace('"', "\"\"")) } else { item.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_quotes_belong_to_the_name() {
        assert_eq!(split_list("a,b"), ["a", "b"]);
        assert_eq!(split_list("\"a,\"\"x\"\"\",b c"), ["a,\"x\"", "b c"]);
        assert_eq!(split_list("5\" pipe,b"), ["5\" pipe", "b"]);
        assert_eq!(split_list("NA,,."), ["NA", "", "."]);
        for items in [vec!["a,b", "c"], vec!["\"", "x y", "5\" pipe"], vec!["NA", "", "."]] {
            assert_eq!(split_list(&join_list(&items.iter().map(|item| item.to_string()).collect::<Vec<_>>())), items);
        }
        assert_eq!(split_pair("a=b=c"), Some(("a=b", "c")));
        assert_eq!(split_pair("=c"), None);
    }
}
