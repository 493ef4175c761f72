//! The places of a study and the rows they answered for: none may be forgotten, none may count twice, and each must see the same rows
//! in every pass.

use super::tally::Tally;
use crate::error::{Error, ErrorKind, Result};
use crate::record::{Record, fault};

/// How far the weight of the same rows may differ between passes, by rounding alone.
const ROUNDING: f64 = 1e-9;
/// Digits of the name that a place gets from its rows.
const DIGITS: usize = 16;

/// The name of a place that gave itself none.
fn name_of_rows(digest: u64) -> String {
    format!("{digest:0DIGITS$x}")
}

/// A place and the rows that it answered for.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// The name it gave itself, or one that follows from its rows.
    pub name: String,
    /// Rows that count.
    pub rows: u64,
    /// Their weight.
    pub weight: f64,
    digest: u64,
    /// What messages call it: the file of its answer.
    label: String,
    /// The answer that it came in, among those that are put together; no file holds it.
    came_in: String,
}

impl Site {
    pub(super) fn new(name: Option<&str>, tally: &Tally) -> Self {
        let name = name.map_or_else(|| name_of_rows(tally.digest), str::to_owned);
        Site { name, rows: tally.rows, weight: tally.weight, digest: tally.digest, label: String::new(), came_in: String::new() }
    }

    /// What messages call it: the name that it gave itself, else the file of its answer.
    fn called(&self) -> &str {
        let named = self.name != name_of_rows(self.digest);
        if named || self.label.is_empty() { &self.name } else { &self.label }
    }

    fn saw_the_same(&self, other: &Site) -> bool {
        let near = (self.weight - other.weight).abs() <= ROUNDING * self.weight.abs().max(other.weight.abs());
        self.rows == other.rows && self.digest == other.digest && near
    }

    fn rows_in_words(&self) -> String {
        match self.rows as f64 == self.weight {
            true => crate::notice::counted(self.rows, "row"),
            false => format!("{} of weight {}", crate::notice::counted(self.rows, "row"), self.weight),
        }
    }
}

/// Places in the order of their answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sites(pub(super) Vec<Site>);

impl Sites {
    /// Adds the places of an answer under what messages call it; a place that is there twice is refused.
    pub(super) fn join(&mut self, label: &str, sites: &Sites) -> Result<()> {
        for site in &sites.0 {
            if let Some(earlier) = self.0.iter().find(|earlier| earlier.name == site.name) {
                let what = format!("both answer for the same {}, which would count twice", site.rows_in_words());
                return Err(mismatch(&earlier.came_in, label, what));
            }
            // A place keeps the label of its own answer when that is merged with others.
            let own = if site.label.is_empty() { label } else { &site.label };
            self.0.push(Site { label: own.to_owned(), came_in: label.to_owned(), ..site.clone() });
        }
        Ok(())
    }

    /// Refuses answers of other places, or of other rows, than those that answered before.
    pub(super) fn check(&self, now: &Sites) -> Result<()> {
        for site in &self.0 {
            let first = site.called();
            match now.0.iter().find(|other| other.name == site.name) {
                Some(other) if other.saw_the_same(site) => {}
                Some(other) => return Err(changed(site, other)),
                // A place whose rows have changed has another name, if it gave itself none.
                None => match now.0.iter().find(|other| other.label == site.label && self.0.iter().all(|known| known.name != other.name)) {
                    Some(other) => return Err(changed(site, other)),
                    None => {
                        let what = format!("the answer of {first} ({}) is missing", site.rows_in_words());
                        return Err(mismatch("the earlier questions", "this one", what));
                    }
                },
            }
        }
        match now.0.iter().find(|other| self.0.iter().all(|known| known.name != other.name)) {
            None => Ok(()),
            Some(new) => {
                let what = format!("its {} took no part in the earlier questions", new.rows_in_words());
                Err(mismatch("the round", new.called(), what))
            }
        }
    }

    pub(super) fn write(&self, record: &mut Record) {
        record.put_texts("sites.names", self.0.iter().map(|site| site.name.as_str()));
        record.put_texts("sites.labels", self.0.iter().map(|site| site.label.as_str()));
        record.put_counts("sites.rows", &self.0.iter().map(|site| site.rows).collect::<Vec<_>>());
        record.put_counts("sites.digests", &self.0.iter().map(|site| site.digest).collect::<Vec<_>>());
        record.put("sites.weight", &self.0.iter().map(|site| site.weight).collect::<Vec<_>>());
    }

    pub(super) fn read(record: &Record) -> Result<Sites> {
        let (names, labels) = (record.texts("sites.names")?, record.texts("sites.labels")?);
        if labels.len() != names.len() {
            return Err(fault("`sites.labels` has another length than `sites.names`"));
        }
        let rows = record.counts_of("sites.rows", names.len())?;
        let digests = record.counts_of("sites.digests", names.len())?;
        let weight = record.weights("sites.weight", names.len())?;
        let site = |at: usize| Site {
            name: names[at].to_owned(),
            label: labels[at].to_owned(),
            rows: rows[at],
            digest: digests[at],
            weight: weight[at],
            came_in: String::new(),
        };
        Ok(Sites((0..names.len()).map(site).collect()))
    }

    /// Arrays that [`Sites::write`] adds.
    pub(super) fn owns(array: &str) -> bool {
        array.starts_with("sites.")
    }
}

fn changed(before: &Site, now: &Site) -> Error {
    let (then, today) = (before.rows_in_words(), now.rows_in_words());
    let what = match then == today {
        true => format!("it saw {then} in its first answer and other {today} in this one"),
        false => format!("it saw {then} in its first answer and {today} in this one"),
    };
    mismatch("the earlier questions", now.called(), what)
}

pub(super) fn mismatch(left: &str, right: &str, what: String) -> Error {
    ErrorKind::Mismatch { left_name: left.into(), right_name: right.into(), what }.into()
}
