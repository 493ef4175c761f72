//! Cells into numbers.
//!
//! A decimal with at most 15 significant digits is m / 10^k with both m and 10^k exact in an f64, so one division rounds
//! once and the result is the nearest number. Everything else goes to a full parser.

/// 10^0 … 10^22, the powers of ten that an f64 holds exactly.
const POWERS: [f64; 23] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22];
/// Longest cell of the fast road: with at most 16 digits the mantissa cannot overflow.
const SHORT: usize = 17;
/// Integers up to here are exact.
const EXACT: u64 = 1 << 53;

/// The number in a cell: decimal or scientific, with spaces around it allowed; infinite for `inf`, `-Infinity` and what
/// overflows; `None` for anything else, also for `nan`.
#[inline]
pub(crate) fn parse(cell: &[u8], decimal: u8) -> Option<f64> {
    simple(cell, decimal).or_else(|| full(cell, decimal))
}

/// `-12.75`: an optional sign, digits, at most one decimal mark.
#[inline]
fn simple(cell: &[u8], decimal: u8) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    if digits.len() > SHORT {
        return None;
    }
    let mut mantissa = 0u64;
    let mut mark = usize::MAX;
    for (i, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            mantissa = mantissa * 10 + u64::from(digit);
        } else if byte == decimal && mark == usize::MAX {
            mark = i;
        } else {
            return None;
        }
    }
    let fraction = if mark == usize::MAX { 0 } else { digits.len() - 1 - mark };
    let count = digits.len() - usize::from(mark != usize::MAX);
    if count == 0 || mantissa > EXACT {
        return None;
    }
    let value = mantissa as f64 / POWERS[fraction];
    Some(if negative { -value } else { value })
}

#[cold]
fn full(cell: &[u8], decimal: u8) -> Option<f64> {
    let cell = cell.trim_ascii();
    let value = if decimal == b'.' {
        fast_float2::parse::<f64, _>(cell).ok()?
    } else {
        if cell.len() > 400 || cell.contains(&b'.') {
            return None;
        }
        let mut point = [0; 400];
        for (to, &from) in point.iter_mut().zip(cell) {
            *to = if from == decimal { b'.' } else { from };
        }
        fast_float2::parse::<f64, _>(&point[..cell.len()]).ok()?
    };
    (!value.is_nan()).then_some(value)
}

/// Whether a number is written with leading zeros, as postal codes and identifiers are: a name, not an amount.
#[inline]
pub(crate) fn zero_padded(cell: &[u8]) -> bool {
    let digits = match cell {
        [b'-' | b'+', rest @ ..] => rest,
        _ => cell,
    };
    matches!(digits, [b'0', b'0'..=b'9', ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(cell: &str) -> Option<f64> {
        parse(cell.as_bytes(), b'.')
    }

    #[test]
    fn numbers_are_decimal_or_scientific() {
        for (cell, value) in [("1", 1.0), ("-0.5", -0.5), (" 7 ", 7.0), ("+3", 3.0), (".5", 0.5), ("5.", 5.0), ("1e3", 1e3), ("1E-7", 1e-7)]
        {
            assert_eq!(point(cell), Some(value), "{cell}");
        }
        assert_eq!(point("9007199254740993"), Some(9007199254740992.0));
        assert_eq!(point("123456789012345678901234567890"), Some(123456789012345678901234567890.0));
        assert!(point("-0").is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
        assert_eq!(point("1e400"), Some(f64::INFINITY));
        assert_eq!(point("-inf"), Some(f64::NEG_INFINITY));
        for cell in ["", "-", ".", "1,5", "1.2.3", "0x10", "1_000", "nan", "NaN", "--1", "1e", "e5", "1 2", "٣"] {
            assert_eq!(point(cell), None, "{cell}");
        }
    }

    #[test]
    fn the_decimal_mark_may_be_a_comma() {
        let comma = |cell: &str| parse(cell.as_bytes(), b',');
        assert_eq!((comma("1,5"), comma("1,5e2"), comma("1.5")), (Some(1.5), Some(150.0), None));
    }

    #[test]
    fn leading_zeros_mark_a_name() {
        assert!(zero_padded(b"01234") && zero_padded(b"-007") && zero_padded(b"00"));
        assert!(!zero_padded(b"0") && !zero_padded(b"0.5") && !zero_padded(b"10"));
    }

    proptest! {
        #[test]
        fn every_spelling_gives_the_nearest_number(value in any::<f64>().prop_filter("finite", |v| v.is_finite()), digits in 0usize..20) {
            for cell in [format!("{value}"), format!("{value:e}"), format!("{value:.digits$}")] {
                prop_assert_eq!(point(&cell).unwrap().to_bits(), cell.parse::<f64>().unwrap().to_bits());
            }
        }

        #[test]
        fn short_decimals_are_exact(mantissa in 0u64..100_000_000_000_000_000, scale in 0usize..17, negative: bool) {
            let digits = format!("{mantissa:017}");
            let cell = format!("{}{}.{}", if negative { "-" } else { "" }, &digits[..17 - scale], &digits[17 - scale..]);
            prop_assert_eq!(point(&cell).unwrap().to_bits(), cell.parse::<f64>().unwrap().to_bits());
        }
    }
}
