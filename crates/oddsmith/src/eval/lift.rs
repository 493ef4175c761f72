//! Gains and lift: the share of all events among the rows with the highest scores, and how many times that is what a random
//! choice would find. A tie that a cut divides gives events in proportion.

use super::metric::{Metric, Undefined};
use super::ranking::Ranking;

/// The top of the ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lift {
    /// Share of rows that are taken, from the top.
    pub share: f64,
    /// Share of all events among them.
    pub gain: f64,
    /// Gain over share.
    pub lift: f64,
    /// Rate of events among them.
    pub rate: f64,
}

/// Gains at `parts` equal parts of the rows.
pub fn lift(ranking: &Ranking, parts: usize) -> Metric<Vec<Lift>> {
    let total = ranking.weight();
    if total <= 0.0 {
        return Err(Undefined::no_rows());
    }
    if ranking.events_weight <= 0.0 {
        return Err("no row has the event".into());
    }
    let ties: Vec<_> = ranking.ties().collect();
    let mut rest = ties.iter().rev().copied().peekable();
    let (mut taken, mut events) = (0.0, 0.0);
    let mut table = Vec::with_capacity(parts);
    for part in 1..=parts {
        let share = part as f64 / parts as f64;
        let wanted = share * total;
        while let Some(tie) = rest.next_if(|tie| part == parts || taken + tie.weight() <= wanted) {
            taken += tie.weight();
            events += tie.events;
        }
        let divided = rest.peek().map_or(0.0, |tie| (wanted - taken) / tie.weight() * tie.events);
        let found = events + divided;
        let gain = (found / ranking.events_weight).min(1.0);
        table.push(Lift { share, gain, lift: gain / share, rate: found / wanted });
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::ScoreScale;

    #[test]
    fn the_top_rows_and_a_divided_tie() {
        let rows = [(0.9, true), (0.8, true), (0.3, false), (0.3, true), (0.1, false), (0.1, false), (0.1, false), (0.1, false)];
        let ranking = Ranking::new(rows.map(|(p, event)| (p, event, 1.0)), ScoreScale::Probability);
        let table = lift(&ranking, 8).unwrap();
        let gains: Vec<f64> = table.iter().map(|row| row.gain * 3.0).collect();
        assert_eq!(gains, [1.0, 2.0, 2.5, 3.0, 3.0, 3.0, 3.0, 3.0]);
        assert!((table[1].lift - 2.0 / 3.0 / 0.25).abs() < 1e-15 && table[7].lift == 1.0 && table[0].rate == 1.0);
    }
}
