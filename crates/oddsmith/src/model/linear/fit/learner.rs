//! Logistic and softmax regression as a sequence of passes: survey, rank, fit, and what is asked about the fit.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::data::design::ResponseReader;
use crate::data::{DesignSurvey, Formula, Layout, Weighting};
use crate::error::{Advice, DataFault, Error, ErrorKind, Result};
use crate::model::linear::fit::block_reader::Problem;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint, Shape};
use crate::model::linear::fit::jeffreys::{JeffreysSums, Leverage, regular};
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::sample::Sample;
use crate::model::linear::fit::stage::{Raw, Stage};
use crate::model::linear::fit::sums::Sums;
use crate::model::linear::fit::survey::Survey;
use crate::model::linear::fit::target::Target;
use crate::model::linear::infer::sandwich::Robust;
use crate::model::linear::infer::{analysis, infinite};
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::{ClassWeighting, Intervals, Logistic, OnSeparation};
use crate::model::{Learner, Look, PassInfo, Step, TableNeeds};
use crate::record::Record;

/// Parameters up to which all second derivatives are summed up.
pub(in crate::model::linear) const MOST_FULL: usize = 3000;

impl Learner for Logistic {
    type Stats = LinearStats;
    type Model = LogisticModel;

    fn needs(&self) -> Result<TableNeeds> {
        let mut kinds = BTreeMap::new();
        self.add_kinds(&mut kinds);
        Ok(TableNeeds {
            formula: self.formula.clone(),
            target: self.label_column().map(str::to_owned),
            features: self.columns_read(),
            reserved: self.reserved(),
            keys: self.keys(),
            kinds,
            flags: None,
            response: self.response_in_columns()?,
        })
    }

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<LinearStats> {
        self.check()?;
        if layout.weighting() == Weighting::Sampling {
            let accepted = "it needs weights that count rows; sampling weights have no unit of evidence";
            if let Some(sd) = self.prior_sd {
                return Err(Error::option("prior-sd", sd, accepted));
            }
            if self.firth {
                return Err(Error::option("firth", "on", accepted));
            }
        }
        let formula = self.formula_for(layout)?;
        self.check_text(&formula, layout)?;
        self.check_units(&formula, layout)?;
        let survey = DesignSurvey::new(&formula, layout, &self.options)?;
        match survey.is_needed() {
            true => {
                let state = PassState {
                    layout: Arc::clone(layout),
                    problem: None,
                    coordinates: Arc::new(Coordinates::plain(0, true)),
                    no_missing: false,
                    eval_points: Vec::new(),
                    leverages: Vec::new(),
                    passes: 0,
                    sample: Sample::All,
                    source: *pass,
                    face: None,
                    stage: Stage::Design,
                };
                Ok(LinearStats::new(state, PassSums::Design(Box::new(survey))))
            }
            false => self.first_look(layout, &formula, None, (0, *pass)),
        }
    }

    /// A step may be shortened forty times; what is asked about the optimum comes on top.
    fn most_passes(&self) -> usize {
        self.most_steps().saturating_mul(64).saturating_add(10_000)
    }

    fn searches(&self) -> bool {
        true
    }

    fn looks(&self, stats: &LinearStats) -> Result<Vec<Look>> {
        self.looks_of(stats)
    }

    fn write_point(&self, empty: &LinearStats, point: &mut Record) -> Result<()> {
        empty.write_point(point)
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<LinearStats> {
        LinearStats::at_point(self, layout, point)
    }

    fn finish(&self, stats: &LinearStats) -> Result<Step<LinearStats, LogisticModel>> {
        let sampled = stats.state.layout.weighting() == Weighting::Sampling;
        match sampled || self.class_weights != ClassWeighting::None {
            true => self.design_based(sampled).finish_pass(stats),
            false => self.finish_pass(stats),
        }
    }
}

impl Logistic {
    /// The options for rows that stand for parts of a population, or that were weighted by class: their likelihood grows with the unit of the
    /// weights, so nothing is read from it but the optimum. Standard errors come from the scores of the rows, which know no unit.
    fn design_based(&self, sampled: bool) -> Logistic {
        let robust = self.robust.or(Some(Robust::Hc1)).filter(|_| self.prior_sd.is_none());
        // Firth's penalty would weigh more or less with the unit.
        let on_separation = if sampled { OnSeparation::Error } else { self.on_separation };
        Logistic { robust, precision: self.precision.min(Intervals::Wald), tests: false, on_separation, ..self.clone() }
    }

    fn finish_pass(&self, stats: &LinearStats) -> Result<Step<LinearStats, LogisticModel>> {
        let state = &*stats.state;
        match (&state.stage, &stats.sums) {
            (Stage::Design, PassSums::Design(survey)) => {
                let formula = self.formula_for(&state.layout)?;
                self.first_look(&state.layout, &formula, Some(survey), (1, state.source)).map(Step::Again)
            }
            (Stage::Survey, PassSums::Survey(survey)) => self.after_survey(state, survey),
            (Stage::Rank(ranking), PassSums::Survey(survey)) => self.after_rank(state, ranking, survey),
            (Stage::SeparationCheck { fitting, next, max_abs_eta }, PassSums::SeparationCheck(separation_check)) => {
                self.after_separation_check(state, fitting, (next, *max_abs_eta), separation_check)
            }
            (Stage::Reduction(reduction), PassSums::SeparationCheck(separation_check)) => {
                self.after_reduction_check(state, reduction, separation_check)
            }
            (Stage::Ascent(face), PassSums::SeparationCheck(separation_check)) => self.after_ascent(state, face, separation_check),
            (Stage::SgdEpoch { .. }, PassSums::SgdEpoch(walk)) => self.after_epoch(state, walk),
            (Stage::Held { facts, theta }, PassSums::Held(rows)) => self.after_held(state, facts, theta, rows),
            (Stage::ScoreCovariance(analysis), PassSums::ScoreCovariance(score_covariance)) => {
                analysis::after_score_covariance(self, state, analysis, score_covariance)
            }
            (stage, PassSums::Points(points, counts)) => {
                let counted = counts.as_ref().map(|counts| self.counted(state, stage, counts)).transpose()?;
                let stage = counted.as_ref().unwrap_or(stage);
                let summed = stats.row_sums.as_ref().map(|row_sums| stage.with_row_sums(&row_sums.1));
                let stage = summed.as_ref().unwrap_or(stage);
                let answers: Vec<Raw> = points.iter().zip(&state.eval_points).map(|(sums, eval_point)| raw(sums, eval_point)).collect();
                match stage.needs_jeffreys() {
                    true => self.ask_jeffreys(state, stage, answers),
                    false => self.advance(state, stage, answers),
                }
            }
            (Stage::Jeffreys { inner, answers }, PassSums::Jeffreys(sums)) => {
                let answers = answers.iter().zip(sums).map(|(answer, sums)| firth_answer(answer, &sums.gradient(&state.coordinates)));
                self.advance(state, inner, answers.collect())
            }
            _ => Err(Error::internal("sums of another pass than the one that was asked for")),
        }
    }
}

/// What a pass says about a point.
pub(super) fn raw(sums: &Sums, eval_point: &EvalPoint) -> Raw {
    Raw {
        value: sums.value.value(),
        gradient: sums.gradient(eval_point),
        hessian: eval_point.curvature.is_square().then(|| sums.hessian(eval_point)),
        diagonal: (eval_point.curvature == Curvature::Diagonal).then(|| sums.diagonal(eval_point)),
        max_abs_eta: sums.max_abs_eta,
    }
}

/// The answer with Firth's penalty −½ ln |I| in it.
pub(super) fn firth_answer(answer: &Raw, slope: &[f64]) -> Raw {
    let log_determinant = answer
        .hessian
        .as_ref()
        .and_then(regular)
        .map_or(f64::NEG_INFINITY, |factor| 2.0 * factor.l_dirty().diagonal().iter().map(|d| d.ln()).sum::<f64>());
    let gradient = answer.gradient.iter().zip(slope).map(|(g, s)| g - s).collect();
    Raw { value: answer.value - 0.5 * log_determinant, gradient, ..answer.clone() }
}

impl Stage {
    pub(in crate::model::linear) fn needs_jeffreys(&self) -> bool {
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
        reserved.extend(self.cluster_column().map(str::to_owned));
        reserved.extend(self.formula.iter().flat_map(|formula| formula.response().columns()));
        let others: Vec<String> = layout.names().into_iter().filter(|name| !reserved.contains(name)).collect();
        let formula = match &self.formula {
            Some(formula) => formula.expand_dot(&others)?,
            None => Formula::of_columns(layout.target(), &others),
        };
        Ok(match &self.offset {
            Some(column) => formula.with_offset(column),
            None => formula,
        })
    }

    /// Refuses text without a penalty: words that tell the classes apart have no finite estimate.
    fn check_text(&self, formula: &Formula, layout: &Layout) -> Result<()> {
        if layout.words().is_empty() || self.ridge() > 0.0 || self.l1 > 0.0 {
            return Ok(());
        }
        let used = formula.columns();
        match layout.words().iter().map(|&feature| &layout.features()[feature].name).find(|name| used.contains(name)) {
            Some(name) => {
                let what = format!("the words of `{name}` have no finite estimate without a penalty");
                Err(no_estimate(
                    &what,
                    Advice::any_of([Advice::PenaliseWith { l2: 1.0 }, "leave the column out".into(), "use naive Bayes".into()]),
                ))
            }
            None => Ok(()),
        }
    }

    /// Where the response stands.
    pub(crate) fn target(&self, formula: &Formula, layout: &Layout) -> Result<Target> {
        Ok(match (ResponseReader::compile(formula, layout)?, &self.class_proportions) {
            (Some(reader), _) => Target::Grouped(Box::new(reader)),
            (_, Some(columns)) => Target::Proportions {
                planes: columns.iter().map(|name| number_plane(layout, name)).collect::<Result<_>>()?,
                names: columns.clone(),
            },
            _ => Target::Labels,
        })
    }

    /// A pass that looks at points.
    pub(crate) fn ask(&self, state: &PassState, stage: Stage, questions: Vec<(Vec<f64>, Curvature)>) -> LinearStats {
        let widths = state.layout.word_widths();
        let firth = stage.needs_jeffreys();
        let eval_points: Vec<EvalPoint> = questions
            .into_iter()
            .map(|(theta, curvature)| {
                let curvature = if firth { Curvature::Full } else { curvature };
                EvalPoint::new(theta, curvature, &state.coordinates, stage.shape(), &widths)
            })
            .collect();
        let counts = match (&stage, &state.problem) {
            (Stage::Fit(fitting), Some(problem)) if fitting.uncounted && fitting.sample == Sample::All => {
                Some(Box::new(Survey::counts(problem)))
            }
            _ => None,
        };
        let sums = PassSums::Points(eval_points.iter().map(Sums::new).collect(), counts);
        let (no_missing, sample) = (stage.no_missing(), stage.sample());
        let mut stats = next_pass(state, (*state.coordinates).clone(), no_missing, eval_points, Vec::new(), stage, sums);
        if let Some(state) = Arc::get_mut(&mut stats.state) {
            state.sample = sample;
        }
        stats
    }

    pub(in crate::model::linear) fn ask_jeffreys(
        &self,
        state: &PassState,
        stage: &Stage,
        answers: Vec<Raw>,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let (widths, shape) = (state.layout.word_widths(), stage.shape());
        let mut leverages = Vec::new();
        for answer in &answers {
            // Where the information is singular the penalty is infinite, and the search comes back from there.
            leverages.push(match answer.hessian.as_ref().and_then(regular) {
                Some(factor) => Leverage::new(&factor, &state.coordinates, shape),
                None => Leverage::none(&state.coordinates, shape),
            });
        }
        let again = |eval_point: &EvalPoint| EvalPoint::new(eval_point.theta.clone(), Curvature::None, &state.coordinates, shape, &widths);
        let eval_points: Vec<EvalPoint> = state.eval_points.iter().map(again).collect();
        let sums = PassSums::Jeffreys(eval_points.iter().map(|eval_point| JeffreysSums::new(eval_point, &state.coordinates)).collect());
        let stage = Stage::Jeffreys { inner: Box::new(stage.clone()), answers };
        Ok(Step::Again(next_pass(state, (*state.coordinates).clone(), stage.no_missing(), eval_points, leverages, stage, sums)))
    }

    /// Hands complete answers to whoever asked.
    pub(in crate::model::linear) fn advance(
        &self,
        state: &PassState,
        stage: &Stage,
        answers: Vec<Raw>,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        match stage {
            Stage::Analyse(analysis) => analysis::after_points(self, state, analysis, &answers),
            Stage::Fit(fitting) => self.after_point(state, fitting, only(answers)?),
            Stage::Reduction(reduction) => self.after_reduction_point(state, reduction, only(answers)?),
            Stage::Ascent(face) => self.after_span(state, face, only(answers)?),
            Stage::Outset(analysis) => infinite::after_outset(self, state, analysis, only(answers)?),
            _ => Err(Error::internal("answers for a stage that asked for none")),
        }
    }
}

/// The answer to a single question.
fn only(mut answers: Vec<Raw>) -> Result<Raw> {
    answers.pop().ok_or_else(|| Error::internal("no answer"))
}

impl Stage {
    pub(in crate::model::linear) fn no_missing(&self) -> bool {
        match self {
            Stage::Fit(fitting) | Stage::SeparationCheck { fitting, .. } => {
                fitting.facts.no_missing && !(fitting.uncounted && fitting.sample == Sample::All)
            }
            Stage::Analyse(analysis) | Stage::ScoreCovariance(analysis) | Stage::Outset(analysis) => analysis.facts.no_missing,
            Stage::Reduction(reduction) => reduction.fitting.facts.no_missing,
            Stage::Ascent(face) => face.facts.no_missing,
            Stage::Jeffreys { inner, .. } => inner.no_missing(),
            Stage::SgdEpoch { facts, .. } | Stage::Held { facts, .. } => facts.no_missing,
            Stage::Design | Stage::Survey | Stage::Rank(_) | Stage::Elsewhere => false,
        }
    }

    pub(in crate::model::linear) fn sample(&self) -> Sample {
        match self {
            Stage::Fit(fitting) => fitting.sample,
            _ => Sample::All,
        }
    }

    pub(in crate::model::linear) fn shape(&self) -> Shape {
        match self {
            Stage::Fit(fitting) | Stage::SeparationCheck { fitting, .. } => fitting.facts.shape,
            Stage::Analyse(analysis) | Stage::ScoreCovariance(analysis) | Stage::Outset(analysis) => analysis.facts.shape,
            Stage::Reduction(reduction) => reduction.fitting.facts.shape,
            Stage::Ascent(face) => face.facts.shape,
            Stage::Jeffreys { inner, .. } => inner.shape(),
            Stage::SgdEpoch { facts, .. } | Stage::Held { facts, .. } => facts.shape,
            Stage::Design | Stage::Survey | Stage::Rank(_) | Stage::Elsewhere => Shape { outputs: 0, width: 0, words: 0 },
        }
    }
}

/// The next pass with what is known.
pub(crate) fn next_pass(
    state: &PassState,
    coordinates: Coordinates,
    no_missing: bool,
    eval_points: Vec<EvalPoint>,
    leverages: Vec<Leverage>,
    stage: Stage,
    sums: PassSums,
) -> LinearStats {
    let state = PassState {
        layout: Arc::clone(&state.layout),
        problem: state.problem.clone(),
        coordinates: Arc::new(coordinates),
        no_missing,
        eval_points,
        leverages,
        passes: state.passes + 1,
        sample: Sample::All,
        source: state.source,
        face: state.face.clone(),
        stage,
    };
    LinearStats::new(state, sums)
}

pub(crate) fn problem(state: &PassState) -> Result<Arc<Problem>> {
    state.problem.clone().ok_or_else(|| Error::internal("a pass without a design"))
}

fn number_plane(layout: &Layout, name: &str) -> Result<usize> {
    match layout.plane(layout.index(name)?) {
        crate::data::Plane::Numbers(at) => Ok(at),
        _ => Err(DataFault::new("a class proportion must be a number").column(name).into()),
    }
}

pub(crate) fn no_estimate(what: &str, advice: impl Into<Advice>) -> Error {
    ErrorKind::NoEstimate { what: what.into(), advice: advice.into() }.into()
}
