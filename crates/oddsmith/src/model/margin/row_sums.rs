//! Passes over the rows of an ill-conditioned least-squares fit: their triangular factor first, then the slope at its solution.
//!
//! Columns are moved by a number of few digits near their mean and divided by a power of two, so that cells of few digits stay exact:
//! z = (x − c)/s. The first pass reduces the rows (1, z, indicators less their shares). The second sums g_k = Σ w z (t_k − b_k·z)
//! with residuals and products of twice the digits; one step with the factor then corrects what the first lost.
//! Time O(n p²) and O(n p K), memory O(p²).

use std::sync::Arc;

use nalgebra::DMatrix;

use super::gram::Gram;
use super::solved::{self, Reduced};
use crate::codec::{Codec, Encode};
use crate::data::SKIP;
use crate::error::{Error, Result};
use crate::model::on_design::{DesignBatch, DesignFrame};
use crate::num::two_sum;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;
use crate::stats::row_factor::RowFactor;

/// Parts of a unit in which centres are counted.
const GRAIN: f64 = 1024.0;

/// The sums of such a pass.
#[derive(Debug, Clone)]
pub struct RowSums {
    kept: Vec<usize>,
    centre: Vec<f64>,
    scale: Vec<f64>,
    proportions: Vec<f64>,
    stage: Stage,
}

#[derive(Debug, Clone)]
enum Stage {
    Reducing(RowFactor),
    Refining { at: Reduced, high: Vec<f64>, low: Vec<f64> },
}

impl RowSums {
    /// The pass that reduces the rows.
    pub(super) fn reducing(gram: &Gram) -> Self {
        let coarse = |(centre, scale): (&f64, &f64)| (centre * GRAIN / scale).round() * scale / GRAIN;
        let centre = gram.centre.iter().zip(&gram.scale).map(coarse).collect();
        Self::new(gram.kept.clone(), centre, gram.scale.clone(), gram.proportions())
    }

    /// The same for one target that is a number.
    #[cfg(test)]
    pub(super) fn of_targets(gram: &Gram) -> Self {
        let coarse = |(centre, scale): (&f64, &f64)| (centre * GRAIN / scale).round() * scale / GRAIN;
        Self::new(gram.kept.clone(), gram.centre.iter().zip(&gram.scale).map(coarse).collect(), gram.scale.clone(), vec![0.0])
    }

    fn new(kept: Vec<usize>, centre: Vec<f64>, scale: Vec<f64>, proportions: Vec<f64>) -> Self {
        let stage = Stage::Reducing(RowFactor::new(1 + kept.len() + proportions.len()));
        RowSums { kept, centre, scale, proportions, stage }
    }

    fn penalties(&self, l2: f64) -> Vec<f64> {
        self.kept.iter().map(|&j| l2 / self.scale[j] / self.scale[j]).collect()
    }

    /// The pass that refines what the reduced rows say.
    pub(super) fn refining(&self, l2: f64) -> Self {
        let Stage::Reducing(factor) = &self.stage else { return self.clone() };
        let at = solved::by_rows(&factor.clone().finished(), self.kept.len(), self.proportions.len(), &self.penalties(l2));
        self.at(at)
    }

    fn at(&self, at: Reduced) -> Self {
        let zeros = vec![0.0; at.solutions.len()];
        RowSums { stage: Stage::Refining { at, high: zeros.clone(), low: zeros }, ..self.clone() }
    }

    /// The refined solution, after the second pass.
    pub(super) fn refined(&self, l2: f64) -> Option<Reduced> {
        let Stage::Refining { at, high, low } = &self.stage else { return None };
        let penalties = self.penalties(l2);
        let mut at = at.clone();
        let of_column = |m: usize| if m == 0 { 0.0 } else { penalties[at.kept[m - 1]] };
        let slope = |(i, (high, low)): (usize, (&f64, &f64))| high + (low - of_column(i % at.size()) * at.solutions[i]);
        let gradients: Vec<f64> = high.iter().zip(low).enumerate().map(slope).collect();
        at.refine(&gradients);
        Some(at)
    }

    /// The coordinates, as sums without products.
    pub(super) fn coordinates(&self) -> Gram {
        Gram {
            classes: ClassWeights::new(self.proportions.len()),
            left_out: 0,
            centre: self.centre.clone(),
            scale: self.scale.clone(),
            kept: self.kept.clone(),
            products: DMatrix::zeros(0, 0),
            cross: Vec::new(),
        }
    }

    pub(super) fn observe(&mut self, batch: &DesignBatch<'_>) {
        let mut targets = vec![0.0; self.proportions.len()];
        for i in (0..batch.rows()).filter(|&i| batch.labels[i] != SKIP) {
            let label = batch.labels[i] as usize;
            let indicator = |k: usize| f64::from(u8::from(k == label));
            targets.iter_mut().enumerate().for_each(|(k, target)| *target = indicator(k) - self.proportions[k]);
            self.add(batch.row(i), batch.weight(i), &targets);
        }
    }

    /// Adds a row with its targets.
    pub(super) fn add(&mut self, row: &[f64], weight: f64, targets: &[f64]) {
        let RowSums { kept, centre, scale, stage, .. } = self;
        let cell = |&j: &usize| (row[j] - centre[j]) / scale[j];
        match stage {
            Stage::Reducing(factor) => {
                let root = weight.sqrt();
                let cells = std::iter::once(1.0).chain(kept.iter().map(cell)).chain(targets.iter().copied());
                factor.push(cells.map(|cell| root * cell));
            }
            Stage::Refining { at, high, low } => {
                let z: Vec<f64> = std::iter::once(1.0).chain(at.kept.iter().map(|&j| cell(&kept[j]))).collect();
                for (k, target) in targets.iter().enumerate() {
                    let own = k * z.len()..(k + 1) * z.len();
                    let residual = weight * residual(*target, &at.solutions[own.clone()], &z);
                    for ((high, low), z) in high[own.clone()].iter_mut().zip(&mut low[own]).zip(&z) {
                        add_product(high, low, *z, residual);
                    }
                }
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        match (&mut self.stage, &other.stage) {
            (Stage::Reducing(mine), Stage::Reducing(theirs)) => mine.merge(theirs),
            (Stage::Refining { high, low, .. }, Stage::Refining { high: theirs, low: their_low, .. }) => {
                for ((mine, low), (theirs, their_low)) in high.iter_mut().zip(low).zip(theirs.iter().zip(their_low)) {
                    let (sum, error) = two_sum(*mine, *theirs);
                    (*mine, *low) = (sum, *low + (error + their_low));
                }
            }
            _ => return Err(Error::internal("sums of two different passes were merged")),
        }
        Ok(())
    }

    pub(super) fn purpose(&self) -> &'static str {
        match self.stage {
            Stage::Reducing(_) => "the triangular factor of the rows, which keeps more digits than products",
            Stage::Refining { .. } => "residuals of the rows, with twice the digits",
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match &self.stage {
            Stage::Reducing(factor) => factor.bytes(),
            Stage::Refining { high, .. } => 16 * high.len(),
        }
    }

    pub(super) fn write_point(&self, point: &mut Record) {
        point.put_counts("kept", &indices(&self.kept));
        point.put("centre", &self.centre);
        point.put("scale", &self.scale);
        point.put("proportions", &self.proportions);
        if let Stage::Refining { at, .. } = &self.stage {
            point.put_counts("refined.kept", &indices(&at.kept));
            point.put("refined.factor", &at.factor);
            point.put("refined.solutions", &at.solutions);
        }
    }

    /// The empty sums of the pass that is asked for at a point; `None` when the point is of another kind of pass.
    pub(super) fn at_point(frame: &Arc<DesignFrame>, point: &Record) -> Result<Option<Self>> {
        if !point.arrays.contains_key("kept") {
            return Ok(None);
        }
        let (width, classes) = (frame.width(), frame.classes());
        let kept = read_indices(point, "kept", width)?;
        let (centre, scale) = (point.numbers("centre", width)?, point.numbers("scale", width)?);
        if scale.iter().any(|scale| *scale <= 0.0) {
            return Err(fault("`scale` holds a number that is not above zero"));
        }
        let sums = RowSums::new(kept, centre, scale, point.numbers("proportions", classes)?);
        if !point.arrays.contains_key("refined.kept") {
            return Ok(Some(sums));
        }
        let kept = read_indices(point, "refined.kept", sums.kept.len())?;
        let size = kept.len() + 1;
        let factor = point.numbers("refined.factor", size * size)?;
        let solutions = point.numbers("refined.solutions", size * classes)?;
        Ok(Some(sums.at(Reduced { kept, factor, solutions })))
    }
}

impl Encode for RowSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match &mut self.stage {
            Stage::Reducing(factor) => factor.encode(codec),
            Stage::Refining { high, low, .. } => {
                codec.finite("high", high)?;
                codec.finite("low", low)
            }
        }
    }
}

fn indices(list: &[usize]) -> Vec<u64> {
    list.iter().map(|&j| j as u64).collect()
}

fn read_indices(point: &Record, name: &str, below: usize) -> Result<Vec<usize>> {
    let list: Vec<usize> = point.counts(name)?.iter().map(|&j| usize::try_from(j).unwrap_or(usize::MAX)).collect();
    match list.iter().all(|&j| j < below) && list.windows(2).all(|pair| pair[0] < pair[1]) {
        true => Ok(list),
        false => Err(fault(format!("`{name}` names columns that there are not"))),
    }
}

/// target − Σ b z as if computed with twice the digits, then rounded.
fn residual(target: f64, solution: &[f64], z: &[f64]) -> f64 {
    let (mut high, mut low) = (target, 0.0);
    for (b, z) in solution.iter().zip(z) {
        add_product(&mut high, &mut low, -b, *z);
    }
    high + low
}

/// Adds a · b to a sum of two numbers without rounding the product.
fn add_product(high: &mut f64, low: &mut f64, a: f64, b: f64) {
    let product = a * b;
    let (sum, error) = two_sum(*high, product);
    (*high, *low) = (sum, *low + (error + a.mul_add(b, -product)));
}
