//! `cargo xtask docs`: the guide as a site of plain files in `target/site`, without a dead link.
//!
//! Pages are the Markdown of the project. What the program knows of itself is not written twice: options of models, the help of every command
//! and the Python reference are asked for when the site is made. A link between pages becomes a link between their HTML, a link to another file
//! of the project to a copy of it; one that leads nowhere, or to a heading that is not there, ends the task.

mod formula;
mod guide;
mod links;
mod page;
mod reference;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::{package, python, shell};
use links::Links;
use page::Page;

/// Where the site is written.
const PLACE: &str = "target/site";
/// Where the documentation of the crates is copied to within the site.
const RUST: &str = "rust";
/// The crates whose documentation readers want.
const CRATES: [&str; 3] = ["oddsmith", "oddsmith_io", "oddsmith_report"];
const STYLE: &str = include_str!("style.css");

/// Builds the site.
pub(crate) fn run() -> Result<(), Failure> {
    let cargo = shell::cargo();
    shell::run(&cargo, &["build", "--release", "--workspace", "--all-targets"], &[])?;
    shell::run(&cargo, &["doc", "--release", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    let interpreter = python::environment(&python::system(), "venv", "python/requirements-test.txt")?;
    package::install(&interpreter, Path::new("target/release"), package::STABLE)?;
    let root = shell::root();
    let mut pages = guide::pages(&root)?;
    let command = root.join("target/release/oddsmith");
    reference::add_options(&mut pages, &command)?;
    pages.push(reference::commands(&command)?);
    pages.push(reference::python(&interpreter)?);
    let place = root.join(PLACE);
    let written = write(&root, &place, &pages)?;
    for name in CRATES {
        copy_tree(&root.join("target/doc").join(name), &place.join(RUST).join(name))?;
    }
    for shared in ["static.files", "trait.impl", "type.impl", "src"] {
        let from = root.join("target/doc").join(shared);
        if from.exists() {
            copy_tree(&from, &place.join(RUST).join(shared))?;
        }
    }
    println!("{written} pages in {PLACE}/index.html");
    Ok(())
}

/// Writes all pages and the files that they link to; how many pages there are.
fn write(root: &Path, place: &Path, pages: &[Page]) -> Result<usize, Failure> {
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    let outputs: BTreeMap<PathBuf, (String, Vec<String>)> =
        pages.iter().map(|page| (page.source.clone(), (page.output.clone(), page.headings()))).collect();
    let mut links = Links::new(root, outputs);
    for page in pages {
        let body = page.body(&mut links);
        let target = place.join(&page.output);
        fs::create_dir_all(target.parent().unwrap_or(place))?;
        fs::write(target, page.html(&body, pages))?;
    }
    fs::write(place.join("style.css"), STYLE)?;
    let (files, faults) = links.finish();
    if !faults.is_empty() {
        return Err(Failure::new(format!("links that lead nowhere:\n  {}", faults.join("\n  "))));
    }
    for file in files {
        let target = place.join(links::FILES).join(&file);
        fs::create_dir_all(target.parent().unwrap_or(place))?;
        fs::copy(root.join(&file), target)?;
    }
    Ok(pages.len())
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_tree(&path, &target)?;
        } else {
            fs::copy(&path, target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every link of the project's Markdown leads somewhere; what is generated is left out.
    #[test]
    fn no_page_has_a_dead_link() {
        let root = shell::root();
        let mut pages = guide::pages(&root).unwrap();
        pages.extend(reference::placeholders());
        let place = std::env::temp_dir().join(format!("oddsmith-site-{}", std::process::id()));
        let written = write(&root, &place, &pages);
        fs::remove_dir_all(&place).unwrap();
        assert!(written.unwrap() > 40);
    }
}
