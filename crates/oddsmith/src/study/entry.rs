//! What an analysis declares of itself, once.

use crate::error::Result;
use crate::model::{AnyProcedure, Param, Params};

/// One analysis.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisEntry {
    /// Its name at the command and in files.
    pub name: &'static str,
    /// Other names that people know it by.
    pub aliases: &'static [&'static str],
    /// What it is, in one line.
    pub summary: &'static str,
    /// Whether it is asked for as a model is, by a formula and its options, though it ends in a card.
    pub fitted: bool,
    /// Its options.
    pub params: &'static [&'static Param],
    /// Builds the procedure.
    pub build: fn(&Params) -> Result<Box<dyn AnyProcedure>>,
}

impl AnalysisEntry {
    /// Whether it is called so.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Its options, none of them given.
    pub fn defaults(&self) -> Params {
        Params::new(self.name, self.params)
    }
}
