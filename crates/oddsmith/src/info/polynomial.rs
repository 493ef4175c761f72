//! Residual sums of squares of polynomials of every degree, from one orthogonal basis.
//!
//! The basis of the points themselves: q₀ ∝ 1, and q_{k+1} is x·q_k less its part along all earlier ones, taken away twice so that rounding
//! leaves nothing of it. A degree more takes one more part away from the residual: RSS_k = |r_k|², r_k = r_{k−1} − (q_k·r_{k−1}) q_k. No
//! normal equations, so columns like x¹⁰ far from zero cost no digits. O(n · degree²).

use crate::error::{DataFault, Result};

/// A least-squares polynomial.
#[derive(Debug, Clone, PartialEq)]
pub struct PolynomialFit {
    /// What it leaves: the weighted sum of squares, 0 where that is nothing but rounding.
    pub residual_squares: f64,
    /// Its values at the places that were asked for.
    pub values: Vec<f64>,
}

/// Weighted residual sums of squares of the polynomials of degree 0, 1, … `most` of y in x, as far as different values of x allow. A residual
/// that is nothing but rounding is 0.
pub fn polynomial_residuals(x: &[f64], y: &[f64], weights: Option<&[f64]>, most: usize) -> Result<Vec<f64>> {
    Ok(polynomial_fits(x, y, weights, most, &[])?.into_iter().map(|fit| fit.residual_squares).collect())
}

/// The same polynomials with their values at further places.
pub fn polynomial_fits(x: &[f64], y: &[f64], weights: Option<&[f64]>, most: usize, places: &[f64]) -> Result<Vec<PolynomialFit>> {
    let n = x.len();
    let all = x.iter().chain(y).chain(weights.unwrap_or(&[]));
    if n == 0 || y.len() != n || weights.is_some_and(|w| w.len() != n) || all.clone().any(|value| !value.is_finite()) {
        let what = format!("{n} values of x and {} of y make no curve", y.len());
        return Err(DataFault::new(what).accepted("give as many finite numbers of each, one at least").into());
    }
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let (middle, half) = (0.5 * low + 0.5 * high, (0.5 * high - 0.5 * low).max(f64::MIN_POSITIVE));
    let roots: Vec<f64> = weights.map_or(vec![1.0; n], |weights| weights.iter().map(|w| w.sqrt()).collect());
    let scaled: Vec<f64> = x.iter().map(|x| (x - middle) / half).collect();
    let mut residual: Vec<f64> = y.iter().zip(&roots).map(|(y, root)| y * root).collect();
    let rounding = n as f64 * (16.0 * f64::EPSILON) * (16.0 * f64::EPSILON) * dot(&residual, &residual);
    // Of every function of the basis its values at the points, and at the places.
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let elsewhere: Vec<f64> = places.iter().map(|x| (x - middle) / half).collect();
    let mut fits: Vec<PolynomialFit> = Vec::new();
    for degree in 0..=most {
        let times = |q: &[f64], x: &[f64]| q.iter().zip(x).map(|(q, x)| q * x).collect::<Vec<f64>>();
        let (mut next, mut there) = match basis.last() {
            Some((last, there)) => (times(last, &scaled), times(there, &elsewhere)),
            None => (roots.clone(), vec![1.0; places.len()]),
        };
        let before = dot(&next, &next).sqrt();
        for _ in 0..2 {
            for (q, known) in &basis {
                let share = take_away(&mut next, q);
                there.iter_mut().zip(known).for_each(|(value, q)| *value -= share * q);
            }
        }
        let length = dot(&next, &next).sqrt();
        // As many different values of x as coefficients: every further column is a combination of those before.
        if degree > 0 && length <= 1e-12 * before.max(f64::MIN_POSITIVE) || length == 0.0 {
            break;
        }
        next.iter_mut().chain(&mut there).for_each(|q| *q /= length);
        let share: f64 = (0..2).map(|_| take_away(&mut residual, &next)).sum();
        let below = fits.last().map_or(vec![0.0; places.len()], |fit| fit.values.clone());
        let values = below.iter().zip(&there).map(|(value, q)| value + share * q).collect();
        basis.push((next, there));
        let left = dot(&residual, &residual);
        fits.push(PolynomialFit { residual_squares: if left <= rounding { 0.0 } else { left }, values });
    }
    Ok(fits)
}

/// Takes the part along a unit vector away, and says how long it was.
fn take_away(from: &mut [f64], unit: &[f64]) -> f64 {
    let share = dot(from, unit);
    from.iter_mut().zip(unit).for_each(|(value, q)| *value -= share * q);
    share
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_leaves_nothing() {
        let x: Vec<f64> = (0..12).map(|i| 1e6 + f64::from(i)).collect();
        let y: Vec<f64> = x.iter().map(|x| (x - 1e6) * (x - 1e6)).collect();
        let squares = polynomial_residuals(&x, &y, None, 4).unwrap();
        assert!(squares[1] > 1.0 && squares[2] == 0.0, "{squares:?}");
        let two_places = polynomial_residuals(&[1.0, 1.0, 2.0], &[0.0, 2.0, 5.0], None, 9).unwrap();
        assert!(two_places.len() == 2 && (two_places[0] - 38.0 / 3.0).abs() < 1e-13 && (two_places[1] - 2.0).abs() < 1e-14);
        assert_eq!(polynomial_residuals(&[1.0, 2.0], &[0.0, 3.0], Some(&[2.0, 1.0]), 0).unwrap().len(), 1);
        assert!(polynomial_residuals(&[1.0], &[], None, 1).unwrap_err().to_string().contains("1 values of x and 0 of y"));
    }

    #[test]
    fn curves_go_where_the_polynomial_goes() {
        let x: Vec<f64> = (0..12).map(|i| 50.0 + f64::from(i)).collect();
        let cubic = |x: f64| 2.0 - (x - 55.0) + 0.5 * (x - 56.0).powi(3);
        let y: Vec<f64> = x.iter().map(|x| cubic(*x)).collect();
        let weights: Vec<f64> = (0..12).map(|i| 1.0 + f64::from(i % 3)).collect();
        let places = [48.0, 53.5, 61.0, 63.0];
        let fits = polynomial_fits(&x, &y, Some(&weights), 5, &places).unwrap();
        for degree in [3, 4, 5] {
            let far = fits[degree].values.iter().zip(places).map(|(value, x)| (value - cubic(x)).abs()).fold(0.0, f64::max);
            assert!(far < 1e-8, "{degree}: {far}");
        }
        // The mean, and a line by hand.
        let plain = polynomial_fits(&[0.0, 1.0, 2.0], &[1.0, 0.0, 5.0], None, 1, &[0.0, 3.0]).unwrap();
        assert!(plain[0].values.iter().all(|value| (value - 2.0).abs() < 1e-14), "{plain:?}");
        assert!((plain[1].values[0] - 0.0).abs() < 1e-14 && (plain[1].values[1] - 6.0).abs() < 1e-14, "{plain:?}");
    }

    #[test]
    fn a_weight_is_a_number_of_rows() {
        let weighted = polynomial_residuals(&[0.0, 1.0, 2.0, 3.0], &[1.0, 0.0, 4.0, 2.0], Some(&[1.0, 2.0, 1.0, 3.0]), 2).unwrap();
        let (x, y) = ([0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0], [1.0, 0.0, 0.0, 4.0, 2.0, 2.0, 2.0]);
        let repeated = polynomial_residuals(&x, &y, None, 2).unwrap();
        assert!(weighted.iter().zip(&repeated).all(|(a, b)| (a - b).abs() < 1e-13), "{weighted:?} {repeated:?}");
    }
}
