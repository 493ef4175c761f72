//! Indices and powers of formulas that stand in a text: `w_j`, `σ²_kj`, `e^{−h}`.

/// A text as HTML with its indices below and its powers above the line; `None` where it has none.
pub(super) fn typeset(text: &str) -> Option<String> {
    let letters: Vec<char> = text.chars().collect();
    let (mut html, mut at, mut found) = (String::new(), 0, false);
    while let Some(letter) = letters.get(at) {
        let set = match letter {
            '_' if behind_a_symbol(&letters[..at]) => group(&letters, at + 1, 2).map(|(inner, next)| ("sub", inner, next)),
            '^' if at > 0 => group(&letters, at + 1, 1).map(|(inner, next)| ("sup", inner, next)),
            _ => None,
        };
        match set {
            Some((element, inner, next)) => {
                let inner = typeset(&inner).unwrap_or_else(|| super::page::escaped(&inner));
                html.push_str(&format!("<{element}>{inner}</{element}>"));
                (at, found) = (next, true);
            }
            None => {
                html.push_str(&super::page::escaped(&letter.to_string()));
                at += 1;
            }
        }
    }
    found.then_some(html)
}

/// Whether a text ends in a letter that stands for itself and is no part of a word, squared or not.
fn behind_a_symbol(before: &[char]) -> bool {
    match before {
        [rest @ .., symbol, '²'] | [rest @ .., symbol] => {
            symbol.is_alphabetic() && !rest.last().is_some_and(|c| c.is_alphabetic() || *c == '_')
        }
        [] => false,
    }
}

/// What stands in braces, or so many letters and digits at most that nothing goes on; and what comes behind it.
fn group(letters: &[char], from: usize, most: usize) -> Option<(String, usize)> {
    if letters.get(from) == Some(&'{') {
        let length = letters[from..].iter().position(|c| *c == '}')?;
        return Some((letters[from + 1..from + length].iter().collect(), from + length + 1));
    }
    let length = letters[from..].iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count();
    let inner: String = letters[from..from + length].iter().collect();
    (1..=most).contains(&length).then_some(inner).filter(|inner| !inner.contains('_')).map(|inner| (inner, from + length))
}

#[cfg(test)]
mod tests {
    use super::typeset;

    #[test]
    fn indices_and_powers_are_set() {
        for (text, html) in [
            ("w₀ + Σ w_j x_j", "w₀ + Σ w<sub>j</sub> x<sub>j</sub>"),
            ("σ²_kj, σ_j²", "σ²<sub>kj</sub>, σ<sub>j</sub>²"),
            ("1/(1 + e^{−h})", "1/(1 + e<sup>−h</sup>)"),
            ("Σ_{l≠k} e^{h_k} < 1", "Σ<sub>l≠k</sub> e<sup>h<sub>k</sub></sup> &lt; 1"),
            ("c^d", "c<sup>d</sup>"),
        ] {
            assert_eq!(typeset(text).as_deref(), Some(html));
        }
    }

    #[test]
    fn names_stay_as_they_are() {
        for text in ["p_value", "t_one", "fit_x", "__init__", "a_b_c", "x_", "_x", "^", "x^{1", "plain & simple"] {
            assert_eq!(typeset(text), None, "{text}");
        }
    }
}
