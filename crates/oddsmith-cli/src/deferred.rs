//! Arguments of a command that are described to the parser only when that command is called.
//!
//! All commands together have more than a thousand options. To describe them all took longer than to predict a row.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// Arguments of a command.
#[derive(Debug)]
pub(crate) struct Deferred<A>(Box<A>);

impl<A> Deref for Deferred<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A: FromArgMatches> FromArgMatches for Deferred<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches(matches).map(|arguments| Deferred(Box::new(arguments)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<A: Args> Args for Deferred<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(described::<A>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        A::augment_args_for_update(command)
    }
}

/// The command with its arguments. What the command is said to do stays, whatever is said of its arguments.
fn described<A: Args>(command: Command) -> Command {
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    let mut described = A::augment_args(command);
    if let Some(about) = about {
        described = described.about(about);
    }
    match long_about {
        Some(long_about) => described.long_about(long_about),
        None => described.long_about(None::<&str>),
    }
}
