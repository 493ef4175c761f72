//! An exposure and a candidate: the odds ratio over all rows, standardised, and within the levels of the candidate.
//!
//! Crude against marginal is confounding by the candidate; marginal against conditional is non-collapsibility, which an odds ratio has without any
//! confounding. Only strata in which both levels of the exposure have rows can be compared; the crude odds ratio is of their rows, too, or it would
//! differ for being that of other people.

use super::counts::ConfoundingCounts;
use crate::data::Plane;
use crate::study::estimate::Estimate;
use crate::study::reversal::is_reversed;
use crate::study::strata::{Standardised, StratifiedTable};
use crate::study::table::Table2x2;

/// What is told of an exposure and a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The exposure's column.
    pub exposure: String,
    /// The candidate's column.
    pub candidate: String,
    /// Its levels, or the ranges that a number was cut into, which hold both levels of the exposure.
    pub strata: usize,
    /// Weight of the rows that are compared.
    pub rows: f64,
    /// Weight of rows in strata without one of the levels of the exposure.
    pub not_compared: f64,
    /// The odds ratio over all rows that are compared.
    pub crude: Estimate,
    /// Risks standardised to the strata of all rows that are compared.
    pub marginal: Standardised,
    /// The odds ratio within strata, by Mantel and Haenszel.
    pub conditional: Estimate,
    /// The p-value of Breslow and Day's test, with Tarone's correction, of equal odds ratios.
    pub homogeneity: f64,
}

impl Pair {
    /// ln crude − ln marginal odds ratio.
    pub fn confounding(&self) -> f64 {
        (self.crude.value / self.marginal.odds_ratio.value).ln()
    }

    /// ln marginal − ln conditional odds ratio.
    pub fn non_collapsibility(&self) -> f64 {
        (self.marginal.odds_ratio.value / self.conditional.value).ln()
    }

    /// ln crude − ln conditional odds ratio: all that can be told of a case–control study.
    pub fn change(&self) -> f64 {
        (self.crude.value / self.conditional.value).ln()
    }

    /// Whether crude and conditional odds ratio lie on opposite sides of 1.
    pub fn is_reversed(&self) -> bool {
        is_reversed(&self.crude, &self.conditional)
    }

    /// The pair of a table for every stratum.
    fn of(exposure: &str, candidate: &str, all: Vec<Table2x2>, level: f64) -> Self {
        let both = |stratum: &Table2x2| stratum.exposed() > 0.0 && stratum.unexposed() > 0.0;
        let not_compared = all.iter().filter(|stratum| !both(stratum)).map(Table2x2::total).sum();
        let strata = StratifiedTable { strata: all.into_iter().filter(both).collect() };
        Pair {
            exposure: exposure.to_owned(),
            candidate: candidate.to_owned(),
            strata: strata.strata.len(),
            rows: strata.crude().total(),
            not_compared,
            crude: strata.crude().woolf(level),
            marginal: strata.standardised(level),
            conditional: strata.mh_odds_ratio(level),
            homogeneity: strata.breslow_day()[1].p_value,
        }
    }
}

impl ConfoundingCounts {
    /// Weights of groups (levels of the exposure by classes) in every stratum of a candidate.
    fn strata(&self, exposure: usize, candidate: usize, bins: usize) -> Vec<Vec<f64>> {
        let own = &self.exposures[exposure];
        match self.layout.plane(candidate) {
            Plane::Codes(at) => {
                let groups = own.levels.counts.cells().len() / own.levels.counts.columns().max(1);
                let levels = self.layout.level_counts()[at];
                (0..levels).map(|level| (0..groups).map(|group| own.levels.column(group, at)[level]).collect()).collect()
            }
            Plane::Numbers(at) => ranges(&own.numbers[at].sorted(), bins),
            Plane::Words(_) => Vec::new(),
        }
    }

    /// The pair of an exposure whose levels `low` and `high` occur, and a candidate; `None` for texts.
    pub(super) fn pair(&self, exposure: usize, [low, high]: [usize; 2], candidate: usize, bins: usize, level: f64) -> Option<Pair> {
        let strata = self.strata(exposure, candidate, bins);
        let table = |weights: Vec<f64>| {
            // Two classes, the last of which is the event.
            let at = |level: usize, class: usize| weights[2 * level + class];
            Table2x2 { a: at(high, 1), b: at(high, 0), c: at(low, 1), d: at(low, 0) }
        };
        let name = |feature: usize| self.layout.features()[feature].name.as_str();
        let tables: Vec<Table2x2> = strata.into_iter().map(table).filter(|table| table.total() > 0.0).collect();
        (!matches!(self.layout.plane(candidate), Plane::Words(_)))
            .then(|| Pair::of(name(self.exposures[exposure].feature), name(candidate), tables, level))
    }
}

/// Values joined to ranges of about as much weight each; few values are strata of their own.
fn ranges(values: &[(f64, Vec<f64>)], bins: usize) -> Vec<Vec<f64>> {
    if values.len() <= bins {
        return values.iter().map(|(_, weights)| weights.clone()).collect();
    }
    let total: f64 = values.iter().flat_map(|(_, weights)| weights).sum();
    let mut strata = vec![vec![0.0; values[0].1.len()]; bins];
    let mut below = 0.0;
    for (_, weights) in values {
        let own: f64 = weights.iter().sum();
        let at = ((below + own / 2.0) / total * bins as f64) as usize;
        crate::stats::add(&mut strata[at.min(bins - 1)], weights);
        below += own;
    }
    strata
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_about_as_much_each() {
        let values: Vec<(f64, Vec<f64>)> = (0..100).map(|i| (f64::from(i), vec![1.0, 1.0])).collect();
        assert_eq!(ranges(&values, 5), vec![vec![20.0, 20.0]; 5]);
        assert_eq!(ranges(&values[..3], 5).len(), 3);
    }

    /// Kidney stones: the answers of two other programs for the table of strata.
    #[test]
    fn a_pair_is_its_table_of_strata() {
        let tables = [[81.0, 6.0, 234.0, 36.0], [192.0, 71.0, 55.0, 25.0], [3.0, 2.0, 0.0, 0.0]];
        let pair = Pair::of("treatment", "size", tables.map(|cells| Table2x2::new(cells).unwrap()).to_vec(), 0.95);
        assert!((pair.crude.value - 0.748_348_537_3).abs() < 1e-9 && (pair.conditional.value - 1.446_846_625).abs() < 1e-9);
        assert!(pair.is_reversed() && pair.not_compared == 5.0 && pair.rows == 700.0 && pair.strata == 2);
        assert!((pair.confounding() + pair.non_collapsibility() - pair.change()).abs() < 1e-12);
    }
}
