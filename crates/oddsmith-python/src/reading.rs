//! From a data frame to the rows that a model is fitted to.

use std::collections::BTreeMap;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{Kind, RelabelledSource, Response};
use oddsmith::error::{Error, ErrorKind};
use oddsmith::model::AnyProcedure;
use oddsmith_io::{ArrowTable, Opened, ReadOptions, Roles, open_arrow};

/// The parts that columns play: those of the formula where there is one, else all of them beside the target.
pub(crate) fn roles_of(procedure: &dyn AnyProcedure, target: Option<&str>) -> Result<Roles> {
    let needs = procedure.needs_any()?;
    let named = needs.formula.as_ref().is_some_and(|formula| !matches!(formula.response(), Response::None));
    if target.is_none() && !named && needs.response.is_none() {
        return Err(Error::knob("formula", "…", "write the target on the left side, as in `died ~ age + sex`"));
    }
    let target = needs.target.or_else(|| target.map(str::to_owned));
    Ok(Roles { target, features: needs.features, ..Roles::default() })
}

/// The rows that a model is fitted to.
pub(crate) fn open_for(
    procedure: &dyn AnyProcedure,
    table: &ArrowTable,
    roles: &Roles,
    mut kinds: BTreeMap<String, Kind>,
    threads: usize,
    control: &Control,
) -> Result<Opened> {
    let needs = procedure.needs_any()?;
    for (column, kind) in needs.kinds {
        kinds.entry(column).or_insert(kind);
    }
    let options = ReadOptions { kinds, threads, flags: needs.flags, ..ReadOptions::default() };
    let formula = needs.formula.as_ref();
    let at_its_place = |error: Error| match error.kind() {
        // A column that the table does not have, shown in the formula.
        ErrorKind::Unknown { noun: "column", name, known } => {
            formula.and_then(|formula| formula.unknown_column(name, known)).unwrap_or(error)
        }
        _ => error,
    };
    let mut opened = open_arrow(table, &options, roles, control).map_err(at_its_place)?;
    if let Some((target, classes)) = needs.response {
        opened.source = Box::new(RelabelledSource::with_response_in_columns(opened.source, &target, classes)?);
    }
    Ok(opened)
}
