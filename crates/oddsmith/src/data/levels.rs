//! The levels of a category: the values it takes, in a fixed order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Distinct values of a category column; a row holds the position of its value, a code. Copies share the names: there may be as many as rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct Levels {
    names: Arc<Vec<String>>,
}

impl From<Vec<String>> for Levels {
    fn from(names: Vec<String>) -> Self {
        Levels { names: Arc::new(names) }
    }
}

impl From<Levels> for Vec<String> {
    fn from(levels: Levels) -> Self {
        Arc::unwrap_or_clone(levels.names)
    }
}

impl Levels {
    /// Levels sorted as people expect: by value when every name is a number, by text otherwise.
    /// Repeated names are kept once.
    pub fn sorted(mut names: Vec<String>) -> Self {
        let values: Option<Vec<f64>> = names.iter().map(|name| value(name)).collect();
        match values {
            Some(values) => {
                let mut valued: Vec<(f64, String)> = values.into_iter().zip(names).collect();
                valued.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then_with(|| a.1.cmp(&b.1)));
                names = valued.into_iter().map(|(_, name)| name).collect();
            }
            None => names.sort(),
        }
        names.dedup();
        names.into()
    }

    /// Levels in the given order (the order of a schema or of another system's codes).
    pub fn in_order(names: Vec<String>) -> Self {
        names.into()
    }

    /// All levels of several lists, each of whose orders is kept; what no list decides is sorted. `None` when the orders contradict
    /// each other.
    ///
    /// Sorts topologically: of the levels that no remaining level must precede, the first in sorted order comes next.
    pub fn joined(lists: &[&[String]]) -> Option<Self> {
        // One list, or the same list again and again, is its own order.
        if let [first, others @ ..] = lists
            && others.iter().all(|other| other == first)
            && first.iter().collect::<HashSet<_>>().len() == first.len()
        {
            return Some(first.to_vec().into());
        }
        let all = Levels::sorted(lists.iter().flat_map(|list| list.iter().cloned()).collect());
        let place: BTreeMap<&String, usize> = all.names.iter().enumerate().map(|(at, name)| (name, at)).collect();
        let mut followers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); all.len()];
        let mut waiting = vec![0usize; all.len()];
        for pair in lists.iter().flat_map(|list| list.windows(2)) {
            let (before, after) = (place[&pair[0]], place[&pair[1]]);
            if followers[before].insert(after) {
                waiting[after] += 1;
            }
        }
        let mut free: BTreeSet<usize> = (0..all.len()).filter(|level| waiting[*level] == 0).collect();
        let mut names = Vec::with_capacity(all.len());
        while let Some(next) = free.pop_first() {
            names.push(all.names[next].clone());
            for &follower in &followers[next] {
                waiting[follower] -= 1;
                if waiting[follower] == 0 {
                    free.insert(follower);
                }
            }
        }
        (names.len() == all.len()).then(|| names.into())
    }

    /// The two levels of a boolean column.
    pub fn boolean() -> Self {
        vec!["false".into(), "true".into()].into()
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

    /// The code of a level. Fast where the names are sorted in either way, linear elsewhere: encoders build their own hash index.
    pub fn code(&self, name: &str) -> Option<u32> {
        let by_text = || self.names.binary_search_by(|known| known.as_str().cmp(name)).ok();
        let by_value = || {
            let own = value(name)?;
            let order = |known: &String| value(known).and_then(|known| known.partial_cmp(&own)).unwrap_or(Ordering::Less);
            self.names.binary_search_by(|known| order(known).then_with(|| known.as_str().cmp(name))).ok()
        };
        let among_all = || self.names.iter().position(|known| known == name);
        by_text().or_else(by_value).or_else(among_all).map(|at| at as u32)
    }
}

/// The number that a name is.
fn value(name: &str) -> Option<f64> {
    name.trim().parse::<f64>().ok().filter(|value| !value.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_place_whatever_the_order() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let numbers = Levels::sorted(names(&["10", "9", "1.0", "1", "-3", "1e3", "inf"]));
        let texts = Levels::sorted(names(&["b", "a", "10", "", "ü", "9"]));
        let declared = Levels::in_order(names(&["low", "10", "high", "9", "", "NaN", "nan"]));
        for levels in [numbers, texts, declared] {
            for (at, name) in levels.names().iter().enumerate() {
                assert_eq!(levels.code(name), Some(at as u32), "{name} of {levels:?}");
            }
            assert!(["none", "2", "1.00", "NAN"].iter().all(|name| levels.code(name).is_none()));
        }
    }

    #[test]
    fn numbers_sort_by_value_and_text_by_letter() {
        let names = |list: &[&str]| Levels::sorted(list.iter().map(|s| s.to_string()).collect()).names().join(" ");
        assert_eq!(names(&["10", "9", "1", "9"]), "1 9 10");
        assert_eq!(names(&["10", "9", "b"]), "10 9 b");
    }

    #[test]
    fn joined_lists_keep_every_order_that_they_have() {
        let list = |names: &str| names.split(' ').map(String::from).collect::<Vec<_>>();
        let joined = |lists: &[&str]| {
            let lists: Vec<Vec<String>> = lists.iter().map(|names| list(names)).collect();
            Levels::joined(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>()).map(|levels| levels.names().join(" "))
        };
        assert_eq!(joined(&["never seldom often", "never often always"]).as_deref(), Some("never seldom often always"));
        assert_eq!(joined(&["c a", "b"]).as_deref(), Some("b c a"));
        assert_eq!(joined(&["1 10", "2 9"]).as_deref(), Some("1 2 9 10"));
        assert_eq!(joined(&["low high", "high low"]), None);
        assert_eq!(joined(&["z y x"]).as_deref(), Some("z y x"));
        assert_eq!(joined(&["z y z"]), None);
    }
}
