//! Grouped responses: how many of how many, row by row.

use super::block::{DesignBlock, Gap};
use super::intake::Intake;
use super::intake_plan::IntakePlan;
use super::lookup::Lookup;
use crate::data::formula::{Formula, Response};
use crate::data::{Features, Layout};
use crate::error::{DataFault, Error, Result};

/// Reads successes and trials of `cbind(successes, failures)` or `successes/trials` from number columns.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseReader {
    intake: Intake,
    successes: Count,
    /// Failures, or trials.
    other: Count,
    other_is_trials: bool,
}

/// A count, its register and how the formula writes it.
#[derive(Debug, Clone, PartialEq)]
struct Count {
    register: usize,
    text: String,
}

/// Counts of a block of rows. Set `first_row` as in a [`DesignBlock`].
#[derive(Debug, Clone, Default)]
pub struct ResponseBlock {
    /// Successes of each row; 0 where something is missing or the row does not count.
    pub successes: Vec<f64>,
    /// Trials of each row; 0 where something is missing or the row does not count.
    pub trials: Vec<f64>,
    /// Index, from 0, of the batch's first row in the whole source.
    pub first_row: u64,
    /// Which rows of the block do not count, so that a fault in them is a gap and no error; empty when all count.
    pub uncounted: Vec<bool>,
    block: DesignBlock,
}

impl ResponseBlock {
    /// An empty block.
    pub fn new() -> Self {
        Self::default()
    }

    /// Per row: complete, or the feature that is missing.
    pub fn gaps(&self) -> &[Gap] {
        &self.block.gaps
    }
}

impl ResponseReader {
    /// A reader for a formula with a grouped response; `None` for any other response. The columns must be numbers of the
    /// layout.
    pub fn compile(formula: &Formula, layout: &Layout) -> Result<Option<Self>> {
        let (successes, other, other_is_trials) = match formula.response() {
            Response::None | Response::Column(_) => return Ok(None),
            Response::Grouped { successes, failures } => (successes, failures, false),
            Response::Proportion { successes, trials } => (successes, trials, true),
        };
        let lookup = Lookup::new(layout);
        let mut plan = IntakePlan::new(&lookup, false);
        let mut count = |expr| {
            let register = plan.checked_value(expr).map_err(|fault| formula.error(fault))?;
            Ok::<_, Error>(Count { register, text: expr.to_string() })
        };
        let (successes, other) = (count(successes)?, count(other)?);
        Ok(Some(ResponseReader { successes, other, other_is_trials, intake: plan.finish() }))
    }

    /// Reads rows `lo..hi` of a batch. A negative count and more successes than trials are errors.
    pub fn read(&self, features: &Features<'_>, lo: usize, hi: usize, out: &mut ResponseBlock) -> Result<()> {
        if lo > hi || hi > features.rows() {
            return Err(Error::internal(format!("rows {lo}..{hi} are asked of a batch of {}", features.rows())));
        }
        let rows = hi - lo;
        out.block.first_row = out.first_row;
        out.block.uncounted.clone_from(&out.uncounted);
        self.intake.read(features, lo, hi, 0, &mut out.block)?;
        out.successes.clear();
        out.trials.clear();
        let value = |count: &Count, i: usize| out.block.scratch.registers[count.register * rows + i];
        for i in 0..rows {
            if out.block.gaps[i] != Gap::None || !out.block.counts(i) {
                out.successes.push(0.0);
                out.trials.push(0.0);
                continue;
            }
            let (successes, other) = (value(&self.successes, i), value(&self.other, i));
            let fault = |what: String, count: &Count, value: f64, accepted: &str| {
                let fault = DataFault::new(what).column(&count.text).row(out.first_row + (lo + i) as u64 + 1);
                Err(fault.value(value.to_string()).accepted(accepted).into())
            };
            for (count, value) in [(&self.successes, successes), (&self.other, other)] {
                if value < 0.0 {
                    return fault("a count cannot be".into(), count, value, "counts are numbers from 0 up");
                }
            }
            if self.other_is_trials && successes > other {
                let what = format!("there are more successes than the {other} trials of `{}`:", self.other.text);
                return fault(what, &self.successes, successes, "successes/trials, or cbind(successes, failures)");
            }
            out.successes.push(successes);
            out.trials.push(if self.other_is_trials { other } else { successes + other });
        }
        Ok(())
    }
}
