//! A block of design rows, and the buffers that are used again for the next one.

/// Why a row cannot be used. The index is that of the feature in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gap {
    /// The row is complete.
    #[default]
    None,
    /// The feature is missing.
    Missing(u32),
    /// The feature has a level that the layout does not know.
    Unseen(u32),
}

impl Gap {
    /// The feature at fault.
    pub fn feature(self) -> Option<usize> {
        match self {
            Gap::None => None,
            Gap::Missing(feature) | Gap::Unseen(feature) => Some(feature as usize),
        }
    }

    /// Keeps the gap of the earlier feature.
    pub(super) fn note(&mut self, gap: Gap) {
        if self.feature().is_none_or(|known| gap.feature().is_some_and(|new| new < known)) {
            *self = gap;
        }
    }
}

/// Expanded rows. Set `first_row` to the position of the batch in its source before expanding, so that messages name the
/// right row.
#[derive(Debug, Clone, Default)]
pub struct DesignBlock {
    /// Rows × columns, row after row, without the intercept. A row with a gap is all zeros.
    pub cells: Vec<f64>,
    /// Marks of the rows, row after row, where the rows were expanded with marks.
    pub marks: Vec<u32>,
    /// Rows × outputs: what is added to the scores of each row; zeros when the design has no offset.
    pub offset: Vec<f64>,
    /// Per row: complete, or the first feature (in the order of the layout) that stands in the way.
    pub gaps: Vec<Gap>,
    /// Whether any row has a gap: most blocks have none, and need not be looked through.
    pub has_gaps: bool,
    /// Index, from 0, of the batch's first row in the whole source; read by `expand` for messages.
    pub first_row: u64,
    /// Which rows of the block do not count, so that a fault in them is a gap and no error; empty when all count. Read by
    /// `expand`.
    pub uncounted: Vec<bool>,
    pub(super) scratch: Scratch,
}

/// Buffers of an expansion, column after column.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// Values by register.
    pub(super) registers: Vec<f64>,
    /// Codes by code column, every one within its levels.
    pub(super) codes: Vec<u32>,
    /// Where in its term the row has its entry.
    pub(super) slots: Vec<u32>,
    /// A product of registers.
    pub(super) product: Vec<f64>,
    /// Which number columns hold anything but finite numbers.
    pub(super) suspects: Vec<bool>,
}

impl DesignBlock {
    /// An empty block.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.gaps.len()
    }

    /// Notes a gap of row `i`.
    pub(super) fn note(&mut self, i: usize, gap: Gap) {
        self.gaps[i].note(gap);
        self.has_gaps = true;
    }

    /// Whether a fault in row `i` is an error.
    pub(super) fn counts(&self, i: usize) -> bool {
        !self.uncounted.get(i).copied().unwrap_or(false)
    }
}
