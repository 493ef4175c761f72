//! Pruning by cost and complexity, and the size that held-out rows prefer.
//!
//! The risk of a leaf is its impurity times its weight: half the deviance for the criterion `information`. A branch with L leaves that
//! lessens the risk of its root by D costs g = D / (L − 1) per leaf; branches go in the order of g, the weakest first, which gives
//! every tree that is best for some price α per leaf. By cross-validation, trees of nine tenths of the rows are pruned at the
//! geometric means of neighbouring prices and charged the log loss of the tenth that they have not seen; the price with the least loss is taken.

use super::growth::{GrownNode, preorder};
use super::impurity::Impurity;

/// A tree on its way of being pruned.
pub(super) struct Pruning<'a> {
    nodes: &'a [GrownNode],
    /// Parents by node; that of the root is itself.
    parents: Vec<usize>,
    risk: Vec<f64>,
    /// Risk and number of the leaves below a node.
    below: Vec<(f64, usize)>,
    /// Whether a node is gone, or has become a leaf.
    cut: Vec<bool>,
    alive: Vec<usize>,
}

impl<'a> Pruning<'a> {
    /// Nothing pruned yet.
    pub(super) fn new(nodes: &'a [GrownNode], impurity: &Impurity) -> Self {
        let risk: Vec<f64> = nodes.iter().map(|node| impurity.of(&node.counts)).collect();
        let (mut parents, order) = (vec![0; nodes.len()], preorder(nodes));
        let mut below: Vec<(f64, usize)> = risk.iter().map(|risk| (*risk, 1)).collect();
        for at in order.iter().rev().filter(|at| nodes[**at].split.is_some()) {
            let children = nodes[*at].children;
            children.iter().for_each(|child| parents[*child] = *at);
            below[*at] = children.iter().fold((0.0, 0), |(sum, leaves), child| (sum + below[*child].0, leaves + below[*child].1));
        }
        let alive = order.into_iter().filter(|at| nodes[*at].split.is_some()).collect();
        Pruning { nodes, parents, risk, below, cut: vec![false; nodes.len()], alive }
    }

    fn price(&self, at: usize) -> f64 {
        (self.risk[at] - self.below[at].0).max(0.0) / (self.below[at].1 - 1) as f64
    }

    /// The weakest branch and its price.
    fn weakest(&self) -> Option<(usize, f64)> {
        let priced = self.alive.iter().map(|at| (*at, self.price(*at)));
        priced.fold(None, |best, (at, price)| match best {
            Some((_, least)) if least <= price => best,
            _ => Some((at, price)),
        })
    }

    /// Makes the weakest branch a leaf when it costs no more than `price`; the node that became one.
    pub(super) fn step(&mut self, price: f64) -> Option<(usize, f64)> {
        let (at, cost) = self.weakest().filter(|(_, cost)| *cost <= price)?;
        let lost = (self.risk[at] - self.below[at].0, self.below[at].1 - 1);
        let mut up = at;
        loop {
            self.below[up] = (self.below[up].0 + lost.0, self.below[up].1 - lost.1);
            if up == 0 {
                break;
            }
            up = self.parents[up];
        }
        let mut gone = vec![at];
        while let Some(node) = gone.pop() {
            if self.nodes[node].split.is_some() && !self.cut[node] {
                gone.extend(self.nodes[node].children);
            }
            self.cut[node] = true;
        }
        let cut = &self.cut;
        self.alive.retain(|node| !cut[*node]);
        Some((at, cost))
    }

    /// The tree as it is now.
    pub(super) fn pruned(&self) -> Vec<GrownNode> {
        let keep = |at: usize| GrownNode { split: self.nodes[at].split.clone().filter(|_| !self.cut[at]), ..self.nodes[at].clone() };
        (0..self.nodes.len()).map(keep).collect()
    }
}

/// The tree that is best for a price per leaf.
pub(super) fn pruned_at(nodes: &[GrownNode], impurity: &Impurity, price: f64) -> Vec<GrownNode> {
    let mut pruning = Pruning::new(nodes, impurity);
    while pruning.step(price).is_some() {}
    pruning.pruned()
}

/// Prices that stand for the trees of the sequence: nothing, then geometric means of neighbours.
pub(super) fn prices(nodes: &[GrownNode], impurity: &Impurity) -> Vec<f64> {
    let mut pruning = Pruning::new(nodes, impurity);
    let mut costs = Vec::new();
    while let Some((_, cost)) = pruning.step(f64::INFINITY) {
        if costs.last().is_none_or(|last| cost > last * (1.0 + 1e-9)) {
            costs.push(cost);
        }
    }
    let between = costs.windows(2).map(|pair| (pair[0] * pair[1]).sqrt());
    let last = costs.last().map(|last| last * 2.0);
    std::iter::once(0.0).chain(between).chain(last).collect()
}

/// Held-out loss of the tree at every price (rising): `losses` has the loss of the held-out rows of every node, if it were their leaf.
pub(super) fn held_out_losses(nodes: &[GrownNode], impurity: &Impurity, prices: &[f64], losses: &[f64]) -> Vec<f64> {
    let mut pruning = Pruning::new(nodes, impurity);
    let below = |node: usize, cut: &[bool]| {
        let (mut sum, mut open) = (0.0, vec![node]);
        while let Some(at) = open.pop() {
            match nodes[at].split.is_some() && !cut[at] {
                true => open.extend(nodes[at].children),
                false => sum += losses[at],
            }
        }
        sum
    };
    let mut total = below(0, &pruning.cut);
    let at_price = |price: &f64| {
        loop {
            let before = pruning.cut.clone();
            let Some((at, _)) = pruning.step(*price) else { return total };
            total += losses[at] - below(at, &before);
        }
    };
    prices.iter().map(at_price).collect()
}
