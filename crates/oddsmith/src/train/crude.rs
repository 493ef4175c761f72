//! Every term of a regression alone, on the rows of the whole model.

use std::num::NonZeroUsize;

use super::answered_source::AnsweredSource;
use super::driver::fit;
use crate::card::Card;
use crate::control::Control;
use crate::data::Source;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Classifier, Params};
use crate::registry::Entry;

/// Options with pairs of columns: units of change belong to the table that crude odds ratios are put into, and reference levels to the
/// columns of a term.
const UNIT: &str = "unit";
const REFERENCE: &str = "ref";

/// The cards of fits with one term each. Terms of several variables have none: they mean nothing alone.
pub fn crude_cards(
    entry: &Entry,
    params: &Params,
    model: &dyn Classifier,
    source: &dyn Source,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> Result<Vec<Card>> {
    let refused = |advice: &str| -> Error {
        ErrorKind::Unsupported { model: model.card().title, what: "give crude odds ratios".into(), advice: advice.into() }.into()
    };
    let formula = model.inference().ok_or_else(|| refused("only regressions have them"))?.formula();
    if !formula.intercept() {
        return Err(refused("without an intercept a term alone is coded in another way"));
    }
    let rows = AnsweredSource::new(source, model)?;
    let single = (0..formula.terms().len()).filter(|at| formula.terms()[*at].len() == 1);
    single
        .map(|at| {
            let alone = formula.with_terms(&[at]);
            let mut own = params.clone().with("no-tests", "true")?;
            for (option, kept) in [(UNIT, Vec::new()), (REFERENCE, alone.columns())] {
                for (column, _) in params.pairs(option).iter().filter(|(column, _)| !kept.contains(column)) {
                    own.take_pair(option, column);
                }
            }
            let learner = (entry.build)(&own.with_formula(Some(alone))?)?;
            Ok(fit(&learner, &rows, threads, control)?.model.card())
        })
        .collect()
}
