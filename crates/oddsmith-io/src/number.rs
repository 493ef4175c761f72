//! Cells into numbers.
//!
//! A decimal with a mantissa below 2^52 and at most 22 decimals is m / 10^k with both m and 10^k exact in an f64, so one
//! division rounds once and the result is the nearest number. Everything else goes to a full parser.
//!
//! Short cells are parsed without a loop: the last bytes of the cell lie in one or two words, what stands before the digits
//! is masked away, the decimal mark is squeezed out, and pairs, fours and eights of digits are joined by multiplication.

/// 10^0 … 10^22, the powers of ten that an f64 holds exactly.
pub(crate) const POWERS: [f64; 23] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22];
/// Integers below this one are exact, and are the last 52 bits of an f64 between 2^52 and 2^53.
pub(crate) const EXACT: u64 = 1 << 52;
/// A byte in all eight bytes of a word.
pub(crate) const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Masks that keep the last `n` of 16 bytes, as two words.
const LAST: [[u64; 2]; 17] = {
    let mut masks = [[0; 2]; 17];
    let mut n = 1;
    while n <= 16 {
        let kept = u128::MAX << (8 * (16 - n));
        masks[n] = [kept as u64, (kept >> 64) as u64];
        n += 1;
    }
    masks
};

/// The number in the cell `text[start..end]` if it is plainly one: an optional minus, up to 16 digits and decimal mark, no leading
/// zeros. `None` says to look closer, with [`parse`].
#[inline(always)]
pub(crate) fn plain(text: &[u8], start: usize, end: usize, decimal: u8) -> Option<f64> {
    let negative = usize::from(*text.get(start)? == b'-');
    let from = start + negative;
    let length = end.checked_sub(from)?;
    let padded = (length > 1) & (*text.get(from)? == b'0') & (text.get(from + 1) != Some(&decimal));
    // Columns hold cells of much the same length, so the processor foresees which way this goes.
    let (mantissa, decimals) = if length <= 8 { one_word(text, end, length, decimal) } else { two_words(text, end, length, decimal) }?;
    if padded || mantissa >= EXACT {
        return None;
    }
    // The bits of 2^52 + m, less 2^52: exact, and shorter than the conversion instruction, which also waits for the
    // division of the cell before.
    let exact = f64::from_bits((EXACT as f64).to_bits() | mantissa) - EXACT as f64;
    let value = if decimals == 0 { exact } else { exact / POWERS[decimals as usize] };
    Some(f64::from_bits(value.to_bits() | ((negative as u64) << 63)))
}

/// Mantissa and decimals of the last `length` bytes before `end`, up to eight.
#[inline(always)]
fn one_word(text: &[u8], end: usize, length: usize, decimal: u8) -> Option<(u64, u32)> {
    let window = text.get(end.checked_sub(8)?..end)?.first_chunk()?;
    // After this, a digit is its value, and what stands before the digits is zero.
    let mut word = (u64::from_le_bytes(*window) ^ every(b'0')) & LAST[length][1];
    let (mut decimals, mut digits) = (0, length);
    let marks = equal_bytes(word, decimal ^ b'0');
    if marks != 0 {
        let at = marks.trailing_zeros() / 8;
        word = squeeze(word, at);
        decimals = 7 - at;
        digits -= 1;
    }
    (digits > 0 && beyond_nine(word) == 0).then(|| (eight_digits(word), decimals))
}

/// The same for up to 16 bytes.
#[inline(always)]
fn two_words(text: &[u8], end: usize, length: usize, decimal: u8) -> Option<(u64, u32)> {
    let mask = LAST.get(length)?;
    let window = text.get(end.checked_sub(16)?..end)?.as_chunks::<8>().0;
    let mut first = (u64::from_le_bytes(window[0]) ^ every(b'0')) & mask[0];
    let mut last = (u64::from_le_bytes(window[1]) ^ every(b'0')) & mask[1];
    let mut decimals = 0;
    let (in_first, in_last) = (equal_bytes(first, decimal ^ b'0'), equal_bytes(last, decimal ^ b'0'));
    if in_last != 0 {
        let at = in_last.trailing_zeros() / 8;
        last = squeeze(last, at) | (first >> 56);
        first <<= 8;
        decimals = 7 - at;
    } else if in_first != 0 {
        let at = in_first.trailing_zeros() / 8;
        first = squeeze(first, at);
        decimals = 15 - at;
    }
    (beyond_nine(first) | beyond_nine(last) == 0).then(|| (eight_digits(first) * 100_000_000 + eight_digits(last), decimals))
}

/// Not zero when a byte is above nine.
#[inline(always)]
pub(crate) fn beyond_nine(word: u64) -> u64 {
    (word.wrapping_add(every(0x76)) | word) & every(0x80)
}

/// The high bit of every byte that equals `byte`.
#[inline(always)]
pub(crate) fn equal_bytes(word: u64, byte: u8) -> u64 {
    let difference = word ^ every(byte);
    !(((difference & every(0x7f)) + every(0x7f)) | difference | every(0x7f))
}

/// Takes byte `at` out; the bytes before it move up.
#[inline]
fn squeeze(word: u64, at: u32) -> u64 {
    let from_here = u64::MAX << (8 * at);
    ((word & !from_here) << 8) | (word & (from_here << 8))
}

/// Eight bytes of digits, the first of them most significant.
#[inline(always)]
pub(crate) fn eight_digits(word: u64) -> u64 {
    let pairs = (word.wrapping_mul(10).wrapping_add(word >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// The number in a cell: decimal or scientific, with spaces around it allowed; infinite for `inf`, `-Infinity` and what
/// overflows; `None` for anything else, also for `nan`.
#[cold]
pub(crate) fn parse(cell: &[u8], decimal: u8) -> Option<f64> {
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
    let sign = usize::from(matches!(cell.first(), Some(b'-' | b'+')));
    match cell.get(sign..sign + 2) {
        Some([first, second]) => (*first == b'0') & second.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Parses a cell; where the short road finds a number among other cells, it is the same one.
    fn point(cell: &str) -> Option<f64> {
        let parsed = parse(cell.as_bytes(), b'.');
        if let Some(short) = among_others(cell) {
            assert_eq!(parsed.map(f64::to_bits), Some(short.to_bits()), "{cell}");
        }
        parsed
    }

    fn among_others(cell: &str) -> Option<f64> {
        let text = format!("0.123456789,99,-{cell},7.5");
        let start = text.len() - 4 - cell.len();
        plain(text.as_bytes(), start, start + cell.len(), b'.')
    }

    #[test]
    fn plain_numbers_take_the_short_road() {
        for cell in ["0", "7", "-7", "0.5", "-0.25", ".5", "5.", "12345678", "123456.78", "-12345678.12345", "1234567890123456", "0.000001"]
        {
            assert_eq!(among_others(cell), cell.parse().ok(), "{cell}");
        }
        for cell in
            ["", "-", ".", "-.", "007", "-01.5", "00", "1e5", "+1", " 1", "1 ", "1,5", "9007199254740993", "12345678901234567", "inf"]
        {
            assert_eq!(among_others(cell), None, "{cell}");
        }
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
        for cell in [
            "",
            "-",
            ".",
            "-.",
            "1..5",
            "12345678.1234567.",
            ".1234567.1234567",
            "1/5",
            "1:5",
            "1\u{b9}",
            "1,5",
            "1.2.3",
            "0x10",
            "1_000",
            "nan",
            "NaN",
            "--1",
            "1e",
            "e5",
            "1 2",
            "٣",
        ] {
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
