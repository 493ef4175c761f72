//! Opening a table as a procedure needs it: the columns, kinds and keys that it asks for.

use oddsmith::data::RelabelledSource;
use oddsmith::model::TableNeeds;
use oddsmith::{ErrorKind, Result};

use crate::open::Opened;
use crate::options::{ReadOptions, Roles};

/// Opens a table by `open` with what a procedure needs of it added to the options and roles that were chosen. A column that the table does
/// not have is shown in the formula that names it.
pub fn open_for(
    needs: TableNeeds,
    mut options: ReadOptions,
    roles: &Roles,
    open: impl FnOnce(&ReadOptions, &Roles) -> Result<Opened>,
) -> Result<Opened> {
    for (column, kind) in needs.kinds {
        options.kinds.entry(column).or_insert(kind);
    }
    options.flags = needs.flags;
    let mut roles = roles.clone();
    roles.keys.extend(needs.keys);
    let formula = needs.formula.as_ref();
    let mut opened = open(&options, &roles).map_err(|error| match error.kind() {
        ErrorKind::Unknown { noun: "column", name, known } => {
            formula.and_then(|formula| formula.unknown_column(name, known)).unwrap_or(error)
        }
        _ => error,
    })?;
    if let Some((target, classes)) = needs.response {
        opened.source = Box::new(RelabelledSource::with_response_in_columns(opened.source, &target, classes)?);
    }
    Ok(opened)
}
