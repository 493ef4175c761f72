//! Faults of a table with the table's name in them.

use std::{fmt, io};

use oddsmith::error::DataFault;
use oddsmith::{Error, ErrorKind};

/// Bytes that a decoder refuses; travels inside an [`io::Error`] through readers.
#[derive(Debug)]
pub(crate) struct BadBytes(pub(crate) String);

impl fmt::Display for BadBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadBytes {}

impl From<BadBytes> for io::Error {
    fn from(bad: BadBytes) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, bad)
    }
}

/// The table that messages are about.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    name: String,
}

impl Place {
    /// A table of this name.
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Place { name: name.into() }
    }

    /// The name of the table.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A fault of the rows or of the file as a whole.
    pub(crate) fn fault(&self, fault: DataFault) -> Error {
        Error::from(fault).in_table(&self.name)
    }

    /// A fault of the system, or of the bytes where a decoder refused them.
    pub(crate) fn io(&self, error: io::Error) -> Error {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<BadBytes>()) {
            Some(bad) => self.fault(DataFault::new(bad.to_string())),
            None => ErrorKind::Io { path: self.name.clone(), source: error }.into(),
        }
    }

    /// A fault of the temporary copy.
    pub(crate) fn spool(&self, error: io::Error) -> Error {
        ErrorKind::Io { path: format!("temporary copy of {} in {}", self.name, std::env::temp_dir().display()), source: error }.into()
    }

    /// The file is not what it was when it was opened.
    pub(crate) fn changed(&self) -> Error {
        self.fault(DataFault::new("the file changed while it was read").accepted("try again when nothing writes to it"))
    }
}
