//! From products to covariance matrices: divisor and shrinkage.
//!
//! S_k = P_k / divisor_k, or pooled S = Σ P_k / Σ divisor_k. Shrinkage by δ draws S towards a diagonal in which every
//! column has its own unit, so that it does not depend on the users' units:
//! - fixed δ: (1 − δ) S_k + δ μ_k D, where D holds the pooled variances of the columns and μ_k = tr(D⁻¹ S_k)/p is the
//!   mean variance of class k in those units. Pooled, μ = 1: correlations shrink, variances stay. On columns whose
//!   pooled variances are equal this is scikit-learn's `shrinkage=δ`, which shrinks towards tr(S)/p · I in raw units.
//! - Ledoit–Wolf: (1 − δ_k) S_k + δ_k μ_k D_k with D_k the variances of class k itself, as scikit-learn's
//!   `shrinkage="auto"`; pooled, the classes are averaged by their weight (never by a given prior). A column that is
//!   constant within class k has the pooled variance as its unit there.

use nalgebra::DMatrix;

use super::moments::Moments;
use super::settings::DiscriminantParams;
use crate::error::{Advice, Error, ErrorKind, Result};
use crate::model::Shrinkage;

/// Covariance matrices in scaled coordinates: one for all classes, or one per class.
pub(super) struct Covariances {
    pub(super) matrices: Vec<DMatrix<f64>>,
    /// What products were divided by, matrix by matrix.
    pub(super) divisors: Vec<f64>,
    /// Shares of shrinkage that were used, one or one per class; empty without shrinkage.
    pub(super) shares: Vec<f64>,
}

/// One matrix for all classes. `ledoit_wolf` holds the estimated shares per class when that is the shrinkage.
pub(super) fn pooled(moments: &Moments, settings: &DiscriminantParams, ledoit_wolf: Option<&[f64]>) -> Result<Covariances> {
    let divisor = moments.pooled_divisor(settings.divisor);
    if divisor <= 0.0 {
        let what = format!("there are {} rows in {} classes", moments.classes.total_rows(), moments.classes.rows.len());
        return Err(too_few(what, "an unbiased covariance needs more rows than classes"));
    }
    let (products, shares) = match (settings.shrinkage, ledoit_wolf) {
        (Shrinkage::None, _) => (moments.pooled_products(), Vec::new()),
        (Shrinkage::Fixed(share), _) => {
            let products = moments.pooled_products();
            let target = DMatrix::from_diagonal(&products.diagonal());
            (products * (1.0 - share) + target * share, vec![share])
        }
        (Shrinkage::LedoitWolf, Some(shares)) => {
            let sum = (0..shares.len()).fold(DMatrix::zeros(moments.width(), moments.width()), |sum, k| sum + drawn(moments, k, shares[k]));
            (sum, shares.to_vec())
        }
        (Shrinkage::LedoitWolf, None) => return Err(Error::internal("shares of shrinkage were not estimated")),
    };
    Ok(Covariances { matrices: vec![products / divisor], divisors: vec![divisor], shares })
}

/// One matrix per class.
pub(super) fn per_class(moments: &Moments, settings: &DiscriminantParams, ledoit_wolf: Option<&[f64]>) -> Result<Covariances> {
    let variances = moments.pooled_products().diagonal() / moments.pooled_divisor(settings.divisor);
    let mut found = Covariances { matrices: Vec::new(), divisors: Vec::new(), shares: Vec::new() };
    for k in 0..moments.products.len() {
        let divisor = moments.class_divisor(k, settings.divisor);
        if divisor <= 0.0 {
            let what = format!("class `{}` has {} rows", moments.layout.classes().label(k), moments.classes.rows[k]);
            return Err(too_few(what, "an unbiased covariance needs two rows or more"));
        }
        let products = match (settings.shrinkage, ledoit_wolf) {
            (Shrinkage::None, _) => moments.products[k].clone(),
            (Shrinkage::Fixed(share), _) => {
                let own = moments.products[k].diagonal().component_div(&variances);
                let unit = own.mean();
                found.shares.push(share);
                &moments.products[k] * (1.0 - share) + DMatrix::from_diagonal(&variances) * (unit * share)
            }
            (Shrinkage::LedoitWolf, Some(shares)) => {
                found.shares.push(shares[k]);
                drawn(moments, k, shares[k])
            }
            (Shrinkage::LedoitWolf, None) => return Err(Error::internal("shares of shrinkage were not estimated")),
        };
        found.matrices.push(products / divisor);
        found.divisors.push(divisor);
    }
    Ok(found)
}

/// Matrices that were estimated elsewhere, in scaled coordinates.
pub(super) fn given(moments: &Moments, matrices: &[Vec<f64>], shared: bool) -> Result<Covariances> {
    let width = moments.layout.numbers().len();
    let wanted = if shared { 1 } else { moments.classes.rows.len() };
    if matrices.len() != wanted || matrices.iter().any(|matrix| matrix.len() != width * width) {
        return Err(Error::option("covariance", format!("{} matrices", matrices.len()), format!("{wanted} of {width} × {width} numbers")));
    }
    let matrices: Vec<DMatrix<f64>> = matrices.iter().map(|matrix| moments.scaled(matrix)).collect();
    match matrices.iter().all(|matrix| matrix.iter().all(|cell| cell.is_finite()) && matrix.diagonal().iter().all(|v| *v > 0.0)) {
        true => Ok(Covariances { matrices, divisors: Vec::new(), shares: Vec::new() }),
        false => Err(Error::option("covariance", "…", "finite covariances with variances above 0")),
    }
}

fn too_few(what: String, need: &str) -> Error {
    let pooled = Advice::UseModel { name: "lda", why: "which pools the classes" };
    let advice = Advice::any_of([Advice::set("divisor", "ml"), pooled]);
    ErrorKind::NoEstimate { what: format!("{what}; {need}"), advice }.into()
}

/// Products of class `k` drawn towards their diagonal by `share`.
fn drawn(moments: &Moments, k: usize, share: f64) -> DMatrix<f64> {
    let units = class_units(moments, k);
    let target = DMatrix::from_diagonal(&nalgebra::DVector::from_vec(units.squares)) * (units.mean_variance * moments.classes.weight[k]);
    &moments.products[k] * (1.0 - share) + target * share
}

/// The columns' own units within a class.
pub(super) struct Units {
    /// Squared unit per column: its variance in the class, or the pooled one where it is constant there.
    pub(super) squares: Vec<f64>,
    /// Mean variance of the columns in these units: 1 unless some are constant.
    pub(super) mean_variance: f64,
}

/// The units of class `k`, with maximum likelihood divisors.
pub(super) fn class_units(moments: &Moments, k: usize) -> Units {
    let pooled = moments.pooled_products().diagonal() / moments.classes.total();
    let own = moments.products[k].diagonal() / moments.classes.weight[k];
    let varying = own.iter().filter(|variance| **variance > 0.0).count();
    let squares = own.iter().zip(&pooled).map(|(own, pooled)| if *own > 0.0 { *own } else { *pooled }).collect();
    Units { squares, mean_variance: varying as f64 / moments.width().max(1) as f64 }
}
