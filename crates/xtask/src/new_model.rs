//! `cargo xtask new-model NAME`: a working model of two passes in one file, and its line in the registry.

use std::path::Path;

use crate::failure::Failure;

const TEMPLATE: &str = include_str!("../templates/new_model.rs");
const REGISTRY: &str = "crates/oddsmith/src/registry.rs";
/// The line below which models of one file stand in the registry.
const MARK: &str = "    // Models of one file each: module = path.\n";

/// Writes the file and adds the line.
pub(crate) fn run(root: &Path, name: &str) -> Result<(), Failure> {
    let valid = name.split('-').all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
    if !valid || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Err(Failure::usage(format!("`{name}` is no name of a model; use lower case and dashes, such as laplace-nb")));
    }
    let module = name.replace('-', "_");
    let file = format!("model/{module}.rs");
    let path = root.join("crates/oddsmith/src").join(&file);
    if path.exists() {
        return Err(Failure::usage(format!("{} is there already", path.display())));
    }
    let registry = root.join(REGISTRY);
    let text = read(&registry)?;
    if !text.contains(MARK) {
        return Err(Failure::usage(format!("{REGISTRY} has no line `{}`", MARK.trim())));
    }
    write(&path, &filled(name))?;
    write(&registry, &text.replace(MARK, &format!("{MARK}    {module} = \"{file}\",\n")))?;
    println!("wrote {} and its line in {REGISTRY}", path.display());
    Ok(())
}

/// The template with its names filled in.
fn filled(name: &str) -> String {
    let words: Vec<String> = name.split('-').map(capitalised).collect();
    let title = name.replace('-', " ");
    let pairs = [("__kebab__", name.to_owned()), ("__Type__", words.concat()), ("__Title__", capitalised(&title)), ("__title__", title)];
    pairs.iter().fold(TEMPLATE.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_filled() {
        let text = filled("laplace-nb");
        assert!(!text.contains("__"), "{:?}", text.lines().find(|line| line.contains("__")));
        assert!(text.contains("pub struct LaplaceNb {") && text.contains("const NAME: &str = \"laplace-nb\";"));
        assert!(text.starts_with("//! Laplace nb: "));
    }

    #[test]
    fn names_are_checked_before_anything_is_written() {
        for name in ["Laplace", "a b", "", "-a", "1st"] {
            assert!(run(Path::new("."), name).is_err(), "{name}");
        }
    }
}
