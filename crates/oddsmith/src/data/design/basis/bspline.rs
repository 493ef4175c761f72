//! B-splines, as R's `bs(x, df = …)`.
//!
//! Over knots t (the boundary d + 1 times at either end, the inner knots between) the functions of degree d follow from
//! N_{i,0} = [t_i ≤ x < t_{i+1}],
//! N_{i,d} = (x − t_i)/(t_{i+d} − t_i) N_{i,d−1} + (t_{i+d+1} − x)/(t_{i+d+1} − t_{i+1}) N_{i+1,d−1}.
//! Only d + 1 of them differ from zero at a point. Beyond the boundary the polynomial of the outermost piece goes on.

/// Functions whose values stand on the stack; the parser allows no higher degree.
const MOST: usize = 33;

/// A spline space of some degree.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct BSpline {
    degree: usize,
    knots: Vec<f64>,
    /// The first and the last piece that is not empty.
    first: usize,
    last: usize,
}

impl BSpline {
    /// A spline between `lo` and `hi` with inner knots in rising order.
    pub(super) fn new(degree: usize, lo: f64, hi: f64, inner: &[f64]) -> Result<Self, String> {
        if lo >= hi {
            return Err("a spline needs at least two different values".into());
        }
        if degree + 1 > MOST {
            return Err(format!("a spline has at most degree {}", MOST - 1));
        }
        if inner.windows(2).any(|pair| pair[0] > pair[1]) || inner.iter().any(|knot| !(lo..=hi).contains(knot)) {
            return Err(format!("knots lie in rising order between the extremes of the data, {lo} and {hi}"));
        }
        let ends = |at: f64| std::iter::repeat_n(at, degree + 1);
        let knots: Vec<f64> = ends(lo).chain(inner.iter().copied()).chain(ends(hi)).collect();
        let functions = knots.len() - degree - 1;
        let filled = |piece: &usize| knots[*piece] < knots[piece + 1];
        let first = (degree..functions).find(filled).unwrap_or(degree);
        let last = (degree..functions).rev().find(filled).unwrap_or(degree);
        Ok(BSpline { degree, knots, first, last })
    }

    /// Number of functions, the first included.
    pub(super) fn functions(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// The piece in which a point lies; the outermost one beyond the boundary.
    pub(super) fn piece(&self, x: f64) -> usize {
        let after = self.knots.partition_point(|knot| *knot <= x);
        after.saturating_sub(1).clamp(self.first, self.last)
    }

    /// The values at `x` of the functions of degree `degree` that belong to a piece: `values[r]` is function
    /// `piece − degree + r`.
    fn values_of_degree(&self, degree: usize, piece: usize, x: f64, values: &mut [f64; MOST]) {
        let t = &self.knots;
        values[0] = 1.0;
        for d in 1..=degree {
            let mut carried = 0.0;
            for r in 0..d {
                let (right, left) = (t[piece + r + 1], t[piece + r + 1 - d]);
                let share = values[r] / (right - left);
                values[r] = carried + (right - x) * share;
                carried = (x - left) * share;
            }
            values[d] = carried;
        }
    }

    /// The values of the functions of a piece.
    pub(super) fn values(&self, piece: usize, x: f64, values: &mut [f64]) {
        let mut all = [0.0; MOST];
        self.values_of_degree(self.degree, piece, x, &mut all);
        values.copy_from_slice(&all[..=self.degree]);
    }

    /// The derivatives of some order of the functions of a piece, by
    /// N'_{i,d} = d (N_{i,d−1}/(t_{i+d} − t_i) − N_{i+1,d−1}/(t_{i+d+1} − t_{i+1})).
    pub(super) fn derivatives(&self, piece: usize, x: f64, order: usize, values: &mut [f64]) {
        let t = &self.knots;
        let mut all = [0.0; MOST];
        self.values_of_degree(self.degree - order, piece, x, &mut all);
        for d in self.degree - order + 1..=self.degree {
            // Function r of degree d − 1 is number piece − d + 1 + r and reaches from its knot to the d-th after it.
            let mut before = 0.0;
            for (r, value) in all[..d].iter_mut().enumerate() {
                let start = piece + 1 + r - d;
                let slope = d as f64 * *value / (t[start + d] - t[start]);
                *value = before - slope;
                before = slope;
            }
            all[d] = before;
        }
        values.copy_from_slice(&all[..=self.degree]);
    }

    /// Degree of the pieces.
    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    /// Evaluates all functions but the first, column after column.
    pub(super) fn evaluate_without_first(&self, x: &[f64], out: &mut [f64]) {
        let rows = x.len();
        out.fill(0.0);
        let mut values = [0.0; MOST];
        for (i, &x) in x.iter().enumerate() {
            let piece = self.piece(x);
            self.values_of_degree(self.degree, piece, x, &mut values);
            for (r, value) in values[..=self.degree].iter().enumerate() {
                if let Some(column) = (piece + r).checked_sub(self.degree + 1) {
                    out[column * rows + i] = *value;
                }
            }
        }
    }
}
