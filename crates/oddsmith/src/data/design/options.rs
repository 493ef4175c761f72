//! What a design leaves to the user: missing values, contrasts and reference levels.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::data::formula::Contrast;
use crate::error::{Error, ErrorKind};

/// What happens to a row in which a predictor is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MissingPolicy {
    /// The row is left out.
    #[default]
    Drop,
    /// A category gets the level `(missing)`; a number gets its mean and a 0/1 column `missing(x)`. Only where the data that
    /// were surveyed had gaps: elsewhere a gap leaves the row out.
    Indicator,
    /// A number gets its mean. A row without its category or text is left out.
    Mean,
    /// A missing value is an error.
    Error,
}

impl MissingPolicy {
    /// All of them.
    pub const ALL: [MissingPolicy; 4] = [MissingPolicy::Drop, MissingPolicy::Indicator, MissingPolicy::Mean, MissingPolicy::Error];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            MissingPolicy::Drop => "drop",
            MissingPolicy::Indicator => "indicator",
            MissingPolicy::Mean => "mean",
            MissingPolicy::Error => "error",
        }
    }
}

impl fmt::Display for MissingPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for MissingPolicy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = MissingPolicy::ALL.map(|policy| policy.name().to_owned()).to_vec();
        let found = MissingPolicy::ALL.into_iter().find(|policy| policy.name() == name);
        found.ok_or_else(|| ErrorKind::Unknown { noun: "policy for missing values", name: name.into(), known }.into())
    }
}

/// What a design leaves to the user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignOptions {
    /// What happens to missing values. Default: the row is left out.
    pub missing: MissingPolicy,
    /// The contrast of categories for which `C()` chooses none. Default: treatment.
    pub contrast: Contrast,
    /// Reference levels by column, for categories for which `C()` chooses none. Default: the first level.
    pub references: Vec<(String, String)>,
}
