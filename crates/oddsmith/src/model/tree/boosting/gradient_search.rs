//! The best split of a leaf by sums of gradients and curvatures.
//!
//! A split gains G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ); levels of a category stand in the order of G/(H + s) with s the
//! curvature of ten rows. Gaps are tried on either side, and against all values.

use super::cut_gains::largest_gain;
use super::gradient_sums::GradientSum;
use crate::model::tree::bins::{Bins, ColumnCodes};
use crate::model::tree::code_set::CodeSet;
use crate::model::tree::level_order::oriented;
use crate::model::tree::search::{Shape, Split};

/// Share of a gain by which another must exceed it to be taken for larger: gradients are rounded to a part of 2^30.
const SAME: f64 = 1e-7;
/// Rows whose curvature draws the order of rare levels to the middle.
const LEVEL_ROWS: f64 = 10.0;

/// When a leaf is split.
#[derive(Debug, Clone)]
pub(super) struct GradientRules {
    pub(super) max_leaves: usize,
    pub(super) max_depth: u32,
    /// Units that a leaf needs.
    pub(super) least_leaf: u64,
    /// λ in parts.
    pub(super) l2: f64,
}

/// The best split of a leaf, with the sum on its left, from its sums by column and code.
pub(super) fn best_split(
    bins: &Bins,
    offsets: &[usize],
    rules: &GradientRules,
    total: &GradientSum,
    counts: &[GradientSum],
) -> Option<(Split, GradientSum)> {
    let mut search = GradientSearch { total, rules, whole: total.worth(rules.l2), best: None };
    let of = |j: usize| &counts[offsets[j]..offsets[j + 1]];
    for j in bins.by_name() {
        match bins.column(*j) {
            ColumnCodes::Number { .. } => search.numbers(*j, of(*j)),
            ColumnCodes::Levels { by_name, .. } => search.levels(*j, of(*j), by_name),
        }
    }
    search.finish(of)
}

/// The search at one leaf.
struct GradientSearch<'a> {
    total: &'a GradientSum,
    rules: &'a GradientRules,
    whole: f64,
    best: Option<Candidate>,
}

struct Candidate {
    feature: usize,
    shape: Shape,
    values_left: CodeSet,
    gaps_left: Option<bool>,
    gain: f64,
    left: GradientSum,
}

impl GradientSearch<'_> {
    fn numbers(&mut self, feature: usize, column: &[GradientSum]) {
        let gaps = column[0].units() > 0;
        if !gaps && largest_gain(column, self.total, self.rules, self.whole) <= self.best.as_ref().map_or(0.0, |best| best.gain) {
            return;
        }
        let (mut below, mut with_gaps, mut last) = (GradientSum::default(), column[0], 0);
        if gaps {
            self.offer(feature, &with_gaps, || (Shape::Gap, CodeSet::default(), Some(true)));
        }
        for (code, sum) in column.iter().enumerate().skip(1).filter(|(_, sum)| sum.units() > 0) {
            if last > 0 {
                let shape = Shape::Below(last as u8, code as u8);
                self.offer(feature, &below, || (shape, CodeSet::up_to(last as u8), gaps.then_some(false)));
                if gaps {
                    self.offer(feature, &with_gaps, || (shape, CodeSet::up_to(last as u8), Some(true)));
                }
            }
            below.add(sum);
            with_gaps.add(sum);
            last = code;
        }
    }

    fn levels(&mut self, feature: usize, column: &[GradientSum], by_name: &[u8]) {
        let gaps = column[0].units() > 0;
        if gaps {
            self.offer(feature, &column[0], || (Shape::Gap, CodeSet::default(), Some(true)));
        }
        // Curvature of ten rows of this node.
        let (_, curvature) = self.total.parts();
        let drawn = LEVEL_ROWS * curvature / (self.total.units() as f64).max(1.0) + self.rules.l2;
        let present: Vec<u8> = by_name.iter().copied().filter(|code| column[usize::from(*code)].units() > 0).collect();
        let place = |at: usize| column[usize::from(present[at])].step(drawn);
        let order: Vec<u8> = oriented(present.len(), |a, b| place(a).total_cmp(&place(b))).into_iter().map(|at| present[at]).collect();
        let mut left = GradientSum::default();
        for end in 1..order.len() {
            left.add(&column[usize::from(order[end - 1])]);
            let set = || order[..end].iter().fold(CodeSet::default(), |set, code| set.with(*code));
            self.offer(feature, &left, || (Shape::Levels, set(), gaps.then_some(false)));
            if gaps {
                let mut with_gaps = left;
                with_gaps.add(&column[0]);
                self.offer(feature, &with_gaps, || (Shape::Levels, set(), Some(true)));
            }
        }
    }

    #[inline]
    fn offer(&mut self, feature: usize, left: &GradientSum, make: impl FnOnce() -> (Shape, CodeSet, Option<bool>)) {
        let mut right = *self.total;
        right.take(left);
        if left.units() < self.rules.least_leaf || right.units() < self.rules.least_leaf {
            return;
        }
        let children = left.worth(self.rules.l2) + right.worth(self.rules.l2);
        let gain = children - self.whole;
        let best = self.best.as_ref().map_or(0.0, |best| best.gain);
        if gain > best + SAME * children {
            let (shape, values_left, gaps_left) = make();
            self.best = Some(Candidate { feature, shape, values_left, gaps_left, gain, left: *left });
        }
    }

    fn finish<'b>(self, column: impl FnOnce(usize) -> &'b [GradientSum]) -> Option<(Split, GradientSum)> {
        let Candidate { feature, shape, values_left, gaps_left, gain, left: sum } = self.best?;
        let mut left = values_left;
        // Without gaps they go with the heavier side.
        if gaps_left.unwrap_or(2 * sum.units() >= self.total.units()) {
            left.insert(0);
            if shape == Shape::Levels {
                let counts = column(feature);
                let absent = |code: &u8| counts.get(usize::from(*code)).is_none_or(|sum| sum.units() == 0);
                (1..=u8::MAX).filter(absent).for_each(|code| left.insert(code));
            }
        }
        Some((Split { feature, shape, left, gaps: gaps_left.is_some(), gain, left_counts: Vec::new(), rival: None }, sum))
    }
}
