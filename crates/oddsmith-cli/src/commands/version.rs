//! `oddsmith --version`.

use crate::console::Console;
use crate::exit::Failure;
use oddsmith_report::Format;

/// Prints the version.
pub(crate) fn run(console: &Console) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    match console.format() {
        Format::Json | Format::Ndjson => console.text(&format!("{}\n", serde_json::json!({ "name": "oddsmith", "version": version }))),
        _ => console.text(&format!("oddsmith {version}\n")),
    }
}
