//! P-values of drawings in which nothing is to be found: they are spread evenly between 0 and 1.

/// The p-values of one test.
#[derive(Debug, Default)]
pub(crate) struct PValues(Vec<f64>);

impl PValues {
    /// Takes one that could be told.
    pub(crate) fn see(&mut self, p: f64) {
        if !p.is_nan() {
            self.0.push(p);
        }
    }

    /// How many were told.
    pub(crate) fn told(&self) -> usize {
        self.0.len()
    }

    /// The share of tests that call nothing something, at 5 %.
    pub(crate) fn alarms(&self) -> f64 {
        self.0.iter().filter(|p| **p < 0.05).count() as f64 / self.0.len().max(1) as f64
    }

    /// Kolmogorov and Smirnov's p-value of an even spread, by Stephens' form of the limit.
    pub(crate) fn evenness(&mut self) -> f64 {
        self.0.sort_unstable_by(f64::total_cmp);
        let n = self.0.len() as f64;
        let gap = |(at, p): (usize, &f64)| (p - at as f64 / n).abs().max(((at + 1) as f64 / n - p).abs());
        let largest = self.0.iter().enumerate().map(gap).fold(0.0, f64::max);
        let reach = (n.sqrt() + 0.12 + 0.11 / n.sqrt()) * largest;
        let term = |k: i32| f64::from(1 - 2 * (k % 2 == 0) as i32) * (-2.0 * f64::from(k * k) * reach * reach).exp();
        (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
    }
}
