//! What is lost with a term: the linear hypothesis that the model without it makes about the parameters.
//!
//! Without a term the model still has the columns of all others, those among them that carry no coefficient because kept columns explain
//! them, x_a = Σ_k f_ak x_k, included: such a column takes the place of what it is made of. So the coefficients of the term's own columns
//! stay free along the parts of f_a that lie in the term, and only the directions D orthogonal to them are lost: D β = 0. Their number is
//! the difference of the ranks of the two designs, which is how R's `drop1` counts; a term that others can make up for loses nothing.

use nalgebra::{Cholesky, DMatrix, DVector};

use crate::data::Design;
use crate::model::linear::fit::passes::PassState;
use crate::model::linear::fit::stage::Facts;
use crate::model::linear::model::Covariance;

/// Share of the largest eigenvalue below which a direction is not taken by any explained column.
const NEGLIGIBLE: f64 = 1e-9;

/// Directions of some parameters that are zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hypothesis {
    /// In the order of the covariance.
    parameters: Vec<usize>,
    /// Rows over these parameters; `None` when every one of them is zero.
    directions: Option<DMatrix<f64>>,
}

impl Hypothesis {
    /// All of some parameters are zero.
    pub(crate) fn zero(parameters: Vec<usize>) -> Self {
        Hypothesis { parameters, directions: None }
    }

    /// What the model without a term says.
    pub(crate) fn without_term(design: &Design, state: &PassState, facts: &Facts, term: usize) -> Self {
        let (columns, kept) = (&design.terms()[term].columns, &state.coordinates.kept);
        let (shift, width) = (usize::from(state.coordinates.intercept), facts.shape.width);
        let own: Vec<usize> = (0..kept.len()).filter(|at| columns.contains(&kept[*at])).collect();
        let parameters = (0..facts.shape.outputs).flat_map(|m| own.iter().map(move |at| m * width + shift + at)).collect();
        let taken: Vec<Vec<f64>> = facts
            .aliases
            .iter()
            .filter(|alias| !columns.contains(&alias.column))
            .map(|alias| own.iter().map(|at| alias.of.iter().find(|(k, _)| *k == kept[*at]).map_or(0.0, |(_, f)| *f)).collect())
            .filter(|part: &Vec<f64>| part.iter().any(|f| *f != 0.0))
            .collect();
        if taken.is_empty() {
            return Hypothesis::zero(parameters);
        }
        // Combinations are in the solver's units, in which a coefficient is smaller by the scale of its column.
        let mut lost = lost(&taken, own.len());
        for (k, at) in own.iter().enumerate() {
            lost.column_mut(k).unscale_mut(state.coordinates.scale[kept[*at]]);
        }
        let directions = DMatrix::<f64>::identity(facts.shape.outputs, facts.shape.outputs).kronecker(&lost);
        Hypothesis { parameters, directions: Some(directions) }
    }

    /// Degrees of freedom.
    pub(crate) fn freedom(&self) -> usize {
        self.directions.as_ref().map_or(self.parameters.len(), DMatrix::nrows)
    }

    /// The hypothesis about the solver's point, whose parameters `functionals` give.
    pub(crate) fn constraints(&self, functionals: &[DVector<f64>]) -> DMatrix<f64> {
        let size = functionals.first().map_or(0, DVector::len);
        let rows = DMatrix::from_fn(self.parameters.len(), size, |r, c| functionals[self.parameters[r]][c]);
        self.directions.as_ref().map_or(rows.clone(), |directions| directions * rows)
    }

    /// Wald's statistic (D β)ᵀ (D V Dᵀ)⁻¹ D β; `None` where nothing is lost.
    pub(crate) fn wald(&self, covariance: &Covariance, estimates: &[f64]) -> Option<f64> {
        if self.freedom() == 0 {
            return None;
        }
        let (size, own) = (covariance.lower.len(), &self.parameters);
        let mut variance = DMatrix::from_fn(own.len(), own.len(), |a, b| covariance.matrix[own[a] * size + own[b]]);
        let mut beta = DVector::from_fn(own.len(), |a, _| estimates[own[a]]);
        if let Some(directions) = &self.directions {
            variance = directions * variance * directions.transpose();
            beta = directions * beta;
        }
        Some(beta.dot(&Cholesky::new(variance)?.solve(&beta)))
    }
}

/// Rows that span what is orthogonal to all of `taken`.
fn lost(taken: &[Vec<f64>], width: usize) -> DMatrix<f64> {
    let rows = DMatrix::from_fn(taken.len(), width, |r, c| taken[r][c]);
    let eigen = (rows.transpose() * rows).symmetric_eigen();
    let floor = NEGLIGIBLE * eigen.eigenvalues.iter().fold(0.0, |a: f64, b| a.max(*b));
    let free: Vec<usize> = (0..width).filter(|k| eigen.eigenvalues[*k] <= floor).collect();
    eigen.eigenvectors.select_columns(&free).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_explained_column_takes_is_not_lost() {
        assert_eq!(lost(&[vec![2.0]], 1).nrows(), 0);
        let rows = lost(&[vec![1.0, 1.0, 0.0]], 3);
        assert_eq!(rows.nrows(), 2);
        assert!((rows * DVector::from_vec(vec![1.0, 1.0, 0.0])).norm() < 1e-15);
    }

    #[test]
    fn walds_statistic_is_that_of_the_lost_directions() {
        let covariance =
            Covariance { matrix: vec![4.0, 1.0, 1.0, 9.0], centred: vec![4.0, 1.0, 1.0, 9.0], lower: vec![0.0; 2], upper: vec![0.0; 2] };
        assert_eq!(Hypothesis::zero(vec![1]).wald(&covariance, &[2.0, 3.0]), Some(1.0));
        let sum = Hypothesis { parameters: vec![0, 1], directions: Some(DMatrix::from_row_slice(1, 2, &[1.0, 1.0])) };
        assert!((sum.wald(&covariance, &[2.0, 3.0]).unwrap() - 25.0 / 15.0).abs() < 1e-15);
        assert_eq!(Hypothesis::zero(Vec::new()).wald(&covariance, &[2.0, 3.0]), None);
    }
}
