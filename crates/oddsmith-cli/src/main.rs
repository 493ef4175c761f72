//! The `oddsmith` command.

fn main() -> std::process::ExitCode {
    oddsmith_cli::run(std::env::args_os())
}
