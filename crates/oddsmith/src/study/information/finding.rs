//! What one column tells about the target.

use super::counts::Counts;
use super::number_bins::{cuts_of, joined, quantile_starts};
use super::{Information, NumberMethod};
use crate::data::{Kind, Plane};
use crate::error::Result;
use crate::info::{Joint, MutualInformation, conditional_inference, mdl_cuts, neighbour_information};

/// Tables drawn for a p-value by permutation.
const DRAWS: u64 = 999;

/// Most rows of a table that is permuted so often.
const MOST_PERMUTED: f64 = 20_000.0;

/// Most values that tie before neighbours say nothing.
const MOST_TIES: f64 = 0.05;

/// What one column, or one word of a text column, tells about the target.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    /// The column.
    pub(super) feature: usize,
    /// The word.
    pub(super) word: Option<usize>,
    /// Weight of the rows that have a value.
    pub(super) weight: f64,
    /// Different values, or bins, that occur.
    pub(super) values: usize,
    /// The estimate in nats.
    pub(super) estimate: f64,
    /// Estimate without correction, standard error and interval, where the estimate has them.
    pub(super) precision: Option<MutualInformation>,
    /// The test.
    pub(super) test: Test,
    /// How the estimate was made.
    pub(super) method: &'static str,
    /// Where a number was cut for the estimate.
    pub(super) cuts: Vec<f64>,
    /// Where a number is cut when it is looked at beside another column.
    pub(super) bins: Vec<f64>,
    /// Ross's estimate beside one from intervals, in nats.
    pub(super) neighbours: Option<f64>,
    /// The share of values that tie, where that was too much for neighbours.
    pub(super) ties: Option<f64>,
    /// The tables that the estimate is from, one a stratum.
    pub(super) tables: Vec<Joint>,
}

/// A test of independence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test {
    pub(super) g: f64,
    pub(super) df: f64,
    pub(super) p_value: f64,
    pub(super) by: &'static str,
    /// Whether the χ² distribution had to do though counts are too few for it.
    pub(super) is_rough: bool,
}

impl Finding {
    /// The findings of a feature: one, or one for every word of a text, the most telling first.
    pub(super) fn of_feature(options: &Information, counts: &Counts, feature: usize) -> Result<Vec<Finding>> {
        match counts.layout().plane(feature) {
            Plane::Codes(at) => Ok(Finding::of_values(options, counts, feature, counts.category(at))?.into_iter().collect()),
            Plane::Numbers(at) if options.numbers.keeps_rows() => {
                Ok(Finding::of_neighbours(options, counts, feature, at)?.into_iter().collect())
            }
            Plane::Numbers(at) => {
                Ok(Finding::of_bins(options, counts, feature, counts.number(at), &counts.cuts()[at])?.into_iter().collect())
            }
            Plane::Words(block) => {
                let mut found = Vec::new();
                for word in 0..counts.words(block) {
                    let of_word = Finding::of_values(options, counts, feature, counts.word(block, word))?;
                    found.extend(of_word.map(|finding| Finding { word: Some(word), ..finding }));
                }
                found.sort_by(|a, b| b.estimate.total_cmp(&a.estimate).then(a.word.cmp(&b.word)));
                found.truncate(options.words);
                Ok(found)
            }
        }
    }

    /// From counts of values as they are; `None` where no row has one.
    fn of_values(options: &Information, counts: &Counts, feature: usize, values: Vec<f64>) -> Result<Option<Finding>> {
        let tables = counts.tables(&values)?;
        let Some((rows, weight)) = evidence(counts, &tables) else { return Ok(None) };
        let found = conditional_inference(&tables, rows, options.level);
        let occurring = values.chunks_exact(counts.classes().rows.len()).filter(|value| value.iter().any(|n| *n > 0.0)).count();
        Ok(Some(Finding {
            feature,
            word: None,
            weight,
            values: occurring,
            estimate: found.estimate,
            precision: Some(found),
            test: tested(&tables, rows, &found),
            method: "counts",
            cuts: Vec::new(),
            bins: Vec::new(),
            neighbours: None,
            ties: None,
            tables,
        }))
    }

    /// From counts of fine bins.
    fn of_bins(options: &Information, counts: &Counts, feature: usize, fine: &[f64], cuts: &[f64]) -> Result<Option<Finding>> {
        let groups = counts.classes().rows.len();
        let blind = quantile_starts(fine, groups);
        let Some(by_quantiles) = Finding::of_values(options, counts, feature, joined(fine, groups, &blind))? else { return Ok(None) };
        let paying = match options.numbers {
            NumberMethod::Quantiles => Vec::new(),
            _ => mdl_cuts(&by_class(fine, counts), counts.layout().classes().len()),
        };
        // Where no cut pays for itself, there may still be something to tell.
        let (starts, method) = if paying.is_empty() { (blind, "quantiles") } else { (paying, "description length") };
        let Some(found) = Finding::of_values(options, counts, feature, joined(fine, groups, &starts))? else { return Ok(None) };
        let cuts: Vec<f64> = starts.iter().map(|start| cuts[start - 1]).collect();
        Ok(Some(Finding { test: by_quantiles.test, method, bins: cuts.clone(), cuts, ..found }))
    }

    /// From neighbours; from bins where too many values tie.
    fn of_neighbours(options: &Information, counts: &Counts, feature: usize, at: usize) -> Result<Option<Finding>> {
        let (classes, groups) = (counts.layout().classes().len(), counts.classes().rows.len());
        let values = counts.rows().map(|rows| rows.column(at)).unwrap_or_default();
        let cuts = cuts_of(values.iter().map(|(x, _)| (*x, 1.0)).collect(), 512);
        let mut fine = vec![0.0; (cuts.len() + 1) * groups];
        values.iter().for_each(|(x, group)| fine[cuts.partition_point(|cut| cut <= x) * groups + *group as usize] += 1.0);
        let binned = Finding::of_bins(options, counts, feature, &fine, &cuts)?;
        let (mut sum, mut rows, mut tied) = (0.0, 0.0, 0.0);
        for stratum in 0..counts.strata() {
            let own = |group: u32| group as usize / classes == stratum;
            let members = values.iter().filter(|(_, group)| own(*group)).map(|(x, group)| (*x, *group % classes as u32)).collect();
            if let Some(found) = neighbour_information(members, classes, options.neighbours) {
                sum += found.rows as f64 * found.estimate;
                rows += found.rows as f64;
                tied += found.rows as f64 * found.ties;
            }
        }
        let Some(binned) = binned.filter(|_| rows > 0.0) else { return Ok(None) };
        if tied > MOST_TIES * rows {
            return Ok(Some(Finding { ties: Some(tied / rows), ..binned }));
        }
        let estimate = (sum / rows).max(0.0);
        if options.numbers == NumberMethod::Both {
            return Ok(Some(Finding { neighbours: Some(estimate), ..binned }));
        }
        Ok(Some(Finding { estimate, precision: None, method: "neighbours", cuts: Vec::new(), ..binned }))
    }

    /// The name of the kind of its column.
    pub(super) fn kind(&self, counts: &Counts) -> Kind {
        counts.layout().features()[self.feature].kind()
    }
}

/// Counts by class alone, all strata together.
fn by_class(counts: &[f64], stats: &Counts) -> Vec<f64> {
    let (classes, groups) = (stats.layout().classes().len(), stats.classes().rows.len());
    let of_class = |bin: &[f64], k: usize| bin.iter().skip(k).step_by(classes).sum::<f64>();
    counts.chunks_exact(groups).flat_map(|bin| (0..classes).map(move |k| of_class(bin, k))).collect()
}

/// Rows that the tables are worth as evidence, and their weight.
fn evidence(counts: &Counts, tables: &[Joint]) -> Option<(f64, f64)> {
    let weight: f64 = tables.iter().map(Joint::total).sum();
    (weight > 0.0).then(|| (counts.groups().evidence_of(weight), weight))
}

/// The test of a table: by permutation where counts are too few for the χ² distribution and few enough to be permuted.
fn tested(tables: &[Joint], rows: f64, found: &MutualInformation) -> Test {
    let chi2 = Test { g: found.g, df: found.df, p_value: found.p_value, by: "chi2", is_rough: false };
    let sparse = tables
        .iter()
        .any(|table| table.df() > 0.0 && table.is_sparse(rows * (table.total() / tables.iter().map(Joint::total).sum::<f64>())));
    if !sparse || found.df == 0.0 {
        return chi2;
    }
    match tables {
        [table] if table.total() <= MOST_PERMUTED && rows == table.total() => match table.permutation_p_value(DRAWS, 1) {
            Some(p_value) => Test { p_value, by: "permutation", ..chi2 },
            None => Test { is_rough: true, ..chi2 },
        },
        _ => Test { is_rough: true, ..chi2 },
    }
}
