//! Means and variances of Gaussian columns, or their normal-inverse-gamma posteriors.
//!
//! Variances are Σ squares / Σ divisors over the cells that share one: a class and column, a column, or all. The floor is a
//! share of the same column's overall variance, so it depends neither on other columns nor on batches.

use super::super::{GaussianPart, Part, StudentPart};
use super::Estimate;
use crate::data::Weighting;
use crate::error::{Advice, Error, ErrorKind, Result};
use crate::model::{Divisor, Prepared, Tying};
use crate::notice::{self, Notice};
use crate::num::special::ln_gamma_ratio;
use crate::stats::{Moment, NumberMoments};

/// Weight of the prior mean of a Gaussian column, in rows. Small: the class mean is left to the data.
const PRIOR_MEAN_ROWS: f64 = 0.01;
/// Degrees of freedom of the prior variance of a Gaussian column: the smallest whole number with a finite mean.
const PRIOR_FREEDOM: f64 = 3.0;

/// Moments of the chosen columns, in working units.
struct Cells {
    by_class: Vec<Vec<Moment>>,
    overall: Vec<Moment>,
    /// What the user's values were multiplied by.
    units: Vec<f64>,
}

impl Estimate<'_> {
    pub(super) fn gaussians(&mut self, columns: Vec<usize>) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let moments = self.stats.moments().ok_or_else(|| Self::lacking("moments"))?;
        let mut varying = Vec::new();
        for j in columns {
            let pooled = moments.pooled(j);
            if pooled.squares > 0.0 {
                varying.push(j);
            } else {
                let text = if pooled.weight > 0.0 {
                    format!("is {} in every row; it says nothing and is ignored", pooled.mean)
                } else {
                    "has no values at all; it is ignored".into()
                };
                self.notices.push(Notice::new(notice::CONSTANT_COLUMN, text).column(self.number_name(j)));
            }
        }
        if varying.is_empty() {
            return Ok(());
        }
        match self.settings.predictive {
            true => self.students(&self.cells(moments, &varying), varying),
            false => self.plug_in_gaussians(&self.cells(moments, &varying), varying),
        }
    }

    /// The moments of the chosen columns in working units: the units in which they were summed, or one unit for all where
    /// they share a variance.
    fn cells(&self, moments: &NumberMoments, columns: &[usize]) -> Cells {
        let scales: Vec<f64> = columns.iter().map(|&j| self.stats.scale(j)).collect();
        let smallest = scales.iter().copied().fold(f64::INFINITY, f64::min);
        let units = match self.settings.tying {
            Tying::Single => vec![smallest; columns.len()],
            _ => scales.clone(),
        };
        let in_units = |moment: Moment, at: usize| {
            let factor = units[at] / scales[at];
            Moment {
                weight: moment.weight,
                mean: moment.mean * factor,
                mean_low: moment.mean_low * factor,
                squares: moment.squares * factor * factor,
            }
        };
        let of_class = |k: usize| columns.iter().enumerate().map(move |(at, &j)| (at, moments.get(k, j)));
        Cells {
            by_class: (0..self.classes).map(|k| of_class(k).map(|(at, moment)| in_units(moment, at)).collect()).collect(),
            overall: columns.iter().enumerate().map(|(at, &j)| in_units(moments.pooled(j), at)).collect(),
            units,
        }
    }

    /// Which variance a cell uses: cells with the same number share one.
    fn variance_group(&self, k: usize, at: usize, width: usize) -> usize {
        match self.settings.tying {
            Tying::PerClass => k * width + at,
            Tying::PerColumn => at,
            Tying::Single => 0,
        }
    }

    /// What the squares of a cell add to the divisor of its variance. Under sampling weights n − 1 becomes W − Σw²/W.
    fn divisor(&self, k: usize, weight: f64) -> f64 {
        let classes = self.stats.classes();
        match (self.settings.divisor, self.stats.layout().weighting()) {
            (Divisor::Ml, _) => weight,
            (Divisor::Unbiased, Weighting::Sampling) if classes.weight[k] > 0.0 => {
                weight - weight * classes.squared[k] / (classes.weight[k] * classes.weight[k])
            }
            (Divisor::Unbiased, _) => weight - 1.0,
        }
    }

    fn plug_in_gaussians(&mut self, cells: &Cells, columns: Vec<usize>) -> Result<()> {
        let width = columns.len();
        let mut sums = vec![(0.0, 0.0); self.classes * width];
        let overall = &cells.overall;
        let mut means = Vec::with_capacity(self.classes * width);
        for k in 0..self.classes {
            for (at, cell) in cells.by_class[k].iter().enumerate() {
                if cell.weight > 0.0 {
                    let sum = &mut sums[self.variance_group(k, at, width)];
                    sum.0 += cell.squares;
                    sum.1 += self.divisor(k, cell.weight);
                }
                // A class that never shows the column is given the overall Gaussian: no evidence either way.
                means.push(if cell.weight > 0.0 { cell.mean } else { overall[at].mean } / cells.units[at]);
            }
        }
        let mean_variance = overall.iter().map(|m| m.squares / m.weight).sum::<f64>() / width as f64;
        // In the user's units, because columns of different units are compared.
        let widest = overall.iter().zip(&cells.units).map(|(m, unit)| m.squares / m.weight / unit / unit).fold(0.0, f64::max);
        let addend = self.settings.variance_addend * widest;
        // Deviations have room where variances have none.
        let deviation = |(m, unit): (&Moment, &f64)| (m.squares / m.weight).sqrt() / unit;
        let far = (self.settings.variance_addend > 0.0 && !addend.is_normal())
            .then(|| self.settings.variance_addend.sqrt() * overall.iter().zip(&cells.units).map(deviation).fold(0.0, f64::max));
        let mut deviations = Vec::with_capacity(means.len());
        for k in 0..self.classes {
            for (at, &j) in columns.iter().enumerate() {
                let reference = if self.settings.tying == Tying::Single { mean_variance } else { overall[at].squares / overall[at].weight };
                let (squares, divisor) = sums[self.variance_group(k, at, width)];
                let seen = cells.by_class[k][at].weight > 0.0 || self.settings.tying != Tying::PerClass;
                let variance = match (seen, divisor > 0.0) {
                    (false, _) => reference,
                    (true, true) => squares / divisor,
                    (true, false) => return Err(self.too_few_rows(k, j)),
                };
                let unit = cells.units[at];
                deviations.push(match far {
                    Some(far) => (variance.max(self.settings.variance_floor * reference).sqrt() / unit).hypot(far),
                    None => {
                        let widened = if addend > 0.0 { variance + addend * unit * unit } else { variance };
                        self.floored(widened, reference, k, j)?.sqrt() / unit
                    }
                });
            }
        }
        let shared = self.settings.tying != Tying::PerClass;
        self.parts.push(Part::Gaussian(GaussianPart { columns, means, deviations, shared, kernel: Prepared::default() }));
        Ok(())
    }

    fn too_few_rows(&self, k: usize, j: usize) -> Error {
        let what = format!(
            "class `{}` has too few values of column `{}` for an unbiased variance",
            self.stats.layout().classes().label(k),
            self.number_name(j)
        );
        let tied = Advice::Set { option: "tying", value: "per-column", to: "share variances" };
        ErrorKind::NoEstimate { what, advice: Advice::any_of([Advice::set("divisor", "ml"), tied]) }.into()
    }

    fn floored(&mut self, variance: f64, reference: f64, k: usize, j: usize) -> Result<f64> {
        let floor = self.settings.variance_floor * reference;
        if variance > floor {
            return Ok(variance);
        }
        let label = self.stats.layout().classes().label(k);
        let column = self.number_name(j);
        if floor == 0.0 {
            let what = format!("column `{column}` does not vary within class `{label}`, so its Gaussian has no width");
            let floor = Advice::Set { option: "variance-floor", value: "1e-9", to: "allow a floor" };
            let advice = Advice::any_of([floor, Advice::LeaveOut(vec![column.to_owned()])]);
            return Err(ErrorKind::NoEstimate { what, advice }.into());
        }
        let text = format!("does not vary within class {label}; its variance was raised to {floor:.3e}");
        self.notices.push(Notice::new(notice::VARIANCE_FLOOR, text).column(column).level(label));
        Ok(floor)
    }

    /// Normal-inverse-gamma posteriors around the column's overall mean and variance, which makes them independent of
    /// the user's units: μ | σ² ~ N(m0, σ²/κ0), σ² ~ scaled inverse χ²(ν0, s0²).
    fn students(&mut self, cells: &Cells, columns: Vec<usize>) -> Result<()> {
        let width = columns.len();
        let overall = &cells.overall;
        let variances: Vec<f64> = overall.iter().map(|m| m.squares / m.weight).collect();
        let mean_variance = variances.iter().sum::<f64>() / width as f64;
        let groups = match self.settings.tying {
            Tying::PerClass => self.classes * width,
            Tying::PerColumn => width,
            Tying::Single => 1,
        };
        let prior_variance = |at: usize| if self.settings.tying == Tying::Single { mean_variance } else { variances[at] };
        let mut posterior = vec![None; groups];
        let mut evidence = 0.0;
        for k in 0..self.classes {
            for (at, cell) in cells.by_class[k].iter().enumerate() {
                let start = PRIOR_FREEDOM * prior_variance(at);
                let (freedom, squares) = posterior[self.variance_group(k, at, width)].get_or_insert((PRIOR_FREEDOM, start));
                let rows = PRIOR_MEAN_ROWS + cell.weight;
                let delta = if cell.weight > 0.0 { cell.mean - overall[at].mean } else { 0.0 };
                *freedom += cell.weight;
                *squares += cell.squares + PRIOR_MEAN_ROWS * cell.weight / rows * delta * delta;
                // A density in working units is turned into one in the user's units.
                evidence += 0.5 * (PRIOR_MEAN_ROWS / rows).ln() + cell.weight * (cells.units[at].ln() - 0.5 * std::f64::consts::PI.ln());
            }
        }
        let mut part = StudentPart {
            columns: columns.clone(),
            locations: Vec::new(),
            scales: Vec::new(),
            freedom: Vec::new(),
            joint: self.settings.tying == Tying::Single,
        };
        for (group, found) in posterior.iter().enumerate() {
            let (freedom, squares) = found.ok_or_else(|| Self::lacking("posterior"))?;
            let start = PRIOR_FREEDOM * prior_variance(group % width);
            evidence += 0.5 * (PRIOR_FREEDOM * start.ln() - freedom * squares.ln())
                + ln_gamma_ratio(0.5 * PRIOR_FREEDOM, 0.5 * (freedom - PRIOR_FREEDOM));
        }
        for k in 0..self.classes {
            for (at, cell) in cells.by_class[k].iter().enumerate() {
                let rows = PRIOR_MEAN_ROWS + cell.weight;
                let (freedom, squares) = posterior[self.variance_group(k, at, width)].ok_or_else(|| Self::lacking("posterior"))?;
                part.locations.push((PRIOR_MEAN_ROWS * overall[at].mean + cell.weight * cell.mean) / rows / cells.units[at]);
                part.scales.push((squares / freedom * (1.0 + 1.0 / rows)).sqrt() / cells.units[at]);
                part.freedom.push(freedom);
            }
        }
        self.add_evidence(evidence);
        self.parts.push(Part::Student(part));
        Ok(())
    }
}
