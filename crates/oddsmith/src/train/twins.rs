//! Generative models and their discriminative twins: the same straight line, estimated under assumptions and without them.
//!
//! Where the assumptions of the generative model hold, both estimate the same weights. Their difference d has a standard error from leaving
//! folds out, one after the other: se² = (k − 1)/k Σ_f (d_f − d̄)², and d/se is compared with Student's t of k − 1 degrees of freedom.
//! Several weights are adjusted by Holm's method. Cost: k + 1 fits of each model.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::candidate::holm;
use super::compare::{Candidate, Comparison};
use super::driver::fit;
use crate::card::{Cell, FixedTable, Table};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Classifier;
use crate::num::special::student_t;

/// What is said about every weight of a pair.
const TWINS: [&str; 12] = [
    "generative",
    "discriminative",
    "class",
    "term",
    "level",
    "weight_generative",
    "weight_discriminative",
    "difference",
    "std_error",
    "p_value",
    "p_holm",
    "note",
];

/// Weights by class, term and level.
type Weights = Vec<([Cell; 3], f64)>;

/// A model with straight log odds.
struct Line {
    name: String,
    generative: bool,
    /// Fitted to all rows.
    whole: Weights,
    /// Fitted without a fold.
    without: Vec<Weights>,
}

fn weights(model: &dyn Classifier) -> Option<Weights> {
    let table = model.linear()?.table(model.layout());
    let row = |row: &Vec<Cell>| match row[3] {
        Cell::Number(weight) => Some(([row[0].clone(), row[1].clone(), row[2].clone()], weight)),
        _ => None,
    };
    Some(table.rows().iter().filter_map(row).collect())
}

fn weight_of(weights: &Weights, term: &[Cell; 3]) -> Option<f64> {
    weights.iter().find(|(known, _)| known == term).map(|(_, weight)| *weight)
}

impl Comparison<'_> {
    /// Every weight of a generative model beside that of every discriminative one, and whether they differ by more than chance.
    pub fn twins(&self) -> Result<Table> {
        let mut table = FixedTable::new("twins", TWINS);
        let lines = self.candidates.iter().filter_map(|candidate| self.line(candidate).transpose()).collect::<Result<Vec<_>>>()?;
        let of_kind = |generative: bool| lines.iter().any(|line| line.generative == generative);
        if !(of_kind(true) && of_kind(false)) {
            let told = self.candidates.iter().map(|candidate| candidate.name.as_str()).collect::<Vec<_>>().join(",");
            return Err(Error::option(
                "models",
                told,
                "for generative–discriminative pairs one model of each kind with linear log odds, such as lda,logistic",
            ));
        }
        for generative in lines.iter().filter(|line| line.generative) {
            for other in lines.iter().filter(|line| !line.generative) {
                compare(generative, other, &mut table);
            }
        }
        Ok(table.into())
    }

    /// The weights of a model; `None` when it has none or cannot be fitted.
    fn line(&self, candidate: &Candidate) -> Result<Option<Line>> {
        let folds = self.deal(0)?;
        let tables = folds.gather(&[&*candidate.learner])?;
        let whole = fit(&candidate.learner, self.source, self.threads, self.control);
        let refits = whole.and_then(|whole| Ok((whole.model, folds.models(&*candidate.learner, tables.as_ref())?)));
        match refits {
            Ok((model, refits)) => {
                let without = refits.iter().map(|model| weights(&**model)).collect::<Option<Vec<_>>>();
                let generative = model.generative().is_some();
                let line = weights(&*model).zip(without);
                Ok(line.map(|(whole, without)| Line { name: candidate.name.clone(), generative, whole, without }))
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => Err(error),
            Err(_) => Ok(None),
        }
    }
}

fn compare(generative: &Line, other: &Line, table: &mut FixedTable<12>) {
    let mut rows = Vec::new();
    for (term, weight) in &generative.whole {
        let Some(theirs) = weight_of(&other.whole, term) else { continue };
        let refits = generative.without.iter().zip(&other.without);
        let differences: Option<Vec<f64>> = refits.map(|(a, b)| Some(weight_of(a, term)? - weight_of(b, term)?)).collect();
        rows.push((term, *weight, theirs, differences.and_then(|differences| standard_error(&differences))));
    }
    let p_value = |difference: f64, error: Option<(f64, f64)>| {
        error.map(|(error, freedom)| student_t::two_sided(difference / error, freedom)).filter(|p| p.is_finite())
    };
    let p: Vec<Option<f64>> = rows.iter().map(|(_, a, b, error)| p_value(a - b, *error)).collect();
    let tested: Vec<f64> = p.iter().flatten().copied().collect();
    let mut adjusted = holm(&tested).into_iter();
    for ((term, weight, theirs, error), p) in rows.into_iter().zip(p) {
        let cell = |value: Option<f64>| value.map_or(Cell::Empty, Cell::from);
        let [class, term, level] = term.clone();
        let note = if p.is_some() { Cell::Empty } else { "no test: the difference is the same without any one fold".into() };
        table.push([
            generative.name.as_str().into(),
            other.name.as_str().into(),
            class,
            term,
            level,
            weight.into(),
            theirs.into(),
            (weight - theirs).into(),
            cell(error.map(|(error, _)| error)),
            cell(p),
            cell(p.and_then(|_| adjusted.next())),
            note,
        ]);
    }
}

/// The standard error of a difference from leaving groups out, and its degrees of freedom; `None` when nothing varies.
fn standard_error(left_out: &[f64]) -> Option<(f64, f64)> {
    let k = left_out.len() as f64;
    let mean = left_out.iter().sum::<f64>() / k;
    let squares: f64 = left_out.iter().map(|value| (value - mean).powi(2)).sum();
    let error = ((k - 1.0) / k * squares).sqrt();
    (error > 0.0 && error.is_finite()).then_some((error, k - 1.0))
}

/// Weights of linear models side by side, one row per term.
pub fn weight_table(fitted: &[(String, Box<dyn Classifier>)]) -> Table {
    let linear: Vec<(&str, Weights)> = fitted.iter().filter_map(|(name, model)| Some((name.as_str(), weights(&**model)?))).collect();
    let mut table = FixedTable::new("weights", ["class", "term", "level"]);
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (term, _) in linear.iter().flat_map(|(_, weights)| weights) {
        let next = places.len();
        if let Entry::Vacant(place) = places.entry(format!("{term:?}")) {
            place.insert(next);
            table.push(term.clone());
        }
    }
    let mut table = Table::from(table);
    for (name, weights) in linear {
        let mut cells = vec![Cell::Empty; places.len()];
        weights.iter().for_each(|(term, weight)| cells[places[&format!("{term:?}")]] = (*weight).into());
        table.push_column(name, |i, _| std::mem::replace(&mut cells[i], Cell::Empty));
    }
    table
}
