//! Rows of two classes in the order of their scores: what every figure of discrimination and calibration is read from.

use numpy::{PyArray1, PyReadonlyArray1};
use oddsmith::data::Weighting;
use oddsmith::error::Error;
use oddsmith::eval::{
    self, Aim, Auc, CalibrationLine, Estimate, Metric, Reliability, Roc, ScoreScale, Undefined, average_precision, calibration_error,
    choose_threshold, hosmer_lemeshow, lift, missing, net_benefit, paired_areas, precision_recall,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::edge::{raise, undefined};
use crate::work;

/// Value and ends of an interval, and why there is none.
pub(crate) type Interval = (f64, Option<f64>, Option<f64>, Option<String>);

/// An estimate as Python takes it.
pub(crate) fn interval(estimate: Estimate) -> Interval {
    let (low, high) = estimate.interval.unzip();
    (estimate.value, low, high, missing(&Ok(estimate)))
}

/// What weights mean, by name.
pub(crate) fn weighting(name: &str) -> oddsmith::Result<Weighting> {
    match name {
        "none" => Ok(Weighting::None),
        "frequency" => Ok(Weighting::Frequency),
        "sampling" => Ok(Weighting::Sampling),
        other => Err(Error::option("weighting", other, "frequency or sampling")),
    }
}

/// Ranked rows.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Ranking {
    ranking: eval::Ranking,
    weighting: Weighting,
}

/// Columns of a table as arrays.
fn columns<'py>(py: Python<'py>, names: &[&str], rows: &[Vec<f64>]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    for (at, name) in names.iter().enumerate() {
        let cells: Vec<f64> = rows.iter().map(|row| row[at]).collect();
        table.set_item(name, PyArray1::from_vec(py, cells))?;
    }
    Ok(table)
}

impl Ranking {
    fn curve<'py>(&self, py: Python<'py>, what: &str, names: &[&str], rows: Metric<Vec<Vec<f64>>>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, names, &rows.map_err(|reason| undefined(py, what, &reason))?)
    }
}

#[pymethods]
impl Ranking {
    /// Ranks rows by "probability", "log-odds" or mere "order".
    #[new]
    fn new(
        py: Python<'_>,
        scores: PyReadonlyArray1<'_, f64>,
        events: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        scale: &str,
        meaning: &str,
    ) -> PyResult<Self> {
        let scale = match scale {
            "probability" => ScoreScale::Probability,
            "log-odds" => ScoreScale::LogOdds,
            _ => ScoreScale::Order,
        };
        let weighting = weighting(meaning).map_err(|error| raise(py, error))?;
        let (scores, events) = (scores.as_slice()?, events.as_slice()?);
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let ranking = work::run(py, scores.len().saturating_mul(16), |_| Ok(eval::Ranking::of_labels(scores, events, weights, 1, scale)))?;
        Ok(Ranking { ranking, weighting })
    }

    /// The area under the ROC curve with DeLong's interval.
    fn auc(&self, py: Python<'_>) -> PyResult<Interval> {
        let area = Auc::of(&self.ranking, self.weighting).map_err(|reason| undefined(py, "auc", &reason))?;
        Ok(interval(area.estimate()))
    }

    /// DeLong's variance of the area; none where a class has one row only.
    fn auc_variance(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(Auc::of(&self.ranking, self.weighting).map_err(|reason| undefined(py, "auc", &reason))?.variance)
    }

    /// Average precision.
    fn average_precision(&self, py: Python<'_>) -> PyResult<f64> {
        average_precision(&self.ranking).map_err(|reason| undefined(py, "average precision", &reason))
    }

    /// Intercept (with the slope held at 1) and slope of the log odds.
    fn calibration(&self, py: Python<'_>, which: &str) -> PyResult<Interval> {
        let line = CalibrationLine::of(&self.ranking, self.weighting);
        let figure = if which == "slope" { line.slope } else { line.intercept };
        figure.map(interval).map_err(|reason| undefined(py, &format!("the calibration {which}"), &reason))
    }

    /// The expected calibration error and what chance alone would give.
    fn ece(&self, py: Python<'_>, bins: usize) -> PyResult<(Interval, f64)> {
        let error = calibration_error(&self.ranking, bins, self.weighting).map_err(|reason| undefined(py, "ece", &reason))?;
        Ok((interval(error.error), error.by_chance))
    }

    /// Statistic, degrees of freedom and p-value of Hosmer and Lemeshow's test, and its groups.
    fn hosmer_lemeshow<'py>(&self, py: Python<'py>, groups: usize) -> PyResult<(f64, usize, f64, Bound<'py, PyDict>)> {
        let test = hosmer_lemeshow(&self.ranking, groups, self.weighting);
        let test = test.map_err(|reason| undefined(py, "Hosmer and Lemeshow's test", &reason))?;
        let rows: Vec<Vec<f64>> = test.groups.iter().map(|group| vec![group.upper, group.rows, group.observed, group.expected]).collect();
        let table = columns(py, &["highest_predicted", "weight", "observed", "expected"], &rows)?;
        Ok((test.chi_squared, test.df, test.p_value, table))
    }

    /// The steps of the reliability curve, and the parts of the Brier score: reliability, resolution, uncertainty.
    fn reliability<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, (f64, f64, f64))> {
        let curve = Reliability::of(&self.ranking, self.weighting).map_err(|reason| undefined(py, "the reliability curve", &reason))?;
        let row = |step: &eval::ReliabilityStep| {
            vec![step.range.0, step.range.1, step.predicted, step.observed, step.band.0, step.band.1, step.weight]
        };
        let rows: Vec<Vec<f64>> = curve.steps.iter().map(row).collect();
        let names = ["predicted_low", "predicted_high", "predicted", "observed", "band_low", "band_high", "weight"];
        Ok((columns(py, &names, &rows)?, (curve.miscalibration, curve.discrimination, curve.uncertainty)))
    }

    /// The ROC curve from the highest threshold down.
    fn roc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = Roc::of(&self.ranking).map(|roc| {
            let row = |point: &eval::RocPoint| vec![point.threshold, roc.sensitivity(point), 1.0 - roc.specificity(point)];
            roc.points.iter().map(row).collect()
        });
        self.curve(py, "the ROC curve", &["threshold", "true_positive_rate", "false_positive_rate"], rows)
    }

    /// Precision against recall from the highest threshold down.
    fn precision_recall<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = precision_recall(&self.ranking)
            .map(|points| points.iter().map(|point| vec![point.threshold, point.precision, point.recall]).collect());
        self.curve(py, "the precision-recall curve", &["threshold", "precision", "recall"], rows)
    }

    /// Net benefit at rising thresholds.
    fn net_benefit<'py>(&self, py: Python<'py>, thresholds: Vec<f64>) -> PyResult<Bound<'py, PyDict>> {
        let rows = net_benefit(&self.ranking, &thresholds)
            .map(|points| points.iter().map(|point| vec![point.threshold, point.model, point.all]).collect());
        self.curve(py, "net benefit", &["threshold", "net_benefit", "net_benefit_of_all"], rows)
    }

    /// Gains and lift at equal parts of the rows, from the top.
    fn lift<'py>(&self, py: Python<'py>, parts: usize) -> PyResult<Bound<'py, PyDict>> {
        let rows = lift(&self.ranking, parts).map(|table| table.iter().map(|row| vec![row.share, row.gain, row.lift, row.rate]).collect());
        self.curve(py, "lift", &["share_of_rows", "share_of_events", "lift", "rate"], rows)
    }

    /// The threshold for an aim: its value with an interval, and shares at it by name.
    fn threshold<'py>(
        &self,
        py: Python<'py>,
        aim: &str,
        value: Option<f64>,
        costs: Option<(f64, f64)>,
        seed: u64,
    ) -> PyResult<(Interval, Bound<'py, PyDict>)> {
        let aim = match (aim, value, costs) {
            ("costs", _, Some((false_alarm, miss))) => Aim::Costs { false_alarm, miss },
            ("prevalence", ..) => Aim::Prevalence,
            ("youden", ..) => Aim::Youden,
            ("sensitivity", Some(share), _) => Aim::Sensitivity(share),
            ("specificity", Some(share), _) => Aim::Specificity(share),
            ("precision", Some(share), _) => Aim::Precision(share),
            _ => return Err(raise(py, Error::option("aim", aim, "youden, prevalence, costs, sensitivity, specificity or precision"))),
        };
        let cut = choose_threshold(&self.ranking, aim, self.weighting, seed).map_err(|reason| undefined(py, "the threshold", &reason))?;
        let shares = PyDict::new(py);
        let parts = [
            ("sensitivity", &cut.sensitivity),
            ("specificity", &cut.specificity),
            ("precision", &cut.precision),
            ("negative_predictive_value", &cut.negative_predictive_value),
            ("predicted_positive", &cut.called),
        ];
        for (name, figure) in parts {
            let none = |reason: &Undefined| (f64::NAN, None, None, Some(format!("no value: {reason}")));
            let share = figure.as_ref().map_or_else(none, |estimate| interval(*estimate));
            shares.set_item(name, share)?;
        }
        Ok((interval(cut.threshold), shares))
    }
}

/// DeLong's test of two scores of the same rows: both areas, the difference with its variance, z and p.
#[pyfunction]
pub(crate) fn delong(
    py: Python<'_>,
    first: PyReadonlyArray1<'_, f64>,
    second: PyReadonlyArray1<'_, f64>,
    events: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    meaning: &str,
) -> PyResult<(f64, f64, f64, Option<f64>, f64)> {
    let weighting = weighting(meaning).map_err(|error| raise(py, error))?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let pair = paired_areas([first.as_slice()?, second.as_slice()?], events.as_slice()?, weights, 1, weighting);
    let pair = pair.map_err(|reason| undefined(py, "DeLong's test", &reason))?;
    Ok((pair.areas[0], pair.areas[1], pair.variance(), pair.z(), pair.p_value()))
}
