//! What became of a step of the tests: a step that could not run is no pass.

/// How a step ended that did not fail.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ran, and holds.
    Passed,
    /// It could not run here, or a part of it could not, and why.
    Skipped(String),
}

impl Outcome {
    /// A step that could not run.
    pub(crate) fn skipped(why: impl Into<String>) -> Self {
        Outcome::Skipped(why.into())
    }
}

impl From<()> for Outcome {
    fn from((): ()) -> Self {
        Outcome::Passed
    }
}
