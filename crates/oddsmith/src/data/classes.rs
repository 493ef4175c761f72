//! The classes of a problem: labels in a fixed order, and which one is the event.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result, visible};

/// Class labels in the order of every class-indexed array. For two classes the last one is the event
/// (the class whose log odds are reported), as R takes the second level of a factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Classes {
    labels: Vec<String>,
}

impl Classes {
    /// Classes in the given order; labels must differ.
    pub fn new(labels: Vec<String>) -> Result<Self> {
        let mut sorted: Vec<&String> = labels.iter().collect();
        sorted.sort();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Error::data(format!("the class `{}` is listed twice", visible(pair[0])))),
            None => Ok(Classes { labels }),
        }
    }

    /// Number of classes, K.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// True before any class is known.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Labels in class order.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The label of class `k`.
    pub fn label(&self, k: usize) -> &str {
        &self.labels[k]
    }

    /// Class `k` as a sentence or a legend names it: a label that says nothing without its column (a number, a truth value, yes or no) comes with it.
    pub fn named(&self, k: usize, target: &str) -> String {
        let label = self.label(k);
        visible(&if target.is_empty() || !is_bare(label) { label.to_owned() } else { format!("{target} = {label}") })
    }

    /// What rows of class `k` are said to be or to have: `are ill`, `have low = yes`.
    pub fn predicate(&self, k: usize, target: &str) -> String {
        let verb = if is_bare(self.label(k)) { "have" } else { "are" };
        format!("{verb} {}", self.named(k, target))
    }

    /// The index of a label.
    pub fn index(&self, label: &str) -> Result<usize> {
        self.labels
            .iter()
            .position(|known| known == label)
            .ok_or_else(|| ErrorKind::Unknown { noun: "class", name: label.into(), known: self.labels.clone() }.into())
    }
}

/// Whether a label is no word for what it stands for.
fn is_bare(label: &str) -> bool {
    const WORDS: [&str; 8] = ["yes", "no", "true", "false", "y", "n", "t", "f"];
    label.parse::<f64>().is_ok() || WORDS.iter().any(|word| label.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_say_nothing_come_with_their_column() {
        let classes = Classes::new(["No", "1", "ill"].map(String::from).to_vec()).unwrap();
        let named: Vec<String> = (0..3).map(|k| classes.named(k, "low")).collect();
        assert_eq!(named, ["low = No", "low = 1", "ill"]);
        assert_eq!([classes.predicate(1, "low"), classes.predicate(2, "low")], ["have low = 1", "are ill"]);
        assert_eq!(classes.named(1, ""), "1");
    }
}
