//! Scores of events and of others in rising order: what every figure that looks at order is computed from.
//!
//! Each side is sorted on its own; walking both together gives the groups of equal scores, or ties. Sorting O(n log n)
//! at worst, 8 bytes per row (16 with weights), walking O(n).

use super::sorting::{key, sort, unkey};
use crate::data::SKIP;
use crate::num::logspace::{logit, sigmoid};

/// What a score is, and so how it becomes a probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreScale {
    /// Log odds of the event.
    LogOdds,
    /// The probability of the event.
    Probability,
    /// Only the order means something.
    Order,
}

impl ScoreScale {
    /// The probability of a score; the score itself where only its order means something.
    pub fn probability(self, score: f64) -> f64 {
        if self == ScoreScale::LogOdds { sigmoid(score) } else { score }
    }

    /// The log odds of a score; the score itself where only its order means something.
    pub fn log_odds(self, score: f64) -> f64 {
        if self == ScoreScale::Probability { logit(score) } else { score }
    }

    /// The score of a probability.
    pub fn score(self, probability: f64) -> f64 {
        if self == ScoreScale::LogOdds { logit(probability) } else { probability }
    }
}

/// All rows with the same score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tie {
    /// The score.
    pub score: f64,
    /// Weight of the rows with the event.
    pub events: f64,
    /// Weight of the other rows.
    pub others: f64,
    /// Sum of squared weights of the rows with the event.
    pub events_squared: f64,
    /// Sum of squared weights of the other rows.
    pub others_squared: f64,
}

impl Tie {
    /// Weight of all its rows.
    pub fn weight(&self) -> f64 {
        self.events + self.others
    }

    /// Sum of squared weights of all its rows.
    pub fn squared_weight(&self) -> f64 {
        self.events_squared + self.others_squared
    }
}

/// One class in rising order of scores.
#[derive(Debug, Clone, Default)]
pub(super) struct Side {
    scores: Vec<f64>,
    /// Weights; all 1 when it is empty.
    weights: Vec<f64>,
    /// Squared weights, where an entry stands for several rows; else those of the weights.
    squares: Vec<f64>,
    rows: u64,
}

impl Side {
    fn sorted(scores: Vec<f64>, weights: Vec<f64>) -> Self {
        let rows = scores.len() as u64;
        if weights.iter().all(|weight| *weight == 1.0) {
            let mut keys: Vec<u64> = scores.into_iter().map(key).collect();
            sort(&mut keys);
            return Side { scores: keys.into_iter().map(unkey).collect(), weights: Vec::new(), squares: Vec::new(), rows };
        }
        let mut pairs: Vec<(u64, u64)> = scores.into_iter().map(key).zip(weights.into_iter().map(f64::to_bits)).collect();
        sort(&mut pairs);
        let (scores, weights) = pairs.into_iter().map(|(key, bits)| (unkey(key), f64::from_bits(bits))).unzip();
        Side { scores, weights, squares: Vec::new(), rows }
    }

    /// Adds an entry that stands for several rows; entries come in rising order.
    pub(super) fn push(&mut self, score: f64, weight: f64, squared: f64, rows: u64) {
        self.scores.push(score);
        self.weights.push(weight);
        self.squares.push(squared);
        self.rows += rows;
    }

    fn total(&self) -> f64 {
        if self.weights.is_empty() { self.scores.len() as f64 } else { self.weights.iter().sum() }
    }

    fn squared_total(&self) -> f64 {
        match (self.weights.is_empty(), self.squares.is_empty()) {
            (true, _) => self.scores.len() as f64,
            (false, true) => self.weights.iter().map(|w| w * w).sum(),
            (false, false) => self.squares.iter().sum(),
        }
    }

    /// Weight and squared weight of the entries from `from` on that have this score, and where they end.
    fn run(&self, from: usize, score: f64) -> (f64, f64, usize) {
        let mut end = from;
        while self.scores.get(end) == Some(&score) {
            end += 1;
        }
        if self.weights.is_empty() {
            let count = (end - from) as f64;
            return (count, count, end);
        }
        let weights = &self.weights[from..end];
        let squared = match self.squares.is_empty() {
            true => weights.iter().map(|w| w * w).sum(),
            false => self.squares[from..end].iter().sum(),
        };
        (weights.iter().sum(), squared, end)
    }
}

/// Scores of both classes in rising order.
#[derive(Debug, Clone)]
pub struct Ranking {
    pub(super) events: Side,
    pub(super) others: Side,
    scale: ScoreScale,
    /// Weight of the rows with the event.
    pub events_weight: f64,
    /// Weight of the other rows.
    pub others_weight: f64,
    /// Whether entries are bins of a histogram, so that scores within one were not told apart.
    pub binned: bool,
}

impl Ranking {
    /// Sorts rows. A row counts when `event` says whether it has the event; its weight is 1 without weights, and rows of
    /// weight zero do not count. Scores are not NaN.
    pub fn new(rows: impl IntoIterator<Item = (f64, bool, f64)>, scale: ScoreScale) -> Self {
        let rows = rows.into_iter();
        let room = rows.size_hint().0 / 2;
        let mut sides = [(Vec::with_capacity(room), Vec::new()), (Vec::with_capacity(room), Vec::new())];
        for (score, event, weight) in rows.filter(|(_, _, weight)| *weight > 0.0) {
            let (scores, weights): &mut (Vec<f64>, Vec<f64>) = &mut sides[usize::from(event)];
            // Weights are written down from the first one that is not 1.
            if weight != 1.0 && weights.len() < scores.len() {
                weights.resize(scores.len(), 1.0);
            }
            if weight != 1.0 || !weights.is_empty() {
                weights.push(weight);
            }
            scores.push(score);
        }
        let [others, events] = sides.map(|(scores, weights)| Side::sorted(scores, weights));
        Ranking::of_sides(events, others, scale, false)
    }

    /// Class `event` against all others.
    pub fn of_labels(scores: &[f64], labels: &[u32], weights: Option<&[f64]>, event: u32, scale: ScoreScale) -> Self {
        if let Some(weights) = weights.filter(|weights| weights.iter().any(|weight| *weight != 1.0)) {
            let rows = (0..scores.len()).filter(|&i| labels[i] != SKIP);
            return Ranking::new(rows.map(|i| (scores[i], labels[i] == event, weights[i])), scale);
        }
        // Others are written from the front and events from the back, without a branch on a label that nothing predicts.
        let mut both = vec![0.0; labels.iter().filter(|label| **label != SKIP).count()];
        let (mut front, mut back) = (0, both.len());
        for (&score, &label) in scores.iter().zip(labels).filter(|(_, label)| **label != SKIP) {
            both[front] = score;
            both[back - 1] = score;
            front += usize::from(label != event);
            back -= usize::from(label == event);
        }
        let events = both.split_off(front);
        let [others, events] = [both, events].map(|scores| Side::sorted(scores, Vec::new()));
        Ranking::of_sides(events, others, scale, false)
    }

    /// Sorted scores of the events and of the others, when every row has a weight of 1.
    pub(super) fn unweighted(&self) -> Option<(&[f64], &[f64])> {
        let plain = |side: &Side| side.weights.is_empty();
        (plain(&self.events) && plain(&self.others)).then_some((&self.events.scores, &self.others.scores))
    }

    /// Entries as score, weight of events, weight of others: the events in rising order, then the others. Equal scores stay apart.
    pub(super) fn entries(&self) -> impl Iterator<Item = (f64, f64, f64)> + Clone + '_ {
        let of = |side: &'_ Side, i: usize| side.weights.get(i).copied().unwrap_or(1.0);
        let events = self.events.scores.iter().enumerate().map(move |(i, score)| (*score, of(&self.events, i), 0.0));
        events.chain(self.others.scores.iter().enumerate().map(move |(i, score)| (*score, 0.0, of(&self.others, i))))
    }

    pub(super) fn of_sides(events: Side, others: Side, scale: ScoreScale, binned: bool) -> Self {
        let (events_weight, others_weight) = (events.total(), others.total());
        Ranking { events, others, scale, events_weight, others_weight, binned }
    }

    /// What the scores are.
    pub fn scale(&self) -> ScoreScale {
        self.scale
    }

    /// Weight of all rows.
    pub fn weight(&self) -> f64 {
        self.events_weight + self.others_weight
    }

    /// Sum of squared weights of all rows.
    pub fn squared_weight(&self) -> f64 {
        self.events.squared_total() + self.others.squared_total()
    }

    /// Rows with the event, and other rows.
    pub fn rows(&self) -> (u64, u64) {
        (self.events.rows, self.others.rows)
    }

    /// The same rows with neighbours joined until every score stands for `least` rows or more, so that no step of a curve tells of a single one: each takes
    /// the mean of its rows, as a probability where scores are that. Rows that weigh differently count as fewer, by (Σw)² / Σw², and so never as more than they are.
    #[must_use]
    pub fn coarsened(&self, least: f64) -> Ranking {
        let mut joined: Vec<Joined> = Vec::new();
        for tie in self.ties() {
            match joined.last_mut() {
                Some(last) if last.effective_rows() < least => last.add(&tie, self.scale),
                _ => joined.push(Joined::default().with(&tie, self.scale)),
            }
        }
        // The highest are too few where the rows do not divide evenly: they join those before them.
        if joined.len() > 1 && joined.last().is_some_and(|last| last.effective_rows() < least) {
            let (last, before) = (joined.pop(), joined.last_mut());
            before.zip(last).into_iter().for_each(|(before, last)| before.join(&last));
        }
        let (mut events, mut others) = (Side::default(), Side::default());
        for group in &joined {
            let (tie, score) = (&group.sums, self.scale.score(group.mean()));
            for (side, weight, squared) in [(&mut events, tie.events, tie.events_squared), (&mut others, tie.others, tie.others_squared)] {
                if weight > 0.0 {
                    side.push(score, weight, squared, 0);
                }
            }
        }
        (events.rows, others.rows) = self.rows();
        Ranking::of_sides(events, others, self.scale, true)
    }

    /// Groups of equal scores, from the lowest up.
    pub fn ties(&self) -> impl Iterator<Item = Tie> + '_ {
        let (mut event, mut other) = (0, 0);
        std::iter::from_fn(move || {
            let score = match (self.events.scores.get(event), self.others.scores.get(other)) {
                (Some(a), Some(b)) => a.min(*b),
                (Some(a), None) | (None, Some(a)) => *a,
                (None, None) => return None,
            };
            let (events, events_squared, event_end) = self.events.run(event, score);
            let (others, others_squared, other_end) = self.others.run(other, score);
            (event, other) = (event_end, other_end);
            Some(Tie { score, events, others, events_squared, others_squared })
        })
    }
}

/// Ties that are joined, with the sum of their weighted probabilities.
#[derive(Default)]
struct Joined {
    sums: Tie,
    first: f64,
    weighted: f64,
}

impl Joined {
    fn with(mut self, tie: &Tie, scale: ScoreScale) -> Self {
        self.first = scale.probability(tie.score);
        self.add(tie, scale);
        self
    }

    fn add(&mut self, tie: &Tie, scale: ScoreScale) {
        self.weighted += tie.weight() * scale.probability(tie.score);
        self.add_sums(tie);
    }

    fn join(&mut self, other: &Joined) {
        self.weighted += other.weighted;
        self.add_sums(&other.sums);
    }

    fn add_sums(&mut self, tie: &Tie) {
        self.sums.events += tie.events;
        self.sums.others += tie.others;
        self.sums.events_squared += tie.events_squared;
        self.sums.others_squared += tie.others_squared;
    }

    /// The mean; that of equal scores is the score, to the bit.
    fn mean(&self) -> f64 {
        let mean = self.weighted / self.sums.weight();
        if mean.is_finite() { mean.max(self.first) } else { self.first }
    }

    fn effective_rows(&self) -> f64 {
        self.sums.weight() * self.sums.weight() / self.sums.squared_weight()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_of_a_coarse_ranking_stands_for_many_rows() {
        let rows = (0..1003).map(|i| {
            let score = f64::from(i * 7919 % 1003) / 1003.0;
            (score, i % 3 == 0, 1.0)
        });
        let ranking = Ranking::new(rows, ScoreScale::Probability);
        let coarse = ranking.coarsened(10.0);
        let ties: Vec<Tie> = coarse.ties().collect();
        assert_eq!(ties.len(), 100);
        assert!(ties.iter().all(|tie| tie.weight() >= 10.0) && ties.windows(2).all(|two| two[0].score < two[1].score), "{ties:?}");
        assert_eq!(
            (coarse.rows(), coarse.events_weight, coarse.others_weight),
            (ranking.rows(), ranking.events_weight, ranking.others_weight)
        );
        let mean = |ranking: &Ranking| ranking.ties().map(|tie| tie.weight() * tie.score).sum::<f64>();
        assert!((mean(&coarse) - mean(&ranking)).abs() < 1e-9);
        // One row of a large weight is one row, and few rows are one group.
        let heavy = Ranking::new([(0.1, true, 50.0), (0.2, false, 1.0), (0.3, true, 1.0)], ScoreScale::LogOdds).coarsened(10.0);
        assert_eq!(heavy.ties().count(), 1);
    }

    #[test]
    fn ties_hold_both_classes_and_their_weights() {
        let rows = [
            (0.5, true, 2.0),
            (0.1, false, 1.0),
            (0.5, false, 1.0),
            (0.5, true, 1.0),
            (0.9, true, 0.0),
            (-0.0, false, 1.0),
            (0.0, true, 1.0),
        ];
        let ranking = Ranking::new(rows, ScoreScale::Probability);
        let ties: Vec<Tie> = ranking.ties().collect();
        let tie = |score, events, others, events_squared, others_squared| Tie { score, events, others, events_squared, others_squared };
        assert_eq!(ties, [tie(0.0, 1.0, 1.0, 1.0, 1.0), tie(0.1, 0.0, 1.0, 0.0, 1.0), tie(0.5, 3.0, 1.0, 5.0, 1.0)]);
        assert_eq!((ranking.rows(), ranking.events_weight, ranking.others_weight), ((3, 3), 4.0, 3.0));
    }
}
