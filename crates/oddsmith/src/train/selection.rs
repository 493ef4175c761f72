//! Stepwise selection of columns, or of terms, by a criterion that is to be small or by likelihood-ratio tests.
//!
//! Forward starts with no column and adds the one that lowers the criterion most; backward starts with all and drops the one whose loss
//! lowers it most; both-ways may do either at every step. It stops when no step lowers the criterion. At most p(p + 1)/2 subsets
//! and a few more are tried one way; a subset is judged once. The criterion of the chosen subset is a minimum over many tries and
//! flatters it: judge the model on rows that had no part in the choice.
//!
//! By tests, a column comes in when its p-value is the smallest and below a level, and goes when it is the largest and not below it. All
//! parameters of a column are tested together: 2 (ℓ_large − ℓ_small) against χ² with as many degrees of freedom as they are.

use std::collections::BTreeMap;

use crate::data::Weighting;
use crate::error::{ErrorKind, Result};
use crate::num::special::chi_squared;
use crate::stats::ClassWeights;

/// Which steps are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Add columns.
    Forward,
    /// Drop columns.
    Backward,
    /// Add or drop.
    Both,
}

/// One step of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionStep {
    /// The column that was added or dropped; `None` at the start.
    pub column: Option<usize>,
    /// Whether it was added.
    pub added: bool,
    /// The columns after the step, in rising order.
    pub columns: Vec<usize>,
    /// The criterion after the step, or the p-value of what came or went; `None` where the subset has no model, and at the start of
    /// a search by tests.
    pub criterion: Option<f64>,
}

/// The way of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Steps, the start included.
    pub steps: Vec<SelectionStep>,
    /// How many subsets were judged.
    pub tried: usize,
}

impl Selection {
    /// The chosen columns, in rising order.
    pub fn columns(&self) -> &[usize] {
        self.steps.last().map_or(&[], |step| &step.columns)
    }
}

/// Searches among columns `0..count`. `judge` gives the criterion of a subset, or `None` where it has no model; at least one column is
/// kept, because a model without columns is the class proportions.
pub fn select_columns(count: usize, direction: Direction, judge: &mut dyn FnMut(&[usize]) -> Result<Option<f64>>) -> Result<Selection> {
    select_among(count, direction, &|_| true, &mut |subsets| subsets.iter().map(|subset| judge(subset)).collect())
}

/// As [`select_columns`], among the subsets that are `allowed`, where `judge` is asked about all subsets of a step together.
pub fn select_among(count: usize, direction: Direction, allowed: Allowed<'_>, judge: Judge<'_, f64>) -> Result<Selection> {
    let mut known = Known { judge, answers: BTreeMap::new() };
    let mut current: Vec<usize> = if direction == Direction::Forward { Vec::new() } else { (0..count).collect() };
    let mut criterion = if current.is_empty() { None } else { known.of(std::slice::from_ref(&current))?[0] };
    let mut steps = vec![SelectionStep { column: None, added: false, columns: current.clone(), criterion }];
    loop {
        let moves: Vec<Move> =
            moves(count, &current, allowed).into_iter().filter(|step| step.is_of(direction) && !step.columns.is_empty()).collect();
        let values = known.of(&moves.iter().map(|step| step.columns.clone()).collect::<Vec<_>>())?;
        let judged = moves.into_iter().zip(values).filter_map(|(step, value)| Some((step, value.filter(|value| value.is_finite())?)));
        // The first of equals stands.
        let best = judged.reduce(|best, next| if next.1 < best.1 { next } else { best });
        match best {
            Some((step, value)) if criterion.is_none_or(|now| value < now) => {
                (current, criterion) = (step.columns.clone(), Some(value));
                steps.push(step.told(Some(value)));
            }
            _ => return Ok(Selection { steps, tried: known.answers.len() }),
        }
    }
}

/// How well a model fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likelihood {
    /// −2 log likelihood, up to a constant that all models share.
    pub deviance: f64,
    /// Free parameters.
    pub parameters: f64,
}

impl Likelihood {
    /// The fit as that of the independent rows that the weights are worth: where weights say how much of a population a row stands for,
    /// their unit must not decide a test.
    #[must_use]
    pub fn of_effective_rows(self, classes: &ClassWeights, weighting: Weighting) -> Self {
        let weight = classes.total();
        let per_weight = if weight > 0.0 { classes.effective_rows(weighting) / weight } else { 1.0 };
        Likelihood { deviance: per_weight * self.deviance, ..self }
    }

    /// Log of the p-value of the parameters that a larger model has beyond this one; `None` when it has none.
    fn log_p_value(&self, larger: &Likelihood) -> Option<f64> {
        let freedom = larger.parameters - self.parameters;
        (freedom > 0.0).then(|| chi_squared::log_sf((self.deviance - larger.deviance).max(0.0), freedom))
    }
}

/// Searches by likelihood-ratio tests at a level. `judge` also knows the model without any column.
pub fn select_by_tests(
    count: usize,
    direction: Direction,
    level: f64,
    allowed: Allowed<'_>,
    judge: Judge<'_, Likelihood>,
) -> Result<Selection> {
    let mut known = Known { judge, answers: BTreeMap::new() };
    let mut current: Vec<usize> = if direction == Direction::Forward { Vec::new() } else { (0..count).collect() };
    let mut steps = vec![SelectionStep { column: None, added: false, columns: current.clone(), criterion: None }];
    let mut seen = vec![current.clone()];
    loop {
        let Some(here) = known.of(std::slice::from_ref(&current))?[0] else {
            let advice = "search forward, or leave columns out".into();
            return Err(ErrorKind::NoEstimate { what: "the model that the search starts from has no estimate".into(), advice }.into());
        };
        let moves = moves(count, &current, allowed);
        let of_kind = |added: bool| moves.iter().filter(move |step| step.added == added && step.is_of(direction));
        let mut next = None;
        // What has no place in the model goes before anything comes in.
        for added in [false, true] {
            let steps: Vec<&Move> = of_kind(added).collect();
            let models = known.of(&steps.iter().map(|step| step.columns.clone()).collect::<Vec<_>>())?;
            let tested = steps.into_iter().zip(models).filter_map(|(step, model)| {
                let model = model?;
                let log_p = if added { here.log_p_value(&model) } else { model.log_p_value(&here) };
                Some((step, log_p?))
            });
            let (worst, best) = (|a: f64, b: f64| b > a, |a: f64, b: f64| b < a);
            let better: fn(f64, f64) -> bool = if added { best } else { worst };
            let chosen = tested.reduce(|kept, step| if better(kept.1, step.1) { step } else { kept });
            next = chosen.filter(|(_, log_p)| (*log_p < level.ln()) == added);
            if next.is_some() {
                break;
            }
        }
        let Some((step, log_p)) = next.filter(|(step, _)| !seen.contains(&step.columns)) else {
            return Ok(Selection { steps, tried: known.answers.len() });
        };
        current = step.columns.clone();
        seen.push(current.clone());
        steps.push(step.clone().told(Some(log_p.exp())));
    }
}

/// Whether a subset, in rising order, may be tried: a product of terms may need its factors.
pub type Allowed<'a> = &'a dyn Fn(&[usize]) -> bool;

/// What is known about each of several subsets, in rising order of columns; `None` for one that has no model.
pub type Judge<'a, T> = &'a mut dyn FnMut(&[Vec<usize>]) -> Result<Vec<Option<T>>>;

/// A column that comes or goes, and the columns thereafter.
#[derive(Clone)]
struct Move {
    column: usize,
    added: bool,
    columns: Vec<usize>,
}

impl Move {
    fn is_of(&self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self.added,
            Direction::Backward => !self.added,
            Direction::Both => true,
        }
    }

    fn told(self, criterion: Option<f64>) -> SelectionStep {
        SelectionStep { column: Some(self.column), added: self.added, columns: self.columns, criterion }
    }
}

fn moves(count: usize, current: &[usize], allowed: Allowed<'_>) -> Vec<Move> {
    let step = |column: usize| {
        let added = !current.contains(&column);
        let mut columns: Vec<usize> = current.iter().copied().filter(|other| *other != column).collect();
        if added {
            columns.push(column);
            columns.sort_unstable();
        }
        Move { column, added, columns }
    };
    (0..count).map(step).filter(|step| allowed(&step.columns)).collect()
}

/// What was learned about subsets: none is judged twice.
struct Known<'a, T> {
    judge: Judge<'a, T>,
    answers: BTreeMap<Vec<usize>, Option<T>>,
}

impl<T: Copy> Known<'_, T> {
    fn of(&mut self, subsets: &[Vec<usize>]) -> Result<Vec<Option<T>>> {
        let unknown: Vec<Vec<usize>> = subsets.iter().filter(|subset| !self.answers.contains_key(*subset)).cloned().collect();
        if !unknown.is_empty() {
            let answers = (self.judge)(&unknown)?;
            self.answers.extend(unknown.into_iter().zip(answers));
        }
        Ok(subsets.iter().map(|subset| self.answers.get(subset).copied().flatten()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns 1 and 3 matter, every column costs 0.1, and 0 looks good as long as 1 is missing.
    fn criterion(columns: &[usize]) -> f64 {
        let has = |j: usize| columns.contains(&j);
        let gain = if has(1) {
            1.0
        } else if has(0) {
            0.8
        } else {
            0.0
        };
        2.0 - gain - if has(3) { 0.5 } else { 0.0 } + 0.1 * columns.len() as f64
    }

    #[test]
    fn every_direction_finds_the_columns_that_matter() {
        for direction in [Direction::Forward, Direction::Backward, Direction::Both] {
            let selection = select_columns(5, direction, &mut |columns| Ok(Some(criterion(columns)))).unwrap();
            assert_eq!(selection.columns(), [1, 3], "{direction:?}");
            let values: Vec<f64> = selection.steps.iter().filter_map(|step| step.criterion).collect();
            assert!(values.windows(2).all(|pair| pair[1] < pair[0]));
            assert!(selection.tried <= 16 && selection.tried >= 9, "{}", selection.tried);
        }
    }

    #[test]
    fn subsets_without_a_model_are_passed_over() {
        let mut judge = |columns: &[usize]| Ok((!columns.contains(&2)).then(|| criterion(columns)));
        let backward = select_columns(4, Direction::Backward, &mut judge).unwrap();
        assert_eq!(backward.steps[0].criterion, None);
        assert_eq!(backward.columns(), [1, 3]);
        let none = select_columns(3, Direction::Forward, &mut |_| Ok(None)).unwrap();
        assert!(none.columns().is_empty() && none.tried == 3);
    }

    /// Twice the log likelihood that a column is worth, and its parameters: 1 and 3 matter, 2 has three parameters that are worth less than
    /// each would need alone, and 4 nothing.
    fn likelihood(columns: &[usize]) -> Likelihood {
        let worth = [0.5, 40.0, 9.0, 20.0, 0.1];
        let parameters = [1.0, 1.0, 3.0, 2.0, 1.0];
        let sum = |of: [f64; 5]| columns.iter().map(|&j| of[j]).sum::<f64>();
        Likelihood { deviance: 100.0 - sum(worth), parameters: 1.0 + sum(parameters) }
    }

    #[test]
    fn all_parameters_of_a_column_are_tested_together() {
        let mut judge = |subsets: &[Vec<usize>]| Ok(subsets.iter().map(|subset| Some(likelihood(subset))).collect());
        for direction in [Direction::Forward, Direction::Backward, Direction::Both] {
            let selection = select_by_tests(5, direction, 0.05, &|_| true, &mut judge).unwrap();
            // χ² of 9 with three degrees of freedom has p = 0.029; three times the critical value of one degree would be 11.5.
            assert_eq!(selection.columns(), [1, 2, 3], "{direction:?}");
            let strict = select_by_tests(5, direction, 0.01, &|_| true, &mut judge).unwrap();
            assert_eq!(strict.columns(), [1, 3], "{direction:?}");
        }
        let forward = select_by_tests(5, Direction::Forward, 0.05, &|_| true, &mut judge).unwrap();
        assert!((forward.steps[3].criterion.unwrap() - 0.029_290_9).abs() < 1e-7);
        let none = select_by_tests(1, Direction::Forward, 0.05, &|_| true, &mut judge).unwrap();
        assert!(none.columns().is_empty());
    }

    #[test]
    fn a_product_keeps_its_factors() {
        // 2 stands for the product of 0 and 1.
        let allowed = |subset: &[usize]| !subset.contains(&2) || (subset.contains(&0) && subset.contains(&1));
        let mut judge = |subsets: &[Vec<usize>]| {
            let worth = |subset: &Vec<usize>| if subset.contains(&2) { 50.0 } else { 0.0 };
            let each = |subset: &Vec<usize>| Some(Likelihood { deviance: 100.0 - worth(subset), parameters: 1.0 + subset.len() as f64 });
            Ok(subsets.iter().map(each).collect())
        };
        let kept = select_by_tests(3, Direction::Backward, 0.05, &allowed, &mut judge).unwrap();
        assert_eq!(kept.columns(), [0, 1, 2]);
        assert!(select_by_tests(3, Direction::Forward, 0.05, &allowed, &mut judge).unwrap().columns().is_empty());
    }
}
