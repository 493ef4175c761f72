//! Rows among which landmarks are chosen: all of them, or those with the smallest hashes of their cells, so that neither the order of rows nor
//! how they are cut changes the choice. Beside them the moments of the columns. Memory O([`MOST`] p).

use crate::codec::{Codec, Encode};
use crate::data::{Features, Rows, SKIP};
use crate::error::Result;
use crate::model::on_design::{DesignBatch, DesignSums};
use crate::record::fault;
use crate::stats::{Statistics, TableStats};

/// Rows that are kept at most.
pub(super) const MOST: usize = 5000;

/// Rows and moments of columns.
#[derive(Debug, Clone)]
pub struct PoolSums {
    width: usize,
    /// Keys of the columns' names.
    keys: Vec<u64>,
    pub(super) table: TableStats,
    /// Hash and cells of every kept row, in the order of hashes once there are too many.
    hashes: Vec<u64>,
    cells: Vec<f64>,
    /// Whether rows were left out.
    pub(super) part: bool,
}

impl PoolSums {
    /// No rows of columns with these names.
    pub(super) fn new(names: &[&str], table: TableStats) -> Self {
        let key = |name: &&str| name.bytes().fold(name.len() as u64, |state, byte| mix(state ^ u64::from(byte)));
        PoolSums { width: names.len(), keys: names.iter().map(key).collect(), table, hashes: Vec::new(), cells: Vec::new(), part: false }
    }

    /// The kept rows, different from each other, in the order of their hashes.
    pub(super) fn rows(&self) -> Vec<Vec<f64>> {
        let mut all = self.sorted();
        all.dedup();
        all.into_iter().map(|(_, cells)| cells.to_vec()).collect()
    }

    fn sorted(&self) -> Vec<(u64, &[f64])> {
        let mut all: Vec<(u64, &[f64])> = self.hashes.iter().copied().zip(self.cells.chunks_exact(self.width.max(1))).collect();
        let bits = |cells: &[f64]| cells.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        all.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| bits(a.1).cmp(&bits(b.1))));
        all
    }

    /// Leaves out rows beyond the most; equal rows are one.
    fn shrink(&mut self) {
        let mut all = self.sorted();
        all.dedup();
        let many = all.len() > MOST;
        all.truncate(MOST);
        let (hashes, cells) = (all.iter().map(|row| row.0).collect(), all.iter().flat_map(|row| row.1.iter().copied()).collect());
        (self.hashes, self.cells, self.part) = (hashes, cells, self.part || many);
    }
}

/// A mix of the cells of a row that does not hang on the order of columns.
fn hash(keys: &[u64], cells: &[f64]) -> u64 {
    keys.iter().zip(cells).fold(0, |sum: u64, (key, cell)| sum.wrapping_add(mix(mix(*key) ^ cell.to_bits())))
}

fn mix(value: u64) -> u64 {
    let mut x = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Encode for PoolSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("table", &mut self.table)?;
        codec.flag("part", &mut self.part)?;
        codec.list("cells", self.width, &mut self.cells)?;
        if codec.is_reading() {
            if !self.cells.iter().all(|x| x.is_finite()) || self.cells.len() > 2 * MOST * self.width {
                return Err(fault(format!("`{}` holds more rows than are kept, or a number that is not finite", codec.full_name("cells"))));
            }
            self.hashes = self.cells.chunks_exact(self.width.max(1)).map(|cells| hash(&self.keys, cells)).collect();
        }
        Ok(())
    }
}

impl DesignSums for PoolSums {
    fn observe(&mut self, batch: &DesignBatch<'_>) -> Result<()> {
        let features = Features::of_numbers(batch.matrix()?);
        self.table.observe(Rows::new(features, batch.labels, batch.weights, batch.first_row))?;
        for i in (0..batch.rows()).filter(|&i| batch.labels[i] != SKIP) {
            // Zero and minus zero are one number.
            let start = self.cells.len();
            self.cells.extend(batch.row(i).iter().map(|x| x + 0.0));
            self.hashes.push(hash(&self.keys, &self.cells[start..]));
            if self.hashes.len() >= 2 * MOST {
                self.shrink();
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.table.merge(&other.table)?;
        self.part |= other.part;
        self.hashes.extend_from_slice(&other.hashes);
        self.cells.extend_from_slice(&other.cells);
        self.shrink();
        Ok(())
    }

    fn purpose(&self) -> String {
        "rows that may be landmarks".into()
    }

    fn discloses(&self) -> Option<String> {
        Some(format!("up to {MOST} rows, with all of their cells"))
    }

    fn bytes(&self) -> usize {
        8 * self.cells.len() + self.table.bytes()
    }
}
