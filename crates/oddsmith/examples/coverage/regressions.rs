//! Intervals of regressions, of matched sets and of effects in risk.

use std::num::NonZeroUsize;

use oddsmith::card::{Card, Cell};
use oddsmith::control::Control;
use oddsmith::data::{AlignedSource, Classes, CodesView, Feature, Features, Formula, Layout, Levels, ViewSource, Weighting};
use oddsmith::error::{Error, Result};
use oddsmith::model::{Classifier, Conclusion};
use oddsmith::num::MatrixView;
use oddsmith::registry;
use oddsmith::study::estimate::{Estimate, two_sided_z};
use oddsmith::train::{conclude, fit};

use crate::{LEVEL, Page, Random, Tally};

/// Rows of a binary exposure `x`, a number `z`, and categories `set` and `site` that rows of matched sets have.
pub(crate) struct Drawn {
    layout: Layout,
    pub(crate) numbers: Vec<f64>,
    codes: Vec<u32>,
    pub(crate) labels: Vec<u32>,
}

impl Drawn {
    pub(crate) fn new(sets: usize, sites: usize) -> Result<Self> {
        Drawn::of_classes(sets, sites, &["no", "yes"])
    }

    /// Rows of other classes.
    pub(crate) fn of_classes(sets: usize, sites: usize, classes: &[&str]) -> Result<Self> {
        let names = |count: usize| Levels::sorted((0..count).map(|at| format!("{at:05}")).collect());
        let columns = vec![
            Feature::number("x"),
            Feature::number("z"),
            Feature::category("set", names(sets)),
            Feature::category("site", names(sites)),
        ];
        let classes = Classes::new(classes.iter().map(|class| (*class).to_owned()).collect())?;
        let layout = Layout::new("y", columns, classes, Weighting::None)?;
        Ok(Drawn { layout, numbers: Vec::new(), codes: Vec::new(), labels: Vec::new() })
    }

    pub(crate) fn push(&mut self, x: f64, z: f64, (set, site): (u32, u32), event: bool) {
        self.push_class(x, z, (set, site), u32::from(event));
    }

    pub(crate) fn push_class(&mut self, x: f64, z: f64, (set, site): (u32, u32), class: u32) {
        self.numbers.extend([x, z]);
        self.codes.extend([set, site]);
        self.labels.push(class);
    }

    pub(crate) fn source(&self) -> Result<ViewSource<'_>> {
        let rows = self.labels.len();
        let numbers = MatrixView::row_major(&self.numbers, rows, 2)?;
        let codes = CodesView::row_major(&self.codes, rows, 2)?;
        ViewSource::new(&self.layout, Features { numbers, codes, words: &[] }, &self.labels, None)
    }
}

pub(crate) fn number(card: &Card, row: usize, column: &str) -> f64 {
    let cell = card.tidy.position(column).and_then(|at| card.tidy.rows().get(row).map(|cells| &cells[at]));
    match cell {
        Some(Cell::Number(value) | Cell::PValue(value)) => *value,
        _ => f64::NAN,
    }
}

/// The interval in a row of a tidy table.
pub(crate) fn interval(card: &Card, row: usize) -> Option<Estimate> {
    Some(Estimate::between(number(card, row, "estimate"), (number(card, row, "conf_low"), number(card, row, "conf_high"))))
}

/// The interval about an estimate when rows are a sample themselves, which the standard error in another column is for.
fn sampled(card: &Card, row: usize, ratio: bool) -> Option<Estimate> {
    let (value, std_error) = (number(card, row, "estimate"), number(card, row, "std_error_sampled"));
    let reach = two_sided_z(LEVEL) * std_error;
    let limits = if ratio { (value * (-reach).exp(), value * reach.exp()) } else { (value - reach, value + reach) };
    Some(Estimate::between(value, limits))
}

/// The card of matched sets.
pub(crate) fn matched_card(given: &[(&str, &str)], rows: &Drawn) -> Result<Card> {
    let Some(entry) = registry::analysis("conditional-logistic") else { return Err(Error::internal("there are no matched sets")) };
    let params = given.iter().try_fold(entry.defaults(), |params, (name, value)| params.with(name, value))?;
    let procedure = (entry.build)(&params.with_formula(Some(Formula::parse("y ~ x + z")?))?)?;
    Ok(card(conclude(&procedure, &rows.source()?, NonZeroUsize::new(1), &Control::new())?.model))
}

/// A regression of the formula: logistic, which is what formulas are for by default.
pub(crate) fn regressed(given: &[(&str, &str)], rows: &Drawn) -> Result<Box<dyn Classifier>> {
    let entry = registry::default_for(true);
    let params = given.iter().try_fold(entry.defaults(), |params, (name, value)| params.with(name, value))?;
    let learner = (entry.build)(&params.with_formula(Some(Formula::parse("y ~ x + z")?))?)?;
    Ok(fit(&learner, &rows.source()?, NonZeroUsize::new(1), &Control::new())?.model)
}

fn card(conclusion: Conclusion) -> Card {
    match conclusion {
        Conclusion::Card(card) => *card,
        Conclusion::Model(model) => model.card(),
    }
}

/// Sets of `cases` cases and `controls` controls, whose odds are e^{effect · x + 0.5 z} each.
pub(crate) fn matched_sets(random: &mut Random, (sets, cases, controls): (usize, usize, usize), effect: f64) -> Result<Drawn> {
    let mut drawn = Drawn::new(sets, sets.div_ceil(4))?;
    for set in 0..sets {
        let members: Vec<(f64, f64)> = (0..cases + controls).map(|_| (f64::from(random.uniform() < 0.4), random.normal())).collect();
        // Given how many cases there are, every choice is as likely as the product of its odds: draws until the number is right.
        let intercept = -((controls as f64) / (cases as f64)).ln() - 0.4;
        let events = loop {
            let events: Vec<bool> = members.iter().map(|(x, z)| random.uniform() < logistic(intercept + effect * x + 0.5 * z)).collect();
            if events.iter().filter(|event| **event).count() == cases {
                break events;
            }
        };
        for ((x, z), event) in members.into_iter().zip(events) {
            drawn.push(x, z, (set as u32, (set / 4) as u32), event);
        }
    }
    Ok(drawn)
}

pub(crate) fn logistic(eta: f64) -> f64 {
    1.0 / (1.0 + (-eta).exp())
}

/// Intervals of the log odds ratio of an exposure in matched sets.
pub(crate) fn matched(random: &mut Random, drawn: u32, page: &mut Page) -> Result<()> {
    const DESIGNS: [(usize, usize, usize); 3] = [(40, 1, 1), (60, 1, 4), (40, 2, 4)];
    const ROADS: [(&str, &[(&str, &str)]); 5] = [
        ("conditional logistic, Wald", &[("ci", "wald")]),
        ("conditional logistic, profile", &[]),
        ("conditional logistic, Firth, profile", &[("firth", "true")]),
        ("conditional logistic, errors from sets", &[("robust", "HC0")]),
        ("conditional logistic, errors from clusters of four sets", &[("cluster", "site")]),
    ];
    let mut tallies = Vec::new();
    for design in DESIGNS {
        let mut own = vec![Tally::default(); ROADS.len()];
        for _ in 0..drawn {
            let rows = matched_sets(random, design, 0.8)?;
            for ((_, given), tally) in ROADS.iter().zip(&mut own) {
                let given = [&[("strata", "set"), ("no-tests", "true")], *given].concat();
                // Separated sets have no interval, which is told beside the coverage.
                let told = matched_card(&given, &rows).ok();
                tally.see(told.and_then(|card| interval(&card, 0)), 0.8);
            }
        }
        tallies.push(own);
    }
    let situations = DESIGNS.map(|(sets, cases, controls)| format!("{sets} sets {cases}:{controls}"));
    page.table("matched sets", &situations, &ROADS.map(|(name, _)| name), &tallies, drawn);
    Ok(())
}

/// Rows with log odds −1 + effect · x + 0.5 z, in sites of five rows, where z is larger with exposure.
pub(crate) fn cohort(random: &mut Random, n: usize, effect: f64) -> Result<Drawn> {
    let mut drawn = Drawn::new(1, n.div_ceil(5))?;
    for row in 0..n {
        let x = f64::from(random.uniform() < 0.4);
        let z = random.normal() + 0.5 * x;
        let event = random.uniform() < logistic(-1.0 + effect * x + 0.5 * z);
        drawn.push(x, z, (0, (row / 5) as u32), event);
    }
    Ok(drawn)
}

/// Risk difference, risk ratio and marginal odds ratio of x, and the mean slope of z, over rows of (x, z).
pub(crate) fn truths(pairs: impl Iterator<Item = (f64, f64)>) -> [f64; 4] {
    let (mut with, mut without, mut slope, mut n) = (0.0, 0.0, 0.0, 0.0);
    for (x, z) in pairs {
        let own = logistic(-1.0 + 0.8 * x + 0.5 * z);
        with += logistic(-0.2 + 0.5 * z);
        without += logistic(-1.0 + 0.5 * z);
        slope += 0.5 * own * (1.0 - own);
        n += 1.0;
    }
    let (r1, r0) = (with / n, without / n);
    [r1 - r0, r1 / r0, r1 * (1.0 - r0) / (r0 * (1.0 - r1)), slope / n]
}

/// The effect of a column in risk: its card.
pub(crate) fn effects(model: &dyn Classifier, column: &str, rows: &Drawn) -> Option<Card> {
    let procedure = model.inference()?.effects(column, None, LEVEL).ok()?;
    let source = rows.source().ok()?;
    let aligned = AlignedSource::new(&source, model.layout()).ok()?;
    conclude(&procedure, &aligned, NonZeroUsize::new(1), &Control::new()).ok().map(|done| card(done.model))
}

/// The row of a measure in a card of effects.
pub(crate) fn row_of(card: &Card, measure: &str) -> Option<usize> {
    let at = card.tidy.position("measure")?;
    card.tidy.rows().iter().position(|row| matches!(&row[at], Cell::Text(name) if &**name == measure))
}

/// The interval of the log odds of a row with x = 1 and z = 0, which is that of its probability on another scale.
fn individual(model: &dyn Classifier) -> Option<Estimate> {
    let metrics = model.inference()?.row_metrics(&|_| false).ok()?;
    let layout = metrics.layout();
    let numbers: Vec<f64> = layout.numbers().iter().map(|&j| f64::from(layout.features()[j].name == "x")).collect();
    let codes = vec![0; layout.codes().len()];
    let features = Features {
        numbers: MatrixView::row_major(&numbers, 1, numbers.len()).ok()?,
        codes: CodesView::row_major(&codes, 1, codes.len()).ok()?,
        words: &[],
    };
    let told = metrics.of_rows(&features, None, 0).ok()?;
    let named = |name: &str| metrics.names().iter().position(|known| known == name).map(|at| told.metrics[0][at]);
    Some(Estimate::wald(named("log_odds")?, named("std_error")?, LEVEL))
}

/// Intervals of a regression's coefficient, of one row's risk, and of effects in risk: for the rows at hand, and for the population they are a sample of.
pub(crate) fn regression(random: &mut Random, drawn: u32, page: &mut Page) -> Result<()> {
    const SIZES: [usize; 3] = [60, 200, 1000];
    const ROADS: [(&str, &[(&str, &str)]); 4] = [
        ("log odds ratio, Wald", &[("ci", "wald")]),
        ("log odds ratio, profile", &[("ci", "profile")]),
        ("log odds ratio, Firth, profile", &[("firth", "true"), ("ci", "profile")]),
        ("log odds ratio, robust HC1", &[("robust", "HC1"), ("ci", "wald")]),
    ];
    const MEASURES: [(&str, &str, bool); 4] = [
        ("x", "risk difference", false),
        ("x", "risk ratio", true),
        ("x", "marginal odds ratio", true),
        ("z", "mean effect per unit", false),
    ];
    let mut names: Vec<String> = ROADS.iter().map(|(name, _)| (*name).to_owned()).collect();
    for of in ["these rows", "the population"] {
        names.extend(MEASURES.iter().map(|(_, measure, _)| format!("{measure} over {of}")));
    }
    names.push("probability of one row".into());
    let population = truths_of_population(random);
    let mut tallies = Vec::new();
    for size in SIZES {
        let mut own = vec![Tally::default(); names.len()];
        for _ in 0..drawn {
            let rows = cohort(random, size, 0.8)?;
            for ((_, given), tally) in ROADS.iter().zip(&mut own) {
                let told = regressed(given, &rows).ok().map(|model| model.card());
                tally.see(told.and_then(|card| interval(&card, 1)), 0.8);
            }
            let here = truths(rows.numbers.chunks_exact(2).map(|cells| (cells[0], cells[1])));
            let Ok(model) = regressed(&[("ci", "wald")], &rows) else { continue };
            own[names.len() - 1].see(individual(&*model), -0.2);
            for (at, (column, measure, ratio)) in MEASURES.iter().enumerate() {
                let Some(card) = effects(&*model, column, &rows) else { continue };
                let Some(row) = row_of(&card, measure) else { continue };
                own[ROADS.len() + at].see(interval(&card, row), here[at]);
                own[ROADS.len() + MEASURES.len() + at].see(sampled(&card, row, *ratio), population[at]);
            }
        }
        tallies.push(own);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    page.table("regression", &SIZES.map(|size| format!("{size} rows")), &names, &tallies, drawn);
    Ok(())
}

/// The same over a million rows, which is as good as the digits that are printed.
fn truths_of_population(random: &mut Random) -> [f64; 4] {
    let pairs = (0..1_000_000).map(|_| {
        let x = f64::from(random.uniform() < 0.4);
        (x, random.normal() + 0.5 * x)
    });
    truths(pairs)
}
