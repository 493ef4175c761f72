//! One list of what a summary holds, for writing it down and for reading it back.
//!
//! A summary enters its numbers one after the other. When it is written they go to a record; when it is read they come from one, and a
//! summary that has seen nothing says how many of each there must be. Both ways are one piece of code, so they cannot disagree.

use crate::error::Result;
use crate::record::{Array, Record, fault};

/// The numbers of a summary on their way to a record or from one.
pub(crate) struct Codec<'a> {
    way: Way<'a>,
    prefix: String,
}

enum Way<'a> {
    Out(&'a mut Record),
    In(&'a Record),
}

/// A summary whose numbers can be written down.
pub(crate) trait Encode {
    /// Enters all numbers, in the same order and under the same names either way.
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()>;
}

impl<'a> Codec<'a> {
    /// Writes to a record, all names beginning with `prefix`.
    pub(crate) fn out(record: &'a mut Record, prefix: &str) -> Self {
        Codec { way: Way::Out(record), prefix: prefix.into() }
    }

    /// Reads what was written with the same prefix.
    pub(crate) fn from(record: &'a Record, prefix: &str) -> Self {
        Codec { way: Way::In(record), prefix: prefix.into() }
    }

    /// Enters the parts of a summary under a name of their own.
    pub(crate) fn part(&mut self, name: &str, part: &mut impl Encode) -> Result<()> {
        let length = self.prefix.len();
        self.prefix.push_str(name);
        self.prefix.push('.');
        let entered = part.encode(self);
        self.prefix.truncate(length);
        entered
    }

    /// Whether a summary is being read.
    pub(crate) fn is_reading(&self) -> bool {
        matches!(self.way, Way::In(_))
    }

    /// As many numbers as the summary has; any of them may have left the range of finite numbers.
    pub(crate) fn numbers(&mut self, name: &str, values: &mut [f64]) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put(name, values),
            Way::In(record) => values.copy_from_slice(of_length(record, &name, values.len())?),
        }
        Ok(())
    }

    /// One number.
    pub(crate) fn number(&mut self, name: &str, value: &mut f64) -> Result<()> {
        self.numbers(name, std::slice::from_mut(value))
    }

    /// Numbers of which there may be any multiple of `unit`.
    pub(crate) fn list(&mut self, name: &str, unit: usize, values: &mut Vec<f64>) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put(name, values),
            Way::In(record) => {
                let stored = numbers(record, &name)?;
                if stored.len() % unit.max(1) != 0 {
                    return Err(fault(format!("`{name}` has {} numbers, which is no multiple of {unit}", stored.len())));
                }
                *values = stored.to_vec();
            }
        }
        Ok(())
    }

    /// As many whole numbers as the summary has.
    pub(crate) fn counts(&mut self, name: &str, values: &mut [u64]) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put_counts(name, values),
            Way::In(record) => values.copy_from_slice(record.counts_of(&name, values.len())?),
        }
        Ok(())
    }

    /// Any number of whole numbers.
    pub(crate) fn count_list(&mut self, name: &str, values: &mut Vec<u64>) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put_counts(name, values),
            Way::In(record) => *values = record.counts(&name)?.to_vec(),
        }
        Ok(())
    }

    /// One whole number.
    pub(crate) fn count(&mut self, name: &str, value: &mut u64) -> Result<()> {
        self.counts(name, std::slice::from_mut(value))
    }

    /// Yes or no.
    pub(crate) fn flag(&mut self, name: &str, value: &mut bool) -> Result<()> {
        let mut count = u64::from(*value);
        self.count(name, &mut count)?;
        *value = count != 0;
        Ok(())
    }

    /// What the summary is; a record that holds another is refused.
    pub(crate) fn kind(&mut self, kind: &str) -> Result<()> {
        let name = format!("{}kind", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put_bytes(name, kind.into()),
            Way::In(record) => {
                let stored = record.bytes(&name)?;
                if stored != kind.as_bytes() {
                    let stored = String::from_utf8_lossy(stored);
                    return Err(fault(format!("`{name}` says `{}` where `{kind}` belongs", crate::error::visible(&stored))));
                }
            }
        }
        Ok(())
    }
}

fn numbers<'r>(record: &'r Record, name: &str) -> Result<&'r [f64]> {
    match record.arrays.get(name) {
        Some(Array::Numbers(values)) => Ok(values),
        Some(_) => Err(fault(format!("`{name}` does not hold numbers"))),
        None => Err(fault(format!("`{name}` is missing"))),
    }
}

fn of_length<'r>(record: &'r Record, name: &str, length: usize) -> Result<&'r [f64]> {
    match numbers(record, name)? {
        values if values.len() == length => Ok(values),
        values => Err(fault(format!("`{name}` has {} numbers where {length} belong", values.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Default, PartialEq)]
    struct Summary {
        sums: [f64; 2],
        values: Vec<f64>,
        rows: u64,
        gaps: bool,
    }

    impl Encode for Summary {
        fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
            codec.kind("summary")?;
            codec.numbers("sums", &mut self.sums)?;
            codec.list("values", 2, &mut self.values)?;
            codec.count("rows", &mut self.rows)?;
            codec.flag("gaps", &mut self.gaps)
        }
    }

    fn written(summary: &Summary) -> Record {
        let mut record = Record::new("test", 1, &serde_json::json!({})).unwrap();
        Codec::out(&mut record, "a.").part("b", &mut summary.clone()).unwrap();
        record
    }

    #[test]
    fn what_is_written_is_read() {
        let summary = Summary { sums: [1.5, f64::INFINITY], values: vec![1.0, 2.0], rows: 7, gaps: true };
        let mut read = Summary::default();
        Codec::from(&written(&summary), "a.").part("b", &mut read).unwrap();
        assert_eq!(read, summary);
    }

    #[test]
    fn what_is_of_another_make_is_refused_by_name() {
        let refused = |change: fn(&mut Record)| {
            let mut record = written(&Summary::default());
            change(&mut record);
            Codec::from(&record, "a.").part("b", &mut Summary::default()).unwrap_err().to_string()
        };
        assert!(refused(|record| record.put("a.b.sums", &[1.0])).contains("`a.b.sums` has 1 numbers where 2 belong"));
        assert!(refused(|record| record.put("a.b.values", &[1.0])).contains("no multiple of 2"));
        assert!(refused(|record| record.put_bytes("a.b.kind", b"other".to_vec())).contains("says `other` where `summary` belongs"));
        assert!(refused(|record| drop(record.arrays.remove("a.b.rows"))).contains("`a.b.rows` is missing"));
    }
}
