//! The ledger of labels by wire: what every column, or term, saves of the bits that the labels take.
//!
//! Labels of all rows are coded by models of some of the columns, each fitted to these very rows, and read back before anything is told; the
//! first line has no columns and the code of Krichevsky and Trofimov. A column saves
//!
//! ```text
//! in order    bits of the columns before it − bits with it as well        (the savings add up)
//! alone       bits without columns − bits with it alone
//! last        bits without it − bits of all                               (what no other column tells)
//! ```
//!
//! in bits of the whole numbers that code, beside those of the streams, which end with a byte. What it costs to say the model, (k/2) log2 n,
//! stands apart. Savings are those of rows that the models were fitted to. Cost: three fits and codings a column.

use super::label_wire::{LabelReader, LabelWriter};
use super::projected_model::ProjectedModel;
use crate::card::{Cell, FixedTable, Table};
use crate::control::Control;
use crate::data::Source;
use crate::error::{Error, Result};
use crate::info::TwoPart;
use crate::model::Classifier;
use crate::persist;

/// What labels cost with a model, or with none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WireCost {
    /// Bits of the stream, whole bytes.
    pub stream_bits: u64,
    /// −Σ log2 of the whole numbers that coded.
    pub ideal_bits: f64,
    /// (k/2) log2 n.
    pub model_bits: f64,
}

/// What one column saves.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerLine {
    /// The column or term.
    pub name: String,
    /// What labels cost with it and all before.
    pub with: WireCost,
    /// Bits that it saves after those before it.
    pub in_order: f64,
    /// Bits that it saves alone; `None` where it has no model alone.
    pub alone: Option<f64>,
    /// Bits that it saves after all others; `None` where they have no model without it.
    pub last: Option<f64>,
}

/// The whole account.
#[derive(Debug, Clone, PartialEq)]
pub struct BitsLedger {
    /// Labels that were sent.
    pub rows: u64,
    /// What they take without any column.
    pub base_bits: f64,
    /// One line for each column.
    pub lines: Vec<LedgerLine>,
}

/// A model of some of the columns; `None` where they have none, or may not stand without others.
pub type FitSubset<'a> = dyn Fn(&[usize]) -> Result<Option<Box<dyn Classifier>>> + 'a;

/// Keeps the ledger of columns, or terms, of these names over the rows of a source.
pub fn bits_ledger(source: &dyn Source, names: &[String], fit: &FitSubset<'_>, control: &Control) -> Result<BitsLedger> {
    let mut known: Option<(u64, f64)> = None;
    let mut cost = |subset: &[usize]| -> Result<Option<WireCost>> {
        control.check()?;
        let Some(model) = fit(subset)? else { return Ok(None) };
        let (rows, base, cost) = coded(&*model, source)?;
        known = Some((rows, base));
        Ok(Some(cost))
    };
    let all: Vec<usize> = (0..names.len()).collect();
    let mut costs = Vec::new();
    for at in 0..names.len() {
        let without: Vec<usize> = all.iter().copied().filter(|other| *other != at).collect();
        let alone = if at == 0 { None } else { cost(&[at])? };
        let without = if without.is_empty() || at + 1 == names.len() { None } else { cost(&without)? };
        let with = cost(&all[..=at])?.ok_or_else(|| no_model(&names[..=at]))?;
        costs.push((with, alone, without));
    }
    let Some((rows, base_bits)) = known else { return Err(Error::data("there is no column that could save anything")) };
    let whole = costs.last().map_or(base_bits, |(with, ..)| with.ideal_bits);
    let mut before = base_bits;
    let mut lines: Vec<LedgerLine> = Vec::new();
    for (at, (with, alone, without)) in costs.into_iter().enumerate() {
        let in_order = before - with.ideal_bits;
        // The first alone is the first in order, the last in order is the last.
        let alone = if at == 0 { Some(in_order) } else { alone.map(|alone| base_bits - alone.ideal_bits) };
        let last = if at + 1 == names.len() { Some(in_order) } else { without.map(|without| without.ideal_bits - whole) };
        before = with.ideal_bits;
        lines.push(LedgerLine { name: names[at].clone(), with, in_order, alone, last });
    }
    Ok(BitsLedger { rows, base_bits, lines })
}

impl BitsLedger {
    /// Bits that all columns save together, the cost of saying the model not counted.
    pub fn saved(&self) -> f64 {
        self.lines.last().map_or(0.0, |line| self.base_bits - line.with.ideal_bits)
    }

    /// A row for no columns, and one for every column.
    pub fn table(&self) -> Table {
        let columns = ["column", "stream_bits", "ideal_bits", "saved_bits", "alone_bits", "last_bits", "model_bits", "total_bits"];
        let mut table = FixedTable::new("ledger", columns);
        let base = Cell::from(self.base_bits);
        table.push(["(no columns)".into(), Cell::Empty, base.clone(), Cell::Empty, Cell::Empty, Cell::Empty, 0.0.into(), base]);
        let cell = |bits: Option<f64>| bits.map_or(Cell::Empty, Cell::from);
        for LedgerLine { name, with, in_order, alone, last } in &self.lines {
            table.push([
                name.as_str().into(),
                with.stream_bits.into(),
                with.ideal_bits.into(),
                (*in_order).into(),
                cell(*alone),
                cell(*last),
                with.model_bits.into(),
                (with.ideal_bits + with.model_bits).into(),
            ]);
        }
        table.into()
    }
}

/// Codes the labels of all rows that count, reads them back, and tells how many there are, what they take without a model, and with it.
fn coded(model: &dyn Classifier, source: &dyn Source) -> Result<(u64, f64, WireCost)> {
    let projected = ProjectedModel::new(model, source.layout())?;
    let bytes = persist::save_model(model)?;
    let mut writer = LabelWriter::new(&projected);
    for partition in 0..source.partitions() {
        source.scan(partition, &mut |rows| writer.push_counted(&rows))?;
    }
    let sent = writer.finish(&bytes);
    let mut reader = LabelReader::new(&projected, &sent.file);
    for partition in 0..source.partitions() {
        source.scan(partition, &mut |rows| reader.push_counted(&rows))?;
    }
    reader.finish()?;
    let rows = sent.file.rows;
    let model_bits = TwoPart::of_likelihood(0.0, model.free_parameters() as f64, rows.max(1) as f64, 1).model;
    Ok((rows, sent.base_rate_bits, WireCost { stream_bits: sent.stream_bits(), ideal_bits: sent.ideal_bits, model_bits }))
}

fn no_model(names: &[String]) -> Error {
    let which = names.iter().map(|name| format!("`{}`", crate::error::visible(name))).collect::<Vec<_>>().join(", ");
    crate::error::ErrorKind::NoEstimate { what: format!("there is no model of {which}"), advice: "leave the last of them out".into() }
        .into()
}
