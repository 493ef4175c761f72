//! `oddsmith completions`: the grammar for shells.

use clap::{Args, CommandFactory};

use crate::command_line::CommandLine;
use crate::console::Console;
use crate::exit::Failure;

/// A shell that can complete.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Shell {
    /// Bash.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell.
    Pwsh,
    /// Elvish.
    Elvish,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions; source them from the shell's start file.
pub(crate) fn run(args: &CompletionsArgs, console: &Console) -> Result<(), Failure> {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::Pwsh => clap_complete::Shell::PowerShell,
        Shell::Elvish => clap_complete::Shell::Elvish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "oddsmith", &mut script);
    console.raw(&script)
}
