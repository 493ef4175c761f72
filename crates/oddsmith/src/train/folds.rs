//! Which fold a row belongs to: stratified by class or kept together by group, shuffled by a seed.
//!
//! Stratified: the rows of every class are shuffled and dealt out in turn, each class going on where the one before stopped, so folds
//! differ by at most one row in size and in every class. Grouped: groups are shuffled and each goes to the fold that has the fewest rows.
//! The same seed gives the same folds on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::data::SKIP;
use crate::error::{Error, Result};

/// Most folds.
const MOST_FOLDS: usize = 1 << 16;

/// The fold of every row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    count: usize,
    of_row: Vec<u16>,
}

impl Folds {
    /// Folds with the same proportions of all classes. Rows without a class ([`SKIP`]) count as a class of their own.
    pub fn stratified(labels: &[u32], count: usize, seed: u64) -> Result<Self> {
        check(count, labels.len())?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut rows: Vec<usize> = (0..labels.len()).collect();
        shuffle(&mut rows, &mut random);
        // Rows without a class count as the class after the last.
        let classes = labels.iter().filter(|label| **label != SKIP).max().map_or(0, |label| *label as usize + 1);
        let class = |label: u32| if label == SKIP { classes } else { label as usize };
        let mut sizes = vec![0usize; classes + 1];
        labels.iter().for_each(|&label| sizes[class(label)] += 1);
        // The fold of the next row of each class: a class goes on where the one before stopped.
        let mut before = 0;
        let mut next = Vec::with_capacity(sizes.len());
        for size in sizes {
            next.push(before % count);
            before += size;
        }
        let mut of_row = vec![0; labels.len()];
        for &i in &rows {
            let fold = &mut next[class(labels[i])];
            of_row[i] = *fold as u16;
            *fold = if *fold + 1 == count { 0 } else { *fold + 1 };
        }
        Ok(Folds { count, of_row })
    }

    /// Folds that never divide a group; `groups` holds the number of each row's group. Rows whose label is [`SKIP`] do not count and need no
    /// group: without one they stand in the first fold.
    pub fn grouped(groups: &[u32], labels: &[u32], count: usize, seed: u64) -> Result<Self> {
        let known = groups.iter().filter(|group| **group != SKIP).max().map_or(0, |group| *group as usize + 1);
        let mut sizes = vec![0usize; known];
        for (i, &group) in groups.iter().enumerate().filter(|(i, _)| labels.get(*i) != Some(&SKIP)) {
            match sizes.get_mut(group as usize) {
                Some(size) => *size += 1,
                None => return Err(crate::error::DataFault::new("the row has no group").row(i as u64 + 1).into()),
            }
        }
        let mut order: Vec<usize> = (0..known).filter(|&group| sizes[group] > 0).collect();
        check(count, order.len())?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        shuffle(&mut order, &mut random);
        // Large groups first, so that the small ones can even things out.
        order.sort_by_key(|&group| std::cmp::Reverse(sizes[group]));
        let mut filled = vec![0usize; count];
        let mut fold_of = vec![0u16; known];
        for group in order {
            let fold = (0..count).min_by_key(|&fold| filled[fold]).unwrap_or(0);
            filled[fold] += sizes[group];
            fold_of[group] = fold as u16;
        }
        Ok(Folds { count, of_row: groups.iter().map(|&group| fold_of.get(group as usize).copied().unwrap_or(0)).collect() })
    }

    /// Every fold cut into `parts` parts: row i of fold f belongs to fold f·parts + part(i).
    pub(super) fn crossed(&self, parts: usize, part: impl Fn(usize) -> usize) -> Result<Self> {
        let count = self.count * parts;
        if count > MOST_FOLDS {
            return Err(Error::option("folds", self.count, format!("from 2 to {} where each has {parts} parts", MOST_FOLDS / parts)));
        }
        let of_row = self.of_row.iter().enumerate().map(|(i, fold)| (usize::from(*fold) * parts + part(i)) as u16).collect();
        Ok(Folds { count, of_row })
    }

    /// Number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of every row.
    pub fn of_rows(&self) -> &[u16] {
        &self.of_row
    }
}

fn check(count: usize, units: usize) -> Result<()> {
    match (2..=MOST_FOLDS).contains(&count) && count <= units {
        true => Ok(()),
        false => Err(Error::option("folds", count, format!("from 2 to {}", units.min(MOST_FOLDS)))),
    }
}

/// Fisher and Yates' shuffle with numbers that are the same everywhere.
fn shuffle(items: &mut [usize], random: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        // The high half of a product is a number below last + 1, even to 2⁻⁶⁴ times its range.
        let chosen = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        items.swap(last, chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_have_the_same_shares_of_classes() {
        let labels: Vec<u32> = (0..103).map(|i| if i % 10 == 0 { 1 } else { 0 }).collect();
        let folds = Folds::stratified(&labels, 5, 7).unwrap();
        for class in 0..2 {
            let sizes: Vec<usize> =
                (0..5).map(|fold| (0..103).filter(|&i| labels[i] == class && folds.of_rows()[i] == fold as u16).count()).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
        assert_eq!(Folds::stratified(&labels, 5, 7).unwrap(), folds);
        assert_ne!(Folds::stratified(&labels, 5, 8).unwrap(), folds);
    }

    #[test]
    fn groups_stay_together_and_folds_even() {
        let groups: Vec<u32> = (0..100).map(|i| i % 17).collect();
        let folds = Folds::grouped(&groups, &vec![0; groups.len()], 4, 1).unwrap();
        let fold_of = |group: u32| (0..100).filter(|&i| groups[i] == group).map(|i| folds.of_rows()[i]).collect::<Vec<_>>();
        assert!((0..17).all(|group| fold_of(group).windows(2).all(|pair| pair[0] == pair[1])));
        let sizes: Vec<usize> = (0..4).map(|fold| folds.of_rows().iter().filter(|f| **f == fold).count()).collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 6, "{sizes:?}");
    }

    #[test]
    fn more_folds_than_rows_are_refused() {
        assert!(Folds::stratified(&[0, 1, 0], 4, 1).is_err() && Folds::stratified(&[0, 1, 0], 1, 1).is_err());
        assert!(Folds::grouped(&[0, 0, 1], &[0, 0, 0], 3, 1).is_err());
        assert_eq!(Folds::grouped(&[0, SKIP, 1], &[0, 1, 0], 2, 1).unwrap_err().to_string(), "row 2: the row has no group");
    }
}
