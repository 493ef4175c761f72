//! Options of an analysis as flags, made from what it declares.

use std::marker::PhantomData;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use oddsmith::Error;
use oddsmith::model::{AnyProcedure, Params};
use oddsmith::registry;

use super::params::{flag, values_of};
use crate::exit::Failure;

/// An analysis that a command is for.
pub(crate) trait OfAnalysis {
    /// Its name in the registry.
    const NAME: &'static str;
    /// What its options are called in help texts.
    const HEADING: &'static str = "the screen";
}

/// The options that were given to an analysis.
#[derive(Debug, Clone)]
pub(crate) struct AnalysisArgs<A> {
    given: Vec<(&'static str, Vec<String>)>,
    of: PhantomData<A>,
}

impl<A: OfAnalysis> AnalysisArgs<A> {
    /// Its options.
    pub(crate) fn params(&self) -> Result<Params, Failure> {
        let entry = registry::analysis(A::NAME).ok_or_else(|| Error::internal(format!("there is no analysis {}", A::NAME)))?;
        let mut params = entry.defaults();
        for (name, values) in &self.given {
            values.iter().try_for_each(|value| params.set(name, value))?;
        }
        Ok(params)
    }
}

impl<A: OfAnalysis> AnalysisArgs<A> {
    /// The analysis with its options.
    pub(crate) fn procedure(&self) -> Result<Box<dyn AnyProcedure>, Failure> {
        let entry = registry::analysis(A::NAME).ok_or_else(|| Error::internal(format!("there is no analysis {}", A::NAME)))?;
        Ok((entry.build)(&self.params()?)?)
    }
}

impl<A: OfAnalysis> Args for AnalysisArgs<A> {
    fn augment_args(command: Command) -> Command {
        let params = registry::analysis(A::NAME).map_or(&[][..], |entry| entry.params);
        params.iter().fold(command, |command, param| command.arg(flag(param, &[A::HEADING])))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<A: OfAnalysis> FromArgMatches for AnalysisArgs<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut args = AnalysisArgs { given: Vec::new(), of: PhantomData };
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let params = registry::analysis(A::NAME).map_or(&[][..], |entry| entry.params);
        self.given.extend(params.iter().map(|param| (param.name, values_of(matches, param))).filter(|(_, values)| !values.is_empty()));
        Ok(())
    }
}
