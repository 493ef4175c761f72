//! Model and statistics files: from a path to what it holds, and back.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use oddsmith::card::Cell;
use oddsmith::error::visible;
use oddsmith::model::Classifier;
use oddsmith::persist::{self, FileKind, Members};
use oddsmith::stats::TableStats;
use oddsmith::train::{Answer, Question, Round};
use oddsmith::{Error, ErrorKind};
use oddsmith_io::{Input, Opened};

use crate::exit::Failure;

/// A pipe or a device has no size; more than this from one is no model.
const MOST_FROM_A_PIPE: u64 = 256 << 20;

/// What a file holds.
pub(crate) enum Content {
    /// A model.
    Model(Box<dyn Classifier>),
    /// Statistics.
    Statistics(Box<TableStats>),
    /// A question to the places of a study.
    Round(Box<Round>),
    /// The same without the sums of earlier passes.
    Question(Box<Question>),
    /// What one of them answered.
    Answer(Box<Answer>),
}

/// Reads a model or statistics.
pub(crate) fn read(path: &Path) -> Result<Content, Failure> {
    let bytes = bytes(path)?;
    let content = match persist::from_bytes(&bytes, None) {
        Ok((FileKind::Statistics, record)) => match record.tag.as_str() {
            Round::TAG => Round::from_bytes(&bytes).map(|round| Content::Round(Box::new(round))),
            Question::TAG => Question::from_bytes(&bytes).map(|question| Content::Question(Box::new(question))),
            Answer::TAG => Answer::from_bytes(&bytes).map(|answer| Content::Answer(Box::new(answer))),
            _ => persist::load_stats(&bytes).map(|stats| Content::Statistics(Box::new(stats))),
        },
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

/// Reads which gatherings statistics are the sum of.
pub(crate) fn read_members(path: &Path) -> Result<Members, Failure> {
    persist::load_members(&bytes(path)?).map_err(|error| Failure::in_file(path, error))
}

/// Reads a question to the places of a study.
pub(crate) fn read_round(path: &Path) -> Result<Round, Failure> {
    Round::from_bytes(&bytes(path)?).map_err(|error| Failure::in_file(path, error))
}

/// Reads a question: one by itself, or that of a round.
pub(crate) fn read_question(path: &Path) -> Result<Question, Failure> {
    let bytes = bytes(path)?;
    let question = match persist::from_bytes(&bytes, None) {
        Ok((FileKind::Statistics, record)) if record.tag == Question::TAG => Question::from_bytes(&bytes),
        _ => Round::from_bytes(&bytes).and_then(|round| round.question()),
    };
    question.map_err(|error| Failure::in_file(path, error))
}

/// Reads the answer of a place.
pub(crate) fn read_answer(path: &Path) -> Result<Answer, Failure> {
    Answer::from_bytes(&bytes(path)?).map_err(|error| Failure::in_file(path, error))
}

/// Whether a path names a file of ours; a table never begins like one.
pub(crate) fn is_ours(path: &Path) -> bool {
    // A pipe must not be touched: what is read from it is gone.
    if !std::fs::metadata(path).is_ok_and(|facts| facts.is_file()) {
        return false;
    }
    let mut head = [0; persist::HEAD_BYTES];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && persist::is_container(&head)
}

/// The table that an argument names; a file of ours is none.
pub(crate) fn table(argument: &OsStr) -> Result<Input, Failure> {
    match Input::from_argument(argument) {
        Input::Path(path) if is_ours(&path) => {
            let what = "is a file of oddsmith and no table; `oddsmith show` tells what it holds";
            Err(Failure::Usage(format!("{} {what}", visible(&path.display().to_string()))))
        }
        input => Ok(input),
    }
}

/// Refuses to write over something that is still to be read, under whatever name.
pub(crate) fn refuse_same(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    match inputs.iter().find(|input| same_file::is_same_file(output, input).unwrap_or(false)) {
        Some(input) => Err(Failure::Usage(format!("{} is also the input {}; choose another output", output.display(), input.display()))),
        None => Ok(()),
    }
}

/// Refuses a table without a target, and names the columns that could be one.
pub(crate) fn need_target(opened: &Opened) -> Result<(), Failure> {
    if !opened.layout().target().is_empty() {
        return Ok(());
    }
    let names: Vec<String> = opened.columns.iter().map(|column| visible(&column.name)).take(12).collect();
    Err(Failure::Usage(format!("name the column to predict with --target; there are: {}", names.join(", "))))
}

/// A file that was written.
pub(crate) struct Saved {
    path: String,
    bytes: usize,
    checksum: String,
}

impl Saved {
    /// The file as facts of a card.
    pub(crate) fn facts(&self) -> Vec<(String, Cell)> {
        vec![
            ("file".into(), self.path.as_str().into()),
            ("bytes".into(), self.bytes.into()),
            ("blake3".into(), self.checksum.as_str().into()),
        ]
    }
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = match self.bytes {
            0..1024 => format!("{} bytes", self.bytes),
            1024..1_048_576 => format!("{} KB", self.bytes.div_ceil(1024)),
            _ => format!("{} MB", self.bytes.div_ceil(1 << 20)),
        };
        write!(f, "{} ({size}, blake3 {}…)", visible(&self.path), &self.checksum[..8])
    }
}

/// Writes a file whole or not at all, and only if it can be read again.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<Saved, Failure> {
    oddsmith_io::write_bytes(path, bytes)?;
    let checksum = blake3::hash(bytes).to_hex().to_string();
    Ok(Saved { path: path.display().to_string(), bytes: bytes.len(), checksum })
}

/// A fault of writing a file.
pub(crate) fn write_fault(path: &Path, source: io::Error) -> Error {
    ErrorKind::Io { path: path.display().to_string(), source }.into()
}

pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
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
        return Err(refused(path, what));
    }
    if !persist::is_container(&bytes) {
        let what = if bytes.is_empty() {
            "it is empty"
        } else {
            "it was not written by oddsmith; `fit -o FILE` writes models, `stats` statistics"
        };
        return Err(refused(path, what.into()));
    }
    Ok(bytes)
}

fn refused(path: &Path, what: String) -> Failure {
    Failure::in_file(path, ErrorKind::Format { expected: "oddsmith file", what }.into())
}
