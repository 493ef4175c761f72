//! `cargo xtask new-model NAME`: one file with a model that works, and one line that makes it known.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::{format, shell};

/// A model of two passes, with what its name stands for in capitals.
const TEMPLATE: &str = include_str!("../templates/model.rs");
/// What the list of families begins with, and where it is.
const FAMILIES: (&str, &str) = ("families! {\n", "crates/oddsmith/src/model/mod.rs");

/// Writes the model of a name into the project and says what to do next.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let [name] = arguments else { return Err(Failure::usage("usage: cargo xtask new-model NAME, such as my-model")) };
    let path = write(&shell::root(), name)?;
    println!("{} holds a model of two passes; {} knows it.", path.display(), FAMILIES.1);
    println!("It has flags, help, a Python class, files, laws and rounds now. Change it into yours, then run `cargo xtask test`.");
    Ok(())
}

/// Writes the model of a name into the project at `root`. Gives the path of its file from there.
pub(crate) fn write(root: &Path, name: &str) -> Result<PathBuf, Failure> {
    let words: Vec<&str> = name.split('-').collect();
    let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase()) && word.bytes().all(|b| b.is_ascii_alphanumeric());
    if !words.iter().all(is_word) || name.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(Failure::usage(format!(
            "`{name}` is no name of a model; words of small letters and digits with dashes between, please"
        )));
    }
    let path = PathBuf::from(format!("crates/oddsmith/src/model/{}.rs", words.join("_")));
    let list = root.join(FAMILIES.1);
    let known = fs::read_to_string(&list)?;
    let listed = listed(&known, &words.join("_"))?;
    if root.join(&path).exists() || root.join(&path).with_extension("").exists() {
        return Err(Failure::usage(format!("{} is there already", path.display())));
    }
    fs::write(root.join(&path), filled(&words))?;
    fs::write(&list, listed)?;
    format::write(&root.join(&path))?;
    Ok(path)
}

/// The template with the name of the model in all its forms.
fn filled(words: &[&str]) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let title = capital(&words.join(" "));
    let camel: String = words.iter().map(|word| capital(word)).collect();
    TEMPLATE.replace("KEBAB", &words.join("-")).replace("TITLE", &title).replace("CAMEL", &camel)
}

/// The file of families with one more at the end of the list.
fn listed(text: &str, module: &str) -> Result<String, Failure> {
    let start = text.find(FAMILIES.0).map(|at| at + FAMILIES.0.len());
    let end = start.and_then(|start| text[start..].find('}').map(|length| start + length));
    match end {
        Some(end) => Ok(format!("{}    {module},\n{}", &text[..end], &text[end..])),
        None => Err(Failure::new(format!("{} has no list of families", FAMILIES.1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_takes_all_its_forms_and_one_line() {
        let text = filled(&["toy", "2d", "model"]);
        assert!(text.starts_with("//! Toy 2d model. Written by"), "{}", &text[..40]);
        assert!(text.contains("const NAME: &str = \"toy-2d-model\"") && text.contains("impl Classifier for Toy2dModelModel"));
        assert!(!["KEBAB", "CAMEL", "TITLE"].iter().any(|left| text.contains(left)));
        let list = listed("a\nfamilies! {\n    bayes,\n}\nb {}\n", "toy").ok();
        assert_eq!(list.as_deref(), Some("a\nfamilies! {\n    bayes,\n    toy,\n}\nb {}\n"));
        assert!(listed("nothing", "toy").is_err());
    }

    #[test]
    fn names_that_are_none_are_refused() {
        for name in ["", "Toy", "toy_model", "2d", "toy-", "../x", "toy model"] {
            assert!(write(Path::new("nowhere"), name).is_err(), "{name}");
        }
    }
}
