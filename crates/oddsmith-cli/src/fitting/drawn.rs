//! The picture of a fit: one of its card, or of the model, alone or over the rows that it was fitted to.

use std::num::NonZeroUsize;

use oddsmith::card::{Card, Picture};
use oddsmith::control::Control;
use oddsmith::data::Source;
use oddsmith::model::Classifier;
use oddsmith::train::findings::SourceRows;
use oddsmith::train::pictures::{OF_MODEL, OVER_ROWS, of_model, over_rows};
use oddsmith::{Error, train};

use super::FittedTable;
use crate::exit::Failure;
use crate::plot;

/// Rows as a model reads them: its own columns of a source that has more.
pub(crate) fn own_columns<'a>(source: &'a dyn Source, model: &dyn Classifier) -> Result<Option<train::ColumnSource<'a>>, Error> {
    if source.layout() == model.layout() { Ok(None) } else { train::ColumnSource::for_model(source, model).map(Some) }
}

/// The picture of a name.
pub(crate) fn picture(
    name: &str,
    fitted: &FittedTable,
    table: &str,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> Result<Picture, Failure> {
    if !OVER_ROWS.contains(&name) {
        return without_rows(name, &*fitted.model, &fitted.card);
    }
    let source = &*fitted.opened.source;
    let narrowed = own_columns(source, &*fitted.model)?;
    let own: &dyn Source = narrowed.as_ref().map_or(source as &dyn Source, |narrowed| narrowed);
    let drawn = over_rows(name, &*fitted.model, &SourceRows { source: own, threads, control }, &[]);
    Ok(drawn.map_err(|error| error.in_table(table))?)
}

/// The picture of a name, where there are no rows.
pub(crate) fn without_rows(name: &str, model: &dyn Classifier, card: &Card) -> Result<Picture, Failure> {
    match name {
        _ if OF_MODEL.contains(&name) => Ok(of_model(name, model)?),
        _ if OVER_ROWS.contains(&name) => Err(Failure::Usage(format!(
            "the picture `{name}` is drawn over rows, and statistics hold none; a model has: {}",
            OF_MODEL.join(", ")
        ))),
        _ => plot::of_card(card, name).cloned(),
    }
}
