//! Every term of a regression alone, on the rows of the whole model.

use std::num::NonZeroUsize;

use oddsmith::card::Card;
use oddsmith::control::Control;
use oddsmith::data::Source;
use oddsmith::model::{AnyLearner, Classifier};
use oddsmith::{Error, ErrorKind, train};

use super::opening::{ModelRequest, REFERENCE};
use crate::exit::Failure;

/// Units of change belong to the table that crude odds ratios are put into.
const UNIT: &str = "unit";

/// The cards of fits with one term each. Terms of several variables have none: they mean nothing alone.
pub(super) fn crude_cards(
    request: &ModelRequest,
    model: &dyn Classifier,
    source: &dyn Source,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> Result<Vec<Card>, Failure> {
    let refused = |advice: &str| {
        let (what, advice) = ("give crude odds ratios".into(), advice.into());
        Failure::from(Error::from(ErrorKind::Unsupported { model: model.card().title, what, advice }))
    };
    let formula = model.inference().ok_or_else(|| refused("only regressions have them"))?.formula();
    if !formula.intercept() {
        return Err(refused("without an intercept a term alone is coded in another way"));
    }
    let rows = train::AnsweredSource::new(source, model)?;
    let single = (0..formula.terms().len()).filter(|at| formula.terms()[*at].len() == 1);
    single
        .map(|at| {
            let alone = formula.with_terms(&[at]);
            let mut params = request.params.clone().with("no-tests", "true")?;
            for (option, kept) in [(UNIT, Vec::new()), (REFERENCE, alone.columns())] {
                for (column, _) in request.params.pairs(option).iter().filter(|(column, _)| !kept.contains(column)) {
                    params.take_pair(option, column);
                }
            }
            let learner: Box<dyn AnyLearner> = (request.entry.build)(&params.with_formula(Some(alone)))?;
            Ok(train::fit(&learner, &rows, threads, control)?.model.card())
        })
        .collect::<Result<_, Error>>()
        .map_err(Failure::from)
}
