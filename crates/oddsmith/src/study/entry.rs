//! What an analysis declares of itself, once.

use crate::error::Result;
use crate::model::{AnyProcedure, Param, Params};

/// One analysis.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisEntry {
    /// Its name at the command and in files.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its options.
    pub params: &'static [&'static Param],
    /// Builds the procedure.
    pub build: fn(&Params) -> Result<Box<dyn AnyProcedure>>,
}

impl AnalysisEntry {
    /// Its options, none of them given.
    pub fn defaults(&self) -> Params {
        Params::new(self.name, self.params)
    }
}
