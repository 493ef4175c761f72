//! Scatter as arrays of a record: all groups end to end, of the products the upper triangle row by row.

use std::collections::BTreeMap;

use super::{ClassTable, ClassWeights, Parts, Scatter, ScatterGroup, ScatterPart};
use crate::error::Result;
use crate::record::{Record, fault};

impl Scatter {
    pub(super) fn write(&self, record: &mut Record) {
        let groups = self.groups();
        let patterns = || groups.keys();
        let counts = |values: &[usize]| values.iter().map(|&v| v as u64).collect::<Vec<_>>();
        record.put_counts("scatter.columns", &patterns().flat_map(|pattern| counts(pattern)).collect::<Vec<_>>());
        record.put_counts("scatter.lengths", &patterns().map(|pattern| pattern.len() as u64).collect::<Vec<_>>());
        record.put_counts("scatter.incomplete", &[self.incomplete()]);
        record.put_counts("scatter.rows", &groups.values().flat_map(|group| group.rows.iter().copied()).collect::<Vec<_>>());
        let mut numbers = |name: &str, of: fn(&ScatterGroup) -> Vec<f64>| {
            record.put(format!("scatter.{name}"), &groups.values().flat_map(of).collect::<Vec<_>>());
        };
        numbers("weight", |group| group.weight.clone());
        numbers("squared", |group| group.squared.clone());
        numbers("mean", |group| group.mean.cells().to_vec());
        numbers("mean_low", |group| group.mean_low.cells().to_vec());
        numbers("products", |group| group.products.iter().flat_map(|products| packed(products, group.columns())).collect());
    }

    /// The scatter of a record over `columns` number columns; `classes` counts the rows it must account for.
    pub(super) fn read(record: &Record, classes: &ClassWeights, columns: usize, parts: Parts) -> Result<Self> {
        let patterns = read_patterns(record, columns)?;
        let count = classes.rows.len();
        let incomplete = record.counts_of("scatter.incomplete", 1)?[0];
        let sizes = Sizes::of(&patterns, count, parts.scatter).ok_or_else(|| fault("the scatter has more cells than memory has bytes"))?;
        let rows = record.counts_of("scatter.rows", sizes.cells)?;
        let weight = record.weights("scatter.weight", sizes.cells)?;
        let squared = record.weights("scatter.squared", sizes.cells)?;
        let mut mean = record.finite("scatter.mean", sizes.means)?;
        let mut mean_low = record.finite("scatter.mean_low", sizes.means)?;
        let mut products = record.finite("scatter.products", sizes.products)?;
        account(rows, incomplete, classes)?;
        let mut groups = BTreeMap::new();
        for (at, pattern) in patterns.into_iter().enumerate() {
            let cells = at * count..(at + 1) * count;
            let table = |means: &mut &[f64]| {
                let cells = cut(means, count * pattern.len()).to_vec();
                ClassTable::from_cells(count, pattern.len(), cells).ok_or_else(|| fault("a mean has another shape than its pattern"))
            };
            let group = ScatterGroup {
                rows: rows[cells.clone()].to_vec(),
                weight: weight[cells.clone()].to_vec(),
                squared: squared[cells].to_vec(),
                mean: table(&mut mean)?,
                mean_low: table(&mut mean_low)?,
                products: (0..matrices(count, parts.scatter)).map(|_| unpacked(&mut products, pattern.len())).collect(),
            };
            check(&group)?;
            if groups.insert(pattern, group).is_some() {
                return Err(fault("`scatter.columns` lists a pattern twice"));
            }
        }
        Scatter::from_groups((count, columns), parts.scatter, parts.patterns, groups, incomplete)
            .ok_or_else(|| fault("`scatter.columns` has no pattern of complete rows"))
    }
}

/// The observed columns of each group.
fn read_patterns(record: &Record, columns: usize) -> Result<Vec<Vec<usize>>> {
    let mut rest = record.counts("scatter.columns")?;
    let mut patterns = Vec::new();
    for &length in record.counts("scatter.lengths")? {
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

/// Every row of a class is in one group or in none, and those in none are counted.
fn account(rows: &[u64], incomplete: u64, classes: &ClassWeights) -> Result<()> {
    let mut left = classes.rows.clone();
    for group in rows.chunks_exact(left.len().max(1)) {
        for (left, rows) in left.iter_mut().zip(group) {
            *left = left.checked_sub(*rows).ok_or_else(|| fault("`scatter.rows` has more rows of a class than `classes.rows`"))?;
        }
    }
    match left.iter().sum::<u64>() == incomplete {
        true => Ok(()),
        false => Err(fault("`scatter.rows` and `scatter.incomplete` do not add up to `classes.rows`")),
    }
}

/// A class without rows has no sums, and sums of squares are not negative.
fn check(group: &ScatterGroup) -> Result<()> {
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
    match squares.all(|square| *square >= 0.0) {
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
