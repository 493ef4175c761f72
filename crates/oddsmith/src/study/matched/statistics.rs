//! What is summed up in a pass: the survey of the design, sizes of sets, or the likelihood at a point.
//!
//! A set must reach one summary whole. Members of a set that is not complete wait in the summary; when two summaries merge, their waiting members join.
//! Rows that stand set by set never wait long.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::counts::SetCounts;
use super::matched_set::{MatchedSet, Members, Workspace};
use super::set_sums::SetSums;
use crate::codec::{Codec, Encode};
use crate::data::{Design, DesignBlock, DesignSurvey, KeyPlace, Layout, Rows, SKIP};
use crate::error::{DataFault, Error, Result};
use crate::record::fault;
use crate::stats::Statistics;

/// Rows expanded at a time.
const BLOCK: usize = 512;

/// What all summaries of a pass share.
#[derive(Debug, Clone)]
pub(super) struct PassState {
    pub(super) layout: Arc<Layout>,
    pub(super) design: Option<Arc<Design>>,
    /// Where the key of a row's set lies; all rows are one set without.
    pub(super) place: Option<KeyPlace>,
    /// Where the key of a row's cluster lies, and how many clusters there are.
    pub(super) cluster: Option<(KeyPlace, usize)>,
    /// Whether third cumulants are wanted.
    pub(super) cumulants: bool,
    /// Sizes of informative sets.
    pub(super) sizes: Arc<Vec<u64>>,
    pub(super) counts: Arc<SetCounts>,
    /// The point that is looked at, and a direction.
    pub(super) theta: Vec<f64>,
    pub(super) direction: Option<Vec<f64>>,
    /// Answers of earlier passes.
    pub(super) history: Arc<Vec<super::search::Answer>>,
}

/// The summary of a pass.
#[derive(Debug, Clone)]
pub struct MatchedStats {
    pub(super) state: Arc<PassState>,
    pub(super) sums: PassSums,
    work: Buffers,
}

#[derive(Debug, Clone)]
pub(super) enum PassSums {
    Survey(Box<DesignSurvey>),
    Counts(SetCounts),
    Point(PointSums),
}

/// Sums over complete sets, and the members of the others.
#[derive(Debug, Clone)]
pub(super) struct PointSums {
    pub(super) sums: SetSums,
    pub(super) open: BTreeMap<u64, MatchedSet>,
    /// Least and largest margin along the direction, and the largest distance between members.
    pub(super) margins: [f64; 3],
    pub(super) weight: f64,
}

#[derive(Debug, Clone, Default)]
struct Buffers {
    block: DesignBlock,
    walk: Workspace,
    spare: Vec<MatchedSet>,
    /// Which rows of the block are cases.
    cases: Vec<bool>,
    /// The sets of the rows of the block; none for rows that do not count.
    sets: Vec<Option<u64>>,
}

impl PointSums {
    pub(super) fn new(columns: usize, state: &PassState) -> Self {
        let sums = SetSums::new(columns).with_clusters(state.cluster.map_or(0, |(_, clusters)| clusters));
        PointSums {
            sums: if state.cumulants { sums.with_cumulants() } else { sums },
            open: BTreeMap::new(),
            margins: [f64::INFINITY, f64::NEG_INFINITY, 0.0],
            weight: 0.0,
        }
    }

    /// Adds a complete set; what waits of it is settled by whoever added the last one.
    fn close(&mut self, set: Members<'_>, state: &PassState, walk: &mut Workspace) {
        set.add_to(&mut self.sums, &state.theta, walk);
        self.weight += set.weight * set.cases.len() as f64;
        if let Some(direction) = &state.direction {
            let (margin, distance) = set.margin(direction);
            self.margins = [self.margins[0].min(margin), self.margins[1].max(margin), self.margins[2].max(distance)];
        }
    }
}

impl MatchedStats {
    pub(super) fn new(state: PassState, sums: PassSums) -> Self {
        MatchedStats { state: Arc::new(state), sums, work: Buffers::default() }
    }

    /// Adds the rows of a batch that are members of sets, block by block.
    fn observe_members(&mut self, rows: &Rows<'_>, labels: &[u32]) -> Result<()> {
        let state = Arc::clone(&self.state);
        let Some(design) = &state.design else { return Err(Error::internal("a pass without a design")) };
        for lo in (0..labels.len()).step_by(BLOCK) {
            let hi = labels.len().min(lo + BLOCK);
            let block = &mut self.work.block;
            block.first_row = rows.first_row;
            block.uncounted.clear();
            block.uncounted.extend(labels[lo..hi].iter().map(|label| *label == SKIP));
            design.expand(&rows.features, lo, hi, block)?;
            self.work.cases.clear();
            self.work.cases.extend(labels[lo..hi].iter().map(|label| *label == 1));
            let set_of = |i: usize| state.place.map_or(Some(0), |place| place.of_row(rows, i));
            self.work.sets.clear();
            self.work.sets.extend((lo..hi).map(|i| if labels[i] == SKIP { None } else { set_of(i) }));
            let mut i = lo;
            while i < hi {
                let Some(set) = self.work.sets[i - lo] else {
                    i += 1;
                    continue;
                };
                i = match &mut self.sums {
                    PassSums::Counts(counts) => {
                        counts.see(set as usize, self.work.cases[i - lo], self.work.block.gaps[i - lo].feature().is_none());
                        i + 1
                    }
                    PassSums::Point(point) => {
                        let whole = (i + state.sizes[set as usize] as usize).clamp(i + 1, hi);
                        let together = self.work.sets[i + 1 - lo..whole - lo].iter().all(|other| *other == Some(set));
                        let run = if together { i..whole } else { i..i + 1 };
                        let end = run.end;
                        point.take(set, rows, (run, lo), &state, &mut self.work)?;
                        end
                    }
                    PassSums::Survey(_) => return Err(Error::internal("a survey of members")),
                };
            }
        }
        if let PassSums::Point(point) = &mut self.sums {
            self.work.walk.settle(&mut point.sums);
        }
        Ok(())
    }
}

impl PointSums {
    /// Takes rows of a set up: at once where they are all of its members, else to those that wait for the others. Rows of a block start at `lo`.
    fn take(&mut self, set: u64, rows: &Rows<'_>, (run, lo): (Range<usize>, usize), state: &PassState, work: &mut Buffers) -> Result<()> {
        let size = state.sizes[set as usize] as usize;
        if size == 0 {
            return Ok(());
        }
        let Buffers { block, walk, spare, cases, .. } = work;
        let columns = self.sums.gradient.len();
        let weight = |i: usize| rows.weights.map_or(1.0, |weights| weights[i]);
        let cluster = |i: usize| state.cluster.and_then(|(place, _)| place.of_row(rows, i));
        let (weight_here, cluster_here) = (weight(run.start), cluster(run.start));
        let alike = |i: usize| weight(i) == weight_here && cluster(i) == cluster_here && block.gaps[i - lo].feature().is_none();
        if run.len() == size && run.clone().all(alike) {
            let own = run.start - lo..run.end - lo;
            let members = Members {
                cells: &block.cells[own.start * columns..own.end * columns],
                offsets: block.offset.get(own.clone()).unwrap_or_default(),
                cases: &cases[own],
                weight: weight_here,
                cluster: cluster_here,
            };
            self.close(members, state, walk);
            return Ok(());
        }
        for i in run.filter(|i| block.gaps[i - lo].feature().is_none()) {
            let open = self.open.entry(set).or_insert_with(|| spare.pop().unwrap_or_default());
            let (weight, cluster, own) = (weight(i), cluster(i), i - lo);
            if !open.is_empty() && open.weight != weight {
                return Err(unequal_weights(state, set, rows.first_row + i as u64 + 1, weight));
            }
            if !open.is_empty() && open.cluster != cluster {
                return Err(several_clusters(state, set, rows.first_row + i as u64 + 1));
            }
            (open.weight, open.cluster) = (weight, cluster);
            open.cells.extend_from_slice(&block.cells[own * columns..(own + 1) * columns]);
            open.offsets.push(block.offset.get(own).copied().unwrap_or(0.0));
            open.cases.push(cases[own]);
            if open.len() == size
                && let Some(mut full) = self.open.remove(&set)
            {
                self.close(full.members(), state, walk);
                full.clear();
                spare.push(full);
            }
        }
        Ok(())
    }
}

/// A cluster holds whole sets: the score of a set is one number for all of its members.
fn several_clusters(state: &PassState, set: u64, row: u64) -> Error {
    let what = format!("the rows of set `{}` belong to several clusters", crate::error::visible(&set_name(state, set)));
    let fault = if row > 0 { DataFault::new(what).row(row) } else { DataFault::new(what) };
    fault.accepted("a cluster holds whole sets").into()
}

/// What the data call a set.
fn set_name(state: &PassState, set: u64) -> String {
    match (state.place, state.layout.keys()) {
        (Some(KeyPlace::Key(at)), keys) => keys.get(at).and_then(|key| key.levels.names().get(set as usize).cloned()).unwrap_or_default(),
        _ => set.to_string(),
    }
}

/// Weights belong to sets: a member that counts more than another would be another set.
fn unequal_weights(state: &PassState, set: u64, row: u64, weight: f64) -> Error {
    let what = format!("the rows of set `{}` have different weights:", crate::error::visible(&set_name(state, set)));
    DataFault::new(what).row(row).value(weight.to_string()).accepted("a weight counts whole sets: give all rows of a set the same").into()
}

impl Encode for PointSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("value", &mut self.sums.value)?;
        codec.numbers("gradient", &mut self.sums.gradient)?;
        codec.numbers("information", &mut self.sums.information)?;
        codec.numbers("scores", &mut self.sums.scores)?;
        codec.rare("cumulants", &mut self.sums.cumulants)?;
        codec.rare("clusters", &mut self.sums.clusters)?;
        codec.numbers("margins", &mut self.margins)?;
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        let columns = self.sums.gradient.len();
        let mut sets: Vec<u64> = self.open.keys().copied().collect();
        let mut lengths: Vec<u64> = self.open.values().map(|set| set.len() as u64).collect();
        let joined = |part: fn(&MatchedSet) -> Vec<f64>| self.open.values().flat_map(part).collect::<Vec<f64>>();
        let mut cells = joined(|set| set.cells.clone());
        let mut offsets = joined(|set| set.offsets.clone());
        let mut weights = joined(|set| vec![set.weight]);
        let mut cases: Vec<u64> = self.open.values().flat_map(|set| set.cases.iter().map(|case| u64::from(*case))).collect();
        codec.count_list("open_sets", &mut sets)?;
        codec.count_list("open_lengths", &mut lengths)?;
        codec.list("open_cells", columns.max(1), &mut cells)?;
        codec.list("open_offsets", 1, &mut offsets)?;
        codec.list("open_weights", 1, &mut weights)?;
        codec.count_list("open_cases", &mut cases)?;
        // Only where there are clusters, so that other files stay as they were.
        let mut clusters: Vec<u64> = self.open.values().filter_map(|set| set.cluster).collect();
        if !self.sums.clusters.is_empty() {
            codec.count_list("open_clusters", &mut clusters)?;
        }
        if !codec.is_reading() {
            return Ok(());
        }
        let members = usize::try_from(lengths.iter().sum::<u64>()).unwrap_or(usize::MAX);
        let most = self.sums.clusters.len() / columns.max(1);
        if !self.sums.clusters.is_empty() && (clusters.len() != sets.len() || clusters.iter().any(|cluster| *cluster as usize >= most)) {
            return Err(fault("the clusters of open sets do not fit together"));
        }
        let fits = sets.len() == lengths.len() && sets.len() == weights.len() && cells.len() == members.saturating_mul(columns);
        if !fits
            || offsets.len() != members
            || cases.len() != members
            || cells.iter().chain(&offsets).chain(&weights).any(|x| !x.is_finite())
        {
            return Err(fault("the open sets of a summary do not fit together"));
        }
        let mut from = 0;
        self.open.clear();
        for (at, ((set, length), weight)) in sets.into_iter().zip(lengths).zip(weights).enumerate() {
            let to = from + length as usize;
            let member = MatchedSet {
                cells: cells[from * columns..to * columns].to_vec(),
                offsets: offsets[from..to].to_vec(),
                cases: cases[from..to].iter().map(|case| *case == 1).collect(),
                weight,
                cluster: clusters.get(at).copied(),
            };
            self.open.insert(set, member);
            from = to;
        }
        Ok(())
    }
}

impl Encode for MatchedStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match &mut self.sums {
            PassSums::Survey(survey) => codec.part("survey", &mut **survey),
            PassSums::Counts(counts) => codec.part("sets", counts),
            PassSums::Point(point) => codec.part("point", point),
        }
    }
}

impl Statistics for MatchedStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        if let PassSums::Survey(survey) = &mut self.sums {
            return survey.observe(&rows);
        }
        let labels = rows.counted_labels()?;
        self.observe_members(&rows, &labels)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        let state = Arc::clone(&self.state);
        match (&mut self.sums, &other.sums) {
            (PassSums::Survey(mine), PassSums::Survey(theirs)) => mine.merge(theirs),
            (PassSums::Counts(mine), PassSums::Counts(theirs)) => {
                mine.merge(theirs);
                Ok(())
            }
            (PassSums::Point(mine), PassSums::Point(theirs)) => {
                mine.sums.merge(&theirs.sums);
                mine.weight += theirs.weight;
                let [least, most, distance] = theirs.margins;
                mine.margins = [mine.margins[0].min(least), mine.margins[1].max(most), mine.margins[2].max(distance)];
                for (set, members) in &theirs.open {
                    let alike = || MatchedSet { weight: members.weight, cluster: members.cluster, ..MatchedSet::default() };
                    let open = mine.open.entry(*set).or_insert_with(alike);
                    if open.cluster != members.cluster {
                        return Err(several_clusters(&state, *set, 0));
                    }
                    if open.weight != members.weight {
                        return Err(unequal_weights(&state, *set, 0, members.weight));
                    }
                    open.cells.extend_from_slice(&members.cells);
                    open.offsets.extend_from_slice(&members.offsets);
                    open.cases.extend_from_slice(&members.cases);
                    if state.sizes.get(*set as usize).is_some_and(|size| open.len() as u64 == *size)
                        && let Some(full) = mine.open.remove(set)
                    {
                        mine.close(full.members(), &state, &mut self.work.walk);
                    }
                }
                self.work.walk.settle(&mut mine.sums);
                Ok(())
            }
            _ => Err(Error::internal("sums of different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match &self.sums {
            PassSums::Survey(survey) => survey.weight(),
            PassSums::Counts(counts) => counts.members.iter().sum::<u64>() as f64,
            PassSums::Point(point) => point.weight,
        }
    }

    fn purpose(&self) -> String {
        match &self.sums {
            PassSums::Survey(_) => "what the columns of the formula are made of".into(),
            PassSums::Counts(_) => "members and cases of every set".into(),
            PassSums::Point(_) => "the conditional likelihood at a point".into(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match &self.sums {
            PassSums::Survey(survey) => survey.discloses(),
            PassSums::Counts(_) => Some("how many members and cases every set has".into()),
            PassSums::Point(_) => Some("the rows of sets whose members are spread over several places".into()),
        }
    }

    fn bytes(&self) -> usize {
        match &self.sums {
            PassSums::Survey(survey) => survey.bytes(),
            PassSums::Counts(counts) => 16 * counts.members.len(),
            PassSums::Point(point) => {
                let sums = 2 * point.sums.information.len() + point.sums.cumulants.len() + point.sums.clusters.len();
                8 * sums + 64 * point.open.len() + 4096
            }
        }
    }
}
