//! From neighbours to probabilities.
//!
//! Neighbours are walked in rising distance until k rows are counted (a frequency weight counts as many). Rows at the distance of the k-th,
//! rounding aside, share the votes that are left, so the order of rows cannot matter. With m_i the weight of a row and f_i its share:
//! votes_c = k · Σ f_i m_i g(d_i) [class c] / Σ f_i m_i g(d_i), g = 1 or 1/d, and p_c = (votes_c + α)/(k + α K).

/// What a neighbour's vote counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Votes {
    /// All alike.
    #[default]
    Uniform,
    /// 1/distance; rows at distance 0 take all.
    Distance,
}

impl Votes {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Votes::Uniform => "uniform",
            Votes::Distance => "distance",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        [Votes::Uniform, Votes::Distance].into_iter().find(|votes| votes.name() == name)
    }
}

/// Who gets the votes that are left at the distance of the k-th neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// All rows there.
    #[default]
    Share,
    /// The first rows of the table.
    Row,
}

impl Ties {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Ties::Share => "share",
            Ties::Row => "row",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        [Ties::Share, Ties::Row].into_iter().find(|ties| ties.name() == name)
    }
}

/// Share of a squared distance within which two are equal: the rounding of differences and sums.
pub(super) const EQUAL: f64 = 1e-12;

/// A candidate: its squared distance, its class, how many rows it counts for, and how much its vote weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) row: usize,
    pub(super) squared: f64,
    pub(super) class: usize,
    pub(super) count: f64,
    pub(super) mass: f64,
}

/// How neighbours vote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub(super) votes: Votes,
    pub(super) ties: Ties,
    pub(super) alpha: f64,
}

impl Rule {
    /// The share of every candidate among the k nearest. Candidates come in rising distance, and all at the distance of the k-th are there.
    pub(super) fn shares(&self, candidates: &[Candidate], k: f64) -> Vec<f64> {
        let mut shares = vec![0.0; candidates.len()];
        let (mut filled, mut at) = (0.0, 0);
        while at < candidates.len() && filled < k {
            let end = match self.ties {
                Ties::Row => at + 1,
                Ties::Share => {
                    let limit = candidates[at].squared * (1.0 + EQUAL);
                    at + candidates[at..].iter().take_while(|other| other.squared <= limit).count()
                }
            };
            let group: f64 = candidates[at..end].iter().map(|candidate| candidate.count).sum();
            let share = ((k - filled) / group).min(1.0);
            shares[at..end].fill(share);
            filled += share * group;
            at = end;
        }
        shares
    }

    /// Votes of every candidate, which add up to k.
    pub(super) fn votes(&self, candidates: &[Candidate], k: f64) -> Vec<f64> {
        let mut votes = self.shares(candidates, k);
        let exact = candidates.first().is_some_and(|candidate| candidate.squared == 0.0);
        for (vote, candidate) in votes.iter_mut().zip(candidates) {
            *vote *= candidate.mass
                * match self.votes {
                    Votes::Uniform => 1.0,
                    Votes::Distance if exact => f64::from(u8::from(candidate.squared == 0.0)),
                    // Rows with nothing in common are infinitely far and equally so.
                    Votes::Distance if candidates[0].squared.is_infinite() => 1.0,
                    Votes::Distance => candidate.squared.sqrt().recip(),
                };
        }
        let total: f64 = votes.iter().sum();
        votes.iter_mut().for_each(|vote| *vote *= k / total);
        votes
    }

    /// Probabilities of the classes.
    pub(super) fn probabilities(&self, candidates: &[Candidate], k: f64, out: &mut [f64]) {
        out.fill(self.alpha);
        for (vote, candidate) in self.votes(candidates, k).into_iter().zip(candidates) {
            out[candidate.class] += vote;
        }
        let total = k + self.alpha * out.len() as f64;
        out.iter_mut().for_each(|p| *p /= total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(list: &[(f64, usize, f64)]) -> Vec<Candidate> {
        list.iter().enumerate().map(|(row, &(squared, class, count))| Candidate { row, squared, class, count, mass: count }).collect()
    }

    #[test]
    fn rows_at_the_last_distance_share_what_is_left() {
        let rule = Rule { votes: Votes::Uniform, ties: Ties::Share, alpha: 0.0 };
        let rows = candidates(&[(1.0, 0, 1.0), (4.0, 0, 1.0), (4.0, 1, 1.0), (4.0 * (1.0 + 1e-15), 1, 1.0), (5.0, 0, 1.0)]);
        let mut p = [0.0; 2];
        rule.probabilities(&rows, 2.0, &mut p);
        assert!((p[0] - 2.0 / 3.0).abs() < 1e-15 && (p[1] - 1.0 / 3.0).abs() < 1e-15, "{p:?}");
        Rule { ties: Ties::Row, ..rule }.probabilities(&rows, 2.0, &mut p);
        assert_eq!(p, [1.0, 0.0]);
    }

    #[test]
    fn exact_matches_take_all_and_others_vote_by_distance() {
        let rule = Rule { votes: Votes::Distance, ties: Ties::Share, alpha: 0.0 };
        let mut p = [0.0; 2];
        rule.probabilities(&candidates(&[(1.0, 0, 1.0), (4.0, 1, 1.0)]), 2.0, &mut p);
        assert!((p[0] - 2.0 / 3.0).abs() < 1e-15, "{p:?}");
        rule.probabilities(&candidates(&[(0.0, 1, 1.0), (4.0, 0, 1.0)]), 2.0, &mut p);
        assert_eq!(p, [0.0, 1.0]);
    }

    #[test]
    fn a_row_that_stands_for_three_is_three_rows() {
        let rule = Rule { votes: Votes::Uniform, ties: Ties::Share, alpha: 1.0 };
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        rule.probabilities(&candidates(&[(1.0, 0, 3.0), (2.0, 1, 1.0)]), 2.0, &mut a);
        rule.probabilities(&candidates(&[(1.0, 0, 1.0), (1.0, 0, 1.0), (1.0, 0, 1.0), (2.0, 1, 1.0)]), 2.0, &mut b);
        assert!((a[0] - 0.75).abs() < 1e-15 && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-15), "{a:?} {b:?}");
    }
}
