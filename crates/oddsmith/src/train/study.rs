//! What is concluded from rows that are elsewhere, and from which of their columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::{Classes, Formula, Kind, Layout, Order, Role, Weighting};
use crate::error::{Error, Result};
use crate::model::linear::{Logistic, OneVsRest};
use crate::model::{AnyLearner, AnyProcedure, Params};
use crate::registry;

/// A model or an analysis of the rows of several places, none of which shows its rows to another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "StoredStudy")]
pub struct Study {
    /// The name of the model or analysis in the registry.
    pub entry: String,
    /// The options that were given, as texts.
    pub options: BTreeMap<String, Vec<String>>,
    /// What is predicted from what, for models that take a formula.
    pub formula: Option<Formula>,
    /// The target column, where no formula names it.
    pub target: Option<String>,
    /// The columns that are read; default: those of the formula, or all.
    pub features: Option<Vec<String>>,
    /// Columns that are not read.
    pub exclude: Vec<String>,
    /// The column of row weights and what they mean.
    pub weight: Option<(String, Weighting)>,
    /// Columns by which rows belong together, and why they do. Studies of earlier versions have them among the features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<(String, Role)>,
    /// The class that all others are compared with; default: the first.
    pub first_class: Option<String>,
    /// Kinds of columns that are not read as their values suggest.
    pub kinds: BTreeMap<String, Kind>,
    /// In which order levels and classes stand.
    #[serde(default, skip_serializing_if = "Order::is_empty")]
    pub order: Order,
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

    /// What the study carries out, with its options; an error when it does not have them. It looks at all rows of every pass: a sample
    /// would have to be agreed upon.
    pub fn procedure(&self) -> Result<Box<dyn AnyProcedure>> {
        match registry::analysis(&self.entry) {
            Some(analysis) => (analysis.build)(&self.given(analysis.defaults())?),
            None => Ok(self.learner()?),
        }
    }

    /// The learner of the registry with the options of the study; an error when there is no such model.
    pub fn learner(&self) -> Result<Box<dyn AnyLearner>> {
        let entry = registry::find(&self.entry)?;
        (entry.build)(&self.given(entry.defaults())?)
    }

    fn given(&self, defaults: Params) -> Result<Params> {
        let mut params = defaults.with_formula(self.formula.clone())?;
        for (name, values) in &self.options {
            values.iter().try_for_each(|value| params.set(name, value))?;
        }
        Ok(params)
    }

    /// The columns that the places agreed upon, with the keys beside the features. Places agree upon keys like upon other columns: their
    /// levels are united, so that rows of several places may belong together.
    pub(super) fn keyed(&self, agreed: &Arc<Layout>) -> Result<Arc<Layout>> {
        if self.keys.is_empty() { Ok(Arc::clone(agreed)) } else { agreed.keyed(&self.keys).map(Arc::new) }
    }

    /// The columns that the places agreed upon with levels and classes in the order of the study.
    pub fn settled(&self, mut layout: Layout) -> Result<Layout> {
        if let Some(first) = &self.first_class {
            let at = layout.classes().index(first)?;
            let mut labels = layout.classes().labels().to_vec();
            labels[..=at].rotate_right(1);
            layout = Layout::new(layout.target(), layout.features().to_vec(), Classes::new(labels)?, layout.weighting())?;
        }
        if self.order.is_empty() { Ok(layout) } else { self.order.applied(&layout) }
    }

    /// The order in which every place reads its levels. Which class is the event is agreed upon later: a place may not have it.
    pub fn order_of_levels(&self) -> Order {
        Order { event: None, ..self.order.clone() }
    }
}

/// A study as files hold it. Some hold a regression as a whole in place of its options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredStudy {
    entry: String,
    options: BTreeMap<String, Vec<String>>,
    formula: Option<Formula>,
    #[serde(default)]
    regression: Option<Logistic>,
    target: Option<String>,
    features: Option<Vec<String>>,
    exclude: Vec<String>,
    weight: Option<(String, Weighting)>,
    #[serde(default)]
    keys: Vec<(String, Role)>,
    first_class: Option<String>,
    kinds: BTreeMap<String, Kind>,
    #[serde(default)]
    order: Order,
}

impl TryFrom<StoredStudy> for Study {
    type Error = Error;

    fn try_from(stored: StoredStudy) -> Result<Study> {
        let StoredStudy { entry, options, formula, regression, target, features, exclude, weight, keys, first_class, kinds, order } =
            stored;
        let model = match regression {
            None => Study { entry, options, formula, ..Study::default() },
            Some(each) if OneVsRest { each: each.clone() }.params()?.model() == entry => Study::of(&OneVsRest { each }.params()?),
            Some(regression) => Study::of(&regression.params()?),
        };
        Ok(Study { target, features, exclude, weight, keys, first_class, kinds, order, ..model })
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

impl TryFrom<FirstStudy> for Study {
    type Error = Error;

    fn try_from(first: FirstStudy) -> Result<Study> {
        let FirstStudy { learner, one_vs_rest, target, features, exclude, weight, first_class, kinds } = first;
        let params = if one_vs_rest { OneVsRest { each: learner }.params() } else { learner.params() };
        Ok(Study { target, features, exclude, weight, first_class, kinds, ..Study::of(&params?) })
    }
}
