//! The steps of a search, one after the other, for those who want to follow it.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use super::driver::{Fitted, conclude_watched};
use crate::card::{Cell, FixedTable, Table};
use crate::control::Control;
use crate::data::Source;
use crate::error::Result;
use crate::model::{Look, Procedure};

/// The points from which the searches of a fit went on, in order.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    looks: Vec<(usize, Look)>,
    /// Looks so far of every search.
    steps: BTreeMap<Option<String>, usize>,
}

impl Trace {
    /// Adds the next look of a search; the first is its start, step 0.
    fn take(&mut self, look: Look) {
        let next = self.steps.entry(look.search.clone()).or_insert(0);
        self.looks.push((*next, look));
        *next += 1;
    }

    /// Whether no step was made.
    pub fn is_empty(&self) -> bool {
        self.looks.is_empty()
    }

    /// One row per step and parameter. `estimate` − rate · `gradient` is the next `estimate` of gradient descent.
    pub fn table(&self) -> Table {
        let mut table = FixedTable::new("trace", ["step", "loss", "class", "term", "estimate", "gradient"]);
        let number = |value: Option<f64>| value.map_or(Cell::Empty, Cell::from);
        for (step, look) in &self.looks {
            for parameter in &look.parameters {
                let class = look.search.as_ref().unwrap_or(&parameter.class).as_str();
                let term = parameter.term.as_str();
                let (loss, slope) = (number(look.loss), number(parameter.slope));
                table.push([(*step).into(), loss, class.into(), term.into(), parameter.value.into(), slope]);
            }
        }
        table.into()
    }
}

/// Carries out the passes of a procedure and writes down the steps of its searches, those of one that comes to no end included. Rows are not kept
/// between passes, so that every step is a pass.
pub fn conclude_traced<P: Procedure>(
    procedure: &P,
    source: &dyn Source,
    threads: Option<NonZeroUsize>,
    control: &Control,
    trace: &mut Trace,
) -> Result<Fitted<P::Output>> {
    let mut watch = |stats: &P::Stats| -> Result<()> {
        procedure.looks(stats)?.into_iter().for_each(|look| trace.take(look));
        Ok(())
    };
    conclude_watched(procedure, source, threads, control, Some(&mut watch))
}
