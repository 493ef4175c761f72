//! Writes the model files that `tests/model_files.rs` reads, with the scores they must give.
//!
//! To be run when there is a new format or a new model: it adds what is not there yet, and never touches a file that may have been
//! given to people. `cargo run --release --package oddsmith --example model_files`.

#![allow(clippy::unwrap_used, reason = "an example stops at the first surprise")]

#[allow(dead_code, reason = "the tables serve every test binary")]
#[path = "../tests/table/mod.rs"]
mod table;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use oddsmith::persist::{load_model, save_model};
use table::stored::{Expected, fitted, instructions, scores};

fn main() -> std::io::Result<()> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/files"));
    let kept = folder.join("scores-1.json");
    let mut expected = match kept.exists() {
        true => serde_json::from_str(&std::fs::read_to_string(&kept)?)?,
        false => Expected { instructions: instructions(), scores: BTreeMap::new() },
    };
    for (name, model) in fitted() {
        let path = folder.join(format!("{name}-1.odds"));
        if !path.exists() {
            std::fs::write(&path, save_model(&*model).map_err(std::io::Error::other)?)?;
        }
        if let Entry::Vacant(unknown) = expected.scores.entry(name) {
            let stored = load_model(&std::fs::read(&path)?).map_err(std::io::Error::other)?;
            unknown.insert(scores(&*stored));
        }
    }
    std::fs::write(kept, serde_json::to_string_pretty(&expected)? + "\n")
}
