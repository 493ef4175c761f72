//! Columns that know too much: one that tells the classes apart alone, or one that is different in every row.

use oddsmith::data::{Plane, Space, Weighting};
use oddsmith::error::visible;
use oddsmith::eval::{Auc, Ranking, ScoreScale};
use oddsmith::notice::{self, Notice};
use oddsmith::stats::TableStats;

use super::row_sample::RowSample;

/// An area above this is too good for one column.
const TOO_GOOD: f64 = 0.98;
/// Fewer rows than this say nothing about uniqueness or areas.
const ENOUGH_ROWS: u64 = 20;

/// A notice when feature `j` alone predicts almost perfectly or names every row.
pub(super) fn suspicion(stats: &TableStats, sample: &RowSample, j: usize) -> Option<Notice> {
    if stats.classes().total_rows() < ENOUGH_ROWS {
        return None;
    }
    let feature = &stats.layout().features()[j];
    let notice = |text: String| Some(Notice::new(notice::LEAKAGE, text).column(&feature.name));
    let unique = match (stats.layout().plane(j), &feature.space) {
        (Plane::Numbers(at), _) => sample.all_different(at),
        (Plane::Codes(at), Space::Levels { boolean: false, .. }) => every_level_once(stats, at),
        _ => false,
    };
    if unique {
        return notice("is different in every row, as an identifier is; leave it out with --exclude unless it is known beforehand".into());
    }
    let (area, k) = best_area(stats, sample, j)?;
    let label = visible(stats.layout().classes().label(k));
    let told = || format!("alone tells class `{label}` from the rest with an AUC of {area:.3}; is it known before the target is?");
    if area > TOO_GOOD { notice(told()) } else { None }
}

fn every_level_once(stats: &TableStats, at: usize) -> bool {
    let Some(levels) = stats.levels() else { return false };
    let classes = stats.layout().classes().len();
    let counts = |level: usize| (0..classes).map(|k| levels.column(k, at)[level]).sum::<f64>();
    let width = levels.offsets[at + 1] - levels.offsets[at];
    width as u64 >= ENOUGH_ROWS && (0..width).all(|level| counts(level) <= 1.0)
}

/// The largest area of the column as a score for one class against all others, and that class.
fn best_area(stats: &TableStats, sample: &RowSample, j: usize) -> Option<(f64, usize)> {
    let classes = stats.layout().classes().len();
    // With two classes both areas are mirror images; the event's is the one to name.
    let candidates = if classes == 2 { 1..2 } else { 0..classes };
    let area = |k: usize| {
        let rows = match stats.layout().plane(j) {
            Plane::Numbers(at) => sample.scored(at, k),
            Plane::Codes(at) => level_scores(stats, at, k)?,
            Plane::Words(_) => return None,
        };
        let area = Auc::of(&Ranking::new(rows, ScoreScale::Order), Weighting::None).ok()?.area;
        Some((area.max(1.0 - area), k))
    };
    candidates.filter_map(area).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Every row as its score, whether it has class `k`, and its weight. The score is the share of the class among the *other* rows of its
/// level: a level of one row, which knows its own answer, would look like a perfect predictor otherwise.
fn level_scores(stats: &TableStats, at: usize, k: usize) -> Option<Vec<(f64, bool, f64)>> {
    let levels = stats.levels()?;
    let weights = &stats.classes().weight;
    let overall = weights[k] / weights.iter().sum::<f64>();
    let mut rows = Vec::new();
    for level in 0..levels.offsets[at + 1] - levels.offsets[at] {
        let events = levels.column(k, at)[level];
        let all: f64 = (0..weights.len()).map(|class| levels.column(class, at)[level]).sum();
        let share = |events: f64| if all > 1.0 { (events / (all - 1.0)).clamp(0.0, 1.0) } else { overall };
        rows.push((share(events - 1.0), true, events));
        rows.push((share(events), false, all - events));
    }
    Some(rows)
}
