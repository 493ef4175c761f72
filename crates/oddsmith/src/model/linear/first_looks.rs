//! The first looks at the rows: what the columns are, in which units they are solved, and which of them carry information.

use std::sync::{Arc, OnceLock};

use nalgebra::DMatrix;

use super::descent::Route;
use super::frame::{Frame, power_of_two};
use super::knobs::{ClassWeighting, Logistic};
use super::learner::{MOST_FULL, next_pass, no_estimate, view};
use super::lens::View;
use super::model::LogisticModel;
use super::passes::{Knowledge, LinearStats, PassSums};
use super::probe::Shape;
use super::rank;
use super::sample::Sample;
use super::stage::{Ranking, Stage};
use super::survey::Survey;
use crate::data::design::Place;
use crate::data::{Design, DesignSurvey, Formula, Layout};
use crate::error::{DataFault, Error, Result};
use crate::model::Step;

/// Rows of a class that a sample must have.
const FEW_OF_A_CLASS: f64 = 50.0;
/// Looks at doubtful columns.
const MOST_LOOKS: usize = 5;

impl Logistic {
    pub(super) fn first_look(
        &self,
        layout: &Arc<Layout>,
        formula: &Formula,
        survey: Option<&DesignSurvey>,
        passes: usize,
    ) -> Result<LinearStats> {
        let design = Arc::new(Design::compile(formula, layout, &self.options, survey)?);
        let classes = layout.classes().len();
        if classes < 2 {
            let label = layout.classes().labels().first().cloned().unwrap_or_default();
            return Err(DataFault::new("the target has one class:").column(layout.target()).value(label).accepted("at least two").into());
        }
        let target = self.target(formula, layout)?;
        let marked = design.marked_columns().cloned();
        let frame = Frame { marked, ..Frame::plain(design.columns().len(), design.intercept()) };
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
        let coarse_knots = survey.is_some_and(|survey| !survey.is_exact());
        let view = Arc::new(View { design, target, classes, class_weights, features, coarse_knots });
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

    pub(super) fn after_survey(&self, knowledge: &Knowledge, survey: &Survey) -> Result<Step<LinearStats, LogisticModel>> {
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
            let scaled: Vec<f64> = (0..survey.width()).map(|j| power_of_two(survey.reach(j))).collect();
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
            let spread = survey.product(j, j);
            let size = survey.reach(j);
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
        let places = frame.places();
        for &j in &kept {
            if frame.intercept && (rescaled || matches!(places[j], Place::Cell(_))) {
                let mean = survey.mean(j);
                frame.centre[j] = if rescaled { frame.centre[j] + mean / frame.scale[j] } else { mean };
            }
            units[j] = power_of_two((survey.seen_product(&frame, j, j) / survey.weight()).sqrt());
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
        let rounding = |j: &usize| survey.weight() * (f64::EPSILON * survey.reach(*j) * units[*j]).powi(2);
        let roundings = frame.kept.iter().map(rounding).collect();
        let turned = rank::turn(&mut frame, &doubts);
        let ranking = Ranking { first: survey, sizes, roundings, turned, aliases: Vec::new(), constant, looks: 1 };
        self.look_again(knowledge, frame, whole, ranking)
    }

    pub(super) fn look_again(
        &self,
        knowledge: &Knowledge,
        frame: Frame,
        whole: bool,
        ranking: Ranking,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let sums = PassSums::Survey(Box::new(Survey::new(&*view(knowledge)?, &frame)));
        Ok(Step::Again(next_pass(knowledge, frame, whole, Vec::new(), Vec::new(), Stage::Rank(Box::new(ranking)), sums)))
    }

    pub(super) fn after_rank(&self, knowledge: &Knowledge, ranking: &Ranking, survey: &Survey) -> Result<Step<LinearStats, LogisticModel>> {
        let mut frame = (*knowledge.frame).clone();
        let mut ranking = ranking.clone();
        let size = frame.kept.len();
        let squares: Vec<f64> = (0..size).map(|j| survey.seen_product(&frame, j, j)).collect();
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
        let products = DMatrix::from_fn(stay.len(), stay.len(), |a, b| survey.seen_product(&frame, stay[a], stay[b]));
        let doubts = rank::doubts(&products);
        if doubts.is_empty() || ranking.looks >= MOST_LOOKS {
            let Ranking { first, aliases, constant, .. } = ranking;
            return self.begin_fit(knowledge, frame, first, aliases, constant, whole, false);
        }
        ranking.turned = rank::turn(&mut frame, &doubts);
        ranking.looks += 1;
        self.look_again(knowledge, frame, whole, ranking)
    }

    /// Whether the fit of a sample can stand in for a survey of all rows.
    pub(super) fn can_sample(&self, knowledge: &Knowledge, view: &View, survey: &Survey) -> bool {
        !self.firth
            && self.class_weights != ClassWeighting::Balanced
            && knowledge.layout.words().is_empty()
            && view.design.columns().len() <= MOST_FULL
            && survey.rows as usize >= 4 * view.design.columns().len()
            && survey.class_weights.iter().all(|weight| *weight >= FEW_OF_A_CLASS)
    }

    /// Class weights that give every class the same total, from the survey.
    pub(super) fn balanced(&self, view: &View, survey: &Survey) -> Option<View> {
        if self.class_weights != ClassWeighting::Balanced {
            return None;
        }
        let (total, classes) = (survey.weight(), view.classes as f64);
        let class_weights = survey.class_weights.iter().map(|weight| total / (classes * weight)).collect();
        Some(View { design: Arc::clone(&view.design), target: view.target.clone(), class_weights, ..*view })
    }

    /// Refuses rows from which nothing can be learned.
    pub(super) fn check_rows(&self, knowledge: &Knowledge, survey: &Survey) -> Result<()> {
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
    pub(super) fn check_size(&self, survey: &Survey, shape: Shape, aliased: usize) -> Result<()> {
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

/// Products of the kept columns in the solver's units, about zero without an intercept.
fn kept_products(frame: &Frame, survey: &Survey, units: &[f64]) -> DMatrix<f64> {
    DMatrix::from_fn(frame.kept.len(), frame.kept.len(), |a, b| {
        let (i, j) = (frame.kept[a], frame.kept[b]);
        survey.seen_product(frame, i, j) * units[i] * units[j]
    })
}
