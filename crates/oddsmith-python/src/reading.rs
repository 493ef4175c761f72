//! From a data frame to the rows that a model is fitted to.

use std::collections::BTreeMap;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{Kind, Response};
use oddsmith::error::Error;
use oddsmith::model::{AnyProcedure, TableNeeds};
use oddsmith_io::{ArrowTable, Opened, ReadOptions, Roles, TextOptions, open_arrow};

/// The parts that columns play: those of the formula where there is one, else all of them beside the target.
pub(crate) fn roles_of(procedure: &dyn AnyProcedure, target: Option<&str>) -> Result<Roles> {
    let needs = procedure.needs_any()?;
    let named = needs.formula.as_ref().is_some_and(|formula| !matches!(formula.response(), Response::None));
    if target.is_none() && !named && needs.response.is_none() {
        return Err(Error::option("formula", "…", "write the target on the left side, as in `died ~ age + sex`"));
    }
    let target = needs.target.or_else(|| target.map(str::to_owned));
    Ok(Roles { target, features: needs.features, ..Roles::default() })
}

/// The rows that a model is fitted to.
pub(crate) fn open_for(
    needs: TableNeeds,
    table: &ArrowTable,
    roles: &Roles,
    (kinds, text): (BTreeMap<String, Kind>, TextOptions),
    threads: usize,
    control: &Control,
) -> Result<Opened> {
    let options = ReadOptions { kinds, threads, text, ..ReadOptions::default() };
    oddsmith_io::open_for(needs, options, roles, |options, roles| open_arrow(table, options, roles, control))
}
