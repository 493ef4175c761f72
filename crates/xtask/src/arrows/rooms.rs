//! The order of the library's rooms: a room may name itself and those to its left.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::paths::paths;

/// The base, which every room may use and which uses only itself.
const BASE: &[&str] = &["error", "notice", "control", "record", "codec", "card", "picture", "workers"];
/// The rooms, from left to right.
const ORDER: &[&str] = &["num", "data", "stats", "info", "model", "study", "calibrate", "eval", "registry", "persist", "train"];
/// What the room of plain numerics may use of the base.
const NUM_BASE: &[&str] = &["error"];

/// A source file and the module it is, such as `["stats", "table"]`; the root is empty.
pub(crate) struct Source {
    module: Vec<String>,
    text: String,
}

/// Every source under a folder, in the order of paths.
pub(crate) fn read(folder: &Path) -> io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    read_into(folder, &[], &mut sources)?;
    Ok(sources)
}

fn read_into(folder: &Path, module: &[String], sources: &mut Vec<Source>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut own = module.to_vec();
        if path.is_dir() {
            own.push(stem);
            read_into(&path, &own, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            if stem != "mod" && stem != "lib" {
                own.push(stem);
            }
            sources.push(Source { module: own, text: fs::read_to_string(&path)? });
        }
    }
    Ok(())
}

/// Every arrow that points back, and every room without a place in the order.
pub(crate) fn faults(sources: &[Source]) -> Vec<String> {
    let exported = exported(sources);
    let mut faults = Vec::new();
    for source in sources {
        let Some(room) = source.module.first() else { continue };
        if place(room).is_none() {
            faults.push(format!("{room} has no place in the order of rooms"));
            continue;
        }
        for named in paths(&source.text, &source.module) {
            let Some(head) = named.path.first() else { continue };
            let target = exported.get(head).unwrap_or(head);
            if !may_use(room, target) {
                faults.push(format!("{}, line {}: {room} may not use {target}", source.module.join("::"), named.line));
            }
        }
    }
    faults
}

/// Position from left to right; the base is 0.
fn place(room: &str) -> Option<usize> {
    if BASE.contains(&room) {
        return Some(0);
    }
    ORDER.iter().position(|known| *known == room).map(|at| at + 1)
}

fn may_use(room: &str, target: &str) -> bool {
    match (place(room), place(target)) {
        _ if room == target => true,
        (Some(1), Some(0)) => NUM_BASE.contains(&target),
        (Some(from), Some(to)) => to < from || (from == 0 && to == 0),
        _ => false,
    }
}

/// Items that the root gives out again, by the room they come from: `pub use error::Error` makes `Error` belong to
/// `error`.
fn exported(sources: &[Source]) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    for root in sources.iter().filter(|source| source.module.is_empty()) {
        let from_root = root.text.replace("pub use ", "pub use crate::").replace("crate::crate::", "crate::");
        for named in paths(&from_root, &[]) {
            // What is given out a second time, as a prelude does, was given out by its room before.
            if let [room, .., item] = &named.path[..] {
                exported.insert(item.clone(), room.clone());
            }
        }
    }
    exported
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)]) -> Vec<String> {
        let split = |module: &str| module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        faults(&files.iter().map(|(module, text)| Source { module: split(module), text: text.to_string() }).collect::<Vec<_>>())
    }

    #[test]
    fn arrows_to_the_left_are_fine() {
        let lib = (
            "",
            "pub mod data; pub use error::{Error, Result}; pub mod prelude { pub use crate::data::Rows; pub use crate::{Error, num}; }",
        );
        let model =
            ("model::bayes::part", "use crate::data::Rows;\nuse crate::{Error, num::Matrix, model::Prior};\nuse super::super::Prior;");
        assert_eq!(check(&[lib, model, ("data", "use crate::error::Result; use crate::notice::Notice;")]), Vec::<String>::new());
    }

    #[test]
    fn an_arrow_to_the_right_is_named_with_its_line() {
        let stats = ("stats::table", "use crate::data::Rows;\n\nfn f() { crate::train::fit() }\nuse super::super::model::Prior;");
        assert_eq!(check(&[stats]), ["stats::table, line 3: stats may not use train", "stats::table, line 4: stats may not use model"]);
    }

    #[test]
    fn the_base_and_plain_numerics_use_little() {
        assert_eq!(check(&[("record", "use crate::error::Result;"), ("num::matrix", "use crate::error::Error;")]), Vec::<String>::new());
        assert_eq!(check(&[("num::matrix", "use crate::notice::Notice;")]).len(), 1);
        assert_eq!(check(&[("error", "use crate::num::Matrix;")]).len(), 1);
        let lib = ("", "pub use notice::Notice;");
        assert_eq!(check(&[lib, ("num", "use crate::Notice;")]), ["num, line 1: num may not use notice"]);
    }

    #[test]
    fn tests_may_look_anywhere_and_rooms_must_be_known() {
        assert_eq!(check(&[("num", "#[cfg(test)] mod tests { use crate::train::fit; }")]), Vec::<String>::new());
        assert_eq!(check(&[("cellar", "")]), ["cellar has no place in the order of rooms"]);
        assert_eq!(check(&[("train", "use crate::cellar::wine;")]), ["train, line 1: train may not use cellar"]);
    }
}
