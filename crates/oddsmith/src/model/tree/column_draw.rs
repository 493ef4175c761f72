//! Which columns a node tries: drawn by seed, tree and the node's path from the root, the same wherever and whenever the node is split.

use super::canonical::drawn;
use crate::data::mixed;

/// Draws the columns of nodes.
pub(super) struct ColumnDraw<'a> {
    /// Columns in the order of their names.
    pub(super) by_name: &'a [usize],
    /// How many are tried at once; the others follow one after the other while none gains.
    pub(super) tried: usize,
    /// Key of the tree.
    pub(super) key: u64,
}

impl ColumnDraw<'_> {
    /// Puts the ranks of the columns to be tried first, in the order of names; the others stand behind them in no order yet.
    pub(super) fn first(&self, path: u64, ranks: &mut Vec<usize>) {
        ranks.clear();
        ranks.extend(0..self.by_name.len());
        self.shuffle(path, ranks, 0, self.tried);
        ranks[..self.tried].sort_unstable();
    }

    /// Puts the others in the order in which they are tried.
    pub(super) fn others(&self, path: u64, ranks: &mut [usize]) {
        self.shuffle(path, ranks, self.tried, ranks.len());
    }

    fn shuffle(&self, path: u64, ranks: &mut [usize], from: usize, to: usize) {
        let key = drawn(self.key, path, 0);
        for at in from..to.min(ranks.len().saturating_sub(1)) {
            let others = (ranks.len() - at) as u64;
            let draw = mixed(key.wrapping_add((at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            ranks.swap(at, at + ((u128::from(draw) * u128::from(others)) >> 64) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_as_often_among_the_first() {
        let by_name: Vec<usize> = (0..10).collect();
        let draw = ColumnDraw { by_name: &by_name, tried: 3, key: 7 };
        let (mut ranks, mut seen, count) = (Vec::new(), [0f64; 10], 20_000u64);
        for path in 0..count {
            draw.first(path, &mut ranks);
            ranks[..3].iter().for_each(|rank| seen[*rank] += 1.0);
            draw.others(path, &mut ranks);
            let mut all = ranks.clone();
            all.sort_unstable();
            assert_eq!(all, by_name);
        }
        let (want, sd) = (0.3 * count as f64, (0.21 * count as f64).sqrt());
        assert!(seen.iter().all(|seen| (seen - want).abs() < 4.5 * sd), "{seen:?}");
    }
}
