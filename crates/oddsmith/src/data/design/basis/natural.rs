//! Natural cubic splines, as R's `ns(x, df = …)`: cubic B-splines without the first, restricted to those whose second
//! derivative is zero at both ends, and straight lines beyond them.
//!
//! The restriction C β = 0 (two rows: the second derivatives at the ends) is solved by Householder reflections of Cᵀ = Q R:
//! the columns of Q behind the second span all solutions. Signs of the reflections are those of LINPACK, so that the columns
//! are R's.

use super::bspline::BSpline;
use super::poly::power_of_two_for;

const DEGREE: usize = 3;

/// A natural spline.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct NaturalSpline {
    spline: BSpline,
    ends: [f64; 2],
    width: usize,
    /// One row per B-spline, the first included and zero: its share in every column.
    shares: Vec<f64>,
    /// Value and slope of every column at either end.
    tangents: [Tangent; 2],
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Tangent {
    values: Vec<f64>,
    slopes: Vec<f64>,
}

impl NaturalSpline {
    /// A spline between `lo` and `hi` with inner knots in rising order.
    pub(super) fn new(lo: f64, hi: f64, inner: &[f64]) -> Result<Self, String> {
        let spline = BSpline::new(DEGREE, lo, hi, inner)?;
        // Second derivatives grow with the square of the scale, and the equations do not depend on it.
        let scale = power_of_two_for(hi - lo);
        let scaled_knots: Vec<f64> = inner.iter().map(|knot| knot * scale).collect();
        let scaled = BSpline::new(DEGREE, lo * scale, hi * scale, &scaled_knots)?;
        let restrictions = [lo * scale, hi * scale].map(|end| {
            let mut row = spread(&scaled, end, 2);
            row.remove(0);
            row
        });
        let width = spline.functions() - DEGREE;
        let mut shares = vec![0.0; width];
        shares.extend(null_space(restrictions));
        let mut natural = NaturalSpline { spline, ends: [lo, hi], width, shares, tangents: Default::default() };
        natural.tangents = [lo, hi].map(|end| natural.tangent(end));
        Ok(natural)
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    fn tangent(&self, end: f64) -> Tangent {
        let combined = |order: usize| {
            let functions = spread(&self.spline, end, order);
            let column = |j: usize| functions.iter().enumerate().map(|(f, value)| value * self.shares[f * self.width + j]).sum();
            (0..self.width).map(column).collect()
        };
        Tangent { values: combined(0), slopes: combined(1) }
    }

    /// Evaluates all columns one after another.
    pub(super) fn evaluate(&self, x: &[f64], out: &mut [f64]) {
        let rows = x.len();
        let mut values = [0.0; DEGREE + 1];
        for (i, &x) in x.iter().enumerate() {
            let beyond = if x < self.ends[0] { Some(0) } else { (x > self.ends[1]).then_some(1) };
            if let Some(end) = beyond {
                let (tangent, step) = (&self.tangents[end], x - self.ends[end]);
                (0..self.width).for_each(|j| out[j * rows + i] = tangent.values[j] + step * tangent.slopes[j]);
                continue;
            }
            let piece = self.spline.piece(x);
            self.spline.values(piece, x, &mut values);
            let shares = &self.shares[(piece - DEGREE) * self.width..(piece + 1) * self.width];
            for j in 0..self.width {
                let share = |r: usize| values[r] * shares[r * self.width + j];
                out[j * rows + i] = share(0) + share(1) + share(2) + share(3);
            }
        }
    }
}

/// All functions' derivatives of some order at a point.
fn spread(spline: &BSpline, x: f64, order: usize) -> Vec<f64> {
    let mut near = [0.0; DEGREE + 1];
    let piece = spline.piece(x);
    spline.derivatives(piece, x, order, &mut near);
    let mut all = vec![0.0; spline.functions()];
    let first = piece - spline.degree();
    all[first..=piece].copy_from_slice(&near);
    all
}

/// The solutions β of two equations, row after row: Q of the Householder reflections of the equations, without its first two
/// columns.
fn null_space(equations: [Vec<f64>; 2]) -> Vec<f64> {
    let n = equations[0].len();
    let [mut first, mut second] = equations;
    reflector(&mut first, 0);
    reflect(&first, 0, &mut second);
    reflector(&mut second, 1);
    let mut solutions = Vec::with_capacity(n * (n - 2));
    for row in 0..n {
        // Row `row` of Q is Qᵀ applied to the unit vector.
        let mut unit = vec![0.0; n];
        unit[row] = 1.0;
        reflect(&first, 0, &mut unit);
        reflect(&second, 1, &mut unit);
        solutions.extend_from_slice(&unit[2..]);
    }
    solutions
}

/// Turns a vector into the reflection that zeroes it behind position `at`.
fn reflector(vector: &mut [f64], at: usize) {
    let norm = vector[at..].iter().map(|v| v * v).sum::<f64>().sqrt();
    if norm == 0.0 {
        return;
    }
    let signed = if vector[at] < 0.0 { -norm } else { norm };
    vector[at..].iter_mut().for_each(|v| *v /= signed);
    vector[at] += 1.0;
}

fn reflect(reflector: &[f64], at: usize, vector: &mut [f64]) {
    if reflector[at] == 0.0 {
        return;
    }
    let product: f64 = reflector[at..].iter().zip(&vector[at..]).map(|(r, v)| r * v).sum();
    let factor = -product / reflector[at];
    vector[at..].iter_mut().zip(&reflector[at..]).for_each(|(v, r)| *v += factor * r);
}
