//! The pages that people wrote, in the order of the list of pages.

use std::fs;
use std::path::{Path, PathBuf};

use super::page::Page;
use crate::failure::Failure;

/// Folders of pages: where they are, where they go, and what they stand under.
const FOLDERS: [(&str, &str, &str); 3] =
    [("docs/course", "course", "Course"), ("docs/models", "models", "Models"), ("docs", "guide", "Guide")];
/// Single pages.
const FIRST: (&str, &str, &str) = ("README.md", "index.html", "Start");
const OTHERS: [(&str, &str); 5] = [
    ("ARCHITECTURE.md", "project/architecture.html"),
    ("CONTRIBUTING.md", "project/contributing.html"),
    ("CHANGELOG.md", "project/changelog.html"),
    ("SECURITY.md", "project/security.html"),
    ("examples/README.md", "project/examples.html"),
];

/// All pages, as they are in the project.
pub(super) fn pages(root: &Path) -> Result<Vec<Page>, Failure> {
    let read = |source: &Path, output: &str, section: &'static str| -> Result<Page, Failure> {
        Ok(Page::new(source, output, section, fs::read_to_string(root.join(source))?))
    };
    let mut pages = vec![read(Path::new(FIRST.0), FIRST.1, FIRST.2)?];
    for (folder, place, section) in FOLDERS {
        for source in markdown_of(root, folder)? {
            let stem = source.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let name = if stem == "README" { "index" } else { stem };
            let section = if stem.starts_with("python") { "Python" } else { section };
            pages.push(read(&source, &format!("{place}/{name}.html"), section)?);
        }
    }
    // The pages of Python stand together behind the guide.
    pages.sort_by_key(|page| page.section == "Python");
    for (source, output) in OTHERS {
        pages.push(read(Path::new(source), output, "Project")?);
    }
    Ok(pages)
}

/// The Markdown files of a folder, those of folders within it left out: what a folder begins with comes first.
fn markdown_of(root: &Path, folder: &str) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "md") {
            files.push(Path::new(folder).join(path.file_name().unwrap_or_default()));
        }
    }
    files.sort_by_key(|path| (!path.ends_with("README.md"), path.clone()));
    Ok(files)
}
