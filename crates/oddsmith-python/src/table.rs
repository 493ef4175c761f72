//! Arrays as the library's rows: borrowed where they already lie as it wants them, converted block by block elsewhere.

use std::sync::atomic::{AtomicBool, Ordering};

use numpy::ndarray::ArrayView2;
use oddsmith::Result;
use oddsmith::data::{CodesView, FeatureBlocks, Features, Layout, Rows, Source, UNSEEN};
use oddsmith::error::{DataFault, Error};
use oddsmith::num::MatrixView;
use oddsmith::num::kernel::widest;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::dense::{Cell, Dense, gather, typed, with_dense};
use crate::forms::Form;
use crate::sparse::{Entries, Sparse, negative, not_finite, with_sparse};

/// Cells of a block that stay in a core's cache while they are checked and then summed.
const BLOCK_CELLS: usize = 1 << 15;
/// Rows of one partition, the unit in which work is handed out.
const PARTITION_ROWS: usize = 8192;

/// A borrowed array.
pub(crate) enum Data<'a> {
    /// Two-dimensional.
    Dense(Dense<'a>),
    /// SciPy's compressed rows.
    Sparse(Sparse<'a>),
}

/// Calls `then` with a borrowed array: two-dimensional, or a tuple that holds the parts of sparse rows.
pub(crate) fn with_data<R>(x: &Bound<'_, PyAny>, then: impl FnOnce(Data<'_>) -> PyResult<R>) -> PyResult<R> {
    match x.cast::<PyTuple>() {
        Ok(parts) => with_sparse(parts, |sparse| then(Data::Sparse(sparse))),
        Err(_) => with_dense(x, |dense| then(Data::Dense(dense))),
    }
}

impl Data<'_> {
    /// Rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        match self {
            Data::Dense(dense) => dense.shape(),
            Data::Sparse(sparse) => sparse.shape(),
        }
    }

    /// Number of stored cells.
    pub(crate) fn cells(&self) -> usize {
        match self {
            Data::Dense(dense) => dense.shape().0 * dense.shape().1,
            Data::Sparse(sparse) => sparse.entries(),
        }
    }
}

/// When cells are looked at for NaN and infinities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Before anyone sees them.
    Before,
    /// When they have been summed and are still in the cache: sums take whatever a cell holds, and a fault ends the fit all the same.
    After,
    /// They were looked at in an earlier pass.
    Never,
}

/// An array read in the form of a layout. Views of arrays are invariant, so they have a lifetime of their own.
pub(crate) struct Table<'d, 'a> {
    data: Data<'d>,
    form: Form,
    layout: &'a Layout,
    /// The class that speaks in messages.
    owner: &'a str,
    /// Whether the cells are counts, which cannot be negative.
    counts: bool,
    /// Whether NaN is a gap and not a fault.
    gaps: bool,
    /// Whether cells that are no numbers show in the scores, so that nobody need look for them before.
    telling: bool,
    /// Whether codes beyond the levels end the reading, and whether one of them did; others say nothing about their row.
    complete: Option<AtomicBool>,
}

impl<'d, 'a> Table<'d, 'a> {
    /// The array, whose columns must be those of the layout.
    pub(crate) fn new(data: Data<'d>, layout: &'a Layout, threshold: Option<f64>, owner: &'a str) -> Result<Self> {
        let form = Form::of(layout, threshold);
        let (width, wanted) = (data.shape().1, form.width(layout));
        match width == wanted {
            true => Ok(Table { data, form, layout, owner, counts: false, gaps: false, telling: false, complete: None }),
            false => Err(Error::data(format!("X has {width} columns; {wanted} are expected"))),
        }
    }

    /// The same array, in which NaN is a gap where `gaps` says so.
    pub(crate) fn with_gaps(self, gaps: bool) -> Self {
        Table { gaps, ..self }
    }

    /// The same array, whose cells must be counts.
    pub(crate) fn of_counts(self, counts: bool) -> Self {
        Table { counts, ..self }
    }

    /// The same array, whose codes are all to be among the levels.
    pub(crate) fn of_known_levels(self) -> Self {
        Table { complete: Some(AtomicBool::new(true)), ..self }
    }

    /// Whether a code beyond the levels ended the reading.
    pub(crate) fn has_more_levels(&self) -> bool {
        self.complete.as_ref().is_some_and(|complete| !complete.load(Ordering::Relaxed))
    }

    /// The same array, about whose cells that are no numbers the scores tell.
    pub(crate) fn with_telling_scores(self, telling: bool) -> Self {
        Table { telling, ..self }
    }

    fn name(&self, j: usize) -> String {
        match self.form {
            Form::Words { .. } => self.layout.level_name(0, j).unwrap_or_default(),
            _ => self.layout.features()[j].name.clone(),
        }
    }

    fn numbers(&self, view: MatrixView<'_>, lo: usize, look: Look, sink: &mut dyn FnMut(&Features<'_>) -> Result<()>) -> Result<()> {
        let plain = matches!((&self.data, &self.form), (Data::Dense(_), Form::Numbers));
        if plain && !self.counts && look != Look::Before {
            let done = sink(&Features::of_numbers(view));
            if look == Look::After {
                self.check_finite(view, lo)?;
            }
            return done;
        }
        if !(self.telling && plain) {
            self.check_finite(view, lo)?;
        }
        if self.counts {
            self.check_counts(view, lo)?;
        }
        match self.form {
            Form::Words { threshold } => Self::words(Entries::of_dense(view), threshold, sink),
            _ => sink(&Features::of_numbers(view)),
        }
    }

    fn words(entries: Entries<'_>, threshold: Option<f64>, sink: &mut dyn FnMut(&Features<'_>) -> Result<()>) -> Result<()> {
        let entries = match threshold {
            Some(threshold) => entries.flags_above(threshold),
            None => entries,
        };
        sink(&Features::of_words(&[entries.view()]))
    }

    fn codes(
        &self,
        dense: &Dense<'_>,
        levels: &[usize],
        (lo, hi): (usize, usize),
        sink: &mut dyn FnMut(&Features<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut codes = Vec::new();
        let by_row = typed!(dense, view => gather(view, lo, hi, Cell::code, &mut codes));
        let (rows, cols) = (hi - lo, levels.len());
        let view = |codes| if by_row { CodesView::row_major(codes, rows, cols) } else { CodesView::column_major(codes, rows, cols) };
        if let Some(complete) = &self.complete {
            if all_known(&codes, levels, by_row, rows) {
                return sink(&Features::of_codes(view(&codes)?));
            }
            if codes.iter().all(|code| *code < NO_CODE) {
                complete.store(false, Ordering::Relaxed);
                return Err(Error::internal("a code is beyond the levels that were counted"));
            }
        }
        if widest(
            #[inline(always)]
            || codes.iter().fold(0, |largest, code| largest.max(*code)),
        ) >= NO_CODE
        {
            return Err(self.no_code(dense, lo, hi));
        }
        let forget = |code: &mut u32, levels: usize| *code = if (*code as usize) < levels { *code } else { UNSEEN };
        widest(
            #[inline(always)]
            || match by_row {
                true => codes
                    .chunks_exact_mut(cols.max(1))
                    .for_each(|row| row.iter_mut().zip(levels).for_each(|(code, levels)| forget(code, *levels))),
                false => {
                    let columns = codes.chunks_exact_mut(rows.max(1)).zip(levels);
                    columns.for_each(|(column, levels)| column.iter_mut().for_each(|code| forget(code, *levels)));
                }
            },
        );
        sink(&Features::of_codes(view(&codes)?))
    }

    fn no_code(&self, dense: &Dense<'_>, lo: usize, hi: usize) -> Error {
        let cell = |i: usize, j: usize| typed!(dense, view => cell_value(view, i, j));
        for i in lo..hi {
            for j in 0..self.data.shape().1 {
                if code(cell(i, j)) == NO_CODE {
                    return code_fault(cell(i, j), self.owner).column(self.name(j)).row(i as u64 + 1).into();
                }
            }
        }
        Error::internal("a code was refused and not found again")
    }

    /// Refuses NaN and infinities.
    fn check_finite(&self, view: MatrixView<'_>, lo: usize) -> Result<()> {
        let slices = match (view.as_row_major(), view.column(0)) {
            (Some(all), _) => all_finite(all),
            (None, Some(_)) => (0..view.cols()).all(|j| view.column(j).is_some_and(all_finite)),
            (None, None) => (0..view.rows()).all(|i| (0..view.cols()).all(|j| view.get(i, j).is_finite())),
        };
        if slices {
            return Ok(());
        }
        for i in 0..view.rows() {
            for j in 0..view.cols() {
                let value = view.get(i, j);
                let gap = self.gaps && value.is_nan();
                if !(gap || value.is_finite()) {
                    return Err(not_finite(view.get(i, j)).column(self.name(j)).row((lo + i) as u64 + 1).into());
                }
            }
        }
        Ok(())
    }
}

impl Table<'_, '_> {
    /// The rows `lo..hi`, looked at for cells that are no numbers when it is time to.
    fn read(&self, lo: usize, hi: usize, look: Look, sink: &mut dyn FnMut(&Features<'_>) -> Result<()>) -> Result<()> {
        let mut buffer = Vec::new();
        match (&self.data, &self.form) {
            (Data::Dense(dense), Form::Codes(levels)) => self.codes(dense, levels, (lo, hi), sink),
            (Data::Dense(dense), _) => match dense.in_place() {
                Some(view) => self.numbers(view.slice(lo, hi), lo, look, sink),
                None => self.numbers(dense.gather(lo, hi, &mut buffer)?, lo, look, sink),
            },
            (Data::Sparse(sparse), Form::Words { threshold }) => {
                // Whoever sums counts looks at all of them, and so do telling scores; `refused` and `doubt` then find the right words.
                let looked_at = self.counts || self.telling;
                let entries = sparse.block(lo, hi, !looked_at)?;
                if !looked_at {
                    entries.check_finite(lo)?;
                }
                Self::words(entries, *threshold, sink)
            }
            (Data::Sparse(sparse), Form::Numbers) => {
                sparse.block(lo, hi, true)?.fill(&mut buffer);
                self.numbers(MatrixView::row_major(&buffer, hi - lo, self.data.shape().1)?, lo, look, sink)
            }
            (Data::Sparse(_), Form::Codes(_)) => Err(Error::data("sparse arrays hold no categories; pass a dense one")),
        }
    }

    /// Why the rows could not be summed, in words for the owner's users; `error` is what the sums said.
    pub(crate) fn refused(&self, error: Error) -> Error {
        let Data::Sparse(sparse) = &self.data else { return error };
        let look = |lo: usize| sparse.block(lo, (lo + PARTITION_ROWS).min(self.rows()), true)?.check_counts(lo, self.owner);
        let faults = (0..self.rows()).step_by(PARTITION_ROWS).filter(|_| self.counts).find_map(|lo| look(lo).err());
        faults.unwrap_or(error)
    }

    fn check_counts(&self, view: MatrixView<'_>, lo: usize) -> Result<()> {
        let below = |i: usize| (0..view.cols()).find(|&j| view.get(i, j) < 0.0).map(|j| (i, j));
        match (0..view.rows()).find_map(below) {
            None => Ok(()),
            Some((i, j)) => Err(negative(view.get(i, j), self.owner).column(self.name(j)).row((lo + i) as u64 + 1).into()),
        }
    }
}

fn cell_value<T: Cell>(view: &ArrayView2<'_, T>, i: usize, j: usize) -> f64 {
    view[(i, j)].value()
}

/// What a value that is no code becomes; beyond every number of levels.
pub(crate) const NO_CODE: u32 = u32::MAX - 8;

/// The code that a number stands for: its whole part, as scikit-learn reads floats.
#[inline(always)]
pub(crate) fn code(value: f64) -> u32 {
    match value > -1.0 && value < f64::from(NO_CODE) {
        true => value as u32,
        false => NO_CODE,
    }
}

/// The code that a number stands for in a column of `levels` levels.
pub(crate) fn known_code(value: f64, levels: usize) -> u32 {
    match code(value) {
        NO_CODE => NO_CODE,
        known if (known as usize) < levels => known,
        _ => UNSEEN,
    }
}

/// The fault of a number that is no code.
pub(crate) fn code_fault(value: f64, owner: &str) -> DataFault {
    match value {
        v if !v.is_finite() => not_finite(v),
        v if v < 0.0 => negative(v, owner),
        v => DataFault::new("is the code of no category:").value(v.to_string()).accepted("categories are whole numbers from 0 up"),
    }
}

/// Whether every code is below the number of levels of its column.
fn all_known(codes: &[u32], levels: &[usize], by_row: bool, rows: usize) -> bool {
    let levels: Vec<u32> = levels.iter().map(|levels| u32::try_from(*levels).unwrap_or(NO_CODE)).collect();
    !widest(
        #[inline(always)]
        || match by_row {
            true => codes
                .chunks_exact(levels.len().max(1))
                .fold(false, |any, row| row.iter().zip(&levels).fold(any, |any, (code, levels)| any | (code >= levels))),
            false => {
                let columns = codes.chunks_exact(rows.max(1)).zip(&levels);
                columns.fold(false, |any, (column, levels)| column.iter().fold(any, |any, code| any | (code >= levels)))
            }
        },
    )
}

pub(crate) fn all_finite(values: &[f64]) -> bool {
    // All bits of the exponent are set in infinities and NaNs alone; a loop over whole numbers is one of vectors.
    const EXPONENT: u64 = 0x7FF << 52;
    !widest(
        #[inline(always)]
        || values.iter().fold(false, |any, value| any | (value.to_bits() & EXPONENT == EXPONENT)),
    )
}

impl FeatureBlocks for Table<'_, '_> {
    fn rows(&self) -> usize {
        self.data.shape().0
    }

    fn block(&self, lo: usize, hi: usize, sink: &mut dyn FnMut(&Features<'_>) -> Result<()>) -> Result<()> {
        self.read(lo, hi, Look::Before, sink)
    }

    fn doubt(&self, lo: usize, hi: usize) -> Result<()> {
        match (&self.data, &self.form) {
            _ if !self.telling => Ok(()),
            (Data::Sparse(sparse), Form::Words { .. }) => sparse.block(lo, hi, true)?.check_finite(lo),
            (Data::Dense(dense), Form::Numbers) => {
                let mut buffer = Vec::new();
                match dense.in_place() {
                    Some(view) => self.check_finite(view.slice(lo, hi), lo),
                    None => self.check_finite(dense.gather(lo, hi, &mut buffer)?, lo),
                }
            }
            // Any other form is looked at before it is given away.
            _ => Ok(()),
        }
    }
}

/// A table with labels.
pub(crate) struct Labelled<'d, 'a> {
    pub(crate) table: Table<'d, 'a>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    /// Partitions in which a pass has found nothing but numbers.
    looked_at: Vec<AtomicBool>,
}

impl<'d, 'a> Labelled<'d, 'a> {
    /// A table whose rows have these labels and weights.
    pub(crate) fn new(table: Table<'d, 'a>, labels: &'a [u32], weights: Option<&'a [f64]>) -> Self {
        let looked_at = (0..labels.len().div_ceil(PARTITION_ROWS)).map(|_| AtomicBool::new(false)).collect();
        Labelled { table, labels, weights, looked_at }
    }
}

impl Source for Labelled<'_, '_> {
    fn layout(&self) -> &Layout {
        self.table.layout
    }

    fn partitions(&self) -> usize {
        self.labels.len().div_ceil(PARTITION_ROWS)
    }

    fn bytes(&self) -> u64 {
        (self.table.data.cells() * 8) as u64
    }

    fn rows(&self) -> Option<u64> {
        Some(self.labels.len() as u64)
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let end = ((partition + 1) * PARTITION_ROWS).min(self.labels.len());
        let cells_per_row = (self.table.data.cells() / self.labels.len().max(1)).max(1);
        let step = (BLOCK_CELLS / cells_per_row).clamp(256, PARTITION_ROWS);
        let known = self.looked_at[partition].load(Ordering::Relaxed);
        let look = if known { Look::Never } else { Look::After };
        for lo in (partition * PARTITION_ROWS..end).step_by(step) {
            let hi = (lo + step).min(end);
            let (labels, weights) = (&self.labels[lo..hi], self.weights.map(|w| &w[lo..hi]));
            self.table.read(lo, hi, look, &mut |features| {
                let rows = Rows::new(*features, labels, weights, lo as u64);
                sink(if known && !self.table.gaps { rows.of_finite_numbers() } else { rows })
            })?;
        }
        self.looked_at[partition].store(true, Ordering::Relaxed);
        Ok(())
    }
}
