//! Levels that are too rare or too one-sided.

use oddsmith::data::{Plane, Weighting};
use oddsmith::error::visible;
use oddsmith::notice::{self, Notice};
use oddsmith::stats::TableStats;

/// Fewer rows than this teach little about a level.
const FEW: f64 = 5.0;
/// A level on one side only is worth a word when chance would rarely put it there.
const SURPRISE: f64 = 0.05;
/// More levels than this are counted and not listed.
const MOST_LISTED: usize = 3;

struct Rare {
    name: String,
    rows: f64,
    /// The one class in which it occurs.
    only: Option<usize>,
}

/// Notices of rare and one-sided levels of category column `j`; `level_rows` are rows of the table, which is what sampling weights leave
/// as evidence.
pub(super) fn rare(stats: &TableStats, j: usize, names: &[String], level_rows: &[u64]) -> Vec<Notice> {
    let (Plane::Codes(at), Some(counts)) = (stats.layout().plane(j), stats.levels()) else { return Vec::new() };
    let classes = stats.layout().classes();
    let weights = &stats.classes().weight;
    let total: f64 = weights.iter().sum();
    let mut found = Vec::new();
    for (level, name) in names.iter().enumerate() {
        let by_class: Vec<f64> = (0..classes.len()).map(|k| counts.column(k, at)[level]).collect();
        let rows = match stats.layout().weighting() {
            Weighting::Sampling => level_rows.get(level).map_or(0.0, |rows| *rows as f64),
            _ => by_class.iter().sum(),
        };
        let seen: Vec<usize> = (0..classes.len()).filter(|&k| by_class[k] > 0.0).collect();
        let only = if let [k] = seen[..] { Some(k) } else { None };
        let surprising = only.is_some_and(|k| (weights[k] / total).powf(rows) < SURPRISE);
        if rows > 0.0 && (rows < FEW || surprising) {
            found.push(Rare { name: name.clone(), rows, only });
        }
    }
    let column = &stats.layout().features()[j].name;
    let several = found.len();
    if several > MOST_LISTED {
        let few = found.iter().filter(|level| level.rows < FEW).count();
        let one_sided = found.iter().filter(|level| level.only.is_some()).count();
        let text = format!(
            "{several} of {} levels are rare or one-sided: {few} with fewer than {FEW} rows, {one_sided} within one class",
            names.len()
        );
        return vec![Notice::new(notice::RARE_LEVEL, text).column(column)];
    }
    let say = |level: &Rare| {
        let rows = if level.rows == 1.0 { "1 row".to_owned() } else { format!("{} rows", oddsmith_report::for_people(level.rows)) };
        let side = level.only.map_or_else(String::new, |k| format!(", all of class `{}`", visible(classes.label(k))));
        Notice::new(notice::RARE_LEVEL, format!("level `{}` has {rows}{side}", visible(&level.name))).column(column).level(&level.name)
    };
    found.iter().map(say).collect()
}
