//! The straight line of a regression whose columns are numbers as they are and levels of categories.

use crate::data::{Plane, Space};
use crate::model::linear::model::LogisticModel;
use crate::model::term::{LevelTerm, NumberTerm, Term, WordTerm};
use crate::model::{LinearLogOdds, Prepared};

impl LogisticModel {
    /// The exact weights by column; `None` for designs with interactions, functions or an offset, for averages over a posterior, and for infinite weights.
    pub(crate) fn as_linear_log_odds(&self) -> Option<LinearLogOdds> {
        let (layout, parameters) = (&self.layout, &self.parameters);
        let (outputs, classes) = (parameters.outputs(), parameters.outputs() + 1);
        if self.design.has_offset() || self.is_averaged() || self.is_infinite() {
            return None;
        }
        let mut numbers = NumberTerm { columns: Vec::new(), centre: Vec::new(), base: Vec::new(), weights: Vec::new() };
        let mut levels: Vec<(usize, Vec<f64>)> = Vec::new();
        let mut base: Vec<f64> = std::iter::once(0.0).chain(parameters.base.iter().copied()).collect();
        for (j, column) in self.design.columns().iter().enumerate() {
            let [(name, level)] = &column.labels[..] else { return None };
            let feature = layout.index(name).ok()?;
            let weights: Vec<f64> = std::iter::once(0.0).chain((0..outputs).map(|m| parameters.of(m)[j])).collect();
            match (layout.plane(feature), &layout.features()[feature].space, level) {
                (Plane::Numbers(at), _, None) => {
                    numbers.columns.push(at);
                    numbers.centre.push(parameters.centre[j]);
                    numbers.base.extend(vec![0.0; classes]);
                    numbers.weights.extend(weights);
                }
                (Plane::Codes(at), Space::Levels { levels: known, .. }, Some(level)) => {
                    if self.design.terms()[column.term].reference.len() != 1 {
                        return None;
                    }
                    let code = known.code(level)? as usize;
                    if levels.last().is_none_or(|(last, _)| *last != at) {
                        levels.push((at, vec![0.0; known.len() * classes]));
                    }
                    for (k, weight) in weights.iter().enumerate() {
                        levels.last_mut()?.1[code * classes + k] = *weight;
                        base[k] -= weight * parameters.centre[j];
                    }
                }
                _ => return None,
            }
        }
        let mut terms = vec![Term::Numbers(numbers)];
        if !levels.is_empty() {
            let mut term = LevelTerm { columns: Vec::new(), offsets: vec![0], table: Vec::new(), kernel: Prepared::default() };
            for (at, table) in levels {
                term.columns.push(at);
                term.table.extend(table);
                term.offsets.push(term.table.len() / classes);
            }
            terms.push(Term::Levels(term));
        }
        let mut words = &parameters.words[..];
        for (block, width) in layout.word_widths().into_iter().enumerate() {
            let (mine, rest) = words.split_at(width * outputs);
            let table = mine.chunks_exact(outputs).flat_map(|row| std::iter::once(0.0).chain(row.iter().copied())).collect();
            let (base, required) = (vec![0.0; classes], vec![0; classes]);
            terms.push(Term::Words(WordTerm { block, presence: false, base, required, table, kernel: Prepared::default() }));
            words = rest;
        }
        LinearLogOdds::new(&base, &terms)
    }
}
