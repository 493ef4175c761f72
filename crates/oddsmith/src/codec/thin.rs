//! Arrays that are mostly zeros on their way between workers: the sums of ten million hashed words of which a lane has a few thousand.
//!
//! Such an array `x` keeps its other numbers alone, and a second one, `x~runs`, tells where they belong: lengths of runs of zeros and of
//! other numbers in turn, seven bits to a byte, the lowest first. Files never hold such arrays.

use crate::error::Result;
use crate::record::{Array, Record, fault};

/// Arrays of fewer numbers stay as they are.
const SHORTEST: usize = 4096;
/// An array is thinned out where at most one in so many numbers is none of zero.
const RARE: usize = 4;
/// Most numbers that a list of unknown length may have.
const LONGEST: u64 = 1 << 32;

fn runs_name(name: &str) -> String {
    format!("{name}~runs")
}

/// Whether an array was thinned out.
pub(super) fn is_thin(record: &Record, name: &str) -> bool {
    record.arrays.contains_key(&runs_name(name))
}

/// Thins out all arrays of a record that are long and mostly zeros.
pub(crate) fn thin_out(record: &mut Record) {
    let mut runs = Vec::new();
    for (name, array) in &mut record.arrays {
        if let Array::Numbers(values) = array
            && let Some((kept, told)) = thinned(values)
        {
            *values = kept;
            runs.push((runs_name(name), told));
        }
    }
    runs.into_iter().for_each(|(name, told)| record.put_bytes(name, told));
}

/// The numbers of an array that are not zero, and where they stand; `None` where it is short or has many.
fn thinned(values: &[f64]) -> Option<(Vec<f64>, Vec<u8>)> {
    // A negative zero is not the zero that an empty summary has.
    let is_zero = |value: &f64| value.to_bits() == 0;
    let count = values.iter().filter(|value| !is_zero(value)).count();
    if values.len() < SHORTEST || count > values.len() / RARE {
        return None;
    }
    let (mut kept, mut told, mut rest) = (Vec::with_capacity(count), Vec::new(), values);
    while !rest.is_empty() {
        let zeros = rest.iter().position(|value| !is_zero(value)).unwrap_or(rest.len());
        let others = rest[zeros..].iter().position(is_zero).unwrap_or(rest.len() - zeros);
        kept.extend_from_slice(&rest[zeros..zeros + others]);
        put(&mut told, zeros as u64);
        put(&mut told, others as u64);
        rest = &rest[zeros + others..];
    }
    Some((kept, told))
}

fn put(bytes: &mut Vec<u8>, mut length: u64) {
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
}

/// Runs of zeros and of other numbers in turn.
fn runs<'r>(record: &'r Record, name: &str) -> Result<impl Iterator<Item = Result<(u64, u64)>> + 'r> {
    let (mut bytes, name) = (record.bytes(&runs_name(name))?.iter(), runs_name(name));
    let mut next = move || -> Option<Option<u64>> {
        let (mut length, mut shift) = (0_u64, 0);
        loop {
            let Some(byte) = bytes.next() else { return (shift > 0).then_some(None) };
            if shift > 56 {
                return Some(None);
            }
            length |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(Some(length));
            }
        }
    };
    let broken = move || fault(format!("`{name}` is cut off"));
    Ok(std::iter::from_fn(move || {
        let zeros = next()?;
        Some(zeros.zip(next().flatten()).ok_or_else(&broken))
    }))
}

/// Puts the numbers that are left where they belong; everything else is zero.
pub(super) fn spread(record: &Record, name: &str, kept: &[f64], values: &mut [f64]) -> Result<()> {
    let (mut at, mut from, length) = (0_usize, 0_usize, values.len());
    let misplaced = || fault(format!("`{name}` does not have the {length} numbers that belong there"));
    for run in runs(record, name)? {
        let (zeros, others) = run?;
        let start = usize::try_from(zeros).ok().and_then(|zeros| at.checked_add(zeros)).filter(|start| *start <= length);
        let start = start.ok_or_else(misplaced)?;
        let end = usize::try_from(others).ok().and_then(|others| start.checked_add(others)).filter(|end| *end <= length);
        let end = end.ok_or_else(misplaced)?;
        let own = kept.get(from..).and_then(|left| left.get(..end - start)).ok_or_else(misplaced)?;
        values[at..start].fill(0.0);
        values[start..end].copy_from_slice(own);
        (at, from) = (end, from + own.len());
    }
    match at == length && from == kept.len() {
        true => Ok(()),
        false => Err(misplaced()),
    }
}

/// The array as it was, of a list whose length is not known beforehand.
pub(super) fn whole(record: &Record, name: &str, kept: &[f64]) -> Result<Vec<f64>> {
    let mut length = 0_u64;
    for run in runs(record, name)? {
        let (zeros, others) = run?;
        length = length.saturating_add(zeros).saturating_add(others);
    }
    if length > LONGEST {
        return Err(fault(format!("`{name}` claims to have {length} numbers")));
    }
    let mut values = vec![0.0; length as usize];
    spread(record, name, kept, &mut values)?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::Codec;
    use super::*;

    fn record_of(values: &[f64]) -> Record {
        let mut record = Record::new("test", 1, &serde_json::json!({})).unwrap();
        record.put("x", values);
        thin_out(&mut record);
        record
    }

    fn read_back(record: &Record, length: usize) -> Result<[Vec<f64>; 3]> {
        let (mut fixed, mut cells, mut list) = (vec![7.0; length], Vec::new(), Vec::new());
        Codec::from(record, "").among_workers().numbers("x", &mut fixed)?;
        Codec::from(record, "").among_workers().cells("x", length, &mut cells)?;
        Codec::from(record, "").among_workers().list("x", 1, &mut list)?;
        Ok([fixed, cells, list])
    }

    #[test]
    fn arrays_come_back_to_the_bit_and_take_few_bytes() {
        let mut sparse = vec![0.0; 100_000];
        for (at, value) in [(0, 1.5), (1, -0.0), (2, f64::INFINITY), (300, 3.0), (99_999, f64::MIN_POSITIVE)] {
            sparse[at] = value;
        }
        for values in [sparse.clone(), vec![0.0; 5000], [vec![0.0; 9000], vec![2.0; 900]].concat(), vec![1.0; 5000], vec![0.0; 10], vec![]]
        {
            let record = record_of(&values);
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            for read in read_back(&record, values.len()).unwrap() {
                assert_eq!(bits(&read), bits(&values));
            }
        }
        let record = record_of(&sparse);
        let Array::Numbers(kept) = &record.arrays["x"] else { panic!("no numbers") };
        assert_eq!((kept.len(), record.bytes("x~runs").unwrap().len()), (5, 9));
        assert!(!is_thin(&record_of(&vec![1.0; 5000]), "x") && !is_thin(&record_of(&[0.0; 10]), "x"));
    }

    #[test]
    fn what_does_not_fit_is_refused_and_files_have_none() {
        let record = record_of(&vec![0.0; 5000]);
        assert!(read_back(&record, 4999).is_err() && read_back(&record, 5001).is_err());
        let mut values = vec![0.0; 5000];
        assert!(Codec::from(&record, "").numbers("x", &mut values).unwrap_err().to_string().contains("0 numbers where 5000 belong"));
        for told in [vec![], vec![0x80], vec![1], [vec![0xff; 9], vec![1, 0]].concat(), [vec![0xff; 12], vec![1, 0]].concat(), vec![0, 1]] {
            let mut altered = record.clone();
            altered.put_bytes("x~runs", told.clone());
            assert!(read_back(&altered, 5000).is_err(), "{told:?}");
        }
    }
}
