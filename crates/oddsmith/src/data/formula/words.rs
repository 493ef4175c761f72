//! A walk over the words of a formula, with the limits that keep every input harmless.

use super::Place;
use super::fault::Fault;
use super::token::Token;

/// How deeply parentheses, signs and functions may be nested: far beyond what people write, far below what a stack holds.
const DEEPEST: usize = 100;

/// The words of a formula and a position among them.
pub(super) struct Words<'a> {
    text: &'a str,
    tokens: &'a [(Token, Place)],
    at: usize,
    depth: usize,
}

impl<'a> Words<'a> {
    /// At the first word. The last token must be [`Token::End`].
    pub(super) fn new(text: &'a str, tokens: &'a [(Token, Place)]) -> Self {
        Words { text, tokens, at: 0, depth: 0 }
    }

    /// The next word, not taken.
    pub(super) fn peek(&self) -> &'a Token {
        &self.tokens[self.at].0
    }

    /// The word after the next one.
    pub(super) fn peek_second(&self) -> &'a Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    /// Where the next word stands.
    pub(super) fn place(&self) -> Place {
        self.tokens[self.at].1
    }

    /// Where the last taken word stands.
    pub(super) fn last_place(&self) -> Place {
        self.tokens[self.at.saturating_sub(1)].1
    }

    /// Takes the next word; the end stays.
    pub(super) fn take(&mut self) -> (&'a Token, Place) {
        let (token, place) = &self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        (token, *place)
    }

    /// Takes the next word when it is this sign.
    pub(super) fn take_sign(&mut self, sign: char) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        if found {
            self.take();
        }
        found
    }

    /// Takes this sign or says that it is missing.
    pub(super) fn expect(&mut self, sign: char, accepted: &str) -> Result<(), Fault> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(accepted)) }
    }

    /// The fault that the next word cannot stand here.
    pub(super) fn unexpected(&self, accepted: &str) -> Fault {
        let what = match self.peek() {
            Token::End => "the formula ends too early".to_owned(),
            _ => format!("`{}` cannot stand here", crate::error::visible(self.text_at(self.place()))),
        };
        Fault::new(self.place(), what, accepted)
    }

    /// The text as it was written at a place.
    pub(super) fn text_at(&self, place: Place) -> &'a str {
        &self.text[place.start..place.end]
    }

    /// Goes one level deeper, as far as that is allowed; [`Words::leave`] comes back.
    pub(super) fn encode(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(too_deep(self.place())),
            false => Ok(()),
        }
    }

    /// Comes back from one level.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// The fault that something is nested too deeply, or a sum of values is too long.
pub(super) fn too_deep(place: Place) -> Fault {
    Fault::new(place, "the formula is nested too deeply", format!("up to {DEEPEST} levels"))
}

/// Whether a value of this depth is too deep to be walked.
pub(super) fn is_too_deep(depth: usize) -> bool {
    depth > DEEPEST
}
