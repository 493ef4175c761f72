//! Weights by stratum, level of the exposure and class of the outcome.
//!
//! One number per cell: a row adds its weight to cell (stratum · levels + level) · classes + class. One pass, O(1) a row; memory is the number of
//! combinations of strata that could occur, so they are limited.

use std::sync::Arc;

use super::CrossTable;
use crate::codec::{Codec, Encode};
use crate::data::{KeyPlace, Layout, MISSING, Plane, Role, Rows, SKIP, Space};
use crate::error::{DataFault, Error, Result, visible};
use crate::stats::Statistics;

/// Most cells of a summary: 64 MB.
const MOST_CELLS: usize = 1 << 23;

/// The counts of one pass.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossCounts {
    layout: Arc<Layout>,
    /// The exposure among the features.
    exposure: usize,
    /// Its column of codes.
    codes: usize,
    /// Levels of the exposure.
    levels: usize,
    /// Where the keys of the strata lie, and how many levels each has.
    strata: Vec<(KeyPlace, usize)>,
    by: Vec<String>,
    cells: Vec<f64>,
    rows: u64,
    /// Rows without a value of the exposure.
    gaps: u64,
}

impl CrossCounts {
    /// Nothing counted yet.
    pub fn new(layout: &Arc<Layout>, exposure: Option<&str>, by: &[String]) -> Result<Self> {
        let exposure = match exposure {
            Some(name) => layout.index(name)?,
            None if layout.features().len() == 1 => 0,
            None => {
                let names: Vec<String> = layout.names().iter().take(12).map(|name| visible(name)).collect();
                return Err(Error::data(format!("name the exposure; there are: {}", names.join(", "))));
            }
        };
        let feature = &layout.features()[exposure];
        let (Space::Levels { levels, .. }, Plane::Codes(codes)) = (&feature.space, layout.plane(exposure)) else {
            let what = format!("the exposure is a {}", feature.kind().name());
            return Err(DataFault::new(what).column(&feature.name).accepted("a table needs a category").into());
        };
        let mut strata = Vec::new();
        for name in by {
            if *name == feature.name || name == layout.target() {
                let what = format!("cannot be a stratum as well as the {}", if *name == feature.name { "exposure" } else { "outcome" });
                return Err(DataFault::new(what).column(name).accepted("strata are further columns").into());
            }
            let place = KeyPlace::find(layout, Role::Stratum, name)?;
            strata.push((place, levels_of(layout, name)?));
        }
        let combinations = strata.iter().try_fold(levels.len() * layout.classes().len(), |cells, (_, levels)| cells.checked_mul(*levels));
        let Some(cells) = combinations.filter(|cells| *cells <= MOST_CELLS) else {
            let what = format!("the strata `{}` have too many combinations to be counted", by.join("`, `"));
            return Err(DataFault::new(what).accepted("use fewer or coarser columns").into());
        };
        let levels = levels.len();
        Ok(CrossCounts {
            layout: Arc::clone(layout),
            exposure,
            codes,
            levels,
            strata,
            by: by.to_vec(),
            cells: vec![0.0; cells],
            rows: 0,
            gaps: 0,
        })
    }

    /// The counts with their names; strata without rows are left out.
    pub fn table(&self) -> CrossTable {
        let (layout, classes) = (&self.layout, self.layout.classes());
        let size = (self.levels * classes.len()).max(1);
        let level = |at: usize| layout.level_name(self.exposure, at).unwrap_or_default();
        let named: Vec<(&str, &[String])> = self.by.iter().map(|name| (name.as_str(), level_names(layout, name))).collect();
        let (mut strata, mut counts) = (Vec::new(), Vec::new());
        for (at, own) in self.cells.chunks_exact(size).enumerate().filter(|(_, own)| own.iter().any(|count| *count > 0.0)) {
            strata.push(stratum_name(&named, at));
            counts.extend_from_slice(own);
        }
        CrossTable {
            outcome: layout.target().to_owned(),
            classes: classes.labels().to_vec(),
            exposure: layout.features()[self.exposure].name.clone(),
            levels: (0..self.levels).map(level).collect(),
            by: self.by.clone(),
            strata,
            counts,
            excluded: self.gaps,
            weighting: layout.weighting(),
            given: false,
        }
        .occurring()
    }

    /// Adds rows up to the first that lacks something, and gives their number.
    fn observe_complete(&mut self, rows: &Rows<'_>, labels: &[u32]) -> usize {
        let mut columns: Vec<(&[u32], u64)> = Vec::with_capacity(self.strata.len() + 2);
        for (place, levels) in &self.strata {
            let Some(codes) = place.codes(rows) else { return 0 };
            columns.push((codes, *levels as u64));
        }
        let Some(exposure) = rows.features.codes.column(self.codes) else { return 0 };
        columns.extend([(exposure, self.levels as u64), (labels, self.layout.classes().len() as u64)]);
        // What is missing has a code beyond all cells, and so has every place that it is a part of.
        const { assert!(MISSING == SKIP && MISSING as usize > MOST_CELLS) };
        let weight = |i: usize| rows.weights.map_or(1.0, |weights| weights[i]);
        let mut add = |i: usize, place: u64| -> bool {
            let cell = self.cells.get_mut(place as usize);
            cell.map(|cell| *cell += weight(i)).is_some()
        };
        // Most tables have one column of strata or none, which need no loop over columns.
        let done = match columns[..] {
            [(a, _), (b, levels)] => a.iter().zip(b).enumerate().position(|(i, (a, b))| !add(i, u64::from(*a) * levels + u64::from(*b))),
            [(a, _), (b, second), (c, third)] => {
                let mut codes = a.iter().zip(b).zip(c).enumerate();
                codes.position(|(i, ((a, b), c))| !add(i, (u64::from(*a) * second + u64::from(*b)) * third + u64::from(*c)))
            }
            _ => {
                let place = |i: usize| {
                    columns.iter().fold(0u64, |place, (codes, levels)| place.saturating_mul(*levels).saturating_add(u64::from(codes[i])))
                };
                (0..labels.len()).position(|i| !add(i, place(i)))
            }
        };
        let done = done.unwrap_or(labels.len());
        self.rows += done as u64;
        done
    }
}

/// `race = black, age = 20`: the levels of a combination, the last column running fastest.
fn stratum_name(by: &[(&str, &[String])], at: usize) -> String {
    let mut name = String::new();
    let mut combinations: usize = by.iter().map(|(_, levels)| levels.len()).product();
    for (column, levels) in by {
        combinations /= levels.len().max(1);
        let level = levels.get((at / combinations.max(1)) % levels.len().max(1)).map_or("", String::as_str);
        for part in [if name.is_empty() { "" } else { ", " }, column, " = ", level] {
            name.push_str(part);
        }
    }
    name
}

/// How many levels the key of a name has.
fn levels_of(layout: &Layout, name: &str) -> Result<usize> {
    if let Some(key) = layout.keys().iter().find(|key| key.role == Role::Stratum && key.name == name) {
        return Ok(key.levels.len());
    }
    let feature = &layout.features()[layout.index(name)?];
    match &feature.space {
        Space::Levels { levels, .. } => Ok(levels.len()),
        _ => Err(DataFault::new("a stratum must be a category").column(name).into()),
    }
}

fn level_names<'a>(layout: &'a Layout, name: &str) -> &'a [String] {
    if let Some(key) = layout.keys().iter().find(|key| key.role == Role::Stratum && key.name == name) {
        return key.levels.names();
    }
    match layout.index(name).map(|j| &layout.features()[j].space) {
        Ok(Space::Levels { levels, .. }) => levels.names(),
        _ => &[],
    }
}

impl Encode for CrossCounts {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.weights("cells", &mut self.cells)?;
        codec.count("rows", &mut self.rows)?;
        codec.count("gaps", &mut self.gaps)
    }
}

impl Statistics for CrossCounts {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        let done = self.observe_complete(&rows, &labels);
        let classes = self.layout.classes().len();
        'rows: for (i, &label) in labels.iter().enumerate().skip(done) {
            if label == SKIP {
                continue;
            }
            let mut stratum = 0;
            for (place, levels) in &self.strata {
                let Some(key) = place.of_row(&rows, i) else { continue 'rows };
                stratum = stratum * levels + key as usize;
            }
            let code = rows.features.codes.get(i, self.codes);
            if code == MISSING {
                self.gaps += 1;
                continue;
            }
            self.cells[(stratum * self.levels + code as usize) * classes + label as usize] +=
                rows.weights.map_or(1.0, |weights| weights[i]);
            self.rows += 1;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        crate::stats::add(&mut self.cells, &other.cells);
        self.rows += other.rows;
        self.gaps += other.gaps;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.cells.iter().sum()
    }

    fn purpose(&self) -> String {
        let strata = if self.by.is_empty() { String::new() } else { format!(" in every stratum of {}", self.by.join(", ")) };
        format!("counts of {} by {}{strata}", self.layout.target(), self.layout.features()[self.exposure].name)
    }

    fn discloses(&self) -> Option<String> {
        (!self.by.is_empty()).then(|| "the counts of every stratum, which are single rows where a stratum is small".into())
    }

    fn bytes(&self) -> usize {
        8 * self.cells.len()
    }
}
