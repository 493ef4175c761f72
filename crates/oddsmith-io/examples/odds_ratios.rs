//! Odds ratios with profile intervals from a CSV file, by a formula; rows larger than memory are read again for every pass.
//!
//! `cargo run --release -p oddsmith-io --example odds_ratios` in the root of the project.

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::path::Path;

use oddsmith::prelude::*;
use oddsmith_io::{Input, ReadOptions, Roles, open};

/// Fits the regression of the README.
pub(crate) fn main() -> oddsmith::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/births.csv");
    let formula = Formula::parse("low ~ age + lwt + C(race, ref = white) + smoke")?;
    let (entry, options) = registry::parse("logistic(unit=\"age=10\")")?;
    let learner = (entry.build)(&options.with_formula(Some(formula.clone()))?)?;

    let roles = Roles { target: Some("low".into()), features: Some(formula.columns()), ..Roles::default() };
    let options = ReadOptions { memory: 1 << 20, ..ReadOptions::default() };
    let opened = open(&Input::Path(path), &options, &roles, &Control::new())?;
    let fitted = fit(&learner, &*opened.source, None, &Control::new())?;

    // The card for people, and the same as plain data.
    let card = fitted.model.card();
    println!("{}", oddsmith_report::render(&card, oddsmith_report::Format::Table, &oddsmith_report::Style::default()));
    let ratio = card.tidy.column("odds_ratio").and_then(|cells| cells.last());
    assert!(matches!(ratio, Some(Cell::Number(smoke)) if (smoke - 2.87).abs() < 0.01));
    Ok(())
}
