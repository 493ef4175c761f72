//! What `confounding` and `subgroups` share: a search over the columns of a table that ends in one table of findings.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::control::Control;
use oddsmith::data::Weighting;
use oddsmith::model::AnyProcedure;
use oddsmith_io::Roles;

use crate::analysing;
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::options::{SourceArgs, split_list};
use crate::plot;

/// What is searched.
#[derive(Debug, Clone, Args)]
pub(super) struct ScanArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The column of the outcome; its last class is the event.
    #[arg(long, value_name = "COLUMN", alias = "target", required = true)]
    outcome: String,

    /// Columns to leave out.
    #[arg(long, value_name = "COLUMN,…", conflicts_with = "candidates")]
    exclude: Vec<String>,

    /// Only the table of findings, with every number.
    #[arg(long)]
    tidy: bool,

    /// Draw a picture in place of tables: the forest of odds ratios.
    #[arg(long, value_name = "PICTURE", value_parser = ["forest"], conflicts_with = "tidy")]
    plot: Option<String>,
}

impl ScanArgs {
    /// Runs the search called `name` over the rows and shows what it found.
    pub(super) fn run(
        &self,
        (name, procedure): (&str, Box<dyn AnyProcedure>),
        weight: Option<(String, Weighting)>,
        source: &SourceArgs,
        console: &Console,
        control: &Arc<Control>,
    ) -> Result<(), Failure> {
        let input = files::table(&self.data)?;
        let roles = Roles {
            target: Some(self.outcome.clone()),
            exclude: self.exclude.iter().flat_map(|list| split_list(list)).collect(),
            weight,
            order: source.order()?,
            ..Roles::default()
        };
        let analysed = analysing::analyse(procedure, &input, (source.options()?, roles), source.threads(), console, control)?;
        match (&self.plot, self.tidy) {
            (Some(picture), _) => plot::show(plot::of_card(&analysed.card, picture)?, console)?,
            (None, true) => console.result(&analysed.card.tidy)?,
            (None, false) => analysing::show(name, &[("data", &analysed.data)], &analysed.card, console)?,
        }
        analysing::tell(&analysed, console);
        Ok(())
    }
}
