//! Model and statistics files: from a path to what it holds, and back.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use oddsmith::model::Classifier;
use oddsmith::persist::{self, FileKind};
use oddsmith::stats::TableStats;
use oddsmith::{Error, ErrorKind};

use crate::exit::Failure;

/// A pipe or a device has no size; more than this from one is no model.
const MOST_FROM_A_PIPE: u64 = 256 << 20;

/// What a file holds.
pub(crate) enum Content {
    /// A model.
    Model(Box<dyn Classifier>),
    /// Statistics.
    Statistics(Box<TableStats>),
}

/// Reads a model or statistics.
pub(crate) fn read(path: &Path) -> Result<Content, Failure> {
    let bytes = bytes(path)?;
    let content = match persist::from_bytes(&bytes, None) {
        Ok((FileKind::Statistics, _)) => persist::load_stats(&bytes).map(|stats| Content::Statistics(Box::new(stats))),
        Ok((FileKind::Model, _)) => persist::load_model(&bytes).map(Content::Model),
        Err(error) => Err(error),
    };
    content.map_err(|error| Failure::in_file(path, error))
}

/// Reads a model.
pub(crate) fn read_model(path: &Path) -> Result<Box<dyn Classifier>, Failure> {
    persist::load_model(&bytes(path)?).map_err(|error| Failure::in_file(path, error))
}

/// Reads statistics.
pub(crate) fn read_statistics(path: &Path) -> Result<TableStats, Failure> {
    persist::load_stats(&bytes(path)?).map_err(|error| Failure::in_file(path, error))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let trouble = |source| Failure::from(Error::from(ErrorKind::Io { path: path.display().to_string(), source }));
    let mut file = File::open(path).map_err(trouble)?;
    let is_file = file.metadata().map_err(trouble)?.is_file();
    let mut bytes = Vec::new();
    if is_file {
        file.read_to_end(&mut bytes).map_err(trouble)?;
    } else {
        file.take(MOST_FROM_A_PIPE + 1).read_to_end(&mut bytes).map_err(trouble)?;
    }
    if !is_file && bytes.len() as u64 > MOST_FROM_A_PIPE {
        let what = format!("it is no file and gives more than {} MB", MOST_FROM_A_PIPE >> 20);
        return Err(Failure::in_file(path, ErrorKind::Format { expected: "oddsmith file", what }.into()));
    }
    Ok(bytes)
}
