//! Class probabilities of nodes, drawn towards those of their parents.
//!
//! p_k = (n_k + m p_k(parent)) / (n + m) from the root down, where p_k = n_k / n. With m = 0 a node has the proportions of its rows.

/// Probabilities by node and class from weights by node and class. `parents[i]` comes before node i.
pub(super) fn smoothed(weights: &[f64], classes: usize, parents: &[usize], strength: f64) -> Vec<f64> {
    let mut p = vec![0.0; weights.len()];
    for (at, own) in weights.chunks_exact(classes).enumerate() {
        let total: f64 = own.iter().sum();
        for (k, weight) in own.iter().enumerate() {
            p[at * classes + k] = match at {
                0 => weight / total,
                _ => (weight + strength * p[parents[at] * classes + k]) / (total + strength),
            };
        }
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_lies_between_its_rows_and_its_parent() {
        let weights = [30.0, 10.0, 20.0, 0.0, 10.0, 10.0];
        let p = smoothed(&weights, 2, &[0, 0, 0], 20.0);
        assert_eq!(p, [0.75, 0.25, 35.0 / 40.0, 5.0 / 40.0, 25.0 / 40.0, 15.0 / 40.0]);
        assert_eq!(smoothed(&weights, 2, &[0, 0, 0], 0.0)[2..4], [1.0, 0.0]);
    }
}
