//! Adjusted models as records and back: the inner model's record lies inside, its arrays under `inner.`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::adjusted::{Adjusted, TAG};
use super::curve::{Curve, CurveKind};
use super::map::CalibrationMap;
use crate::error::Result;
use crate::model::{Classifier, Decision};
use crate::record::{Record, fault};

/// Version of the content.
const VERSION: u32 = 1;
/// What the arrays of the inner model are prefixed with.
const INNER: &str = "inner.";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    inner: InnerHead,
    map: MapHead,
    decision: Decision,
    facts: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InnerHead {
    tag: String,
    version: u32,
    head: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MapHead {
    Identity,
    Affine,
    Curves(Vec<CurveKind>),
}

/// The record of an adjusted model.
pub(super) fn write(model: &Adjusted) -> Result<Record> {
    let inner = model.inner.record()?;
    let map = match &model.map {
        CalibrationMap::Identity => MapHead::Identity,
        CalibrationMap::Affine { .. } => MapHead::Affine,
        CalibrationMap::Curves(curves) => MapHead::Curves(curves.iter().map(Curve::kind).collect()),
    };
    let head = Head {
        inner: InnerHead { tag: inner.tag, version: inner.version, head: inner.head },
        map,
        decision: model.decision.clone(),
        facts: model.facts.clone(),
    };
    let mut record = Record::new(TAG, VERSION, &head)?;
    record.arrays.extend(inner.arrays.into_iter().map(|(name, array)| (format!("{INNER}{name}"), array)));
    match &model.map {
        CalibrationMap::Identity => {}
        CalibrationMap::Affine { slope, offsets } => {
            record.put("map.slope", &[*slope]);
            record.put("map.offsets", offsets);
        }
        CalibrationMap::Curves(curves) => {
            let numbers: Vec<Vec<f64>> = curves.iter().map(Curve::numbers).collect();
            record.put_counts("map.lengths", &numbers.iter().map(|numbers| numbers.len() as u64).collect::<Vec<_>>());
            record.put("map.numbers", &numbers.concat());
        }
    }
    Ok(record)
}

/// Rebuilds an adjusted model; `read_inner` knows how to read every model.
pub(crate) fn read(record: &Record, read_inner: fn(&Record) -> Result<Box<dyn Classifier>>) -> Result<Box<dyn Classifier>> {
    record.expect(TAG, VERSION)?;
    let Head { inner, map, decision, facts } = record.read_head()?;
    let arrays = record.arrays.iter().filter_map(|(name, array)| Some((name.strip_prefix(INNER)?.to_owned(), array.clone())));
    let inner = read_inner(&Record { tag: inner.tag, version: inner.version, head: inner.head, arrays: arrays.collect() })?;
    let classes = inner.layout().classes().len();
    let map = match map {
        MapHead::Identity => CalibrationMap::Identity,
        MapHead::Affine => {
            let slope = record.numbers("map.slope", 1)?[0];
            if slope <= 0.0 {
                return Err(fault("`map.slope` is not above zero"));
            }
            CalibrationMap::Affine { slope, offsets: record.numbers("map.offsets", classes)? }
        }
        MapHead::Curves(kinds) => {
            if kinds.len() != if classes == 2 { 1 } else { classes } {
                return Err(fault(format!("{} calibration curves do not fit {classes} classes", kinds.len())));
            }
            CalibrationMap::Curves(curves(record, &kinds)?)
        }
    };
    if !decision.suits(classes) {
        return Err(fault(format!("its decision does not suit {classes} classes")));
    }
    Ok(Box::new(Adjusted { inner, map, decision, facts }))
}

fn curves(record: &Record, kinds: &[CurveKind]) -> Result<Vec<Curve>> {
    let lengths = record.counts_of("map.lengths", kinds.len())?;
    let total = lengths.iter().try_fold(0u64, |sum, length| sum.checked_add(*length)).and_then(|sum| usize::try_from(sum).ok());
    let numbers = record.finite("map.numbers", total.ok_or_else(|| fault("`map.lengths` adds up to too much"))?)?;
    let mut rest = numbers;
    kinds
        .iter()
        .zip(lengths)
        .map(|(kind, length)| {
            let (own, after) = rest.split_at(*length as usize);
            rest = after;
            Curve::from_numbers(*kind, own).ok_or_else(|| fault("`map.numbers` does not make a calibration curve"))
        })
        .collect()
}
