//! The levels of a category: the values it takes, in a fixed order.

use serde::{Deserialize, Serialize};

/// Distinct values of a category column; a row holds the position of its value, a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Levels {
    names: Vec<String>,
}

impl Levels {
    /// Levels sorted as people expect: by value when every name is a number, by text otherwise.
    /// Repeated names are kept once.
    pub fn sorted(mut names: Vec<String>) -> Self {
        let numeric = |name: &String| name.trim().parse::<f64>().ok().filter(|v| !v.is_nan());
        if !names.is_empty() && names.iter().all(|name| numeric(name).is_some()) {
            names.sort_by(|a, b| numeric(a).partial_cmp(&numeric(b)).unwrap_or(std::cmp::Ordering::Equal).then_with(|| a.cmp(b)));
        } else {
            names.sort();
        }
        names.dedup();
        Levels { names }
    }

    /// Levels in the given order (the order of a schema or of another system's codes).
    pub fn in_order(names: Vec<String>) -> Self {
        Levels { names }
    }

    /// The two levels of a boolean column.
    pub fn boolean() -> Self {
        Levels { names: vec!["false".into(), "true".into()] }
    }

    /// Number of levels.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True when no level was ever seen.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Level names in code order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The code of a level. Linear: encoders build their own hash index.
    pub fn code(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|known| known == name).map(|at| at as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_by_value_and_text_by_letter() {
        let names = |list: &[&str]| Levels::sorted(list.iter().map(|s| s.to_string()).collect()).names().join(" ");
        assert_eq!(names(&["10", "9", "1", "9"]), "1 9 10");
        assert_eq!(names(&["10", "9", "b"]), "10 9 b");
    }
}
