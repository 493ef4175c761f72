//! Fisher's projection: the directions in which class means differ most, measured by the scatter within classes.
//!
//! With B = Σ π_k (m_k − m̄)(m_k − m̄)ᵀ and m̄ = Σ π_k m_k, the directions a maximise aᵀBa / aᵀΣa one after another and have
//! aᵀΣa = 1. They are the left singular vectors of the whitened, weighted means R (m_k − m̄) √π_k, brought back by Rᵀ; the
//! squared singular values are the ratios. At most min(p, K − 1) are not zero; with two classes the one direction is
//! that of the LDA weights.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::LdaModel;
use super::observed::dot;
use crate::card::{Cell, FixedTable, Table};
use crate::data::{Dummies, Features};
use crate::error::{Error, Result};

/// Singular values below this share of the largest are rounding.
const RANK_TOLERANCE: f64 = 1e-10;

/// Discriminant directions of a linear discriminant.
#[derive(Debug, Clone, PartialEq)]
pub struct FisherProjection {
    /// Positions among the number columns.
    columns: Vec<usize>,
    /// Names of these columns.
    names: Vec<String>,
    /// How categories become some of them.
    dummies: Option<Arc<Dummies>>,
    centre: Vec<f64>,
    /// m̄ relative to the centre, projected: what is subtracted from every projection.
    origin: Vec<f64>,
    /// Directions in the user's units, one after another.
    directions: Vec<Vec<f64>>,
    ratios: Vec<f64>,
}

impl FisherProjection {
    /// The projection of a model, with its own prior and covariance.
    pub fn new(model: &LdaModel) -> Result<Self> {
        let (complete, parameters) = (&model.joint.complete, &model.joint.parameters);
        let (width, classes) = (complete.width(), parameters.log_prior.len());
        let prior: Vec<f64> = parameters.log_prior.iter().map(|log| log.exp()).collect();
        let mean: Vec<f64> = (0..width).map(|i| (0..classes).map(|k| prior[k] * complete.targets[k][i]).sum()).collect();
        let whitened = DMatrix::from_fn(width, classes, |i, k| prior[k].sqrt() * (complete.targets[k][i] - mean[i]));
        let mut found = FisherProjection {
            columns: complete.columns.clone(),
            names: complete.columns.iter().map(|&j| parameters.layout.features()[parameters.layout.numbers()[j]].name.clone()).collect(),
            dummies: parameters.dummies.clone(),
            centre: complete.centre.clone(),
            origin: Vec::new(),
            directions: Vec::new(),
            ratios: Vec::new(),
        };
        if width == 0 {
            return Ok(found);
        }
        let decomposition = whitened.svd(true, false);
        let vectors = decomposition.u.ok_or_else(|| Error::internal("a singular value decomposition has no vectors"))?;
        let values = &decomposition.singular_values;
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let largest = values.max();
        order.retain(|&at| values[at] > RANK_TOLERANCE * largest);
        order.truncate(width.min(classes - 1));
        let deviations: Vec<f64> = complete.columns.iter().map(|&j| parameters.deviation(0, j)).collect();
        for at in order {
            let mut whitened: Vec<f64> = vectors.column(at).iter().copied().collect();
            let mut direction = vec![0.0; width];
            for (row, u) in complete.root(0).triangle().zip(&whitened) {
                direction.iter_mut().zip(row).for_each(|(sum, r)| *sum += r * u);
            }
            direction.iter_mut().zip(&complete.inverse_scale).for_each(|(weight, inverse)| *weight *= inverse);
            // The sign is free: the column that weighs most, in its own deviations, counts upwards.
            let loading = |j: usize| direction[j] * deviations[j];
            let heaviest = (0..width).fold(0, |best, j| if loading(j).abs() > loading(best).abs() { j } else { best });
            if loading(heaviest) < 0.0 {
                direction.iter_mut().chain(&mut whitened).for_each(|value| *value = -*value);
            }
            found.origin.push(dot(&whitened, &mean));
            found.directions.push(direction);
            found.ratios.push(values[at] * values[at]);
        }
        Ok(found)
    }

    /// Number of directions.
    pub fn dimensions(&self) -> usize {
        self.directions.len()
    }

    /// Positions among the number columns, into which categories are written, that the directions are about.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Direction `at` in the user's units, by [`FisherProjection::columns`].
    pub fn direction(&self, at: usize) -> &[f64] {
        &self.directions[at]
    }

    /// Variance between classes (weighted by the prior) over variance within, direction by direction.
    pub fn ratios(&self) -> &[f64] {
        &self.ratios
    }

    /// Each direction's share of the sum of ratios.
    pub fn proportions(&self) -> Vec<f64> {
        let total: f64 = self.ratios.iter().sum();
        self.ratios.iter().map(|ratio| ratio / total).collect()
    }

    /// Writes the coordinates of every row, `dimensions` each, around the mean of the classes. A row with a missing
    /// value in a used column has no coordinates: NaN.
    pub fn project(&self, rows: &Features<'_>, out: &mut Vec<f64>) {
        out.clear();
        let mut cells = Vec::new();
        self.dummies.iter().for_each(|dummies| dummies.expand(rows, &mut cells));
        let cell = |i: usize, column: usize| match &self.dummies {
            Some(dummies) => cells[i * dummies.numbers().features().len() + column],
            None => rows.numbers.get(i, column),
        };
        let mut deviations = vec![0.0; self.columns.len()];
        for i in 0..rows.rows() {
            for (at, deviation) in deviations.iter_mut().enumerate() {
                *deviation = cell(i, self.columns[at]) - self.centre[at];
            }
            out.extend(self.directions.iter().zip(&self.origin).map(|(direction, origin)| dot(direction, &deviations) - origin));
        }
    }

    /// The directions as a table: one row per direction and column.
    pub fn table(&self) -> Table {
        let mut table = FixedTable::new("projection", ["direction", "column", "weight", "ratio", "proportion"]);
        let proportions = self.proportions();
        for (at, direction) in self.directions.iter().enumerate() {
            for (name, weight) in self.names.iter().zip(direction) {
                let name = name.as_str().into();
                table.push([Cell::from(at + 1), name, (*weight).into(), self.ratios[at].into(), proportions[at].into()]);
            }
        }
        table.into()
    }
}
