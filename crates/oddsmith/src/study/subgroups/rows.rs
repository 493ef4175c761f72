//! The rows of a search: outcome, exposure, and all other columns.

use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{Layout, MISSING, Plane, RowHashes, Rows, SKIP, Space, mixed};
use crate::error::{DataFault, Result};
use crate::record::fault;
use crate::stats::Statistics;

/// Most cells that are kept: half a gigabyte.
const MOST_CELLS: usize = 1 << 26;

/// Rows in the order in which they came.
#[derive(Debug, Clone)]
pub struct KeptRows {
    pub(super) layout: Arc<Layout>,
    pub(super) exposure: usize,
    names: Arc<RowHashes>,
    /// What identifies a row whatever its place.
    pub(super) hashes: Vec<u64>,
    /// Class, and level of the exposure.
    pub(super) classes: Vec<u32>,
    pub(super) levels: Vec<u32>,
    /// Numbers, then codes, row after row.
    pub(super) cells: Vec<f64>,
}

impl KeptRows {
    /// Nothing kept yet.
    pub(super) fn new(layout: &Arc<Layout>, exposure: &str) -> Result<Self> {
        let at = layout.index(exposure)?;
        if !matches!(layout.features()[at].space, Space::Levels { .. }) {
            let what = format!("the exposure is a {}", layout.features()[at].kind().name());
            return Err(DataFault::new(what).column(exposure).accepted("an exposure of two levels").into());
        }
        Ok(KeptRows {
            names: Arc::new(RowHashes::new(layout)),
            exposure: at,
            hashes: Vec::new(),
            classes: Vec::new(),
            levels: Vec::new(),
            cells: Vec::new(),
            layout: Arc::clone(layout),
        })
    }

    /// Cells of a row.
    pub(super) fn width(&self) -> usize {
        self.layout.numbers().len() + self.layout.codes().len()
    }

    /// The value of feature `j` in row `i`; NaN where it is missing.
    pub(super) fn cell(&self, i: usize, j: usize) -> f64 {
        let at = match self.layout.plane(j) {
            Plane::Numbers(at) => at,
            Plane::Codes(at) => self.layout.numbers().len() + at,
            Plane::Words(_) => return f64::NAN,
        };
        self.cells[i * self.width() + at]
    }

    /// Rows in an order that their content and a seed alone decide.
    pub(super) fn shuffled(&self, seed: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.hashes.len()).collect();
        order.sort_by_key(|i| (mixed(self.hashes[*i] ^ mixed(seed)), self.hashes[*i]));
        order
    }
}

impl Encode for KeptRows {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count_list("hashes", &mut self.hashes)?;
        codec.labels("classes", &mut self.classes, self.layout.classes().len())?;
        let levels =
            self.layout.level_name(self.exposure, 0).map_or(0, |_| (0..).map_while(|at| self.layout.level_name(self.exposure, at)).count());
        codec.labels("levels", &mut self.levels, levels)?;
        codec.list("cells", self.width().max(1), &mut self.cells)?;
        let rows = self.hashes.len();
        let fits = self.classes.len() == rows && self.levels.len() == rows && self.cells.len() == rows * self.width();
        let whole = self.classes.iter().chain(&self.levels).all(|label| *label != SKIP) && self.cells.iter().all(|x| !x.is_infinite());
        if fits && whole { Ok(()) } else { Err(fault("the rows of a search do not fit together")) }
    }
}

impl Statistics for KeptRows {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        rows.features.check(&self.layout)?;
        let labels = rows.counted_labels()?;
        let Plane::Codes(exposure) = self.layout.plane(self.exposure) else { return Ok(()) };
        let mut hashes = Vec::new();
        self.names.write(&rows, &labels, &mut hashes);
        let (numbers, codes) = (rows.features.numbers, rows.features.codes);
        for i in (0..labels.len()).filter(|i| labels[*i] != SKIP && codes.get(*i, exposure) != MISSING) {
            self.hashes.push(hashes[i]);
            self.classes.push(labels[i]);
            self.levels.push(codes.get(i, exposure));
            self.cells.extend((0..numbers.cols()).map(|j| numbers.get(i, j).clamp(f64::MIN, f64::MAX)));
            self.cells.extend((0..codes.cols()).map(|j| match codes.get(i, j) {
                MISSING => f64::NAN,
                code => f64::from(code),
            }));
        }
        if self.cells.len() > MOST_CELLS {
            let what = format!("a search of subgroups keeps its rows, and there are more than {MOST_CELLS} cells");
            return Err(DataFault::new(what).accepted("name fewer candidates, or read some of the rows").into());
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.hashes.extend_from_slice(&other.hashes);
        self.classes.extend_from_slice(&other.classes);
        self.levels.extend_from_slice(&other.levels);
        self.cells.extend_from_slice(&other.cells);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.hashes.len() as f64
    }

    fn purpose(&self) -> String {
        "the rows, which a search of subgroups deals anew".into()
    }

    fn discloses(&self) -> Option<String> {
        Some("every row: outcome, exposure and all candidates".into())
    }

    fn bytes(&self) -> usize {
        8 * self.cells.len() + 24 * self.hashes.len() + 4096
    }
}
