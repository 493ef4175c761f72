//! A sum together with what rounding drops of it.

/// a + b as the rounded sum and the exact remainder (Knuth's method): the two add up to a + b without error.
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

#[cfg(test)]
mod tests {
    use super::two_sum;

    #[test]
    fn nothing_is_lost() {
        assert_eq!(two_sum(1e16, 1.0), (1e16, 1.0));
        assert_eq!(two_sum(1.0, 1e16), (1e16, 1.0));
        assert_eq!(two_sum(0.1, 0.2), (0.1 + 0.2, -2.0f64.powi(-55)));
    }
}
