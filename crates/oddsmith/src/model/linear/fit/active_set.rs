//! Second derivatives over some of the parameters alone: all dense columns, and the words that matter just now.
//!
//! Σ curvature · z zᵀ over the intercept, the columns and those words. Under an absolute penalty most words stay at zero, so the others are few
//! and their products cost little: per row, the square of how many of them it has. One output only.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::data::design::Place;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::eval_point::EvalPoint;

/// The place of a word that is not active.
const NOWHERE: u32 = u32::MAX;

/// The words whose second derivatives are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ActiveSet {
    /// Their numbers over all sparse blocks, ascending.
    pub(crate) words: Vec<u32>,
    /// The place of every word among them.
    places: Vec<u32>,
}

impl ActiveSet {
    /// The set of some of `count` words; `None` when one is not among them, or when they are not in order.
    pub(crate) fn new(words: Vec<u32>, count: usize) -> Option<Arc<Self>> {
        let ordered = words.windows(2).all(|pair| pair[0] < pair[1]) && words.last().is_none_or(|last| (*last as usize) < count);
        if !ordered {
            return None;
        }
        let mut places = vec![NOWHERE; count];
        (0u32..).zip(&words).for_each(|(place, word)| places[*word as usize] = place);
        Some(Arc::new(ActiveSet { words, places }))
    }
}

/// The sums.
#[derive(Debug, Clone)]
pub(crate) struct ActiveSums {
    /// The upper triangle, row after row: the constant, the columns that have cells, the active words.
    pub(crate) products: Vec<f64>,
    size: usize,
    /// Places and values of a row.
    row: Vec<(usize, f64)>,
}

impl ActiveSums {
    /// Nothing seen; nothing to be seen unless the point asks for it.
    pub(crate) fn new(eval_point: &EvalPoint) -> Self {
        let size = eval_point.active.as_ref().map_or(0, |active| 1 + eval_point.centre.len() + active.words.len());
        ActiveSums { products: vec![0.0; size * size], size, row: Vec::new() }
    }

    /// Adds a block, whose rows have these curvatures.
    pub(crate) fn add(&mut self, eval_point: &EvalPoint, block: &Block<'_>, curvatures: &[f64]) {
        let Some(active) = &eval_point.active else { return };
        let (centre, size) = (&eval_point.centre, self.size);
        for (i, &curvature) in curvatures.iter().enumerate().filter(|(_, curvature)| **curvature > 0.0) {
            self.row.clear();
            self.row.push((0, 1.0));
            self.row.extend(centre.iter().enumerate().map(|(j, centre)| (1 + j, block.x.get(i, j) - centre)));
            let mut first = 0;
            for (csr, width) in block.words.iter().zip(&eval_point.word_widths) {
                let (words, values) = csr.row(i);
                for (word, value) in words.iter().zip(values) {
                    // A word outside the vocabulary was refused where the scores were computed.
                    let place = active.places.get(first + *word as usize).copied().unwrap_or(NOWHERE);
                    if place != NOWHERE {
                        self.row.push((1 + centre.len() + place as usize, *value));
                    }
                }
                first += width;
            }
            self.row.sort_unstable_by_key(|(place, _)| *place);
            for (at, (place, value)) in self.row.iter().enumerate() {
                let line = &mut self.products[place * size..(place + 1) * size];
                let weighted = curvature * value;
                self.row[at..].iter().for_each(|(other, value)| line[*other] += weighted * value);
            }
        }
    }

    /// The second derivatives of the dense parameters and the active words, in the solver's coordinates.
    pub(crate) fn hessian(&self, eval_point: &EvalPoint) -> DMatrix<f64> {
        let coordinates = &eval_point.coordinates;
        let (cells, shift) = (eval_point.centre.len(), usize::from(coordinates.intercept));
        let product = |i: usize, j: usize| self.products[i.min(j) * self.size + i.max(j)];
        let cell = |place: Place| match place {
            Place::Cell(j) | Place::Mark(j) => 1 + j,
        };
        let square = coordinates.kept_square(|i, j| product(1 + i, 1 + j));
        let words = self.size - 1 - cells;
        let (kept, size) = (square.nrows(), shift + square.nrows() + words);
        let mut hessian = DMatrix::zeros(size, size);
        let mut set = |a: usize, b: usize, value: f64| {
            hessian[(a, b)] = value;
            hessian[(b, a)] = value;
        };
        for b in 0..kept {
            (0..=b).for_each(|a| set(shift + a, shift + b, square[(a, b)]));
        }
        if shift == 1 {
            set(0, 0, product(0, 0));
            coordinates.kept_line(|place| product(0, cell(place))).into_iter().enumerate().for_each(|(a, value)| set(0, 1 + a, value));
        }
        for word in 0..words {
            let (own, at) = (1 + cells + word, shift + kept + word);
            if shift == 1 {
                set(0, at, product(0, own));
            }
            let line = coordinates.kept_line(|place| product(cell(place), own));
            line.into_iter().enumerate().for_each(|(a, value)| set(shift + a, at, value));
            (0..=word).for_each(|other| set(shift + kept + other, at, product(1 + cells + other, own)));
        }
        hessian
    }
}
