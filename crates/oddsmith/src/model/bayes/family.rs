//! Which distribution a column gets: by the member of the family, by its kind, by the user's word.

use serde::{Deserialize, Serialize};

use crate::data::{Feature, Kind, Layout};
use crate::error::{Advice, ErrorKind, Result};
use crate::model::Distribution;

/// A member of the naive Bayes family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Every column by its kind: Gaussian numbers, categorical levels, multinomial words.
    Mixed,
    /// Gaussian numbers.
    Gaussian,
    /// Coins: numbers read as flags, booleans, presence of words.
    Bernoulli,
    /// Counts: numbers read as counts, words.
    Multinomial,
    /// Counts, learned from the other classes.
    Complement,
    /// Levels.
    Categorical,
}

impl Family {
    /// The registry name, which is also the file tag.
    pub fn tag(self) -> &'static str {
        match self {
            Family::Mixed => "nb",
            Family::Gaussian => "gaussian-nb",
            Family::Bernoulli => "bernoulli-nb",
            Family::Multinomial => "multinomial-nb",
            Family::Complement => "complement-nb",
            Family::Categorical => "categorical-nb",
        }
    }

    /// The model in words.
    pub fn title(self) -> &'static str {
        match self {
            Family::Mixed => "Mixed naive Bayes",
            Family::Gaussian => "Gaussian naive Bayes",
            Family::Bernoulli => "Bernoulli naive Bayes",
            Family::Multinomial => "Multinomial naive Bayes",
            Family::Complement => "Complement naive Bayes",
            Family::Categorical => "Categorical naive Bayes",
        }
    }

    /// The distribution of every feature of a layout; `given` are the user's own choices.
    pub fn distributions(self, layout: &Layout, given: &[(String, Distribution)]) -> Result<Vec<Distribution>> {
        let mut chosen = layout.features().iter().map(|f| self.default_for(f.kind())).collect::<Vec<_>>();
        for (name, distribution) in given {
            chosen[layout.index(name)?] = Some(*distribution);
        }
        layout.features().iter().zip(chosen).map(|(feature, choice)| self.checked(feature, choice)).collect()
    }

    fn default_for(self, kind: Kind) -> Option<Distribution> {
        use Distribution::{Bernoulli, Categorical, Complement, Gaussian, Multinomial};
        match (self, kind) {
            (Family::Mixed | Family::Gaussian, Kind::Number) => Some(Gaussian),
            (Family::Mixed | Family::Categorical, Kind::Category | Kind::Boolean) => Some(Categorical),
            (Family::Mixed | Family::Multinomial, Kind::Text) => Some(Multinomial),
            (Family::Multinomial, Kind::Number) => Some(Multinomial),
            (Family::Complement, Kind::Number | Kind::Text) => Some(Complement),
            (Family::Bernoulli, Kind::Number | Kind::Boolean | Kind::Text) => Some(Bernoulli),
            _ => None,
        }
    }

    fn checked(self, feature: &Feature, choice: Option<Distribution>) -> Result<Distribution> {
        use Distribution::{Bernoulli, Categorical, Complement, Gaussian, Multinomial};
        let kind = feature.kind();
        let refuse = |what: String, advice: Advice| Err(ErrorKind::Unsupported { model: self.title().to_lowercase(), what, advice }.into());
        match (choice, kind) {
            (Some(Gaussian | Bernoulli | Multinomial | Complement), Kind::Number)
            | (Some(Categorical), Kind::Category | Kind::Boolean)
            | (Some(Bernoulli | Multinomial | Complement), Kind::Text) => Ok(choice.unwrap_or(Gaussian)),
            // A coin is a category with two levels: one table serves both.
            (Some(Bernoulli), Kind::Boolean) => Ok(Categorical),
            (Some(distribution), _) => refuse(
                format!("give column `{}`, a {}, a {distribution} distribution", feature.name, kind.name()),
                "numbers take gaussian, bernoulli, multinomial or complement; categories and booleans categorical; text multinomial, complement or bernoulli"
                    .into(),
            ),
            (None, _) => refuse(
                format!("use column `{}`, a {}", feature.name, kind.name()),
                Advice::any_of([
                    Advice::LeaveOut(vec![feature.name.clone()]),
                    Advice::ChangeKind,
                    Advice::UseModel { name: "nb", why: "which takes every kind" },
                ]),
            ),
        }
    }
}
