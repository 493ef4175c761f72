//! Choosing the probability from which the event is called, and how sure that choice is.
//!
//! Costs: f/(f + m) for a false alarm that costs f and a miss that costs m, which is right for calibrated probabilities and needs no
//! rows. Prevalence: the base rate. Youden: the largest sensitivity + specificity. A wanted sensitivity, specificity or
//! precision: the threshold that keeps it and calls the best of the rest. Thresholds that come from rows lie half-way between
//! the probability they call last and the next lower one. Their interval is the middle 95 % of thresholds chosen from resampled rows
//! (Poisson bootstrap over at most 2048 groups of neighbouring scores, with a fixed seed); the shares at the threshold have
//! Wilson's intervals, which take the threshold as given and so flatter one that was chosen from the same rows.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Poisson};

use super::calibration::evidence_per_weight;
use super::metric::{CONFIDENCE, Estimate, Mass, Metric, Undefined, share};
use super::ranking::{Ranking, ScoreScale, Tie};
use crate::data::Weighting;

/// Groups of neighbouring scores that are resampled.
const MOST_GROUPS: usize = 2048;
/// Resampled tables.
const RESAMPLES: usize = 400;

/// What a threshold is chosen for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// Least expected cost.
    Costs {
        /// Cost of calling the event where there is none.
        false_alarm: f64,
        /// Cost of not calling an event.
        miss: f64,
    },
    /// The base rate.
    Prevalence,
    /// The largest sensitivity + specificity.
    Youden,
    /// At least this sensitivity, with the largest specificity.
    Sensitivity(f64),
    /// At least this specificity, with the largest sensitivity.
    Specificity(f64),
    /// At least this precision, with the largest sensitivity.
    Precision(f64),
}

/// A threshold and what it does on the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The event is called from this probability up.
    pub threshold: Estimate,
    /// Share of events that are called.
    pub sensitivity: Metric,
    /// Share of others that are not called.
    pub specificity: Metric,
    /// Share of called rows that have the event.
    pub precision: Metric,
    /// Share of rows not called that do not have it.
    pub negative_predictive_value: Metric,
    /// Share of rows that are called.
    pub called: Metric,
}

/// Chooses a threshold for an aim.
pub fn choose_threshold(ranking: &Ranking, aim: Aim, weighting: Weighting, seed: u64) -> Metric<Cut> {
    if ranking.scale() == ScoreScale::Order {
        return Err("the scores are no probabilities".into());
    }
    let rows = by_probability(ranking);
    let threshold = match aim {
        Aim::Costs { false_alarm, miss } => Estimate::exact(false_alarm / (false_alarm + miss)),
        _ => {
            let value = pick(&rows, aim)?;
            match interval(&rows, aim, evidence_per_weight(ranking, weighting), seed) {
                Some(ends) => Estimate::within(value, ends),
                None => Estimate::unsure(value, "most resampled tables have no such threshold"),
            }
        }
    };
    Ok(cut(&rows, threshold, weighting))
}

/// What a threshold does on the rows of a ranking.
pub fn at_threshold(ranking: &Ranking, threshold: f64, weighting: Weighting) -> Cut {
    cut(&by_probability(ranking), Estimate::exact(threshold), weighting)
}

fn by_probability(ranking: &Ranking) -> Vec<Tie> {
    ranking.ties().map(|tie| Tie { score: ranking.scale().probability(tie.score), ..tie }).collect()
}

fn cut(rows: &[Tie], threshold: Estimate, weighting: Weighting) -> Cut {
    // Rows that are called and rows that are not, each with others first and events second.
    let mut sides = [[Mass::default(); 2]; 2];
    for row in rows {
        let [others, events] = &mut sides[usize::from(row.score >= threshold.value)];
        others.add(row.others, row.others_squared);
        events.add(row.events, row.events_squared);
    }
    let [left, called] = sides;
    let share_of = |part: Mass, rest: Mass, otherwise: &str| share(part.weight, [part, rest].into_iter().sum(), weighting, otherwise);
    let [all_left, all_called] = sides.map(|side| side.into_iter().sum::<Mass>());
    Cut {
        threshold,
        sensitivity: share_of(called[1], left[1], "no row has the event"),
        specificity: share_of(left[0], called[0], "every row has the event"),
        precision: share_of(called[1], called[0], "no row is predicted positive"),
        negative_predictive_value: share_of(left[0], left[1], "every row is predicted positive"),
        called: share_of(all_called, all_left, "there are no rows"),
    }
}

/// The threshold for an aim that needs rows, which come in rising order of probability.
fn pick(rows: &[Tie], aim: Aim) -> Metric<f64> {
    let (events, others) = rows.iter().fold((0.0, 0.0), |(e, o), row| (e + row.events, o + row.others));
    if !(events > 0.0 && others > 0.0) {
        return Err(if events + others > 0.0 { Undefined::one_class() } else { Undefined::no_rows() });
    }
    if aim == Aim::Prevalence {
        return Ok(events / (events + others));
    }
    let (mut true_positives, mut false_positives) = (0.0, 0.0);
    let mut best: Option<(f64, f64)> = None;
    for at in (0..rows.len()).rev() {
        true_positives += rows[at].events;
        false_positives += rows[at].others;
        let (sensitivity, specificity) = (true_positives / events, 1.0 - false_positives / others);
        // A share that is meant to be reached exactly must not be missed by rounding.
        let reached = |value: f64, wanted: f64| value >= wanted - 1e-12;
        let merit = match aim {
            Aim::Youden => Some(sensitivity + specificity),
            Aim::Sensitivity(wanted) => reached(sensitivity, wanted).then_some(specificity),
            Aim::Specificity(wanted) => reached(specificity, wanted).then_some(sensitivity),
            Aim::Precision(wanted) => reached(true_positives / (true_positives + false_positives), wanted).then_some(sensitivity),
            Aim::Costs { .. } | Aim::Prevalence => None,
        };
        if let Some(merit) = merit.filter(|merit| best.is_none_or(|(known, _)| *merit > known)) {
            let below = if at == 0 { 0.0 } else { rows[at - 1].score };
            best = Some((merit, below + 0.5 * (rows[at].score - below)));
        }
    }
    best.map(|(_, threshold)| threshold).ok_or_else(|| Undefined("no threshold reaches it".into()))
}

/// The middle of the thresholds that resampled rows choose; a unit of weight is worth `unit` rows.
fn interval(rows: &[Tie], aim: Aim, unit: f64, seed: u64) -> Option<(f64, f64)> {
    let groups = grouped(rows);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |mean: f64| if mean > 0.0 { Poisson::new(mean).map_or(0.0, |law| law.sample(&mut random)) } else { 0.0 };
    let mut chosen = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let resampled: Vec<Tie> = groups
            .iter()
            .map(|group| Tie { events: draw(unit * group.events), others: draw(unit * group.others), ..*group })
            .filter(|group| group.weight() > 0.0)
            .collect();
        chosen.extend(pick(&resampled, aim));
    }
    chosen.sort_by(f64::total_cmp);
    let place = |share: f64| chosen[((chosen.len() - 1) as f64 * share).round() as usize];
    // A threshold that hardly any resampled table has is not one to put bounds on.
    (chosen.len() * 2 > RESAMPLES).then(|| (place(0.5 * (1.0 - CONFIDENCE)), place(0.5 * (1.0 + CONFIDENCE))))
}

fn grouped(rows: &[Tie]) -> Vec<Tie> {
    let size = rows.len().div_ceil(MOST_GROUPS).max(1);
    let merged = |group: &[Tie]| {
        let sum = |of: fn(&Tie) -> f64| group.iter().map(of).sum::<f64>();
        Tie { events: sum(|tie| tie.events), others: sum(|tie| tie.others), ..group[0] }
    };
    rows.chunks(size).map(merged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking() -> Ranking {
        let rows = [(0.1, false), (0.2, false), (0.3, true), (0.4, false), (0.6, true), (0.7, false), (0.8, true), (0.9, true)];
        Ranking::new(rows.map(|(p, event)| (p, event, 1.0)), ScoreScale::Probability)
    }

    fn threshold(aim: Aim) -> f64 {
        choose_threshold(&ranking(), aim, Weighting::None, 1).unwrap().threshold.value
    }

    #[test]
    fn thresholds_lie_between_the_rows_they_part() {
        let near = |got: f64, want: f64| assert!((got - want).abs() < 1e-12, "{got} {want}");
        near(threshold(Aim::Sensitivity(1.0)), 0.25);
        near(threshold(Aim::Sensitivity(0.75)), 0.5);
        near(threshold(Aim::Precision(1.0)), 0.75);
        near(threshold(Aim::Specificity(1.0)), 0.75);
        near(threshold(Aim::Prevalence), 0.5);
        near(threshold(Aim::Costs { false_alarm: 1.0, miss: 4.0 }), 0.2);
        // 0.75 + 0.75 − 1 at 0.5, and as much at 0.25 and 0.75: the highest stands.
        near(threshold(Aim::Youden), 0.75);
    }

    #[test]
    fn the_shares_at_a_threshold_are_those_of_the_rows() {
        let cut = choose_threshold(&ranking(), Aim::Sensitivity(0.75), Weighting::None, 1).unwrap();
        let value = |figure: &Metric| figure.as_ref().unwrap().value;
        assert_eq!((value(&cut.sensitivity), value(&cut.specificity), value(&cut.precision)), (0.75, 0.75, 0.75));
        assert_eq!((value(&cut.negative_predictive_value), value(&cut.called)), (0.75, 0.5));
        let (low, high) = cut.threshold.interval.unwrap();
        assert!(low <= cut.threshold.value && cut.threshold.value <= high && low < high);
        assert_eq!(choose_threshold(&ranking(), Aim::Sensitivity(0.75), Weighting::None, 1).unwrap(), cut);
    }

    #[test]
    fn what_cannot_be_reached_says_so() {
        let rows = [(0.9, false), (0.1, true)].map(|(p, event)| (p, event, 1.0));
        let upside_down = Ranking::new(rows, ScoreScale::Probability);
        let reason = |aim| choose_threshold(&upside_down, aim, Weighting::None, 1).unwrap_err().to_string();
        assert_eq!(reason(Aim::Precision(0.9)), "no threshold reaches it");
        let one = Ranking::new([(0.9, true, 1.0)], ScoreScale::Probability);
        assert_eq!(choose_threshold(&one, Aim::Youden, Weighting::None, 1).unwrap_err().to_string(), "there is only one class");
    }
}
