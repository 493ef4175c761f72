//! The one table of all models: command-line names, Python names, file tags, law tests and docs read it.

use crate::error::{ErrorKind, Result};
use crate::model::{AnyLearner, Classifier, Knobs};
use crate::record::Record;

/// One model.
pub struct Entry {
    /// Command-line name and file tag.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// The Python class.
    pub python: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Builds the learner; refuses knobs that the model does not have.
    pub build: fn(&Knobs) -> Result<Box<dyn AnyLearner>>,
}

/// Reads a stored model of one family back.
pub struct Reader {
    /// The file tag.
    pub tag: &'static str,
    /// Rebuilds the model, checking every shape.
    pub read: fn(&Record) -> Result<Box<dyn Classifier>>,
}

/// All models, in the order in which they are listed to people.
pub const MODELS: &[Entry] = &[];

/// All readers of stored models.
pub const READERS: &[Reader] = &[];

/// The model of a name or alias.
pub fn find(name: &str) -> Result<&'static Entry> {
    MODELS.iter().find(|entry| entry.name == name || entry.aliases.contains(&name)).ok_or_else(|| {
        let known = MODELS.iter().map(|entry| entry.name.to_owned()).collect();
        ErrorKind::Unknown { noun: "model", name: name.into(), known }.into()
    })
}

/// Rebuilds a stored model.
pub fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    match READERS.iter().find(|reader| reader.tag == record.tag) {
        Some(reader) => (reader.read)(record),
        None => Err(crate::record::fault(format!("it holds `{}`, which is no model this program knows", record.tag))),
    }
}
