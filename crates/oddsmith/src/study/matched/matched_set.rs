//! The exact conditional likelihood of one matched set: given that m of k members are cases, how probable is it that it is these?
//!
//! ```text
//! P = e^{Σ_cases η} / Σ_S e^{Σ_S η},   S over all subsets of m members,   η_i = x_i·β + offset_i
//! log likelihood = Σ_cases η − l_m,   gradient = Σ_cases x − M_m,   information = C_m
//! ```
//!
//! The log l_m of the sum over subsets, the mean M_m and the covariance C_m of Σ_S x come from a recursion, in which the smaller of cases and controls is picked.
//! One case is a softmax.

use super::recursion::Recursion;
use super::set_sums::SetSums;
use super::softmax_sets::SoftmaxSets;
use crate::num::kernel::fast_dot;

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
    pub(super) cluster: Option<u64>,
}

/// Buffers of the recursion, and sets of one case, which are summed up many at a time.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    recursion: Recursion,
    waiting: SoftmaxSets,
    score: Vec<f64>,
}

impl Workspace {
    /// Adds what waits to the sums.
    pub(super) fn settle(&mut self, sums: &mut SetSums) {
        self.waiting.settle(sums);
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
        Members { cells: &self.cells, offsets: &self.offsets, cases: &self.cases, weight: self.weight, cluster: self.cluster }
    }

    /// Adds the log likelihood of the set at `beta`, and its derivatives, to sums.
    pub fn add_to(&self, sums: &mut SetSums, beta: &[f64], work: &mut Workspace) {
        self.members().add_to(sums, beta, work);
        work.settle(sums);
    }
}

impl Members<'_> {
    /// Adds the log likelihood of the set at `beta`, and its derivatives, to sums. Sets of one case wait until [`Workspace::settle`].
    pub(super) fn add_to(&self, sums: &mut SetSums, beta: &[f64], work: &mut Workspace) {
        let members = self.cases.len();
        let cases = self.cases.iter().filter(|case| **case).count();
        if cases == 0 || cases == members {
            return;
        }
        // Picking the controls is picking the cases with all signs turned.
        let (picked, sign) = if cases <= members - cases { (cases, 1.0) } else { (members - cases, -1.0) };
        if picked == 1 && sums.cumulants.is_empty() {
            work.waiting.take(self, beta, sign);
            if work.waiting.is_full() {
                work.settle(sums);
            }
            return;
        }
        let Workspace { recursion, score, .. } = work;
        self.prepare(beta, sign, recursion);
        recursion.walk(members, picked, beta.len(), !sums.cumulants.is_empty());
        self.add_recursion(sums, recursion, picked, sign, score);
    }

    /// Adds what the recursion ended in.
    fn add_recursion(&self, sums: &mut SetSums, of: &Recursion, picked: usize, sign: f64, score: &mut Vec<f64>) {
        let columns = sums.gradient.len();
        let (packed, thirds) = (sums.information.len(), sums.cumulants.len());
        let mut value = -of.logs[picked];
        score.clear();
        score.extend(of.means[picked * columns..(picked + 1) * columns].iter().map(|mean| -mean));
        for (i, case) in self.cases.iter().enumerate() {
            if *case == (sign > 0.0) {
                value += of.eta[i];
                let own = &of.cells[i * columns..(i + 1) * columns];
                score.iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
            }
        }
        sums.value += self.weight * value;
        sums.add_score(score, self.weight, self.cluster);
        let own = &of.covariances[picked * packed..(picked + 1) * packed];
        sums.information.iter_mut().zip(own).for_each(|(sum, value)| *sum += self.weight * value);
        let own = of.thirds.get(picked * thirds..(picked + 1) * thirds).unwrap_or_default();
        sums.cumulants.iter_mut().zip(own).for_each(|(sum, value)| *sum += self.weight * value);
        let mut at = 0;
        for i in 0..columns {
            for j in 0..=i {
                sums.scores[at] += self.weight * score[i] * score[j];
                at += 1;
            }
        }
    }

    /// Scores and columns of the members relative to the first one, which every term of the likelihood has in common: dates and other large offsets
    /// keep their digits.
    fn prepare(&self, beta: &[f64], sign: f64, into: &mut Recursion) {
        let columns = beta.len();
        into.cells.clear();
        into.eta.clear();
        let Some(first) = self.cells.get(..columns) else { return };
        for (i, own) in self.cells.chunks_exact(columns.max(1)).enumerate() {
            into.cells.extend(own.iter().zip(first).map(|(x, first)| sign * (x - first)));
            let apart = &into.cells[i * columns..];
            into.eta.push(self.offset(i, sign) + fast_dot(apart, beta));
        }
    }

    /// What is added to the score of a member beyond that of the first.
    #[inline(always)]
    pub(super) fn offset(&self, member: usize, sign: f64) -> f64 {
        self.offsets.get(member).map_or(0.0, |offset| sign * (offset - self.offsets[0]))
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
