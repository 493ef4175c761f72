//! The steps of a fit in the units of the table, for those who follow it.
//!
//! With β = J θ between the table's parameters and the solver's, slopes are J⁻ᵀ times the solver's. A look that the solver turns away from is
//! no step; nor are the looks at a sample, and those that ask only whether there is an optimum.

use nalgebra::{DMatrix, DVector};

use crate::error::{Error, Result};
use crate::model::linear::fit::eval_point::Shape;
use crate::model::linear::fit::learner::{firth_answer, problem, raw};
use crate::model::linear::fit::named_start::INTERCEPT;
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::sample::Sample;
use crate::model::linear::fit::stage::{Facts, Fitting, Raw, Stage};
use crate::model::linear::options::Logistic;
use crate::model::{Look, LookedParameter};

/// A point in the solver's coordinates, and the objective and its gradient where they are known.
struct Seen<'a> {
    theta: &'a [f64],
    objective: Option<(f64, &'a [f64])>,
}

/// The parameters of every line, slot after slot within a line, and the slopes where they are known.
struct Lines {
    values: Vec<Vec<f64>>,
    slopes: Option<Vec<Vec<f64>>>,
}

impl Logistic {
    /// What a pass says about the step that asked for it.
    pub(in crate::model::linear) fn looks_of(&self, stats: &LinearStats) -> Result<Vec<Look>> {
        let state = &*stats.state;
        let look = match (&state.stage, &stats.sums) {
            (Stage::SgdEpoch { facts, theta, .. }, PassSums::SgdEpoch(_)) => {
                Some(self.look(state, facts, &Seen { theta, objective: None })?)
            }
            (stage @ Stage::Fit(_), PassSums::Points(points, counts)) if !stage.needs_jeffreys() => {
                let counted = counts.as_ref().map(|counts| self.counted(state, stage, counts)).transpose()?;
                match (counted.as_ref().unwrap_or(stage), points.first().zip(state.eval_points.first())) {
                    (Stage::Fit(fitting), Some((sums, at))) => self.step(state, fitting, raw(sums, at), &at.theta)?,
                    _ => None,
                }
            }
            (Stage::Jeffreys { inner, answers }, PassSums::Jeffreys(sums)) => {
                match (&**inner, answers.first().zip(sums.first()).zip(state.eval_points.first())) {
                    (Stage::Fit(fitting), Some(((answer, sums), at))) => {
                        self.step(state, fitting, firth_answer(answer, &sums.gradient(&state.coordinates)), &at.theta)?
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        Ok(look.into_iter().collect())
    }

    /// The look at a point from which the solver goes on.
    fn step(&self, state: &PassState, fitting: &Fitting, answer: Raw, theta: &[f64]) -> Result<Option<Look>> {
        let prelude = fitting.sample != Sample::All || fitting.narrowing.is_some() || fitting.descent_from.is_some();
        let known = fitting.solver.point().is_some_and(|point| point.theta == theta);
        if prelude || known {
            return Ok(None);
        }
        let mut solver = fitting.solver.clone();
        let (value, gradient, second) = answer.into_parts();
        solver.tell(value, gradient, second);
        let Some(point) = solver.point().filter(|point| point.theta == theta) else { return Ok(None) };
        self.look(state, &fitting.facts, &Seen { theta, objective: Some((point.value, &point.gradient)) }).map(Some)
    }

    fn look(&self, state: &PassState, facts: &Facts, seen: &Seen<'_>) -> Result<Look> {
        let (problem, coordinates, layout) = (problem(state)?, &state.coordinates, &state.layout);
        let weight = facts.survey.weight();
        let shift = usize::from(coordinates.intercept);
        let mut lines = lines_of(seen, &coordinates.jacobian(), facts.shape, weight)?;
        let start = self.named_start(layout, &problem.design)?.filter(|start| start.every_class);
        if let Some(start) = &start {
            let place = |slot: usize| match slot {
                0 if shift == 1 => Some(0),
                slot => coordinates.kept.get(slot - shift).map(|column| column + 1),
            };
            lines.with_first_class(|slot| place(slot).map_or(0.0, |place| start.mean(place)));
        }
        let mut terms: Vec<String> = std::iter::repeat_n(INTERCEPT.to_owned(), shift).collect();
        terms.extend(coordinates.kept.iter().map(|&column| problem.design.columns()[column].name.clone()));
        for (&feature, width) in layout.words().iter().zip(layout.word_widths()) {
            let of = &layout.features()[feature].name;
            terms.extend((0..width).map(|word| format!("{of}:{}", layout.level_name(feature, word).unwrap_or_default())));
        }
        let first = usize::from(start.is_none());
        let mut parameters = Vec::new();
        for (m, line) in lines.values.iter().enumerate() {
            for (slot, (term, value)) in terms.iter().zip(line).enumerate() {
                let slope = lines.slopes.as_ref().map(|slopes| slopes[m][slot]);
                parameters.push(LookedParameter {
                    class: layout.classes().label(m + first).to_owned(),
                    term: term.clone(),
                    value: *value,
                    slope,
                });
            }
        }
        Ok(Look { search: None, loss: seen.objective.map(|(value, _)| value / weight), parameters })
    }
}

/// The lines of all classes but the first, in the units of the table; slopes per unit of weight.
fn lines_of(seen: &Seen<'_>, jacobian: &DMatrix<f64>, shape: Shape, weight: f64) -> Result<Lines> {
    let Shape { outputs, width, words } = shape;
    let back = jacobian.transpose().lu();
    let dense = |all: &[f64], m: usize| DVector::from_column_slice(&all[m * width..(m + 1) * width]);
    let of_words = |all: &[f64], m: usize| (0..words).map(|word| all[outputs * width + word * outputs + m]).collect::<Vec<f64>>();
    let values = (0..outputs).map(|m| {
        let own = jacobian * dense(seen.theta, m);
        own.iter().copied().chain(of_words(seen.theta, m)).collect()
    });
    let values = values.collect();
    let Some((_, gradient)) = seen.objective else { return Ok(Lines { values, slopes: None }) };
    let slopes = (0..outputs).map(|m| {
        let own = if width == 0 { Some(DVector::zeros(0)) } else { back.solve(&dense(gradient, m)) };
        let own = own.ok_or_else(|| Error::internal("units that cannot be undone"))?;
        Ok(own.iter().copied().chain(of_words(gradient, m)).map(|slope| slope / weight).collect())
    });
    Ok(Lines { values, slopes: Some(slopes.collect::<Result<_>>()?) })
}

impl Lines {
    /// Every class has a line of its own: log odds fix them up to what all have in common, and the mean over the classes is given.
    fn with_first_class(&mut self, mean: impl Fn(usize) -> f64) {
        let slots = self.values.first().map_or(0, Vec::len);
        let classes = self.values.len() as f64 + 1.0;
        self.values.insert(0, vec![0.0; slots]);
        for slot in 0..slots {
            let common = mean(slot) - self.values.iter().map(|line| line[slot]).sum::<f64>() / classes;
            self.values.iter_mut().for_each(|line| line[slot] += common);
        }
        if let Some(slopes) = &mut self.slopes {
            let first = (0..slots).map(|slot| -slopes.iter().map(|line| line[slot]).sum::<f64>()).collect();
            slopes.insert(0, first);
        }
    }
}
