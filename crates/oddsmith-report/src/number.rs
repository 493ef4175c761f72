//! Numbers as text: rounded for people, exact for programs.

/// Significant digits that a person is shown.
const DIGITS: i32 = 4;
/// From here up, and from the reciprocal of ten thousand down, the power of ten is written out.
const LARGEST_FIXED: f64 = 1e7;
const SMALLEST_FIXED: f64 = 1e-4;

/// A number with four significant digits; whole digits are never dropped.
pub fn for_people(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if value.fract() == 0.0 && size < LARGEST_FIXED {
        return format!("{value:.0}");
    }
    // Rounding may carry into the next power of ten (9.9996 becomes 10.00), so the exponent is read after rounding.
    let rounded = format!("{value:.*e}", DIGITS as usize - 1);
    let Some((digits, exponent)) = rounded.split_once('e') else { return rounded };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(SMALLEST_FIXED..LARGEST_FIXED).contains(&size) {
        return format!("{}e{exponent}", without_zeros(digits));
    }
    format!("{value:.*}", (DIGITS - 1 - exponent).max(0) as usize)
}

/// A p-value as journals print it.
pub fn p_for_people(p: f64) -> String {
    match p {
        p if p.is_nan() => String::new(),
        p if p < 0.001 => "<0.001".into(),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}

/// The shortest text that reads back as exactly this number.
pub fn shortest(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let text = format!("{value:?}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Digits without zeros at the end of a fraction.
pub(crate) fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_four_digits_and_all_whole_ones() {
        let cases = [
            (0.0, "0"),
            (3.0, "3"),
            (189.0, "189"),
            (2944.587, "2945"),
            (123456.7, "123457"),
            (0.391549, "0.3915"),
            (29.0, "29"),
            (-1.5, "-1.500"),
            (9.99996, "10.00"),
            (0.00012345, "0.0001234"),
            (0.0000123, "1.23e-5"),
            (1e300, "1e300"),
            (-12345678.9, "-1.235e7"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "∞"),
            (f64::NEG_INFINITY, "−∞"),
        ];
        for (value, text) in cases {
            assert_eq!(for_people(value), text, "{value:?}");
        }
    }

    #[test]
    fn the_shortest_text_reads_back_to_the_same_bits() {
        for value in [0.1, -0.0, 1.0, 1e300, 5e-324, 0.1 + 0.2, -12345.678, 1e15, 1e16, 1.7976931348623157e308, 1.0 / 3.0] {
            let text = shortest(value);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
        assert_eq!(shortest(1.0), "1");
        assert_eq!(shortest(1e-7), "1e-7");
        assert_eq!(shortest(0.30000000000000004), "0.30000000000000004");
    }
}
