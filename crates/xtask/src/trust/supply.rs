//! What the product is made of: every crate known and licensed, no network, and the same bytes from the same sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;
use crate::trust::{shipped, trial};

/// Licences that ask for no more than a notice; of several joined by OR one is enough.
const LICENCES: [&str; 11] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "Zlib",
    "Unicode-3.0",
    "Unlicense",
    "CC0-1.0",
];
/// Most crates of the library and of the command, those that only write code left out.
const MOST: [(&str, usize); 2] = [("oddsmith", 30), ("oddsmith-cli", 60)];
const WHY: &str = "docs/dependencies.md";

/// A crate as cargo lists it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    name: String,
    version: String,
    licence: String,
}

/// Tries all of it; what compiles anew only at length.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let all = listed(&["--workspace"])?;
    let mut findings = vec![licences(&all), reasons(scope)?];
    findings.extend(shipped::run(scope)?);
    findings.push(no_network(scope)?);
    if scope.long {
        for (name, most) in MOST {
            let count = listed(&["-p", name, "-e", "normal,no-proc-macro"])?.len();
            findings.push(Finding::new(format!("crates of {name}"), format!("{most} at most"), count.to_string(), count <= most));
        }
        fs::write(scope.root.join("target/trust/sbom.json"), sbom(&all))?;
        findings.push(Finding::new(
            "a list of all crates (SBOM)",
            "written",
            format!("{} crates in target/trust/sbom.json", all.len()),
            true,
        ));
        findings.push(denied(scope)?);
        findings.push(reproduced(scope)?);
    }
    Ok(findings)
}

/// Every crate of other people that a selection needs to run or to build.
fn listed(selection: &[&str]) -> Result<Vec<Listed>, Failure> {
    let words = [&["tree", "--locked", "--prefix", "none", "--format", "{p}|{l}"], selection].concat();
    Ok(read_list(&shell::output(&shell::cargo(), &words)?))
}

fn read_list(text: &str) -> Vec<Listed> {
    let one = |line: &str| {
        let (package, licence) = line.trim_end_matches(" (*)").split_once('|')?;
        let mut words = package.split_whitespace();
        let (name, version) = (words.next()?.to_owned(), words.next()?.trim_start_matches('v').to_owned());
        let own = package.contains('/');
        (!own).then(|| Listed { name, version, licence: licence.trim_end_matches(" (*)").to_owned() })
    };
    text.lines().filter_map(one).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether a licence lets anybody use the crate: all that AND joins, and one of what OR joins.
fn is_free(licence: &str) -> bool {
    let licence = licence.replace(['(', ')'], "").replace('/', " OR ");
    !licence.is_empty() && licence.split(" AND ").all(|part| part.split(" OR ").any(|one| LICENCES.contains(&one.trim())))
}

fn licences(all: &[Listed]) -> Finding {
    let other: Vec<String> =
        all.iter().filter(|listed| !is_free(&listed.licence)).map(|listed| format!("{} ({})", listed.name, listed.licence)).collect();
    let measured = if other.is_empty() { format!("{} crates", all.len()) } else { other.join(", ") };
    Finding::new("licences", "all ask for a notice at most", measured, other.is_empty() && !all.is_empty())
}

/// Every crate that a manifest names has a reason.
fn reasons(scope: &Scope) -> Result<Finding, Failure> {
    let page = fs::read_to_string(scope.root.join(WHY))?;
    let mut named = BTreeSet::new();
    for entry in fs::read_dir(scope.root.join("crates"))? {
        named.extend(direct(&fs::read_to_string(entry?.path().join("Cargo.toml"))?));
    }
    let missing: Vec<&String> = named.iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    Ok(Finding::new(
        format!("a reason in {WHY} for every crate that we name"),
        "all",
        format!("{} named, without a reason: {missing:?}", named.len()),
        missing.is_empty(),
    ))
}

/// Other people's crates that a manifest names.
fn direct(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim_end_matches(']').ends_with("dependencies");
        } else if let Some((name, _)) = line.split_once('=').filter(|_| inside && !line.starts_with('#')) {
            names.push(name.trim().trim_end_matches(".workspace").to_owned());
        }
    }
    names.into_iter().filter(|name| !name.starts_with("oddsmith")).collect()
}

/// A day's work in a namespace without a network.
fn no_network(scope: &Scope) -> Result<Finding, Failure> {
    let (promise, goal) = ("work without a network", "the same results");
    if !shell::answers(Path::new("unshare"), &["-r", "-n", "true"]) {
        return Ok(Finding::not_tried(promise, goal, "networks cannot be taken away here (unshare -r -n)"));
    }
    let folder = scope.folder("network")?;
    scope.example("births.csv", &folder)?;
    let lines = [
        "fit -q births.csv low~age+lwt+smoke -o m.odds",
        "predict -q m.odds births.csv",
        "evaluate -q m.odds births.csv",
        "report -q m.odds births.csv -o r.html",
        "check births.csv --target low",
        "models",
    ];
    let mut other = Vec::new();
    for words in lines {
        let here = trial::shell(&scope.program, &folder, &format!("\"$0\" {words}"))?;
        let alone = trial::shell(&scope.program, &folder, &format!("unshare -r -n \"$0\" {words}"))?;
        if !here.status.success() || here.stdout != alone.stdout || here.status != alone.status {
            other.push(words);
        }
    }
    Ok(Finding::new(promise, goal, format!("{} commands, others: {other:?}", lines.len()), other.is_empty()))
}

/// The crates as CycloneDX has it.
fn sbom(all: &[Listed]) -> String {
    let component = |listed: &Listed| {
        let Listed { name, version, licence } = listed;
        format!(
            "    {{\"type\": \"library\", \"name\": \"{name}\", \"version\": \"{version}\", \"purl\": \"pkg:cargo/{name}@{version}\", \
             \"licenses\": [{{\"expression\": \"{}\"}}]}}",
            licence.replace('/', " OR ")
        )
    };
    let components: Vec<String> = all.iter().map(component).collect();
    format!(
        "{{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n  \"components\": [\n{}\n  ]\n}}\n",
        components.join(",\n")
    )
}

/// cargo-deny's own checks, where it is installed.
fn denied(scope: &Scope) -> Result<Finding, Failure> {
    let (promise, goal) = ("cargo deny check bans licenses sources", "no error");
    if !shell::answers(&shell::cargo(), &["deny", "--version"]) {
        return Ok(Finding::not_tried(promise, goal, "cargo-deny is not installed (`cargo install cargo-deny`)"));
    }
    let output = Command::new(shell::cargo()).args(["deny", "check", "bans", "licenses", "sources"]).current_dir(&scope.root).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(Finding::new(promise, goal, said.lines().last().unwrap_or_default().to_owned(), output.status.success()))
}

/// Builds the command twice, in two folders, and compares.
fn reproduced(scope: &Scope) -> Result<Finding, Failure> {
    let mut built: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for place in ["target/reproduced-1", "target/reproduced-2"] {
        let words = ["build", "--release", "--locked", "-p", "oddsmith-cli", "--bin", "oddsmith", "--target-dir", place];
        shell::run(&shell::cargo(), &words, &[("CARGO_INCREMENTAL", "0")])?;
        *built.entry(fs::read(scope.root.join(place).join("release/oddsmith"))?).or_default() += 1;
    }
    Ok(Finding::new("the command built twice, in two folders", "the same bytes", format!("{} different", built.len()), built.len() == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_others_are_listed_once() {
        let text = "oddsmith v0.1.0 (/somewhere/oddsmith)|MIT\nserde v1.0.1|MIT OR Apache-2.0\nserde v1.0.1|MIT OR Apache-2.0 (*)\nzip v9.2.2|MIT\n";
        let listed = read_list(text);
        let one = |name: &str, version: &str, licence: &str| Listed { name: name.into(), version: version.into(), licence: licence.into() };
        assert_eq!(listed, [one("serde", "1.0.1", "MIT OR Apache-2.0"), one("zip", "9.2.2", "MIT")]);
        assert!(sbom(&listed).contains("\"purl\": \"pkg:cargo/zip@9.2.2\""));
    }

    #[test]
    fn licences_are_read_as_they_are_joined() {
        for free in [
            "MIT",
            "GPL-3.0 OR MIT",
            "(Apache-2.0 OR MIT) AND BSD-3-Clause",
            "BSD-3-Clause/MIT",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(is_free(free), "{free}");
        }
        for not in ["", "GPL-3.0", "MIT AND GPL-3.0", "SSPL-1.0 OR AGPL-3.0"] {
            assert!(!is_free(not), "{not}");
        }
    }

    #[test]
    fn manifests_name_crates_of_others() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\n# why\nserde = \"1\"\noddsmith.workspace = true\n[target.'cfg(unix)'.dependencies]\nrustix = { version = \"1\" }\n[features]\nxlsx = []\n";
        assert_eq!(direct(manifest), ["serde", "rustix"]);
    }
}
