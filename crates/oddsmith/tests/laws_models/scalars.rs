//! Every number that a card reports about a fit as a whole stays what it is when columns are measured from another zero or in another
//! unit. Two of them are bound to a unit by what they mean, and follow it by a known amount: the penalised log likelihood holds ½ ln |I|,
//! which grows by ln s for every coefficient of a column that is multiplied by s, and the log evidence of numbers is the logarithm of
//! densities, which fall by ln s for every number.

use std::collections::BTreeMap;

use oddsmith::card;
use oddsmith::data::Kind;
use oddsmith::model::Classifier;
use oddsmith::registry::Units;

use crate::table::ample::{Ample, ample};
use crate::table::conduct::{Kept, ensure, fit, hold, same};
use crate::table::variants::Variant;
use crate::table::{COLUMNS, Cell, Row};

use super::invariance::in_units;

/// Tables on which a variant must have a model, of all.
const MOST: f64 = 0.7;
/// What is said of the search and not of its end.
const OF_THE_SEARCH: [&str; 3] = ["steps", "passes", "distance"];
/// How far a sum over rows may lie off, as a share of it.
const ROUNDING: f64 = 1e-9;

/// The numbers among the facts.
fn scalars(model: &dyn Classifier) -> BTreeMap<String, f64> {
    let number = |(name, cell): (String, card::Cell)| match cell {
        card::Cell::Number(value) | card::Cell::PValue(value) => Some((name, value)),
        card::Cell::Count(value) => Some((name, value as f64)),
        _ => None,
    };
    model.card().facts.into_iter().filter_map(number).filter(|(name, _)| !OF_THE_SEARCH.contains(&name.as_str())).collect()
}

/// What a scalar gains when every number column is multiplied by `scale`.
fn gain(name: &str, variant: &Variant, table: &Ample, model: &dyn Classifier, scale: f64) -> f64 {
    match name {
        "penalised log likelihood" => coefficients_of_numbers(model) * scale.ln(),
        "log evidence" => -cells(variant, table) * scale.ln(),
        _ => 0.0,
    }
}

/// Numbers in rows that count, as often as they do.
fn cells(variant: &Variant, table: &Ample) -> f64 {
    let numbers = |row: &Row| variant.columns.iter().filter(|j| matches!(row.cells[**j], Cell::Number(x) if x.is_finite())).count() as f64;
    // Discriminants are fitted to complete rows.
    let complete = |row: &Row| variant.columns.iter().all(|j| row.cells[*j] != Cell::Missing);
    let counts = |row: &&Row| row.class.is_some() && (!["lda", "qda"].contains(&variant.entry.name) || complete(row));
    table.rows.iter().filter(counts).map(|row| row.weight * numbers(row)).sum()
}

fn coefficients_of_numbers(model: &dyn Classifier) -> f64 {
    let view = model.linear().unwrap();
    let numbers = view.weights(model.layout()).into_iter().filter(|weight| {
        let number = weight.feature.is_some_and(|j| model.layout().features()[j].kind() == Kind::Number);
        number && weight.values.iter().any(|value| *value != 0.0)
    });
    (numbers.count() * (model.layout().classes().len() - 1)) as f64
}

#[test]
fn reported_scalars_do_not_depend_on_the_units_of_columns() {
    hold(6, ample(), MOST, |variant, table| {
        let changes: &[(f64, f64)] = match variant.units {
            Units::Fixed => return Ok(fit(variant, table)?.map_or_else(Kept::NoModel, |_| Kept::Model)),
            Units::Zero => &[(1.0, 1e6)],
            Units::Free => &[(1.0, 1e6), (1000.0, 0.0)],
        };
        // The mean of a height of 1e8 is rounded to 1e-8, which another unit rounds otherwise: heights are brought near the other columns.
        let table = in_units(table, 1.0, |j| if COLUMNS[j].0 == "height" { 4096.0 - 1e8 } else { 0.0 });
        let left = match fit(variant, &table)? {
            Ok(left) => left,
            Err(reason) => return Ok(Kept::NoModel(reason)),
        };
        let mine = scalars(&*left);
        for (scale, shift) in changes {
            let right = fit(variant, &in_units(&table, *scale, |_| *shift))?.map_err(|reason| format!("no model: {reason}"))?;
            let theirs = scalars(&*right);
            ensure(mine.keys().eq(theirs.keys()), || format!("{mine:?} and {theirs:?}"))?;
            for (name, value) in &mine {
                let (want, got) = (value + gain(name, variant, &table, &*left, *scale), theirs[name]);
                let what = || format!("{scale} × (x + {shift}): {name} is {got} where it should be {want}");
                ensure(same(want, got, variant.tolerance.max(ROUNDING)), what)?;
            }
        }
        Ok(Kept::Model)
    });
}
