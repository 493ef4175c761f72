//! What is fitted to rows that are elsewhere, and from which of their columns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::{Formula, Kind, Weighting};
use crate::error::Result;
use crate::model::linear::{Logistic, OneVsRest};
use crate::model::{AnyLearner, Params};
use crate::record::fault;
use crate::registry;

/// A model of the rows of several places, none of which shows its rows to another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// The name of the model in the registry.
    pub entry: String,
    /// The options that were given, as texts.
    pub options: BTreeMap<String, Vec<String>>,
    /// What is predicted from what, for models that take a formula.
    pub formula: Option<Formula>,
    /// A regression as a whole, in place of options and formula: where it was not put together from texts.
    pub regression: Option<Logistic>,
    /// The target column, where no formula names it.
    pub target: Option<String>,
    /// The columns that are read; default: those of the formula, or all.
    pub features: Option<Vec<String>>,
    /// Columns that are not read.
    pub exclude: Vec<String>,
    /// The column of row weights and what they mean.
    pub weight: Option<(String, Weighting)>,
    /// The class that all others are compared with; default: the first.
    pub first_class: Option<String>,
    /// Kinds of columns that are not read as their values suggest.
    pub kinds: BTreeMap<String, Kind>,
}

impl Study {
    /// A model with its options, over all columns.
    pub fn of(params: &Params) -> Study {
        Study {
            entry: params.model().into(),
            options: params.given().map(|(name, values)| (name.to_owned(), values.to_vec())).collect(),
            formula: params.formula().cloned(),
            ..Study::default()
        }
    }

    /// A regression as a whole.
    pub fn of_regression(regression: Logistic) -> Study {
        Study { entry: "logistic".into(), regression: Some(regression), ..Study::default() }
    }

    /// The learner of the registry with the options of the study; an error when it does not have them. It looks at all rows of every pass:
    /// a sample would have to be agreed upon.
    pub fn learner(&self) -> Result<Box<dyn AnyLearner>> {
        let entry = registry::find(&self.entry)?;
        match &self.regression {
            Some(each) if entry.name == "one-vs-rest" => return Ok(Box::new(OneVsRest { each: each.clone() })),
            Some(learner) if entry.name == "logistic" => return Ok(Box::new(learner.clone())),
            Some(_) => return Err(fault(format!("`{}` is no regression", entry.name))),
            None => {}
        }
        let mut params = entry.defaults().with_formula(self.formula.clone());
        for (name, values) in &self.options {
            values.iter().try_for_each(|value| params.set(name, value))?;
        }
        (entry.build)(&params)
    }

    /// What is predicted from what, where a formula says so.
    pub fn formula(&self) -> Option<&Formula> {
        self.formula.as_ref().or_else(|| self.regression.as_ref()?.formula.as_ref())
    }
}

/// A study as the first version of rounds wrote it: always a regression.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FirstStudy {
    learner: Logistic,
    one_vs_rest: bool,
    target: Option<String>,
    features: Option<Vec<String>>,
    exclude: Vec<String>,
    weight: Option<(String, Weighting)>,
    first_class: Option<String>,
    kinds: BTreeMap<String, Kind>,
}

impl From<FirstStudy> for Study {
    fn from(first: FirstStudy) -> Study {
        let FirstStudy { learner, one_vs_rest, target, features, exclude, weight, first_class, kinds } = first;
        let entry = if one_vs_rest { "one-vs-rest" } else { "logistic" };
        let first = Study::of_regression(learner);
        Study { entry: entry.into(), target, features, exclude, weight, first_class, kinds, ..first }
    }
}
