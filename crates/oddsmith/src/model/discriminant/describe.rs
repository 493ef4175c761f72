//! What there is to say about a fitted discriminant.

use serde::{Deserialize, Serialize};

use super::joint::Joint;
use super::wishart::{EXTRA_FREEDOM, MEAN_ROWS};
use crate::card::{Card, Cell, FixedTable, Table};
use crate::data::Weighting;
use crate::model::Divisor;
use crate::notice::Notice;

/// How a model was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) left_out: u64,
    pub(super) divisor: Divisor,
    /// What products were divided by.
    pub(super) divisors: Vec<f64>,
    pub(super) shrinkage: String,
    /// Shares of shrinkage that were used.
    pub(super) shares: Vec<f64>,
    pub(super) predictive: bool,
    /// ln p(X | y), when parameters are integrated out.
    pub(super) feature_evidence: Option<f64>,
    /// ln p(y).
    pub(super) label_evidence: Option<f64>,
    #[serde(skip)]
    pub(super) notices: Vec<Notice>,
}

impl Account {
    /// ln p(X, y).
    pub(super) fn log_marginal_likelihood(&self) -> Option<f64> {
        Some(self.feature_evidence? + self.label_evidence?)
    }

    /// The account after the prior was given from outside: the labels are judged by it.
    #[must_use]
    pub(super) fn with_log_prior(&self, log_prior: &[f64], weight: &[f64]) -> Self {
        let labels = weight.iter().zip(log_prior).map(|(w, p)| w * p).sum();
        Account { label_evidence: self.label_evidence.map(|_| labels), ..self.clone() }
    }
}

/// The card of a model with this title.
pub(super) fn card(title: &str, joint: &Joint, account: &Account) -> Card {
    let parameters = &joint.parameters;
    let mut facts: Vec<(String, Cell)> = Vec::new();
    let mut say = |name: &str, value: Cell| facts.push((name.to_owned(), value));
    say("rows", parameters.classes.total_rows().into());
    if parameters.layout.weighting() != Weighting::None {
        say("weight", parameters.classes.total().into());
    }
    if account.left_out > 0 {
        say("rows excluded for missing values", account.left_out.into());
    }
    say("classes", parameters.log_prior.len().into());
    say("columns used", joint.complete.width().into());
    say("free parameters", joint.free_parameters().into());
    if account.predictive {
        let width = joint.complete.width() as f64;
        say("parameters", "integrated out".into());
        say(
            "prior of the parameters",
            format!(
                "normal-inverse-Wishart around the mean of the class means: means weigh {MEAN_ROWS} rows, the covariance has {} degrees of \
                 freedom and the pooled variances of the columns as its mean",
                width + EXTRA_FREEDOM
            )
            .into(),
        );
    } else if account.divisors.is_empty() {
        say("covariance", "given".into());
    } else {
        say("divisor", account.divisor.to_string().into());
        say("divided by", listed(&account.divisors));
        say("shrinkage", account.shrinkage.as_str().into());
    }
    if !account.shares.is_empty() {
        say("shrinkage used", listed(&account.shares));
    }
    if let Some(evidence) = account.log_marginal_likelihood() {
        say("log evidence", evidence.into());
    }
    Card { title: title.into(), facts, tidy: tidy(joint), notices: account.notices.clone(), ..Card::default() }
}

/// One number as a number, several as a list.
fn listed(values: &[f64]) -> Cell {
    match values {
        [one] => (*one).into(),
        several => several.iter().map(f64::to_string).collect::<Vec<_>>().join(", ").into(),
    }
}

impl Joint {
    /// K − 1 shares, K means and one or K covariances of p columns.
    pub(super) fn free_parameters(&self) -> usize {
        let (classes, p) = (self.parameters.log_prior.len(), self.complete.width());
        classes - 1 + classes * p + self.parameters.covariances.len() * (p * (p + 1) / 2)
    }
}

fn tidy(joint: &Joint) -> Table {
    let mut table = FixedTable::new("tidy", ["class", "column", "level", "parameter", "estimate"]);
    let parameters = &joint.parameters;
    let layout = &parameters.layout;
    for (k, log_prior) in parameters.log_prior.iter().enumerate() {
        let label = layout.classes().label(k);
        table.push([label.into(), Cell::Empty, Cell::Empty, "prior".into(), log_prior.exp().into()]);
        for position in 0..layout.numbers().len() {
            let mean = parameters.mean(k, position).unwrap_or(f64::NAN);
            let deviation = parameters.deviation(k, position);
            for (parameter, value) in [("mean", mean), ("sd", deviation)] {
                let (name, level) = parameters.column_label(position);
                table.push([label.into(), name.into(), level.map_or(Cell::Empty, Cell::from), parameter.into(), value.into()]);
            }
        }
    }
    table.into()
}
