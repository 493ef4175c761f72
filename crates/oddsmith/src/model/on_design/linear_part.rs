//! Linear functions of design columns: out_k = base_k + Σ_j β_kj (x_j − c_j). The centred form keeps its digits for dates and other large
//! offsets.

use std::sync::Arc;

use serde::Serialize;

use super::{DesignFrame, DesignReader};
use crate::card::{Cell, FixedTable};
use crate::data::design::Gap;
use crate::data::{DesignBlock, Features};
use crate::error::Result;
use crate::model::Contributions;
use crate::num::MatrixView;
use crate::num::kernel::{LinearScores, Panel};
use crate::num::logspace::NeumaierSum;
use crate::record::Record;
use crate::stats::ClassWeights;

/// Linear functions of the columns of a design, output after output.
#[derive(Debug, Clone)]
pub(crate) struct LinearPart {
    frame: Arc<DesignFrame>,
    base: Vec<f64>,
    centre: Vec<f64>,
    coefficients: Vec<f64>,
    scores: LinearScores,
}

impl PartialEq for LinearPart {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |part: &Self| (part.base.clone(), part.centre.clone(), part.coefficients.clone());
        self.frame == other.frame && numbers(self) == numbers(other)
    }
}

impl LinearPart {
    /// `base` per output, `centre` per column, `coefficients` output after output.
    pub(crate) fn new(frame: &Arc<DesignFrame>, base: Vec<f64>, centre: Vec<f64>, coefficients: Vec<f64>) -> Self {
        let scores = LinearScores::new(&base, &coefficients, &centre);
        LinearPart { frame: Arc::clone(frame), base, centre, coefficients, scores }
    }

    /// How rows become numbers.
    pub(crate) fn frame(&self) -> &Arc<DesignFrame> {
        &self.frame
    }

    /// Number of functions.
    pub(crate) fn outputs(&self) -> usize {
        self.base.len()
    }

    /// The coefficients of an output, one per design column.
    pub(crate) fn coefficients(&self, output: usize) -> &[f64] {
        &self.coefficients[output * self.centre.len()..(output + 1) * self.centre.len()]
    }

    /// The value of an output where all columns are zero.
    pub(crate) fn intercept(&self, output: usize) -> f64 {
        let mut sum = NeumaierSum::default();
        sum.add(self.base[output]);
        self.centre.iter().zip(self.coefficients(output)).for_each(|(centre, beta)| sum.add(-centre * beta));
        sum.value()
    }

    /// Writes the outputs of every row of a batch, row after row; NaN for rows with a gap.
    pub(crate) fn score(&self, rows: &Features<'_>, out: &mut [f64]) -> Result<()> {
        let (outputs, width, mut panel) = (self.outputs(), self.frame.width(), Panel::new());
        DesignReader::default().for_rows(&self.frame, rows, |block| {
            let out = &mut out[block.first * outputs..(block.first + block.rows) * outputs];
            let x = if width == 0 { MatrixView::none(block.rows) } else { MatrixView::row_major(block.cells, block.rows, width)? };
            self.scores.score(x, &mut panel, out);
            for (_, out) in out.chunks_exact_mut(outputs).enumerate().filter(|(i, _)| !block.is_whole(*i)) {
                out.fill(f64::NAN);
            }
            Ok(())
        })
    }

    /// Splits scores that are sums of outputs into their addends: `factors[k · outputs + m]` is how much of output m is in the score of
    /// class k, and `start` what every score has beside.
    pub(crate) fn contribute(&self, rows: &Features<'_>, start: &[f64], factors: &[f64], out: &mut Contributions) -> Result<()> {
        let mix =
            |k: usize, of: &dyn Fn(usize) -> f64| -> f64 { (0..self.outputs()).map(|m| factors[k * self.outputs() + m] * of(m)).sum() };
        let (width, classes) = (self.frame.width(), start.len());
        let base: Vec<f64> = (0..classes).map(|k| start[k] + mix(k, &|m| self.base[m])).collect();
        let (design, features) = (self.frame.design(), self.frame.layout().features().len());
        let mut block = DesignBlock::default();
        rows.check(self.frame.layout())?;
        design.expand(rows, 0, rows.rows(), &mut block)?;
        out.reset(rows.rows(), features, &base);
        for i in 0..rows.rows() {
            for (j, column) in design.columns().iter().enumerate() {
                let own = &design.terms()[column.term].features;
                let centred = block.cells[i * width + j] - self.centre[j];
                for k in 0..classes {
                    let addend = mix(k, &|m| self.coefficients(m)[j]) * centred;
                    own.iter().for_each(|&feature| out.addends_mut(i, feature)[k] += addend / own.len() as f64);
                }
            }
            // A row without a prediction has nothing that adds up to it.
            if block.gaps[i] != Gap::None {
                (0..features).for_each(|feature| out.addends_mut(i, feature).fill(f64::NAN));
            }
        }
        Ok(())
    }

    /// One row per parameter: output, term, estimate. Outputs are shown as `start` + `factor` times what they are.
    pub(crate) fn tidy(&self, outputs: &[String], (start, factor): (f64, f64)) -> FixedTable<3> {
        let mut tidy = FixedTable::new("tidy", ["class", "term", "estimate"]);
        for (m, output) in outputs.iter().enumerate() {
            let mut say = |term: &str, value: f64| tidy.push([output.as_str().into(), term.into(), Cell::from(value)]);
            say("(Intercept)", start + factor * self.intercept(m));
            for (j, column) in self.frame.design().columns().iter().enumerate() {
                say(&column.name, factor * self.coefficients(m)[j]);
            }
        }
        tidy
    }

    /// The record of a model that is these lines, what its fit tells of itself, and the classes of its rows.
    pub(crate) fn record_of(&self, name: &str, version: u32, account: &impl Serialize, classes: &ClassWeights) -> Result<Record> {
        let mut record = Record::new(name, version, &serde_json::json!({}))?;
        record.put_part("account", account)?;
        self.frame.write(&mut record)?;
        record.put("base", &self.base);
        record.put("centre", &self.centre);
        record.put("coefficients", &self.coefficients);
        classes.write(&mut record)?;
        Ok(record)
    }

    /// What was added to a record, of so many outputs.
    pub(crate) fn read(record: &Record, outputs: impl FnOnce(usize) -> usize) -> Result<Self> {
        let frame = Arc::new(DesignFrame::read(record)?);
        if frame.classes() < 2 {
            return Err(crate::record::fault("fewer than two classes"));
        }
        let (outputs, width) = (outputs(frame.classes()), frame.width());
        let cells = outputs.checked_mul(width).ok_or_else(|| crate::record::fault("a shape is too large"))?;
        let (base, centre) = (record.numbers("base", outputs)?, record.numbers("centre", width)?);
        Ok(LinearPart::new(&frame, base, centre, record.numbers("coefficients", cells)?))
    }
}
