//! The first looks at the rows: what the columns are, in which units they are solved, and which of them carry information.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::data::design::Place;
use crate::data::{Design, DesignSurvey, Feature, Formula, Layout, Space};
use crate::error::{Advice, DataFault, Error, Result};
use crate::model::linear::fit::block_reader::Problem;
use crate::model::linear::fit::coordinates::{Coordinates, power_of_two};
use crate::model::linear::fit::descent::Solver;
use crate::model::linear::fit::eval_point::Shape;
use crate::model::linear::fit::learner::{MOST_FULL, next_pass, no_estimate, problem};
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::rank;
use crate::model::linear::fit::sample::Sample;
use crate::model::linear::fit::stage::{Ranking, Stage};
use crate::model::linear::fit::survey::Survey;
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::{ClassWeighting, Logistic};
use crate::model::{PassInfo, Step};
use crate::num::check_room;
use crate::stats::check_size;

/// Rows of a class that a sample must have.
const FEW_OF_A_CLASS: f64 = 50.0;
/// Different numbers up to which a target is taken as one of classes, and rows of each that make classes of more.
const MOST_NUMBERS: usize = 10;
const ROWS_PER_NUMBER: u64 = 10;
/// The weight of all rows at the most: beyond it whole rows are lost in the rounding of their sum.
const MOST_WEIGHT: f64 = (1u64 << 53) as f64;
/// Looks at doubtful columns.
const MOST_LOOKS: usize = 5;
/// Largest scale of a column under a penalty.
const MOST_PENALISED: f64 = 2.037035976334486e90; // 2³⁰⁰

/// Refuses targets that teach nothing.
pub(in crate::model::linear) fn check_classes(layout: &Layout) -> Result<()> {
    match layout.classes().labels() {
        [] => Err(DataFault::new("no row has a class").column(layout.target()).accepted("at least two classes").into()),
        [only] => {
            Err(DataFault::new("the target has one class:").column(layout.target()).value(only.clone()).accepted("at least two").into())
        }
        _ => Ok(()),
    }
}

/// Refuses columns that no power of two brings to values of about 1.
fn check_sizes(design: &Design, survey: &Survey) -> Result<()> {
    (0..survey.width()).try_for_each(|j| check_size(&design.columns()[j].name, survey.max_abs_eta(j)))
}

/// Refuses more columns than there is memory for their products, of which three copies are alive at a time: two lanes and what is made of them.
/// Very many columns do without products, unless `firth` asks for them.
fn check_products(layout: &Layout, cells: usize, marks: usize, firth: bool) -> Result<()> {
    const COPIES: u128 = 3;
    if cells + marks > MOST_FULL && !firth {
        return Ok(());
    }
    let (cells, marks) = (cells as u128, marks as u128);
    let levels = |feature: &&Feature| match &feature.space {
        Space::Levels { levels, .. } => levels.len(),
        _ => 0,
    };
    let widest = layout.features().iter().max_by_key(levels).filter(|feature| levels(feature) > 2);
    let what = || {
        let named = widest.map_or_else(String::new, |feature| format!(" (`{}` has {} levels)", feature.name, levels(&feature)));
        format!("the products of {} columns{named}", cells + marks)
    };
    let advice = || {
        let leave_out = widest.map(|feature| Advice::LeaveOut(vec![feature.name.clone()]));
        let counting = Advice::UseModel { name: "nb", why: "which counts every level by itself" };
        Advice::any_of(["pool rare levels into one".into(), counting].into_iter().chain(leave_out))
    };
    check_room(COPIES * (cells * cells + cells * marks + marks * marks), what, advice)
}

impl Logistic {
    pub(in crate::model::linear) fn first_look(
        &self,
        layout: &Arc<Layout>,
        formula: &Formula,
        survey: Option<&DesignSurvey>,
        (passes, source): (usize, PassInfo),
    ) -> Result<LinearStats> {
        let design = Arc::new(Design::compile(formula, layout, &self.options, survey)?);
        let classes = layout.classes().len();
        check_classes(layout)?;
        let target = self.target(formula, layout)?;
        let marked = design.marked_columns().cloned();
        let coordinates = Coordinates { marked, ..Coordinates::plain(design.columns().len(), design.intercept()) };
        check_products(layout, coordinates.cell_centre().len(), coordinates.mark_range(), self.firth)?;
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
        let problem = Arc::new(Problem { design, target, classes, class_weights, features, coarse_knots });
        let sums = PassSums::Survey(Box::new(Survey::new(&problem, &coordinates)));
        let state = PassState {
            layout: Arc::clone(layout),
            problem: Some(problem),
            coordinates: Arc::new(coordinates),
            no_missing: false,
            eval_points: Vec::new(),
            leverages: Vec::new(),
            passes,
            sample: if self.sampling && self.solver == Solver::Newton { Sample::Share } else { Sample::All },
            source,
            face: None,
            stage: Stage::Survey,
        };
        Ok(LinearStats::new(state, sums))
    }

    pub(in crate::model::linear) fn after_survey(&self, state: &PassState, survey: &Survey) -> Result<Step<LinearStats, LogisticModel>> {
        let problem = problem(state)?;
        let partitions = state.source.partitions;
        let partial = state.sample.size(partitions) < partitions;
        let look_at_all = || {
            let sums = PassSums::Survey(Box::new(Survey::new(&problem, &state.coordinates)));
            let coordinates = (*state.coordinates).clone();
            Ok(Step::Again(next_pass(state, coordinates, false, Vec::new(), Vec::new(), Stage::Survey, sums)))
        };
        if partial && !self.can_sample(state, &problem, survey) {
            return look_at_all();
        }
        self.check_rows(state, survey)?;
        let mut coordinates = (*state.coordinates).clone();
        let design = &problem.design;
        // Units first: a column whose squares leave the range of numbers is looked at once more in other units.
        if coordinates.scale.iter().all(|s| *s == 1.0) {
            check_sizes(design, survey)?;
            let scaled: Vec<f64> = (0..survey.width()).map(|j| power_of_two(survey.max_abs_eta(j))).collect();
            let extreme = Coordinates { scale: scaled, ..coordinates.clone() };
            if !extreme.in_place() {
                let sums = PassSums::Survey(Box::new(Survey::new(&problem, &extreme)));
                return Ok(Step::Again(next_pass(state, extreme, false, Vec::new(), Vec::new(), Stage::Survey, sums)));
            }
        }
        let no_missing = !survey.gaps;
        let rescaled = !coordinates.in_place();
        let columns = design.columns().len();
        // Sums over the columns, in the units of the survey.
        let mut constant = Vec::new();
        let mut kept = Vec::new();
        for j in 0..columns {
            let spread = survey.product(j, j);
            let size = survey.max_abs_eta(j);
            let noise = survey.weight() * (4.0 * f64::EPSILON * size).powi(2);
            match coordinates.intercept && spread <= noise {
                true => constant.push(j),
                false => kept.push(j),
            }
        }
        let mut units = vec![1.0; columns];
        let penalised = self.ridge() > 0.0 || self.l1 > 0.0;
        if partial && !constant.is_empty() {
            return look_at_all();
        }
        let places = coordinates.places();
        for &j in &kept {
            if coordinates.intercept && (rescaled || matches!(places[j], Place::Cell(_))) {
                let mean = survey.mean(j);
                coordinates.centre[j] = if rescaled { coordinates.centre[j] + mean / coordinates.scale[j] } else { mean };
            }
            units[j] = power_of_two((survey.seen_product(&coordinates, j, j) / survey.weight()).sqrt());
            coordinates.scale[j] *= units[j];
            if penalised {
                // In units of the column's own the square of a tiny column's scale, and with it the penalty, would be infinite.
                coordinates.scale[j] = coordinates.scale[j].min(MOST_PENALISED);
            }
        }
        coordinates.kept = kept;
        let survey = survey.clone();
        if penalised || columns > MOST_FULL || coordinates.kept.is_empty() {
            let start_known = !rescaled && columns <= MOST_FULL;
            return self.begin_fit(state, coordinates, survey, Vec::new(), constant, no_missing, start_known);
        }
        let products = kept_products(&coordinates, &survey, &units);
        let doubts = rank::doubts(&products);
        if doubts.is_empty() {
            return self.begin_fit(state, coordinates, survey, Vec::new(), constant, no_missing, !rescaled);
        }
        if partial {
            return look_at_all();
        }
        let sizes = (0..coordinates.kept.len()).map(|k| products[(k, k)]).collect();
        let rounding = |j: &usize| survey.weight() * (f64::EPSILON * survey.max_abs_eta(*j) * units[*j]).powi(2);
        let roundings = coordinates.kept.iter().map(rounding).collect();
        let turned = rank::turn(&mut coordinates, &doubts);
        let ranking = Ranking { first: survey, sizes, roundings, turned, aliases: Vec::new(), constant, evaluations: 1 };
        self.look_again(state, coordinates, no_missing, ranking)
    }

    pub(in crate::model::linear) fn look_again(
        &self,
        state: &PassState,
        coordinates: Coordinates,
        no_missing: bool,
        ranking: Ranking,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let sums = PassSums::Survey(Box::new(Survey::new(&*problem(state)?, &coordinates)));
        Ok(Step::Again(next_pass(state, coordinates, no_missing, Vec::new(), Vec::new(), Stage::Rank(Box::new(ranking)), sums)))
    }

    pub(in crate::model::linear) fn after_rank(
        &self,
        state: &PassState,
        ranking: &Ranking,
        survey: &Survey,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let mut coordinates = (*state.coordinates).clone();
        let mut ranking = ranking.clone();
        let size = coordinates.kept.len();
        let squares: Vec<f64> = (0..size).map(|j| survey.seen_product(&coordinates, j, j)).collect();
        let before = coordinates.kept.clone();
        let aliases = rank::settle(&mut coordinates, &ranking.turned, &squares, &ranking.sizes, &ranking.roundings);
        ranking.aliases.extend(aliases);
        let stay: Vec<usize> = (0..size).filter(|k| coordinates.kept.contains(&before[*k])).collect();
        ranking.sizes = stay.iter().map(|&k| ranking.sizes[k]).collect();
        ranking.roundings = stay.iter().map(|&k| ranking.roundings[k]).collect();
        let no_missing = state.no_missing;
        if coordinates.turn.is_none() {
            let Ranking { first, aliases, constant, .. } = ranking;
            let in_place = coordinates.in_place();
            return self.begin_fit(state, coordinates, first, aliases, constant, no_missing, in_place);
        }
        // Columns that are remainders now: are they independent of each other?
        let products = DMatrix::from_fn(stay.len(), stay.len(), |a, b| survey.seen_product(&coordinates, stay[a], stay[b]));
        let doubts = rank::doubts(&products);
        if doubts.is_empty() || ranking.evaluations >= MOST_LOOKS {
            let Ranking { first, aliases, constant, .. } = ranking;
            return self.begin_fit(state, coordinates, first, aliases, constant, no_missing, false);
        }
        ranking.turned = rank::turn(&mut coordinates, &doubts);
        ranking.evaluations += 1;
        self.look_again(state, coordinates, no_missing, ranking)
    }

    /// Whether the fit of a sample can stand in for a survey of all rows.
    pub(in crate::model::linear) fn can_sample(&self, state: &PassState, problem: &Problem, survey: &Survey) -> bool {
        !self.firth
            && self.class_weights != ClassWeighting::Balanced
            && state.layout.words().is_empty()
            && problem.design.columns().len() <= MOST_FULL
            && survey.rows as usize >= 4 * problem.design.columns().len()
            && survey.class_weights.iter().all(|weight| *weight >= FEW_OF_A_CLASS)
    }

    /// Class weights that give every class the same total, from the survey.
    pub(in crate::model::linear) fn balanced(&self, problem: &Problem, survey: &Survey) -> Option<Problem> {
        if self.class_weights != ClassWeighting::Balanced {
            return None;
        }
        let (total, classes) = (survey.weight(), problem.classes as f64);
        let class_weights = survey.class_weights.iter().map(|weight| total / (classes * weight)).collect();
        Some(Problem { design: Arc::clone(&problem.design), target: problem.target.clone(), class_weights, ..*problem })
    }

    /// Refuses rows from which nothing can be learned.
    pub(in crate::model::linear) fn check_rows(&self, state: &PassState, survey: &Survey) -> Result<()> {
        let layout = &state.layout;
        if survey.rows == 0 {
            return Err(Error::data("no row is left: every one lacks a target, a weight or a value"));
        }
        let weight: f64 = survey.class_weights.iter().sum();
        if weight.is_nan() || weight > MOST_WEIGHT {
            let what = format!("the weights of the rows, those of their classes included, add up to {weight:e}");
            return Err(DataFault::new(what).accepted("a sum up to 2^53, about 9e15; only ratios of weights matter to an estimate").into());
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
        self.check_outcome(layout, survey.rows)
    }

    /// Refuses numbers that are not classes: many of them, each in a few rows.
    fn check_outcome(&self, layout: &Layout, rows: u64) -> Result<()> {
        let labels = layout.classes().labels();
        let few = labels.len() > MOST_NUMBERS && rows < ROWS_PER_NUMBER * labels.len() as u64;
        let penalised = self.ridge() > 0.0 || self.l1 > 0.0;
        if penalised || !few || labels.iter().any(|label| label.trim().parse::<f64>().is_err()) {
            return Ok(());
        }
        let what = format!("a numeric outcome, not classes: {} different numbers in {rows} rows", labels.len());
        Err(DataFault::new(what).column(layout.target()).accepted("a target of few classes; cut the numbers into ranges first").into())
    }

    /// Refuses more parameters than rows. With more columns than rows some are always aliased; they count as well.
    pub(in crate::model::linear) fn check_size(&self, survey: &Survey, shape: Shape, aliased: usize) -> Result<()> {
        let (rows, width) = (survey.rows as usize, shape.width + aliased);
        if width > rows {
            let what = format!("{width} coefficients per class cannot be estimated from {rows} rows");
            return Err(no_estimate(
                &what,
                Advice::any_of([Advice::PenaliseWith { l2: 1.0 }, "use fewer columns".into(), "use naive Bayes".into()]),
            ));
        }
        Ok(())
    }
}

/// Products of the kept columns in the solver's units, about zero without an intercept.
fn kept_products(coordinates: &Coordinates, survey: &Survey, units: &[f64]) -> DMatrix<f64> {
    DMatrix::from_fn(coordinates.kept.len(), coordinates.kept.len(), |a, b| {
        let (i, j) = (coordinates.kept[a], coordinates.kept[b]);
        survey.seen_product(coordinates, i, j) * units[i] * units[j]
    })
}
