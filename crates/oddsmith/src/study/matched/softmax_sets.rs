//! Matched sets of which one member is picked: what the recursion ends in is a softmax, and many sets are summed up at a time.
//!
//! ```text
//! p_i = e^{η_i} / Σ e^{η},   mean m = Σ p_i x_i,   log likelihood ln p_case,   gradient x_case − m,   information Σ p_i (x_i − m)(x_i − m)'
//! ```
//!
//! Exponentials, and the products of which the information is made, are cheap for a thousand rows and dear for five. Rows are padded to whole vectors: most
//! have a few columns, and loops over the rest of a vector cost more than those over vectors. Cost O(k d²).

use super::matched_set::Members;
use super::set_sums::SetSums;
use crate::num::MatrixView;
use crate::num::kernel::{Gram, exp_all, widest};

/// Numbers of a vector to which rows are padded.
const WIDE: usize = 4;
/// Members that wait at most, but for the last set.
const MOST: usize = 1024;

type Vector = [f64; WIDE];

/// Sets that wait.
#[derive(Debug, Clone, Default)]
pub(super) struct SoftmaxSets {
    sets: Vec<Waiting>,
    /// Scores of the members; in the end their shares.
    eta: Vec<f64>,
    /// Members relative to the first of their set, every row padded with zeros, and room for more.
    rows: Vec<Vector>,
    /// Gradients of the sets, padded as well.
    scores: Vec<Vector>,
    point: Vec<Vector>,
    gram: Option<Gram>,
    columns: usize,
}

/// A set that waits.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    members: usize,
    /// Which of them was picked.
    picked: usize,
    weight: f64,
    cluster: Option<u64>,
}

impl SoftmaxSets {
    /// Whether enough sets wait.
    pub(super) fn is_full(&self) -> bool {
        self.eta.len() >= MOST
    }

    /// Takes up a set of which one member is picked: a case, or a control with all signs turned.
    pub(super) fn take(&mut self, set: &Members<'_>, beta: &[f64], sign: f64) {
        let picked = set.cases.iter().position(|case| *case == (sign > 0.0)).unwrap_or(0);
        let (members, before, vectors) = (set.cases.len(), self.eta.len(), beta.len().div_ceil(WIDE));
        if self.columns != beta.len() {
            // What pads rows of another length would not be zero.
            *self = SoftmaxSets { columns: beta.len(), point: vec![[0.0; WIDE]; vectors], ..SoftmaxSets::default() };
        }
        self.point.as_flattened_mut()[..beta.len()].copy_from_slice(beta);
        if self.rows.len() < (before + members) * vectors {
            self.rows.resize((before + members).max(MOST) * vectors, [0.0; WIDE]);
        }
        self.sets.push(Waiting { members, picked, weight: set.weight, cluster: set.cluster });
        widest(
            #[inline(always)]
            || self.take_rows(set, sign, before),
        );
    }

    /// Rows relative to the first, and their scores.
    #[inline(always)]
    fn take_rows(&mut self, set: &Members<'_>, sign: f64, before: usize) {
        let SoftmaxSets { rows, point, eta, columns, .. } = self;
        let columns = *columns;
        let Some(first) = set.cells.get(..columns).filter(|first| !first.is_empty()) else {
            return eta.resize(before + set.cases.len(), 0.0);
        };
        let (first, first_rest) = first.as_chunks::<WIDE>();
        let places = rows[before * point.len()..].chunks_exact_mut(point.len());
        for (member, (row, own)) in places.zip(set.cells.chunks_exact(columns)).enumerate() {
            let (whole, rest) = own.as_chunks::<WIDE>();
            let mut products = [0.0; WIDE];
            for (((row, own), first), point) in row.iter_mut().zip(whole).zip(first).zip(&*point) {
                // Loops over arrays that nothing else can see become one instruction each.
                let mut apart = [0.0; WIDE];
                for at in 0..WIDE {
                    apart[at] = sign * (own[at] - first[at]);
                }
                for at in 0..WIDE {
                    products[at] += apart[at] * point[at];
                }
                *row = apart;
            }
            if let (Some(row), Some(point)) = (row.get_mut(whole.len()), point.get(whole.len())) {
                for (at, (own, first)) in rest.iter().zip(first_rest).enumerate() {
                    row[at] = sign * (own - first);
                    products[at] += row[at] * point[at];
                }
            }
            let [a, b, c, d] = products;
            eta.push(set.offset(member, sign) + ((a + b) + (c + d)));
        }
    }

    /// Adds all sets to the sums; none waits any more.
    pub(super) fn settle(&mut self, sums: &mut SetSums) {
        if self.sets.is_empty() {
            return;
        }
        let mut rest = &mut self.eta[..];
        for set in &self.sets {
            let (own, after) = rest.split_at_mut(set.members);
            // Relative to the largest, so that nothing overflows.
            let largest = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            own.iter_mut().for_each(|eta| *eta -= largest);
            sums.value += set.weight * own[set.picked];
            rest = after;
        }
        exp_all(&mut self.eta);
        self.scores.resize(self.sets.len() * self.point.len(), [0.0; WIDE]);
        widest(
            #[inline(always)]
            || self.centre(sums),
        );
        let columns = sums.gradient.len();
        for (set, score) in self.sets.iter().zip(self.scores.chunks_exact(self.point.len().max(1))) {
            sums.add_score(&score.as_flattened()[..columns], set.weight, set.cluster);
        }
        let gram = self.gram.get_or_insert_with(|| Gram::pooled(1, columns));
        add_products(gram, self.rows.as_flattened(), &self.eta, columns, &mut sums.information);
        let weights: Vec<f64> = self.sets.iter().map(|set| set.weight).collect();
        add_products(gram, self.scores.as_flattened(), &weights, columns, &mut sums.scores);
        self.sets.clear();
        self.eta.clear();
    }

    /// Turns exponentials into weighted shares and moves rows to the mean of their set, from which the picked one is the gradient.
    #[inline(always)]
    fn centre(&mut self, sums: &mut SetSums) {
        let vectors = self.point.len();
        let (mut shares, mut rows) = (&mut self.eta[..], &mut self.rows[..]);
        let mut totals = LogTotals { weight: 0.0, product: 1.0 };
        for (at, set) in self.sets.iter().enumerate() {
            let (own, after) = shares.split_at_mut(set.members);
            let (members, rows_after) = rows.split_at_mut(set.members * vectors);
            let total: f64 = own.iter().sum();
            sums.value -= totals.add(total, set.weight);
            own.iter_mut().for_each(|share| *share /= total);
            for vector in 0..vectors {
                let mut mean = [0.0; WIDE];
                for (row, share) in members.iter().skip(vector).step_by(vectors).zip(&*own) {
                    for at in 0..WIDE {
                        mean[at] += share * row[at];
                    }
                }
                for row in members.iter_mut().skip(vector).step_by(vectors) {
                    let mut apart = *row;
                    for at in 0..WIDE {
                        apart[at] -= mean[at];
                    }
                    *row = apart;
                }
                self.scores[at * vectors + vector] = members[set.picked * vectors + vector];
            }
            own.iter_mut().for_each(|share| *share *= set.weight);
            (shares, rows) = (after, rows_after);
        }
        sums.value -= totals.logarithm();
    }
}

/// Σ w ln(total) over sets, whose totals lie between 1 and their numbers of members: one logarithm for the product of hundreds of them.
struct LogTotals {
    weight: f64,
    product: f64,
}

impl LogTotals {
    /// A product up to which another total may come without overflow.
    const LARGE: f64 = 1e280;

    /// Takes a total up; gives the sum over earlier ones where they have another weight or their product is large, else zero.
    #[inline(always)]
    fn add(&mut self, total: f64, weight: f64) -> f64 {
        if weight == self.weight && self.product < Self::LARGE {
            self.product *= total;
            return 0.0;
        }
        let earlier = self.logarithm();
        *self = LogTotals { weight, product: total };
        earlier
    }

    fn logarithm(&self) -> f64 {
        self.weight * libm::log(self.product)
    }
}

/// Adds Σ w x x' over padded rows to a packed lower triangle.
fn add_products(gram: &mut Gram, rows: &[f64], weights: &[f64], columns: usize, into: &mut [f64]) {
    let stride = columns.next_multiple_of(WIDE) as isize;
    let Ok(view) = MatrixView::new(rows, 0, (weights.len(), columns), (stride, 1)) else { return };
    let mut square = vec![0.0; columns * columns];
    gram.add(view, None, Some(weights), &vec![0.0; columns], &mut square);
    let mut at = 0;
    for i in 0..columns {
        for j in 0..=i {
            // The kernel writes the upper triangle.
            into[at] += square[j * columns + i];
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::matched_set::{MatchedSet, Workspace};
    use super::*;

    /// Sets of several sizes and weights, one case or one control each, in three clusters.
    fn sets(columns: usize) -> Vec<MatchedSet> {
        let mut state = 11u64;
        let mut draw = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut set = |at: usize| {
            let (members, rare) = (2 + at % 7, at.is_multiple_of(3));
            MatchedSet {
                cells: (0..members * columns).map(|_| 40.0 + 3.0 * draw()).collect(),
                offsets: (0..members).map(|_| draw()).collect(),
                cases: (0..members).map(|i| (i == at % members) == rare).collect(),
                weight: [1.0, 1.0, 2.5][at / 5 % 3],
                cluster: Some(at as u64 % 3),
            }
        };
        (0..2000).map(&mut set).collect()
    }

    #[test]
    fn many_sets_together_are_what_the_recursion_gives_one_by_one() {
        let mut work = Workspace::default();
        for columns in [1, 3, 4, 10, 13] {
            let beta: Vec<f64> = (0..columns).map(|j| 0.4 - 0.3 * j as f64 / columns as f64).collect();
            let mut together = SetSums::new(columns).with_clusters(3);
            let mut by_recursion = together.clone().with_cumulants();
            for set in sets(columns) {
                set.members().add_to(&mut together, &beta, &mut work);
                set.add_to(&mut by_recursion, &beta, &mut Workspace::default());
            }
            work.settle(&mut together);
            let lists = |sums: &SetSums| {
                [vec![sums.value], sums.gradient.clone(), sums.information.clone(), sums.scores.clone(), sums.clusters.clone()]
            };
            for (ours, theirs) in lists(&together).iter().flatten().zip(lists(&by_recursion).iter().flatten()) {
                assert!((ours - theirs).abs() < 1e-12 * (2000.0 + theirs.abs()), "{columns}: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn the_logarithm_of_a_product_is_the_sum_of_logarithms() {
        let (mut totals, mut sum, mut want) = (LogTotals { weight: 0.0, product: 1.0 }, 0.0, 0.0);
        for at in 0..5000 {
            let (total, weight) = (1.0 + f64::from(at % 97), if at < 3000 { 1.0 } else { 0.25 });
            sum += totals.add(total, weight);
            want += weight * total.ln();
        }
        assert!((sum + totals.logarithm() - want).abs() < 1e-9, "{sum} {want}");
    }
}
