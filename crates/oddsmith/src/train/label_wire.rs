//! Labels coded by the probabilities that a model gives to rows that both ends have, and what that costs.
//!
//! A label of probability p takes −log2 p bits by arithmetic coding, so the file is as long as the log loss of the model in bits, within
//! two bytes and what integers of 32 bits round. Rows are scored one by one: what a row's probability is must not depend on its neighbours
//! in a batch, which the other end may read otherwise. A row without a prediction has equal probabilities. Beside it stands what the
//! labels take without any model (Krichevsky and Trofimov). Cost: a score and K − 1 decisions a row.

use crate::card::Cell;
use crate::data::{Features, Rows, SKIP};
use crate::error::{DataFault, Result};
use crate::info::code::{ClassProbabilities, RangeDecoder, RangeEncoder};
use crate::info::krichevsky_trofimov_bits;
use crate::model::{Classifier, Predictions, Predictor};
use crate::num::log_sum_exp;
use crate::num::logspace::NeumaierSum;
use crate::persist::LabelFile;

/// Writes labels.
pub struct LabelWriter<'a> {
    rows: RowProbabilities<'a>,
    encoder: RangeEncoder,
    labels: Vec<u32>,
    ideal: NeumaierSum,
    log_loss: NeumaierSum,
    without_prediction: u64,
}

/// Labels as they are sent, and what they cost.
#[derive(Debug, Clone, PartialEq)]
pub struct SentLabels {
    /// The coded labels.
    pub file: LabelFile,
    /// −Σ log2 of the integers that were used.
    pub ideal_bits: f64,
    /// −Σ log2 p of the labels, the log loss in bits; infinite where the model says that a label is impossible. Rows without a prediction
    /// have equal probabilities.
    pub log_loss_bits: f64,
    /// What the labels take by a code that knows nothing of the rows.
    pub base_rate_bits: f64,
    /// Rows without a prediction.
    pub without_prediction: u64,
}

impl SentLabels {
    /// Bits of the coded labels.
    pub fn stream_bits(&self) -> u64 {
        8 * self.file.stream.len() as u64
    }

    /// What whole numbers of 32 bits cost more than the log loss. Where a model finds a label less likely than 2⁻³² they cost less, and
    /// infinitely less where it finds it impossible, because everything has a code.
    pub fn rounding_bits(&self) -> f64 {
        self.ideal_bits - self.log_loss_bits
    }

    /// All figures, by name: the ledger of what was sent. `model_bytes` is the size of the model file.
    pub fn ledger(&self, model_bytes: u64) -> Vec<(String, Cell)> {
        let (rows, stream) = (self.file.rows, self.stream_bits());
        let per_row = |bits: f64| if rows > 0 { Cell::Number(bits / rows as f64) } else { Cell::Empty };
        vec![
            ("rows".into(), rows.into()),
            ("file bytes".into(), self.file.to_bytes().len().into()),
            ("stream bits".into(), stream.into()),
            ("ideal bits".into(), self.ideal_bits.into()),
            ("log loss bits".into(), self.log_loss_bits.into()),
            ("rounding bits".into(), self.rounding_bits().into()),
            ("base rate bits".into(), self.base_rate_bits.into()),
            ("saved bits".into(), (self.base_rate_bits - stream as f64).into()),
            ("bits per label".into(), per_row(stream as f64)),
            ("base rate bits per label".into(), per_row(self.base_rate_bits)),
            ("model bits".into(), (8 * model_bytes).into()),
            ("rows without prediction".into(), self.without_prediction.into()),
        ]
    }
}

impl<'a> LabelWriter<'a> {
    /// Codes by a model that gives probabilities.
    pub fn new(model: &'a dyn Classifier) -> Self {
        LabelWriter {
            rows: RowProbabilities::new(model),
            encoder: RangeEncoder::default(),
            labels: Vec::new(),
            ideal: NeumaierSum::default(),
            log_loss: NeumaierSum::default(),
            without_prediction: 0,
        }
    }

    /// Adds the labels of those rows of a batch that count.
    pub fn push_counted(&mut self, rows: &Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        labels.iter().enumerate().filter(|(_, label)| **label != SKIP).try_for_each(|(i, label)| self.add(&rows.features, i, *label))
    }

    /// Adds the labels of a batch, whose first row is `first_row` of the table, from 0. Every row must have one of the model's classes.
    pub fn push(&mut self, features: &Features<'_>, labels: &[u32], first_row: u64) -> Result<()> {
        let classes = self.rows.model.layout().classes().len();
        for (i, &label) in labels.iter().enumerate() {
            if label as usize >= classes {
                let fault = DataFault::new("the row has no label that could be sent").column(self.rows.model.layout().target());
                return Err(fault.row(first_row + i as u64 + 1).accepted("leave such rows out").into());
            }
            self.add(features, i, label)?;
        }
        Ok(())
    }

    fn add(&mut self, features: &Features<'_>, i: usize, label: u32) -> Result<()> {
        self.rows.of_row(features, i)?;
        let log_p = self.rows.log_probability(label as usize);
        self.without_prediction += u64::from(log_p.is_none());
        let even = || libm::log2(self.rows.model.layout().classes().len() as f64);
        self.log_loss.add(log_p.map_or_else(even, |log_p| -log_p * std::f64::consts::LOG2_E));
        let code = &self.rows.code;
        self.ideal.add(code.bits(label as usize));
        code.encode(label as usize, &mut self.encoder);
        self.labels.push(label);
        Ok(())
    }

    /// The labels as they are sent; `model_file` holds the bytes of the model.
    pub fn finish(self, model_file: &[u8]) -> SentLabels {
        let classes = self.rows.model.layout().classes().len();
        let mut counts = vec![0.0; classes];
        self.labels.iter().for_each(|label| counts[*label as usize] += 1.0);
        let file = LabelFile {
            model: LabelFile::model_sum(model_file),
            classes: classes as u32,
            rows: self.labels.len() as u64,
            labels_sum: LabelFile::sum_of_labels(&self.labels),
            stream: self.encoder.finish(),
        };
        SentLabels {
            file,
            ideal_bits: self.ideal.value(),
            log_loss_bits: self.log_loss.value(),
            base_rate_bits: krichevsky_trofimov_bits(&counts),
            without_prediction: self.without_prediction,
        }
    }
}

/// Reads labels back.
pub struct LabelReader<'a> {
    rows: RowProbabilities<'a>,
    decoder: RangeDecoder<'a>,
    file: &'a LabelFile,
    labels: Vec<u32>,
}

impl<'a> LabelReader<'a> {
    /// Decodes by the model that coded them.
    pub fn new(model: &'a dyn Classifier, file: &'a LabelFile) -> Self {
        LabelReader { rows: RowProbabilities::new(model), decoder: RangeDecoder::new(&file.stream), file, labels: Vec::new() }
    }

    /// Reads the labels of those rows of a batch that count.
    pub fn push_counted(&mut self, rows: &Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        (0..labels.len()).filter(|&i| labels[i] != SKIP).try_for_each(|i| self.read(&rows.features, i))
    }

    /// Reads the labels of a batch of rows.
    pub fn push(&mut self, features: &Features<'_>) -> Result<()> {
        (0..features.rows()).try_for_each(|i| self.read(features, i))
    }

    fn read(&mut self, features: &Features<'_>, i: usize) -> Result<()> {
        if self.labels.len() as u64 >= self.file.rows {
            return Err(DataFault::new(format!("the table has more rows than the {} labels that were sent", self.file.rows)).into());
        }
        self.rows.of_row(features, i)?;
        self.labels.push(self.rows.code.decode(&mut self.decoder) as u32);
        Ok(())
    }

    /// The labels, when they are those that were sent.
    pub fn finish(self) -> Result<Vec<u32>> {
        let (read, sent) = (self.labels.len() as u64, self.file.rows);
        if read < sent {
            return Err(DataFault::new(format!("the table has {read} rows for the {sent} labels that were sent")).into());
        }
        self.decoder.finish()?;
        self.file.check_labels(&self.labels)?;
        Ok(self.labels)
    }
}

/// Probabilities of single rows.
struct RowProbabilities<'a> {
    model: &'a dyn Classifier,
    predictions: Predictions,
    code: ClassProbabilities,
}

impl<'a> RowProbabilities<'a> {
    fn new(model: &'a dyn Classifier) -> Self {
        RowProbabilities { model, predictions: Predictions::new(), code: ClassProbabilities::even(model.layout().classes().len()) }
    }

    /// Takes over the probabilities of a row.
    fn of_row(&mut self, features: &Features<'_>, i: usize) -> Result<()> {
        let mut words = Vec::new();
        let row = features.slice(i, i + 1, &mut words);
        Predictor::new(self.model).predict(&row, &mut self.predictions)?;
        self.code.set(self.predictions.row(0));
        Ok(())
    }

    /// ln p of a class of the row, from its scores: a probability that rounds to 0 still has a logarithm. `None` without a prediction.
    fn log_probability(&self, class: usize) -> Option<f64> {
        let scores = self.predictions.scores().row(0);
        let log_p = scores[class] - log_sum_exp(scores);
        // A class that is impossible beside others that are not.
        if scores[class] == f64::NEG_INFINITY && scores.iter().any(|score| score.is_finite()) {
            return Some(f64::NEG_INFINITY);
        }
        (!log_p.is_nan()).then_some(log_p)
    }
}
