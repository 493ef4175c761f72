//! The perceptron: w += y x for every row on the wrong side, in the order of rows, epoch after epoch, until none is or epochs run out.
//!
//! A line that tells the classes apart without error is found after at most R²/γ² steps, with R the largest |x| and γ the margin of any unit
//! vector that does (Novikoff). Where mistakes remain, regressions of the same columns are asked whether such a line exists
//! ([`super::perceptron_verdict`]). What a row teaches depends on all rows before it, so a pass reads rows in their order and on
//! one thread ([`crate::stats::Statistics::in_order`]); the number of partitions changes nothing, and parts of rows cannot be learned apart.
//! Time O(epochs · n p), memory O(p).

use std::sync::Arc;

use super::least_squares::TAKES;
use super::perceptron_epoch::EpochSums;
use super::perceptron_model::{Account, PerceptronModel, Verdict};
use super::perceptron_verdict::{Asked, VerdictSums};
use crate::codec::{Codec, Encode};
use crate::data::{DesignOptions, Layout, Rows};
use crate::error::{Error, ErrorKind, Result, visible};
use crate::model::linear::{Intervals, Logistic};
use crate::model::on_design::{DesignFrame, DesignPass, DesignStats, LinearPart};
use crate::model::params::Params;
use crate::model::{Learner, Look, LookedParameter, PassInfo, Step};
use crate::notice::{self, Notice};
use crate::record::Record;
use crate::stats::{ClassWeights, Statistics};

pub(super) const NAME: &str = "perceptron";
/// Epochs unless told otherwise.
const EPOCHS: u64 = 100;

/// Which weights predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// Their average over all rows of all epochs.
    #[default]
    Averaged,
    /// Of those that epochs ended with, the ones that err least over all rows.
    Pocket,
    /// Those of the last step.
    Last,
}

impl Variant {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Averaged => "averaged",
            Variant::Pocket => "pocket",
            Variant::Last => "last",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        [Variant::Averaged, Variant::Pocket, Variant::Last].into_iter().find(|variant| variant.name() == name)
    }
}

/// Its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Perceptron {
    /// Which weights predict.
    pub variant: Variant,
    /// Most epochs; default 100.
    pub epochs: u64,
    /// Whether to ask if any line tells the classes apart, where mistakes remain; default yes.
    pub verdict: bool,
    /// How columns become a design.
    pub options: DesignOptions,
}

impl Default for Perceptron {
    fn default() -> Self {
        Perceptron { variant: Variant::default(), epochs: EPOCHS, verdict: true, options: DesignOptions::default() }
    }
}

impl Perceptron {
    /// The learner with the options that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        Ok(Perceptron {
            variant: params.text("variant").and_then(Variant::named).unwrap_or_default(),
            epochs: params.whole("epochs").unwrap_or(EPOCHS),
            verdict: !params.flag("no-verdict"),
            options: DesignOptions { missing: params.parsed("missing")?.unwrap_or_default(), ..DesignOptions::default() },
        })
    }
}

/// The sums of a pass.
#[derive(Debug, Clone)]
pub enum PerceptronStats {
    /// An epoch.
    Epoch(DesignStats<EpochSums>),
    /// A pass of the regressions that are asked whether any line tells the classes apart.
    Verdict {
        /// What the last epoch came to.
        learned: Option<Arc<DesignPass<EpochSums>>>,
        /// The regressions' sums.
        sums: Box<VerdictSums>,
    },
}

impl Encode for PerceptronStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            PerceptronStats::Epoch(stats) => stats.encode(codec),
            PerceptronStats::Verdict { sums, .. } => sums.encode(codec),
        }
    }
}

impl Statistics for PerceptronStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        match self {
            PerceptronStats::Epoch(stats) => stats.observe(rows),
            PerceptronStats::Verdict { sums, .. } => sums.observe(rows),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (PerceptronStats::Epoch(mine), PerceptronStats::Epoch(theirs)) => mine.merge(theirs),
            (PerceptronStats::Verdict { sums, .. }, PerceptronStats::Verdict { sums: theirs, .. }) => sums.merge(theirs),
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match self {
            PerceptronStats::Epoch(stats) => stats.weight(),
            PerceptronStats::Verdict { sums, .. } => sums.weight(),
        }
    }

    fn in_order(&self) -> bool {
        matches!(self, PerceptronStats::Epoch(stats) if stats.in_order())
    }

    fn purpose(&self) -> String {
        match self {
            PerceptronStats::Epoch(stats) => stats.purpose(),
            PerceptronStats::Verdict { sums, .. } => sums.purpose(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match self {
            PerceptronStats::Epoch(stats) => stats.discloses(),
            PerceptronStats::Verdict { sums, .. } => sums.discloses(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            PerceptronStats::Epoch(stats) => stats.bytes(),
            PerceptronStats::Verdict { sums, .. } => sums.bytes(),
        }
    }
}

impl Learner for Perceptron {
    type Stats = PerceptronStats;
    type Model = PerceptronModel;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<PerceptronStats> {
        TAKES.check(NAME, layout)?;
        DesignStats::begin(layout, &self.options, |frame| Ok(self.first_epoch(frame))).map(PerceptronStats::Epoch)
    }

    fn finish(&self, stats: &PerceptronStats) -> Result<Step<PerceptronStats, PerceptronModel>> {
        match stats {
            PerceptronStats::Epoch(DesignStats::Survey(layout, survey)) => {
                let next = DesignStats::surveyed(layout, &self.options, survey, |frame| Ok(self.first_epoch(frame)))?;
                Ok(Step::Again(PerceptronStats::Epoch(next)))
            }
            PerceptronStats::Epoch(DesignStats::Sums(pass)) => self.after_epoch(pass),
            PerceptronStats::Verdict { learned: Some(learned), sums } => self.after_verdict(learned, sums),
            PerceptronStats::Verdict { learned: None, .. } => Err(Error::internal("the epochs before the verdict are elsewhere")),
        }
    }

    fn searches(&self) -> bool {
        true
    }

    /// The weights after an epoch; its loss is the share of rows that moved them.
    fn looks(&self, stats: &PerceptronStats) -> Result<Vec<Look>> {
        let PerceptronStats::Epoch(DesignStats::Sums(pass)) = stats else { return Ok(Vec::new()) };
        if pass.sums.judging_only {
            return Ok(Vec::new());
        }
        let (frame, outputs) = (&pass.frame, &pass.sums.outputs);
        let mistakes: u64 = outputs.iter().map(|output| output.mistakes).sum();
        let mut parameters = Vec::new();
        for (m, output) in outputs.iter().enumerate() {
            let class = frame.layout().classes().label(if outputs.len() == 1 { 1 } else { m });
            for (slot, weight) in output.weights.iter().enumerate() {
                let term = if slot == 0 { "(intercept)" } else { frame.name(slot - 1) };
                parameters.push(LookedParameter { class: class.into(), term: term.into(), value: *weight, slope: None });
            }
        }
        let loss = mistakes as f64 / (pass.classes.total() * outputs.len() as f64);
        Ok(vec![Look { search: None, loss: Some(loss), parameters }])
    }

    fn most_passes(&self) -> usize {
        usize::try_from(self.epochs).unwrap_or(usize::MAX).saturating_add(20_000)
    }

    fn write_point(&self, empty: &PerceptronStats, point: &mut Record) -> Result<()> {
        match empty {
            PerceptronStats::Epoch(stats) => stats.write_point(point, EpochSums::write_point),
            PerceptronStats::Verdict { sums, .. } => sums.write_point(&self.regression(), point),
        }
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<PerceptronStats> {
        if point.arrays.contains_key("verdict") {
            let sums = Box::new(VerdictSums::at_point(&self.regression(), layout, point)?);
            return Ok(PerceptronStats::Verdict { learned: None, sums });
        }
        let sums = |frame: &Arc<DesignFrame>| self.first_epoch(frame).read_point(point);
        match point.head.get("design").is_some() {
            true => DesignStats::at_point(layout, &self.options, point, sums).map(PerceptronStats::Epoch),
            false => self.begin(layout, &PassInfo::default()),
        }
    }
}

impl Perceptron {
    fn first_epoch(&self, frame: &Arc<DesignFrame>) -> EpochSums {
        EpochSums::new(frame.width(), frame.classes(), frame.layout().weighting(), self.variant)
    }

    /// The regression that says whether any line tells two classes apart.
    fn regression(&self) -> Logistic {
        let options = self.options.clone();
        Logistic { options, precision: Intervals::None, tests: false, sampling: false, ..Logistic::default() }
    }

    fn after_epoch(&self, pass: &DesignPass<EpochSums>) -> Result<Step<PerceptronStats, PerceptronModel>> {
        pass.check_rows()?;
        let sums = &pass.sums;
        if !sums.converged() && !sums.judging_only && (sums.epochs() as u64) < self.epochs {
            let next = DesignPass::new(&pass.frame, sums.next());
            return Ok(Step::Again(PerceptronStats::Epoch(DesignStats::Sums(Box::new(next)))));
        }
        if self.variant == Variant::Pocket && !sums.converged() && !sums.judging_only {
            let last = DesignPass::new(&pass.frame, sums.judge_last());
            return Ok(Step::Again(PerceptronStats::Epoch(DesignStats::Sums(Box::new(last)))));
        }
        if sums.converged() || !self.verdict {
            return Ok(Step::Done(self.model(pass, &[])?));
        }
        let settled: Vec<bool> = sums.outputs.iter().map(|output| output.done || (!sums.judging_only && output.mistakes == 0)).collect();
        let sums = Box::new(VerdictSums::begin(&self.regression(), pass.frame.layout(), &settled)?);
        Ok(Step::Again(PerceptronStats::Verdict { learned: Some(Arc::new(pass.clone())), sums }))
    }

    fn after_verdict(&self, learned: &Arc<DesignPass<EpochSums>>, sums: &VerdictSums) -> Result<Step<PerceptronStats, PerceptronModel>> {
        match sums.finish(&self.regression())? {
            Asked::Again(next) => Ok(Step::Again(PerceptronStats::Verdict { learned: Some(Arc::clone(learned)), sums: Box::new(next) })),
            Asked::Answers(verdicts) => Ok(Step::Done(self.model(learned, &verdicts)?)),
        }
    }

    /// The model, with the verdict on every output where it was asked for.
    fn model(&self, pass: &DesignPass<EpochSums>, verdicts: &[Option<Verdict>]) -> Result<PerceptronModel> {
        let (sums, frame) = (&pass.sums, &pass.frame);
        let mut notices = pass.row_notices();
        let mistakes = sums.all_mistakes();
        let last: u64 = mistakes[mistakes.len() - sums.outputs.len()..].iter().sum();
        if !sums.converged() {
            notices.push(Notice::new(notice::NOT_CONVERGED, still_mistaken(sums, last, verdicts, frame.layout().classes().labels())));
        }
        let chosen: Vec<Vec<f64>> = sums
            .outputs
            .iter()
            .map(|output| match self.variant {
                Variant::Averaged => output.averaged(),
                Variant::Pocket => output.pocketed(sums.converged()).to_vec(),
                Variant::Last => output.weights.clone(),
            })
            .collect();
        if !sums.radius_squared.is_finite() || chosen.iter().flatten().any(|weight| !weight.is_finite()) {
            let what = "squares of the rows or the weights of the perceptron left the range of numbers".to_owned();
            return Err(ErrorKind::NoEstimate { what, advice: "measure columns in other units".into() }.into());
        }
        let base = chosen.iter().map(|weights| weights[0]).collect();
        let coefficients = chosen.iter().flat_map(|weights| weights[1..].iter().copied()).collect();
        let part = LinearPart::new(frame, base, vec![0.0; frame.width()], coefficients);
        // With the weights of an epoch without mistakes every row has been on its side by this much at least.
        let margin =
            |output: &super::perceptron_epoch::OutputState| output.margin / output.weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        let margins = if sums.converged() { sums.outputs.iter().map(margin).collect() } else { Vec::new() };
        let account = Account {
            variant: self.variant.name().into(),
            missing: self.options.missing,
            epochs: sums.epochs() as u64,
            converged: sums.converged(),
            mistakes,
            radius: sums.radius_squared.sqrt(),
            margins,
            verdict: Verdict::of_all(verdicts),
            notices,
        };
        Ok(PerceptronModel::new(part, ClassWeights::clone(&pass.classes), account))
    }
}

fn still_mistaken(sums: &EpochSums, last: u64, verdicts: &[Option<Verdict>], labels: &[String]) -> String {
    let made = format!("{} in the last of {}", notice::counted(last, "mistake"), notice::counted(sums.epochs() as u64, "epoch"));
    // A separating line of margin γ allows R²/γ² mistakes at most, so mistakes bound γ from above.
    let most = sums.outputs.iter().enumerate().map(|(m, _)| {
        let own: u64 = sums.all_mistakes().chunks(sums.outputs.len()).map(|epoch| epoch[m]).sum();
        (sums.radius_squared / own.max(1) as f64).sqrt()
    });
    let margin = most.fold(f64::INFINITY, f64::min);
    let named = |wanted: Verdict| {
        let own = verdicts.iter().zip(labels).filter(|(verdict, _)| **verdict == Some(wanted));
        own.map(|(_, label)| format!("`{}`", visible(label))).collect::<Vec<_>>().join(", ")
    };
    let several = verdicts.len() > 1;
    match Verdict::of_all(verdicts) {
        Some(Verdict::Overlapping) if several => {
            format!("{made}: no line tells {} from the other classes, so mistakes never end", named(Verdict::Overlapping))
        }
        Some(Verdict::Touching) if several => {
            format!(
                "{made}: lines only touch {} and the other classes without telling all rows apart, so mistakes never end",
                named(Verdict::Touching)
            )
        }
        Some(Verdict::Separable) if several => format!(
            "{made}: a line tells every class from the others, one with a margin of {margin:.3e} at most; allow more epochs or scale the columns"
        ),
        Some(Verdict::Overlapping) => format!("{made}: no line tells the classes apart, so mistakes never end"),
        Some(Verdict::Touching) => format!("{made}: lines only touch the classes without telling all rows apart, so mistakes never end"),
        Some(Verdict::Separable) => {
            format!("{made}: a line tells the classes apart, with a margin of {margin:.3e} at most; allow more epochs or scale the columns")
        }
        None => format!("{made}: a line that tells them apart, should there be one, has a margin of {margin:.3e} at most"),
    }
}
