//! One row in four is held back: which, a hash of its cells says, so that neither the order of rows nor their weights matter.

use crate::data::{Layout, RowHashes, Rows, SKIP, hash_of, mixed};

/// One row in so many is held back.
const PARTS: u64 = 4;

/// Which rows are held back.
#[derive(Debug)]
pub(super) struct Split {
    hashes: RowHashes,
    /// Of the names of text columns.
    texts: Vec<u64>,
}

impl Split {
    /// Of the rows of a layout.
    pub(super) fn new(layout: &Layout) -> Self {
        let texts = layout.words().iter().map(|&j| hash_of(&[&layout.features()[j].name])).collect();
        Split { hashes: RowHashes::new(layout), texts }
    }

    /// The labels of the rows that are held back, or of the others; all else is left out.
    pub(super) fn labels(&self, rows: &Rows<'_>, held_back: bool) -> Vec<u32> {
        let count = rows.labels.len();
        let mut hashes = Vec::with_capacity(count);
        // No class has this number: rows that differ in their class alone stay together.
        self.hashes.write(rows, &vec![SKIP; count], &mut hashes);
        for (words, name) in rows.features.words.iter().zip(&self.texts) {
            for (i, hash) in hashes.iter_mut().enumerate().filter(|(i, _)| words.is_present(*i)) {
                let cells = words.starts[i]..words.starts[i + 1];
                let each = cells.map(|at| mixed(name ^ mixed(u64::from(words.columns[at]) ^ words.values[at].to_bits())));
                *hash = each.fold(*hash, u64::wrapping_add);
            }
        }
        let own = |(label, hash): (&u32, &u64)| if mixed(*hash).is_multiple_of(PARTS) == held_back { *label } else { SKIP };
        rows.labels.iter().zip(&hashes).map(own).collect()
    }
}
