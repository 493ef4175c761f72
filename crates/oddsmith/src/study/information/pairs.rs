//! What pairs of columns tell about the target together: counts of both values by class and stratum.
//!
//! ```text
//! I(A,B;Y)                                  what both tell
//! I(A,B;Y) − I(A;Y) − I(B;Y)                interaction: above 0 together they tell more than one by one, below 0 they say the same twice
//! I(B;Y|A) = I(A,B;Y) − I(A;Y)              what B adds where A is known
//! ```
//!
//! All of them less the bias of chance, and over the rows that have both values. Numbers are cut as the screen of single columns cut them.
//! Memory O(groups · Σ values of A · values of B).

use std::sync::Arc;

use super::counts::Counts;
use super::finding::Finding;
use super::groups::Groups;
use crate::card::{Cell, FixedTable, Table};
use crate::codec::{Codec, Encode};
use crate::data::{Layout, MISSING, Plane, Rows, SKIP};
use crate::error::{DataFault, Error, Result};
use crate::info::{Joint, conditional_inference};
use crate::record::{Record, fault};
use crate::stats::add;

/// Most counts of all pairs together.
const MOST_CELLS: usize = 1 << 26;

const LOG2_E: f64 = std::f64::consts::LOG2_E;

/// A column of pairs, and where it is cut if it is a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PairColumn {
    pub(super) feature: usize,
    pub(super) cuts: Vec<f64>,
}

/// Counts of pairs of values by group.
#[derive(Debug, Clone)]
pub struct PairCounts {
    /// What single columns tell; whoever answers a question does not know it.
    pub(super) single: Option<Arc<Counts>>,
    groups: Groups,
    columns: Arc<Vec<PairColumn>>,
    widths: Vec<usize>,
    /// Where the counts of each pair begin.
    starts: Vec<usize>,
    counts: Vec<f64>,
}

impl PairCounts {
    /// Nothing seen of all pairs of these columns.
    pub(super) fn new(single: Option<Arc<Counts>>, groups: Groups, columns: Vec<PairColumn>) -> Result<Self> {
        let layout = groups.layout();
        let width = |column: &PairColumn| match layout.plane(column.feature) {
            Plane::Codes(at) => Ok(layout.level_counts()[at]),
            Plane::Numbers(_) => Ok(column.cuts.len() + 1),
            Plane::Words(_) => Err(Error::internal("words are no values of a pair")),
        };
        let widths: Vec<usize> = columns.iter().map(width).collect::<Result<_>>()?;
        let group_count = groups.len();
        let mut starts = vec![0usize];
        for (a, b) in pairs(columns.len()) {
            let cells = widths[a].saturating_mul(widths[b]).saturating_mul(group_count);
            let next = starts[starts.len() - 1].saturating_add(cells);
            if next > MOST_CELLS {
                let names = [a, b].map(|at| layout.features()[columns[at].feature].name.clone());
                let what = format!("`{}` and `{}` have too many pairs of values to be counted", names[0], names[1]);
                return Err(DataFault::new(what).accepted("look at fewer columns, or join rare levels").into());
            }
            starts.push(next);
        }
        Ok(PairCounts { single, counts: vec![0.0; starts[starts.len() - 1]], groups, columns: Arc::new(columns), widths, starts })
    }

    /// Adds a batch.
    pub(super) fn observe(&mut self, rows: &Rows<'_>) -> Result<()> {
        let labels = self.groups.observe(rows)?;
        let layout = self.groups.layout();
        let groups = self.groups.len();
        let codes: Vec<Vec<u32>> = self.columns.iter().map(|column| values(column, layout, rows)).collect();
        for (place, (a, b)) in pairs(self.columns.len()).enumerate() {
            let counts = &mut self.counts[self.starts[place]..self.starts[place + 1]];
            for (i, &group) in labels.iter().enumerate().filter(|(_, group)| **group != SKIP) {
                let (x, y) = (codes[a][i] as usize, codes[b][i] as usize);
                if x < self.widths[a] && y < self.widths[b] {
                    counts[(x * self.widths[b] + y) * groups + group as usize] += rows.weights.map_or(1.0, |weights| weights[i]);
                }
            }
        }
        Ok(())
    }

    /// Adds other counts of the same pass.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        if self.columns != other.columns {
            return Err(Error::internal("counts of different pairs were merged"));
        }
        self.groups.merge(&other.groups);
        add(&mut self.counts, &other.counts);
        Ok(())
    }

    /// Weight of the rows.
    pub(super) fn weight(&self) -> f64 {
        self.groups.classes().total()
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.counts.len() * size_of::<f64>()
    }

    /// One row per pair, those that tell most together first.
    pub(super) fn table(&self, level: f64) -> Result<Table> {
        let mut lines = Vec::new();
        for (place, (a, b)) in pairs(self.columns.len()).enumerate() {
            lines.extend(self.line(place, (a, b), level)?);
        }
        lines.sort_by(|x, y| y.interaction.total_cmp(&x.interaction).then(x.names.cmp(&y.names)));
        let columns = [
            "first",
            "second",
            "weight",
            "both_bits",
            "first_bits",
            "second_bits",
            "interaction_bits",
            "second_given_first_bits",
            "p_value",
        ];
        let mut table = FixedTable::new("pairs", columns);
        for line in lines {
            let bits = |nats: f64| Cell::from(nats * LOG2_E);
            let [first, second] = line.names;
            table.push([
                first.into(),
                second.into(),
                line.weight.into(),
                bits(line.both),
                bits(line.single[0]),
                bits(line.single[1]),
                bits(line.interaction),
                bits(line.both - line.single[0]),
                Cell::PValue(line.p_value),
            ]);
        }
        Ok(table.into())
    }

    fn line(&self, place: usize, (a, b): (usize, usize), level: f64) -> Result<Option<PairLine>> {
        let (groups, counts) = (self.groups.len(), &self.counts[self.starts[place]..self.starts[place + 1]]);
        let (wide_a, wide_b) = (self.widths[a], self.widths[b]);
        let (mut of_a, mut of_b) = (vec![0.0; wide_a * groups], vec![0.0; wide_b * groups]);
        for (at, cells) in counts.chunks_exact(groups).enumerate() {
            add(&mut of_a[at / wide_b * groups..][..groups], cells);
            add(&mut of_b[at % wide_b * groups..][..groups], cells);
        }
        let both = self.groups.tables(counts)?;
        let weight: f64 = both.iter().map(Joint::total).sum();
        if weight <= 0.0 {
            return Ok(None);
        }
        let rows = self.groups.evidence_of(weight);
        // Less what chance adds; not cut at 0, so that differences have no bias of their own.
        let found = |tables: &[Joint]| conditional_inference(tables, rows, level);
        let (both, first, second) = (found(&both), found(&self.groups.tables(&of_a)?), found(&self.groups.tables(&of_b)?));
        let corrected = [both, first, second].map(|found| found.plug_in - found.bias);
        let (g, df) = (both.g - first.g, both.df - first.df);
        let name = |at: usize| self.groups.layout().features()[self.columns[at].feature].name.clone();
        Ok(Some(PairLine {
            names: [name(a), name(b)],
            weight,
            both: corrected[0],
            single: [corrected[1], corrected[2]],
            interaction: corrected[0] - corrected[1] - corrected[2],
            p_value: if df > 0.0 { crate::num::special::chi_squared::sf(g.max(0.0), df) } else { 1.0 },
        }))
    }

    /// Writes the columns and their cuts down.
    pub(super) fn write_point(&self, point: &mut Record) {
        point.put_counts("pair-columns", &self.columns.iter().map(|column| column.feature as u64).collect::<Vec<_>>());
        point.put_counts("pair-cuts-by-column", &self.columns.iter().map(|column| column.cuts.len() as u64).collect::<Vec<_>>());
        point.put("pair-cuts", &self.columns.iter().flat_map(|column| column.cuts.clone()).collect::<Vec<_>>());
    }

    /// The columns that a point names.
    pub(super) fn columns_at(layout: &Layout, point: &Record) -> Result<Vec<PairColumn>> {
        let features = point.counts("pair-columns")?.to_vec();
        let lengths = point.counts_of("pair-cuts-by-column", features.len())?.to_vec();
        let total = lengths.iter().try_fold(0u64, |sum, length| sum.checked_add(*length)).and_then(|sum| usize::try_from(sum).ok());
        let cuts = point.numbers("pair-cuts", total.ok_or_else(|| fault("`pair-cuts-by-column` counts too many cuts"))?)?;
        let (mut rest, mut columns) = (&cuts[..], Vec::new());
        for (feature, length) in features.into_iter().zip(lengths) {
            let (own, later) = rest.split_at(length as usize);
            let feature = usize::try_from(feature).ok().filter(|feature| *feature < layout.features().len());
            let feature = feature.ok_or_else(|| fault("`pair-columns` names a column that is not there"))?;
            if !own.windows(2).all(|pair| pair[0] < pair[1]) || matches!(layout.plane(feature), Plane::Words(_)) {
                return Err(fault("`pair-cuts` are not in rising order, or are of words"));
            }
            columns.push(PairColumn { feature, cuts: own.to_vec() });
            rest = later;
        }
        Ok(columns)
    }
}

impl Encode for PairCounts {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("groups", &mut self.groups)?;
        codec.weights("pairs", &mut self.counts)
    }
}

struct PairLine {
    names: [String; 2],
    weight: f64,
    both: f64,
    single: [f64; 2],
    interaction: f64,
    p_value: f64,
}

/// All pairs of so many columns, in order.
fn pairs(columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..columns).flat_map(move |a| (a + 1..columns).map(move |b| (a, b)))
}

/// The value of every row as a code; one that is out of range where there is none.
fn values(column: &PairColumn, layout: &Layout, rows: &Rows<'_>) -> Vec<u32> {
    let count = rows.labels.len();
    match layout.plane(column.feature) {
        Plane::Codes(at) => (0..count).map(|i| rows.features.codes.get(i, at)).collect(),
        Plane::Numbers(at) => {
            let bin = |x: f64| if x.is_nan() { MISSING } else { column.cuts.partition_point(|cut| *cut <= x) as u32 };
            (0..count).map(|i| bin(rows.features.numbers.get(i, at))).collect()
        }
        Plane::Words(_) => vec![MISSING; count],
    }
}

/// The most telling columns, words left out, as they were cut.
pub(super) fn most_telling(findings: &[Finding], most: usize) -> Vec<PairColumn> {
    let single = findings.iter().filter(|finding| finding.word.is_none());
    single.take(most).map(|finding| PairColumn { feature: finding.feature, cuts: finding.bins.clone() }).collect()
}
