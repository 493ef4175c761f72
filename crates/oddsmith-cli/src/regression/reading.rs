//! From a formula to the columns that are read, their kinds and the target.

use oddsmith::Error;
use oddsmith::control::Control;
use oddsmith::data::{Formula, RelabelledSource, Response};
use oddsmith::error::ErrorKind;
use oddsmith_io::{Input, Opened, ReadOptions, Roles};

use crate::exit::Failure;
use crate::options::Regression;

/// Opens the table that a regression is fitted to. The reference levels move from the request to the learner, except that
/// of the target, which becomes the first class.
pub(crate) fn open(
    input: &Input,
    options: ReadOptions,
    roles: Roles,
    regression: &mut Regression,
    control: &Control,
) -> Result<Opened, Failure> {
    let roles = chosen_columns(roles, regression)?;
    open_chosen(input, options, &roles, regression, control)
}

/// The same for columns that were chosen before.
pub(crate) fn open_chosen(
    input: &Input,
    mut options: ReadOptions,
    roles: &Roles,
    regression: &mut Regression,
    control: &Control,
) -> Result<Opened, Failure> {
    regression.learner.add_kinds(&mut options.kinds);
    let formula = regression.learner.formula.as_ref();
    let mut opened = oddsmith_io::open(input, &options, roles, control).map_err(|error| at_its_place(error, formula))?;
    if let Some((target, classes)) = regression.learner.response_in_columns()? {
        opened.source = Box::new(RelabelledSource::with_response_in_columns(opened.source, &target, classes)?);
    }
    let target = opened.layout().target().to_owned();
    let references = std::mem::take(&mut regression.references);
    for (column, level) in references {
        match column == target {
            true => opened.source = Box::new(RelabelledSource::with_first_class(opened.source, &level)?),
            false => regression.learner.options.references.push((column, level)),
        }
    }
    Ok(opened)
}

/// The columns that are read: those of the formula and those that have another part.
pub(crate) fn chosen_columns(mut roles: Roles, regression: &Regression) -> Result<Roles, Failure> {
    let learner = &regression.learner;
    if learner.shares.is_some() && roles.target.is_some() {
        return Err(usage("--shares and --target both say what to predict; give one of them"));
    }
    let Some(formula) = &learner.formula else {
        roles.features = roles.features.map(|features| learner.with_reserved(features));
        return Ok(roles);
    };
    if roles.features.is_some() {
        return Err(usage("--features and the formula both choose columns; give one of them"));
    }
    match (formula.response(), &roles.target) {
        (Response::None, _) => {}
        (response, None) if learner.shares.is_none() => {
            if let Response::Column(column) = response {
                roles.target = Some(column.name.clone());
            }
        }
        (_, None) => return Err(usage("--shares and the formula both say what to predict; write `~ …` without a left side")),
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
    roles.features = learner.columns_read();
    Ok(roles)
}

/// The name of the target, where it is known before a table is read.
pub(crate) fn target_name(roles: &Roles, regression: &Regression) -> Option<String> {
    let in_columns = regression.learner.response_in_columns().ok().flatten();
    roles.target.clone().or_else(|| in_columns.map(|(name, _)| name))
}

/// A column that the table does not have, shown in the formula.
fn at_its_place(error: Error, formula: Option<&Formula>) -> Error {
    let ErrorKind::Unknown { noun: "column", name, known } = error.kind() else { return error };
    formula.and_then(|formula| formula.unknown_column(name, known)).unwrap_or(error)
}

fn usage(what: &str) -> Failure {
    Failure::Usage(what.into())
}
