//! What a person wants to know of a regression first: how many rows and events, whether there is anything in it, and the odds ratios.

use crate::card::{Cell, Summary};
use crate::error::visible;
use crate::model::Classifier;
use crate::model::linear::describe::card::whole_or_number;
use crate::model::linear::model::LogisticModel;
use crate::num::special::chi_squared;

impl LogisticModel {
    /// The summary; that of a model of words has the table of all parameters, the strongest words first.
    pub(in crate::model::linear) fn summary(&self) -> Summary {
        Summary { facts: self.first_facts(), table: self.odds_ratios(), footnotes: Vec::new() }
    }

    fn first_facts(&self) -> Vec<(String, Cell)> {
        let account = &self.account;
        let weight: f64 = account.class_weights.iter().sum();
        let mut facts: Vec<(String, Cell)> = Vec::new();
        let mut say = |name: &str, value: Cell| facts.push((name.into(), value));
        say("n", whole_or_number(weight));
        // Counts and weights make more of a row than one observation.
        if (weight - account.rows as f64).abs() > 1e-9 * weight {
            say("rows", account.rows.into());
        }
        let excluded: u64 = account.dropped.iter().map(|(_, rows)| rows).sum();
        if excluded > 0 {
            say("excluded for missing values", excluded.into());
        }
        match self.layout.classes().labels() {
            [_, event] => say(&format!("events ({})", visible(event)), whole_or_number(account.class_weights[1])),
            [reference, others @ ..] => {
                let others: Vec<String> = others.iter().map(|label| visible(label)).collect();
                say("classes", format!("{} against {}", others.join(", "), visible(reference)).into());
            }
            [] => {}
        }
        if let Some((statistic, freedom)) = self.test_of_model() {
            say(if self.is_design_based() { "Wald χ² of the model" } else { "likelihood-ratio χ² of the model" }, statistic.into());
            say("df", Cell::Count(freedom as u64));
            say("p", Cell::PValue(chi_squared::sf(statistic, freedom)));
        }
        if self.has_likelihood() {
            say("AIC", account.aic(self.free_parameters()).into());
            say("McFadden's pseudo-R²", account.mcfadden().into());
        }
        if !account.sample.moved_by.is_empty() {
            say("class proportions", self.class_proportions().into());
        }
        if let Some(robust) = account.robust {
            say("standard errors", format!("{robust:?}").to_uppercase().into());
        }
        if let Some(clusters) = account.clusters {
            say("clusters", clusters.into());
        }
        facts
    }
}
