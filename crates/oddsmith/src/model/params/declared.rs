//! One option of a model.

use super::ParamKind;

/// An option of a model, as it is declared. Models that share an option share its declaration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Param {
    /// Its name, in kebab case: a flag of the command, with underscores an argument in Python.
    pub name: &'static str,
    /// Other names that it answers to.
    pub aliases: &'static [&'static str],
    /// What it takes.
    pub kind: ParamKind,
    /// What stands for its value in help, such as `λ`.
    pub value: &'static str,
    /// What it is when nobody gives it, in words; empty where there is nothing to say.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
}

impl Param {
    /// An option with a value.
    pub const fn new(name: &'static str, kind: ParamKind, value: &'static str, default: &'static str, doc: &'static str) -> Param {
        Param { name, aliases: &[], kind, value, default, doc }
    }

    /// An option that is on or off, and off by default.
    pub const fn flag(name: &'static str, doc: &'static str) -> Param {
        Param { name, aliases: &[], kind: ParamKind::Flag, value: "", default: "", doc }
    }

    /// The same option with further names.
    pub const fn or(self, aliases: &'static [&'static str]) -> Param {
        Param { aliases, ..self }
    }

    /// Whether it answers to a name, with dashes or underscores.
    pub fn is_called(&self, name: &str) -> bool {
        let same =
            |known: &str| known.len() == name.len() && known.bytes().zip(name.bytes()).all(|(a, b)| a == b || (a == b'-' && b == b'_'));
        same(self.name) || self.aliases.iter().any(|alias| same(alias))
    }

    /// Its name in Python.
    pub fn python_name(&self) -> String {
        self.name.replace('-', "_")
    }
}
