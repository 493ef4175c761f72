//! The search: every group's test, deals, and the held-out half.

use super::group::{Bits, Condition, Group};
use super::procedure::Subgroups;
use super::rows::KeptRows;
use crate::data::mixed;
use crate::study::strata::StratifiedTable;
use crate::study::table::Table2x2;

/// Most groups that are looked at.
pub(super) const MOST_GROUPS: usize = 20_000;

/// What is told of a group.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) told: String,
    pub(super) depth: usize,
    /// Inside and outside, on the rows that were searched.
    pub(super) searched: [Table2x2; 2],
    /// The same on the held-out half.
    pub(super) held_out: [Table2x2; 2],
    pub(super) z: f64,
    pub(super) z_held_out: f64,
    /// p-value among all groups.
    pub(super) max_t: f64,
}

/// All that a search found.
#[derive(Debug, Clone)]
pub(super) struct Search {
    /// The strongest first.
    pub(super) findings: Vec<Finding>,
    pub(super) looks: usize,
    pub(super) searched: usize,
    pub(super) held_out: usize,
    /// Whether there were more groups than are looked at.
    pub(super) cut: bool,
}

/// Exposure and outcome of rows.
struct Dealt {
    exposed: Bits,
    cases: Bits,
}

impl Dealt {
    /// Of rows with kinds 2·exposed + case.
    fn new(kinds: &[u8]) -> Self {
        Dealt { exposed: Bits::of(kinds.len(), |i| kinds[i] >= 2), cases: Bits::of(kinds.len(), |i| kinds[i] % 2 == 1) }
    }

    /// Tables inside and outside of a group.
    fn tables(&self, group: &Group) -> [Table2x2; 2] {
        let of = |rows: &Bits| -> [u32; 4] {
            let both = rows.count_with(&self.exposed, &self.cases);
            [rows.count(), rows.count_with(&self.exposed, rows), rows.count_with(&self.cases, rows), both]
        };
        let (all, inside) = (of(&group.known), of(&group.inside));
        let outside = [0, 1, 2, 3].map(|at| all[at] - inside[at]);
        [inside, outside].map(|[n, exposed, cases, both]| {
            let [a, b, c, d] = [both, exposed - both, cases - both, n + both - exposed - cases].map(f64::from);
            Table2x2 { a, b, c, d }
        })
    }
}

/// The signed score test of equal odds ratios inside and outside: positive where that inside is larger. 0 where a table says nothing.
pub(super) fn score(tables: &[Table2x2; 2]) -> f64 {
    if !tables.iter().all(Table2x2::is_informative) {
        return 0.0;
    }
    let strata = StratifiedTable { strata: tables.to_vec() };
    let psi = strata.mh_odds_ratio(0.95).value;
    if !(psi > 0.0 && psi < f64::INFINITY) {
        return 0.0;
    }
    let [inside, outside] = [tables[0].fitted(psi), tables[1].fitted(psi)];
    let [v, w] = [1.0 / inside.reciprocals(), 1.0 / outside.reciprocals()];
    let (x, y) = (tables[0].a - inside.a, tables[1].a - outside.a);
    let squared = x * x / v + y * y / w - (x + y) * (x + y) / (v + w);
    squared.max(0.0).sqrt().copysign(x / v - y / w)
}

impl Subgroups {
    /// Searches half of the rows, deals them anew, and looks at the other half.
    pub(super) fn search(&self, rows: &KeptRows, [low, high]: [u32; 2]) -> Search {
        let order: Vec<usize> =
            rows.shuffled(self.seed).into_iter().filter(|i| rows.levels[*i] == low || rows.levels[*i] == high).collect();
        let (searched, held_out): (Vec<usize>, Vec<usize>) =
            (order.iter().step_by(2).copied().collect(), order.iter().skip(1).step_by(2).copied().collect());
        let kind = |i: &usize| 2 * u8::from(rows.levels[*i] == high) + rows.classes[*i] as u8;
        let (kinds, kinds_held_out): (Vec<u8>, Vec<u8>) = (searched.iter().map(kind).collect(), held_out.iter().map(kind).collect());
        let (groups, cut) = self.groups(rows, &searched);
        let (here, there) = (Dealt::new(&kinds), Dealt::new(&kinds_held_out));
        let observed: Vec<f64> = groups.iter().map(|group| score(&here.tables(group))).collect();
        let mut largest: Vec<f64> = (0..self.deals).map(|deal| self.largest_of_deal(deal as u64, &groups, &kinds)).collect();
        largest.sort_by(f64::total_cmp);
        let max_t = |z: f64| {
            // Rounding must not tell a deal that is as large apart.
            let reached = largest.len() - largest.partition_point(|most| *most < z.abs() * (1.0 - 1e-12));
            (1 + reached) as f64 / (1 + largest.len()) as f64
        };
        let mut findings: Vec<Finding> = groups
            .iter()
            .zip(&observed)
            .map(|(group, z)| {
                let again = Group::new(rows, &held_out, group.conditions.clone());
                let held_out = there.tables(&again);
                let told: Vec<String> = group.conditions.iter().map(|condition| condition.told(rows)).collect();
                Finding {
                    told: told.join(" and "),
                    depth: group.conditions.len(),
                    searched: here.tables(group),
                    held_out,
                    z: *z,
                    z_held_out: score(&held_out),
                    max_t: max_t(*z),
                }
            })
            .collect();
        findings.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()).then(a.depth.cmp(&b.depth)).then_with(|| a.told.cmp(&b.told)));
        Search { looks: groups.len(), findings, searched: searched.len(), held_out: held_out.len(), cut }
    }

    /// Groups of enough rows, inside and outside.
    fn groups(&self, rows: &KeptRows, searched: &[usize]) -> (Vec<Group>, bool) {
        let candidate = |j: &usize| {
            let name = &rows.layout.features()[*j].name;
            *j != rows.exposure && self.candidates.as_ref().is_none_or(|names| names.contains(name))
        };
        let columns: Vec<usize> = (0..rows.layout.features().len()).filter(candidate).collect();
        let conditions: Vec<Condition> = columns.iter().flat_map(|j| Condition::of_column(rows, searched, *j, self.bins)).collect();
        let enough = |group: &Group| {
            let (inside, known) = (group.inside.count() as usize, group.known.count() as usize);
            inside >= self.least && known - inside >= self.least
        };
        let mut groups: Vec<Group> =
            conditions.iter().map(|one| Group::new(rows, searched, vec![one.clone()])).filter(enough).take(MOST_GROUPS).collect();
        let mut cut = false;
        if self.depth > 1 {
            let singles: Vec<Condition> = groups.iter().map(|group| group.conditions[0].clone()).collect();
            for (at, first) in singles.iter().enumerate() {
                for second in singles[at + 1..].iter().filter(|second| second.feature != first.feature) {
                    if groups.len() >= MOST_GROUPS {
                        cut = true;
                        break;
                    }
                    groups.extend(Some(Group::new(rows, searched, vec![first.clone(), second.clone()])).filter(enough));
                }
            }
        }
        (groups, cut)
    }

    /// The largest |z| of all groups when exposure and outcome are dealt anew.
    fn largest_of_deal(&self, deal: u64, groups: &[Group], kinds: &[u8]) -> f64 {
        let mut dealt = kinds.to_vec();
        let key = mixed(mixed(self.seed).wrapping_add(deal + 1));
        for at in (1..dealt.len()).rev() {
            // A number below at + 1 from 64 random bits, by multiplication: the bias is below 2^-32.
            let random = mixed(key.wrapping_add(mixed(at as u64)));
            let other = ((u128::from(random) * (at as u128 + 1)) >> 64) as usize;
            dealt.swap(at, other);
        }
        let dealt = Dealt::new(&dealt);
        groups.iter().map(|group| score(&dealt.tables(group)).abs()).fold(0.0, f64::max)
    }
}
