//! Huffman's code: no code of one word per symbol is shorter on average.
//!
//! The two lightest nodes are joined again and again. Of equally heavy ones leaves are taken before joined nodes, and older joined nodes
//! before younger: among all shortest codes that gives the one whose lengths vary least. With the leaves sorted, joined nodes come out in
//! rising weight, so two queues do. Cost O(n log n) for sorting.

use std::collections::VecDeque;

/// Lengths of the words of Huffman's code for weights above 0, in their order. A single symbol needs no bit at all.
pub fn huffman_lengths(weights: &[f64]) -> Vec<u32> {
    let n = weights.len();
    let mut leaves: Vec<usize> = (0..n).collect();
    leaves.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    let mut leaves: VecDeque<usize> = leaves.into();
    let mut joined: VecDeque<usize> = VecDeque::new();
    let mut heavy: Vec<f64> = weights.to_vec();
    // The parent of every node; joined nodes follow the leaves in the order in which they are made.
    let mut parents = vec![usize::MAX; n];
    while leaves.len() + joined.len() > 1 {
        let mut lightest = || match (leaves.front(), joined.front()) {
            (Some(&leaf), Some(&node)) if heavy[node] < heavy[leaf] => joined.pop_front(),
            (Some(_), _) => leaves.pop_front(),
            (None, _) => joined.pop_front(),
        };
        let (Some(a), Some(b)) = (lightest(), lightest()) else { break };
        let node = heavy.len();
        heavy.push(heavy[a] + heavy[b]);
        parents.push(usize::MAX);
        (parents[a], parents[b]) = (node, node);
        joined.push_back(node);
    }
    let mut depths = vec![0u32; parents.len()];
    for node in (0..parents.len()).rev().filter(|&node| parents[node] != usize::MAX) {
        depths[node] = depths[parents[node]] + 1;
    }
    depths.truncate(n);
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_lengths() {
        assert_eq!(huffman_lengths(&[0.5, 0.25, 0.125, 0.125]), [1, 2, 3, 3]);
        assert_eq!(huffman_lengths(&[0.25, 0.25, 0.2, 0.15, 0.15]), [2, 2, 2, 3, 3]);
        assert_eq!(huffman_lengths(&[0.4, 0.2, 0.2, 0.1, 0.1]), [2, 2, 2, 3, 3]);
        assert_eq!(huffman_lengths(&[0.9, 0.1]), [1, 1]);
        assert_eq!(huffman_lengths(&[1.0]), [0]);
        assert!(huffman_lengths(&[]).is_empty());
    }

    #[test]
    fn lengths_of_fibonacci_weights_are_as_long_as_can_be() {
        let mut weights = vec![1.0, 1.0];
        (2..70).for_each(|i| weights.push(weights[i - 1] + weights[i - 2]));
        let lengths = huffman_lengths(&weights);
        assert_eq!((lengths[0], lengths[1], lengths[69]), (69, 69, 1));
    }
}
