//! The normal equations of a least-squares fit to indicators of the classes, from sums that every discriminant gathers.
//!
//! With W_k, m_k the weights and means of the classes and P the products within them, c = Σ W_k m_k / W is the mean of all rows,
//! A = P + Σ W_k (m_k − c)(m_k − c)ᵀ are the products of all rows around it, and r_k = W_k (m_k − c) those of the rows with the indicator of
//! class k. Columns are scaled by powers of two, which round nothing. Time O(K p²).

use nalgebra::{DMatrix, DVector};

use crate::error::{DataFault, Error, Result};
use crate::stats::{ClassWeights, TableStats, check_size};

/// Variation of a column below this share of its size is rounding, not variation.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Products of the rows, in scaled coordinates.
#[derive(Debug, Clone)]
pub(super) struct Gram {
    /// Rows and weights of the complete rows.
    pub(super) classes: ClassWeights,
    /// Rows with a class that a gap kept out.
    pub(super) left_out: u64,
    /// Mean of every column, in the user's unit.
    pub(super) centre: Vec<f64>,
    /// Power of two that every column is divided by; 1 for columns that do not vary.
    pub(super) scale: Vec<f64>,
    /// Columns that vary.
    pub(super) kept: Vec<usize>,
    /// A, over the kept columns.
    pub(super) products: DMatrix<f64>,
    /// r_k, over the kept columns.
    pub(super) cross: Vec<DVector<f64>>,
}

impl Gram {
    /// From a table of statistics that holds products of its number columns.
    pub(super) fn new(table: &TableStats) -> Result<Self> {
        let names = |j: usize| table.layout().features()[table.layout().numbers()[j]].name.clone();
        if table.layout().numbers().is_empty() {
            return Ok(Gram::without_columns(table.classes().clone()));
        }
        let scatter = table.scatter().ok_or_else(|| Error::data("the statistics lack sums that this model needs; gather them again"))?;
        let (group, left_out) = scatter.complete();
        let classes = ClassWeights { rows: group.rows.clone(), weight: group.weight.clone(), squared: group.squared.clone() };
        let (width, total, within) = (group.columns(), group.total(), group.pooled_products());
        let mut gram = Gram { left_out, ..Gram::without_columns(classes) };
        // Without a complete row there is no mean of any column.
        if total <= 0.0 {
            return Ok(gram);
        }
        // Offsets of the class means from the mean of all, in units of the sums.
        let mut offsets: Vec<Vec<f64>> = Vec::new();
        let mut squares = Vec::new();
        for j in 0..width {
            let means: Vec<f64> = (0..group.weight.len()).map(|k| group.mean.get(k, j)).collect();
            let near = (0..means.len()).find(|&k| group.weight[k] > 0.0).map_or(0.0, |k| means[k]);
            // What rounding dropped of a mean far from zero counts beside a difference of means.
            let apart: Vec<f64> = (0..means.len()).map(|k| (means[k] - near) + group.mean_low.get(k, j)).collect();
            let mean = group.weight.iter().zip(&apart).map(|(w, d)| if *w > 0.0 { w * d } else { 0.0 }).sum::<f64>() / total;
            let own: Vec<f64> = apart.iter().zip(&group.weight).map(|(d, w)| if *w > 0.0 { d - mean } else { 0.0 }).collect();
            let square = within[j * width + j] + own.iter().zip(&group.weight).map(|(d, w)| w * d * d).sum::<f64>();
            let centre = near + mean;
            if !(square.is_finite() && centre.is_finite()) {
                let fault = DataFault::new("the values are too large to be squared").column(names(j));
                return Err(fault.accepted("measure the column in a larger unit").into());
            }
            let deviation = (square / total).sqrt();
            let unit = table.scale(j);
            check_size(&names(j), deviation / unit)?;
            let varies = deviation > ROUNDING * means.iter().fold(0.0f64, |most, m| most.max(m.abs()));
            let scale = if varies { f64::from_bits(deviation.to_bits() & 0x7ff0_0000_0000_0000) } else { unit };
            gram.centre.push(centre / unit);
            gram.scale.push(scale / unit);
            offsets.push(own.iter().map(|d| d / scale).collect());
            squares.push(scale);
            if varies {
                gram.kept.push(j);
            }
        }
        gram.products = DMatrix::from_fn(gram.kept.len(), gram.kept.len(), |a, b| {
            let (i, j) = (gram.kept[a.min(b)], gram.kept[a.max(b)]);
            let between: f64 = (0..group.weight.len()).map(|k| group.weight[k] * offsets[i][k] * offsets[j][k]).sum();
            within[i * width + j] / squares[i] / squares[j] + between
        });
        gram.cross = (0..group.weight.len())
            .map(|k| DVector::from_iterator(gram.kept.len(), gram.kept.iter().map(|&j| group.weight[k] * offsets[j][k])))
            .collect();
        Ok(gram)
    }

    fn without_columns(classes: ClassWeights) -> Self {
        let count = classes.weight.len();
        let (products, cross) = (DMatrix::zeros(0, 0), vec![DVector::zeros(0); count]);
        Gram { classes, left_out: 0, centre: Vec::new(), scale: Vec::new(), kept: Vec::new(), products, cross }
    }

    /// W_k / W.
    pub(super) fn proportions(&self) -> Vec<f64> {
        let total = self.classes.total();
        self.classes.weight.iter().map(|weight| weight / total).collect()
    }
}
