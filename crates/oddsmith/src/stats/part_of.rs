//! Whether one summary can be part of another: taking away what was never there leaves counts below zero and squares of no number.

use super::{Moment, TableStats};

/// Share of a weight that rounding may leave below zero.
const ROUNDING: f64 = 1e-9;
/// Shares of sums of squares, and of squares of means, that it may: what is refused must be no part for certain.
const SPREAD_ROUNDING: f64 = 1e-6;
const MEAN_ROUNDING: f64 = 1e-9;

impl TableStats {
    /// What shows that rows of the part are not among those of the whole.
    pub(super) fn lacks(&self, part: &Self) -> Option<String> {
        self.rows_lacking(part).or_else(|| self.levels_lacking(part)).or_else(|| self.values_lacking(part))
    }

    fn rows_lacking(&self, part: &Self) -> Option<String> {
        let (mine, theirs) = (&self.classes().rows, &part.classes().rows);
        let k = (0..mine.len()).find(|&k| theirs[k] > mine[k])?;
        let rows = crate::notice::counted(theirs[k], "row");
        Some(format!("the part to take away has {rows} of class `{}`, the whole only {}", self.layout().classes().label(k), mine[k]))
    }

    fn levels_lacking(&self, part: &Self) -> Option<String> {
        let (mine, theirs) = (self.levels()?, part.levels()?);
        let classes = self.layout().classes();
        let columns = (0..classes.len()).flat_map(|k| (0..mine.offsets.len() - 1).map(move |j| (k, j)));
        columns.into_iter().find_map(|(k, j)| {
            let (mine, theirs) = (mine.column(k, j), theirs.column(k, j));
            let at = (0..mine.len()).find(|&at| theirs[at] > mine[at] * (1.0 + ROUNDING))?;
            let feature = self.layout().codes()[j];
            let (column, level) = (&self.layout().features()[feature].name, self.layout().level_name(feature, at).unwrap_or_default());
            Some(format!(
                "in class `{}` the part has the level `{level}` of `{column}` with a weight of {}, the whole only with {}",
                classes.label(k),
                theirs[at],
                mine[at]
            ))
        })
    }

    fn values_lacking(&self, part: &Self) -> Option<String> {
        let (mine, theirs) = (self.moments()?, part.moments()?);
        let columns = self.layout().numbers().len();
        let cells = (0..self.layout().classes().len()).flat_map(|k| (0..columns).map(move |j| (k, j)));
        let (k, j) = cells.into_iter().find(|&(k, j)| !holds(mine.get(k, j), theirs.get(k, j)))?;
        let column = &self.layout().features()[self.layout().numbers()[j]].name;
        Some(format!("values of `{column}` in class `{}` of the part are not among those of the whole", self.layout().classes().label(k)))
    }
}

/// Whether values of these moments can be among values of those: what is left has weight and squares from zero up.
fn holds(whole: Moment, part: Moment) -> bool {
    let left = whole.weight - part.weight;
    if left <= ROUNDING * whole.weight {
        return left >= -ROUNDING * whole.weight;
    }
    let delta = (whole.mean - part.mean) + (whole.mean_low - part.mean_low);
    let squares = whole.squares - part.squares - delta * delta * whole.weight * (part.weight / left);
    let rounding = SPREAD_ROUNDING * (whole.squares + part.squares) + MEAN_ROUNDING * whole.weight * whole.mean * whole.mean;
    squares.is_nan() || squares >= -rounding
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(values: &[f64]) -> Moment {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum();
        Moment { weight: values.len() as f64, mean, mean_low: 0.0, squares }
    }

    #[test]
    fn parts_are_told_from_strangers() {
        let whole = moment(&[1.0, 2.0, 3.0, 7.0, 11.0]);
        assert!(holds(whole, moment(&[2.0, 7.0])) && holds(whole, whole) && holds(whole, moment(&[11.0])));
        assert!(!holds(whole, moment(&[2.0, 20.0])) && !holds(whole, moment(&[1.0, 2.0, 3.0, 7.0, 12.0, 13.0])));
    }
}
