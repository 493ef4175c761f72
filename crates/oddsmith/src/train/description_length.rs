//! How many bits tell the classes of the rows of a fit: the model first, then the classes by it.
//!
//! ```text
//! −log2 L + (k/2) log2 n     any model that gives probabilities, k its free parameters
//! beside it: the classes without columns, by Krichevsky and Trofimov and by normalised maximum likelihood (exact), and −log2 of the
//! evidence where the model has one for the classes given the columns
//! ```
//!
//! n is the rows that weights are worth as evidence. Cost: one pass.

use std::num::NonZeroUsize;

use super::column_source::ColumnSource;
use super::driver::pass;
use super::evaluator::Evaluator;
use crate::card::{Cell, FixedTable, Table};
use crate::control::Control;
use crate::data::Source;
use crate::error::Result;
use crate::eval::LogLoss;
use crate::info::{TwoPart, krichevsky_trofimov_bits, normalized_likelihood_bits};
use crate::model::{Classifier, Evidence, EvidenceOf, Predictor};

/// The lengths of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct DescriptionLength {
    /// Classes and model; infinite where the model finds a class impossible.
    pub parts: TwoPart,
    /// Rows that count as evidence.
    pub rows: f64,
    /// Free parameters.
    pub parameters: usize,
    /// The classes without columns, by the code of Krichevsky and Trofimov.
    pub base_bits: f64,
    /// The same by normalised maximum likelihood; `None` where weights are no whole counts.
    pub normalized_bits: Option<f64>,
    /// What the model has of evidence.
    pub evidence: Option<Evidence>,
    /// Rows that the model says nothing about and that are not in the lengths.
    pub silent: u64,
}

/// The lengths of a model over the rows that it was fitted to, chosen among so many candidates.
pub fn description_length(
    model: &dyn Classifier,
    source: &dyn Source,
    candidates: usize,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> Result<DescriptionLength> {
    Predictor::new(model).check_for("say how long a description of the classes is")?;
    let layout = source.layout();
    let empty = Evaluator::new(model, LogLoss::new(layout.classes().len(), layout.weighting()));
    let narrowed = if layout == model.layout() { None } else { Some(ColumnSource::for_model(source, model)?) };
    let judged = pass(narrowed.as_ref().map_or(source, |narrowed| narrowed as &dyn Source), &empty, threads, control)?;
    let silent = judged.silent();
    let loss = judged.into_sums();
    let weights = loss.class_weights();
    let rows = weights.effective_rows(layout.weighting());
    let log_likelihood = loss.nats().map_or(f64::NEG_INFINITY, |nats| -nats.value * rows);
    let parameters = model.free_parameters();
    // Sampling weights are worth fewer rows than they add up to.
    let per_weight = if weights.total() > 0.0 { rows / weights.total() } else { 1.0 };
    let counts: Vec<f64> = weights.weight.iter().map(|weight| weight * per_weight).collect();
    let whole: Option<Vec<u64>> = counts.iter().map(|n| (n.fract() == 0.0 && *n < 9e15).then_some(*n as u64)).collect();
    Ok(DescriptionLength {
        parts: TwoPart::of_likelihood(log_likelihood, parameters as f64, rows.max(1.0), candidates),
        rows,
        parameters,
        base_bits: krichevsky_trofimov_bits(&counts),
        normalized_bits: whole.map(|counts| normalized_likelihood_bits(&counts)).transpose()?,
        evidence: model.evidence(),
        silent,
    })
}

impl DescriptionLength {
    /// Bits of the evidence of the classes given the columns, where the model has it.
    pub fn evidence_bits(&self) -> Option<f64> {
        self.evidence.filter(|evidence| evidence.of == EvidenceOf::Classes).map(|evidence| evidence.bits())
    }

    /// One line for every way to tell the classes.
    pub fn table(&self) -> Table {
        let mut table = FixedTable::new("description_length", ["what", "bits"]);
        let mut line = |what: &str, bits: f64| table.push([what.into(), Cell::from(bits)]);
        line("classes given the model", self.parts.data);
        line("model", self.parts.model);
        line("both parts", self.parts.total());
        if let Some(bits) = self.evidence_bits() {
            line("classes by the evidence of the model", bits);
        }
        line("classes without columns (Krichevsky-Trofimov)", self.base_bits);
        if let Some(bits) = self.normalized_bits {
            line("classes without columns (normalised maximum likelihood)", bits);
        }
        line("saved by the model", self.base_bits - self.parts.total());
        table.into()
    }
}

/// The lengths of several models, the shortest first, and of the classes without columns.
pub fn length_table(models: &[(String, std::result::Result<DescriptionLength, String>)]) -> Table {
    let columns = ["model", "data_bits", "model_bits", "total_bits", "above_best", "evidence_bits", "parameters", "note"];
    let mut table = FixedTable::new("description_lengths", columns);
    let mut lines: Vec<(&str, [Option<f64>; 4], &str)> = Vec::new();
    for (name, found) in models {
        match found {
            Ok(length) => {
                let parts = length.parts;
                let numbers = [Some(parts.data), Some(parts.model), length.evidence_bits(), Some(length.parameters as f64)];
                lines.push((name, numbers, ""));
            }
            Err(reason) => lines.push((name, [None; 4], reason)),
        }
    }
    if let Some(length) = models.iter().find_map(|(_, found)| found.as_ref().ok()) {
        lines.push(("(no columns)", [Some(length.base_bits), Some(0.0), None, Some(0.0)], "by the code of Krichevsky and Trofimov"));
    }
    let total = |line: &(&str, [Option<f64>; 4], &str)| line.1[0].zip(line.1[1]).map(|(data, model)| data + model);
    lines.sort_by(|a, b| total(a).unwrap_or(f64::INFINITY).total_cmp(&total(b).unwrap_or(f64::INFINITY)));
    let best = lines.first().and_then(total);
    for line in &lines {
        let cell = |value: Option<f64>| value.map_or(Cell::Empty, Cell::from);
        let (name, [data, model, evidence, parameters], note) = line;
        let all = total(line);
        table.push([
            (*name).into(),
            cell(*data),
            cell(*model),
            cell(all),
            cell(all.zip(best).map(|(all, best)| if all == best { 0.0 } else { all - best })),
            cell(*evidence),
            parameters.map_or(Cell::Empty, |count| Cell::from(count as u64)),
            if note.is_empty() { Cell::Empty } else { (*note).into() },
        ]);
    }
    table.into()
}
