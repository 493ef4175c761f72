//! From a model with its options to the columns that are read, their kinds and the target.

use oddsmith::Error;
use oddsmith::control::Control;
use oddsmith::data::{Formula, RelabelledSource, Response};
use oddsmith::model::{AnyLearner, Params, TableNeeds};
use oddsmith::registry::Entry;
use oddsmith_io::{Input, Opened, ReadOptions, Roles};

use crate::exit::Failure;

/// The option that chooses reference levels, and the class that others are compared with.
pub(super) const REFERENCE: &str = "ref";

/// A model as it was asked for.
pub(crate) struct ModelRequest {
    /// Which model.
    pub(crate) entry: &'static Entry,
    /// Its options and its formula.
    pub(crate) params: Params,
    /// The class that all others are compared with, where it is not the first one.
    pub(crate) first_class: Option<String>,
}

impl ModelRequest {
    /// A model with options; refuses a formula where it takes none.
    pub(crate) fn new(entry: &'static Entry, params: Params, formula: Option<Formula>) -> Result<Self, Failure> {
        if formula.is_some() && !entry.takes_formula {
            return Err(usage(&format!("a formula is for regressions; {} takes --target and --features", entry.name)));
        }
        Ok(ModelRequest { entry, params: params.with_formula(formula)?, first_class: None })
    }

    /// Who learns it.
    pub(crate) fn learner(&self) -> Result<Box<dyn AnyLearner>, Error> {
        (self.entry.build)(&self.params)
    }

    /// The columns that are read: those of the formula and those that have another part. The reference level of the target becomes the
    /// first class.
    pub(crate) fn chosen_columns(&mut self, roles: Roles) -> Result<Roles, Failure> {
        let needs = self.learner()?.needs_any()?;
        let roles = chosen(roles, &needs)?;
        if let Some(target) = target_name(&roles, &needs) {
            self.first_class = self.params.take_pair(REFERENCE, &target).or(self.first_class.take());
        }
        if roles.order.event.is_some() && needs.response.is_some() {
            return Err(usage("--event is for a target column; a response in columns says itself what its event is"));
        }
        if roles.order.event.is_some() && self.first_class.is_some() {
            return Err(usage("--event and --ref both say which class is compared with the other; give one of them"));
        }
        Ok(roles)
    }

    /// The name of the target, where it is known before a table is read.
    pub(crate) fn target_name(&self, roles: &Roles) -> Result<Option<String>, Failure> {
        Ok(target_name(roles, &self.learner()?.needs_any()?))
    }

    /// Opens the table that the model is fitted to.
    pub(crate) fn open(&mut self, input: &Input, options: ReadOptions, roles: Roles, control: &Control) -> Result<Opened, Failure> {
        let roles = self.chosen_columns(roles)?;
        self.open_chosen(input, options, &roles, control)
    }

    /// The same for columns that were chosen before.
    pub(crate) fn open_chosen(&self, input: &Input, options: ReadOptions, roles: &Roles, control: &Control) -> Result<Opened, Failure> {
        let needs = self.learner()?.needs_any()?;
        let mut opened = oddsmith_io::open_for(needs, options, roles, |options, roles| oddsmith_io::open(input, options, roles, control))?;
        if let Some(label) = &self.first_class {
            opened.source = Box::new(RelabelledSource::with_first_class(opened.source, label)?);
        }
        Ok(opened)
    }
}

fn target_name(roles: &Roles, needs: &TableNeeds) -> Option<String> {
    roles.target.clone().or_else(|| needs.response.as_ref().map(|(name, _)| name.clone()))
}

fn chosen(mut roles: Roles, needs: &TableNeeds) -> Result<Roles, Failure> {
    let in_options = needs.response.is_some() && needs.formula.as_ref().is_none_or(|formula| matches!(formula.response(), Response::None));
    if in_options && roles.target.is_some() {
        return Err(usage("--class-proportions and --target both say what to predict; give one of them"));
    }
    let Some(formula) = &needs.formula else {
        roles.features = roles.features.map(|features| with_new(features, &needs.reserved));
        return Ok(roles);
    };
    if roles.features.is_some() {
        return Err(usage("--features and the formula both choose columns; give one of them"));
    }
    match (formula.response(), &roles.target) {
        (Response::None, _) => {}
        (response, None) if needs.response.is_none() || !matches!(response, Response::Column(_)) => {
            if let Response::Column(column) = response {
                roles.target = Some(column.name.clone());
            }
        }
        (_, None) => {
            return Err(usage("--class-proportions and the formula both say what to predict; write `~ …` without a left side"));
        }
        (Response::Column(column), Some(target)) if column.name == *target => {}
        (response, Some(target)) => {
            return Err(usage(&format!("the formula predicts `{response}`, and --target says `{target}`; leave one out")));
        }
    }
    if formula.has_dot() {
        return Ok(roles);
    }
    if !roles.exclude.is_empty() {
        return Err(usage("--exclude leaves columns out of `.`, and the formula has none"));
    }
    roles.features = needs.features.clone();
    Ok(roles)
}

fn with_new(mut names: Vec<String>, more: &[String]) -> Vec<String> {
    names.extend(more.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
    names
}

fn usage(what: &str) -> Failure {
    Failure::Usage(what.into())
}
