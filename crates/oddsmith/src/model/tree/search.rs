//! The best split of a node from the class counts of every column's codes.
//!
//! Number columns are cut between neighbouring codes with rows, categories as `level_order.rs` says; every cut is tried with the gaps on
//! either side, and gaps against values is a split of its own. A candidate wins only when its gain exceeds the best by 1e-12 of the node's
//! impurity, so rounding decides nothing: among equals stands the first column by name, then the lowest threshold.

use super::bins::{Bins, ColumnCodes};
use super::code_set::CodeSet;
use super::impurity::Impurity;
use super::level_order;
use super::tally::Count;

/// Share of a node's impurity below which two gains are the same, and a gain is none.
const SAME: f64 = 1e-12;

/// What a split looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// A number below a threshold: codes up to the first, from the second on.
    Below(u8, u8),
    /// Some levels.
    Levels,
    /// Whether there is a value.
    Gap,
}

/// A split of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Split {
    pub(super) feature: usize,
    pub(super) shape: Shape,
    /// Codes that go left. Codes without rows at the node go where gaps go.
    pub(super) left: CodeSet,
    /// Whether rows of the node have a gap here.
    pub(super) gaps: bool,
    /// Impurity of the node less that of its children, times the weight.
    pub(super) gain: f64,
    /// Weights of the classes on the left, in units, until the left child has them.
    pub(super) left_counts: Vec<u64>,
    /// Another column whose split gains as much.
    pub(super) rival: Option<usize>,
}

/// A candidate on its way.
struct Candidate {
    feature: usize,
    shape: Shape,
    /// Levels on the left.
    levels: CodeSet,
    gaps_left: Option<bool>,
    gain: f64,
}

/// The search at one node.
pub(super) struct Search<'a> {
    impurity: &'a Impurity,
    total: &'a [u64],
    weight: u64,
    whole: f64,
    least_leaf: u64,
    best: Option<Candidate>,
    /// Weights of the classes on the left of the best.
    left_counts: Vec<u64>,
    rival: Option<usize>,
}

/// Weights of classes that are added and taken; an array where their number is known to the compiler.
trait Counts: AsRef<[u64]> + AsMut<[u64]> + Clone {}

impl<T: AsRef<[u64]> + AsMut<[u64]> + Clone> Counts for T {}

impl<'a> Search<'a> {
    /// Nothing found yet at a node with these class weights; a child needs `least_leaf` units.
    pub(super) fn new(impurity: &'a Impurity, total: &'a [u64], least_leaf: u64) -> Self {
        let (weight, whole) = (total.iter().sum(), impurity.of(total));
        Search { impurity, total, weight, whole, least_leaf: least_leaf.max(1), best: None, left_counts: Vec::new(), rival: None }
    }

    /// Looks at a column: its counts by code and class, and the codes that have rows.
    pub(super) fn column<C: Count>(&mut self, bins: &Bins, feature: usize, counts: &[C], occupied: CodeSet) {
        match (bins.column(feature), self.total.len()) {
            (ColumnCodes::Number { .. }, 2) => match self.impurity.m_ln_m_up_to(self.weight) {
                Some(table) if !occupied.has(0) => self.numbers_of_two(feature, counts, occupied, table),
                _ => self.numbers(feature, counts, occupied, [0; 2]),
            },
            (ColumnCodes::Number { .. }, 3) => self.numbers(feature, counts, occupied, [0; 3]),
            (ColumnCodes::Number { .. }, classes) => self.numbers(feature, counts, occupied, vec![0; classes]),
            (ColumnCodes::Levels { by_name, .. }, _) => self.levels(feature, counts, occupied, by_name),
        }
    }

    fn numbers<C: Count, T: Counts>(&mut self, feature: usize, counts: &[C], occupied: CodeSet, none: T) {
        let classes = self.total.len();
        let of = |code: u8| &counts[usize::from(code) * classes..][..classes];
        let (mut below, mut last, gaps) = (none.clone(), 0, occupied.has(0));
        let mut with_gaps = none.clone();
        // Between two values whose rows have one and the same class no cut is best: impurity is concave along them.
        let skips = !gaps && self.least_leaf == 1;
        let mut last_class = None;
        if gaps {
            add(&mut with_gaps, of(0));
            self.offer(feature, &with_gaps, &none, || (Shape::Gap, CodeSet::default(), Some(true)));
        }
        for code in occupied.codes().filter(|code| *code > 0) {
            let class = if skips { only_class(of(code)) } else { None };
            if last > 0 && (class.is_none() || class != last_class) {
                self.offer(feature, &below, &none, || (Shape::Below(last, code), CodeSet::default(), gaps.then_some(false)));
                if gaps {
                    self.offer(feature, &with_gaps, &none, || (Shape::Below(last, code), CodeSet::default(), Some(true)));
                }
            }
            add(&mut below, of(code));
            if gaps {
                add(&mut with_gaps, of(code));
            }
            (last, last_class) = (code, class);
        }
    }

    /// [`Search::numbers`] for two classes without gaps, where m ln m is tabulated: gains of most cuts are compared and forgotten.
    fn numbers_of_two<C: Count>(&mut self, feature: usize, counts: &[C], occupied: CodeSet, table: &[f64]) {
        let [first, second] = *self.total else { return };
        let ([first, second], mut below, mut last, mut last_class) = ([first as usize, second as usize], [0; 2], 0, 2);
        let (whole, skips) = (self.whole, self.least_leaf == 1);
        let impurity = |a: usize, b: usize| table[a + b] - (table[a] + table[b]);
        let mut least = self.least_worth();
        for code in occupied.codes() {
            let Some([a, b]) = counts[2 * usize::from(code)..].first_chunk::<2>() else { return };
            let (a, b): (u64, u64) = ((*a).into(), (*b).into());
            let class = if b == 0 { 0 } else { 1 + usize::from(a > 0) };
            if last > 0 && !(skips && class < 2 && class == last_class) {
                let gain = whole - (impurity(below[0], below[1]) + impurity(first - below[0], second - below[1]));
                if gain >= least {
                    let left = below.map(|sum| sum as u64);
                    self.offer(feature, &left, &[0; 2], || (Shape::Below(last, code), CodeSet::default(), None));
                    least = self.least_worth();
                }
            }
            below = [below[0] + a as usize, below[1] + b as usize];
            (last, last_class) = (code, class);
        }
    }

    /// The gain from which on a candidate is looked at: that of the best, or of its rivals.
    #[inline]
    fn least_worth(&self) -> f64 {
        self.best.as_ref().map_or(0.0, |best| best.gain) - SAME * self.whole
    }

    fn levels<C: Count>(&mut self, feature: usize, counts: &[C], occupied: CodeSet, by_name: &[u8]) {
        let classes = self.total.len();
        let of = |code: u8| counts[usize::from(code) * classes..][..classes].iter().map(|count| (*count).into()).collect::<Vec<u64>>();
        let (none, gaps) = (vec![0; classes], occupied.has(0));
        let missing = if gaps { of(0) } else { none.clone() };
        if gaps {
            self.offer(feature, &missing, &none, || (Shape::Gap, CodeSet::default(), Some(true)));
        }
        let present: Vec<(u8, Vec<u64>)> = by_name.iter().filter(|code| occupied.has(**code)).map(|code| (*code, of(*code))).collect();
        level_order::each_group(&present, self.total, |group, left| {
            let set = || group.iter().fold(CodeSet::default(), |set, at| set.with(present[*at].0));
            self.offer(feature, left, &none, || (Shape::Levels, set(), gaps.then_some(false)));
            if gaps {
                let mut left = left.clone();
                left.iter_mut().zip(&missing).for_each(|(sum, count)| *sum += count);
                self.offer(feature, &left, &none, || (Shape::Levels, set(), Some(true)));
            }
        });
    }

    /// Takes a candidate when it gains more than the best so far. `none` is a buffer of as many zeros as classes.
    #[inline]
    fn offer<T: Counts>(&mut self, feature: usize, left: &T, none: &T, make: impl FnOnce() -> (Shape, CodeSet, Option<bool>)) {
        let sum: u64 = left.as_ref().iter().sum();
        if sum < self.least_leaf || self.weight - sum < self.least_leaf {
            return;
        }
        let mut right = none.clone();
        for ((right, total), left) in right.as_mut().iter_mut().zip(self.total).zip(left.as_ref()) {
            *right = total - left;
        }
        let gain = self.whole - (self.impurity.of(left.as_ref()) + self.impurity.of(right.as_ref()));
        let same = SAME * self.whole;
        let best = self.best.as_ref().map_or((0.0, feature), |best| (best.gain, best.feature));
        if gain > best.0 + same {
            let (shape, levels, gaps_left) = make();
            self.best = Some(Candidate { feature, shape, levels, gaps_left, gain });
            self.left_counts.clear();
            self.left_counts.extend_from_slice(left.as_ref());
            self.rival = None;
        } else if gain >= best.0 - same && best.1 != feature && self.rival.is_none() {
            self.rival = Some(feature);
        }
    }

    /// The best split, where there is one. `codes` gives the codes of a column that the node has.
    pub(super) fn finish(self, codes: impl FnOnce(usize) -> CodeSet) -> Option<Split> {
        let (Candidate { feature, shape, levels, gaps_left, gain }, left_counts) = (self.best?, self.left_counts);
        let left_weight: u64 = left_counts.iter().sum();
        let gap_goes_left = gaps_left.unwrap_or(left_weight >= self.weight - left_weight);
        let mut left = if let Shape::Below(last, _) = shape { CodeSet::up_to(last) } else { levels };
        if gap_goes_left {
            left.insert(0);
            if shape == Shape::Levels {
                let occupied = codes(feature);
                (1..=u8::MAX).filter(|code| !occupied.has(*code)).for_each(|code| left.insert(code));
            }
        }
        Some(Split { feature, shape, left, gaps: gaps_left.is_some(), gain, left_counts, rival: self.rival })
    }
}

#[inline]
fn add<C: Count, T: Counts>(sums: &mut T, counts: &[C]) {
    for (sum, count) in sums.as_mut().iter_mut().zip(counts) {
        *sum += (*count).into();
    }
}

/// The class of all rows of a code, where there is one.
#[inline]
fn only_class<C: Count>(counts: &[C]) -> Option<usize> {
    let mut present = counts.iter().enumerate().filter(|(_, count)| **count != C::default());
    match (present.next(), present.next()) {
        (Some((class, _)), None) => Some(class),
        _ => None,
    }
}

/// The codes of a column that have rows, from its counts.
pub(super) fn occupied<C: Count>(counts: &[C], classes: usize) -> CodeSet {
    let mut set = CodeSet::default();
    for (code, counts) in counts.chunks_exact(classes).enumerate() {
        if counts.iter().any(|count| *count != C::default()) {
            set.insert(code as u8);
        }
    }
    set
}
