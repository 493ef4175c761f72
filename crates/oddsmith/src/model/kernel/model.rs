//! A fitted kernel model: f_k(x) = c_k + Σ_m a_km K(l_m, x) over the landmarks l. Of a logistic fit these are log odds against the first
//! class, of least squares margins of every class.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::landmarks::Landmarks;
use super::learner::{LEAST_SQUARES, LOGISTIC};
use crate::card::{Card, Cell, FixedTable};
use crate::data::design::MissingPolicy;
use crate::data::{Features, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::model::linear::covariances;
use crate::model::on_design::{DesignFrame, DesignReader};
use crate::model::{Additive, Classifier, RowLimits, Scale, Scores, Uncertainty};
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

/// Version of the stored content.
const VERSION: u32 = 1;

/// Constants and weights of φ(x), output after output.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted {
    pub(super) outputs: Vec<(f64, Vec<f64>)>,
    pub(super) logistic: bool,
}

impl Fitted {
    /// Of every output the constant and then the weights.
    pub(super) fn parameters(&self) -> Vec<f64> {
        self.outputs.iter().flat_map(|(constant, weights)| std::iter::once(*constant).chain(weights.iter().copied())).collect()
    }

    /// A logistic fit with these parameters, so many of each output.
    pub(super) fn of_parameters(parameters: &[f64], width: usize) -> Self {
        let outputs = parameters.chunks_exact(width).map(|own| (own[0], own[1..].to_vec())).collect();
        Fitted { outputs, logistic: true }
    }
}

/// How the fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) ridge: f64,
    pub(super) missing: MissingPolicy,
    pub(super) notices: Vec<Notice>,
}

/// Landmarks and their weights.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelModel {
    frame: Arc<DesignFrame>,
    landmarks: Landmarks,
    logistic: bool,
    constants: Vec<f64>,
    /// Weights of the landmarks, output after output.
    weights: Vec<f64>,
    /// Covariance of the constants and weights of φ(x), where it was computed.
    covariance: Option<Vec<f64>>,
    classes: ClassWeights,
    account: Account,
}

impl KernelModel {
    pub(super) fn new(
        frame: &Arc<DesignFrame>,
        landmarks: Landmarks,
        fitted: &Fitted,
        covariance: Option<Vec<f64>>,
        classes: ClassWeights,
        account: Account,
    ) -> Self {
        let constants = fitted.outputs.iter().map(|(constant, _)| *constant).collect();
        let weights = fitted.outputs.iter().flat_map(|(_, weights)| landmarks.weights(weights)).collect();
        KernelModel { frame: Arc::clone(frame), landmarks, logistic: fitted.logistic, constants, weights, covariance, classes, account }
    }

    /// Number of landmarks.
    pub fn landmarks(&self) -> usize {
        self.landmarks.len()
    }

    /// Whether rows that are no landmarks would add nothing.
    pub fn is_exact(&self) -> bool {
        self.landmarks.exact
    }

    fn name(&self) -> &'static str {
        if self.logistic { LOGISTIC } else { LEAST_SQUARES }
    }
}

impl Classifier for KernelModel {
    fn layout(&self) -> &Layout {
        self.frame.layout()
    }

    fn tag(&self) -> &'static str {
        self.name()
    }

    fn scale(&self) -> Scale {
        if self.logistic { Scale::LogPosterior } else { Scale::Margin }
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        let (classes, width, size) = (self.frame.classes(), self.frame.width(), self.landmarks.len());
        out.reset(rows.rows(), &vec![0.0; classes]);
        let (values, _) = out.parts_mut();
        let (mut units, mut likeness) = (Vec::new(), Vec::new());
        let first = classes - self.constants.len();
        DesignReader::default().for_rows(&self.frame, rows, |block| {
            for i in 0..block.rows {
                let row = &mut values[(block.first + i) * classes..(block.first + i + 1) * classes];
                if !block.is_whole(i) {
                    row.fill(f64::NAN);
                    continue;
                }
                self.landmarks.in_units(&block.cells[i * width..(i + 1) * width], &mut units);
                self.landmarks.likeness(&units, &mut likeness);
                for (m, constant) in self.constants.iter().enumerate() {
                    let own = &self.weights[m * size..(m + 1) * size];
                    row[first + m] = constant + own.iter().zip(&likeness).map(|(a, k)| a * k).sum::<f64>();
                }
            }
            Ok(())
        })
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Err(ErrorKind::Unsupported {
            model: self.name().into(),
            what: "split its scores into addends".into(),
            advice: "its scores are sums over landmarks and not over columns".into(),
        }
        .into())
    }

    fn limits(&self) -> Option<&dyn RowLimits> {
        self.covariance.as_ref().map(|_| self as &dyn RowLimits)
    }

    /// A constant and a weight of every landmark, of all classes but one.
    fn free_parameters(&self) -> usize {
        (self.frame.classes() - 1) * (1 + self.landmarks.len())
    }

    fn card(&self) -> Card {
        let labels = self.layout().classes().labels();
        let first = labels.len() - self.constants.len();
        let mut tidy = FixedTable::new("tidy", ["class", "term", "estimate"]);
        for (m, constant) in self.constants.iter().enumerate() {
            let label = labels[first + m].as_str();
            tidy.push([label.into(), "(Intercept)".into(), (*constant).into()]);
            let own = &self.weights[m * self.landmarks.len()..(m + 1) * self.landmarks.len()];
            own.iter().enumerate().for_each(|(at, a)| tidy.push([label.into(), format!("landmark {}", at + 1).into(), (*a).into()]));
        }
        let carried = if self.landmarks.exact { "all that other rows could" } else { "part of what other rows could" };
        let mut facts: Vec<(String, Cell)> = vec![
            ("rows".into(), self.classes.total_rows().into()),
            ("kernel".into(), self.landmarks.kernel.describe().into()),
            ("landmarks".into(), self.landmarks.len().into()),
            ("landmarks say".into(), carried.into()),
            ("ridge".into(), self.account.ridge.into()),
            ("free parameters".into(), self.free_parameters().into()),
        ];
        if !self.logistic {
            facts.push(("scores".into(), "margins: calibrate them to have probabilities".into()));
        }
        let title = if self.logistic { "Kernel logistic regression" } else { "Kernel least squares" };
        Card { title: title.into(), facts, tidy: tidy.into(), notices: self.notices(), ..Card::default() }
    }

    fn notices(&self) -> Vec<Notice> {
        self.account.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new(self.name(), VERSION, &serde_json::json!({}))?;
        record.put_part("account", &self.account)?;
        self.frame.write(&mut record)?;
        self.classes.write(&mut record)?;
        self.landmarks.write(&mut record)?;
        record.put("constants", &self.constants);
        record.put("weights", &self.weights);
        self.covariance.iter().for_each(|covariance| record.put("covariance", covariance));
        Ok(record)
    }
}

impl RowLimits for KernelModel {
    fn uncertainty(&self, rows: &Features<'_>, out: &mut Uncertainty) -> Result<()> {
        let (outputs, width, size) = (self.constants.len(), self.frame.width(), self.landmarks.len());
        out.reset(outputs + 1);
        let Some(covariance) = &self.covariance else { return Err(Error::internal("limits of a model that has none")) };
        let (mut units, mut likeness, mut features, mut forms) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut eta, mut z) = (vec![0.0; outputs], vec![1.0; 1 + size]);
        DesignReader::default().for_rows(&self.frame, rows, |block| {
            features.clear();
            let row = |i: usize| &block.cells[i * width..(i + 1) * width];
            self.landmarks.features_of((0..block.rows).map(row), &mut features);
            for i in 0..block.rows {
                self.landmarks.in_units(row(i), &mut units);
                self.landmarks.likeness(&units, &mut likeness);
                for (m, eta) in eta.iter_mut().enumerate() {
                    let own = &self.weights[m * size..(m + 1) * size];
                    *eta = self.constants[m] + own.iter().zip(&likeness).map(|(a, k)| a * k).sum::<f64>();
                    *eta = if block.is_whole(i) { *eta } else { f64::NAN };
                }
                z[1..].copy_from_slice(&features[i * size..(i + 1) * size]);
                covariances(covariance, outputs, &z, &mut forms);
                (0..=outputs).for_each(|k| out.push(k, &eta, &forms));
            }
            Ok(())
        })
    }
}

pub(super) fn read_logistic(record: &Record) -> Result<Box<dyn Classifier>> {
    read(record, LOGISTIC, true)
}

pub(super) fn read_least_squares(record: &Record) -> Result<Box<dyn Classifier>> {
    read(record, LEAST_SQUARES, false)
}

fn read(record: &Record, name: &str, logistic: bool) -> Result<Box<dyn Classifier>> {
    record.expect(name, VERSION)?;
    let account: Account = record.part("account")?;
    let frame = Arc::new(DesignFrame::read(record)?);
    if frame.classes() < 2 {
        return Err(fault("fewer than two classes"));
    }
    let landmarks = Landmarks::read(record, frame.width())?;
    let outputs = frame.classes() - usize::from(logistic);
    let cells = landmarks.len().checked_mul(outputs).ok_or_else(|| fault("a shape is too large"))?;
    let (constants, weights) = (record.numbers("constants", outputs)?, record.numbers("weights", cells)?);
    let covariance = match record.arrays.contains_key("covariance") && logistic {
        true => {
            let size = outputs + cells;
            let squared = size.checked_mul(size).ok_or_else(|| fault("a shape is too large"))?;
            Some(record.numbers("covariance", squared)?)
        }
        false => None,
    };
    let classes = ClassWeights::read(record, frame.classes())?;
    Ok(Box::new(KernelModel { frame, landmarks, logistic, constants, weights, covariance, classes, account }))
}
