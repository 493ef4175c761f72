//! Running programs at the root of the workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// The root of the workspace: two folders above this crate's manifest.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("crates/xtask"), PathBuf::from);
    manifest.ancestors().nth(2).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// Runs a program at the root after printing what is run; fails with its exit code.
pub(crate) fn run(program: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), Failure> {
    let settings = environment.iter().map(|(name, value)| format!("{name}='{value}' "));
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    let line = format!("{}{name} {}", settings.collect::<String>(), arguments.join(" "));
    println!("$ {line}");
    let status = Command::new(program).args(arguments).envs(environment.iter().copied()).current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::of_program(format!("`{line}` failed"), status.code())),
        Err(error) => Err(Failure::new(format!("`{line}` cannot be started: {error}"))),
    }
}

/// What a program prints.
pub(crate) fn output(program: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let name = program.display();
    let done = Command::new(program).args(arguments).current_dir(root()).stderr(Stdio::inherit()).output();
    match done {
        Ok(done) if done.status.success() => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        Ok(done) => Err(Failure::of_program(format!("`{name}` failed"), done.status.code())),
        Err(error) => Err(Failure::new(format!("`{name}` cannot be started: {error}"))),
    }
}

/// Whether a program can be called, without showing what it says.
pub(crate) fn answers(program: &Path, arguments: &[&str]) -> bool {
    let quiet = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}
