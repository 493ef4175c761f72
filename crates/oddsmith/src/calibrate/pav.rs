//! Pool adjacent violators: the rising step function nearest to a sequence of weighted means.
//!
//! Minimises Σ w_i (f_i − m_i)² over f_1 ≤ f_2 ≤ …; each run of equal f is the weighted mean of what it pools. Time and
//! memory O(n): every point is pooled at most once.

/// A run of adjacent points that share one fitted value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pooled {
    /// Index of the first point.
    pub first: usize,
    /// Number of points.
    pub len: usize,
    /// Total weight.
    pub weight: f64,
    /// Weighted mean: the fitted value of all its points.
    pub mean: f64,
}

/// The runs of the fit to points (mean, weight) in order. Points of weight zero belong to the run before them.
pub fn pool(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<Pooled> {
    let mut runs: Vec<Pooled> = Vec::new();
    for (first, (mean, weight)) in points.into_iter().enumerate() {
        let mut last = Pooled { first, len: 1, weight, mean };
        while let Some(before) = runs.pop_if(|before| before.mean >= last.mean || last.weight == 0.0 || before.weight == 0.0) {
            let weight = before.weight + last.weight;
            // The step towards the heavier mean keeps equal means exactly equal.
            let mean = match (before.weight > 0.0, last.weight > 0.0) {
                (true, true) => before.mean + (last.mean - before.mean) * (last.weight / weight),
                (false, true) => last.mean,
                (_, false) => before.mean,
            };
            last = Pooled { first: before.first, len: before.len + last.len, weight, mean };
        }
        runs.push(last);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(points: &[(f64, f64)]) -> Vec<f64> {
        pool(points.iter().copied()).iter().flat_map(|run| std::iter::repeat_n(run.mean, run.len)).collect()
    }

    #[test]
    fn violators_are_pooled_to_their_weighted_mean() {
        assert_eq!(fitted(&[(1.0, 1.0), (2.0, 1.0)]), [1.0, 2.0]);
        assert_eq!(fitted(&[(2.0, 1.0), (1.0, 3.0)]), [1.25, 1.25]);
        assert_eq!(fitted(&[(0.0, 1.0), (1.0, 1.0), (0.0, 1.0), (1.0, 1.0)]), [0.0, 0.5, 0.5, 1.0]);
        assert_eq!(fitted(&[(3.0, 1.0), (2.0, 1.0), (1.0, 1.0)]), [2.0; 3]);
        assert_eq!(fitted(&[]), Vec::<f64>::new());
    }

    #[test]
    fn a_point_without_weight_changes_no_mean() {
        assert_eq!(fitted(&[(0.2, 1.0), (0.9, 0.0), (0.4, 1.0)]), [0.2, 0.2, 0.4]);
        assert_eq!(fitted(&[(0.9, 0.0), (0.4, 1.0)]), [0.4, 0.4]);
    }
}
