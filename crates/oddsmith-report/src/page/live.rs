//! What the script needs to move thresholds and prevalences: weights of called rows, and the steps of one row.

use oddsmith::eval::Roc;
use oddsmith::eval::pictures::ROWS_TOGETHER;
use oddsmith::train::findings::Findings;

use super::Told;

/// Most thresholds besides the whole per cents.
const MOST_CUTS: usize = 500;

/// Weights of called rows from a probability up.
pub(super) struct Cuts {
    pub(super) events: f64,
    pub(super) others: f64,
    /// Probability, weight of the events and of the others from it up; falling.
    pub(super) cuts: Vec<(f64, f64, f64)>,
}

impl Cuts {
    /// What is called from a probability up.
    pub(super) fn called(&self, from: f64) -> (f64, f64) {
        let found = self.cuts.iter().rfind(|(p, ..)| *p >= from - 1e-9);
        found.map_or((0.0, 0.0), |(_, events, others)| (*events, *others))
    }
}

/// A number with as many digits as pictures need.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.7e}").parse().unwrap_or(value);
    match rounded {
        v if !v.is_finite() => "0".into(),
        v if v != 0.0 && (v.abs() < 1e-6 || v.abs() >= 1e15) => format!("{v:e}"),
        v => format!("{v}"),
    }
}

/// A text in JSON inside a page: no `<` that could end the element.
fn quoted(text: &str) -> String {
    crate::json::string(text).replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// The probability at which the slider starts: the model's own threshold, or else the share of events.
pub(super) fn first_threshold(findings: &Findings) -> f64 {
    let Some(evaluation) = findings.evaluation() else { return 0.5 };
    if let oddsmith::model::Decision::Threshold(threshold) = evaluation.confusion.decision() {
        return (threshold.clamp(0.01, 0.99) * 100.0).round() / 100.0;
    }
    let share = evaluation.ranking().map_or(0.5, |ranking| ranking.events_weight / ranking.weight());
    ((share * 100.0).round() / 100.0).clamp(0.01, 0.99)
}

impl Told<'_> {
    pub(super) fn first_threshold(&self) -> f64 {
        first_threshold(self.findings)
    }

    /// Weights of called rows at the scores of the rows, or at as many of them as a page has room for and at whole per cents; where no single row may be
    /// seen, at the means of so many.
    pub(super) fn cuts(&self) -> Option<Cuts> {
        let ranking = self.findings.evaluation()?.ranking().ok()?;
        let ranking = if self.about.no_rows { ranking.coarsened(ROWS_TOGETHER as f64) } else { ranking };
        let roc = Roc::of(&ranking).ok()?;
        let every = (roc.points.len() / MOST_CUTS).max(1);
        let of = |point: &oddsmith::eval::RocPoint| (roc.scale.probability(point.threshold), point.true_positives, point.false_positives);
        let mut cuts: Vec<(f64, f64, f64)> = roc
            .points
            .iter()
            .enumerate()
            .filter(|(at, point)| at % every == 0 && point.threshold != f64::INFINITY)
            .map(|(_, point)| of(point))
            .collect();
        cuts.extend(roc.points.last().filter(|point| point.threshold != f64::INFINITY).map(of));
        if every > 1 {
            for percent in 1..100 {
                let from = f64::from(percent) / 100.0;
                let called = roc.called_from(from);
                cuts.push((from, called.true_positives, called.false_positives));
            }
        }
        cuts.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2)));
        cuts.dedup();
        Some(Cuts { events: roc.events, others: roc.others, cuts })
    }

    /// Rows of both classes as evidence, for intervals.
    pub(super) fn effective_rows(&self) -> (f64, f64) {
        let Some(evaluation) = self.findings.evaluation() else { return (0.0, 0.0) };
        let Ok(ranking) = evaluation.ranking() else { return (0.0, 0.0) };
        let (mut events, mut others) = (0.0, 0.0);
        for tie in ranking.ties() {
            events += tie.events_squared;
            others += tie.others_squared;
        }
        let weighting = evaluation.settings().weighting;
        (weighting.effective_rows(ranking.events_weight, events), weighting.effective_rows(ranking.others_weight, others))
    }

    /// The data of the script.
    pub(super) fn live_data(&self) -> String {
        let mut members = Vec::new();
        if self.has_console()
            && let Some(cuts) = self.cuts()
        {
            let (event_rows, other_rows) = self.effective_rows();
            let list: Vec<String> =
                cuts.cuts.iter().map(|(p, events, others)| format!("[{},{},{}]", digits(*p), digits(*events), digits(*others))).collect();
            let event = self.event_predicate();
            let of = format!("Of 1000 rows, {{has}} {event}. Called: {{called}}, of which {{found}} {event}. Missed: {{missed}}.");
            members.push(format!(
                "\"console\":{{\"events\":{},\"others\":{},\"eventRows\":{},\"otherRows\":{},\"threshold\":{},\"words\":{{\"of\":{},\"none\":{}}},\"cuts\":[{}]}}",
                digits(cuts.events),
                digits(cuts.others),
                digits(event_rows),
                digits(other_rows),
                digits(self.first_threshold()),
                quoted(&of),
                quoted("At this threshold no row is called."),
                list.join(",")
            ));
        }
        if let Ok(row) = &self.findings.row {
            let steps: Vec<String> = row.steps.iter().map(|(_, weight)| digits(*weight)).collect();
            members.push(format!(
                "\"row\":{{\"moves\":{},\"prior\":{},\"steps\":[{}]}}",
                row.two && self.has_console(),
                digits(row.prior),
                steps.join(",")
            ));
        }
        format!("{{{}}}", members.join(","))
    }
}
