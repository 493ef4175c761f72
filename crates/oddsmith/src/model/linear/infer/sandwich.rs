//! Standard errors that do not trust the model: the middle of the sandwich V (Σ s sᵀ) V, s the score of a row or of a cluster.
//!
//! HC0 takes the scores as they are, HC1 multiplies by n/(n − P), HC2 and HC3 divide a row's score by √(1 − h) and 1 − h with h
//! its leverage, or, with several outputs, leave the row out half and wholly (`left_out`). With clusters the scores of a cluster are added before they are squared, times
//! G/(G − 1) · (n − 1)/(n − P). A row of frequency w is w equal rows: its score is the sum of theirs, so s sᵀ / w is
//! what they add, and n counts them all. Memory: P² numbers, and P per cluster.

use std::collections::BTreeMap;

use nalgebra::DMatrix;

use crate::codec::{Codec, Encode};
use crate::data::{KeyPlace, Rows, Weighting};
use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::{EvalPoint, Shape};
use crate::model::linear::fit::jeffreys::Leverage;
use crate::model::linear::infer::left_out::{Extent, curvature};
use crate::model::loss::{Link, Work};
use crate::num::kernel::Panel;
use crate::record::fault;

/// The kind of a robust covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Robust {
    /// Scores as they are.
    Hc0,
    /// Times n/(n − P).
    Hc1,
    /// Divided by √(1 − h).
    Hc2,
    /// Divided by 1 − h.
    Hc3,
}

/// Sums of squared scores.
#[derive(Debug, Clone)]
pub(crate) struct ScoreCovariance {
    kind: Robust,
    cluster: Option<KeyPlace>,
    pub(crate) clusters: BTreeMap<u64, Vec<f64>>,
    squares: DMatrix<f64>,
    /// Whether a weight counts equal rows.
    counted: bool,
    pub(crate) rows: f64,
}

impl Encode for ScoreCovariance {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let size = self.squares.nrows();
        let mut keys: Vec<u64> = self.clusters.keys().copied().collect();
        let mut scores: Vec<f64> = self.clusters.values().flatten().copied().collect();
        codec.count_list("clusters", &mut keys)?;
        codec.list("cluster_scores", size, &mut scores)?;
        if codec.is_reading() {
            if scores.len() / size.max(1) != keys.len() {
                return Err(fault("the scores of clusters do not fit their number"));
            }
            self.clusters = keys.into_iter().zip(scores.chunks_exact(size.max(1)).map(<[f64]>::to_vec)).collect();
        }
        codec.numbers("squares", self.squares.as_mut_slice())?;
        codec.number("rows", &mut self.rows)
    }
}

impl ScoreCovariance {
    /// Nothing seen.
    pub(crate) fn new(kind: Robust, cluster: Option<KeyPlace>, shape: Shape, weighting: Weighting) -> Self {
        let (size, counted) = (shape.outputs * shape.width, weighting == Weighting::Frequency);
        ScoreCovariance { kind, cluster, clusters: BTreeMap::new(), squares: DMatrix::zeros(size, size), counted, rows: 0.0 }
    }

    /// Adds a block.
    pub(crate) fn add(
        &mut self,
        eval_point: &EvalPoint,
        leverage: Option<&Leverage>,
        coordinates: &Coordinates,
        block: &Block<'_>,
        rows: &Rows<'_>,
    ) -> Result<()> {
        let Shape { outputs, width, .. } = eval_point.shape;
        let (mut panel, mut slopes, mut forms, mut work) = (Panel::new(), Vec::new(), Vec::new(), Work::default());
        eval_point.scores(block, &mut panel, &mut slopes)?;
        Link::of(outputs).apply(&mut slopes, block.proportions, block.weights, &mut work, false);
        if let Some(leverage) = leverage {
            leverage.forms(block, &mut panel, &mut forms);
        }
        let centre = coordinates.summed_centre();
        let shift = usize::from(coordinates.intercept);
        let mut score = vec![0.0; outputs * width];
        for (i, slopes) in slopes.chunks_exact(outputs).enumerate().filter(|(i, _)| block.weights[*i] > 0.0) {
            let copies = rows.weights.filter(|_| self.counted).map_or(1.0, |weights| weights[block.first + i]);
            self.rows += copies;
            let z: Vec<f64> = (0..centre.len()).map(|j| block.x.get(i, j) - centre[j]).collect();
            let z = coordinates.project(&z);
            let corrected = match self.kind {
                Robust::Hc0 | Robust::Hc1 => None,
                Robust::Hc2 => Some(Extent::Half),
                Robust::Hc3 => Some(Extent::Whole),
            };
            let corrected = corrected.filter(|_| leverage.is_some()).map(|extent| {
                let forms = &forms[i * outputs * outputs..(i + 1) * outputs * outputs];
                let curvature = match outputs {
                    1 => vec![work.curvatures[i] / copies],
                    _ => curvature(block.weights[i] / copies, &work.probabilities[i * (outputs + 1) + 1..(i + 1) * (outputs + 1)]),
                };
                extent.residuals(slopes, &curvature, forms)
            });
            for (m, &slope) in corrected.as_deref().unwrap_or(slopes).iter().enumerate() {
                let score = &mut score[m * width..(m + 1) * width];
                if shift == 1 {
                    score[0] = slope;
                }
                score[shift..].iter_mut().zip(&z).for_each(|(s, z)| *s = slope * z);
            }
            match self.cluster {
                None => {
                    let s = nalgebra::DVectorView::from_slice(&score, score.len());
                    self.squares.ger(copies.recip(), &s, &s, 1.0);
                }
                Some(place) => {
                    // Rows without a key are here only where gaps are a level of their own: they are a cluster, too.
                    let key = place.of_row(rows, block.first + i).unwrap_or(u64::MAX);
                    let sums = self.clusters.entry(key).or_insert_with(|| vec![0.0; score.len()]);
                    crate::stats::add(sums, &score);
                }
            }
        }
        Ok(())
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.squares += &other.squares;
        for (key, theirs) in &other.clusters {
            let sums = self.clusters.entry(*key).or_insert_with(|| vec![0.0; theirs.len()]);
            crate::stats::add(sums, theirs);
        }
    }

    /// Whether scores are kept by cluster.
    pub(crate) fn is_clustered(&self) -> bool {
        self.cluster.is_some()
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.squares.len() * (1 + self.clusters.len())
    }

    /// The middle of the sandwich with its correction for small samples.
    pub(crate) fn middle(&self) -> DMatrix<f64> {
        let (rows, size) = (self.rows, self.squares.nrows() as f64);
        if self.cluster.is_none() {
            let factor = if self.kind == Robust::Hc1 { rows / (rows - size) } else { 1.0 };
            return &self.squares * factor;
        }
        let groups = self.clusters.len() as f64;
        let mut middle = DMatrix::zeros(self.squares.nrows(), self.squares.ncols());
        for score in self.clusters.values() {
            let s = nalgebra::DVectorView::from_slice(score, score.len());
            middle.ger(1.0, &s, &s, 1.0);
        }
        middle * (groups / (groups - 1.0) * (rows - 1.0) / (rows - size))
    }
}
