//! How much columns have to do with the classes, from sums alone.
//!
//! Twice the log of the ratio between the largest likelihood of the columns when their law differs between classes and when it does not:
//!   lda    n ln |T| − n ln |W|                 (K − 1) p parameters          Wilks' Λ
//!   qda    n ln |T/n| − Σ_k n_k ln |W_k/n_k|   (K − 1)(p + p (p + 1)/2)
//!   nb     per number n ln σ² − Σ_k n_k ln σ²_k, 2 (K − 1); per category 2 n I(x; y) in nats, (K − 1)(levels − 1)
//! with T and W the products around the overall mean and around the class means. Minus it is a deviance up to a constant that all
//! subsets share (the law of all columns without the classes), so subsets compare by AIC, BIC and likelihood-ratio tests. A category
//! has its smoothed counts in the model, which this ignores. Time O(p³) or O(cells) per subset; no row is read.

use nalgebra::DMatrix;

use super::selection::Likelihood;
use crate::data::{Kind, Plane};
use crate::error::{DataFault, Error, ErrorKind, Result};
use crate::stats::{Moment, ScatterGroup, TableStats};

/// Models whose columns can be tested from sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumsModel {
    /// Columns that are independent within classes: Gaussian numbers and categories.
    NaiveBayes,
    /// Gaussian with one covariance.
    Lda,
    /// Gaussian with a covariance per class.
    Qda,
}

impl SumsModel {
    /// The model of a name of the registry; `None` for one whose columns need the rows.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "nb" | "gaussian-nb" | "categorical-nb" => Some(SumsModel::NaiveBayes),
            "lda" => Some(SumsModel::Lda),
            "qda" => Some(SumsModel::Qda),
            _ => None,
        }
    }
}

/// The deviance and the parameters of all columns of the sums; sampling weights count as the rows that they are worth.
pub fn likelihood_of_sums(stats: &TableStats, model: SumsModel) -> Result<Likelihood> {
    if stats.layout().features().is_empty() {
        return Ok(Likelihood { deviance: 0.0, parameters: 0.0 });
    }
    let fit = match model {
        SumsModel::NaiveBayes => independent(stats)?,
        SumsModel::Lda | SumsModel::Qda => together(stats, model == SumsModel::Qda)?,
    };
    Ok(fit.of_effective_rows(stats.classes(), stats.layout().weighting()))
}

/// Numbers with products, which only complete rows have.
fn together(stats: &TableStats, per_class: bool) -> Result<Likelihood> {
    let layout = stats.layout();
    if let Some(other) = layout.features().iter().find(|feature| feature.kind() != Kind::Number) {
        let what = format!("statistics hold products of number columns only, and this is a {} column", other.kind().name());
        return Err(DataFault::new(what).column(&other.name).accepted("leave it out, or select from the rows").into());
    }
    let scatter = stats.scatter().ok_or_else(|| lacking("the products of number columns"))?;
    let (group, _) = scatter.complete();
    if per_class && group.products.len() != group.weight.len() {
        return Err(lacking("the products of every class"));
    }
    let (p, n) = (group.columns(), group.total());
    let classes = group.weight.iter().filter(|weight| **weight > 0.0).count();
    let total = log_determinant(&total_products(&group), p)? - p as f64 * n.ln();
    let within = match per_class {
        false => n * (log_determinant(&group.pooled_products(), p)? - p as f64 * n.ln()),
        true => {
            let mut sum = 0.0;
            for (weight, products) in group.weight.iter().zip(&group.products).filter(|(weight, _)| **weight > 0.0) {
                sum += weight * (log_determinant(products, p)? - p as f64 * weight.ln());
            }
            sum
        }
    };
    let each = if per_class { p + p * (p + 1) / 2 } else { p };
    Ok(Likelihood { deviance: within - n * total, parameters: ((classes - 1) * each) as f64 })
}

/// Products around the overall mean: those within classes and those of the class means.
fn total_products(group: &ScatterGroup) -> Vec<f64> {
    let (p, n) = (group.columns(), group.total());
    let mut products = group.pooled_products();
    let mut centre = vec![0.0; p];
    for (k, weight) in group.weight.iter().enumerate() {
        centre.iter_mut().zip(group.mean.row(k)).for_each(|(sum, mean)| *sum += weight / n * mean);
    }
    for (k, weight) in group.weight.iter().enumerate() {
        let away = |j: usize| (group.mean.get(k, j) - centre[j]) + group.mean_low.get(k, j);
        for a in 0..p {
            for b in a..p {
                products[a * p + b] += weight * away(a) * away(b);
            }
        }
    }
    products
}

/// ln |P| of a positive matrix of which the upper triangle is given; columns are scaled first, so that units do not matter.
fn log_determinant(upper: &[f64], p: usize) -> Result<f64> {
    let scale: Vec<f64> = (0..p).map(|j| upper[j * p + j].sqrt()).collect();
    let cell = |a: usize, b: usize| upper[a.min(b) * p + a.max(b)] / (scale[a] * scale[b]);
    let dependent = || ErrorKind::NoEstimate {
        what: "the columns are constant or determine one another within a class".into(),
        advice: "leave one of them out".into(),
    };
    let factor = DMatrix::from_fn(p, p, cell).cholesky().ok_or_else(dependent)?;
    let diagonal = factor.l_dirty().diagonal();
    // A pivot that is nothing but rounding is none.
    if diagonal.iter().any(|pivot| pivot.is_nan() || *pivot < 1e-7) {
        return Err(dependent().into());
    }
    Ok(2.0 * diagonal.iter().zip(&scale).map(|(pivot, scale)| pivot.ln() + scale.ln()).sum::<f64>())
}

/// Columns one by one.
fn independent(stats: &TableStats) -> Result<Likelihood> {
    let layout = stats.layout();
    let mut sum = Likelihood { deviance: 0.0, parameters: 0.0 };
    for j in 0..layout.features().len() {
        let column = match layout.plane(j) {
            Plane::Numbers(at) => number(stats, at)?,
            Plane::Codes(at) => category(stats, at)?,
            Plane::Words(_) => return Err(Error::data("columns of words are not tested from sums")),
        };
        sum.deviance += column.deviance;
        sum.parameters += column.parameters;
    }
    Ok(sum)
}

fn number(stats: &TableStats, at: usize) -> Result<Likelihood> {
    let moments = stats.moments().ok_or_else(|| lacking("the moments of number columns"))?;
    let classes: Vec<Moment> = (0..stats.classes().weight.len()).map(|k| moments.get(k, at)).filter(|moment| moment.weight > 0.0).collect();
    let all = classes.iter().fold(Moment::default(), |sum, moment| sum.plus(*moment));
    let spread = |moment: &Moment| moment.weight * (moment.squares / moment.weight).ln();
    let deviance = classes.iter().map(spread).sum::<f64>() - spread(&all);
    match deviance.is_finite() {
        true => Ok(Likelihood { deviance, parameters: 2.0 * (classes.len().saturating_sub(1)) as f64 }),
        false => Err(ErrorKind::NoEstimate { what: "a number is constant within a class".into(), advice: "leave it out".into() }.into()),
    }
}

fn category(stats: &TableStats, at: usize) -> Result<Likelihood> {
    let levels = stats.levels().ok_or_else(|| lacking("the counts of levels"))?;
    let table: Vec<&[f64]> = (0..stats.classes().weight.len()).map(|k| levels.column(k, at)).collect();
    let of_class: Vec<f64> = table.iter().map(|counts| counts.iter().sum()).collect();
    let of_level: Vec<f64> = (0..table[0].len()).map(|level| table.iter().map(|counts| counts[level]).sum()).collect();
    let n: f64 = of_class.iter().sum();
    let term =
        |count: f64, k: usize, level: usize| if count > 0.0 { count * (count * n / (of_class[k] * of_level[level])).ln() } else { 0.0 };
    let gain: f64 =
        table.iter().enumerate().flat_map(|(k, counts)| counts.iter().enumerate().map(move |(level, count)| term(*count, k, level))).sum();
    let present = |weights: &[f64]| weights.iter().filter(|weight| **weight > 0.0).count().saturating_sub(1) as f64;
    Ok(Likelihood { deviance: -2.0 * gain, parameters: present(&of_class) * present(&of_level) })
}

fn lacking(what: &str) -> Error {
    Error::data(format!("the statistics lack {what}"))
}
