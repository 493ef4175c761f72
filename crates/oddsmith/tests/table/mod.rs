//! Small tables for tests: rows as a person would write them, and their encoding against any layout.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub(crate) mod ample;
pub(crate) mod closeness;
pub(crate) mod conduct;
pub(crate) mod mutation;
pub(crate) mod recipes;
pub(crate) mod stored;
pub(crate) mod variants;

use std::collections::BTreeSet;
use std::sync::Arc;

use oddsmith::control::Control;
use oddsmith::data::{
    Classes, CodesView, Csr, Feature, Features, Kind, Layout, Levels, MISSING, Rows, SKIP, Source, Space, UNSEEN, Vocabulary, Weighting,
    WordValue,
};
use oddsmith::num::MatrixView;
use oddsmith::registry::{Entry, Numbers};
use oddsmith::stats::{Parts, Statistics, TableStats};
use oddsmith::{Result, train};
use proptest::prelude::*;

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Missing,
    Number(f64),
    Level(String),
    Words(Vec<(String, f64)>),
}

/// A labelled row; `class` is `None` when the target is missing.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) class: Option<String>,
    pub(crate) weight: f64,
    pub(crate) cells: Vec<Cell>,
}

/// The columns of every test table, in the order of cells.
pub(crate) const COLUMNS: [(&str, Kind); 7] = [
    ("age", Kind::Number),
    ("town", Kind::Category),
    ("dose", Kind::Number),
    ("note", Kind::Text),
    ("smoker", Kind::Boolean),
    ("tags", Kind::Text),
    ("height", Kind::Number),
];

/// Width of the hashed text column `tags`, whose words are the numbers of its columns.
pub(crate) const HASHED: usize = 5;

/// Columns (positions in the test table) that a model takes. Of its numbers `age` alone is never below zero.
pub(crate) fn columns_taken(entry: &Entry) -> Vec<usize> {
    let taken = |j: &usize| match COLUMNS[*j] {
        (name, Kind::Number) => entry.takes.numbers == Numbers::Any || (entry.takes.numbers == Numbers::Counts && name == "age"),
        (_, kind) => entry.takes.kind(kind),
    };
    all_columns().into_iter().filter(taken).collect()
}

/// What the rows hold: only the classes, levels and words that occur, and only the wanted columns.
pub(crate) fn layout_of(rows: &[Row], columns: &[usize]) -> Layout {
    layout_weighted(rows, columns, Weighting::Sampling)
}

/// The same with weights of some meaning.
pub(crate) fn layout_weighted(rows: &[Row], columns: &[usize], weighting: Weighting) -> Layout {
    let classes: BTreeSet<String> = rows.iter().filter_map(|row| row.class.clone()).collect();
    let levels = |j: usize| -> BTreeSet<String> {
        let level = |row: &Row| if let Cell::Level(level) = &row.cells[j] { Some(level.clone()) } else { None };
        rows.iter().filter_map(level).collect()
    };
    let words = |j: usize| -> BTreeSet<String> {
        let words = |row: &Row| if let Cell::Words(words) = &row.cells[j] { words.clone() } else { Vec::new() };
        rows.iter().flat_map(words).map(|(word, _)| word).collect()
    };
    let feature = |&j: &usize| match COLUMNS[j] {
        (name, Kind::Number) => Feature::number(name),
        (name, Kind::Category) => Feature::category(name, Levels::sorted(levels(j).into_iter().collect())),
        (name, Kind::Boolean) => Feature::boolean(name),
        ("tags", Kind::Text) => Feature::words("tags", Vocabulary::Hashed(HASHED), WordValue::Presence),
        (name, Kind::Text) => Feature::words(name, Vocabulary::Listed(words(j).into_iter().collect()), WordValue::Count),
    };
    let classes = Classes::new(classes.into_iter().collect()).unwrap();
    Layout::new("died", columns.iter().map(feature).collect(), classes, weighting).unwrap()
}

/// All columns.
pub(crate) fn all_columns() -> Vec<usize> {
    (0..COLUMNS.len()).collect()
}

/// Rows as the planes that the library reads.
pub(crate) struct Encoded {
    pub(crate) layout: Arc<Layout>,
    pub(crate) labels: Vec<u32>,
    pub(crate) weights: Option<Vec<f64>>,
    numbers: Vec<f64>,
    codes: Vec<u32>,
    blocks: Vec<Block>,
}

struct Block {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    present: Vec<bool>,
    width: usize,
}

impl Block {
    fn view(&self) -> Csr<'_> {
        Csr { starts: &self.starts, columns: &self.columns, values: &self.values, width: self.width, present: Some(&self.present) }
    }
}

impl Encoded {
    /// Encodes rows; a column that the layout does not have is left out, one that the rows do not have is missing.
    pub(crate) fn new(rows: &[Row], layout: &Arc<Layout>, weighted: bool) -> Self {
        let cell =
            |row: &Row, name: &str| COLUMNS.iter().position(|(known, _)| *known == name).map_or(Cell::Missing, |j| row.cells[j].clone());
        let spaces = |plane: &[usize]| plane.iter().map(|&j| layout.features()[j].clone()).collect::<Vec<_>>();
        let number = |cell: Cell| if let Cell::Number(x) = cell { x } else { f64::NAN };
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        for row in rows {
            numbers.extend(spaces(layout.numbers()).iter().map(|f| number(cell(row, &f.name))));
            codes.extend(spaces(layout.codes()).iter().map(|f| match (cell(row, &f.name), &f.space) {
                (Cell::Level(level), Space::Levels { levels, .. }) => levels.code(&level).unwrap(),
                _ => MISSING,
            }));
        }
        let block = |feature: &Feature| {
            let Space::Words { vocabulary, .. } = &feature.space else { unreachable!() };
            let mut block = Block { starts: vec![0], columns: vec![], values: vec![], present: vec![], width: vocabulary.len() };
            for row in rows {
                let cell = cell(row, &feature.name);
                block.present.push(cell != Cell::Missing);
                if let Cell::Words(words) = cell {
                    for (word, count) in words {
                        block.columns.push(match vocabulary {
                            Vocabulary::Listed(known) => known.iter().position(|w| *w == word).unwrap() as u32,
                            Vocabulary::Hashed(_) => word.parse().unwrap(),
                        });
                        block.values.push(count);
                    }
                }
                block.starts.push(block.columns.len());
            }
            block
        };
        Encoded {
            labels: rows.iter().map(|row| row.class.as_ref().map_or(SKIP, |class| layout.classes().index(class).unwrap() as u32)).collect(),
            weights: weighted.then(|| rows.iter().map(|row| row.weight).collect()),
            numbers,
            codes,
            blocks: spaces(layout.words()).iter().map(block).collect(),
            layout: Arc::clone(layout),
        }
    }

    /// Rows of the right shape for any layout, whatever its names: some cells are missing, some levels unseen.
    pub(crate) fn shaped(layout: &Arc<Layout>, rows: usize) -> Self {
        let (numbers, codes) = (layout.numbers().len(), layout.level_counts());
        let number = |at: usize| if at % 7 == 3 { f64::NAN } else { at as f64 * 1.5 - 8.0 };
        let code = |at: usize| {
            let levels = codes[at % codes.len()] as u32;
            if at.is_multiple_of(5) {
                MISSING
            } else if at % 5 == 1 || levels == 0 {
                UNSEEN
            } else {
                at as u32 % levels
            }
        };
        let block = |width: usize| {
            let entries = if width == 0 { 0 } else { rows };
            Block {
                starts: (0..=rows).map(|i| i.min(entries)).collect(),
                columns: (0..entries).map(|i| (i % width) as u32).collect(),
                values: (0..entries).map(|i| (i % 4) as f64).collect(),
                present: (0..rows).map(|i| i % 6 != 2).collect(),
                width,
            }
        };
        Encoded {
            labels: vec![SKIP; rows],
            weights: None,
            numbers: (0..rows * numbers).map(number).collect(),
            codes: (0..rows * codes.len()).map(code).collect(),
            blocks: layout.word_widths().into_iter().map(block).collect(),
            layout: Arc::clone(layout),
        }
    }

    /// The sparse blocks, to be lent to [`Encoded::features`].
    pub(crate) fn words(&self) -> Vec<Csr<'_>> {
        self.blocks.iter().map(Block::view).collect()
    }

    /// The planes.
    pub(crate) fn features<'a>(&'a self, words: &'a [Csr<'a>]) -> Features<'a> {
        let rows = self.labels.len();
        Features {
            numbers: MatrixView::row_major(&self.numbers, rows, self.layout.numbers().len()).unwrap(),
            codes: CodesView::row_major(&self.codes, rows, self.layout.codes().len()).unwrap(),
            words,
        }
    }

    /// Adds the rows to a summary in batches of at most `batch` rows.
    pub(crate) fn observe(&self, stats: &mut TableStats, batch: usize) {
        let words = self.words();
        let features = self.features(&words);
        for lo in (0..self.labels.len()).step_by(batch) {
            let hi = (lo + batch).min(self.labels.len());
            let mut cut = Vec::new();
            let features = features.slice(lo, hi, &mut cut);
            let weights = self.weights.as_ref().map(|w| &w[lo..hi]);
            stats.observe(Rows::new(features, &self.labels[lo..hi], weights, lo as u64)).unwrap();
        }
    }
}

/// A source that gives encoded rows in batches of a fixed size, each a partition of its own.
pub(crate) struct Batches<'a> {
    pub(crate) encoded: &'a Encoded,
    pub(crate) size: usize,
}

impl Source for Batches<'_> {
    fn layout(&self) -> &Layout {
        &self.encoded.layout
    }

    fn partitions(&self) -> usize {
        self.encoded.labels.len().div_ceil(self.size)
    }

    /// As if rows were wide, so that a pass has several lanes.
    fn bytes(&self) -> u64 {
        (self.encoded.labels.len() as u64) << 20
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let (words, mut cut) = (self.encoded.words(), Vec::new());
        let lo = partition * self.size;
        let hi = (lo + self.size).min(self.encoded.labels.len());
        let features = self.encoded.features(&words).slice(lo, hi, &mut cut);
        let weights = self.encoded.weights.as_ref().map(|w| &w[lo..hi]);
        sink(Rows::new(features, &self.encoded.labels[lo..hi], weights, lo as u64))
    }
}

/// The summary of rows by the driver, with a second pass where one is needed.
pub(crate) fn gathered(rows: &[Row], layout: &Arc<Layout>, parts: Parts, size: usize) -> Result<TableStats> {
    let encoded = Encoded::new(rows, layout, rows.iter().any(|row| row.weight != 1.0));
    train::gather(&Batches { encoded: &encoded, size }, parts, None, &Control::new())
}

/// The summary of rows over a layout that holds all they hold, in batches of at most `batch` rows.
pub(crate) fn summary(rows: &[Row], layout: &Arc<Layout>, parts: Parts, batch: usize) -> TableStats {
    let mut stats = TableStats::new(Arc::clone(layout), parts);
    Encoded::new(rows, layout, rows.iter().any(|row| row.weight != 1.0)).observe(&mut stats, batch);
    stats
}

fn number(column: usize) -> BoxedStrategy<f64> {
    match COLUMNS[column].0 {
        "age" => (0..90).prop_map(f64::from).boxed(),
        "dose" => prop_oneof![Just(0.0), -2.0..7.0, Just(0.125)].boxed(),
        _ => (-512..512).prop_map(|steps| 1e8 + f64::from(steps) / 1024.0).boxed(),
    }
}

fn words(names: &'static [&'static str]) -> impl Strategy<Value = Cell> {
    let subset = proptest::sample::subsequence(names, 0..=names.len());
    (subset, proptest::collection::vec(1..4u32, names.len())).prop_map(|(names, counts)| {
        Cell::Words(names.iter().zip(counts).map(|(name, count)| (name.to_string(), f64::from(count))).collect())
    })
}

fn cell(column: usize) -> BoxedStrategy<Cell> {
    let level = |names: &'static [&'static str]| proptest::sample::select(names).prop_map(|name| Cell::Level(name.into())).boxed();
    let present = match COLUMNS[column] {
        (_, Kind::Number) => number(column).prop_map(Cell::Number).boxed(),
        (_, Kind::Category) => level(&["Bern", "Chur", "Köln", "Oslo"]),
        (_, Kind::Boolean) => level(&["false", "true"]),
        ("tags", Kind::Text) => words(&["0", "2", "3", "4"]).boxed(),
        (_, Kind::Text) => words(&["fever", "cough", "äpfel"]).boxed(),
    };
    prop_oneof![1 => Just(Cell::Missing), 5 => present].boxed()
}

fn row(weight: BoxedStrategy<f64>) -> impl Strategy<Value = Row> {
    let class = proptest::option::weighted(0.95, proptest::sample::select(&["no", "perhaps", "yes"]).prop_map(String::from));
    let cells: Vec<_> = (0..COLUMNS.len()).map(cell).collect();
    (class, weight, cells).prop_map(|(class, weight, cells)| Row { class, weight, cells })
}

/// Up to `most` rows: without weights, with whole ones (some of them zero) or with any.
pub(crate) fn rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    let weights = prop_oneof![Just(0), Just(1), Just(2)].prop_map(|make| match make {
        0 => Just(1.0).boxed(),
        1 => (0..4).prop_map(f64::from).boxed(),
        _ => (0.1..4.0).boxed(),
    });
    weights.prop_flat_map(move |weight| proptest::collection::vec(row(weight), 0..=most))
}

/// Everything, or the parts of one learner or another.
pub(crate) fn parts() -> impl Strategy<Value = Parts> {
    use oddsmith::stats::{ScatterPart, WordParts};
    let scatter = prop_oneof![Just(ScatterPart::None), Just(ScatterPart::Pooled), Just(ScatterPart::PerClass)];
    let some = (any::<[bool; 5]>(), scatter).prop_map(|([moments, tallies, levels, totals, presence], scatter)| Parts {
        moments,
        flag_threshold: 0.0,
        tallies,
        levels,
        words: WordParts { totals, presence },
        scatter,
        patterns: 64,
    });
    prop_oneof![Just(Parts::all()), some]
}

/// Many rows, made by a small generator, with gaps and every kind of column.
pub(crate) fn many_rows(count: u64) -> Vec<Row> {
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut rows = Vec::new();
    for _ in 0..count {
        let mut number = |offset: f64| if draw(9) == 0 { Cell::Missing } else { Cell::Number(offset + draw(1000) as f64 / 7.0) };
        let (age, dose, height) = (number(0.0), number(-70.0), number(1e8));
        let words = |name: String, count: u64| Cell::Words(vec![(name, count as f64)]);
        rows.push(Row {
            class: (draw(50) > 0).then(|| ["no", "perhaps", "yes"][draw(3) as usize].to_owned()),
            weight: draw(40) as f64 / 10.0,
            cells: vec![
                age,
                Cell::Level(["Bern", "Chur", "Oslo"][draw(3) as usize].into()),
                dose,
                words(["cough", "fever"][draw(2) as usize].into(), draw(4)),
                Cell::Level(["false", "true"][draw(2) as usize].into()),
                words(draw(5).to_string(), 1),
                height,
            ],
        });
    }
    rows
}
