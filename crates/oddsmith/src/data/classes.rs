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

    /// The index of a label.
    pub fn index(&self, label: &str) -> Result<usize> {
        self.labels
            .iter()
            .position(|known| known == label)
            .ok_or_else(|| ErrorKind::Unknown { noun: "class", name: label.into(), known: self.labels.clone() }.into())
    }
}
