//! The figures of a row, as every front end lists them beside it.

use crate::data::Features;
use crate::error::Result;
use crate::model::linear::infer::augment::{ClassDiagnostics, RowDiagnostics};
use crate::model::linear::infer::uncertainty::Uncertainty;
use crate::model::linear::model::LogisticModel;
use crate::model::{Predictions, Predictor};
use crate::num::special::normal;

/// What is said of the event of two classes.
const OF_TWO: [&str; 9] =
    ["fitted", "log_odds", "std_error", "conf_low", "conf_high", "leverage", "cooks_distance", "resid_deviance", "resid_pearson"];
/// What is said of every class when there are several.
const OF_CLASS: [&str; 6] = ["fitted", "log_odds", "std_error", "conf_low", "conf_high", "resid_pearson"];
/// What is said of the whole row then.
const OF_ROW: [&str; 3] = ["leverage", "cooks_distance", "resid_deviance"];

impl LogisticModel {
    /// The names of the figures: those of the event, or those of each class, which its label ends, and of the whole row.
    pub fn figure_names(&self) -> Vec<String> {
        match self.layout.classes().labels() {
            [_, _] => OF_TWO.map(str::to_owned).to_vec(),
            labels => {
                let of_class = |label: &String| OF_CLASS.map(|figure| format!("{figure}_{label}"));
                labels.iter().flat_map(of_class).chain(OF_ROW.map(str::to_owned)).collect()
            }
        }
    }

    /// The figures of every row, in the order of their names; NaN where something is not known. `shares` are those of all classes but the
    /// first.
    pub fn row_figures(&self, rows: &Features<'_>, shares: &[f64], weights: Option<&[f64]>) -> Result<Vec<Vec<f64>>> {
        match self.layout.classes().len() {
            2 => Ok(self.diagnose(rows, shares, weights)?.iter().map(|row| of_two(row).to_vec()).collect()),
            classes => self.figures_of_classes(rows, shares, weights, classes),
        }
    }

    fn figures_of_classes(&self, rows: &Features<'_>, shares: &[f64], weights: Option<&[f64]>, classes: usize) -> Result<Vec<Vec<f64>>> {
        let quantile = normal::quantile_upper(0.5 * (1.0 - self.account.level));
        let (mut predictions, mut uncertainty) = (Predictions::new(), Uncertainty::default());
        Predictor::new(self).predict(rows, &mut predictions)?;
        let precise = self.precision.is_some();
        if precise {
            self.uncertainty(rows, &mut uncertainty)?;
        }
        let diagnoses = self.diagnose_classes(rows, shares, weights)?;
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

fn of_two(row: &RowDiagnostics) -> [f64; 9] {
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
    ]
}

/// Shares of all classes but the first in rows whose labels are given: NaN where a label is that of no class.
pub fn shares_of_labels(labels: &[u32], classes: usize) -> Vec<f64> {
    let share = |label: u32, class: usize| if (label as usize) < classes { f64::from(u8::from(label as usize == class)) } else { f64::NAN };
    labels.iter().flat_map(|label| (1..classes).map(move |class| share(*label, class))).collect()
}
