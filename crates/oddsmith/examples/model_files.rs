//! Writes the model files that `tests/model_files.rs` reads, with the scores they must give.
//!
//! To be run when there is a new format or a new model, never to make that test pass for files that were given to people:
//! `cargo run --release --package oddsmith --example model_files`.

#![allow(clippy::unwrap_used, reason = "an example stops at the first surprise")]

#[allow(dead_code, reason = "the tables serve every test binary")]
#[path = "../tests/table/mod.rs"]
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use oddsmith::persist::save_model;
use table::stored::{fitted, scores};

fn main() -> std::io::Result<()> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/files"));
    let models = fitted();
    let expected: BTreeMap<&String, Vec<f64>> = models.iter().map(|(name, model)| (name, scores(&**model))).collect();
    std::fs::write(folder.join("scores-1.json"), serde_json::to_string_pretty(&expected)? + "\n")?;
    for (name, model) in &models {
        std::fs::write(folder.join(format!("{name}-1.odds")), save_model(&**model).map_err(std::io::Error::other)?)?;
    }
    Ok(())
}
