//! A regression as people read it: one line about the fit, odds ratios with their reference rows, one line about how well it does.

use oddsmith::Error;
use oddsmith::ErrorKind;
use oddsmith::card::{Card, Cell, Table};
use oddsmith::error::visible;
use oddsmith::model::Classifier;
use oddsmith::model::linear::LogisticModel;
use oddsmith_report::{Format, for_people};

use crate::console::Console;
use crate::exit::Failure;

/// Writes a regression: odds ratios for people, every parameter for programs. `before` are cards that programs get too.
pub(crate) fn write(
    model: &LogisticModel,
    card: &Card,
    before: &[(&str, &Card)],
    judgement: Option<&str>,
    console: &Console,
) -> Result<(), Failure> {
    match console.format() {
        Format::Table => {
            console.result(&for_readers(model, card))?;
            judgement.map_or(Ok(()), |line| console.text(&format!("{line}\n")))
        }
        Format::Md | Format::Html | Format::Latex => {
            let mut shown = for_readers(model, card);
            shown.facts.extend(judgement.map(|line| ("fit".to_owned(), line.into())));
            console.result(&shown)
        }
        Format::Csv | Format::Json | Format::Ndjson => {
            let tests: Vec<Card> = model.tables().into_iter().map(test_card).collect();
            let mut cards = before.to_vec();
            cards.extend(tests.iter().map(|card| (card.tidy.name.as_str(), card)));
            cards.push(("model", card));
            console.result(&cards[..])
        }
    }
}

fn test_card(tidy: Table) -> Card {
    let title = match tidy.name.as_str() {
        "drop1" => "Each term against the model without it",
        _ => "Terms in the order of the formula",
    };
    Card { title: title.into(), facts: Vec::new(), tidy, notices: Vec::new() }
}

/// The card with what a person looks for first.
fn for_readers(model: &LogisticModel, card: &Card) -> Card {
    let account = model.account();
    let left_out: u64 = account.dropped.iter().map(|(_, rows)| rows).sum();
    let weight: f64 = account.class_weights.iter().sum();
    let mut rows = account.rows.to_string();
    // Counts and weights make more of a row than one observation.
    if (weight - account.rows as f64).abs() > 1e-9 * weight {
        rows = format!("{} in {rows} rows", for_people(weight));
    }
    if left_out > 0 {
        rows = format!("{rows} ({left_out} left out)");
    }
    let classes = model.layout().classes().labels();
    let mut facts: Vec<(String, Cell)> = vec![("n".into(), rows.into())];
    match classes {
        [_, event] => facts.push(("events".into(), format!("{} ({})", for_people(account.class_weights[1]), visible(event)).into())),
        [reference, others @ ..] => {
            let others: Vec<String> = others.iter().map(|label| visible(label)).collect();
            facts.push(("classes".into(), format!("{} against {}", others.join(", "), visible(reference)).into()));
        }
        [] => {}
    }
    let parameters = model.parameters();
    let slopes = parameters.kept.len() * parameters.outputs() + parameters.words.len();
    facts.push(("df".into(), slopes.into()));
    let steps = if account.steps == 1 { "1 step".to_owned() } else { format!("{} steps", account.steps) };
    let within = bound(account.distance);
    facts.push(("converged in".into(), format!("{steps}, within {within:e} standard errors").into()));
    let fact = |name: &str| card.facts.iter().find(|(known, _)| known == name).map(|(_, cell)| cell.clone());
    if let (Some(Cell::Number(chi)), Some(Cell::Number(p))) = (fact("signal chi2"), fact("signal p")) {
        facts.push(("any signal".into(), format!("χ² {}, p {}", for_people(chi), p_for_people(p)).into()));
    }
    for name in ["aic", "standard errors", "clusters"] {
        facts.extend(fact(name).map(|cell| (if name == "aic" { "AIC" } else { name }.to_owned(), cell)));
    }
    let tidy = model.summary().unwrap_or_else(|| card.tidy.clone());
    Card { title: card.title.clone(), facts, tidy, notices: card.notices.clone() }
}

/// The power of ten that a distance stays below; what is smaller than that of a converged fit is rounding.
fn bound(distance: f64) -> f64 {
    const SMALLEST: i32 = -10;
    let exponent = distance.log10().ceil();
    10f64.powi(if exponent.is_finite() { (exponent as i32).max(SMALLEST) } else { SMALLEST })
}

fn p_for_people(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }
}

/// All tests in one table.
pub(crate) fn tests_table(model: &dyn Classifier) -> Result<Table, Failure> {
    let tables = model.tables();
    let Some(first) = tables.first() else {
        let advice = "tests belong to regressions without a penalty, fitted without --no-tests".into();
        return Err(Error::from(ErrorKind::Unsupported { model: model.card().title, what: "show tests".into(), advice }).into());
    };
    let columns = std::iter::once("test".to_owned()).chain(first.columns.iter().cloned()).collect();
    let mut all = Table { name: "tests".into(), columns, rows: Vec::new() };
    for table in &tables {
        let name = |row: &Vec<Cell>| std::iter::once(Cell::from(table.name.as_str())).chain(row.iter().cloned()).collect();
        all.rows.extend(table.rows.iter().map(name));
    }
    Ok(all)
}
