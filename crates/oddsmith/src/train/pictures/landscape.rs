//! The likelihood as a landscape: log L over the weights of two columns, everything else as fitted.
//!
//! ```text
//! log L(b) = Σ_i w_i [y_i η_i − log(1 + e^η_i)],   η_i = η̂_i + Σ_j (b_j − b̂_j)(x_ij − x̄_j)
//! ```
//!
//! Two columns are taken from their means, so that the log odds of an average row stay as fitted; beside the intercept a column is taken as it is. One pass, rows times points of the grid. Within a line lie
//! the pairs that a likelihood-ratio test at its level does not refuse, the other weights held.

use crate::codec::{Codec, Encode};
use crate::data::{Rows, SKIP};
use crate::error::{ErrorKind, Result, visible};
use crate::model::{Classifier, Scores};
use crate::num::logspace::NeumaierSum;
use crate::picture::{Axis, Panel, Picture};
use crate::stats::Statistics;

use super::hill::hill;

/// Points of the grid along a weight.
const GRID: usize = 45;
/// Standard errors on either side of an estimate.
const REACH: f64 = 3.6;

/// One of the two weights: that of a number column, or the intercept.
#[derive(Debug, Clone, PartialEq)]
struct Direction {
    name: String,
    /// Place of the column in its plane; `None` for the intercept.
    column: Option<usize>,
    estimate: f64,
    /// What its values are taken from.
    centre: f64,
    /// Weights along the axis.
    grid: Vec<f64>,
}

/// Log likelihoods over a grid of two weights.
#[derive(Clone)]
pub struct Landscape<'a> {
    model: &'a dyn Classifier,
    directions: [Direction; 2],
    sums: Vec<NeumaierSum>,
    weight: f64,
}

impl<'a> Landscape<'a> {
    /// Nothing seen of a linear model of two classes with standard errors: of two number columns, or of one and the intercept. `columns` are features.
    /// `means` are those of the number columns, by their place in the plane.
    pub fn new(model: &'a dyn Classifier, columns: &[usize], means: &[f64]) -> Result<Self> {
        let layout = model.layout();
        let refused = |why: &str| -> crate::error::Error {
            ErrorKind::Unsupported { model: model.card().title, what: "be drawn as a likelihood landscape".into(), advice: why.into() }
                .into()
        };
        let what = "that takes a logistic regression of two classes with standard errors, linear in its number columns, or a model with a normal curve for each class";
        let (Some(linear), Some(inference)) = (model.linear(), model.inference()) else { return Err(refused(what)) };
        let Some(errors) = inference.standard_errors().filter(|_| layout.classes().len() == 2) else { return Err(refused(what)) };
        let estimates = inference.estimates();
        let weights = linear.weights(layout);
        let chosen: Vec<Option<usize>> = match columns {
            [] => return Err(refused("it has no number column")),
            [one] => vec![None, Some(*one)],
            [a, b, ..] => vec![Some(*a), Some(*b)],
        };
        let mut directions = Vec::new();
        for feature in chosen {
            let weight = weights.iter().find(|weight| weight.feature == feature).map(|weight| weight.values[1]);
            let estimate = weight.ok_or_else(|| refused("a chosen column has no weight of its own"))?;
            // The estimate itself tells which standard error is its own.
            let at = estimates.iter().position(|known| (known - estimate).abs() <= 1e-9 * (1.0 + estimate.abs()));
            let error = at.map(|at| errors[at]).filter(|error| error.is_finite() && *error > 0.0).ok_or_else(|| refused(what))?;
            let grid = (0..GRID).map(|i| estimate + error * REACH * (2.0 * i as f64 / (GRID - 1) as f64 - 1.0)).collect();
            let name = feature.map_or_else(|| "intercept".to_owned(), |j| visible(&layout.features()[j].name));
            let column = feature.and_then(|j| super::probe::number_place(layout, j));
            if feature.is_some() && column.is_none() {
                return Err(refused("a landscape is drawn over weights of number columns"));
            }
            let centre = column.filter(|_| columns.len() > 1).and_then(|at| means.get(at)).copied().unwrap_or(0.0);
            directions.push(Direction { name, column, estimate, centre, grid });
        }
        let directions: [Direction; 2] = directions.try_into().map_err(|_| refused(what))?;
        Ok(Landscape { model, directions, sums: vec![NeumaierSum::default(); GRID * GRID], weight: 0.0 })
    }

    /// Log likelihoods, row after row of the second weight.
    pub fn values(&self) -> Vec<f64> {
        self.sums.iter().map(NeumaierSum::value).collect()
    }

    /// The picture.
    pub fn picture(&self) -> Picture {
        let [a, b] = &self.directions;
        let values = self.values();
        // The estimate is the middle of the grid.
        let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let marks = hill((&a.grid, &b.grid), &values, top, (a.estimate, b.estimate));
        let ends = |grid: &[f64]| Some((grid[0], grid[GRID - 1]));
        let x = Axis { label: format!("Weight of {}", a.name), range: ends(&a.grid), ..Axis::default() };
        let y = Axis { label: format!("Weight of {}", b.name), range: ends(&b.grid), ..Axis::default() };
        let summary = format!(
            "Likelihood over the weights of {} and {}, other weights as fitted; lines hold the pairs that a likelihood-ratio test at that level does not refuse.",
            a.name, b.name
        );
        Picture { name: "landscape".into(), title: "Likelihood landscape".into(), summary, panels: vec![Panel { x, y, marks }] }
    }
}

impl Statistics for Landscape<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        let mut scores = Scores::new();
        self.model.score(&rows.features, &mut scores)?;
        let value =
            |direction: &Direction, i: usize| direction.column.map_or(1.0, |at| rows.features.numbers.get(i, at) - direction.centre);
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let eta = scores.row(i)[1] - scores.row(i)[0];
            let (x, y) = (value(&self.directions[0], i), value(&self.directions[1], i));
            if !(eta.is_finite() && x.is_finite() && y.is_finite()) {
                continue;
            }
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            self.weight += weight;
            let [a, b] = &self.directions;
            for (j, second) in b.grid.iter().enumerate() {
                let along = eta + (second - b.estimate) * y;
                for (k, first) in a.grid.iter().enumerate() {
                    let eta = along + (first - a.estimate) * x;
                    let signed = if label == 1 { -eta } else { eta };
                    // −log(1 + e^s) without overflow.
                    let log_p = -(signed.max(0.0) + (-signed.abs()).exp().ln_1p());
                    self.sums[j * GRID + k].add(weight * log_p);
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight += other.weight;
        self.sums.iter_mut().zip(&other.sums).for_each(|(mine, theirs)| mine.merge(theirs));
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn bytes(&self) -> usize {
        16 * self.sums.len()
    }
}

impl Encode for Landscape<'_> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("weight", &mut self.weight)?;
        for (at, sum) in self.sums.iter_mut().enumerate() {
            codec.part(&format!("sum_{at}"), sum)?;
        }
        Ok(())
    }
}
