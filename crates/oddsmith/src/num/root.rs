//! The place where a function of one variable crosses zero.
//!
//! Brent's method (1973): inverse quadratic interpolation or a secant where they keep their promise, halves of the bracket where they do
//! not. Cost: some 8 evaluations for a smooth function, at most about 60 for any.

/// The root of `f` between `low` and `high`, to the last digits; `None` where `f` has the same sign at both ends or is no number.
pub fn root_between(low: f64, high: f64, mut f: impl FnMut(f64) -> f64) -> Option<f64> {
    const MOST_STEPS: usize = 200;
    // `b` is the best point so far, `a` the one before, `c` the other end of the bracket.
    let (mut a, mut b) = (low, high);
    let (mut fa, mut fb) = (f(a), f(b));
    if fa == 0.0 || fb == 0.0 {
        return Some(if fa == 0.0 { a } else { b });
    }
    if fa.is_nan() || fb.is_nan() || (fa > 0.0) == (fb > 0.0) {
        return None;
    }
    let (mut c, mut fc) = (a, fa);
    let (mut step, mut before) = (b - a, b - a);
    for _ in 0..MOST_STEPS {
        if fc.abs() < fb.abs() {
            (a, b, c) = (b, c, b);
            (fa, fb, fc) = (fb, fc, fb);
        }
        let tolerance = 2.0 * f64::EPSILON * b.abs() + f64::MIN_POSITIVE;
        let half = 0.5 * (c - b);
        if half.abs() <= tolerance || fb == 0.0 {
            return Some(b);
        }
        let (p, q) = interpolation([a, b, c], [fa, fb, fc]);
        let kept =
            before.abs() >= tolerance && fa.abs() > fb.abs() && 2.0 * p < (3.0 * half * q - (tolerance * q).abs()).min((before * q).abs());
        (before, step) = if kept { (step, p / q) } else { (half, half) };
        (a, fa) = (b, fb);
        b += if step.abs() > tolerance { step } else { tolerance.copysign(half) };
        fb = f(b);
        if fb.is_nan() {
            return None;
        }
        if (fb > 0.0) == (fc > 0.0) {
            (c, fc) = (a, fa);
            (step, before) = (b - a, b - a);
        }
    }
    Some(b)
}

/// The step from `b` to where a parabola (a secant, when two points are one) through the points crosses zero, as `p / q` with `p ≥ 0`.
fn interpolation([a, b, c]: [f64; 3], [fa, fb, fc]: [f64; 3]) -> (f64, f64) {
    let s = fb / fa;
    let (p, q) = if a == c {
        ((c - b) * s, 1.0 - s)
    } else {
        let (t, r) = (fa / fc, fb / fc);
        (s * ((c - b) * t * (t - r) - (b - a) * (r - 1.0)), (t - 1.0) * (r - 1.0) * (s - 1.0))
    };
    if p > 0.0 { (p, -q) } else { (-p, q) }
}

/// The root of a rising or falling `f`, looked for from `start` in the direction of `step`, which doubles until the sign changes; `None`
/// when it never does before `furthest` steps' worth of way.
pub fn root_from(start: f64, step: f64, furthest: f64, mut f: impl FnMut(f64) -> f64) -> Option<f64> {
    let (mut near, mut way) = (start, step);
    let positive = f(start) > 0.0;
    while (near - start).abs() < furthest {
        let next = near + way;
        let value = f(next);
        if value.is_nan() {
            return None;
        }
        if (value > 0.0) != positive {
            return root_between(near, next, f);
        }
        (near, way) = (next, 2.0 * way);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_found_to_the_last_digits() {
        assert!((root_between(0.0, 2.0, |x| x * x - 2.0).unwrap() - 2f64.sqrt()).abs() < 1e-15);
        assert!((root_between(-4.0, 4.0, |x| libm::exp(x) - 10.0).unwrap() - 10f64.ln()).abs() < 1e-15);
        // A step has no slope to follow, and a root of ninth order hardly any.
        assert!((root_between(-1.0, 5.0, |x| if x < 1.25 { -1.0 } else { 1.0 }).unwrap() - 1.25).abs() < 1e-15);
        assert!(root_between(-1.0, 4.0, |x| (x - 1.0).powi(9)).unwrap() - 1.0 < 1e-2);
        assert!((root_from(0.0, -1.0, 1e6, |x| x + 1000.5).unwrap() + 1000.5).abs() < 1e-12);
    }

    #[test]
    fn without_a_change_of_sign_there_is_none() {
        assert_eq!(root_between(1.0, 2.0, |x| x), None);
        assert_eq!(root_between(-1.0, 2.0, |_| f64::NAN), None);
        assert_eq!(root_from(0.0, 1.0, 100.0, |_| -1.0), None);
        assert_eq!(root_between(0.0, 2.0, |x| x), Some(0.0));
    }
}
