//! Amounts of memory: `512M`, `2G`, `65536`.

/// Bytes of an amount with an optional K, M, G or T (powers of 1024).
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let accepted = || "a whole number with an optional K, M, G or T, such as 512M".to_owned();
    let upper = text.trim().to_ascii_uppercase();
    let upper = upper.strip_suffix("IB").or_else(|| upper.strip_suffix('B')).unwrap_or(&upper);
    let (digits, shift) = match upper.chars().last() {
        Some('K') => (&upper[..upper.len() - 1], 10),
        Some('M') => (&upper[..upper.len() - 1], 20),
        Some('G') => (&upper[..upper.len() - 1], 30),
        Some('T') => (&upper[..upper.len() - 1], 40),
        _ => (upper, 0),
    };
    let count: u64 = digits.trim().parse().map_err(|_| accepted())?;
    count.checked_mul(1 << shift).filter(|bytes| *bytes > 0).ok_or_else(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!(parse_size("64 kb"), Ok(64 << 10));
        assert_eq!(parse_size("100"), Ok(100));
        for wrong in ["", "M", "-1", "1.5G", "99999999T", "0", "12é"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
