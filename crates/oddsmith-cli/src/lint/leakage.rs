//! Columns that know too much: one that tells the classes apart alone, or one that is different in every row.
//!
//! The score of a number is the number itself, up or down: one slope has one sign, so choosing it costs nothing. The score of a level
//! is the proportion of the class among the *other* rows of that level, and a high score must mean the class. Within a level such
//! scores always run the wrong way round (a row of the class takes itself away), so a category without any effect has an area
//! below a half; whoever took the mirror image of that would find a perfect predictor in every balanced design.

use oddsmith::data::{Plane, Weighting};
use oddsmith::error::visible;
use oddsmith::eval::{Auc, Ranking, ScoreScale};
use oddsmith::notice::{self, Notice};
use oddsmith::stats::TableStats;

use super::row_sample::RowSample;

/// An area above this is too good for one column.
const TOO_GOOD: f64 = 0.98;
/// Fewer rows than this say nothing about uniqueness or areas.
const ENOUGH_ROWS: f64 = 20.0;
/// Fewer rows of a class, or of all others, than this reach such an area by chance: one does in 4 of 100 columns of noise, five
/// do in fewer than one of a million.
const ENOUGH_OF_EACH: f64 = 5.0;

/// A notice when feature `j` alone predicts almost perfectly or names every row; `level_rows` are the rows of its levels.
pub(super) fn suspicion(stats: &TableStats, sample: &RowSample, j: usize, level_rows: &[u64]) -> Option<Notice> {
    let unique = match stats.layout().plane(j) {
        Plane::Numbers(at) => sample.all_different(at) && stats.classes().total_rows() as f64 >= ENOUGH_ROWS,
        _ => names_rows(level_rows),
    };
    match unique {
        true => Some(identifier(stats, j)),
        false => telling(stats, sample, j),
    }
}

/// The same for a column that somebody has chosen to learn from: a number that is different in every row may well be meant as one.
pub(super) fn suspicion_of_chosen(stats: &TableStats, sample: &RowSample, j: usize, level_rows: &[u64]) -> Option<Notice> {
    match names_rows(level_rows) {
        true => Some(identifier(stats, j)),
        false => telling(stats, sample, j),
    }
}

/// Whether every level has one row.
fn names_rows(level_rows: &[u64]) -> bool {
    level_rows.len() as f64 >= ENOUGH_ROWS && level_rows.iter().all(|rows| *rows <= 1)
}

fn identifier(stats: &TableStats, j: usize) -> Notice {
    let text = "is different in every row, as an identifier is; leave it out with --exclude unless it is known beforehand";
    Notice::new(notice::LEAKAGE, text).column(&stats.layout().features()[j].name)
}

/// A notice when the column alone tells a class from the rest.
fn telling(stats: &TableStats, sample: &RowSample, j: usize) -> Option<Notice> {
    let (area, k) = best_area(stats, sample, j)?;
    let label = visible(stats.layout().classes().label(k));
    let told = || format!("alone tells class `{label}` from the rest with an AUC of {area:.3}; is it known before the target is?");
    (area > TOO_GOOD).then(|| Notice::new(notice::LEAKAGE, told()).column(&stats.layout().features()[j].name))
}

/// The largest area of the column as a score for one class against all others, and that class.
fn best_area(stats: &TableStats, sample: &RowSample, j: usize) -> Option<(f64, usize)> {
    let classes = stats.layout().classes().len();
    let rows = super::rows_of_classes(stats);
    let total: f64 = rows.iter().sum();
    let enough = |k: &usize| total >= ENOUGH_ROWS && rows[*k].min(total - rows[*k]) >= ENOUGH_OF_EACH;
    // With two classes both areas are the same; the event's is the one to name.
    let candidates = if classes == 2 { 1..2 } else { 0..classes };
    let area = |k: usize| {
        let of = |rows: Vec<(f64, bool, f64)>| Some(Auc::of(&Ranking::new(rows, ScoreScale::Order), Weighting::None).ok()?.area);
        let area = match stats.layout().plane(j) {
            Plane::Numbers(at) => of(sample.scored(at, k)).map(|area| area.max(1.0 - area)),
            Plane::Codes(at) => of(level_scores(stats, at, k)?),
            Plane::Words(_) => None,
        };
        Some((area?, k))
    };
    candidates.filter(enough).filter_map(area).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Every row as its score, whether it has class `k`, and its weight. The score is the proportion of the class among the *other* rows
/// of its level: a level of one row, which knows its own answer, would look like a perfect predictor otherwise.
fn level_scores(stats: &TableStats, at: usize, k: usize) -> Option<Vec<(f64, bool, f64)>> {
    let levels = stats.levels()?;
    let weights = &stats.classes().weight;
    let total: f64 = weights.iter().sum();
    // Sampling weights have any unit; a row that is left out should weigh about as much as a row.
    let unit = if stats.layout().weighting() == Weighting::Sampling { total / stats.classes().total_rows() as f64 } else { 1.0 };
    let overall = weights[k] / total;
    let mut rows = Vec::new();
    for level in 0..levels.offsets[at + 1] - levels.offsets[at] {
        let events = levels.column(k, at)[level] / unit;
        let all = (0..weights.len()).map(|class| levels.column(class, at)[level]).sum::<f64>() / unit;
        let share = |events: f64| if all > 1.0 { (events / (all - 1.0)).clamp(0.0, 1.0) } else { overall };
        rows.push((share(events - 1.0), true, events));
        rows.push((share(events), false, all - events));
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use oddsmith::data::{Classes, CodesView, Feature, Features, Layout, Levels, Rows};
    use oddsmith::num::MatrixView;
    use oddsmith::stats::Statistics;

    use super::*;

    /// A generator of numbers that look random.
    struct Noise(u64);

    impl Noise {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }
    }

    /// What is said about a category and a number beside it.
    fn told(levels: usize, rows: &[(u32, f64, u32)], classes: usize, weights: Option<(&[f64], Weighting)>) -> [Option<String>; 2] {
        let names = (0..classes).map(|k| format!("k{k}")).collect();
        let level_names = (0..levels).map(|level| format!("{level:03}")).collect();
        let features = vec![Feature::category("c", Levels::in_order(level_names)), Feature::number("x")];
        let weighting = weights.map_or(Weighting::None, |(_, weighting)| weighting);
        let layout = Arc::new(Layout::new("y", features, Classes::new(names).unwrap(), weighting).unwrap());
        let (codes, labels): (Vec<u32>, Vec<u32>) = rows.iter().map(|(code, _, label)| (*code, *label)).unzip();
        let numbers: Vec<f64> = rows.iter().map(|(_, x, _)| *x).collect();
        let features = Features {
            codes: CodesView::column_major(&codes, rows.len(), 1).unwrap(),
            ..Features::of_numbers(MatrixView::column_major(&numbers, rows.len(), 1).unwrap())
        };
        let batch = Rows::new(features, &labels, weights.map(|(weights, _)| weights), 0);
        let (mut stats, mut sample) = (TableStats::new(Arc::clone(&layout), crate::lint::parts()), RowSample::new(&layout));
        sample.observe(batch).unwrap();
        stats.observe(batch).unwrap();
        let mut level_rows = vec![0; levels];
        codes.iter().for_each(|code| level_rows[*code as usize] += 1);
        [0, 1].map(|j| suspicion(&stats, &sample, j, &level_rows).map(|notice| notice.text))
    }

    #[test]
    fn categories_of_equal_class_proportions_are_no_leaks() {
        for levels in 2..=50 {
            for (events, others) in [(6, 6), (1, 9), (30, 10)] {
                let arm = |level: u32| (0..events + others).map(move |i| (level, f64::from(i % 3), u32::from(i < events)));
                let rows: Vec<_> = (0..levels).flat_map(arm).collect();
                assert_eq!(told(levels as usize, &rows, 2, None), [None, None], "{levels} levels of {events} and {others}");
            }
        }
    }

    #[test]
    fn noise_is_no_leak_whatever_the_levels_and_the_rarity() {
        let mut noise = Noise(1);
        for levels in 2..=50 {
            for rarity in [2, 10, 60] {
                for classes in [2, 4] {
                    let rows: Vec<(u32, f64, u32)> = (0..240)
                        .map(|_| {
                            let label = if noise.below(rarity) == 0 { 1 + noise.below(classes - 1) as u32 } else { 0 };
                            // Half of the rows fall into the first two levels.
                            let level = if noise.below(2) == 0 { noise.below(2) } else { noise.below(levels) };
                            (level as u32, noise.below(1000) as f64 / 7.0, label)
                        })
                        .collect();
                    let found = told(levels as usize, &rows, classes as usize, None);
                    assert_eq!(found, [None, None], "{levels} levels, 1 in {rarity}, {classes} classes");
                }
            }
        }
    }

    #[test]
    fn leaks_and_identifiers_are_found_in_both_directions() {
        for levels in [2, 3, 10, 50] {
            for sign in [1.0, -1.0] {
                let row = |i: u32| (i % levels, sign * (f64::from(i % levels % 2) + f64::from(i % 7) / 10.0), i % levels % 2);
                let rows: Vec<_> = (0..400).map(row).collect();
                let found = told(levels as usize, &rows, 2, None);
                let expected = "alone tells class `k1` from the rest with an AUC of 1.000; is it known before the target is?";
                assert_eq!(found.map(Option::unwrap), [expected, expected], "{levels} levels");
            }
        }
        let rows: Vec<_> = (0..40).map(|i| (i, f64::from(i), i % 2)).collect();
        assert!(told(40, &rows, 2, None).into_iter().all(|found| found.unwrap().starts_with("is different in every row")));
    }

    #[test]
    fn weights_count_rows_and_units_do_not_matter() {
        // Eight rows that stand for eighty: two arms alike, or arms that know the class.
        let grouped = |leak: bool| -> Vec<(u32, f64, u32)> { (0..8).map(|i| (if leak { i % 2 } else { i / 4 }, 0.0, i % 2)).collect() };
        for weighting in [Weighting::Frequency, Weighting::Sampling] {
            assert_eq!(told(2, &grouped(false), 2, Some((&[10.0; 8], weighting)))[0], None);
        }
        assert!(told(2, &grouped(true), 2, Some((&[10.0; 8], Weighting::Frequency)))[0].is_some());
        let many: Vec<_> = grouped(true).into_iter().cycle().take(80).collect();
        for unit in [1e-3, 1.0, 1e6] {
            assert!(told(2, &many, 2, Some((&[unit; 80], Weighting::Sampling)))[0].is_some(), "{unit}");
        }
    }
}
