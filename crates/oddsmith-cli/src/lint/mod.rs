//! What statistics say about a table before a model is fitted to it.

mod columns;
mod leakage;
mod levels;
mod row_sample;

pub(crate) use columns::columns_table;
pub(crate) use row_sample::RowSample;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use oddsmith::card::Cell;
use oddsmith::control::Control;
use oddsmith::data::{Feature, Layout, Space, Weighting};
use oddsmith::notice::{self, Notice};
use oddsmith::stats::{Parts, ScatterPart, TableStats, WordParts};
use oddsmith::train;
use oddsmith_io::{ColumnSummary, Opened, Values};

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

/// All findings, column by column. Gaps and look-alike labels are found where the table is read; `columns` is what was found there.
pub(crate) fn findings(stats: &TableStats, sample: &RowSample, columns: &[ColumnSummary]) -> Vec<Notice> {
    let (layout, columns) = (stats.layout(), by_name(columns));
    let mut found = Vec::new();
    for (j, feature) in layout.features().iter().enumerate() {
        let column = columns::Column::new(stats, j);
        if let Some(what) = column.constant() {
            found.push(Notice::new(notice::CONSTANT_COLUMN, format!("{what}; it says nothing about the class")).column(&feature.name));
            continue;
        }
        let level_rows = rows_of_levels(&columns, &feature.name);
        if let Space::Levels { levels: names, .. } = &feature.space {
            found.extend(levels::rare(stats, j, names.names(), &level_rows));
        }
        found.extend(leakage::suspicion(stats, sample, j, &level_rows));
    }
    found
}

/// Rows times columns up to which a look at every column costs a fit nothing that anybody would notice.
const CHEAP_CELLS: u64 = 2_000_000;

/// Columns of a model that know too much; none of tables so large that the look would take long. Of more than two classes one is often told from
/// all others by a column that knows nothing of the rest.
pub(crate) fn leaks(opened: &Opened, model: &Layout, threads: Option<NonZeroUsize>, control: &Control) -> oddsmith::Result<Vec<Notice>> {
    let layout = Arc::new(opened.layout().clone());
    if layout.classes().len() != 2 || !opened.in_memory || opened.rows.saturating_mul(layout.features().len() as u64) > CHEAP_CELLS {
        return Ok(Vec::new());
    }
    let stats = train::pass(&*opened.source, &TableStats::new(Arc::clone(&layout), parts()), threads, control)?;
    let sample = train::pass(&*opened.source, &RowSample::new(&layout), threads, control)?;
    let used: HashSet<&str> = model.features().iter().map(|known| known.name.as_str()).collect();
    let features = layout.features().iter().enumerate().filter(|(_, feature)| used.contains(feature.name.as_str()));
    let columns = by_name(&opened.columns);
    let suspicion =
        |(j, feature): (usize, &Feature)| leakage::suspicion_of_chosen(&stats, &sample, j, &rows_of_levels(&columns, &feature.name));
    Ok(features.filter_map(suspicion).collect())
}

/// What was found in every column, by its name: tables have a hundred thousand of them.
fn by_name(columns: &[ColumnSummary]) -> HashMap<&str, &ColumnSummary> {
    columns.iter().map(|column| (column.name.as_str(), column)).collect()
}

/// The rows of the table that have each level of a column; none for other columns.
fn rows_of_levels(columns: &HashMap<&str, &ColumnSummary>, name: &str) -> Vec<u64> {
    match columns.get(name).map(|column| &column.values) {
        Some(Values::Levels(levels)) => levels.iter().map(|(_, rows)| *rows).collect(),
        _ => Vec::new(),
    }
}

/// The rows of every class as evidence: frequency weights count them, sampling weights are worth fewer (Kish's effective number).
fn rows_of_classes(stats: &TableStats) -> Vec<f64> {
    let (classes, weighting) = (stats.classes(), stats.layout().weighting());
    let rows = |k: usize| weighting.effective_rows(classes.weight[k], classes.squared[k]);
    (0..classes.weight.len()).map(rows).collect()
}

/// Parameters to be learned and rows of the rarest class: the ratio by which small studies are judged.
pub(crate) struct EventsPerVariable {
    predictors: usize,
    events: f64,
    weighting: Weighting,
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
        let events = rows_of_classes(stats).into_iter().min_by(f64::total_cmp).unwrap_or(0.0);
        EventsPerVariable { predictors, events, weighting: stats.layout().weighting() }
    }

    fn ratio(&self) -> f64 {
        self.events / self.predictors.max(1) as f64
    }

    /// What is counted.
    fn noun(&self) -> &'static str {
        match self.weighting {
            Weighting::None | Weighting::Frequency => "rows of the rarest class",
            Weighting::Sampling => "effective rows of the rarest class",
        }
    }

    /// As facts of a card.
    pub(crate) fn facts(&self) -> Vec<(String, Cell)> {
        vec![
            ("predictors".into(), self.predictors.into()),
            (self.noun().into(), if self.events.fract() == 0.0 { (self.events as u64).into() } else { self.events.into() }),
            ("events per variable".into(), self.ratio().into()),
        ]
    }
}

impl fmt::Display for EventsPerVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = oddsmith_report::for_people(self.ratio());
        let events = if self.events.fract() == 0.0 { self.events.to_string() } else { oddsmith_report::for_people(self.events) };
        let predictors = notice::counted(self.predictors as u64, "predictor");
        // `1 rows of the rarest class` reads wrong; the fact keeps its name.
        let noun = if self.events == 1.0 { self.noun().replacen("rows", "row", 1) } else { self.noun().to_owned() };
        write!(f, "{events} {noun} / {predictors}: events per variable {ratio} (10 is a common floor)")
    }
}
