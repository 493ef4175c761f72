//! The order of crates: the library names none of the others, front ends are named by nobody but those who try them.

use std::collections::BTreeSet;

/// A crate and what it may depend on, of the workspace.
const MAY_USE: &[(&str, &[&str])] = &[
    ("oddsmith", &[]),
    ("oddsmith-io", &["oddsmith"]),
    ("oddsmith-report", &["oddsmith"]),
    ("oddsmith-cli", &["oddsmith", "oddsmith-io", "oddsmith-report"]),
    ("oddsmith-python", &["oddsmith", "oddsmith-io", "oddsmith-report"]),
    ("oddsmith-bench", &["oddsmith"]),
    // Feeds bytes to everything that reads them, the command's options included.
    ("oddsmith-fuzz", &["oddsmith", "oddsmith-io", "oddsmith-report", "oddsmith-cli"]),
    ("xtask", &[]),
];
/// Beginnings of names that the library must never depend on: files, front ends and languages live elsewhere.
const NOT_IN_THE_LIBRARY: &[&str] = &["arrow", "parquet", "csv", "clap", "pyo3", "numpy"];

/// Every dependency that points back; `manifests` are folder names and texts.
pub(crate) fn faults(manifests: &[(String, String)]) -> Vec<String> {
    let members: Vec<&str> = manifests.iter().map(|(name, _)| name.as_str()).collect();
    let mut faults = Vec::new();
    for (name, text) in manifests {
        let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| known == name) else {
            faults.push(format!("{name} has no place in the order of crates"));
            continue;
        };
        for dependency in dependencies(text) {
            let backwards = members.contains(&dependency.as_str()) && !allowed.contains(&dependency.as_str());
            let foreign = name == "oddsmith" && NOT_IN_THE_LIBRARY.iter().any(|start| dependency.starts_with(start));
            if backwards || foreign {
                faults.push(format!("{name} may not depend on {dependency}"));
            }
        }
    }
    faults
}

/// Names of all dependencies of a manifest; those of tests are not counted.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let (mut found, mut inside) = (BTreeSet::new(), false);
    for line in manifest.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let parts: Vec<&str> = section.split('.').collect();
            let counted = |part: &&str| matches!(*part, "dependencies" | "build-dependencies");
            inside = parts.last().is_some_and(counted);
            if let [.., table, name] = parts[..]
                && counted(&table)
            {
                found.insert(name.trim_matches('"').to_owned());
            }
        } else if let Some(name) = line.split(['=', '.', ' ']).next().filter(|name| inside && !name.is_empty()) {
            found.insert(name.trim_matches('"').to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(manifests: &[(&str, &str)]) -> Vec<String> {
        faults(&manifests.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect::<Vec<_>>())
    }

    #[test]
    fn every_spelling_of_a_dependency_is_read() {
        let text = "[package]\nname = \"x\"\n[dependencies]\na = \"1\"\nb.workspace = true\n# c = \"1\"\n[dependencies.d]\nversion = \"1\"\n\
                    [target.'cfg(unix)'.dependencies]\ne = { path = \"e\" }\n[dev-dependencies]\nf = \"1\"\n[build-dependencies]\ng = \"1\"";
        assert_eq!(dependencies(text).into_iter().collect::<Vec<_>>(), ["a", "b", "d", "e", "g"]);
    }

    #[test]
    fn arrows_between_crates() {
        let core = ("oddsmith", "[dependencies]\nserde = \"1\"\n[dev-dependencies]\noddsmith-io = \"1\"");
        let io = ("oddsmith-io", "[dependencies]\noddsmith.workspace = true\narrow = \"60\"");
        assert_eq!(check(&[core, io]), Vec::<String>::new());
        let wrong = ("oddsmith", "[dependencies]\noddsmith-io = \"1\"\narrow-array = \"60\"");
        assert_eq!(check(&[wrong, io]), ["oddsmith may not depend on arrow-array", "oddsmith may not depend on oddsmith-io"]);
        let report = ("oddsmith-report", "[dependencies.oddsmith-io]\npath = \"x\"");
        assert_eq!(check(&[report, io]), ["oddsmith-report may not depend on oddsmith-io"]);
        assert_eq!(check(&[("oddsmith-cellar", "")]), ["oddsmith-cellar has no place in the order of crates"]);
    }
}
