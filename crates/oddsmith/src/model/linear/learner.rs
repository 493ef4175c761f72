//! Logistic and softmax regression as a sequence of passes: survey, rank, fit, and what is asked about the fit.

use std::sync::{Arc, OnceLock};

use nalgebra::{Cholesky, DMatrix, DVector};

use super::analysis;
use super::descent::{Route, Walk};
use super::frame::{Frame, power_of_two};
use super::jeffreys::{JeffreysSums, Leverage};
use super::knobs::{ClassWeighting, Logistic, OnSeparation};
use super::lens::View;
use super::model::LogisticModel;
use super::passes::{Knowledge, LinearStats, PassSums};
use super::penalty::Penalty;
use super::probe::{Curvature, Probe, Shape, Sums};
use super::rank;
use super::sample::Sample;
use super::separation::Margins;
use super::solver::{Next, Plan, Second, Solver};
use super::stage::{Estimate, Facts, Fitting, Ranking, Raw, Separation, Stage};
use super::survey::Survey;
use super::target::Target;
use crate::data::design::ResponseReader;
use crate::data::{Design, DesignSurvey, Formula, Layout};
use crate::error::{DataFault, Error, ErrorKind, Result};
use crate::model::{Learner, Step};

/// Parameters up to which all second derivatives are summed up.
const MOST_FULL: usize = 3000;
/// |η| from which on separation is looked for.
const WATCHED_REACH: f64 = 12.0;
/// Change of log odds in the last step, as a share of the largest, beyond which a fit has not arrived, however small the step is in
/// standard errors.
const LONG_STEP: f64 = 1e-3;
/// Operations of a pass up to which a further one costs nothing that anybody would notice.
const CHEAP_FIT: f64 = 1e7;
/// Distance, in standard errors of a sample, at which its fit is near enough.
const START_TOLERANCE: f64 = 0.1;
/// Steps after which the fit of a sample is left as it is.
const START_STEPS: usize = 12;
/// |η| at which the fit of a sample has lost its way: the sample alone may be separated.
const LOST_REACH: f64 = 40.0;
/// Rows of a class that a sample must have.
const FEW_OF_A_CLASS: f64 = 50.0;
/// Rows of a sample per parameter, and their bounds.
const ROWS_PER_PARAMETER: f64 = 600.0;
const SMALLEST_SAMPLE: f64 = 16_384.0;
const LARGEST_SAMPLE: f64 = 32_768.0;
/// Most steps of plain gradient descent.
const MOST_DESCENTS: usize = 5_000;
/// Standard deviation of the prior of an intercept.
const INTERCEPT_SD: f64 = 10.0;
/// Looks at doubtful columns.
const MOST_LOOKS: usize = 5;

impl Learner for Logistic {
    type Stats = LinearStats;
    type Model = LogisticModel;

    fn begin(&self, layout: &Arc<Layout>) -> Result<LinearStats> {
        self.check()?;
        let formula = self.formula_for(layout)?;
        if self.l1 > 0.0 && layout.classes().len() > 2 && !layout.words().is_empty() {
            let advice = "use --model one-vs-rest, which fits one regression per class, or --l2";
            return Err(ErrorKind::Unsupported {
                model: "softmax regression".into(),
                what: "take an L1 penalty on words".into(),
                advice: advice.into(),
            }
            .into());
        }
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
    fn needs_jeffreys(&self) -> bool {
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

    fn first_look(&self, layout: &Arc<Layout>, formula: &Formula, survey: Option<&DesignSurvey>, passes: usize) -> Result<LinearStats> {
        let design = Arc::new(Design::compile(formula, layout, &self.options, survey)?);
        let classes = layout.classes().len();
        if classes < 2 {
            let label = layout.classes().labels().first().cloned().unwrap_or_default();
            return Err(DataFault::new("the target has one class:").column(layout.target()).value(label).accepted("at least two").into());
        }
        let target = self.target(formula, layout)?;
        let frame = Frame::plain(design.columns().len(), design.intercept());
        let class_weights = match &self.class_weights {
            ClassWeighting::Given(pairs) => {
                let mut weights = vec![1.0; classes];
                for (label, weight) in pairs {
                    weights[layout.classes().index(label)?] = *weight;
                }
                weights
            }
            _ => Vec::new(),
        };
        let features = layout.features().len();
        let view = Arc::new(View { design, target, classes, class_weights, features });
        let sums = PassSums::Survey(Box::new(Survey::new(&view, &frame)));
        let knowledge = Knowledge {
            layout: Arc::clone(layout),
            view: Some(view),
            frame: Arc::new(frame),
            whole: false,
            probes: Vec::new(),
            leverages: Vec::new(),
            passes,
            sample: if self.sampling && self.route == Route::Newton { Sample::Share } else { Sample::All },
            partitions: OnceLock::new(),
            stage: Stage::Survey,
        };
        Ok(LinearStats::new(knowledge, sums))
    }

    fn after_survey(&self, knowledge: &Knowledge, survey: &Survey) -> Result<Step<LinearStats, LogisticModel>> {
        let view = view(knowledge)?;
        let partitions = knowledge.partitions.get().copied().unwrap_or(1);
        let partial = knowledge.sample.size(partitions) < partitions;
        let look_at_all = || {
            let sums = PassSums::Survey(Box::new(Survey::new(&view, &knowledge.frame)));
            let frame = (*knowledge.frame).clone();
            Ok(Step::Again(next_pass(knowledge, frame, false, Vec::new(), Vec::new(), Stage::Survey, sums)))
        };
        if partial && !self.can_sample(knowledge, &view, survey) {
            return look_at_all();
        }
        self.check_rows(knowledge, survey)?;
        let mut frame = (*knowledge.frame).clone();
        let design = &view.design;
        // Units first: a column whose squares leave the range of numbers is looked at once more in other units.
        if frame.scale.iter().all(|s| *s == 1.0) {
            let scaled: Vec<f64> = survey.reach.iter().map(|reach| power_of_two(*reach)).collect();
            let extreme = Frame { scale: scaled, ..frame.clone() };
            if !extreme.in_place() {
                let sums = PassSums::Survey(Box::new(Survey::new(&view, &extreme)));
                return Ok(Step::Again(next_pass(knowledge, extreme, false, Vec::new(), Vec::new(), Stage::Survey, sums)));
            }
        }
        let whole = !survey.gaps;
        let rescaled = !frame.in_place();
        let columns = design.columns().len();
        // Sums over the columns, in the units of the survey.
        let mut constant = Vec::new();
        let mut kept = Vec::new();
        for j in 0..columns {
            let spread = survey.columns.square(j);
            let size = survey.reach[j];
            let noise = survey.weight() * (4.0 * f64::EPSILON * size).powi(2);
            match frame.intercept && spread <= noise {
                true => constant.push(j),
                false => kept.push(j),
            }
        }
        let mut units = vec![1.0; columns];
        if partial && !constant.is_empty() {
            return look_at_all();
        }
        for &j in &kept {
            if frame.intercept {
                let mean = survey.columns.mean[j];
                frame.centre[j] = if rescaled { frame.centre[j] + mean / frame.scale[j] } else { mean };
            }
            let square = match frame.intercept {
                true => survey.columns.square(j),
                false => survey.columns.square(j) + survey.weight() * survey.columns.mean[j].powi(2),
            };
            units[j] = power_of_two((square / survey.weight()).sqrt());
            frame.scale[j] *= units[j];
        }
        frame.kept = kept;
        let survey = survey.clone();
        let penalised = self.ridge() > 0.0 || self.l1 > 0.0;
        if penalised || columns > MOST_FULL || frame.kept.is_empty() {
            return self.begin_fit(knowledge, frame, survey, Vec::new(), constant, whole, !rescaled);
        }
        let products = kept_products(&frame, &survey, &units);
        let doubts = rank::doubts(&products);
        if doubts.is_empty() {
            return self.begin_fit(knowledge, frame, survey, Vec::new(), constant, whole, !rescaled);
        }
        if partial {
            return look_at_all();
        }
        let sizes = (0..frame.kept.len()).map(|k| products[(k, k)]).collect();
        let rounding = |j: &usize| survey.weight() * (f64::EPSILON * survey.reach[*j] * units[*j]).powi(2);
        let roundings = frame.kept.iter().map(rounding).collect();
        let turned = rank::turn(&mut frame, &doubts);
        let ranking = Ranking { first: survey, sizes, roundings, turned, aliases: Vec::new(), constant, looks: 1 };
        self.look_again(knowledge, frame, whole, ranking)
    }

    fn look_again(&self, knowledge: &Knowledge, frame: Frame, whole: bool, ranking: Ranking) -> Result<Step<LinearStats, LogisticModel>> {
        let sums = PassSums::Survey(Box::new(Survey::new(&*view(knowledge)?, &frame)));
        Ok(Step::Again(next_pass(knowledge, frame, whole, Vec::new(), Vec::new(), Stage::Rank(Box::new(ranking)), sums)))
    }

    fn after_rank(&self, knowledge: &Knowledge, ranking: &Ranking, survey: &Survey) -> Result<Step<LinearStats, LogisticModel>> {
        let mut frame = (*knowledge.frame).clone();
        let mut ranking = ranking.clone();
        let size = frame.kept.len();
        let square = |j: usize| match frame.intercept {
            true => survey.columns.square(j),
            false => survey.columns.square(j) + survey.weight() * survey.columns.mean[j].powi(2),
        };
        let squares: Vec<f64> = (0..size).map(square).collect();
        let before = frame.kept.clone();
        let aliases = rank::settle(&mut frame, &ranking.turned, &squares, &ranking.sizes, &ranking.roundings);
        ranking.aliases.extend(aliases);
        let stay: Vec<usize> = (0..size).filter(|k| frame.kept.contains(&before[*k])).collect();
        ranking.sizes = stay.iter().map(|&k| ranking.sizes[k]).collect();
        ranking.roundings = stay.iter().map(|&k| ranking.roundings[k]).collect();
        let whole = knowledge.whole;
        if frame.turn.is_none() {
            let Ranking { first, aliases, constant, .. } = ranking;
            let in_place = frame.in_place();
            return self.begin_fit(knowledge, frame, first, aliases, constant, whole, in_place);
        }
        // Columns that are remainders now: are they independent of each other?
        let products = DMatrix::from_fn(stay.len(), stay.len(), |a, b| {
            let (i, j) = (stay[a].min(stay[b]), stay[a].max(stay[b]));
            let mut product = survey.columns.products[i * size + j];
            if !frame.intercept {
                product += survey.weight() * survey.columns.mean[i] * survey.columns.mean[j];
            }
            product
        });
        let doubts = rank::doubts(&products);
        if doubts.is_empty() || ranking.looks >= MOST_LOOKS {
            let Ranking { first, aliases, constant, .. } = ranking;
            return self.begin_fit(knowledge, frame, first, aliases, constant, whole, false);
        }
        ranking.turned = rank::turn(&mut frame, &doubts);
        ranking.looks += 1;
        self.look_again(knowledge, frame, whole, ranking)
    }

    #[allow(clippy::too_many_arguments)]
    fn begin_fit(
        &self,
        knowledge: &Knowledge,
        frame: Frame,
        survey: Survey,
        aliases: Vec<rank::Doubt>,
        constant: Vec<usize>,
        whole: bool,
        start_known: bool,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let view = view(knowledge)?;
        let words: usize = knowledge.layout.word_widths().iter().sum();
        let shape = Shape { outputs: view.outputs(), width: frame.width(), words };
        let view = match self.balanced(&view, &survey) {
            Some(balanced) => Arc::new(balanced),
            None => view,
        };
        if self.ridge() == 0.0 && self.l1 == 0.0 && !self.firth && self.on_separation != OnSeparation::Firth {
            self.check_size(&survey, shape, aliases.len())?;
        }
        let strength = |j: usize| self.ridge() * frame.scale[j] * frame.scale[j];
        let mut dense: Vec<f64> = frame.kept.iter().map(|&j| strength(j)).collect();
        if frame.intercept {
            // A proper prior of the intercept too, or there would be no evidence; 10 on the scale of log odds says next to nothing.
            dense.insert(0, if self.prior_sd.is_some() { INTERCEPT_SD.powi(-2) } else { 0.0 });
        }
        let mut penalty = Penalty::new(dense, self.ridge(), shape);
        if self.l1 > 0.0 {
            let mut one: Vec<f64> = frame.kept.iter().map(|&j| self.l1 * frame.scale[j]).collect();
            if frame.intercept {
                one.insert(0, 0.0);
            }
            penalty.absolute = one.repeat(shape.outputs);
            penalty.absolute.resize(shape.len(), self.l1);
        }
        let theta = match start_known && view.class_weights.is_empty() && !view.design.has_offset() {
            true => survey.start(&frame, shape),
            false => vec![0.0; shape.len()],
        };
        let partitions = knowledge.partitions.get().copied().unwrap_or(1);
        let seen = knowledge.sample.size(partitions);
        let facts = Arc::new(Facts { survey, shape, aliases, constant, penalty, whole, partitions });
        let plan = self.plan(&facts, self.firth);
        let sample = sample_of(&facts.survey, shape, plan.cost, seen, partitions);
        let knowledge = Knowledge {
            layout: Arc::clone(&knowledge.layout),
            view: Some(view),
            frame: Arc::new(frame),
            whole,
            probes: Vec::new(),
            leverages: Vec::new(),
            passes: knowledge.passes,
            sample: Sample::All,
            partitions: OnceLock::new(),
            stage: Stage::Survey,
        };
        if let Route::Stochastic { .. } = self.route {
            return Ok(Step::Again(self.walk(&knowledge, facts, theta, 0, 0.0)));
        }
        let plan = match sample {
            Sample::All => plan,
            _ => Plan { tolerance: START_TOLERANCE, most_steps: START_STEPS, end_with_curvature: true, ..plan },
        };
        let (solver, next) = Solver::start(theta, plan, facts.penalty.clone());
        let uncounted = seen < partitions;
        let fitting = Fitting { facts, solver, firth: self.firth, rescued: None, check_at: 4, sample, curvature: None, uncounted };
        Ok(Step::Again(self.ask(&knowledge, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }

    fn plan(&self, facts: &Facts, firth: bool) -> Plan {
        let shape = facts.shape;
        let full = shape.words == 0 && shape.outputs * shape.width <= MOST_FULL;
        let smallest = facts.survey.class_weights.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let cheap = facts.survey.rows as f64 * (shape.len() as f64).powi(2) < CHEAP_FIT;
        let pairs = (shape.outputs * (shape.outputs + 1) / 2) as f64;
        let plan = Plan {
            curvature: if full { Curvature::Full } else { Curvature::Diagonal },
            // As measured: products of columns cost 1 per pair of outputs where a gradient costs 31 + 9 per output.
            cost: 1.0 + pairs * shape.width as f64 / (31.0 + 9.0 * shape.outputs as f64),
            // Where passes cost nothing the last digits are free.
            tolerance: match (full, cheap) {
                (true, true) => self.tolerance().min(1e-12),
                (true, false) => self.tolerance(),
                // Thousands of words with a penalty: the objective is then right to ten digits.
                (false, _) => self.tolerance.unwrap_or(1e-3),
            },
            most_steps: match self.route {
                Route::Gradient { .. } => self.most_steps.max(MOST_DESCENTS),
                _ => self.most_steps,
            },
            root_weight: smallest.max(1.0).sqrt(),
            end_with_curvature: full && self.wants_information(),
            start_rate: 0.0,
            gradient: match self.route {
                Route::Gradient { rate, stop } => Some((rate / facts.survey.weight(), stop)),
                _ => None,
            },
            newton_end: !cheap && !firth && self.l1 == 0.0,
        };
        if firth { Plan { cost: 0.0, end_with_curvature: true, ..plan } } else { plan }
    }

    /// An epoch of stochastic descent.
    fn walk(&self, knowledge: &Knowledge, facts: Arc<Facts>, theta: Vec<f64>, epochs: usize, seen: f64) -> LinearStats {
        let (rate, half_after) = match self.route {
            Route::Stochastic { rate, half_after, .. } => (rate, half_after),
            _ => (0.0, 1.0),
        };
        let walk = Walk::new(theta.clone(), seen, (rate, half_after), facts.shape, &knowledge.frame);
        let stage = Stage::Walk { facts, theta, epochs, seen };
        next_pass(knowledge, (*knowledge.frame).clone(), stage.whole(), Vec::new(), Vec::new(), stage, PassSums::Walk(Box::new(walk)))
    }

    fn after_walk(&self, knowledge: &Knowledge, walk: &Walk) -> Result<Step<LinearStats, LogisticModel>> {
        let Stage::Walk { facts, theta, epochs, seen } = &knowledge.stage else {
            return Err(Error::internal("a walk that nobody asked for"));
        };
        let stop = if let Route::Stochastic { stop, .. } = self.route { stop } else { 0.0 };
        let moved = theta.iter().zip(&walk.theta).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        if !moved.is_finite() {
            return Err(no_estimate("the walk left the range of numbers", "use a smaller rate"));
        }
        let (facts, epochs) = (Arc::clone(facts), epochs + 1);
        if moved > stop && epochs < self.most_steps {
            let seen = seen + facts.survey.rows as f64;
            return Ok(Step::Again(self.walk(knowledge, facts, walk.theta.clone(), epochs, seen)));
        }
        let (mut solver, next) = Solver::settle(walk.theta.clone(), self.plan(&facts, false), facts.penalty.clone());
        solver.steps = epochs;
        let fitting =
            Fitting { facts, solver, firth: false, rescued: None, check_at: 4, sample: Sample::All, curvature: None, uncounted: false };
        Ok(Step::Again(self.ask(knowledge, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }

    /// From the fit of a sample to that of all rows.
    fn leave_sample(&self, knowledge: &Knowledge, fitting: Fitting, reach: f64) -> Result<Step<LinearStats, LogisticModel>> {
        let facts = Arc::clone(&fitting.facts);
        let shape = facts.shape;
        let seen = fitting.sample.size(facts.partitions) as f64;
        let ratio = facts.partitions as f64 / seen;
        let rows = facts.survey.rows as f64;
        let plan = self.plan(&facts, false);
        let plan = Plan {
            root_weight: plan.root_weight * ratio.sqrt(),
            start_rate: 2.0 * (shape.len() as f64 / rows).sqrt(),
            // The sample's few rows must not make a large fit look cheap.
            tolerance: self.tolerance(),
            ..plan
        };
        let point = fitting.solver.point().filter(|_| reach < LOST_REACH);
        let (solver, next) = match (point, fitting.curvature.clone()) {
            (Some(point), Some(curvature)) => Solver::start_near(point.theta.clone(), plan, facts.penalty.clone(), curvature * ratio),
            _ => Solver::start(facts.survey.start(&knowledge.frame, shape), plan, facts.penalty.clone()),
        };
        let fitting = Fitting { solver, sample: Sample::All, curvature: None, check_at: 4, ..fitting };
        Ok(Step::Again(self.ask(knowledge, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }

    /// Whether the fit of a sample can stand in for a survey of all rows.
    fn can_sample(&self, knowledge: &Knowledge, view: &View, survey: &Survey) -> bool {
        !self.firth
            && self.class_weights != ClassWeighting::Balanced
            && knowledge.layout.words().is_empty()
            && view.design.columns().len() <= MOST_FULL
            && survey.rows as usize >= 4 * view.design.columns().len()
            && survey.class_weights.iter().all(|weight| *weight >= FEW_OF_A_CLASS)
    }

    /// The stage with the counts of all rows in place of those of a sample.
    fn counted(&self, knowledge: &Knowledge, stage: &Stage, counts: &Survey) -> Result<Stage> {
        let Stage::Fit(fitting) = stage else { return Ok(stage.clone()) };
        self.check_rows(knowledge, counts)?;
        let old = &fitting.facts;
        let facts = Facts {
            survey: old.survey.with_counts(counts),
            shape: old.shape,
            aliases: old.aliases.clone(),
            constant: old.constant.clone(),
            penalty: old.penalty.clone(),
            whole: !counts.gaps,
            partitions: old.partitions,
        };
        Ok(Stage::Fit(Box::new(Fitting { facts: Arc::new(facts), uncounted: false, ..(**fitting).clone() })))
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

    fn ask_jeffreys(&self, knowledge: &Knowledge, stage: &Stage, answers: Vec<Raw>) -> Result<Step<LinearStats, LogisticModel>> {
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
    fn advance(&self, knowledge: &Knowledge, stage: &Stage, mut answers: Vec<Raw>) -> Result<Step<LinearStats, LogisticModel>> {
        match stage {
            Stage::Analyse(analysis) => analysis::after_points(self, knowledge, analysis, &answers),
            Stage::Fit(fitting) => {
                let answer = answers.pop().ok_or_else(|| Error::internal("no answer"))?;
                self.after_point(knowledge, fitting, answer)
            }
            _ => Err(Error::internal("answers for a stage that asked for none")),
        }
    }

    fn after_point(&self, knowledge: &Knowledge, fitting: &Fitting, answer: Raw) -> Result<Step<LinearStats, LogisticModel>> {
        let mut fitting = fitting.clone();
        let reach = answer.reach;
        if let Some(hessian) = &answer.hessian {
            fitting.curvature = Some(hessian.clone());
        }
        let second = match (answer.hessian, answer.diagonal) {
            (Some(hessian), _) => Second::Full(hessian),
            (_, Some(diagonal)) => Second::Diagonal(diagonal),
            _ => Second::None,
        };
        let next = fitting.solver.tell(answer.value, answer.gradient, second);
        if fitting.sample != Sample::All {
            return match (&next, reach < LOST_REACH) {
                (Next::Ask { .. }, true) => self.follow(knowledge, fitting, next),
                _ => self.leave_sample(knowledge, fitting, reach),
            };
        }
        if self.route != Route::Newton {
            return self.follow(knowledge, fitting, next);
        }
        let penalised = fitting.firth || fitting.facts.penalty.is_some();
        let stuck = matches!(next, Next::Stuck(_));
        let steps = fitting.solver.steps;
        // The discriminant can start so far out that nothing curves any more; the null model never does.
        if stuck && steps == 0 && knowledge.probes.iter().any(|probe| probe.theta.iter().any(|t| *t != 0.0)) {
            let facts = &fitting.facts;
            let (solver, next) = Solver::start(vec![0.0; facts.shape.len()], self.plan(facts, fitting.firth), facts.penalty.clone());
            return self.follow(knowledge, Fitting { solver, ..fitting }, next);
        }
        let due = reach > WATCHED_REACH && (steps >= fitting.check_at || next == Next::Converged);
        if !penalised && (stuck || due) && fitting.facts.shape.words == 0 {
            fitting.check_at = steps + if reach > 2.0 * WATCHED_REACH { 1 } else { 4 };
            let heading = match fitting.solver.heading() {
                [] => fitting.solver.point().map(|p| p.theta.clone()).unwrap_or_default(),
                heading => heading.to_vec(),
            };
            let probe = Probe::new(heading, Curvature::None, &knowledge.frame, fitting.facts.shape, &[]);
            let whole = fitting.facts.whole;
            let stage = Stage::Margins { fitting: Box::new(fitting), next, reach };
            let sums = PassSums::Margins(Margins::default());
            return Ok(Step::Again(next_pass(knowledge, (*knowledge.frame).clone(), whole, vec![probe], Vec::new(), stage, sums)));
        }
        self.follow(knowledge, fitting, next)
    }

    /// Does what the solver wants next.
    fn follow(&self, knowledge: &Knowledge, fitting: Fitting, next: Next) -> Result<Step<LinearStats, LogisticModel>> {
        match next {
            Next::Ask { theta, curvature } => Ok(Step::Again(self.ask(knowledge, Stage::Fit(Box::new(fitting)), vec![(theta, curvature)]))),
            Next::Converged => self.after_convergence(knowledge, fitting),
            Next::Stuck(why) => Err(no_estimate(
                &format!("the fit did not converge after {} steps: {why}", fitting.solver.steps),
                "rescale or drop columns, or use a penalty (--l2)",
            )),
        }
    }

    fn after_margins(
        &self,
        knowledge: &Knowledge,
        fitting: &Fitting,
        (next, reach): (&Next, f64),
        margins: &Margins,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        if !margins.proves() {
            let mut fitting = fitting.clone();
            // Where standard errors are huge a step can be short beside them and long all the same.
            let next = match next {
                Next::Converged if margins.range > LONG_STEP * (1.0 + reach) => fitting.solver.go_on(),
                next => next.clone(),
            };
            return self.follow(knowledge, fitting, next);
        }
        let separation = self.describe_separation(knowledge, &knowledge.probes[0].theta, margins.complete(), fitting);
        match self.on_separation {
            OnSeparation::Firth => {
                let facts = Arc::clone(&fitting.facts);
                let theta = vec![0.0; facts.shape.len()];
                let (solver, next) = Solver::start(theta, self.plan(&facts, true), facts.penalty.clone());
                let fitting = Fitting { solver, firth: true, rescued: Some(separation), ..fitting.clone() };
                Ok(Step::Again(self.ask(knowledge, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
            }
            OnSeparation::Error => Err(self.separation_error(knowledge, &separation)?),
        }
    }

    /// The columns of a separating direction.
    fn describe_separation(&self, knowledge: &Knowledge, direction: &[f64], complete: bool, fitting: &Fitting) -> Separation {
        let (shape, frame) = (fitting.facts.shape, &knowledge.frame);
        let shift = usize::from(frame.intercept);
        let outputs: Vec<Vec<f64>> = direction.chunks_exact(shape.width).map(|theta| frame.coefficients(&theta[shift..])).collect();
        let size = |j: usize, weight: f64| (weight / frame.scale[j]).abs();
        let largest = outputs.iter().flat_map(|w| w.iter().enumerate().map(|(j, w)| size(j, *w))).fold(0.0, f64::max);
        let columns = frame.kept.iter().filter(|j| outputs.iter().any(|w| size(**j, w[**j]) > 1e-5 * largest));
        Separation { complete, columns: columns.map(|&j| (j, outputs.iter().map(|w| w[j]).collect())).collect() }
    }

    fn separation_error(&self, knowledge: &Knowledge, separation: &Separation) -> Result<Error> {
        let view = view(knowledge)?;
        let names = separation.names(&view.design).join(", ");
        let kind = if separation.complete { "complete" } else { "quasi-complete" };
        let what = format!("{kind} separation: the classes can be told apart without error along {names}, so no finite estimate exists");
        Ok(no_estimate(&what, "use --on-separation firth (Firth's penalised likelihood), a penalty (--l2 1), or leave the column out"))
    }

    fn after_convergence(&self, knowledge: &Knowledge, fitting: Fitting) -> Result<Step<LinearStats, LogisticModel>> {
        let facts = Arc::clone(&fitting.facts);
        let point = fitting.solver.point().ok_or_else(|| Error::internal("convergence without a point"))?;
        let mut theta = DVector::from_column_slice(&point.theta);
        let information = fitting.solver.hessian.clone();
        if let Some(factor) =
            information.clone().and_then(Cholesky::new).filter(|_| self.l1 == 0.0 && !fitting.firth && self.route == Route::Newton)
        {
            // The last Newton step is shorter than the tolerance and costs nothing.
            theta -= factor.solve(&DVector::from_column_slice(&point.gradient));
        }
        let mut unused = vec![0.0; point.theta.len()];
        let absolute = facts.penalty.absolute_size(&point.theta);
        let penalty = facts.penalty.add(&point.theta, &mut unused) + absolute;
        let firth = match (&information, fitting.firth) {
            (Some(information), true) => {
                let factor = Cholesky::new(information.clone());
                factor.map_or(0.0, |f| f.l_dirty().diagonal().iter().map(|d| d.ln()).sum::<f64>())
            }
            _ => 0.0,
        };
        let estimate = Estimate {
            theta,
            information,
            objective: point.value,
            loss: point.value - penalty + firth,
            steps: fitting.solver.steps,
            distance: fitting.solver.distance,
            firth: fitting.firth,
            rescued: fitting.rescued.clone(),
        };
        analysis::begin(self, knowledge, facts, estimate)
    }

    /// Class weights that give every class the same total, from the survey.
    fn balanced(&self, view: &View, survey: &Survey) -> Option<View> {
        if self.class_weights != ClassWeighting::Balanced {
            return None;
        }
        let (total, classes) = (survey.weight(), view.classes as f64);
        let class_weights = survey.class_weights.iter().map(|weight| total / (classes * weight)).collect();
        Some(View { design: Arc::clone(&view.design), target: view.target.clone(), class_weights, ..*view })
    }

    /// Refuses rows from which nothing can be learned.
    fn check_rows(&self, knowledge: &Knowledge, survey: &Survey) -> Result<()> {
        let layout = &knowledge.layout;
        if survey.rows == 0 {
            return Err(Error::data("no row is left: every one lacks a target, a weight or a value"));
        }
        let present: Vec<usize> = (0..survey.class_weights.len()).filter(|k| survey.class_weights[*k] > 0.0).collect();
        if present.len() < survey.class_weights.len() {
            let missing = (0..survey.class_weights.len()).find(|k| !present.contains(k)).unwrap_or(0);
            let fault = match present[..] {
                [only] => DataFault::new("the target has one class in the rows that can be used:").value(layout.classes().label(only)),
                _ => DataFault::new("no usable row has the class").value(layout.classes().label(missing)),
            };
            return Err(fault.column(layout.target()).accepted("every class needs rows without gaps").into());
        }
        Ok(())
    }

    /// Refuses more parameters than rows. With more columns than rows some are always aliased; they count as well.
    fn check_size(&self, survey: &Survey, shape: Shape, aliased: usize) -> Result<()> {
        let (rows, width) = (survey.rows as usize, shape.width + aliased);
        if shape.words > 0 || width > rows {
            let what = match shape.words {
                0 => format!("{width} coefficients per class cannot be estimated from {rows} rows"),
                words => format!("text with {words} words has no finite estimate without a penalty"),
            };
            return Err(no_estimate(&what, "use a penalty (--l2 1), fewer columns, or naive Bayes"));
        }
        Ok(())
    }
}

impl Separation {
    /// The columns by name.
    pub(crate) fn names(&self, design: &Design) -> Vec<String> {
        self.columns.iter().map(|(j, _)| format!("`{}`", design.columns()[*j].name)).collect()
    }
}

/// The partitions on which a start is looked for: enough rows for the parameters, all of them when that saves nothing.
fn sample_of(survey: &Survey, shape: Shape, cost: f64, seen: usize, partitions: usize) -> Sample {
    if seen == partitions {
        return Sample::All;
    }
    let rows_each = (survey.rows as f64 / seen as f64).max(1.0);
    // Second derivatives of the sample should not cost more than two gradients of all rows.
    let affordable = 2.0 * rows_each * partitions as f64 / cost;
    let wanted = (ROWS_PER_PARAMETER * shape.len() as f64).min(affordable).clamp(SMALLEST_SAMPLE, LARGEST_SAMPLE);
    let needed = (wanted / rows_each).ceil().max(2.0) as usize;
    if needed * 3 > partitions { Sample::All } else { Sample::Partitions(needed) }
}

impl Stage {
    fn whole(&self) -> bool {
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

    fn sample(&self) -> Sample {
        match self {
            Stage::Fit(fitting) => fitting.sample,
            _ => Sample::All,
        }
    }

    fn shape(&self) -> Shape {
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

fn question(next: Next) -> Result<(Vec<f64>, Curvature)> {
    match next {
        Next::Ask { theta, curvature } => Ok((theta, curvature)),
        _ => Err(Error::internal("a solver without a first question")),
    }
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

/// Products of the kept columns in the solver's units, about zero without an intercept.
fn kept_products(frame: &Frame, survey: &Survey, units: &[f64]) -> DMatrix<f64> {
    let columns = survey.reach.len();
    DMatrix::from_fn(frame.kept.len(), frame.kept.len(), |a, b| {
        let (i, j) = (frame.kept[a].min(frame.kept[b]), frame.kept[a].max(frame.kept[b]));
        let mut product = survey.columns.products[i * columns + j];
        if !frame.intercept {
            product += survey.weight() * survey.columns.mean[i] * survey.columns.mean[j];
        }
        product * units[i] * units[j]
    })
}
