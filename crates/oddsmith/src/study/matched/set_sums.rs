//! Sums over matched sets at one point: the conditional log likelihood and its derivatives.

/// Sums over sets at one point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SetSums {
    /// Log likelihood.
    pub value: f64,
    /// Its gradient.
    pub gradient: Vec<f64>,
    /// Minus its second derivatives: the lower triangle, row after row.
    pub information: Vec<f64>,
    /// Sums of squares of the gradients of single sets, packed the same way.
    pub scores: Vec<f64>,
    /// Third cumulants, which are the slopes of the information: cells a ≥ b ≥ c, the last fastest; empty where nobody asks for them.
    pub cumulants: Vec<f64>,
    /// Gradients by cluster, cluster after cluster; empty without clusters.
    pub clusters: Vec<f64>,
}

impl SetSums {
    /// Nothing summed up yet.
    pub fn new(columns: usize) -> Self {
        let packed = columns * (columns + 1) / 2;
        SetSums {
            value: 0.0,
            gradient: vec![0.0; columns],
            information: vec![0.0; packed],
            scores: vec![0.0; packed],
            cumulants: Vec::new(),
            clusters: Vec::new(),
        }
    }

    /// The same with third cumulants.
    #[must_use]
    pub fn with_cumulants(mut self) -> Self {
        let columns = self.gradient.len();
        self.cumulants = vec![0.0; columns * (columns + 1) * (columns + 2) / 6];
        self
    }

    /// The same with gradients of so many clusters.
    #[must_use]
    pub fn with_clusters(mut self, clusters: usize) -> Self {
        self.clusters = vec![0.0; self.gradient.len() * clusters];
        self
    }

    /// Adds the gradient of a set that counts `weight` times, to that of its cluster as well.
    pub(super) fn add_score(&mut self, score: &[f64], weight: f64, cluster: Option<u64>) {
        let columns = self.gradient.len();
        self.gradient.iter_mut().zip(score).for_each(|(sum, score)| *sum += weight * score);
        if let Some(own) = cluster.and_then(|cluster| self.clusters.chunks_exact_mut(columns.max(1)).nth(cluster as usize)) {
            own.iter_mut().zip(score).for_each(|(sum, score)| *sum += weight * score);
        }
    }

    /// Adds what others have seen.
    pub fn merge(&mut self, other: &Self) {
        self.value += other.value;
        for (mine, theirs) in [
            (&mut self.gradient, &other.gradient),
            (&mut self.information, &other.information),
            (&mut self.scores, &other.scores),
            (&mut self.cumulants, &other.cumulants),
            (&mut self.clusters, &other.clusters),
        ] {
            mine.iter_mut().zip(theirs).for_each(|(sum, value)| *sum += value);
        }
    }
}
