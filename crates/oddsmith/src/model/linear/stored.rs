//! Regressions as records and back.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::model::{Covariance, LogisticModel, Parameters};
use crate::data::{Design, Layout};
use crate::error::Result;
use crate::model::Classifier;
use crate::model::linear::infer::account::Account;
use crate::model::linear::infer::row_account::RowAccount;
use crate::notice::Notice;
use crate::record::{Record, fault};

/// Versions of the content: finite coefficients, and those of which some are infinite.
const VERSION: u32 = 1;
const WITH_RISE: u32 = 2;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    account: Account,
    notices: Vec<Notice>,
    intercept: bool,
    precise: bool,
}

impl LogisticModel {
    pub(crate) fn to_record(&self) -> Result<Record> {
        let parameters = &self.parameters;
        let version = if parameters.rise.is_some() { WITH_RISE } else { VERSION };
        let mut record = Record::new("logistic", version, &serde_json::json!({}))?;
        let head = Head {
            account: self.account.clone(),
            notices: self.account.notices.clone(),
            intercept: parameters.intercept,
            precise: self.precision.is_some(),
        };
        record.put_part("logistic", &head)?;
        // A file of an earlier version is written again as it was.
        if self.account.sample != RowAccount::default() {
            record.put_part("rows", &self.account.sample)?;
        }
        self.layout.write(&mut record, "layout")?;
        self.design.write(&mut record, "design")?;
        record.put("base", &parameters.base);
        record.put("centre", &parameters.centre);
        record.put("spread", &parameters.spread);
        record.put("coefficients", parameters.scored());
        if let Some(rise) = &parameters.rise {
            record.put("rise_base", &[rise.base]);
            record.put("rise", &rise.coefficients);
        }
        record.put("words", &parameters.words);
        record.put_counts("kept", &parameters.kept.iter().map(|j| *j as u64).collect::<Vec<_>>());
        if let Some(precision) = &self.precision {
            record.put("covariance", &precision.matrix);
            record.put("centred_covariance", &precision.centred);
            record.put("lower", &precision.lower);
            record.put("upper", &precision.upper);
        }
        Ok(record)
    }
}

/// Rebuilds a regression.
pub(crate) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    Ok(Box::new(read_model(record)?))
}

/// The same with its type.
pub(crate) fn read_model(record: &Record) -> Result<LogisticModel> {
    record.expect("logistic", WITH_RISE)?;
    let head: Head = record.part("logistic")?;
    let layout = Arc::new(Layout::read(record, "layout")?);
    let design = Arc::new(Design::read(record, "design", &layout)?);
    let classes = layout.classes().len();
    if classes < 2 {
        return Err(fault("a regression has two classes or more"));
    }
    let (outputs, columns) = (classes - 1, design.columns().len());
    let kept: Vec<usize> = record.counts("kept")?.iter().map(|j| usize::try_from(*j).unwrap_or(usize::MAX)).collect();
    let ascending = kept.windows(2).all(|pair| pair[0] < pair[1]);
    if !ascending || kept.last().is_some_and(|j| *j >= columns) || head.intercept != design.intercept() {
        return Err(fault("`kept` does not list columns of the design"));
    }
    let size = |a: usize, b: usize| a.checked_mul(b).ok_or_else(|| fault("a size is out of range"));
    let words: usize = layout.word_widths().iter().sum();
    let parameters = Parameters {
        base: record.numbers("base", outputs)?,
        centre: record.numbers("centre", columns)?,
        spread: record.numbers("spread", columns)?,
        coefficients: record.numbers("coefficients", size(outputs, columns)?)?,
        kept,
        intercept: head.intercept,
        words: record.numbers("words", size(outputs, words)?)?,
        rise: None,
    };
    let parameters = match record.version == WITH_RISE {
        true => risen(record, parameters)?,
        false => parameters,
    };
    let sample: RowAccount = if record.head.get("rows").is_some() { record.part("rows")? } else { RowAccount::default() };
    if !sample.suits(classes) {
        return Err(fault("what is remembered of the rows does not fit the classes"));
    }
    let account = Account { notices: head.notices, sample, ..head.account };
    if account.class_weights.len() != classes {
        return Err(fault("the account does not weigh every class"));
    }
    let estimated = size(outputs, parameters.width())?;
    let precision = match head.precise {
        false => None,
        true => Some(Covariance {
            matrix: record.numbers("covariance", size(estimated, estimated)?)?,
            centred: record.numbers("centred_covariance", size(estimated, estimated)?)?,
            lower: record.extended("lower", estimated)?,
            upper: record.extended("upper", estimated)?,
        }),
    };
    Ok(LogisticModel::new(layout, design, parameters, precision, account))
}

/// The parameters with the direction along which they rise forever.
fn risen(record: &Record, parameters: Parameters) -> Result<Parameters> {
    let (base, rise) = (record.numbers("rise_base", 1)?, record.numbers("rise", parameters.centre.len())?);
    let moves = rise.iter().enumerate().filter(|(_, rise)| **rise != 0.0).map(|(j, _)| j).collect::<Vec<_>>();
    if parameters.outputs() != 1 || moves.is_empty() || moves.iter().any(|j| !parameters.kept.contains(j)) {
        return Err(fault("a direction of infinite coefficients belongs to two classes and to columns that carry a coefficient"));
    }
    Ok(parameters.with_rise(base[0], rise))
}
