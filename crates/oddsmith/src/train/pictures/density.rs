//! One number column: how it is spread in every class, beside the model's own curve.

use super::probe::{ProbeRows, number_place};
use super::row_digest::RowDigest;
use crate::error::{Error, Result, visible};
use crate::model::{Classifier, Predictions, Predictor, Scale};
use crate::picture::{Axis, Mark, Panel, Picture, drawn_classes, drawn_role};

/// Points of a curve.
pub(super) const POINTS: usize = 241;
/// Blocks of a histogram.
const BLOCKS: usize = 24;
/// Most classes whose blocks can be told apart where they lie on each other.
const MOST_BLOCKS: usize = 3;

/// Places along a column.
pub(super) fn places(digest: &RowDigest, at: usize) -> Vec<f64> {
    let (low, high) = digest.range(at).unwrap_or((0.0, 1.0));
    let spare = 0.05 * (high - low);
    (0..POINTS).map(|i| low - spare + (high - low + 2.0 * spare) * i as f64 / (POINTS - 1) as f64).collect()
}

pub(super) fn place_of(model: &dyn Classifier, feature: usize) -> Result<usize> {
    number_place(model.layout(), feature).ok_or_else(|| Error::internal("curves are drawn along number columns"))
}

/// Densities of a column within the classes: blocks from the rows, and the curve of a model of rows and classes together. Blocks of many classes would hide
/// each other: those are outlines, and where there are curves these stand alone.
pub fn densities(model: &dyn Classifier, digest: &RowDigest, feature: usize) -> Result<Picture> {
    let (layout, at) = (model.layout(), place_of(model, feature)?);
    let grid = places(digest, at);
    let classes = layout.classes();
    let name = visible(&layout.features()[feature].name);
    let drawn = drawn_classes(&digest.class_weights);
    let (own, few) = (model.scale() == Scale::LogJoint, drawn.len() <= MOST_BLOCKS);
    let (mut blocks, mut curves) = (Vec::new(), Vec::new());
    for &k in &drawn {
        let (role, label) = (drawn_role(k, &drawn, classes.len()), classes.named(k, layout.target()));
        let points = shares_of_class(digest, k, at, (grid[0], grid[POINTS - 1]));
        match few {
            true => blocks.push(Mark::Band { role, name: label, points: points.into_iter().map(|(x, tall)| (x, 0.0, tall)).collect() }),
            false if own => {}
            false => blocks.push(Mark::Line { role, name: label, points }),
        }
    }
    if own {
        let found = own_curves(model, digest, at, &grid)?;
        curves.extend(found.into_iter().enumerate().filter(|(k, _)| drawn.contains(k)).map(|(k, points)| Mark::Line {
            role: drawn_role(k, &drawn, classes.len()),
            name: if few { String::new() } else { classes.named(k, layout.target()) },
            points,
        }));
    }
    let summary = match (few, own) {
        (true, true) => {
            "Blocks are the rows of each class, as a density; lines are the model's own curves of the same colour, other columns left open."
        }
        (true, false) => "Blocks are the rows of each class, as a density; the model has no curve of its own to hold beside them.",
        (false, true) => {
            "Lines are the model's own curves of each class, other columns left open; blocks of so many classes would hide each other."
        }
        (false, false) => "Outlines are the rows of each class, as a density; the model has no curve of its own to hold beside them.",
    };
    let x = Axis { label: name.clone(), range: Some((grid[0], grid[POINTS - 1])), ..Axis::default() };
    let y = Axis { label: "Density within the class".into(), ..Axis::default() };
    let panels = vec![Panel { x, y, marks: blocks.into_iter().chain(curves).collect() }];
    Ok(Picture { name: "density".into(), title: format!("{name} within each class"), summary: summary.into(), panels })
}

/// The outline of a histogram of a class, as a density.
fn shares_of_class(digest: &RowDigest, k: usize, at: usize, (low, high): (f64, f64)) -> Vec<(f64, f64)> {
    let rows = digest.rows();
    let values: Vec<f64> =
        rows.iter().filter(|row| row.label as usize == k).map(|row| row.numbers[at]).filter(|value| value.is_finite()).collect();
    let width = (high - low) / BLOCKS as f64;
    let block = |(first, blocks, count): (usize, usize, f64)| {
        let (left, tall) = (low + first as f64 * width, count / (values.len().max(1) as f64 * width));
        [(left, tall), (left + blocks as f64 * width, tall)]
    };
    digest.runs(&values, (low, high), BLOCKS).into_iter().flat_map(block).collect()
}

/// p(x_j | k) of every class: the joint density of a row of which only column j is known, over that of a row of which nothing is.
fn own_curves(model: &dyn Classifier, digest: &RowDigest, at: usize, grid: &[f64]) -> Result<Vec<Vec<(f64, f64)>>> {
    let mut rows = ProbeRows::new(model, digest);
    grid.iter().for_each(|value| rows.push(&[(at, *value)], &[]));
    rows.push(&[], &[]);
    let mut predictions = Predictions::new();
    rows.with(|features| Predictor::new(model).predict(features, &mut predictions))?;
    let scores = predictions.scores();
    let curve =
        |k: usize| grid.iter().enumerate().map(|(i, value)| (*value, (scores.row(i)[k] - scores.row(grid.len())[k]).exp())).collect();
    Ok((0..model.layout().classes().len()).map(curve).collect())
}
