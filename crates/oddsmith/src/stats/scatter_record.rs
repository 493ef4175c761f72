//! Scatter as arrays of a record: all groups end to end, of the products the upper triangle row by row.

use std::collections::BTreeMap;

use super::{ClassTable, ClassWeights, Scatter, ScatterGroup, ScatterPart};
use crate::codec::Codec;
use crate::error::Result;
use crate::record::fault;

/// All groups end to end.
#[derive(Default)]
struct Flat {
    columns: Vec<u64>,
    lengths: Vec<u64>,
    rows: Vec<u64>,
    weight: Vec<f64>,
    squared: Vec<f64>,
    mean: Vec<f64>,
    mean_low: Vec<f64>,
    products: Vec<f64>,
}

impl Flat {
    fn of(groups: &BTreeMap<Vec<usize>, ScatterGroup>) -> Self {
        let mut flat = Flat::default();
        for (pattern, group) in groups {
            flat.columns.extend(pattern.iter().map(|&j| j as u64));
            flat.lengths.push(pattern.len() as u64);
            flat.rows.extend(&group.rows);
            flat.weight.extend(&group.weight);
            flat.squared.extend(&group.squared);
            flat.mean.extend(group.mean.cells());
            flat.mean_low.extend(group.mean_low.cells());
            group.products.iter().for_each(|products| flat.products.extend(packed(products, group.columns())));
        }
        flat
    }
}

impl Scatter {
    /// All numbers; `classes` counts the rows that they must account for, and sums that are `extreme` may have left the range of numbers.
    pub(super) fn enter(&mut self, codec: &mut Codec<'_>, classes: &ClassWeights, extreme: bool) -> Result<()> {
        let (count, columns) = self.shape();
        let (part, mut incomplete) = (self.part(), self.incomplete());
        let mut flat = if codec.is_reading() { Flat::default() } else { Flat::of(self.groups()) };
        codec.count_list("columns", &mut flat.columns)?;
        codec.count_list("lengths", &mut flat.lengths)?;
        codec.count("incomplete", &mut incomplete)?;
        let patterns = patterns_of(&flat, columns)?;
        let sizes = Sizes::of(&patterns, count, part).ok_or_else(|| fault("the scatter has more cells than memory has bytes"))?;
        codec.count_list("rows", &mut flat.rows)?;
        codec.cells("weight", sizes.cells, &mut flat.weight)?;
        codec.cells("squared", sizes.cells, &mut flat.squared)?;
        codec.cells("mean", sizes.means, &mut flat.mean)?;
        codec.cells("mean_low", sizes.means, &mut flat.mean_low)?;
        codec.cells("products", sizes.products, &mut flat.products)?;
        if !codec.is_reading() {
            return Ok(());
        }
        if flat.rows.len() != sizes.cells {
            return Err(fault(format!("`scatter.rows` has {} whole numbers where {} belong", flat.rows.len(), sizes.cells)));
        }
        if !extreme {
            let otherwise = "a number that is not finite or below zero";
            codec.accept("weight", &flat.weight, |v| v.is_finite() && v >= 0.0, otherwise)?;
            codec.accept("squared", &flat.squared, |v| v.is_finite() && v >= 0.0, otherwise)?;
            for (name, values) in [("mean", &flat.mean), ("mean_low", &flat.mean_low), ("products", &flat.products)] {
                codec.accept(name, values, f64::is_finite, "a number that is not finite")?;
            }
        }
        account(&flat.rows, incomplete, classes, extreme)?;
        *self = self.assembled(patterns, &flat, incomplete, extreme)?;
        Ok(())
    }

    /// The scatter of numbers whose lengths were checked.
    fn assembled(&self, patterns: Vec<Vec<usize>>, flat: &Flat, incomplete: u64, extreme: bool) -> Result<Self> {
        let ((count, columns), part) = (self.shape(), self.part());
        let (mut mean, mut mean_low, mut products) = (&flat.mean[..], &flat.mean_low[..], &flat.products[..]);
        let mut groups = BTreeMap::new();
        for (at, pattern) in patterns.into_iter().enumerate() {
            let cells = at * count..(at + 1) * count;
            let table = |means: &mut &[f64]| {
                let cells = cut(means, count * pattern.len()).to_vec();
                ClassTable::from_cells(count, pattern.len(), cells).ok_or_else(|| fault("a mean has another shape than its pattern"))
            };
            let group = ScatterGroup {
                rows: flat.rows[cells.clone()].to_vec(),
                weight: flat.weight[cells.clone()].to_vec(),
                squared: flat.squared[cells].to_vec(),
                mean: table(&mut mean)?,
                mean_low: table(&mut mean_low)?,
                products: (0..matrices(count, part)).map(|_| unpacked(&mut products, pattern.len())).collect(),
            };
            check(&group, extreme)?;
            if groups.insert(pattern, group).is_some() {
                return Err(fault("`scatter.columns` lists a pattern twice"));
            }
        }
        Scatter::from_groups((count, columns), part, self.limit(), groups, incomplete)
            .ok_or_else(|| fault("`scatter.columns` has no pattern of complete rows"))
    }
}

/// The observed columns of each group.
fn patterns_of(flat: &Flat, columns: usize) -> Result<Vec<Vec<usize>>> {
    let mut rest = &flat.columns[..];
    let mut patterns = Vec::new();
    for &length in &flat.lengths {
        let cut = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let (pattern, after) = cut.ok_or_else(|| fault("`scatter.lengths` asks for more columns than are listed"))?;
        if pattern.last().is_some_and(|last| *last >= columns as u64) || pattern.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(fault(format!("`scatter.columns` lists columns that do not rise or are not among the {columns}")));
        }
        patterns.push(pattern.iter().map(|&j| j as usize).collect());
        rest = after;
    }
    match rest.is_empty() {
        true => Ok(patterns),
        false => Err(fault("`scatter.columns` lists more columns than the lengths ask for")),
    }
}

/// Lengths of the arrays of all groups.
struct Sizes {
    cells: usize,
    means: usize,
    products: usize,
}

impl Sizes {
    fn of(patterns: &[Vec<usize>], classes: usize, part: ScatterPart) -> Option<Sizes> {
        let cells = patterns.len().checked_mul(classes)?;
        let (mut means, mut products) = (0usize, 0usize);
        for pattern in patterns {
            means = means.checked_add(classes.checked_mul(pattern.len())?)?;
            products = products.checked_add(matrices(classes, part).checked_mul(triangle(pattern.len())?)?)?;
        }
        Some(Sizes { cells, means, products })
    }
}

fn matrices(classes: usize, part: ScatterPart) -> usize {
    match part {
        ScatterPart::None => 0,
        ScatterPart::Pooled => 1,
        ScatterPart::PerClass => classes,
    }
}

/// Number of elements of an upper triangle with its diagonal.
fn triangle(columns: usize) -> Option<usize> {
    Some(columns.checked_mul(columns.checked_add(1)?)? / 2)
}

/// Every row of a class is in one group or in none, and those in none are counted; batches with extreme numbers wait for the second pass.
fn account(rows: &[u64], incomplete: u64, classes: &ClassWeights, extreme: bool) -> Result<()> {
    let mut left = classes.rows.clone();
    for group in rows.chunks_exact(left.len().max(1)) {
        for (left, rows) in left.iter_mut().zip(group) {
            *left = left.checked_sub(*rows).ok_or_else(|| fault("`scatter.rows` has more rows of a class than `classes.rows`"))?;
        }
    }
    match extreme || left.iter().sum::<u64>() == incomplete {
        true => Ok(()),
        false => Err(fault("`scatter.rows` and `scatter.incomplete` do not add up to `classes.rows`")),
    }
}

/// A class without rows has no sums, and sums of squares are not negative.
fn check(group: &ScatterGroup, extreme: bool) -> Result<()> {
    let per_class = group.products.len() == group.rows.len() && group.rows.len() > 1;
    for k in (0..group.rows.len()).filter(|&k| group.rows[k] == 0) {
        let products = if per_class { group.products[k].as_slice() } else { &[] };
        let mut sums = [group.weight[k], group.squared[k]]
            .into_iter()
            .chain(group.mean.row(k).iter().chain(group.mean_low.row(k)).chain(products).copied());
        if sums.any(|sum| sum != 0.0) {
            return Err(fault(format!("a group of the scatter has sums of class {k}, of which it has no rows")));
        }
    }
    let mut squares = group.products.iter().flat_map(|products| products.iter().step_by(group.columns() + 1));
    match extreme || squares.all(|square| *square >= 0.0) {
        true => Ok(()),
        false => Err(fault("`scatter.products` holds a sum of squares below zero")),
    }
}

/// The upper triangle of a square matrix, row by row.
fn packed(products: &[f64], columns: usize) -> impl Iterator<Item = f64> {
    (0..columns).flat_map(move |a| products[a * columns + a..(a + 1) * columns].iter().copied())
}

/// The square matrix of the upper triangle at the front of `packed`.
fn unpacked(packed: &mut &[f64], columns: usize) -> Vec<f64> {
    let mut products = vec![0.0; columns * columns];
    for a in 0..columns {
        products[a * columns + a..(a + 1) * columns].copy_from_slice(cut(packed, columns - a));
    }
    products
}

/// Cuts `count` numbers off the front; their number was checked before.
fn cut<'a>(values: &mut &'a [f64], count: usize) -> &'a [f64] {
    let (front, rest) = values.split_at(count);
    *values = rest;
    front
}
