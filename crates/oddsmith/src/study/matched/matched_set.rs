//! The exact conditional likelihood of one matched set: given that m of k members are cases, how probable is it that it is these?
//!
//! ```text
//! P = e^{Σ_cases η} / Σ_S e^{Σ_S η},   S over all subsets of m members,   η_i = x_i·β + offset_i
//!
//! walk the members; for r picked so far: l_r = ln Σ e^{…}, M_r and C_r the mean and covariance of Σ_S x under those weights
//! q = 1/(1 + e^{l_r − l_{r−1} − η_i}),  D = M_{r−1} + x_i − M_r,  M_r += q D
//! C_r = (1 − q) C_r + q C_{r−1} + q (1 − q) D D',   l_r = ln(e^{l_r} + e^{l_{r−1} + η_i})
//! log likelihood = Σ_cases η − l_m,   gradient = Σ_cases x − M_m,   information = C_m
//! ```
//!
//! This is the recursion of Howard (1972) and Gail, Lubin and Rubinstein (1981) as a mixture: nothing overflows, and the information is positive
//! semidefinite by construction. Cost O(m (k − m) d²); the smaller of cases and controls is picked. One case is a softmax.

use crate::num::MatrixView;
use crate::num::kernel::{Gram, fast_dot, fast_sum, widest};
use crate::num::logspace::{log_add_exp, sigmoid};

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
        }
    }

    /// The same with third cumulants.
    #[must_use]
    pub fn with_cumulants(mut self) -> Self {
        let columns = self.gradient.len();
        self.cumulants = vec![0.0; columns * (columns + 1) * (columns + 2) / 6];
        self
    }

    /// Adds what others have seen.
    pub fn merge(&mut self, other: &Self) {
        self.value += other.value;
        for (mine, theirs) in [
            (&mut self.gradient, &other.gradient),
            (&mut self.information, &other.information),
            (&mut self.scores, &other.scores),
            (&mut self.cumulants, &other.cumulants),
        ] {
            mine.iter_mut().zip(theirs).for_each(|(sum, value)| *sum += value);
        }
    }
}

/// The members of a set, row after row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatchedSet {
    /// Columns of the members.
    pub cells: Vec<f64>,
    /// What is added to their scores.
    pub offsets: Vec<f64>,
    /// Which of them are cases.
    pub cases: Vec<bool>,
    /// How often the set counts.
    pub weight: f64,
    /// The cluster that it belongs to, where sets do.
    pub cluster: Option<u64>,
}

/// The members of a set where they lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Members<'a> {
    pub(super) cells: &'a [f64],
    /// Empty where nothing is added to the scores.
    pub(super) offsets: &'a [f64],
    pub(super) cases: &'a [bool],
    pub(super) weight: f64,
}

/// Buffers of the recursion.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    eta: Vec<f64>,
    cells: Vec<f64>,
    logs: Vec<f64>,
    means: Vec<f64>,
    covariances: Vec<f64>,
    thirds: Vec<f64>,
    padded: Vec<f64>,
    shares: Vec<f64>,
    apart: Vec<f64>,
    waiting: Waiting,
}

impl Workspace {
    /// The gradient of the last set.
    pub(super) fn score(&self) -> &[f64] {
        &self.apart
    }
}

impl MatchedSet {
    /// Number of members.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there is no member yet.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Forgets the members and keeps the buffers.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.offsets.clear();
        self.cases.clear();
        self.cluster = None;
    }

    /// The members where they lie.
    pub(super) fn members(&self) -> Members<'_> {
        Members { cells: &self.cells, offsets: &self.offsets, cases: &self.cases, weight: self.weight }
    }

    /// Adds the log likelihood of the set at `beta`, and its derivatives, to sums.
    pub fn add_to(&self, sums: &mut SetSums, beta: &[f64], work: &mut Workspace) {
        self.members().add_to(sums, beta, work);
        work.settle(sums);
    }
}

impl Members<'_> {
    /// Adds the log likelihood of the set at `beta`, and its derivatives, to sums. What sets of one case add to the information waits until
    /// [`Workspace::settle`].
    pub(super) fn add_to(&self, sums: &mut SetSums, beta: &[f64], work: &mut Workspace) {
        let (members, columns) = (self.cases.len(), beta.len());
        let cases = self.cases.iter().filter(|case| **case).count();
        if cases == 0 || cases == members {
            return;
        }
        // Picking the controls is picking the cases with all signs turned.
        let (picked, sign) = if cases <= members - cases { (cases, 1.0) } else { (members - cases, -1.0) };
        if picked == 1 && sums.cumulants.is_empty() {
            return widest(
                #[inline(always)]
                || self.add_softmax(sums, beta, sign, work),
            );
        }
        self.prepare(beta, sign, work);
        work.walk(members, picked, columns, !sums.cumulants.is_empty());
        let (packed, end) = (columns * (columns + 1) / 2, picked);
        let mut value = -work.logs[end];
        work.apart.clear();
        work.apart.extend(work.means[end * columns..(end + 1) * columns].iter().map(|mean| -mean));
        for (i, case) in self.cases.iter().enumerate() {
            if *case == (sign > 0.0) {
                value += work.eta[i];
                let own = &work.cells[i * columns..(i + 1) * columns];
                work.apart.iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
            }
        }
        sums.value += self.weight * value;
        sums.gradient.iter_mut().zip(&work.apart).for_each(|(sum, score)| *sum += self.weight * score);
        let own = &work.covariances[end * packed..(end + 1) * packed];
        sums.information.iter_mut().zip(own).for_each(|(sum, value)| *sum += self.weight * value);
        let thirds = sums.cumulants.len();
        let own = work.thirds.get(end * thirds..(end + 1) * thirds).unwrap_or_default();
        sums.cumulants.iter_mut().zip(own).for_each(|(sum, value)| *sum += self.weight * value);
        let mut at = 0;
        for i in 0..columns {
            for j in 0..=i {
                sums.scores[at] += self.weight * work.apart[i] * work.apart[j];
                at += 1;
            }
        }
    }

    /// The same for one member picked: what the recursion ends in, with one exponential for each member. Rows are padded to whole vectors: most have
    /// a few columns, and loops over the rest of a vector cost more than those over vectors.
    #[inline(always)]
    fn add_softmax(&self, sums: &mut SetSums, beta: &[f64], sign: f64, work: &mut Workspace) {
        let (members, columns) = (self.cases.len(), beta.len());
        let stride = columns.next_multiple_of(WIDE);
        let Workspace { padded, eta, shares, waiting, apart, .. } = work;
        padded.clear();
        // The first member, the point, the mean and the score, then the members.
        padded.resize((4 + members) * stride, 0.0);
        let (fixed, rows) = padded.split_at_mut(4 * stride);
        let [first, point, mean, score] = vectors(fixed);
        let (Some(own), true) = (self.cells.get(..columns), columns > 0) else { return };
        first.as_flattened_mut()[..columns].copy_from_slice(own);
        point.as_flattened_mut()[..columns].copy_from_slice(beta);
        eta.clear();
        for (i, (row, own)) in rows.chunks_exact_mut(stride).zip(self.cells.chunks_exact(columns)).enumerate() {
            row[..columns].copy_from_slice(own);
            let mut products = [0.0; WIDE];
            for ((row, first), point) in row.as_chunks_mut::<WIDE>().0.iter_mut().zip(&*first).zip(&*point) {
                // Loops over arrays that nothing else can see become one instruction each.
                let mut own = *row;
                for at in 0..WIDE {
                    own[at] = sign * (own[at] - first[at]);
                }
                for at in 0..WIDE {
                    products[at] += own[at] * point[at];
                }
                *row = own;
            }
            let offset = self.offsets.get(i).map_or(0.0, |offset| sign * (offset - self.offsets[0]));
            eta.push(offset + fast_sum(&products));
        }
        let largest = eta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        shares.clear();
        shares.extend(eta.iter().map(|eta| libm::exp(eta - largest)));
        let total: f64 = shares.iter().sum();
        let log_total = largest + libm::log(total);
        for (i, (row, case)) in rows.chunks_exact(stride).zip(self.cases).enumerate() {
            let (share, picked) = (shares[i] / total, *case == (sign > 0.0));
            waiting.weights.push(self.weight * share);
            for ((mean, score), row) in mean.iter_mut().zip(score.iter_mut()).zip(row.as_chunks::<WIDE>().0) {
                let mut own = *mean;
                for at in 0..WIDE {
                    own[at] += share * row[at];
                }
                *mean = own;
                if picked {
                    *score = *row;
                }
            }
            sums.value += if picked { self.weight * (eta[i] - log_total) } else { 0.0 };
        }
        for (score, mean) in score.iter_mut().zip(&*mean) {
            let mut own = *score;
            for at in 0..WIDE {
                own[at] -= mean[at];
            }
            *score = own;
        }
        for row in rows.chunks_exact_mut(stride) {
            for (row, mean) in row.as_chunks_mut::<WIDE>().0.iter_mut().zip(&*mean) {
                let mut own = *row;
                for at in 0..WIDE {
                    own[at] -= mean[at];
                }
                *row = own;
            }
            waiting.rows.extend_from_slice(&row[..columns]);
        }
        apart.clear();
        apart.extend_from_slice(&score.as_flattened()[..columns]);
        sums.gradient.iter_mut().zip(&*apart).for_each(|(sum, score)| *sum += self.weight * score);
        waiting.scores.extend_from_slice(apart);
        waiting.weights_of_scores.push(self.weight);
        if waiting.weights.len() >= MOST_WAITING {
            work.settle(sums);
        }
    }

    /// Scores and columns of the members relative to the first one, which every term of the likelihood has in common: dates and other large offsets
    /// keep their digits.
    fn prepare(&self, beta: &[f64], sign: f64, work: &mut Workspace) {
        let columns = beta.len();
        work.cells.clear();
        work.eta.clear();
        let Some(first) = self.cells.get(..columns) else { return };
        for (i, own) in self.cells.chunks_exact(columns.max(1)).enumerate() {
            work.cells.extend(own.iter().zip(first).map(|(x, first)| sign * (x - first)));
            let offset = self.offsets.get(i).map_or(0.0, |offset| sign * (offset - self.offsets[0]));
            let apart = &work.cells[i * columns..];
            work.eta.push(offset + fast_dot(apart, beta));
        }
    }

    /// How far cases lie above controls along a direction: the least case minus the largest control, and the largest distance between members.
    pub(super) fn margin(&self, direction: &[f64]) -> (f64, f64) {
        let (mut least_case, mut most_control) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let columns = direction.len();
        for (i, case) in self.cases.iter().enumerate() {
            let own = self.cells[i * columns..(i + 1) * columns].iter().zip(&self.cells[..columns]);
            let place: f64 = own.zip(direction).map(|((x, first), d)| (x - first) * d).sum();
            (least, most) = (least.min(place), most.max(place));
            if *case { least_case = least_case.min(place) } else { most_control = most_control.max(place) }
        }
        (least_case - most_control, most - least)
    }
}

impl Workspace {
    /// Adds what waits to the sums.
    pub(super) fn settle(&mut self, sums: &mut SetSums) {
        let columns = sums.gradient.len();
        let Waiting { rows, weights, scores, weights_of_scores } = &mut self.waiting;
        add_products(rows, weights, columns, &mut sums.information);
        add_products(scores, weights_of_scores, columns, &mut sums.scores);
        rows.clear();
        weights.clear();
        scores.clear();
        weights_of_scores.clear();
    }

    /// The recursion: logs, means and covariances by number of members picked.
    fn walk(&mut self, members: usize, picked: usize, columns: usize, third: bool) {
        let packed = columns * (columns + 1) / 2;
        let thirds = if third { packed * (columns + 2) / 3 } else { 0 };
        self.thirds.clear();
        self.thirds.resize((picked + 1) * thirds, 0.0);
        self.logs.clear();
        self.logs.resize(picked + 1, f64::NEG_INFINITY);
        self.logs[0] = 0.0;
        self.means.clear();
        self.means.resize((picked + 1) * columns, 0.0);
        self.covariances.clear();
        self.covariances.resize((picked + 1) * packed, 0.0);
        self.apart.clear();
        self.apart.resize(columns, 0.0);
        for i in 0..members {
            let x = &self.cells[i * columns..(i + 1) * columns];
            // States from which the end can still be reached, the largest first: each reads the one below as it was before this member.
            let last = picked.min(i + 1);
            let first = 1.max((picked + i + 1).saturating_sub(members));
            for r in (first..=last).rev() {
                let entered = self.logs[r - 1] + self.eta[i];
                let q = sigmoid(entered - self.logs[r]);
                let (below, here) = self.means.split_at_mut(r * columns);
                let (below, here) = (&below[(r - 1) * columns..], &mut here[..columns]);
                for (((apart, lower), mean), x) in self.apart.iter_mut().zip(below).zip(here.iter_mut()).zip(x) {
                    *apart = lower + x - *mean;
                    *mean += q * *apart;
                }
                if third {
                    let [below, here] = pair(&mut self.thirds, r, thirds);
                    let [lower, own] = [r - 1, r].map(|r| &self.covariances[r * packed..(r + 1) * packed]);
                    mix_thirds(here, below, q, &self.apart, |at| lower[at] - own[at]);
                }
                let (below, here) = self.covariances.split_at_mut(r * packed);
                let (below, here) = (&below[(r - 1) * packed..], &mut here[..packed]);
                let (stay, both) = (1.0 - q, q * (1.0 - q));
                let mut at = 0;
                for a in 0..columns {
                    let scaled = both * self.apart[a];
                    for b in 0..=a {
                        here[at] = stay * here[at] + q * below[at] + scaled * self.apart[b];
                        at += 1;
                    }
                }
                self.logs[r] = log_add_exp(self.logs[r], entered);
            }
        }
    }
}

/// Rows whose weighted products are still to be added, many at once: to the information the members about their set's mean, to the sums of squares of the
/// scores those of the sets.
#[derive(Debug, Clone, Default)]
struct Waiting {
    rows: Vec<f64>,
    weights: Vec<f64>,
    scores: Vec<f64>,
    weights_of_scores: Vec<f64>,
}

/// Rows that wait at most.
const MOST_WAITING: usize = 1024;
/// Numbers of a vector to which rows are padded.
const WIDE: usize = 8;

/// Four rows of vectors.
#[inline(always)]
fn vectors(fixed: &mut [f64]) -> [&mut [[f64; WIDE]]; 4] {
    let stride = fixed.len() / 4;
    let (first, rest) = fixed.split_at_mut(stride);
    let (second, rest) = rest.split_at_mut(stride);
    let (third, fourth) = rest.split_at_mut(stride);
    [first, second, third, fourth].map(|row| row.as_chunks_mut().0)
}

/// Adds Σ w x x' over rows to a packed lower triangle.
fn add_products(rows: &[f64], weights: &[f64], columns: usize, into: &mut [f64]) {
    let Some(view) = MatrixView::row_major(rows, weights.len(), columns).ok().filter(|_| !weights.is_empty() && columns > 0) else {
        return;
    };
    let mut square = vec![0.0; columns * columns];
    Gram::pooled(1, columns).add(view, None, Some(weights), &vec![0.0; columns], &mut square);
    let mut at = 0;
    for i in 0..columns {
        for j in 0..=i {
            // The kernel writes the upper triangle.
            into[at] += square[j * columns + i];
            at += 1;
        }
    }
}

/// The states r − 1 and r of a list.
fn pair(states: &mut [f64], r: usize, size: usize) -> [&mut [f64]; 2] {
    let (below, here) = states.split_at_mut(r * size);
    [&mut below[(r - 1) * size..], &mut here[..size]]
}

/// Third central moments of a mixture, before its covariances are mixed: with weights s = 1 − q and q and distance D of the means,
/// T = s T_r + q T_{r−1} + q s ((C_{r−1} − C_r) D, in its three orders) + q s (s − q) D D D.
fn mix_thirds(here: &mut [f64], below: &[f64], q: f64, d: &[f64], wider: impl Fn(usize) -> f64) {
    let stay = 1.0 - q;
    let (both, skew) = (q * stay, q * stay * (stay - q));
    let cell = |a: usize, b: usize| wider(a * (a + 1) / 2 + b);
    let mut at = 0;
    for a in 0..d.len() {
        for b in 0..=a {
            for c in 0..=b {
                let spread = cell(a, b) * d[c] + cell(a, c) * d[b] + cell(b, c) * d[a];
                here[at] = stay * here[at] + q * below[at] + both * spread + skew * d[a] * d[b] * d[c];
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(members: usize, columns: usize, cases: usize, seed: u64) -> (MatchedSet, Vec<f64>) {
        let mut state = seed;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let cells = (0..members * columns).map(|_| 3.0 * draw()).collect();
        let offsets = (0..members).map(|_| draw()).collect();
        let beta = (0..columns).map(|_| 2.0 * draw()).collect();
        (
            MatchedSet {
                cells,
                offsets,
                cases: (0..members).map(|i| i % members.div_ceil(cases) == 0 && i / members.div_ceil(cases) < cases).collect(),
                weight: 1.0,
                cluster: None,
            },
            beta,
        )
    }

    /// Every subset by name.
    fn by_enumeration(set: &MatchedSet, beta: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let (members, columns) = (set.len(), beta.len());
        let cases = set.cases.iter().filter(|case| **case).count();
        let eta: Vec<f64> =
            (0..members).map(|i| set.offsets[i] + (0..columns).map(|j| set.cells[i * columns + j] * beta[j]).sum::<f64>()).collect();
        let sum = |subset: u32, j: usize| (0..members).filter(|i| subset >> i & 1 == 1).map(|i| set.cells[i * columns + j]).sum::<f64>();
        let total = |subset: u32| (0..members).filter(|i| subset >> i & 1 == 1).map(|i| eta[i]).sum::<f64>();
        let subsets: Vec<u32> = (0u32..1 << members).filter(|subset| subset.count_ones() as usize == cases).collect();
        let all: f64 = subsets.iter().map(|subset| total(*subset).exp()).sum();
        let weight = |subset: &u32| total(*subset).exp() / all;
        let mean: Vec<f64> = (0..columns).map(|j| subsets.iter().map(|s| weight(s) * sum(*s, j)).sum()).collect();
        let mut information = Vec::new();
        for a in 0..columns {
            for b in 0..=a {
                information.push(subsets.iter().map(|s| weight(s) * (sum(*s, a) - mean[a]) * (sum(*s, b) - mean[b])).sum());
            }
        }
        let own: u32 = (0..members).filter(|i| set.cases[*i]).map(|i| 1 << i).sum();
        (total(own) - all.ln(), (0..columns).map(|j| sum(own, j) - mean[j]).collect(), information)
    }

    #[test]
    fn the_recursion_is_the_sum_over_all_subsets() {
        for (members, cases) in [(2, 1), (5, 1), (5, 4), (7, 3), (9, 5), (10, 2), (12, 6)] {
            let (set, beta) = set(members, 3, cases, members as u64 * 31 + cases as u64);
            let mut sums = SetSums::new(3);
            set.add_to(&mut sums, &beta, &mut Workspace::default());
            let (value, gradient, information) = by_enumeration(&set, &beta);
            assert!((sums.value - value).abs() < 1e-12 * value.abs().max(1.0), "{members} {cases}");
            for (ours, theirs) in sums.gradient.iter().zip(&gradient).chain(sums.information.iter().zip(&information)) {
                assert!((ours - theirs).abs() < 1e-11, "{members} {cases}: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn what_all_members_share_changes_nothing() {
        let (set, beta) = set(25, 4, 5, 7);
        let moved = MatchedSet {
            cells: set.cells.iter().map(|x| x + 1e6).collect(),
            offsets: set.offsets.iter().map(|o| o - 40.0).collect(),
            ..set.clone()
        };
        let (mut here, mut there) = (SetSums::new(4), SetSums::new(4));
        set.add_to(&mut here, &beta, &mut Workspace::default());
        moved.add_to(&mut there, &beta, &mut Workspace::default());
        assert!((here.value - there.value).abs() < 1e-8);
        assert!(here.information.iter().zip(&there.information).all(|(a, b)| (a - b).abs() < 1e-7));
    }

    #[test]
    fn large_sets_and_scores_neither_overflow_nor_vanish() {
        let (mut set, _) = set(120, 2, 40, 3);
        set.cells.iter_mut().for_each(|x| *x *= 300.0);
        let mut sums = SetSums::new(2);
        set.add_to(&mut sums, &[5.0, -4.0], &mut Workspace::default());
        assert!(sums.value.is_finite() && sums.value < 0.0 && sums.information.iter().all(|value| value.is_finite()));
        // A set of cases alone says nothing.
        set.cases.fill(true);
        let mut none = SetSums::new(2);
        set.add_to(&mut none, &[1.0, 1.0], &mut Workspace::default());
        assert_eq!(none, SetSums::new(2));
    }
}
