//! The tables of a comparison, and the one sentence that may name a winner.

use oddsmith::card::{Cell, Table};
use oddsmith::data::Weighting;
use oddsmith::error::visible;
use oddsmith::eval::{Estimate, Figure, paired_areas};
use oddsmith::model::Classifier;
use oddsmith::notice::{self, Notice};
use oddsmith::train::{Standing, paired_loss};

use crate::commands::compare::{Entrant, Outcome};

/// A p-value below this supports a difference.
const LEVEL: f64 = 0.05;

/// One row per model.
pub(crate) fn models(entrants: &[Entrant]) -> Table {
    let columns = [
        "model",
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
    let mut table = Table::new("models", &columns);
    for Entrant { name, outcome } in entrants {
        let mut row = vec![Cell::from(name.as_str())];
        match outcome {
            Ok(Outcome { standing, parameters, seconds, .. }) => {
                let value = |figure: &Figure| figure.as_ref().map_or(Cell::Empty, |estimate| estimate.value.into());
                row.extend(with_interval(&standing.bits));
                row.extend([value(&standing.bits_saved), value(&standing.brier)]);
                row.extend(with_interval(&standing.auc));
                row.extend([value(&standing.slope), value(&standing.accuracy)]);
                row.push(parameters.map_or(Cell::Empty, Cell::from));
                row.push((*seconds).into());
                let reason = [&standing.bits, &standing.auc].into_iter().find_map(|figure| figure.as_ref().err());
                row.push(reason.map_or(Cell::Empty, |reason| reason.to_string().into()));
            }
            Err(reason) => {
                row.resize(columns.len() - 1, Cell::Empty);
                row.push(reason.as_str().into());
            }
        }
        table.push(row);
    }
    table
}

/// Says how many rows could not be judged because a model says nothing about them.
pub(crate) fn silent_rows(silent: u64, whose: &str) -> Option<Notice> {
    let rows = match silent {
        0 => return None,
        1 => "1 row lacks".to_owned(),
        rows => format!("{rows} rows lack"),
    };
    Some(Notice::new(notice::NO_PREDICTION, format!("{rows} a value that {whose} needs and cannot be judged")))
}

/// Why models have no figures, one line each.
pub(crate) fn failures(entrants: &[Entrant]) -> Vec<String> {
    let reason = |entrant: &Entrant| match &entrant.outcome {
        Err(reason) => Some(reason.clone()),
        Ok(outcome) => outcome.standing.bits.as_ref().err().map(ToString::to_string),
    };
    entrants.iter().filter_map(|entrant| Some(format!("{}: {}", entrant.name, reason(entrant)?))).collect()
}

/// Value and ends of a figure.
pub(crate) fn with_interval<E>(figure: &Result<Estimate, E>) -> [Cell; 3] {
    let Ok(Estimate { value, interval }) = figure else { return [Cell::Empty, Cell::Empty, Cell::Empty] };
    let end = |end: Option<f64>| end.map_or(Cell::Empty, Cell::from);
    [(*value).into(), end(interval.map(|i| i.0)), end(interval.map(|i| i.1))]
}

/// A model that has a loss, by name.
type Runner<'a> = (&'a str, &'a Outcome);

/// The model with the fewest bits and all others that have a loss.
fn contest(entrants: &[Entrant]) -> Option<(Runner<'_>, Vec<Runner<'_>>)> {
    let running = |entrant: &'_ Entrant| -> bool { entrant.outcome.as_ref().is_ok_and(|outcome| outcome.standing.bits.is_ok()) };
    let bits = |outcome: &Outcome| outcome.standing.bits.as_ref().map_or(f64::INFINITY, |bits| bits.value);
    let all: Vec<Runner<'_>> =
        entrants.iter().filter(|e| running(e)).filter_map(|e| Some((e.name.as_str(), e.outcome.as_ref().ok()?))).collect();
    let best = all.iter().min_by(|a, b| bits(a.1).total_cmp(&bits(b.1)))?;
    let others = all.iter().filter(|other| other.0 != best.0).copied().collect();
    Some((*best, others))
}

/// Every model against the one with the fewest bits: differences of bits and of areas, with p-values adjusted by Holm's method.
pub(crate) fn pairs(entrants: &[Entrant]) -> Table {
    let columns =
        ["model", "against", "more_bits", "more_bits_low", "more_bits_high", "p_value", "p_holm", "auc_difference", "auc_p_value"];
    let mut table = Table::new("pairs", &columns);
    let Some(((best_name, best), others)) = contest(entrants) else { return table };
    let paired: Vec<_> = others.iter().map(|(_, other)| paired_loss(&other.rows, &best.rows)).collect();
    let adjusted = holm(&paired.iter().map(|pair| pair.as_ref().map_or(1.0, |pair| pair.p_value)).collect::<Vec<_>>());
    for (((name, other), pair), p_holm) in others.iter().zip(&paired).zip(adjusted) {
        let mut row = vec![Cell::from(*name), best_name.into()];
        row.extend(with_interval(&pair.as_ref().map(|pair| pair.difference)));
        row.extend([pair.as_ref().map_or(Cell::Empty, |pair| pair.p_value.into()), p_holm.into()]);
        let areas = (other.standing.slope.is_ok() || best.standing.slope.is_ok()).then(|| {
            let (left, right) = (other.rows.log_odds(), best.rows.log_odds());
            paired_areas([&left, &right], best.rows.labels(), Some(best.rows.weights()), 1, Weighting::Frequency)
        });
        match areas {
            Some(Ok(areas)) => row.extend([areas.difference().into(), areas.p_value().into()]),
            _ => row.extend([Cell::Empty, Cell::Empty]),
        }
        table.push(row);
    }
    table
}

/// Names a winner only where the others are all worse by more than chance.
pub(crate) fn verdict(entrants: &[Entrant]) -> String {
    let Some(((best_name, best), others)) = contest(entrants) else { return "no model could be judged".into() };
    if others.is_empty() {
        return format!("{best_name} is the only model that could be judged");
    }
    let p: Vec<f64> = others.iter().map(|(_, other)| paired_loss(&other.rows, &best.rows).map_or(1.0, |pair| pair.p_value)).collect();
    let close: Vec<&str> = others.iter().zip(holm(&p)).filter(|(_, p)| *p >= LEVEL).map(|((name, _), _)| *name).collect();
    let saves = best.standing.bits_saved.as_ref().ok().and_then(|saved| saved.interval).is_some_and(|(low, _)| low > 0.0);
    let worth = if saves { "" } else { "; it does not clearly beat the class shares alone" };
    match close.is_empty() {
        true => format!("{best_name} needs the fewest bits, and fewer than every other model (Holm p < {LEVEL}){worth}"),
        false => format!("{best_name} has the fewest bits, but {} may be as good{worth}", close.join(", ")),
    }
}

/// Holm's adjustment: the smallest p-value times their number, the next times one less …, never falling.
fn holm(p_values: &[f64]) -> Vec<f64> {
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
pub(crate) fn mean(earlier: &Standing, next: &Standing, count: u64) -> Standing {
    let share = 1.0 / (count + 1) as f64;
    let mix = |a: f64, b: f64| a + share * (b - a);
    let both = |a: &Figure, b: &Figure| -> Figure {
        let (a, b) = (a.as_ref().map_err(Clone::clone)?, b.as_ref().map_err(Clone::clone)?);
        let interval = a.interval.zip(b.interval).map(|(a, b)| (mix(a.0, b.0), mix(a.1, b.1)));
        Ok(Estimate { value: mix(a.value, b.value), interval })
    };
    Standing {
        bits: both(&earlier.bits, &next.bits),
        bits_saved: both(&earlier.bits_saved, &next.bits_saved),
        brier: both(&earlier.brier, &next.brier),
        auc: both(&earlier.auc, &next.auc),
        slope: both(&earlier.slope, &next.slope),
        accuracy: both(&earlier.accuracy, &next.accuracy),
    }
}

/// Free parameters of a model: what it says itself, or its estimates without those that the others determine.
pub(crate) fn parameters(model: &dyn Classifier) -> Option<u64> {
    let card = model.card();
    let told = card.facts.iter().find(|(name, _)| name == "free parameters" || name == "parameters").map(|(_, cell)| cell.clone());
    if let Some(Cell::Count(count)) = told {
        return Some(count);
    }
    let column = |name: &str| card.tidy.columns.iter().position(|known| known == name);
    let (class, feature, parameter) = (column("class")?, column("column")?, column("parameter")?);
    let text = |cell: &Cell| if let Cell::Text(text) = cell { text.clone() } else { String::new() };
    let shared_variances = card.facts.iter().any(|(name, value)| name == "variances" && *value != Cell::from("per-class"));
    let (mut count, mut sums) = (0u64, std::collections::BTreeSet::new());
    let mut deviations = std::collections::BTreeSet::new();
    for row in &card.tidy.rows {
        let name = text(&row[parameter]);
        count += 1;
        match name.as_str() {
            // Shares of a class add up to one, and so do priors.
            "prior" => drop(sums.insert((String::new(), String::new()))),
            "share" => drop(sums.insert((text(&row[class]), text(&row[feature])))),
            "sd" if shared_variances => {
                count -= 1;
                deviations.insert(text(&row[feature]));
            }
            _ => {}
        }
    }
    let single = card.facts.iter().any(|(name, value)| name == "variances" && *value == Cell::from("single"));
    let deviations = if single { deviations.len().min(1) } else { deviations.len() };
    Some(count + deviations as u64 - sums.len() as u64)
}

/// Weights of linear models side by side, one row per term.
pub(crate) fn weights(fitted: &[(String, Box<dyn Classifier>)]) -> Table {
    let linear: Vec<(&str, Table)> =
        fitted.iter().filter_map(|(name, model)| Some((name.as_str(), model.linear()?.table(model.layout())))).collect();
    let columns: Vec<String> =
        ["class", "term", "level"].into_iter().map(String::from).chain(linear.iter().map(|(name, _)| visible(name))).collect();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (at, (_, table)) in linear.iter().enumerate() {
        for line in &table.rows {
            let place = match rows.iter().position(|row| row[..3] == line[..3]) {
                Some(place) => place,
                None => {
                    let mut row = line[..3].to_vec();
                    row.resize(columns.len(), Cell::Empty);
                    rows.push(row);
                    rows.len() - 1
                }
            };
            rows[place][3 + at] = line[3].clone();
        }
    }
    Table { name: "weights".into(), columns, rows }
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
