//! How a category becomes columns: which level goes where, or a table of contrasts.

use crate::data::formula::Contrast;

/// The columns of a category in some term.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Coding {
    /// What each column is called behind the variable's name.
    pub(super) suffixes: Vec<String>,
    /// The level that has no column.
    pub(super) reference: Option<String>,
    /// How cells are found.
    pub(super) cells: CodingCells,
}

/// Indicators or a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CodingCells {
    /// Per level, the column that is 1.
    Indicators(Vec<Option<usize>>),
    /// Levels × columns, column after column.
    Table(Vec<f64>),
}

impl Coding {
    /// Levels × columns, column after column, whichever way the cells are found.
    pub(super) fn table(&self, levels: usize) -> Vec<f64> {
        match &self.cells {
            CodingCells::Table(table) => table.clone(),
            CodingCells::Indicators(columns) => {
                let cell = |column: usize, level: usize| f64::from(u8::from(columns[level] == Some(column)));
                (0..self.suffixes.len()).flat_map(|column| (0..levels).map(move |level| cell(column, level))).collect()
            }
        }
    }

    /// The same coding for codes whose levels stand at these places.
    pub(super) fn at_places(self, places: &[usize]) -> Coding {
        let cells = match self.cells {
            CodingCells::Indicators(columns) => CodingCells::Indicators(places.iter().map(|place| columns[*place]).collect()),
            CodingCells::Table(table) => {
                let columns = table.chunks_exact(places.len().max(1));
                CodingCells::Table(columns.flat_map(|column| places.iter().map(|place| column[*place])).collect())
            }
        };
        Coding { cells, ..self }
    }
}

/// A column for every level, that of a chosen reference first.
pub(super) fn all_levels(levels: &[String], reference: Option<usize>) -> Coding {
    let first = reference.unwrap_or(0);
    let place = |level: usize| if level == first { 0 } else { level + usize::from(level < first) };
    let mut suffixes = levels.to_vec();
    (0..levels.len()).for_each(|level| suffixes[place(level)].clone_from(&levels[level]));
    Coding { suffixes, reference: None, cells: CodingCells::Indicators((0..levels.len()).map(|level| Some(place(level))).collect()) }
}

/// The columns of a contrast; `reference` is the level that treatment leaves out and that sums set to −1.
pub(super) fn coding(contrast: Contrast, levels: &[String], reference: Option<usize>) -> Coding {
    match contrast {
        Contrast::Treatment => treatment(levels, reference.unwrap_or(0)),
        Contrast::Sum => sum(levels, reference.unwrap_or(levels.len().saturating_sub(1))),
        Contrast::Poly => poly(levels.len()),
    }
}

fn treatment(levels: &[String], reference: usize) -> Coding {
    let columns = (0..levels.len()).map(|level| (level != reference).then_some(level - usize::from(level > reference))).collect();
    let suffixes = levels.iter().enumerate().filter(|(level, _)| *level != reference).map(|(_, name)| name.clone()).collect();
    Coding { suffixes, reference: levels.get(reference).cloned(), cells: CodingCells::Indicators(columns) }
}

/// Column j is 1 for the j-th level beside the reference and −1 for the reference.
fn sum(levels: &[String], reference: usize) -> Coding {
    let others: Vec<usize> = (0..levels.len()).filter(|level| *level != reference).collect();
    let cell = |level: usize, other: usize| {
        if level == reference { -1.0 } else { f64::from(u8::from(level == other)) }
    };
    let table = others.iter().flat_map(|&other| (0..levels.len()).map(move |level| cell(level, other))).collect();
    let suffixes = (1..=others.len()).map(|at| at.to_string()).collect();
    Coding { suffixes, reference: None, cells: CodingCells::Table(table) }
}

/// Orthonormal polynomials over 1, 2, …, n: `.L`, `.Q`, `.C`, `^4` …
///
/// The three-term recurrence p_{k+1} = (x − ā) p_k − (|p_k|²/|p_{k−1}|²) p_{k−1} on centred levels; ā is 0 by symmetry.
fn poly(levels: usize) -> Coding {
    let x: Vec<f64> = (0..levels).map(|at| at as f64 - (levels as f64 - 1.0) / 2.0).collect();
    let squares = |p: &[f64]| p.iter().map(|v| v * v).sum::<f64>();
    let (mut before, mut current) = (vec![0.0; levels], vec![1.0; levels]);
    let (mut before_squares, mut current_squares) = (1.0, levels as f64);
    let mut table = Vec::new();
    let mut suffixes = Vec::new();
    for degree in 1..levels {
        let ratio = if degree == 1 { 0.0 } else { current_squares / before_squares };
        let next: Vec<f64> = (0..levels).map(|i| x[i] * current[i] - ratio * before[i]).collect();
        (before, current) = (current, next);
        (before_squares, current_squares) = (current_squares, squares(&current));
        let length = current_squares.sqrt();
        table.extend(current.iter().map(|v| v / length));
        suffixes.push(match degree {
            1 => ".L".to_owned(),
            2 => ".Q".to_owned(),
            3 => ".C".to_owned(),
            _ => format!("^{degree}"),
        });
    }
    Coding { suffixes, reference: None, cells: CodingCells::Table(table) }
}
