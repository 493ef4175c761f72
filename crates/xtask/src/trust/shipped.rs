//! The crates that ship: all that the lock file has below the crates of ours which people install.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;

/// The crates of ours that people install.
const SHIPPED: [&str; 5] = ["oddsmith", "oddsmith-io", "oddsmith-report", "oddsmith-cli", "oddsmith-python"];
const WHY: &str = "docs/dependencies.md";
/// The heading under which crates of several versions have their reasons.
const SEVERAL: &str = "### Several versions of one crate";

/// Packages by name: versions, and names of what they depend on.
type Lock = BTreeMap<String, Vec<BTreeSet<String>>>;

/// Whether the page has a reason for each of them, and for each that is there twice.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let lock = read(&fs::read_to_string(scope.root.join("Cargo.lock"))?);
    let mut named = BTreeSet::new();
    for name in SHIPPED {
        named.extend(direct(&fs::read_to_string(scope.root.join("crates").join(name).join("Cargo.toml"))?));
    }
    let shipped = below(&lock, named);
    let page = fs::read_to_string(scope.root.join(WHY))?;
    let (all, several) = page.split_once(SEVERAL).ok_or_else(|| Failure::new(format!("{WHY} has no `{SEVERAL}`")))?;
    let without = |names: &mut dyn Iterator<Item = &String>, text: &str| -> Vec<String> {
        names.filter(|name| !text.contains(&format!("`{name}`"))).cloned().collect()
    };
    let missing = without(&mut shipped.iter(), all);
    let mut twice: Vec<&String> = shipped.iter().filter(|name| lock.get(*name).is_some_and(|versions| versions.len() > 1)).collect();
    twice.dedup();
    let unexplained = without(&mut twice.iter().copied(), several);
    Ok(vec![
        Finding::new(
            format!("a reason in {WHY} for every crate of the lock file that ships"),
            "all",
            format!("{} crates, without a reason: {missing:?}", shipped.len()),
            missing.is_empty() && shipped.len() > 100,
        ),
        Finding::new(
            "crates that ship in several versions",
            format!("each explained in {WHY}"),
            format!("{}, unexplained: {unexplained:?}", twice.len()),
            unexplained.is_empty(),
        ),
    ])
}

fn read(text: &str) -> Lock {
    let mut lock = Lock::new();
    for package in text.split("[[package]]").skip(1) {
        let Some(name) = package.lines().find_map(|line| line.strip_prefix("name = ")) else { continue };
        let listed = package.split_once("dependencies = [").and_then(|(_, rest)| rest.split_once(']')).map_or("", |(listed, _)| listed);
        let first_word =
            |line: &str| line.trim().trim_matches([',', '"']).split(' ').next().filter(|word| !word.is_empty()).map(str::to_owned);
        lock.entry(name.trim_matches('"').to_owned()).or_default().push(listed.lines().filter_map(first_word).collect());
    }
    lock
}

/// Other people's crates that a manifest names for what is installed: those of tests and build scripts are left out.
fn direct(manifest: &str) -> Vec<String> {
    let (mut inside, mut names) = (false, Vec::new());
    for line in manifest.lines() {
        if line.starts_with('[') {
            let table = line.trim_matches(['[', ']']);
            inside = table.ends_with("dependencies") && !table.ends_with("dev-dependencies") && !table.ends_with("build-dependencies");
        } else if let Some((name, _)) = line.split_once('=').filter(|_| inside && !line.starts_with('#')) {
            names.push(name.trim().trim_end_matches(".workspace").to_owned());
        }
    }
    names.into_iter().filter(|name| !name.starts_with("oddsmith")).collect()
}

/// Everything below some crates, with them.
fn below(lock: &Lock, from: BTreeSet<String>) -> BTreeSet<String> {
    let (mut found, mut open) = (BTreeSet::new(), from.into_iter().collect::<Vec<_>>());
    while let Some(name) = open.pop() {
        let known = lock.get(&name).into_iter().flatten().flatten().cloned();
        if found.insert(name.clone()) {
            open.extend(known);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_is_all_that_hangs_below() {
        let text = "[[package]]\nname = \"a\"\nversion = \"1\"\ndependencies = [\n \"b\",\n \"c 2.0\",\n]\n\n[[package]]\nname = \"b\"\n\n\
                    [[package]]\nname = \"c\"\nversion = \"1.0\"\n\n[[package]]\nname = \"c\"\ndependencies = [\n \"d\",\n]\n[[package]]\nname = \"e\"\n";
        let lock = read(text);
        assert_eq!((lock["c"].len(), lock["a"].len()), (2, 1));
        let found = below(&lock, BTreeSet::from(["a".to_owned()]));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn crates_of_tests_are_not_named() {
        let manifest = "[dependencies]\nserde = \"1\"\noddsmith.workspace = true\n[dev-dependencies]\nproptest = \"1\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"0\"\n";
        assert_eq!(direct(manifest), ["serde", "libc"]);
    }

    /// The page beside the lock file, in every run of the tests.
    #[test]
    fn every_crate_that_ships_has_its_reason() {
        let scope = Scope::new(false, false, 1.0).unwrap();
        for finding in run(&scope).unwrap() {
            assert!(!finding.is_broken(), "{finding:?}");
        }
    }
}
