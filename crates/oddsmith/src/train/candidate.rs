//! What is known about models after a comparison: their tables, and the one sentence that may name a winner.

use super::comparison::{Metrics, paired_loss};
use super::scored_table::ScoredTable;
use crate::card::{Cell, FixedTable, Table};
use crate::data::Weighting;
use crate::eval::{Estimate, Metric, PairedAreas, Undefined, metric_cells, missing, paired_areas};

/// A p-value below this supports a difference.
const LEVEL: f64 = 0.05;

/// A model after all folds.
#[derive(Debug, Clone)]
pub struct CandidateResult {
    /// Its name.
    pub name: String,
    /// Its figures, or why there are none.
    pub outcome: Result<CandidateMetrics, String>,
}

/// Figures and out-of-fold rows of a model.
#[derive(Debug, Clone)]
pub struct CandidateMetrics {
    /// Means over all repeats.
    pub metrics: Metrics,
    /// Rows of the first repeat.
    pub rows: ScoredTable,
    /// Free parameters of the model of the first fold.
    pub parameters: Option<u64>,
    /// Seconds for the models of all folds.
    pub seconds: f64,
}

/// One row per model.
pub fn model_table(results: &[CandidateResult]) -> Table {
    let columns = [
        "model",
        "log_loss",
        "bits",
        "bits_low",
        "bits_high",
        "bits_saved",
        "brier",
        "auc",
        "auc_low",
        "auc_high",
        "calibration_slope",
        "accuracy",
        "parameters",
        "seconds",
        "note",
    ];
    let mut table = FixedTable::new("models", columns);
    for CandidateResult { name, outcome } in results {
        let mut row = [const { Cell::Empty }; 15];
        row[0] = name.as_str().into();
        match outcome {
            Ok(CandidateMetrics { metrics, parameters, seconds, .. }) => {
                let value = |figure: &Metric| figure.as_ref().map_or(Cell::Empty, |estimate| estimate.value.into());
                let nats = metrics.bits.as_ref().map_or(Cell::Empty, |bits| (bits.value * std::f64::consts::LN_2).into());
                let [bits, bits_low, bits_high, _] = metric_cells(&metrics.bits);
                let [auc, auc_low, auc_high, _] = metric_cells(&metrics.auc);
                (row[1], row[2], row[3], row[4]) = (nats, bits, bits_low, bits_high);
                (row[5], row[6]) = (value(&metrics.bits_saved), value(&metrics.brier));
                (row[7], row[8], row[9]) = (auc, auc_low, auc_high);
                (row[10], row[11]) = (value(&metrics.slope), value(&metrics.accuracy));
                (row[12], row[13]) = (parameters.map_or(Cell::Empty, Cell::from), (*seconds).into());
                row[14] = outcome_note(metrics).map_or(Cell::Empty, Cell::from);
            }
            Err(reason) => row[14] = reason.as_str().into(),
        }
        table.push(row);
    }
    table.into()
}

/// Why figures of a model are missing.
fn outcome_note(metrics: &Metrics) -> Option<String> {
    let Metrics { bits, bits_saved: _, brier, auc, slope, accuracy } = metrics;
    // What is saved is missing where the bits are.
    let figures = [("bits", bits), ("brier", brier), ("auc", auc), ("calibration_slope", slope), ("accuracy", accuracy)];
    let reasons: Vec<String> = figures.iter().filter_map(|(name, figure)| Some(format!("{name}: {}", missing(figure)?))).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Why models, or figures of them, are missing: one line for all models with the same reason.
pub fn failures(results: &[CandidateResult]) -> Vec<String> {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for CandidateResult { name, outcome } in results {
        let reason = outcome.as_ref().map_or_else(|reason| Some(reason.clone()), |outcome| outcome_note(&outcome.metrics));
        let Some(reason) = reason else { continue };
        match told.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => told.push((reason, vec![name])),
        }
    }
    told.into_iter().map(|(reason, names)| format!("{}: {reason}", names.join(", "))).collect()
}

/// A model that has a loss, by name.
type Runner<'a> = (&'a str, &'a CandidateMetrics);

/// The model with the fewest bits and all others that have a loss.
fn best_and_others(results: &[CandidateResult]) -> Option<(Runner<'_>, Vec<Runner<'_>>)> {
    let running = |result: &'_ CandidateResult| -> bool { result.outcome.as_ref().is_ok_and(|outcome| outcome.metrics.bits.is_ok()) };
    let bits = |outcome: &CandidateMetrics| outcome.metrics.bits.as_ref().map_or(f64::INFINITY, |bits| bits.value);
    let all: Vec<Runner<'_>> =
        results.iter().filter(|e| running(e)).filter_map(|e| Some((e.name.as_str(), e.outcome.as_ref().ok()?))).collect();
    let best = all.iter().min_by(|a, b| bits(a.1).total_cmp(&bits(b.1)))?;
    let others = all.iter().filter(|other| other.0 != best.0).copied().collect();
    Some((*best, others))
}

/// Every model against the one with the fewest bits: differences of bits and of areas, with p-values adjusted by Holm's method.
pub fn pair_table(results: &[CandidateResult], weighting: Weighting) -> Table {
    let columns =
        ["model", "against", "more_bits", "more_bits_low", "more_bits_high", "p_value", "p_holm", "auc_difference", "auc_p_value", "note"];
    let mut table = FixedTable::new("pairs", columns);
    let Some(((best_name, best), others)) = best_and_others(results) else { return table.into() };
    let paired: Vec<_> = others.iter().map(|(_, other)| paired_loss(&other.rows, &best.rows, weighting)).collect();
    let mut adjusted = holm(&paired.iter().flatten().map(|pair| pair.p_value).collect::<Vec<_>>()).into_iter();
    let cell = |value: Option<f64>| value.map_or(Cell::Empty, Cell::from);
    for ((name, other), pair) in others.iter().zip(&paired) {
        let [more, low, high] = pair.as_ref().map_or([Cell::Empty, Cell::Empty, Cell::Empty], |pair| pair.difference.cells());
        let p_value = pair.as_ref().ok().map(|pair| pair.p_value);
        let p_holm = cell(p_value.and_then(|_| adjusted.next()));
        let areas = area_test(other, best, weighting);
        let [area, area_p] = [PairedAreas::difference, PairedAreas::p_value].map(|of| cell(areas.as_ref().ok().map(of)));
        let reasons = [("bits", pair.as_ref().err()), ("auc", areas.as_ref().err())];
        let reasons: Vec<String> = reasons.into_iter().filter_map(|(what, why)| Some(format!("{what}: {}", why?))).collect();
        let note = if reasons.is_empty() { Cell::Empty } else { reasons.join("; ").into() };
        table.push([(*name).into(), best_name.into(), more, low, high, cell(p_value), p_holm, area, area_p, note]);
    }
    table.into()
}

fn area_test(model: &CandidateMetrics, best: &CandidateMetrics, weighting: Weighting) -> Metric<PairedAreas> {
    if best.rows.classes() != 2 {
        return Err(Undefined::not_two(best.rows.classes()));
    }
    let (left, right) = (model.rows.log_odds(), best.rows.log_odds());
    paired_areas([&left, &right], best.rows.labels(), Some(best.rows.weights()), 1, weighting)
}

/// Names a winner only where the others are all worse by more than chance.
pub fn verdict(results: &[CandidateResult], weighting: Weighting) -> String {
    let Some(((best_name, best), others)) = best_and_others(results) else { return "no model could be judged".into() };
    if others.is_empty() {
        return format!("{best_name} is the only model that could be judged");
    }
    let p_value = |other: &CandidateMetrics| paired_loss(&other.rows, &best.rows, weighting).map_or(1.0, |pair| pair.p_value);
    let p: Vec<f64> = others.iter().map(|(_, other)| p_value(other)).collect();
    let close: Vec<&str> = others.iter().zip(holm(&p)).filter(|(_, p)| *p >= LEVEL).map(|((name, _), _)| *name).collect();
    let saves = best.metrics.bits_saved.as_ref().ok().and_then(|saved| saved.interval).is_some_and(|(low, _)| low > 0.0);
    let worth = if saves { "" } else { "; it does not clearly beat the class proportions alone" };
    let beaten = if others.len() + 1 == results.len() { "every other model" } else { "every other model that could be judged" };
    match close.is_empty() {
        true => format!("{best_name} needs the fewest bits, and fewer than {beaten} (Holm p < {LEVEL}){worth}"),
        false => format!("{best_name} has the fewest bits, but {} may be as good{worth}", close.join(", ")),
    }
}

/// Holm's adjustment: the smallest p-value times their number, the next times one less …, never falling.
pub(super) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest = 0.0f64;
    for (rank, &i) in order.iter().enumerate() {
        largest = largest.max((p_values.len() - rank) as f64 * p_values[i]).min(1.0);
        adjusted[i] = largest;
    }
    adjusted
}

/// The mean over repeats, where `earlier` is already the mean of the first `count`.
pub fn mean(earlier: &Metrics, next: &Metrics, count: u64) -> Metrics {
    let share = 1.0 / (count + 1) as f64;
    let mix = |a: f64, b: f64| a + share * (b - a);
    let both = |a: &Metric, b: &Metric| -> Metric {
        let (a, b) = (a.as_ref().map_err(Clone::clone)?, b.as_ref().map_err(Clone::clone)?);
        let interval = a.interval.zip(b.interval).map(|(a, b)| (mix(a.0, b.0), mix(a.1, b.1)));
        Ok(Estimate { value: mix(a.value, b.value), std_error: None, interval, no_interval: a.no_interval.or(b.no_interval) })
    };
    Metrics {
        bits: both(&earlier.bits, &next.bits),
        bits_saved: both(&earlier.bits_saved, &next.bits_saved),
        brier: both(&earlier.brier, &next.brier),
        auc: both(&earlier.auc, &next.auc),
        slope: both(&earlier.slope, &next.slope),
        accuracy: both(&earlier.accuracy, &next.accuracy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_adjusted_by_holm() {
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        assert_eq!(holm(&[0.5, 0.9]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
