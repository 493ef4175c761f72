//! Why the command stopped and the exit code that says so: the one place where the two are tied.

use std::path::Path;
use std::{fmt, io};

use oddsmith::error::visible;
use oddsmith::notice::{self, Notice};
use oddsmith::{Error, ErrorKind};

use crate::signals;
use crate::wording::Flags;

/// Everything went well.
pub(crate) const OK: u8 = 0;
/// The command line is wrong.
pub(crate) const USAGE: u8 = 2;
/// The rows or columns cannot be used.
pub(crate) const DATA: u8 = 3;
/// A model or statistics file cannot be used.
pub(crate) const FILE: u8 = 4;
/// The data admit no valid estimate.
pub(crate) const NO_ESTIMATE: u8 = 5;
/// The system could not read or write.
pub(crate) const IO: u8 = 6;
/// A condition that the user set is not met.
pub(crate) const GATE: u8 = 7;
/// A bug in oddsmith.
pub(crate) const BUG: u8 = 70;

/// Why a command did not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A fault that the library found.
    Library(Error),
    /// A fault that the library found in a file of its own.
    InFile(String, Error),
    /// Arguments that do not go together.
    Usage(String),
    /// `--strict` and a notice was given.
    Gate(String),
    /// Whoever read our output has seen enough.
    Pipe,
}

impl Failure {
    /// A fault in a model or statistics file.
    pub(crate) fn in_file(path: &Path, error: Error) -> Self {
        Failure::InFile(path.display().to_string(), error)
    }

    /// Notices that `--strict` does not let pass. Columns that are combinations of others have an exit code of their own: no unique estimate.
    pub(crate) fn strict(notices: &[Notice]) -> Self {
        for (id, advice) in [(notice::SINGULAR, "leave a column out, or use --shrinkage"), (notice::ALIASED, "leave the column out")] {
            if let Some(combined) = notices.iter().find(|notice| notice.id == id) {
                return Error::from(ErrorKind::NoEstimate { what: combined.to_string(), advice: advice.into() }).into();
            }
        }
        let mut ids: Vec<&str> = notices.iter().map(|notice| notice.id).collect();
        ids.sort_unstable();
        ids.dedup();
        Failure::Gate(format!("--strict: stopped because of {}; `oddsmith help {}` explains", ids.join(", "), ids.first().unwrap_or(&"")))
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Library(error) => library_code(error.kind()),
            // Whatever a file of ours says that is not accepted, its content is at fault and not the command line.
            Failure::InFile(_, error) => match library_code(error.kind()) {
                USAGE | DATA | NO_ESTIMATE => FILE,
                code => code,
            },
            Failure::Usage(_) => USAGE,
            Failure::Gate(_) => GATE,
            Failure::Pipe => OK,
        }
    }

    /// A stable word for programs.
    pub(crate) fn kind(&self) -> &'static str {
        match self.code() {
            USAGE => "usage",
            DATA => "data",
            FILE => "file",
            NO_ESTIMATE => "no-estimate",
            IO => "io",
            GATE => "gate",
            OK => "pipe",
            BUG => "internal",
            _ => "interrupted",
        }
    }
}

fn library_code(kind: &ErrorKind) -> u8 {
    match kind {
        ErrorKind::Data(_) | ErrorKind::Mismatch { .. } => DATA,
        // A column or class that the table does not have may be the table's fault as well as the user's.
        ErrorKind::Unknown { noun: "column" | "class", .. } => DATA,
        ErrorKind::Unknown { .. } | ErrorKind::InvalidOption { .. } | ErrorKind::Unsupported { .. } | ErrorKind::Formula { .. } => USAGE,
        ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } => NO_ESTIMATE,
        ErrorKind::Format { .. } => FILE,
        ErrorKind::Io { .. } | ErrorKind::Memory { .. } => IO,
        ErrorKind::Interrupted => signals::exit_code(),
        _ => BUG,
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Library(error) => f.write_str(&error.worded(&Flags)),
            Failure::InFile(path, error) => write!(f, "{}: {}", visible(path), error.worded(&Flags)),
            Failure::Usage(what) | Failure::Gate(what) => f.write_str(what),
            Failure::Pipe => f.write_str("the reader of the output went away"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Io { path, source } if path == STDOUT && source.kind() == io::ErrorKind::BrokenPipe => Failure::Pipe,
            _ => Failure::Library(error),
        }
    }
}

/// The path of standard output in messages.
const STDOUT: &str = "standard output";

/// A fault of writing on standard output.
pub(crate) fn output_fault(source: io::Error) -> Error {
    ErrorKind::Io { path: STDOUT.into(), source }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_fault_has_its_exit_code() {
        let io = std::io::Error::from_raw_os_error(28);
        let unknown = |noun| ErrorKind::Unknown { noun, name: "a".into(), known: vec![] };
        let cases: Vec<(ErrorKind, u8)> = vec![
            (ErrorKind::Data(oddsmith::error::DataFault::new("no rows")), 3),
            (ErrorKind::Mismatch { left_name: "a".into(), right_name: "b".into(), what: "kinds".into() }, 3),
            (unknown("column"), 3),
            (unknown("model"), 2),
            (ErrorKind::InvalidOption { option: "smoothing".into(), value: "-1".into(), accepted: "more".into() }, 2),
            (ErrorKind::NoEstimate { what: "singular".into(), advice: "shrink".into() }, 5),
            (ErrorKind::Unsupported { model: "a".into(), what: "b".into(), advice: "c".into() }, 2),
            (ErrorKind::Format { expected: "model file", what: "cut".into() }, 4),
            (ErrorKind::Io { path: "a".into(), source: io }, 6),
            (ErrorKind::Interrupted, 130),
            (ErrorKind::Internal("broken".into()), 70),
        ];
        for (kind, code) in cases {
            let failure = Failure::from(Error::from(kind));
            assert_eq!(failure.code(), code, "{failure}");
        }
        let inside = |kind: ErrorKind| Failure::in_file(Path::new("a.round"), kind.into()).code();
        assert_eq!(inside(ErrorKind::InvalidOption { option: "l2".into(), value: "-1".into(), accepted: "more".into() }), 4);
        assert_eq!([inside(unknown("column")), inside(ErrorKind::Interrupted), inside(ErrorKind::Internal("broken".into()))], [4, 130, 70]);
        assert_eq!((Failure::Gate(String::new()).code(), Failure::Pipe.code()), (7, 0));
    }
}
