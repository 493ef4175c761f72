//! How sure a regression is of the log odds of a row.
//!
//! The log odds of class k against all others are l_k = η_k − ln Σ_{j≠k} e^{η_j} (η of the first class is 0). With slopes
//! g_m = ∂l_k/∂η_m, which are 1 for k itself and −e^{η_m} / Σ_{j≠k} e^{η_j} for the others, and z = (1, x − c) the centred row,
//!   Var(l_k) = Σ_m Σ_l g_m g_l zᵀ V_ml z.
//! Limits of the probability are those of l_k, mapped back. Cost: (outputs × width)² per row.

use crate::data::{DesignBlock, Features};
use crate::error::{Advice, ErrorKind, Result};
use crate::model::linear::model::{LogOdds, LogisticModel};
use crate::model::{Classifier, RowLimits, Uncertainty};
use crate::num::log_sum_exp;

/// Rows that are expanded at a time.
const BLOCK_ROWS: usize = 512;

impl RowLimits for LogisticModel {
    fn uncertainty(&self, rows: &Features<'_>, out: &mut Uncertainty) -> Result<()> {
        rows.check(&self.layout)?;
        let outputs = self.parameters.outputs();
        out.reset(outputs + 1);
        self.for_rows(rows, true, |_, eta, forms| (0..=outputs).for_each(|k| out.push(k, eta, forms)))
    }
}

impl LogisticModel {
    /// Gives every row with its log odds against the first class and, where they are asked for, zᵀ V_ml z of every pair of outputs.
    pub(in crate::model::linear) fn for_rows(
        &self,
        rows: &Features<'_>,
        with_forms: bool,
        mut visit: impl FnMut(usize, &[f64], &[f64]),
    ) -> Result<()> {
        let (mut work, mut forms, mut z, mut block) = (LogOdds::default(), Vec::new(), Vec::new(), DesignBlock::default());
        for lo in (0..rows.rows()).step_by(BLOCK_ROWS) {
            let hi = rows.rows().min(lo + BLOCK_ROWS);
            self.log_odds(rows, lo, hi, &mut work)?;
            if with_forms {
                self.design.expand(rows, lo, hi, &mut block)?;
            }
            for (i, eta) in work.out.chunks_exact(self.parameters.outputs()).enumerate() {
                if with_forms {
                    self.centred_row(&block, i, &mut z);
                    self.quadratic_forms(&z, &mut forms)?;
                }
                visit(lo + i, eta, &forms);
            }
        }
        Ok(())
    }

    /// The parameters' factors in a row: 1 for the intercept, kept columns minus their centres.
    pub(in crate::model::linear) fn centred_row(&self, block: &DesignBlock, i: usize, z: &mut Vec<f64>) {
        let columns = self.parameters.centre.len();
        z.clear();
        z.extend(self.parameters.intercept.then_some(1.0));
        z.extend(self.parameters.kept.iter().map(|&j| block.cells[i * columns + j] - self.parameters.centre[j]));
    }

    /// zᵀ V_ml z for every pair of outputs, row after row of the pairs.
    fn quadratic_forms(&self, z: &[f64], forms: &mut Vec<f64>) -> Result<()> {
        let Some(precision) = &self.precision else {
            let errors =
                Advice::Set { option: "ci", value: "wald", to: "it has no standard errors; fit it without a penalty and with them" };
            return Err(ErrorKind::Unsupported {
                model: self.card().title,
                what: "give intervals of probabilities".into(),
                advice: errors,
            }
            .into());
        };
        covariances(&precision.centred, self.parameters.outputs(), z, forms);
        Ok(())
    }
}

/// zᵀ V_ml z for every pair of outputs, row after row of the pairs.
pub(in crate::model) fn covariances(matrix: &[f64], outputs: usize, z: &[f64], forms: &mut Vec<f64>) {
    let width = z.len();
    let size = outputs * width;
    forms.clear();
    for m in 0..outputs {
        for l in 0..outputs {
            let row = |r: usize| &matrix[(m * width + r) * size + l * width..][..width];
            let form = (0..width).map(|r| z[r] * row(r).iter().zip(z).map(|(v, z)| v * z).sum::<f64>()).sum();
            forms.push(form);
        }
    }
}

impl Uncertainty {
    /// No rows of so many classes.
    pub(in crate::model) fn reset(&mut self, classes: usize) {
        self.classes = classes;
        self.log_odds.clear();
        self.errors.clear();
    }

    /// Adds class `k` of a row with log odds `eta` against the first class and their covariances.
    pub(in crate::model) fn push(&mut self, k: usize, eta: &[f64], forms: &[f64]) {
        let all = || std::iter::once(0.0).chain(eta.iter().copied());
        let others = log_sum_exp(all().enumerate().filter(|(j, _)| *j != k).map(|(_, e)| e));
        let slopes: Vec<f64> = all().enumerate().skip(1).map(|(m, e)| if m == k { 1.0 } else { -(e - others).exp() }).collect();
        let pairs = forms.chunks_exact(eta.len()).zip(&slopes).map(|(row, g)| g * row.iter().zip(&slopes).map(|(v, g)| v * g).sum::<f64>());
        let variance: f64 = pairs.sum();
        self.log_odds.push(all().nth(k).unwrap_or(f64::NAN) - others);
        self.errors.push(if eta[0].is_nan() { f64::NAN } else { variance.max(0.0).sqrt() });
    }
}

impl LogisticModel {
    /// Draws the log odds of the rows `lo..hi` together by the uncertainty of the posterior: averaging σ(η) over a normal η with
    /// variance v gives about σ(κη), κ = 1/√(1 + π v/8) (MacKay). With several outputs every pair of classes is drawn together by the
    /// variance of its own log odds, and p_k is taken proportional to 1/Σ_j e^{−κ_kj (η_k − η_j)}, whichever class is the first (Lu, Ie and Sha).
    pub(crate) fn average(&self, rows: &Features<'_>, lo: usize, hi: usize, log_odds: &mut [f64]) -> Result<()> {
        let outputs = self.parameters.outputs();
        let (mut block, mut z, mut forms) = (DesignBlock::default(), Vec::new(), Vec::new());
        self.design.expand(rows, lo, hi, &mut block)?;
        for (i, row) in log_odds.chunks_exact_mut(outputs).enumerate() {
            self.centred_row(&block, i, &mut z);
            self.quadratic_forms(&z, &mut forms)?;
            match row {
                [eta] => *eta /= widening(forms[0]),
                several => average_classes(several, &forms),
            }
        }
        Ok(())
    }
}

/// 1/κ of log odds with variance `v`.
fn widening(v: f64) -> f64 {
    (1.0 + std::f64::consts::PI / 8.0 * v.max(0.0)).sqrt()
}

/// Averages log odds against the first class, whose covariances are `forms`.
fn average_classes(eta: &mut [f64], forms: &[f64]) {
    let outputs = eta.len();
    // The first class has log odds of zero, which nobody doubts.
    let covariance = |k: usize, j: usize| if k == 0 || j == 0 { 0.0 } else { forms[(k - 1) * outputs + j - 1] };
    let mode = |k: usize| if k == 0 { 0.0 } else { eta[k - 1] };
    let log_probability = |k: usize| {
        let pair = |j: usize| (mode(j) - mode(k)) / widening(covariance(k, k) + covariance(j, j) - 2.0 * covariance(k, j));
        -log_sum_exp((0..=outputs).map(pair))
    };
    let averaged: Vec<f64> = (0..=outputs).map(log_probability).collect();
    eta.iter_mut().zip(&averaged[1..]).for_each(|(eta, log_p)| *eta = log_p - averaged[0]);
}
