//! A pointwise band around the ROC curve: where sensitivity may lie at a given rate of false alarms.
//!
//! Let c be the threshold whose rate of false alarms among all others is t. Of n₀ others so many as J ~ Binomial(n₀, t) lie above c, exactly and
//! whatever the scores look like. Given J = j, c lies between two neighbouring others, so the events above it number between the two ends a_j ≤ b_j of
//! the curve's rise there, and these are Binomial(n₁, sensitivity), independent of J. Mixing Jeffreys' posteriors over J,
//!
//! ```text
//! low:  Σ_j P(J = j) I_s(a_j + ½, n₁ − a_j + ½) = 0.025        high: Σ_j P(J = j) I_s(b_j + ½, n₁ − b_j + ½) = 0.975
//! ```
//!
//! No density is estimated and nothing is drawn at random. The band holds at each rate by itself (95 %), not for the whole curve at once; weights count by
//! their effective rows. Some ten thousand incomplete beta functions, whatever the number of rows.

use super::metric::{CONFIDENCE, Metric};
use super::ranking::{Ranking, Tie};
use super::roc::Roc;
use crate::data::Weighting;
use crate::num::root::root_between;
use crate::num::special::{incomplete_beta, ln_gamma};

/// Rates of false alarms at which limits are computed.
const RATES: usize = 40;
/// Most values of J that are looked at.
const NODES: usize = 32;
/// Standard deviations of J on either side.
const REACH: f64 = 4.5;

/// Limits of sensitivity at rates of false alarms, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct RocBand {
    /// Rate of false alarms, lower and upper limit.
    pub points: Vec<(f64, f64, f64)>,
}

impl RocBand {
    /// The 95 % band of a ranking.
    pub fn of(ranking: &Ranking, weighting: Weighting) -> Metric<Self> {
        let roc = Roc::of(ranking)?;
        let (mut events, mut others) = (0.0, 0.0);
        ranking.ties().for_each(|tie: Tie| {
            events += tie.events_squared;
            others += tie.others_squared;
        });
        let events = weighting.effective_rows(ranking.events_weight, events);
        let others = weighting.effective_rows(ranking.others_weight, others);
        let steps = Steps::of(&roc);
        let mut points: Vec<(f64, f64, f64)> =
            (0..=RATES).map(|at| at as f64 / RATES as f64).map(|rate| limits(&steps, rate, events, others)).collect();
        make_monotone(&mut points);
        Ok(RocBand { points })
    }
}

/// The curve as rates.
struct Steps {
    alarms: Vec<f64>,
    hits: Vec<f64>,
}

impl Steps {
    fn of(roc: &Roc) -> Self {
        let alarms = roc.points.iter().map(|point| 1.0 - roc.specificity(point)).collect();
        Steps { alarms, hits: roc.points.iter().map(|point| roc.sensitivity(point)).collect() }
    }

    /// Where the curve's rise at a rate begins and ends; within a tie it goes straight.
    fn rise(&self, rate: f64) -> (f64, f64) {
        const SLACK: f64 = 1e-12;
        let first = self.alarms.partition_point(|alarm| *alarm < rate - SLACK);
        let after = self.alarms.partition_point(|alarm| *alarm <= rate + SLACK);
        let last = self.hits.len() - 1;
        match first < after {
            true => (self.hits[first], self.hits[after - 1]),
            false => {
                let (low, high) = (first.saturating_sub(1), first.min(last));
                let span = self.alarms[high] - self.alarms[low];
                let share = if span > 0.0 { ((rate - self.alarms[low]) / span).clamp(0.0, 1.0) } else { 0.0 };
                let hit = self.hits[low] + share * (self.hits[high] - self.hits[low]);
                (hit, hit)
            }
        }
    }
}

/// The limits at one rate.
fn limits(steps: &Steps, rate: f64, events: f64, others: f64) -> (f64, f64, f64) {
    if rate <= 0.0 || rate >= 1.0 {
        let (low, high) = steps.rise(rate);
        let end = |hits: f64, at: f64| solve(&[(1.0, hits)], events, at);
        return if rate <= 0.0 { (0.0, 0.0, end(high, 0.5 * (1.0 + CONFIDENCE))) } else { (1.0, end(low, 0.5 * (1.0 - CONFIDENCE)), 1.0) };
    }
    let nodes = above(rate, others);
    let part = |pick: fn((f64, f64)) -> f64| -> Vec<(f64, f64)> {
        nodes.iter().map(|(weight, count)| (*weight, pick(steps.rise(count / others)))).collect()
    };
    let low = solve(&part(|rise| rise.0), events, 0.5 * (1.0 - CONFIDENCE));
    let high = solve(&part(|rise| rise.1), events, 0.5 * (1.0 + CONFIDENCE));
    // Jeffreys' limits stop short of a sensitivity of 0 or 1 that was seen; the band holds what was seen.
    let (from, to) = steps.rise(rate);
    (rate, low.min(from), high.max(to))
}

/// Numbers of others above the threshold with their probabilities.
fn above(rate: f64, others: f64) -> Vec<(f64, f64)> {
    let whole = others.round().max(1.0);
    let (mean, reach) = (whole * rate, REACH * (whole * rate * (1.0 - rate)).sqrt());
    let (low, high) = ((mean - reach).floor().max(0.0), (mean + reach).ceil().min(whole));
    let step = ((high - low) / NODES as f64).ceil().max(1.0);
    let log = |j: f64| {
        ln_gamma(whole + 1.0) - ln_gamma(j + 1.0) - ln_gamma(whole - j + 1.0) + j * libm::log(rate) + (whole - j) * libm::log1p(-rate)
    };
    let mut nodes: Vec<(f64, f64)> = Vec::new();
    let mut j = low;
    while j <= high {
        nodes.push((libm::exp(log(j)), j * others / whole));
        j += step;
    }
    let total: f64 = nodes.iter().map(|(weight, _)| weight).sum();
    nodes.iter_mut().for_each(|(weight, _)| *weight /= total);
    nodes
}

/// The sensitivity at which a mixture of Jeffreys' posteriors reaches a probability.
fn solve(parts: &[(f64, f64)], events: f64, probability: f64) -> f64 {
    // What was never or always seen has an end of its own.
    let (none, all) = (parts.iter().all(|(_, hits)| *hits == 0.0), parts.iter().all(|(_, hits)| *hits == 1.0));
    if (none && probability < 0.5) || (all && probability > 0.5) {
        return if none { 0.0 } else { 1.0 };
    }
    let mut shapes: Vec<(f64, f64)> = parts.to_vec();
    shapes.sort_by(|a, b| a.1.total_cmp(&b.1));
    shapes.dedup_by(|later, kept| {
        let same = later.1 == kept.1;
        if same {
            kept.0 += later.0;
        }
        same
    });
    let below = |s: f64| -> f64 {
        shapes.iter().map(|(weight, hits)| weight * incomplete_beta::lower(s, hits * events + 0.5, (1.0 - hits) * events + 0.5)).sum()
    };
    root_between(0.0, 1.0, |s| below(s) - probability).unwrap_or(f64::NAN)
}

/// Sensitivity rises with the rate of false alarms, so what bounds it at one rate bounds it beyond.
fn make_monotone(points: &mut [(f64, f64, f64)]) {
    let mut low = 0.0f64;
    for point in points.iter_mut() {
        low = low.max(point.1);
        point.1 = low;
    }
    let mut high = 1.0f64;
    for point in points.iter_mut().rev() {
        high = high.min(point.2);
        point.2 = high;
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::eval::ScoreScale;
    use crate::num::special::normal;

    /// Scores of events are normal around 1.2, those of others around 0: sensitivity at the rate t is Φ(1.2 + Φ⁻¹(t)).
    const SHIFT: f64 = 1.2;

    fn drawn(random: &mut ChaCha8Rng, events: usize, others: usize) -> Ranking {
        let mut score = |shift: f64| shift + normal::quantile((random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 + 1e-17);
        let rows: Vec<(f64, bool, f64)> =
            (0..events + others).map(|i| (score(if i < events { SHIFT } else { 0.0 }), i < events, 1.0)).collect();
        Ranking::new(rows, ScoreScale::Order)
    }

    #[test]
    fn the_band_covers_the_true_curve_at_each_rate() {
        let mut random = ChaCha8Rng::seed_from_u64(20);
        for (events, others) in [(59, 130), (25, 40)] {
            let (trials, rates) = (200, [0.1, 0.3, 0.6]);
            let mut covered = [0; 3];
            for _ in 0..trials {
                let steps = Steps::of(&Roc::of(&drawn(&mut random, events, others)).unwrap());
                for (count, rate) in covered.iter_mut().zip(rates) {
                    let (_, low, high) = limits(&steps, rate, events as f64, others as f64);
                    let truth = normal::cdf(SHIFT + normal::quantile(rate));
                    *count += u32::from(low <= truth && truth <= high);
                }
            }
            // Three standard errors of 200 trials are 4.6 %.
            let shares = covered.map(|count| f64::from(count) / f64::from(trials));
            assert!(shares.iter().all(|share| (0.904..=0.996).contains(share)), "{events} events, {others} others: {shares:?}");
        }
    }

    #[test]
    fn without_doubt_about_the_threshold_the_band_is_jeffreys_interval() {
        // Others without end, and 40 of 100 events above every one of them.
        let rows = (0..100).map(|i| (if i < 40 { 2.0 } else { -2.0 }, true, 1.0)).chain((0..200_000).map(|_| (0.0, false, 1.0)));
        let band = RocBand::of(&Ranking::new(rows, ScoreScale::Order), Weighting::None).unwrap();
        let (rate, low, high) = band.points[RATES / 2];
        // Jeffreys' 95 % interval of 40 out of 100: quantiles of Beta(40.5, 60.5) by scipy 1.17.1 `beta.ppf`.
        assert_eq!(rate, 0.5);
        assert!((low - 0.30795229848852).abs() < 1e-6 && (high - 0.4977432628019683).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn the_band_rises_and_holds_the_curve() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let ranking = drawn(&mut random, 30, 50);
        let (band, steps) = (RocBand::of(&ranking, Weighting::None).unwrap(), Steps::of(&Roc::of(&ranking).unwrap()));
        for pair in band.points.windows(2) {
            assert!(pair[0].1 <= pair[1].1 && pair[0].2 <= pair[1].2);
        }
        for (rate, low, high) in &band.points {
            let (from, to) = steps.rise(*rate);
            assert!(*low <= to && from <= *high, "{rate}: {low} {high} around {from} {to}");
        }
        assert_eq!(band.points[0].1, 0.0);
        assert_eq!(band.points[RATES].2, 1.0);
    }
}
