//! Effects in risk: what the probabilities of all rows would be, on average, if a column were set to one value or another.
//!
//! ```text
//! r_a = mean over rows of p(x with the exposure set to a)       J_a = its slope in the parameters = mean of p (1 − p) x_a
//! risk difference r_1 − r_0 · risk ratio r_1/r_0 · marginal odds ratio · mean effect of a number: mean of p (1 − p) ∂η/∂x
//! variance, covariates taken as they are (delta method):  J' V J
//! variance, covariates sampled:  Σ ψ²/n²,  ψ_i = p_i − r + n J' V s_i,  s_i the score of the row (influence function)
//! ```
//!
//! Ratios have their limits on the log scale. One pass; memory O(d²), whatever the number of rows.

pub(crate) mod additive;
mod card;
mod joint;
mod scenario;
mod sums;
mod within;

use std::sync::Arc;

use scenario::Exposure;
pub use sums::EffectSums;
use within::Within;

use crate::card::Card;
use crate::data::Layout;
use crate::error::{Advice, DataFault, ErrorKind, Result};
use crate::model::linear::model::LogisticModel;
use crate::model::{Classifier, PassInfo, Procedure, Step};

/// The analysis of one exposure under a fitted regression.
#[derive(Debug, Clone)]
pub struct EffectAnalysis {
    model: Arc<LogisticModel>,
    exposure: Exposure,
    /// The column within whose levels effects are told.
    within: Option<Within>,
    level: f64,
}

impl EffectAnalysis {
    /// Effects of a column, over all rows and within the levels of another.
    pub(in crate::model::linear) fn new(model: &LogisticModel, exposure: &str, within: Option<&str>, level: f64) -> Result<Self> {
        if model.precision.is_none() || !model.parameters.words.is_empty() || model.is_averaged() {
            let advice =
                Advice::Set { option: "ci", value: "wald", to: "it has no standard errors; fit it without a penalty and with them" };
            return Err(ErrorKind::Unsupported { model: model.card().title, what: "tell effects in risk".into(), advice }.into());
        }
        if model.is_infinite() {
            return Err(model.without_row_precision("tell effects in risk"));
        }
        let index = predictor(model, exposure)?;
        let within = within.map(|name| match predictor(model, name)? {
            at if at == index => Err(DataFault::new("an exposure cannot be told within its own levels").column(name).into()),
            at => Within::of(&model.layout, at),
        });
        let exposure = Exposure::of(&model.layout, index)?;
        Ok(EffectAnalysis { model: Arc::new(model.clone()), exposure, within: within.transpose()?, level })
    }
}

impl Procedure for EffectAnalysis {
    type Stats = EffectSums;
    type Output = Card;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<EffectSums> {
        if **layout != *self.model.layout {
            return Err(DataFault::new("the rows do not have the columns of the model").into());
        }
        Ok(EffectSums::new(Arc::new(self.clone())))
    }

    fn finish(&self, sums: &EffectSums) -> Result<Step<EffectSums, Card>> {
        self.card(sums).map(Step::Done)
    }
}

/// The place of a column among the features of the model, which uses it.
fn predictor(model: &LogisticModel, name: &str) -> Result<usize> {
    let used = model.design.formula().columns();
    match used.iter().any(|known| known == name) {
        true => model.layout.index(name),
        false => {
            let accepted = format!("effects are told of its predictors, and within levels of them: {}", used.join(", "));
            Err(DataFault::new("the model does not use this column").column(name).accepted(accepted).into())
        }
    }
}
