//! What statistics say about a table before a model is fitted to it.

mod auc;
mod columns;
mod leakage;
mod levels;
mod row_sample;

pub(crate) use columns::columns_table;
pub(crate) use row_sample::RowSample;

use oddsmith::card::Cell;
use oddsmith::data::Space;
use oddsmith::notice::{self, Notice};
use oddsmith::stats::{Parts, ScatterPart, TableStats, WordParts};

/// The sums that the lints need.
pub(crate) fn parts() -> Parts {
    Parts {
        moments: true,
        levels: true,
        words: WordParts { totals: false, presence: true },
        scatter: ScatterPart::None,
        patterns: 1,
        ..Parts::default()
    }
}

/// All findings, column by column. Gaps and look-alike labels are found where the table is read.
pub(crate) fn findings(stats: &TableStats, sample: &RowSample) -> Vec<Notice> {
    let layout = stats.layout();
    let mut found = Vec::new();
    for (j, feature) in layout.features().iter().enumerate() {
        let column = columns::Column::new(stats, j);
        if let Some(what) = column.constant() {
            found.push(Notice::new(notice::CONSTANT_COLUMN, format!("{what}; it says nothing about the class")).column(&feature.name));
            continue;
        }
        if let Space::Levels { levels: names, .. } = &feature.space {
            found.extend(levels::rare(stats, j, names.names()));
        }
        found.extend(leakage::suspicion(stats, sample, j));
    }
    found
}

/// Free parameters per class and rows of the rarest class: the ratio by which small studies are judged.
pub(crate) fn events_per_variable(stats: &TableStats) -> Vec<(String, Cell)> {
    let layout = stats.layout();
    let predictors: usize = layout
        .features()
        .iter()
        .map(|feature| match &feature.space {
            Space::Number => 1,
            Space::Levels { levels, .. } => levels.len().saturating_sub(1),
            Space::Words { vocabulary, .. } => vocabulary.len(),
        })
        .sum();
    let events = stats.classes().rows.iter().copied().min().unwrap_or(0);
    if predictors == 0 {
        return Vec::new();
    }
    let ratio = events as f64 / predictors as f64;
    vec![
        ("predictors".into(), predictors.into()),
        ("rows of the rarest class".into(), events.into()),
        ("events per variable".into(), ratio.into()),
    ]
}
