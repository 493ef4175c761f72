//! Polynomials that are orthonormal over the data, as R's `poly(x, k)`.
//!
//! With t = (x − c)·s, where c is the mean and the power of two s brings the widest value to about 1, so that neither an
//! offset of 1e8 nor a scale of 1e±150 costs digits:
//! p₀ = 1, p_{k} = (t − α_k) p_{k−1} − (ν_{k−1}/ν_{k−2}) p_{k−2},
//! α_k = Σ w t p²_{k−1} / ν_{k−1}, ν_k = Σ w p_k²; column k is p_k/√ν_k.

use super::super::value_table::ValueTable;

/// Parameters: c, s, then α₁ … α_k, then ν₀ … ν_k.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Powers {
    center: f64,
    scale: f64,
    alpha: Vec<f64>,
    norm: Vec<f64>,
}

/// Finds the parameters from the values and their weights.
pub(super) fn orthonormal_parameters(values: &ValueTable, degree: usize) -> Result<Vec<f64>, String> {
    let entries = values.entries();
    if entries.len() <= degree {
        return Err(format!("a polynomial of degree {degree} needs more than {degree} different values, and there are {}", entries.len()));
    }
    let (lo, hi) = values.range().ok_or("there is no value")?;
    let center = values.mean();
    let scale = power_of_two_for((hi - center).max(center - lo));
    let t: Vec<f64> = entries.iter().map(|(x, _)| (x - center) * scale).collect();
    let sum = |of: &dyn Fn(usize) -> f64| entries.iter().enumerate().map(|(i, (_, weight))| weight * of(i)).sum::<f64>();
    let (mut before, mut current) = (vec![0.0; t.len()], vec![1.0; t.len()]);
    let (mut alpha, mut norm) = (Vec::new(), vec![sum(&|_| 1.0)]);
    for k in 0..degree {
        let a = sum(&|i| t[i] * current[i] * current[i]) / norm[k];
        let ratio = if k == 0 { 0.0 } else { norm[k] / norm[k - 1] };
        let next: Vec<f64> = (0..t.len()).map(|i| (t[i] - a) * current[i] - ratio * before[i]).collect();
        (before, current) = (current, next);
        alpha.push(a);
        norm.push(sum(&|i| current[i] * current[i]));
    }
    if !(center.is_finite() && scale.is_finite() && norm.iter().all(|v| *v > 0.0 && v.is_finite())) {
        return Err(format!("its values leave no digits for a polynomial of degree {degree}"));
    }
    Ok([center, scale].into_iter().chain(alpha).chain(norm).collect())
}

/// The power of two that brings a size to between 1/2 and 1.
pub(super) fn power_of_two_for(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { 2f64.powi(-(size.log2().floor().clamp(-1000.0, 1000.0) as i32) - 1) } else { 1.0 }
}

impl Powers {
    /// Reads the parameters.
    pub(super) fn new(degree: usize, parameters: &[f64]) -> Result<Self, String> {
        let &[center, scale, ref rest @ ..] = parameters else { return Err("the polynomials are not known".into()) };
        if rest.len() != 2 * degree + 1 {
            return Err("the number of coefficients is wrong".into());
        }
        let (alpha, norm) = rest.split_at(degree);
        match scale > 0.0 && norm.iter().all(|v| *v > 0.0) {
            true => Ok(Powers { center, scale, alpha: alpha.to_vec(), norm: norm.to_vec() }),
            false => Err("a scale or a norm is not above zero".into()),
        }
    }

    pub(super) fn degree(&self) -> usize {
        self.alpha.len()
    }

    /// Evaluates the columns one after another; the recurrence runs on unscaled polynomials, which are divided at the end.
    pub(super) fn evaluate(&self, x: &[f64], out: &mut [f64]) {
        let rows = x.len();
        for (k, alpha) in self.alpha.iter().enumerate() {
            let ratio = if k == 0 { 0.0 } else { self.norm[k] / self.norm[k - 1] };
            let (earlier, next) = out.split_at_mut(k * rows);
            let t = |x: f64| (x - self.center) * self.scale - alpha;
            for i in 0..rows {
                let before = match k {
                    0 => 0.0,
                    1 => 1.0,
                    _ => earlier[(k - 2) * rows + i],
                };
                let current = if k == 0 { 1.0 } else { earlier[(k - 1) * rows + i] };
                next[i] = t(x[i]) * current - ratio * before;
            }
        }
        for (column, norm) in out.chunks_exact_mut(rows).zip(&self.norm[1..]) {
            let length = norm.sqrt();
            column.iter_mut().for_each(|p| *p /= length);
        }
    }
}

/// x, x², x³ …
pub(super) fn raw_powers(x: &[f64], out: &mut [f64]) {
    let rows = x.len();
    out[..rows].copy_from_slice(x);
    for k in 1..out.len() / rows {
        let (earlier, next) = out.split_at_mut(k * rows);
        let before = &earlier[(k - 1) * rows..];
        next[..rows].iter_mut().zip(before).zip(x).for_each(|((next, before), x)| *next = before * x);
    }
}
