//! What statistics say about a table before a model is fitted to it.

mod columns;
mod leakage;
mod levels;
mod row_sample;

pub(crate) use columns::columns_table;
pub(crate) use row_sample::RowSample;

use std::fmt;

use oddsmith::card::Cell;
use oddsmith::data::{Feature, Space};
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

/// Parameters to be learned and rows of the rarest class: the ratio by which small studies are judged.
pub(crate) struct EventsPerVariable {
    predictors: usize,
    events: u64,
}

impl EventsPerVariable {
    /// Counts one predictor per number, one per level but the first, and one per word.
    pub(crate) fn new(stats: &TableStats) -> Self {
        let of = |feature: &Feature| match &feature.space {
            Space::Number => 1,
            Space::Levels { levels, .. } => levels.len().saturating_sub(1),
            Space::Words { vocabulary, .. } => vocabulary.len(),
        };
        let predictors = stats.layout().features().iter().map(of).sum();
        EventsPerVariable { predictors, events: stats.classes().rows.iter().copied().min().unwrap_or(0) }
    }

    fn ratio(&self) -> f64 {
        self.events as f64 / self.predictors.max(1) as f64
    }

    /// As facts of a card.
    pub(crate) fn facts(&self) -> Vec<(String, Cell)> {
        vec![
            ("predictors".into(), self.predictors.into()),
            ("rows of the rarest class".into(), self.events.into()),
            ("events per variable".into(), self.ratio().into()),
        ]
    }
}

impl fmt::Display for EventsPerVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = oddsmith_report::for_people(self.ratio());
        write!(f, "{} rows of the rarest class / {} predictors = {ratio} events per variable", self.events, self.predictors)?;
        write!(f, " (10 is a common floor)")
    }
}
