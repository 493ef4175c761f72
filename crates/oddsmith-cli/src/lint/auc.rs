//! The area under the ROC curve of one score: the share of pairs of an event and a non-event that it orders right.
//!
//! Σ over event rows of the weight of non-event rows with a lower score, plus half of that with the same score, divided by
//! the product of both weights. Time O(n log n) for the sort.

/// One scored row, or several equal ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    /// The score; never NaN.
    pub(super) score: f64,
    /// Weight of the event rows.
    pub(super) events: f64,
    /// Weight of the other rows.
    pub(super) others: f64,
}

/// The area, or `None` when one side is empty.
pub(super) fn area(rows: &mut [Scored]) -> Option<f64> {
    rows.sort_by(|a, b| a.score.total_cmp(&b.score));
    let (mut below, mut right, mut events) = (0.0, 0.0, 0.0);
    for same in rows.chunk_by(|a, b| a.score == b.score) {
        let (tied_events, tied_others) = same.iter().fold((0.0, 0.0), |(e, o), row| (e + row.events, o + row.others));
        right += tied_events * (below + 0.5 * tied_others);
        below += tied_others;
        events += tied_events;
    }
    (events > 0.0 && below > 0.0).then(|| right / (events * below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, bool)]) -> Option<f64> {
        let mut rows: Vec<Scored> = pairs
            .iter()
            .map(|&(score, event)| Scored { score, events: f64::from(u8::from(event)), others: f64::from(u8::from(!event)) })
            .collect();
        area(&mut rows)
    }

    #[test]
    fn pairs_are_counted_with_ties_as_half() {
        assert_eq!(of(&[(1.0, false), (2.0, true)]), Some(1.0));
        assert_eq!(of(&[(2.0, false), (1.0, true)]), Some(0.0));
        assert_eq!(of(&[(1.0, false), (1.0, true), (2.0, true), (0.0, false)]), Some(3.5 / 4.0));
        assert_eq!(of(&[(1.0, true)]), None);
    }
}
