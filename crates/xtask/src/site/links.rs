//! Where links of a page lead once the page is part of the site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Where files that are no pages are copied to.
pub(super) const FILES: &str = "files";

/// All pages, and what was found out about the links between them.
pub(super) struct Links<'a> {
    root: &'a Path,
    /// By the file of the project: the page of the site, and its headings.
    pages: BTreeMap<PathBuf, (String, Vec<String>)>,
    files: BTreeSet<PathBuf>,
    faults: Vec<String>,
}

impl<'a> Links<'a> {
    pub(super) fn new(root: &'a Path, pages: BTreeMap<PathBuf, (String, Vec<String>)>) -> Self {
        Links { root, pages, files: BTreeSet::new(), faults: Vec::new() }
    }

    /// The files that pages link to, and the links that lead nowhere.
    pub(super) fn finish(self) -> (BTreeSet<PathBuf>, Vec<String>) {
        (self.files, self.faults)
    }

    /// A link of the page made of `source`, as the page `output` of the site has it.
    pub(super) fn resolve(&mut self, source: &Path, output: &str, link: &str) -> String {
        if link.contains("://") || link.starts_with("mailto:") {
            return link.to_owned();
        }
        let (path, heading) = link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
        let folder = source.parent().unwrap_or(Path::new(""));
        let target = if path.is_empty() { source.to_path_buf() } else { plain(&folder.join(path)) };
        let fragment = heading.map_or_else(String::new, |heading| format!("#{heading}"));
        let readme = target.join("README.md");
        let page = [&target, &readme].into_iter().find_map(|target| self.pages.get(target));
        if let Some((page, headings)) = page {
            if heading.is_some_and(|heading| !headings.iter().any(|known| known == heading)) {
                self.faults.push(format!("{}: {link}: no such heading", source.display()));
            }
            return format!("{}{fragment}", between(output, page));
        }
        if self.root.join(&target).is_file() {
            let copied = format!("{FILES}/{}", target.display());
            self.files.insert(target);
            return format!("{}{fragment}", between(output, &copied));
        }
        self.faults.push(format!("{}: {link}", source.display()));
        link.to_owned()
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The way from one page of the site to another.
pub(super) fn between(from: &str, to: &str) -> String {
    let mut from: Vec<&str> = from.split('/').collect();
    let mut to: Vec<&str> = to.split('/').collect();
    from.pop();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count().min(to.len() - 1);
    let up = std::iter::repeat_n("..", from.len() - shared);
    to.drain(..shared);
    up.chain(to).collect::<Vec<_>>().join("/")
}

/// What a heading is called in links, as code hosts do it.
pub(super) fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_files_or_nowhere() {
        let root = crate::shell::root();
        let page = |output: &str| (output.to_owned(), vec!["here".to_owned()]);
        let pages = BTreeMap::from([("README.md".into(), page("index.html")), ("docs/a.md".into(), page("a.html"))]);
        let mut links = Links::new(&root, pages);
        let mut follow = |link: &str| links.resolve(Path::new("docs/a.md"), "guide/a.html", link);
        assert_eq!(follow("https://example.org"), "https://example.org");
        assert_eq!(follow("../README.md#here"), "../index.html#here");
        assert_eq!(follow("#here"), "../a.html#here");
        assert_eq!(follow("../Cargo.toml"), "../files/Cargo.toml");
        follow("../README.md#nowhere");
        follow("b.md");
        let (files, faults) = links.finish();
        assert_eq!(files.into_iter().collect::<Vec<_>>(), [Path::new("Cargo.toml")]);
        assert_eq!(faults, ["docs/a.md: ../README.md#nowhere: no such heading", "docs/a.md: b.md"]);
    }

    #[test]
    fn ways_between_pages_are_relative() {
        assert_eq!(between("index.html", "models/lda.html"), "models/lda.html");
        assert_eq!(between("models/lda.html", "models/qda.html"), "qda.html");
        assert_eq!(between("models/lda.html", "course/index.html"), "../course/index.html");
    }

    #[test]
    fn headings_are_called_as_code_hosts_call_them() {
        assert_eq!(slug("Hard and soft: sign and sigmoid"), "hard-and-soft-sign-and-sigmoid");
        assert_eq!(slug("`fit --trace`"), "fit---trace");
    }
}
