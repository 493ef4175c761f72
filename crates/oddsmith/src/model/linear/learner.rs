//! Logistic and softmax regression as a sequence of passes: survey, rank, fit, and what is asked about the fit.

use std::sync::{Arc, OnceLock};

use nalgebra::Cholesky;

use super::analysis;
use super::frame::Frame;
use super::jeffreys::{JeffreysSums, Leverage};
use super::knobs::{ClassWeighting, Logistic, OnSeparation, Precision};
use super::lens::View;
use super::model::LogisticModel;
use super::passes::{Knowledge, LinearStats, PassSums};
use super::probe::{Curvature, Probe, Shape};
use super::sample::Sample;
use super::sandwich::Robust;
use super::stage::{Raw, Stage};
use super::sums::Sums;
use super::survey::Survey;
use super::target::Target;
use crate::data::design::ResponseReader;
use crate::data::{DesignSurvey, Formula, Layout, Weighting};
use crate::error::{DataFault, Error, ErrorKind, Result};
use crate::model::{Learner, Step};

/// Parameters up to which all second derivatives are summed up.
pub(super) const MOST_FULL: usize = 3000;

impl Learner for Logistic {
    type Stats = LinearStats;
    type Model = LogisticModel;

    fn begin(&self, layout: &Arc<Layout>) -> Result<LinearStats> {
        self.check()?;
        if layout.weighting() == Weighting::Sampling {
            let accepted = "it needs weights that count rows; sampling weights have no unit of evidence";
            if let Some(sd) = self.prior_sd {
                return Err(Error::knob("prior-sd", sd, accepted));
            }
            if self.firth {
                return Err(Error::knob("firth", "on", accepted));
            }
        }
        let formula = self.formula_for(layout)?;
        let survey = DesignSurvey::new(&formula, layout, &self.options)?;
        match survey.is_needed() {
            true => {
                let knowledge = Knowledge {
                    layout: Arc::clone(layout),
                    view: None,
                    frame: Arc::new(Frame::plain(0, true)),
                    whole: false,
                    probes: Vec::new(),
                    leverages: Vec::new(),
                    passes: 0,
                    sample: Sample::All,
                    partitions: OnceLock::new(),
                    stage: Stage::Design,
                };
                Ok(LinearStats::new(knowledge, PassSums::Design(Box::new(survey))))
            }
            false => self.first_look(layout, &formula, None, 0),
        }
    }

    fn finish(&self, stats: &LinearStats) -> Result<Step<LinearStats, LogisticModel>> {
        let sampled = stats.knowledge.layout.weighting() == Weighting::Sampling;
        match sampled || self.class_weights != ClassWeighting::None {
            true => self.design_based(sampled).finish_pass(stats),
            false => self.finish_pass(stats),
        }
    }
}

impl Logistic {
    /// The knobs for rows that stand for parts of a population, or that were weighted by class: their likelihood grows with the unit of the
    /// weights, so nothing is read from it but the optimum. Standard errors come from the scores of the rows, which know no unit.
    fn design_based(&self, sampled: bool) -> Logistic {
        let robust = self.robust.or(Some(Robust::Hc1)).filter(|_| self.prior_sd.is_none());
        // Firth's penalty would weigh more or less with the unit.
        let on_separation = if sampled { OnSeparation::Error } else { self.on_separation };
        Logistic { robust, precision: self.precision.min(Precision::Wald), tests: false, on_separation, ..self.clone() }
    }

    fn finish_pass(&self, stats: &LinearStats) -> Result<Step<LinearStats, LogisticModel>> {
        let knowledge = &*stats.knowledge;
        match (&knowledge.stage, &stats.sums) {
            (Stage::Design, PassSums::Design(survey)) => {
                let formula = self.formula_for(&knowledge.layout)?;
                self.first_look(&knowledge.layout, &formula, Some(survey), 1).map(Step::Again)
            }
            (Stage::Survey, PassSums::Survey(survey)) => self.after_survey(knowledge, survey),
            (Stage::Rank(ranking), PassSums::Survey(survey)) => self.after_rank(knowledge, ranking, survey),
            (Stage::Margins { fitting, next, reach }, PassSums::Margins(margins)) => {
                self.after_margins(knowledge, fitting, (next, *reach), margins)
            }
            (Stage::Walk { .. }, PassSums::Walk(walk)) => self.after_walk(knowledge, walk),
            (Stage::Meat(analysis), PassSums::Meat(meat)) => analysis::after_meat(self, knowledge, analysis, meat),
            (stage, PassSums::Points(points, counts)) => {
                let counted = counts.as_ref().map(|counts| self.counted(knowledge, stage, counts)).transpose()?;
                let stage = counted.as_ref().unwrap_or(stage);
                let answers: Vec<Raw> = points.iter().zip(&knowledge.probes).map(|(sums, probe)| raw(sums, probe)).collect();
                match stage.needs_jeffreys() {
                    true => self.ask_jeffreys(knowledge, stage, answers),
                    false => self.advance(knowledge, stage, answers),
                }
            }
            (Stage::Jeffreys { inner, answers }, PassSums::Jeffreys(sums)) => {
                let answers = answers.iter().zip(sums).map(|(answer, sums)| firth_answer(answer, &sums.gradient(&knowledge.frame)));
                self.advance(knowledge, inner, answers.collect())
            }
            _ => Err(Error::internal("sums of another pass than the one that was asked for")),
        }
    }
}

/// What a pass says about a point.
fn raw(sums: &Sums, probe: &Probe) -> Raw {
    Raw {
        value: sums.value.value(),
        gradient: sums.gradient(probe),
        hessian: (probe.curvature == Curvature::Full).then(|| sums.hessian(probe)),
        diagonal: (probe.curvature == Curvature::Diagonal).then(|| sums.diagonal(probe)),
        reach: sums.reach,
    }
}

/// The answer with Firth's penalty −½ ln |I| in it.
fn firth_answer(answer: &Raw, slope: &[f64]) -> Raw {
    let log_determinant = answer
        .hessian
        .clone()
        .and_then(Cholesky::new)
        .map_or(f64::NEG_INFINITY, |factor| 2.0 * factor.l_dirty().diagonal().iter().map(|d| d.ln()).sum::<f64>());
    let gradient = answer.gradient.iter().zip(slope).map(|(g, s)| g - s).collect();
    Raw { value: answer.value - 0.5 * log_determinant, gradient, ..answer.clone() }
}

impl Stage {
    pub(super) fn needs_jeffreys(&self) -> bool {
        match self {
            Stage::Fit(fitting) => fitting.firth,
            Stage::Analyse(analysis) => analysis.estimate.firth,
            _ => false,
        }
    }
}

impl Logistic {
    /// The formula over a layout: the one that was given, or all columns side by side.
    pub(crate) fn formula_for(&self, layout: &Layout) -> Result<Formula> {
        let mut reserved = self.reserved();
        reserved.extend(self.formula.iter().flat_map(|formula| formula.response().columns()));
        let others: Vec<String> = layout.names().into_iter().filter(|name| !reserved.contains(name)).collect();
        match &self.formula {
            Some(formula) => formula.expand_dot(&others),
            None => Ok(Formula::of_columns(layout.target(), &others)),
        }
    }

    /// Where the response stands.
    pub(crate) fn target(&self, formula: &Formula, layout: &Layout) -> Result<Target> {
        Ok(match (ResponseReader::compile(formula, layout)?, &self.shares) {
            (Some(reader), _) => Target::Grouped(reader),
            (_, Some(columns)) => Target::Shares {
                planes: columns.iter().map(|name| number_plane(layout, name)).collect::<Result<_>>()?,
                names: columns.clone(),
            },
            _ => Target::Labels,
        })
    }

    /// A pass that looks at points.
    pub(crate) fn ask(&self, knowledge: &Knowledge, stage: Stage, questions: Vec<(Vec<f64>, Curvature)>) -> LinearStats {
        let widths = knowledge.layout.word_widths();
        let firth = stage.needs_jeffreys();
        let probes: Vec<Probe> = questions
            .into_iter()
            .map(|(theta, curvature)| {
                let curvature = if firth { Curvature::Full } else { curvature };
                Probe::new(theta, curvature, &knowledge.frame, stage.shape(), &widths)
            })
            .collect();
        let counts = match (&stage, &knowledge.view) {
            (Stage::Fit(fitting), Some(view)) if fitting.uncounted && fitting.sample == Sample::All => Some(Box::new(Survey::counts(view))),
            _ => None,
        };
        let sums = PassSums::Points(probes.iter().map(Sums::new).collect(), counts);
        let (whole, sample) = (stage.whole(), stage.sample());
        let mut stats = next_pass(knowledge, (*knowledge.frame).clone(), whole, probes, Vec::new(), stage, sums);
        if let Some(knowledge) = Arc::get_mut(&mut stats.knowledge) {
            knowledge.sample = sample;
        }
        stats
    }

    pub(super) fn ask_jeffreys(&self, knowledge: &Knowledge, stage: &Stage, answers: Vec<Raw>) -> Result<Step<LinearStats, LogisticModel>> {
        let (widths, shape) = (knowledge.layout.word_widths(), stage.shape());
        let mut leverages = Vec::new();
        for answer in &answers {
            let factor =
                answer.hessian.clone().and_then(Cholesky::new).ok_or_else(|| {
                    no_estimate("the information matrix is singular even with Firth's penalty", "drop a column, or use --l2")
                })?;
            leverages.push(Leverage::new(&factor, &knowledge.frame, shape));
        }
        let again = |probe: &Probe| Probe::new(probe.theta.clone(), Curvature::None, &knowledge.frame, shape, &widths);
        let probes: Vec<Probe> = knowledge.probes.iter().map(again).collect();
        let sums = PassSums::Jeffreys(probes.iter().map(|probe| JeffreysSums::new(probe, &knowledge.frame)).collect());
        let stage = Stage::Jeffreys { inner: Box::new(stage.clone()), answers };
        Ok(Step::Again(next_pass(knowledge, (*knowledge.frame).clone(), stage.whole(), probes, leverages, stage, sums)))
    }

    /// Hands complete answers to whoever asked.
    pub(super) fn advance(&self, knowledge: &Knowledge, stage: &Stage, mut answers: Vec<Raw>) -> Result<Step<LinearStats, LogisticModel>> {
        match stage {
            Stage::Analyse(analysis) => analysis::after_points(self, knowledge, analysis, &answers),
            Stage::Fit(fitting) => {
                let answer = answers.pop().ok_or_else(|| Error::internal("no answer"))?;
                self.after_point(knowledge, fitting, answer)
            }
            _ => Err(Error::internal("answers for a stage that asked for none")),
        }
    }
}

impl Stage {
    pub(super) fn whole(&self) -> bool {
        match self {
            Stage::Fit(fitting) | Stage::Margins { fitting, .. } => {
                fitting.facts.whole && !(fitting.uncounted && fitting.sample == Sample::All)
            }
            Stage::Analyse(analysis) | Stage::Meat(analysis) => analysis.facts.whole,
            Stage::Jeffreys { inner, .. } => inner.whole(),
            Stage::Walk { facts, .. } => facts.whole,
            Stage::Design | Stage::Survey | Stage::Rank(_) => false,
        }
    }

    pub(super) fn sample(&self) -> Sample {
        match self {
            Stage::Fit(fitting) => fitting.sample,
            _ => Sample::All,
        }
    }

    pub(super) fn shape(&self) -> Shape {
        match self {
            Stage::Fit(fitting) | Stage::Margins { fitting, .. } => fitting.facts.shape,
            Stage::Analyse(analysis) | Stage::Meat(analysis) => analysis.facts.shape,
            Stage::Jeffreys { inner, .. } => inner.shape(),
            Stage::Walk { facts, .. } => facts.shape,
            Stage::Design | Stage::Survey | Stage::Rank(_) => Shape { outputs: 0, width: 0, words: 0 },
        }
    }
}

/// The next pass with what is known.
pub(crate) fn next_pass(
    knowledge: &Knowledge,
    frame: Frame,
    whole: bool,
    probes: Vec<Probe>,
    leverages: Vec<Leverage>,
    stage: Stage,
    sums: PassSums,
) -> LinearStats {
    let knowledge = Knowledge {
        layout: Arc::clone(&knowledge.layout),
        view: knowledge.view.clone(),
        frame: Arc::new(frame),
        whole,
        probes,
        leverages,
        passes: knowledge.passes + 1,
        sample: Sample::All,
        partitions: OnceLock::new(),
        stage,
    };
    LinearStats::new(knowledge, sums)
}

pub(crate) fn view(knowledge: &Knowledge) -> Result<Arc<View>> {
    knowledge.view.clone().ok_or_else(|| Error::internal("a pass without a design"))
}

fn number_plane(layout: &Layout, name: &str) -> Result<usize> {
    match layout.plane(layout.index(name)?) {
        crate::data::Plane::Numbers(at) => Ok(at),
        _ => Err(DataFault::new("a class share must be a number").column(name).into()),
    }
}

pub(crate) fn no_estimate(what: &str, advice: &str) -> Error {
    ErrorKind::NoEstimate { what: what.into(), advice: advice.into() }.into()
}
