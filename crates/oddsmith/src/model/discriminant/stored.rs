//! Discriminants as records and back.
//!
//! Stored are the parameters in scaled coordinates; factors are computed again from the same bits by the same steps, so
//! a model that was read scores as it did. Reading checks every shape, that scales are powers of two, and that covariances
//! are positive semidefinite with a positive diagonal.

use std::sync::Arc;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::describe::Account;
use super::elimination::Elimination;
use super::joint::{Joint, Parameters};
use super::law::Law;
use super::{LdaModel, QdaModel};
use crate::data::{Dummies, Layout};
use crate::error::Result;
use crate::model::Classifier;
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

/// Version of the content of both tags.
const VERSION: u32 = 1;
/// How far below zero, as a share of a column's variance, rounding may take what is left of it.
const INDEFINITE: f64 = 1e-9;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    account: Account,
    notices: Vec<Notice>,
}

/// The record of a model.
pub(super) fn record(tag: &str, joint: &Joint, account: &Account) -> Result<Record> {
    let parameters = &joint.parameters;
    let head = Head { account: account.clone(), notices: account.notices.clone() };
    let mut record = Record::new(tag, VERSION, &serde_json::json!({}))?;
    record.put_part("discriminant", &head)?;
    parameters.rows_layout().write(&mut record, "layout")?;
    if let Some(dummies) = &parameters.dummies {
        let unseen = dummies.unseen().iter();
        record.put_counts("unseen.columns", &unseen.clone().map(|(plane, _)| *plane as u64).collect::<Vec<_>>());
        record.put_counts("unseen.levels", &unseen.map(|(_, level)| u64::from(*level)).collect::<Vec<_>>());
    }
    parameters.classes.write(&mut record)?;
    record.put("prior.log", &parameters.log_prior);
    record.put_counts("constant.columns", &parameters.constants.iter().map(|(position, _)| *position as u64).collect::<Vec<_>>());
    record.put("constant.values", &parameters.constants.iter().map(|(_, value)| *value).collect::<Vec<_>>());
    record.put("centre", &parameters.centre);
    record.put("scale", &parameters.scale);
    record.put("offsets", &parameters.offsets.concat());
    let upper = |matrix: &DMatrix<f64>| -> Vec<f64> {
        (0..matrix.nrows()).flat_map(|i| (i..matrix.ncols()).map(move |j| (i, j))).map(|cell| matrix[cell]).collect()
    };
    record.put("covariances", &parameters.covariances.iter().flat_map(upper).collect::<Vec<_>>());
    if account.predictive {
        record.put("freedom", &parameters.laws.iter().map(|law| law.freedom).collect::<Vec<_>>());
        record.put("widening", &parameters.laws.iter().map(|law| law.widening).collect::<Vec<_>>());
    }
    Ok(record)
}

/// Rebuilds an LDA model.
pub(crate) fn read_lda(record: &Record) -> Result<Box<dyn Classifier>> {
    let (joint, account) = read(record, "lda", true)?;
    let width = joint.parameters.layout.numbers().len();
    let model = LdaModel::new(joint, account);
    if !record.arrays.contains_key("covariance.shown") {
        return Ok(Box::new(model));
    }
    let shown = record.numbers("covariance.shown", times(width, width)?)?;
    Ok(Box::new(model.showing(shown).map_err(|error| fault(error.to_string()))?))
}

/// Rebuilds a QDA model.
pub(crate) fn read_qda(record: &Record) -> Result<Box<dyn Classifier>> {
    let (joint, account) = read(record, "qda", false)?;
    Ok(Box::new(QdaModel::new(joint, account)))
}

fn read(record: &Record, tag: &str, shared: bool) -> Result<(Joint, Account)> {
    record.expect(tag, VERSION)?;
    let head: Head = record.part("discriminant")?;
    let (layout, dummies) = read_columns(record)?;
    let (classes, width) = (layout.classes().len(), layout.numbers().len());
    if classes < 2 || width == 0 || width < layout.features().len() {
        return Err(fault("a discriminant has two classes or more, and columns of numbers, categories and booleans"));
    }
    let constants = record.counts("constant.columns")?;
    let columns = varying(width, constants)?;
    let p = columns.len();
    let values = record.numbers("constant.values", constants.len())?;
    let scale = record.numbers("scale", p)?;
    if !scale.iter().all(|s| s.is_normal() && *s > 0.0 && s.to_bits().trailing_zeros() >= 52) {
        return Err(fault("`scale` holds something that is no power of two"));
    }
    let offsets = record.numbers("offsets", times(classes, p)?)?;
    let matrices = if shared { 1 } else { classes };
    let triangle = times(p, p + 1)? / 2;
    let packed = record.numbers("covariances", times(matrices, triangle)?)?;
    let covariances = (0..matrices).map(|m| symmetric(p, &packed[m * triangle..(m + 1) * triangle])).collect::<Result<Vec<_>>>()?;
    let laws = match head.account.predictive {
        false => vec![Law::NORMAL; classes],
        true => read_laws(record, classes)?,
    };
    let parameters = Parameters {
        classes: ClassWeights::read(record, classes)?,
        log_prior: record.logs("prior.log", classes)?,
        constants: constants.iter().map(|position| *position as usize).zip(values).collect(),
        centre: record.numbers("centre", p)?,
        offsets: (0..classes).map(|k| offsets[k * p..(k + 1) * p].to_vec()).collect(),
        columns,
        scale,
        covariances,
        laws,
        layout,
        dummies,
    };
    if parameters.classes.total() <= 0.0 {
        return Err(fault("the class weights are all zero"));
    }
    let joint = Joint::new(parameters).map_err(|_| fault("`covariances` are not positive definite over the same columns"))?;
    Ok((joint, Account { notices: head.notices, ..head.account }))
}

/// The number columns, and how categories become some of them.
fn read_columns(record: &Record) -> Result<(Arc<Layout>, Option<Arc<Dummies>>)> {
    let layout = Arc::new(Layout::read(record, "layout")?);
    let Some(dummies) = Dummies::new(&layout).map_err(|error| fault(error.to_string()))? else { return Ok((layout, None)) };
    if !layout.words().is_empty() {
        return Ok((layout, None));
    }
    let (planes, levels) = (record.counts("unseen.columns")?, record.counts("unseen.levels")?);
    let counts = layout.level_counts();
    let known = |plane: u64, level: u64| counts.get(plane as usize).is_some_and(|count| level < *count as u64);
    if planes.len() != levels.len() || !planes.iter().zip(levels).all(|(plane, level)| known(*plane, *level)) {
        return Err(fault("`unseen.columns` and `unseen.levels` name levels that there are not"));
    }
    let unseen = planes.iter().zip(levels).map(|(plane, level)| (*plane as usize, *level as u32)).collect();
    let dummies = Arc::new(dummies.without(unseen));
    Ok((Arc::clone(dummies.numbers()), Some(dummies)))
}

/// The columns that vary: all but the constants, which must be listed in order.
fn varying(width: usize, constants: &[u64]) -> Result<Vec<usize>> {
    match constants.windows(2).all(|pair| pair[0] < pair[1]) && constants.last().is_none_or(|last| *last < width as u64) {
        true => Ok((0..width).filter(|position| constants.binary_search(&(*position as u64)).is_err()).collect()),
        false => Err(fault("the list of constant columns is not in order")),
    }
}

fn times(left: usize, right: usize) -> Result<usize> {
    left.checked_mul(right).ok_or_else(|| fault("a shape is too large"))
}

fn symmetric(p: usize, packed: &[f64]) -> Result<DMatrix<f64>> {
    // Row i of the upper triangle starts after p + (p − 1) + … + (p − i + 1) numbers.
    let at = |i: usize, j: usize| i * p - i * i.saturating_sub(1) / 2 + (j - i);
    let matrix = DMatrix::from_fn(p, p, |i, j| packed[at(i.min(j), i.max(j))]);
    let all: Vec<usize> = (0..p).collect();
    let elimination = Elimination::new(&matrix, &all);
    let semidefinite = elimination.skipped.iter().all(|skipped| skipped.residual >= -skipped.noise.max(INDEFINITE));
    match semidefinite && all.iter().all(|&j| matrix[(j, j)] > 0.0) {
        true => Ok(matrix),
        false => Err(fault("`covariances` holds a matrix that is no covariance")),
    }
}

fn read_laws(record: &Record, classes: usize) -> Result<Vec<Law>> {
    let (freedom, widening) = (record.numbers("freedom", classes)?, record.numbers("widening", classes)?);
    match freedom.iter().chain(&widening).all(|value| *value > 0.0) {
        true => Ok(freedom.into_iter().zip(widening).map(|(freedom, widening)| Law { freedom, widening }).collect()),
        false => Err(fault("degrees of freedom and widening must be above zero")),
    }
}
