//! A group of rows: a condition on a column, or on two.

use super::rows::KeptRows;
use crate::data::Plane;

/// A condition on one column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    /// The column.
    pub(super) feature: usize,
    /// What is asked of it.
    pub(super) is: Is,
}

/// What is asked of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Is {
    /// It is this level.
    Level(f64),
    /// It lies below.
    Below(f64),
    /// It does not.
    From(f64),
}

/// One condition or two, and the rows that fulfil them.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) conditions: Vec<Condition>,
    /// Rows inside, and rows that are inside or outside: one with a gap in a column of the group is neither.
    pub(super) inside: Bits,
    pub(super) known: Bits,
}

/// A set of rows, by their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// The rows of which something is true.
    pub(super) fn of(rows: usize, is: impl Fn(usize) -> bool) -> Self {
        let word = |at: usize| (64 * at..rows.min(64 * at + 64)).fold(0, |word, i| word | u64::from(is(i)) << (i % 64));
        Bits((0..rows.div_ceil(64)).map(word).collect())
    }

    /// How many rows there are.
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// How many rows are in all of three sets.
    pub(super) fn count_with(&self, other: &Bits, third: &Bits) -> u32 {
        self.0.iter().zip(&other.0).zip(&third.0).map(|((a, b), c)| (a & b & c).count_ones()).sum()
    }
}

impl Condition {
    /// Whether a row fulfils it; unknown for a gap.
    pub(super) fn holds(&self, rows: &KeptRows, i: usize) -> Option<bool> {
        let value = rows.cell(i, self.feature);
        (!value.is_nan()).then_some(match self.is {
            Is::Level(level) => value == level,
            Is::Below(cut) => value < cut,
            Is::From(cut) => value >= cut,
        })
    }

    /// The condition in words.
    pub(super) fn told(&self, rows: &KeptRows) -> String {
        let feature = &rows.layout.features()[self.feature];
        match self.is {
            Is::Level(level) => {
                let name = rows.layout.level_name(self.feature, level as usize).unwrap_or_else(|| level.to_string());
                format!("{} = {name}", feature.name)
            }
            Is::Below(cut) => format!("{} < {cut}", feature.name),
            Is::From(cut) => format!("{} ≥ {cut}", feature.name),
        }
    }

    /// All conditions on a column: its levels, or below and from on its quantiles among the rows of `order`.
    pub(super) fn of_column(rows: &KeptRows, order: &[usize], feature: usize, bins: usize) -> Vec<Condition> {
        let mut values: Vec<f64> = order.iter().map(|i| rows.cell(*i, feature)).filter(|value| !value.is_nan()).collect();
        values.sort_by(f64::total_cmp);
        let mut distinct = values.clone();
        distinct.dedup();
        let category = matches!(rows.layout.plane(feature), Plane::Codes(_));
        if category || distinct.len() <= 2 {
            // Of two levels one is the other turned round.
            let shown = if distinct.len() == 2 { &distinct[1..] } else { &distinct[..] };
            return shown.iter().map(|level| Condition { feature, is: Is::Level(*level) }).collect();
        }
        let mut cuts: Vec<f64> = (1..bins).map(|at| values[at * values.len() / bins]).filter(|cut| *cut > values[0]).collect();
        cuts.dedup();
        cuts.into_iter().flat_map(|cut| [Is::Below(cut), Is::From(cut)]).map(|is| Condition { feature, is }).collect()
    }
}

impl Group {
    /// The rows that fulfil all conditions.
    pub(super) fn new(rows: &KeptRows, order: &[usize], conditions: Vec<Condition>) -> Self {
        let holds = |i: &usize| conditions.iter().try_fold(true, |all, condition| Some(all & condition.holds(rows, *i)?));
        let told: Vec<Option<bool>> = order.iter().map(holds).collect();
        let inside = Bits::of(told.len(), |i| told[i] == Some(true));
        Group { conditions, inside, known: Bits::of(told.len(), |i| told[i].is_some()) }
    }
}
