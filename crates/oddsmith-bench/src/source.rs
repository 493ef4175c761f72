//! NumPy's and SciPy's arrays as rows of the library: viewed in place where possible, else converted block by block.

use std::sync::atomic::{AtomicBool, Ordering};

use oddsmith::data::{CodesView, Csr, Feature, FeatureBlocks, Layout, Levels, Rows, Source, Vocabulary, Weighting, WordValue};
use oddsmith::error::{Error, Result};
use oddsmith::num::MatrixView;

use crate::arrays::{Arrays, Features};
use crate::codes;
use crate::labels::Labels;

/// Rows of one partition, as the library cuts rows in memory.
const PARTITION_ROWS: usize = 8192;
/// Rows of one batch of codes: they are counted while they are in the nearest cache.
const CODE_ROWS: usize = 512;

/// The features of a workload, ready to be cut into blocks.
pub(crate) enum Plane<'a> {
    /// Viewed in place.
    Numbers(MatrixView<'a>),
    /// Converted block by block.
    Codes { cells: &'a [i64], columns: usize },
    /// Entries viewed in place, row starts converted once.
    Words { starts: Vec<usize>, columns: &'a [u32], values: &'a [f64], width: usize },
}

impl<'a> Plane<'a> {
    /// The plane of some features.
    pub(crate) fn new(features: &'a Features) -> Result<Self> {
        Ok(match features {
            Features::Numbers(array) => Plane::Numbers(MatrixView::row_major(&array.data, array.shape[0], array.shape[1])?),
            Features::Codes(array) => Plane::Codes { cells: &array.data, columns: array.shape[1] },
            Features::Words { data, indices, indptr, width } => Plane::Words {
                starts: indptr.iter().map(|&start| usize::try_from(start).unwrap_or(usize::MAX)).collect(),
                // A negative column becomes one beyond any vocabulary, which the library refuses.
                columns: bytemuck::cast_slice(indices),
                values: data,
                width: *width,
            },
        })
    }

    fn bytes(&self) -> u64 {
        let bytes = match self {
            Plane::Numbers(view) => view.rows() * view.cols() * 8,
            Plane::Codes { cells, .. } => cells.len() * 8,
            Plane::Words { values, .. } => values.len() * 12,
        };
        bytes as u64
    }

    /// The features as columns of a layout; codes have the levels of their first `sample` rows.
    pub(crate) fn describe(&self, presence: bool, sample: usize) -> Vec<Feature> {
        match self {
            Plane::Numbers(view) => (0..view.cols()).map(|j| Feature::number(format!("x{j}"))).collect(),
            Plane::Codes { cells, columns } => {
                let named = |levels: usize| Levels::in_order((0..levels).map(|level| level.to_string()).collect());
                let head = &cells[..sample.saturating_mul(*columns).min(cells.len())];
                let counts = codes::level_counts(head, *columns).into_iter().enumerate();
                counts.map(|(j, levels)| Feature::category(format!("x{j}"), named(levels))).collect()
            }
            Plane::Words { width, .. } => {
                let value = if presence { WordValue::Presence } else { WordValue::Count };
                vec![Feature::words("x", Vocabulary::Hashed(*width), value)]
            }
        }
    }
}

impl FeatureBlocks for Plane<'_> {
    fn rows(&self) -> usize {
        match self {
            Plane::Numbers(view) => view.rows(),
            Plane::Codes { cells, columns } => cells.len() / columns.max(&1),
            Plane::Words { starts, .. } => starts.len().saturating_sub(1),
        }
    }

    fn block(&self, lo: usize, hi: usize, sink: &mut dyn FnMut(&oddsmith::data::Features<'_>) -> Result<()>) -> Result<()> {
        use oddsmith::data::Features;
        match self {
            Plane::Numbers(view) => sink(&Features::of_numbers(view.slice(lo, hi))),
            Plane::Codes { cells, columns } => {
                let mut block = Vec::new();
                codes::convert(&cells[lo * columns..hi * columns], &mut block);
                sink(&Features::of_codes(CodesView::row_major(&block, hi - lo, *columns)?))
            }
            Plane::Words { starts, columns, values, width } => {
                sink(&Features::of_words(&[Csr { starts: &starts[lo..=hi], columns, values, width: *width, present: None }]))
            }
        }
    }
}

/// Labelled rows of a workload.
pub(crate) struct ArraySource<'a> {
    layout: Layout,
    plane: Plane<'a>,
    labels: &'a [i64],
    classes: Labels,
    levels: Vec<u32>,
    /// A code was met that the sample did not have.
    surprised: AtomicBool,
}

impl<'a> ArraySource<'a> {
    /// Finds the classes, and the levels of the first `sample` rows; nothing is copied that is as long as the data.
    pub(crate) fn new(arrays: &'a Arrays, presence: bool, sample: usize) -> Result<Self> {
        let plane = Plane::new(&arrays.features)?;
        if plane.rows() != arrays.labels.len() {
            return Err(Error::data(format!("{} rows come with {} labels", plane.rows(), arrays.labels.len())));
        }
        let classes = Labels::discover(&arrays.labels);
        let layout = Layout::new("y", plane.describe(presence, sample), classes.classes()?, Weighting::None)?;
        let levels = layout.level_counts().into_iter().map(|count| count as u32).collect();
        Ok(ArraySource { layout, plane, labels: &arrays.labels, classes, levels, surprised: AtomicBool::new(false) })
    }

    /// Whether a pass met a code that the sample did not have: its sums are useless then.
    pub(crate) fn was_surprised(&self) -> bool {
        self.surprised.load(Ordering::Relaxed)
    }

    /// The distinct labels, in the order of classes.
    pub(crate) fn into_label_values(self) -> Vec<i64> {
        self.classes.values().to_vec()
    }
}

impl Source for ArraySource<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn partitions(&self) -> usize {
        self.labels.len().div_ceil(PARTITION_ROWS)
    }

    fn bytes(&self) -> u64 {
        self.plane.bytes()
    }

    fn rows(&self) -> Option<u64> {
        Some(self.labels.len() as u64)
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let end = ((partition + 1) * PARTITION_ROWS).min(self.labels.len());
        let step = if matches!(self.plane, Plane::Codes { .. }) { CODE_ROWS } else { PARTITION_ROWS };
        let mut labels = Vec::with_capacity(step);
        for lo in (partition * PARTITION_ROWS..end).step_by(step) {
            let hi = (lo + step).min(end);
            self.classes.encode(&self.labels[lo..hi], &mut labels)?;
            self.plane.block(lo, hi, &mut |features| {
                if codes::has_beyond(features.codes.parts().0, &self.levels) {
                    self.surprised.store(true, Ordering::Relaxed);
                }
                sink(Rows::new(*features, &labels, None, lo as u64))
            })?;
        }
        Ok(())
    }
}
