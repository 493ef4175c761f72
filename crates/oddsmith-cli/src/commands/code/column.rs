//! A column of a table as symbols: its different cells, and which of them every row has.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use oddsmith::Error;
use oddsmith::control::Control;
use oddsmith::data::{Classes, Layout, Weighting};
use oddsmith::notice::{self, Notice};
use oddsmith_io::{Input, ReadOptions, open_for_prediction};

use crate::exit::Failure;
use crate::files;

/// The cells of a column as they stand in the file.
pub(super) struct CellColumn {
    pub(super) input: Input,
    /// Different cells in rising order, gaps first; `None` is a gap of a file that has gaps.
    pub(super) cells: Vec<Option<String>>,
    /// Which of them every row has.
    pub(super) rows: Vec<u32>,
    /// Bytes of the cells as lines of text.
    pub(super) text_bytes: u64,
    pub(super) notices: Vec<Notice>,
}

impl CellColumn {
    /// Reads a column.
    pub(super) fn read(data: &OsStr, column: &str, options: &ReadOptions, control: &Control) -> Result<Self, Failure> {
        let input = files::table(data)?;
        let layout = Layout::new("", Vec::new(), Classes::new(Vec::new())?, Weighting::None)?;
        let opened = open_for_prediction(&input, options, &layout, &[column.to_owned()]).map_err(|error| error.in_table(&input.name()))?;
        let mut notices: Vec<Notice> = opened.notices.iter().filter(|told| told.id != notice::EXTRA_COLUMN).cloned().collect();
        let mut seen: BTreeMap<Option<String>, u32> = BTreeMap::new();
        let (mut rows, mut text_bytes) = (Vec::new(), 0u64);
        let scanned = opened.scan(control, &mut |batch| {
            batch.cells(0, |_, cell| {
                text_bytes += cell.map_or(0, str::len) as u64 + 1;
                let cell = cell.map(str::to_owned);
                let next = seen.len() as u32;
                rows.push(*seen.entry(cell).or_insert(next));
            });
            Ok(())
        });
        notices.extend(scanned.map_err(|error: Error| error.in_table(&input.name()))?);
        // In rising order, so that the same cells make the same code whatever row comes first.
        let mut places = vec![0; seen.len()];
        let cells = seen.into_iter().enumerate().map(|(place, (cell, first))| {
            places[first as usize] = place as u32;
            cell
        });
        let cells = cells.collect();
        rows.iter_mut().for_each(|row| *row = places[*row as usize]);
        Ok(CellColumn { input, cells, rows, text_bytes, notices })
    }

    /// How often each of the different cells occurs.
    pub(super) fn counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.cells.len()];
        self.rows.iter().for_each(|row| counts[*row as usize] += 1.0);
        counts
    }
}
