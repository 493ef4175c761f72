//! One list of what a summary holds, for writing it down and for reading it back.
//!
//! A summary enters its numbers one after the other. When it is written they go to a record; when it is read they come from one, and a
//! summary that has seen nothing says how many of each there must be. Both ways are one piece of code, so they cannot disagree.

mod thin;

use std::borrow::Cow;

pub(crate) use thin::thin_out;

use crate::error::Result;
use crate::record::{Array, Record, fault};

/// The numbers of a summary on their way to a record or from one.
#[derive(Debug)]
pub struct Codec<'a> {
    way: Way<'a>,
    prefix: String,
    among_workers: bool,
}

#[derive(Debug)]
enum Way<'a> {
    Out(&'a mut Record),
    In(&'a Record),
}

/// A summary whose numbers can be written down and read back, to the bit.
///
/// One method serves both ways: a summary names its numbers one after the other, and the codec takes them out or puts them in. It is read
/// into the empty summary of the same pass, which knows how many of each there must be; what does not fit is refused by its name.
///
/// ```
/// use oddsmith::codec::{Codec, Encode};
/// use oddsmith::record::Record;
///
/// #[derive(Clone, Default, PartialEq, Debug)]
/// struct Mean {
///     weight: f64,
///     sum: f64,
/// }
///
/// impl Encode for Mean {
///     fn encode(&mut self, codec: &mut Codec<'_>) -> oddsmith::Result<()> {
///         codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
///         codec.number("sum", &mut self.sum)
///     }
/// }
///
/// let mut record = Record::new("mean", 1, &())?;
/// let mut seen = Mean { weight: 2.0, sum: 3.5 };
/// seen.encode(&mut Codec::out(&mut record, ""))?;
/// let mut read = Mean::default();
/// read.encode(&mut Codec::from(&record, ""))?;
/// assert_eq!(read, seen);
/// # Ok::<(), oddsmith::Error>(())
/// ```
pub trait Encode {
    /// Enters all numbers, in the same order and under the same names either way.
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()>;
}

impl<'a> Codec<'a> {
    /// Writes to a record, all names beginning with `prefix`.
    pub fn out(record: &'a mut Record, prefix: &str) -> Self {
        Codec { way: Way::Out(record), prefix: prefix.into(), among_workers: false }
    }

    /// Reads what was written with the same prefix.
    pub fn from(record: &'a Record, prefix: &str) -> Self {
        Codec { way: Way::In(record), prefix: prefix.into(), among_workers: false }
    }

    /// The same between workers that may all see the rows: nothing is taken out on the way, so that not even the last bit of what is summed up
    /// depends on where it was.
    pub fn among_workers(mut self) -> Self {
        self.among_workers = true;
        self
    }

    /// Whether the summary stays among workers that may all see the rows.
    pub fn is_among_workers(&self) -> bool {
        self.among_workers
    }

    /// Enters the parts of a summary under a name of their own.
    pub fn part(&mut self, name: &str, part: &mut (impl Encode + ?Sized)) -> Result<()> {
        self.within(name, |codec| part.encode(codec))
    }

    /// Enters several numbers under a name of their own.
    pub fn within(&mut self, name: &str, enter: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let length = self.prefix.len();
        self.prefix.push_str(name);
        self.prefix.push('.');
        let entered = enter(self);
        self.prefix.truncate(length);
        entered
    }

    /// What was written so far, the names as they stand in the record; `None` when a summary is being read.
    pub fn written(&self) -> Option<(&Record, &str)> {
        match &self.way {
            Way::Out(record) => Some((record, &self.prefix)),
            Way::In(_) => None,
        }
    }

    /// The name in the record of what the summary calls `name`.
    pub fn full_name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Whether a summary is being read.
    pub fn is_reading(&self) -> bool {
        matches!(self.way, Way::In(_))
    }

    /// As many numbers as the summary has; any of them may have left the range of finite numbers.
    pub fn numbers(&mut self, name: &str, values: &mut [f64]) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put(name, values),
            Way::In(record) => read_into(record, &name, self.among_workers, values)?,
        }
        Ok(())
    }

    /// As many finite numbers as the summary has.
    pub fn finite(&mut self, name: &str, values: &mut [f64]) -> Result<()> {
        self.checked(name, values, f64::is_finite, "a number that is not finite")
    }

    /// As many finite numbers from 0 up as the summary has: weights, sums of squares.
    pub fn weights(&mut self, name: &str, values: &mut [f64]) -> Result<()> {
        self.checked(name, values, |v| v.is_finite() && v >= 0.0, "a number that is not finite or below zero")
    }

    /// Numbers that a reader accepts only when all of them are; whoever writes must know better.
    fn checked(&mut self, name: &str, values: &mut [f64], accepted: fn(f64) -> bool, otherwise: &str) -> Result<()> {
        self.numbers(name, values)?;
        self.accept(name, values, accepted, otherwise)
    }

    /// Refuses numbers that were read, when one of them is not accepted.
    pub fn accept(&self, name: &str, values: &[f64], accepted: fn(f64) -> bool, otherwise: &str) -> Result<()> {
        match self.is_reading() && !values.iter().all(|v| accepted(*v)) {
            true => Err(fault(format!("`{}{name}` holds {otherwise}", self.prefix))),
            false => Ok(()),
        }
    }

    /// Exactly `length` numbers. They are counted before any memory is taken for them, so that a list may be read into an empty one.
    pub fn cells(&mut self, name: &str, length: usize, values: &mut Vec<f64>) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put(name, values),
            Way::In(record) if self.among_workers && thin::is_thin(record, &name) => {
                *values = vec![0.0; length];
                read_into(record, &name, true, values)?;
            }
            Way::In(record) => *values = of_length(record, &name, length)?.to_vec(),
        }
        Ok(())
    }

    /// Numbers that are zero almost always: written only where one is not.
    pub fn rare(&mut self, name: &str, values: &mut [f64]) -> Result<()> {
        let absent = match &self.way {
            Way::Out(_) => values.iter().all(|v| *v == 0.0),
            Way::In(record) => !record.arrays.contains_key(&format!("{}{name}", self.prefix)),
        };
        match absent {
            true => Ok(()),
            false => self.numbers(name, values),
        }
    }

    /// One number.
    pub fn number(&mut self, name: &str, value: &mut f64) -> Result<()> {
        self.numbers(name, std::slice::from_mut(value))
    }

    /// Numbers of which there may be any multiple of `unit`.
    pub fn list(&mut self, name: &str, unit: usize, values: &mut Vec<f64>) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put(name, values),
            Way::In(record) => {
                let stored = match self.among_workers && thin::is_thin(record, &name) {
                    true => Cow::Owned(thin::whole(record, &name, numbers(record, &name)?)?),
                    false => Cow::Borrowed(numbers(record, &name)?),
                };
                if stored.len() % unit.max(1) != 0 {
                    return Err(fault(format!("`{name}` has {} numbers, which is no multiple of {unit}", stored.len())));
                }
                *values = stored.into_owned();
            }
        }
        Ok(())
    }

    /// As many whole numbers as the summary has.
    pub fn counts(&mut self, name: &str, values: &mut [u64]) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put_counts(name, values),
            Way::In(record) => values.copy_from_slice(record.counts_of(&name, values.len())?),
        }
        Ok(())
    }

    /// Any number of whole numbers.
    pub fn count_list(&mut self, name: &str, values: &mut Vec<u64>) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put_counts(name, values),
            Way::In(record) => *values = record.counts(&name)?.to_vec(),
        }
        Ok(())
    }

    /// Any number of labels of rows: classes, and what stands for no class.
    pub fn labels(&mut self, name: &str, labels: &mut Vec<u32>, classes: usize) -> Result<()> {
        let mut counts: Vec<u64> = labels.iter().map(|label| u64::from(*label)).collect();
        self.count_list(name, &mut counts)?;
        if self.is_reading() {
            let label = |count: &u64| u32::try_from(*count).ok().filter(|label| (*label as usize) < classes || *label == u32::MAX);
            let read: Option<Vec<u32>> = counts.iter().map(label).collect();
            *labels = read.ok_or_else(|| fault(format!("`{}{name}` holds a label that none of {classes} classes has", self.prefix)))?;
        }
        Ok(())
    }

    /// Any number of bytes.
    pub fn bytes(&mut self, name: &str, values: &mut Vec<u8>) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        match &mut self.way {
            Way::Out(record) => record.put_bytes(name, values.clone()),
            Way::In(record) => *values = record.bytes(&name)?.to_vec(),
        }
        Ok(())
    }

    /// One whole number.
    pub fn count(&mut self, name: &str, value: &mut u64) -> Result<()> {
        self.counts(name, std::slice::from_mut(value))
    }

    /// Yes or no.
    pub fn flag(&mut self, name: &str, value: &mut bool) -> Result<()> {
        let mut count = u64::from(*value);
        self.count(name, &mut count)?;
        if count > 1 {
            return Err(fault(format!("`{}{name}` is neither yes nor no", self.prefix)));
        }
        *value = count == 1;
        Ok(())
    }

    /// What the summary is; a record that holds another is refused.
    pub fn kind(&mut self, kind: &str) -> Result<()> {
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

/// Reads exactly as many numbers as there are; those that were thinned out on the way between workers are zeros again.
fn read_into(record: &Record, name: &str, among_workers: bool, values: &mut [f64]) -> Result<()> {
    match among_workers && thin::is_thin(record, name) {
        true => thin::spread(record, name, numbers(record, name)?, values),
        false => {
            values.copy_from_slice(of_length(record, name, values.len())?);
            Ok(())
        }
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
