//! A design as part of a record. What is stored is the formula, the options and the facts that a survey found; everything
//! else follows from them and the layout, so that a file cannot hold a design that contradicts itself.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Facts;
use super::lookup::Lookup;
use super::{Design, DesignOptions, compile};
use crate::data::formula::Formula;
use crate::data::{Kind, Layout};
use crate::error::{Error, Result};
use crate::record::{Record, fault};

impl Design {
    /// Adds the design to a record: a part of the head under the key `prefix`, and arrays named `<prefix>.…`.
    pub fn write(&self, record: &mut Record, prefix: &str) -> Result<()> {
        record.put_part(prefix, &self.options)?;
        record.put_bytes(format!("{prefix}.formula"), self.formula.to_string().into_bytes());
        let Facts { means, gaps, bases } = &self.facts;
        record.put_texts(&format!("{prefix}.means.columns"), means.keys().map(String::as_str));
        record.put(format!("{prefix}.means"), &means.values().copied().collect::<Vec<_>>());
        record.put_texts(&format!("{prefix}.gaps"), gaps.iter().map(String::as_str));
        put_indices(record, format!("{prefix}.bases.variables"), bases.keys());
        put_indices(record, format!("{prefix}.bases.lengths"), &bases.values().map(Vec::len).collect::<Vec<_>>());
        record.put(format!("{prefix}.bases"), &bases.values().flatten().copied().collect::<Vec<_>>());
        Ok(())
    }

    /// The design that was added to a record under `prefix`, for the layout that it was compiled with.
    pub fn read(record: &Record, prefix: &str, layout: &Layout) -> Result<Design> {
        let options: DesignOptions = record.part(prefix)?;
        let text = std::str::from_utf8(record.bytes(&format!("{prefix}.formula"))?).map_err(|_| fault("the formula is not UTF-8"))?;
        let formula = Formula::parse(text).map_err(refused)?;
        if formula.has_dot() || formula.to_string() != text {
            return Err(fault("the formula is not in its plain form"));
        }
        let facts = read_facts(record, prefix)?;
        check_facts(&facts, &formula, layout)?;
        compile::compile(formula, layout, &options, facts).map_err(refused)
    }
}

/// A fault of the file, whatever it is called where the user wrote the same.
fn refused(error: Error) -> Error {
    fault(error.to_string())
}

fn put_indices<'a>(record: &mut Record, name: String, indices: impl IntoIterator<Item = &'a usize>) {
    let indices: Vec<u64> = indices.into_iter().map(|index| *index as u64).collect();
    record.put_counts(name, &indices);
}

fn read_facts(record: &Record, prefix: &str) -> Result<Facts> {
    let indices = |name: &str| -> Result<Vec<usize>> {
        let name = format!("{prefix}.{name}");
        let outsized = |_| fault(format!("`{name}` holds a number that is too large"));
        record.counts(&name)?.iter().map(|index| usize::try_from(*index).map_err(outsized)).collect()
    };
    let columns = record.texts(&format!("{prefix}.means.columns"))?;
    let means = record.numbers(&format!("{prefix}.means"), columns.len())?;
    let (variables, lengths) = (indices("bases.variables")?, indices("bases.lengths")?);
    if variables.len() != lengths.len() {
        return Err(fault(format!("`{prefix}.bases` has {} variables and {} lengths", variables.len(), lengths.len())));
    }
    let total = lengths.iter().try_fold(0usize, |total, length| total.checked_add(*length));
    let numbers = record.numbers(&format!("{prefix}.bases"), total.ok_or_else(|| fault(format!("`{prefix}.bases` is too long")))?)?;
    let mut rest = numbers.as_slice();
    let mut bases = BTreeMap::new();
    for (variable, length) in variables.iter().zip(lengths) {
        let (parameters, after) = rest.split_at(length);
        bases.insert(*variable, parameters.to_vec());
        rest = after;
    }
    let gaps = record.texts(&format!("{prefix}.gaps"))?;
    let owned = |name: &&str| (*name).to_owned();
    let facts = Facts { means: columns.iter().map(owned).zip(means).collect(), gaps: gaps.iter().map(owned).collect(), bases };
    let repeated = facts.means.len() != columns.len() || facts.gaps.len() != gaps.len() || facts.bases.len() != variables.len();
    if repeated { Err(fault(format!("`{prefix}` names a column or variable twice"))) } else { Ok(facts) }
}

/// Refuses facts about columns and variables that do not exist, and bases without theirs.
fn check_facts(facts: &Facts, formula: &Formula, layout: &Layout) -> Result<()> {
    let lookup = Lookup::new(layout);
    let used: BTreeSet<String> = formula.columns().into_iter().collect();
    let kind = |name: &String| lookup.kind_of(name).filter(|_| used.contains(name));
    let sound = facts.means.keys().all(|name| kind(name) == Some(Kind::Number))
        && facts.gaps.iter().all(|name| kind(name).is_some_and(|kind| kind != Kind::Text));
    let wanted = formula.variables().iter().enumerate().filter(|(_, variable)| super::basis::wanted(variable).is_some());
    match sound && wanted.map(|(at, _)| at).eq(facts.bases.keys().copied()) {
        true => Ok(()),
        false => Err(fault("what is stored of the data does not fit the columns of the formula")),
    }
}
