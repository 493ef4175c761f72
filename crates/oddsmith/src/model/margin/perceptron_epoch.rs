//! One epoch of the perceptron: every row in its order, and a step towards each that is on the wrong side.
//!
//! With y = ±1 and x0 = 1: where y (w·x) ≤ 0, w += y x. Beside w run the sum of all w after every row, as C w − u with u = Σ c s over the
//! steps s taken after c rows; where the pocket is asked for, the errors that the weights of the start make over all rows; the mistakes; the
//! largest |x|²; and the smallest y (w·x), which is a margin of the rows when no mistake was made. A frequency weight shows the row as often, a sampling weight
//! makes its step as much longer. Two classes have one w, more have one per class against the others. Time O(n p), memory O(p).

use super::perceptron::Variant;
use crate::codec::{Codec, Encode};
use crate::data::{SKIP, Weighting};
use crate::error::Result;
use crate::model::on_design::{DesignBatch, DesignSums, learned_in_order};
use crate::num::kernel::{Corrections, Shown, fast_dot, widest};
use crate::record::Record;

/// What one output has learned.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OutputState {
    /// Intercept, then one weight per column.
    pub(super) weights: Vec<f64>,
    /// u.
    pub(super) lag: Vec<f64>,
    /// C, the rows so far of all epochs.
    pub(super) shown: f64,
    /// The weights that an epoch ended with and that err least over all rows, and how often they do.
    pub(super) pocket: Vec<f64>,
    pub(super) least_errors: f64,
    /// Weights at the start of this epoch, where they are judged, and how often they err.
    pub(super) judged: Vec<f64>,
    pub(super) errors: f64,
    /// Mistakes of this epoch.
    pub(super) mistakes: u64,
    /// Smallest y (w·x) of this epoch.
    pub(super) margin: f64,
    /// Whether an epoch without a mistake was seen: nothing changes any more.
    pub(super) done: bool,
}

impl OutputState {
    fn new(columns: usize, judging: bool) -> Self {
        let zeros = vec![0.0; columns + 1];
        OutputState {
            weights: zeros.clone(),
            lag: zeros.clone(),
            shown: 0.0,
            judged: if judging { zeros.clone() } else { Vec::new() },
            pocket: zeros,
            least_errors: f64::INFINITY,
            errors: 0.0,
            mistakes: 0,
            margin: f64::INFINITY,
            done: false,
        }
    }

    /// The average of the weights over all rows shown.
    pub(super) fn averaged(&self) -> Vec<f64> {
        match self.shown > 0.0 {
            true => self.weights.iter().zip(&self.lag).map(|(w, u)| w - u / self.shown).collect(),
            false => self.weights.clone(),
        }
    }

    /// The weights that err least of those that were judged; of weights without a mistake there are no better.
    pub(super) fn pocketed(&self, converged: bool) -> &[f64] {
        match () {
            () if self.done || converged => &self.weights,
            () if self.errors <= self.least_errors && !self.judged.is_empty() => &self.judged,
            () => &self.pocket,
        }
    }

    /// Weight of the rows that the weights of the start get wrong, where they are judged, and whether all scores were finite.
    fn judge(&self, batch: &DesignBatch<'_>, sides: &[f64]) -> (f64, bool) {
        let Some((constant, judged)) = self.judged.split_first() else { return (0.0, true) };
        widest(
            #[inline(always)]
            || {
                let (mut errors, mut finite) = (0.0, true);
                for (i, y) in sides.iter().enumerate().filter(|(_, y)| **y != 0.0) {
                    let score = y * (constant + fast_dot(judged, batch.row(i)));
                    finite &= score.is_finite();
                    errors += if score <= 0.0 { batch.weight(i) } else { 0.0 };
                }
                (errors, finite)
            },
        )
    }

    /// The state at the start of the next epoch.
    fn turn(&mut self) {
        self.done |= self.mistakes == 0;
        // Equally good ones give way to later ones.
        if !self.judged.is_empty() && self.errors <= self.least_errors {
            self.least_errors = self.errors;
            self.pocket.clone_from(&self.judged);
        }
        if !self.judged.is_empty() {
            self.judged.clone_from(&self.weights);
        }
        (self.mistakes, self.errors) = (0, 0.0);
        // A margin stays known once nothing changes any more.
        self.margin = if self.done { self.margin } else { f64::INFINITY };
    }
}

/// The sums of an epoch.
#[derive(Debug, Clone)]
pub struct EpochSums {
    columns: usize,
    weighting: Weighting,
    /// Whether the average of all weights is asked for, which costs as much as they do.
    averaging: bool,
    pub(super) outputs: Vec<OutputState>,
    /// Mistakes of every epoch before, output by output.
    pub(super) history: Vec<u64>,
    /// Largest |x|², x0 included.
    pub(super) radius_squared: f64,
    rows: u64,
    /// Whether weights are judged and none changes any more: the pass after the last epoch, for the pocket.
    pub(super) judging_only: bool,
}

impl EpochSums {
    /// Before the first epoch.
    pub(super) fn new(columns: usize, classes: usize, weighting: Weighting, variant: Variant) -> Self {
        let outputs = if classes == 2 { 1 } else { classes };
        let state = OutputState::new(columns, variant == Variant::Pocket);
        EpochSums {
            columns,
            weighting,
            averaging: variant == Variant::Averaged,
            outputs: vec![state; outputs],
            history: Vec::new(),
            radius_squared: 0.0,
            rows: 0,
            judging_only: false,
        }
    }

    /// Epochs that are over, this one included.
    pub(super) fn epochs(&self) -> usize {
        self.history.len() / self.outputs.len().max(1) + usize::from(!self.judging_only)
    }

    /// Mistakes of all epochs so far, this one included, output by output.
    pub(super) fn all_mistakes(&self) -> Vec<u64> {
        let own = if self.judging_only { &[] } else { &self.outputs[..] };
        self.history.iter().copied().chain(own.iter().map(|output| output.mistakes)).collect()
    }

    /// Whether no output made a mistake.
    pub(super) fn converged(&self) -> bool {
        !self.judging_only && self.outputs.iter().all(|output| output.done || output.mistakes == 0)
    }

    /// The empty sums of the next epoch.
    pub(super) fn next(&self) -> Self {
        let mut next = EpochSums { history: self.all_mistakes(), rows: 0, ..self.clone() };
        next.outputs.iter_mut().for_each(OutputState::turn);
        next
    }

    /// The empty sums of a pass that judges the weights after the last epoch.
    pub(super) fn judge_last(&self) -> Self {
        EpochSums { judging_only: true, ..self.next() }
    }

    /// Writes down where the epoch starts.
    pub(super) fn write_point(&self, point: &mut Record) -> Result<()> {
        Codec::out(point, "").part("epoch", &mut self.clone())
    }

    /// Reads where the epoch starts.
    pub(super) fn read_point(mut self, point: &Record) -> Result<Self> {
        Codec::from(point, "").part("epoch", &mut self)?;
        Ok(self)
    }
}

impl EpochSums {
    /// Shows the rows of a block to every output that still learns. Where nobody has `searched` them for gaps and a score says that there may be
    /// some, nothing is kept of it, and `false` comes back.
    fn take(&mut self, batch: &DesignBatch<'_>, searched: bool) -> Result<bool> {
        debug_assert_eq!(batch.width, self.columns);
        let (rows, single) = (batch.matrix()?, self.outputs.len() == 1);
        let counted = batch.labels.iter().filter(|label| **label != SKIP).count() as u64;
        // The first epoch has seen the longest row; its length would cost later ones as much as the step itself.
        let radius = if self.history.is_empty() && !self.judging_only { longest(batch) } else { 0.0 };
        if !searched && !radius.is_finite() {
            return Ok(false);
        }
        let mut learned = Vec::with_capacity(self.outputs.len());
        for (m, output) in self.outputs.iter().enumerate().filter(|(_, output)| !output.done) {
            let own = if single { 1 } else { m as u32 };
            let side = |label: &u32| if *label == SKIP { 0.0 } else { f64::from(*label == own) * 2.0 - 1.0 };
            let sides: Vec<f64> = batch.labels.iter().map(side).collect();
            let (errors, judged) = output.judge(batch, &sides);
            let mut corrections = Corrections::new(&output.weights, &output.lag, output.shown, self.averaging);
            if !self.judging_only {
                corrections.show(Shown { rows, sides: &sides, weights: batch.weights, repeated: self.weighting == Weighting::Frequency });
            }
            if !searched && (corrections.is_doubtful() || !judged) {
                return Ok(false);
            }
            learned.push((m, errors, corrections));
        }
        self.rows += counted;
        self.radius_squared = self.radius_squared.max(radius);
        for (m, errors, corrections) in learned {
            let output = &mut self.outputs[m];
            output.errors += errors;
            output.shown = corrections.shown();
            output.mistakes += corrections.mistakes();
            output.margin = output.margin.min(corrections.margin());
            corrections.write(&mut output.weights, &mut output.lag);
        }
        match self.outputs.iter().all(|output| output.lag.iter().chain(&output.weights).all(|w| w.is_finite())) {
            true => Ok(true),
            false => {
                Err(crate::error::Error::data("the weights of the perceptron left the range of numbers; measure columns in larger units"))
            }
        }
    }
}

/// The largest |x|² of the rows that count, x0 included; infinite where a value is missing.
fn longest(batch: &DesignBatch<'_>) -> f64 {
    widest(
        #[inline(always)]
        || {
            let (mut most, mut doubt) = (0.0f64, 0.0);
            for i in (0..batch.rows()).filter(|&i| batch.labels[i] != SKIP) {
                let square = 1.0 + fast_dot(batch.row(i), batch.row(i));
                most = most.max(square);
                doubt += 0.0 * square;
            }
            if doubt == 0.0 { most } else { f64::INFINITY }
        },
    )
}

impl Encode for EpochSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("rows", &mut self.rows)?;
        codec.flag("judging-only", &mut self.judging_only)?;
        codec.number("radius", &mut self.radius_squared)?;
        codec.count_list("history", &mut self.history)?;
        if codec.is_reading() && !self.history.len().is_multiple_of(self.outputs.len()) {
            return Err(crate::record::fault("the mistakes are of another number of classes"));
        }
        for (m, output) in self.outputs.iter_mut().enumerate() {
            codec.within(&format!("output{m}"), |codec| {
                codec.finite("weights", &mut output.weights)?;
                codec.finite("lag", &mut output.lag)?;
                codec.finite("pocket", &mut output.pocket)?;
                codec.number("shown", &mut output.shown)?;
                codec.number("least-errors", &mut output.least_errors)?;
                codec.finite("judged", &mut output.judged)?;
                codec.number("errors", &mut output.errors)?;
                codec.count("mistakes", &mut output.mistakes)?;
                codec.number("margin", &mut output.margin)?;
                codec.flag("done", &mut output.done)
            })?;
        }
        Ok(())
    }
}

impl DesignSums for EpochSums {
    fn observe(&mut self, batch: &DesignBatch<'_>) -> Result<()> {
        self.take(batch, true).map(drop)
    }

    fn observe_unsearched(&mut self, batch: &DesignBatch<'_>) -> Result<bool> {
        self.take(batch, false)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        let rows = (self.rows, other.rows);
        learned_in_order(super::perceptron::NAME, self, other, rows)
    }

    fn purpose(&self) -> String {
        match self.judging_only {
            true => "errors of the perceptron's last weights".into(),
            false => format!("epoch {} of the perceptron", self.epochs()),
        }
    }

    fn in_order(&self) -> bool {
        true
    }

    fn bytes(&self) -> usize {
        24 * self.outputs.len() * (self.columns + 1)
    }
}
