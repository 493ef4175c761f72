//! What is wrong with a formula, and where, before the text is known that the place refers to.

use super::Place;
use crate::error::{Error, ErrorKind, suggestion};

/// A fault at a place.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(super) place: Place,
    what: String,
    accepted: String,
}

impl Fault {
    pub(crate) fn new(place: Place, what: impl Into<String>, accepted: impl Into<String>) -> Self {
        Fault { place, what: what.into(), accepted: accepted.into() }
    }

    /// A name that does not exist, with the names that do.
    pub(crate) fn unknown(place: Place, noun: &str, name: &str, known: &[String]) -> Self {
        let accepted = suggestion(name, known).unwrap_or_else(|| format!("there is no {noun} at all"));
        Fault::new(place, format!("there is no {noun} `{}`", crate::error::visible(name)), accepted)
    }

    /// The error, once the text is known.
    pub(crate) fn within(self, text: &str) -> Error {
        let span = self.place.start..self.place.end;
        ErrorKind::Formula { text: text.into(), span, what: self.what, accepted: self.accepted }.into()
    }
}
