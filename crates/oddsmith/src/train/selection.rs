//! Stepwise selection of columns by a criterion that is to be small.
//!
//! Forward starts with no column and adds the one that lowers the criterion most; backward starts with all and drops the one whose loss
//! lowers it most; both-ways may do either at every step. It stops when no step lowers the criterion. At most p(p + 1)/2 subsets
//! and a few more are tried one way; a subset is judged once. The criterion of the chosen subset is a minimum over many tries and
//! flatters it: judge the model on rows that had no part in the choice.

use std::collections::BTreeMap;

use crate::error::Result;

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
    /// The criterion after the step; `None` where the subset has no model.
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
/// kept, because a model without columns is the class shares.
pub fn select_columns(count: usize, direction: Direction, judge: &mut dyn FnMut(&[usize]) -> Result<Option<f64>>) -> Result<Selection> {
    let mut known: BTreeMap<Vec<usize>, Option<f64>> = BTreeMap::new();
    let mut current: Vec<usize> = if direction == Direction::Forward { Vec::new() } else { (0..count).collect() };
    let mut criterion = if current.is_empty() { None } else { judged(&current, &mut known, judge)? };
    let mut steps = vec![SelectionStep { column: None, added: false, columns: current.clone(), criterion }];
    loop {
        let mut best: Option<SelectionStep> = None;
        for column in 0..count {
            let inside = current.contains(&column);
            let allowed = match direction {
                Direction::Forward => !inside,
                Direction::Backward => inside && current.len() > 1,
                Direction::Both => !inside || current.len() > 1,
            };
            if !allowed {
                continue;
            }
            let mut columns: Vec<usize> = current.iter().copied().filter(|other| *other != column).collect();
            if !inside {
                columns.push(column);
                columns.sort_unstable();
            }
            let value = judged(&columns, &mut known, judge)?;
            let better = match (value, best.as_ref().and_then(|step| step.criterion)) {
                (Some(value), Some(known)) => value < known,
                (Some(_), None) => true,
                (None, _) => false,
            };
            if better {
                best = Some(SelectionStep { column: Some(column), added: !inside, columns, criterion: value });
            }
        }
        match best {
            Some(step) if criterion.is_none_or(|now| step.criterion.is_some_and(|next| next < now)) => {
                current = step.columns.clone();
                criterion = step.criterion;
                steps.push(step);
            }
            _ => return Ok(Selection { steps, tried: known.len() }),
        }
    }
}

fn judged(
    columns: &[usize],
    known: &mut BTreeMap<Vec<usize>, Option<f64>>,
    judge: &mut dyn FnMut(&[usize]) -> Result<Option<f64>>,
) -> Result<Option<f64>> {
    if let Some(value) = known.get(columns) {
        return Ok(*value);
    }
    let value = judge(columns)?.filter(|value| value.is_finite());
    known.insert(columns.to_vec(), value);
    Ok(value)
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
}
