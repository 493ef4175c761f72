//! `oddsmith man`: the manual page.

use clap::CommandFactory;

use crate::command_line::CommandLine;
use crate::console::Console;
use crate::exit::{Failure, output_fault};

/// Prints one page for the command and a page for each subcommand after it.
pub(crate) fn run(console: &Console) -> Result<(), Failure> {
    let mut page = Vec::new();
    let mut command = CommandLine::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(output_fault)?;
    for subcommand in command.get_subcommands() {
        clap_mangen::Man::new(subcommand.clone()).render(&mut page).map_err(output_fault)?;
    }
    console.raw(&page)
}
