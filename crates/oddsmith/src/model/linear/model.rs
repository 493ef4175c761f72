//! A fitted logistic or softmax regression.
//!
//! log p(k|x) − log p(0|x) = a_k + Σ_j β_kj (x_j − c_j) + offset, with x the columns of the design and c their means: the
//! centred form keeps its digits for dates and other large offsets.

use std::sync::Arc;

use crate::card::Card;
use crate::data::{Design, DesignBlock, Features, Layout};
use crate::error::{ErrorKind, Result};
use crate::model::linear::fit::sparse;
use crate::model::linear::infer::account::{Account, Method};
use crate::model::linear::rise::Rise;
use crate::model::linear::wide_scores::WideScores;
use crate::model::{Additive, Classifier, Contributions, Evidence, EvidenceOf, Inference, LinearLogOdds, RowLimits, Scale, Scores};
use crate::notice::Notice;
use crate::num::MatrixView;
use crate::num::kernel::{LinearScores, Panel};
use crate::record::Record;

/// Rows that are expanded at a time.
const BLOCK_ROWS: usize = 512;

/// Coefficients and what is known about them.
#[derive(Debug, Clone)]
pub struct LogisticModel {
    pub(crate) layout: Arc<Layout>,
    pub(crate) design: Arc<Design>,
    pub(crate) parameters: Parameters,
    pub(crate) precision: Option<Covariance>,
    pub(crate) account: Account,
    scores: LinearScores,
}

/// Coefficients of all outputs (classes but the first).
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// Log odds at the centre, per output.
    pub base: Vec<f64>,
    /// Means of the design columns.
    pub centre: Vec<f64>,
    /// Standard deviations of the design columns.
    pub spread: Vec<f64>,
    /// Coefficients, output after output; zero for columns that carry none.
    pub coefficients: Vec<f64>,
    /// Design columns that carry a coefficient.
    pub kept: Vec<usize>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// Coefficients of words, word after word.
    pub words: Vec<f64>,
    /// The direction along which coefficients are infinite, if there is one.
    pub rise: Option<Rise>,
}

/// Covariance and limits of the estimated parameters: intercept (if any) and kept columns of every output, output after output.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    /// In the user's units, row after row.
    pub matrix: Vec<f64>,
    /// The same with log odds at the centre of the columns in place of intercepts: it keeps its digits for large offsets.
    pub centred: Vec<f64>,
    /// Lower ends of the intervals; minus infinity where there is none.
    pub lower: Vec<f64>,
    /// Upper ends.
    pub upper: Vec<f64>,
}

impl Parameters {
    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.base.len()
    }

    /// Parameters of one output without words.
    pub fn width(&self) -> usize {
        self.kept.len() + usize::from(self.intercept)
    }

    /// The intercept of output `m` in the user's units.
    pub fn intercept(&self, m: usize) -> f64 {
        if let Some(rise) = self.rise.as_ref().filter(|rise| rise.intercept != 0.0) {
            return f64::INFINITY.copysign(rise.intercept);
        }
        let columns = self.centre.len();
        let coefficients = &self.scored()[m * columns..(m + 1) * columns];
        // Small terms first would change little; a compensated sum keeps the digits of large offsets.
        let mut sum = crate::num::logspace::NeumaierSum::default();
        sum.add(self.base[m]);
        for (centre, beta) in self.centre.iter().zip(coefficients) {
            sum.add(-centre * beta);
        }
        sum.value()
    }

    /// The coefficients of output `m`, one per design column.
    pub fn of(&self, m: usize) -> &[f64] {
        let columns = self.centre.len();
        &self.coefficients[m * columns..(m + 1) * columns]
    }

    /// Estimated parameters in the order of [`Covariance`].
    pub fn estimates(&self) -> Vec<f64> {
        let one = |m: usize| {
            let intercept = self.intercept.then(|| self.intercept(m));
            intercept.into_iter().chain(self.kept.iter().map(move |&j| self.of(m)[j])).collect::<Vec<_>>()
        };
        (0..self.outputs()).flat_map(one).collect()
    }
}

impl LogisticModel {
    pub(crate) fn new(
        layout: Arc<Layout>,
        design: Arc<Design>,
        parameters: Parameters,
        precision: Option<Covariance>,
        account: Account,
    ) -> Self {
        let scores = LinearScores::new(&parameters.base, parameters.scored(), &parameters.centre);
        LogisticModel { layout, design, parameters, precision, account, scores }
    }

    /// The same model over a layout that has its columns among others.
    pub(in crate::model::linear) fn over(&self, layout: &Layout) -> Result<LogisticModel> {
        if *layout == *self.layout {
            return Ok(self.clone());
        }
        let design = Arc::new(self.design.relocated(layout)?);
        let (parameters, precision, account) = (self.parameters.clone(), self.precision.clone(), self.account.clone());
        Ok(LogisticModel::new(Arc::new(layout.clone()), design, parameters, precision, account))
    }

    /// See [`Inference::moved`]. `None` for a model that has no intercept, and for a posterior, whose mean does not move with it.
    pub(in crate::model::linear) fn moved_by(&self, from: Option<&[f64]>, offsets: &[f64]) -> Option<LogisticModel> {
        let classes = self.layout.classes().len();
        if !self.parameters.intercept || self.account.method == Method::Bayes || offsets.len() != classes {
            return None;
        }
        let mut model = self.clone();
        let width = self.parameters.width();
        for m in 0..classes - 1 {
            let by = offsets[m + 1] - offsets[0];
            model.parameters.base[m] += by;
            if let Some(precision) = &mut model.precision {
                precision.lower[m * width] += by;
                precision.upper[m * width] += by;
            }
        }
        let before = from.map(<[f64]>::to_vec).or_else(|| self.known_proportions()).unwrap_or_default();
        let weights: Vec<f64> = before.iter().zip(offsets).map(|(proportion, offset)| proportion * offset.exp()).collect();
        let (total, sample) = (weights.iter().sum::<f64>(), &mut model.account.sample);
        sample.class_proportions = weights.iter().map(|weight| weight / total).collect();
        sample.moved_by.resize(classes, 0.0);
        sample.moved_by.iter_mut().zip(offsets).for_each(|(sum, offset)| *sum += offset);
        Some(LogisticModel::new(model.layout, model.design, model.parameters, model.precision, model.account))
    }

    /// See [`Inference::class_proportions`]. Files of earlier versions hold the weights of the classes, which class weights of the fit may
    /// have changed.
    pub(in crate::model::linear) fn known_proportions(&self) -> Option<Vec<f64>> {
        let account = &self.account;
        let known = &account.sample.class_proportions;
        if !known.is_empty() {
            return Some(known.clone());
        }
        let weighted = account.notices.iter().any(|told| told.id == crate::notice::CLASS_WEIGHTS);
        let total: f64 = account.class_weights.iter().sum();
        (!weighted && account.sample.moved_by.is_empty()).then(|| account.class_weights.iter().map(|weight| weight / total).collect())
    }

    /// The design.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The coefficients.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Covariance and limits, for fits without a penalty.
    pub fn precision(&self) -> Option<&Covariance> {
        self.precision.as_ref()
    }

    /// How the fit was reached.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Whether predictions are averages over a posterior.
    pub(crate) fn is_averaged(&self) -> bool {
        self.account.method == Method::Bayes && self.precision.is_some()
    }

    /// Log odds of every output for the rows `lo..hi` of a batch; NaN for rows with a gap.
    pub(crate) fn log_odds(&self, rows: &Features<'_>, lo: usize, hi: usize, work: &mut LogOdds) -> Result<()> {
        let outputs = self.parameters.outputs();
        work.out.clear();
        work.out.resize((hi - lo) * outputs, 0.0);
        let in_place = self
            .design
            .plain_numbers()
            .is_some_and(|planes| planes.len() == rows.numbers.cols() && planes.iter().enumerate().all(|(at, plane)| at == *plane));
        if in_place {
            self.scores.score(rows.numbers.slice(lo, hi), &mut work.panel, &mut work.out);
        } else {
            let LogOdds { out, block, panel } = work;
            match WideScores::new(&self.design, &self.parameters) {
                Some(wide) if !self.is_infinite() => wide.score(rows, (lo, hi), block, panel, out)?,
                _ => {
                    self.design.expand(rows, lo, hi, block)?;
                    let x = match self.parameters.centre.len() {
                        0 => MatrixView::none(hi - lo),
                        columns => MatrixView::row_major(&block.cells, hi - lo, columns)?,
                    };
                    self.scores.score(x, panel, out);
                }
            }
            work.out.iter_mut().zip(&work.block.offset).for_each(|(score, offset)| *score += offset);
            for (scores, _) in work.out.chunks_exact_mut(outputs).zip(&work.block.gaps).filter(|(_, gap)| gap.feature().is_some()) {
                scores.fill(f64::NAN);
            }
        }
        let mut table = &self.parameters.words[..];
        for (csr, width) in rows.words.iter().zip(self.layout.word_widths()) {
            let (mine, rest) = table.split_at(width * outputs);
            sparse::add_scores(&csr.slice(lo, hi), mine, outputs, &mut work.out)?;
            table = rest;
        }
        self.decide(rows, lo, hi, work)
    }
}

/// Log odds of a block and the buffers they need.
#[derive(Debug, Default)]
pub(crate) struct LogOdds {
    pub(crate) out: Vec<f64>,
    pub(crate) block: DesignBlock,
    panel: Panel,
}

impl Classifier for LogisticModel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        "logistic"
    }

    fn scale(&self) -> Scale {
        Scale::LogPosterior
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        rows.check(&self.layout)?;
        let (count, outputs) = (rows.rows(), self.parameters.outputs());
        out.reset(count, &vec![0.0; outputs + 1]);
        let mut work = LogOdds::default();
        for lo in (0..count).step_by(BLOCK_ROWS) {
            let hi = count.min(lo + BLOCK_ROWS);
            self.log_odds(rows, lo, hi, &mut work)?;
            if self.is_averaged() {
                self.average(rows, lo, hi, &mut work.out)?;
            }
            let (values, _) = out.parts_mut();
            for (row, odds) in values[lo * (outputs + 1)..].chunks_exact_mut(outputs + 1).zip(work.out.chunks_exact(outputs)) {
                row[1..].copy_from_slice(odds);
                if odds[0].is_nan() {
                    row[0] = f64::NAN;
                } else if odds[0] == f64::INFINITY {
                    // The first class has no chance: a score of infinity would leave no number for the others.
                    row.copy_from_slice(&[f64::NEG_INFINITY, 0.0]);
                }
            }
        }
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        if self.is_infinite() {
            let advice = "some coefficients are infinite, and so is what their columns add; Firth's likelihood (firth) has finite ones";
            return Err(ErrorKind::Unsupported {
                model: self.card().title,
                what: "split its log odds into addends".into(),
                advice: advice.into(),
            }
            .into());
        }
        if !self.is_averaged() {
            return Ok(self);
        }
        // Averaging shrinks the log odds of a row by how little is known about rows like it.
        let advice = "they are averages over the posterior of the coefficients, which no sum over columns gives; a fit with the quadratic \
                      penalty 1/sd² in place of the prior has almost the same coefficients, and its log odds can be split";
        Err(ErrorKind::Unsupported { model: self.card().title, what: "split its log odds into addends".into(), advice: advice.into() }
            .into())
    }

    fn linear(&self) -> Option<LinearLogOdds> {
        self.as_linear_log_odds()
    }

    fn inference(&self) -> Option<&dyn Inference> {
        Some(self)
    }

    fn limits(&self) -> Option<&dyn RowLimits> {
        self.precision.as_ref().filter(|_| !self.is_infinite()).map(|_| self as &dyn RowLimits)
    }

    fn evidence(&self) -> Option<Evidence> {
        let ln = self.account.log_marginal_likelihood?;
        Some(Evidence { ln, of: EvidenceOf::Classes, is_laplace: true })
    }

    fn shows_every_cell(&self) -> bool {
        let numbers = self.layout.numbers().len();
        let whole = self.design.plain_numbers().is_some_and(|planes| planes.iter().copied().eq(0..numbers));
        whole && numbers + self.design.words().len() == self.layout.features().len()
    }

    /// Intercepts and coefficients of all classes but the first, words included.
    fn free_parameters(&self) -> usize {
        self.parameters.outputs() * self.parameters.width() + self.parameters.words.len()
    }

    fn card(&self) -> Card {
        self.describe()
    }

    fn notices(&self) -> Vec<Notice> {
        self.account.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        self.to_record()
    }
}

impl Additive for LogisticModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        rows.check(&self.layout)?;
        let outputs = self.parameters.outputs();
        let mut base: Vec<f64> = std::iter::once(0.0).chain(self.parameters.base.iter().copied()).collect();
        let (mut block, columns) = (DesignBlock::default(), self.parameters.centre.len());
        self.design.expand(rows, 0, rows.rows(), &mut block)?;
        if rows.rows() > 0 {
            // A constant offset is the same in every row.
            self.design.visit_offsets(&block, 0, |m, features, value| base[m + 1] += if features.is_empty() { value } else { 0.0 });
        }
        out.reset(rows.rows(), self.layout.features().len(), &base);
        for i in 0..rows.rows() {
            self.design.visit_offsets(&block, i, |m, features, value| {
                features.iter().for_each(|&feature| out.addends_mut(i, feature)[m + 1] += value / features.len() as f64);
            });
            for (j, column) in self.design.columns().iter().enumerate() {
                // An interaction belongs to all of its columns; each gets an equal share.
                let features = &self.design.terms()[column.term].features;
                for m in 0..outputs {
                    let addend = self.parameters.of(m)[j] * (block.cells[i * columns + j] - self.parameters.centre[j]);
                    for &feature in features {
                        out.addends_mut(i, feature)[m + 1] += addend / features.len() as f64;
                    }
                }
            }
        }
        let mut table = &self.parameters.words[..];
        for (plane, csr) in rows.words.iter().enumerate() {
            let (mine, rest) = table.split_at(csr.width * outputs);
            let mut scores = vec![0.0; rows.rows() * outputs];
            sparse::add_scores(csr, mine, outputs, &mut scores)?;
            for (i, scores) in scores.chunks_exact(outputs).enumerate() {
                let addends = out.addends_mut(i, self.layout.words()[plane]);
                addends[1..].iter_mut().zip(scores).for_each(|(addend, score)| *addend += score);
            }
            table = rest;
        }
        // A row without a prediction has nothing that adds up to it.
        for (i, _) in block.gaps.iter().enumerate().filter(|(_, gap)| gap.feature().is_some()) {
            (0..self.layout.features().len()).for_each(|feature| out.addends_mut(i, feature).fill(f64::NAN));
        }
        Ok(())
    }
}
