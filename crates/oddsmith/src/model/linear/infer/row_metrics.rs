//! The figures of a row, as every front end lists them beside it.

use crate::data::{Features, Formula};
use crate::error::Result;
use crate::model::linear::effects::EffectAnalysis;
use crate::model::linear::infer::augment::{ClassDiagnostics, RowDiagnostics};
use crate::model::linear::infer::augmenter::Augmenter;
use crate::model::linear::model::LogisticModel;
use crate::model::{AnyProcedure, Classifier, FittedLikelihood, Inference, Predictions, Predictor, RowLimits, RowMetrics, Uncertainty};
use crate::num::special::normal;

/// What is said of the event of two classes.
const OF_TWO: [&str; 11] = [
    "fitted",
    "log_odds",
    "std_error",
    "conf_low",
    "conf_high",
    "leverage",
    "cooks_distance",
    "resid_deviance",
    "resid_pearson",
    "std_resid_deviance",
    "std_resid_pearson",
];
/// What is said of every class when there are several.
const OF_CLASS: [&str; 6] = ["fitted", "log_odds", "std_error", "conf_low", "conf_high", "resid_pearson"];
/// What is said of the whole row then.
const OF_ROW: [&str; 3] = ["leverage", "cooks_distance", "resid_deviance"];

impl Inference for LogisticModel {
    fn estimates(&self) -> Vec<f64> {
        [self.parameters.estimates(), self.parameters.words.clone()].concat()
    }

    fn standard_errors(&self) -> Option<Vec<f64>> {
        let known = self.precision.as_ref()?;
        let size = known.lower.len();
        let estimates = self.parameters.estimates();
        let error = |j: usize| if estimates[j].is_infinite() { f64::INFINITY } else { known.matrix[j * size + j].sqrt() };
        Some((0..size).map(error).collect())
    }

    fn likelihood(&self) -> FittedLikelihood {
        let account = &self.account;
        FittedLikelihood {
            log_likelihood: account.log_likelihood,
            observations: account.observations,
            class_weights: account.class_weights.clone(),
        }
    }

    fn steps(&self) -> u64 {
        self.account.steps
    }

    fn row_metrics(&self, has: &dyn Fn(&str) -> bool) -> Result<Box<dyn RowMetrics>> {
        if self.is_infinite() {
            return Err(self.without_row_precision("diagnose rows"));
        }
        Ok(Box::new(Augmenter::new(self, has)?))
    }

    fn formula(&self) -> &Formula {
        self.design.formula()
    }

    fn class_proportions(&self) -> Option<Vec<f64>> {
        self.known_proportions()
    }

    fn moved(&self, from: Option<&[f64]>, offsets: &[f64]) -> Option<Box<dyn Classifier>> {
        Some(Box::new(self.moved_by(from, offsets)?))
    }

    fn weighted_by(&self, column: &str) -> Box<dyn Classifier> {
        let mut model = self.clone();
        model.account.sample.weight_column = Some(column.to_owned());
        Box::new(model)
    }

    fn effects(&self, exposure: &str, within: Option<&str>, level: f64) -> Result<Box<dyn AnyProcedure>> {
        Ok(Box::new(EffectAnalysis::new(self, exposure, within, level)?))
    }
}

impl LogisticModel {
    /// The names: those of the event, or those of each class, which its label ends, and of the whole row.
    pub(in crate::model::linear) fn metric_names(&self) -> Vec<String> {
        match self.layout.classes().labels() {
            [_, _] => OF_TWO.map(str::to_owned).to_vec(),
            labels => {
                let of_class = |label: &String| OF_CLASS.map(|metric| format!("{metric}_{label}"));
                labels.iter().flat_map(of_class).chain(OF_ROW.map(str::to_owned)).collect()
            }
        }
    }

    /// The metrics of a batch with the proportions of all classes but the first in every row.
    pub(in crate::model::linear) fn metrics_of(&self, rows: &Features<'_>, proportions: &[f64], weights: &[f64]) -> Result<Vec<Vec<f64>>> {
        match self.layout.classes().len() {
            2 => Ok(self.diagnose(rows, proportions, Some(weights))?.iter().map(|row| of_two(row).to_vec()).collect()),
            classes => self.metrics_of_classes(rows, proportions, Some(weights), classes),
        }
    }

    fn metrics_of_classes(
        &self,
        rows: &Features<'_>,
        proportions: &[f64],
        weights: Option<&[f64]>,
        classes: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let quantile = normal::quantile_upper(0.5 * (1.0 - self.account.level));
        let (mut predictions, mut uncertainty) = (Predictions::new(), Uncertainty::default());
        Predictor::new(self).predict(rows, &mut predictions)?;
        let precise = self.precision.is_some();
        if precise {
            self.uncertainty(rows, &mut uncertainty)?;
        }
        let diagnoses = self.diagnose_classes(rows, proportions, weights)?;
        let of_class = |i: usize, k: usize| {
            let (error, (low, high)) = match precise {
                true => (uncertainty.errors[i * classes + k], uncertainty.limits(i, k, quantile)),
                false => (f64::NAN, (f64::NAN, f64::NAN)),
            };
            [predictions.row(i)[k], predictions.log_odds(i, k), error, low, high, diagnoses[i].pearson_residuals[k]]
        };
        let of_row = |row: &ClassDiagnostics| [row.leverage, row.cooks_distance, row.deviance_residual];
        let figures = |i: usize| (0..classes).flat_map(|k| of_class(i, k)).chain(of_row(&diagnoses[i])).collect();
        Ok((0..rows.rows()).map(figures).collect())
    }
}

fn of_two(row: &RowDiagnostics) -> [f64; 11] {
    [
        row.fitted,
        row.log_odds,
        row.std_error,
        row.conf_low,
        row.conf_high,
        row.leverage,
        row.cooks_distance,
        row.deviance_residual,
        row.pearson_residual,
        row.standardised_deviance,
        row.standardised_pearson,
    ]
}
