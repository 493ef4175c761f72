//! The one place where a coordinate becomes text.

/// Nothing is drawn further out than this; what lies there is not seen, and programs that read SVG have their own limits.
const FARTHEST: f64 = 20_000.0;

/// A coordinate with one decimal: always finite, never `-0`.
pub(super) fn coordinate(value: f64) -> String {
    let value = if value.is_finite() { value.clamp(-FARTHEST, FARTHEST) } else { 0.0 };
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.to_owned() }
}

/// Two coordinates with a space between them.
pub(super) fn pair((x, y): (f64, f64)) -> String {
    format!("{} {}", coordinate(x), coordinate(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_finite() {
        let cases = [(1.0, "1"), (1.25, "1.2"), (-0.01, "0"), (f64::NAN, "0"), (f64::INFINITY, "0"), (1e300, "20000"), (-3.55, "-3.5")];
        cases.iter().for_each(|(value, text)| assert_eq!(coordinate(*value), *text));
    }
}
