//! The card: groups by the size of their test, with what the held-out half says.

use super::super::cells::known;
use super::super::estimate::Estimate;
use super::super::forest::{HeldAgainst, held_against};
use super::procedure::Subgroups;
use super::rows::KeptRows;
use super::scan::{Finding, MOST_GROUPS};
use crate::card::{Card, Cell, FixedTable, Summary};
use crate::error::{DataFault, Result};
use crate::notice::{self, Notice};
use crate::num::special::normal;
use crate::picture::Picture;

/// Groups that people read; programs get more.
const MOST_SHOWN: usize = 10;
const MOST_LISTED: usize = 1000;

const TIDY: [&str; 15] = [
    "subgroup",
    "depth",
    "n",
    "events",
    "odds_ratio",
    "odds_ratio_outside",
    "statistic",
    "p_value",
    "p_max_t",
    "n_held_out",
    "odds_ratio_held_out",
    "held_out_low",
    "held_out_high",
    "odds_ratio_outside_held_out",
    "p_held_out",
];

impl Subgroups {
    pub(super) fn card(&self, rows: &KeptRows, levels: [u32; 2]) -> Result<Card> {
        let found = self.search(rows, levels);
        if found.looks == 0 {
            let what = format!("no group of at least {} rows, with as many outside, can be made of the candidates", self.least);
            return Err(DataFault::new(what).accepted("allow smaller groups, or name other candidates").into());
        }
        let mut tidy = FixedTable::new("tidy", TIDY);
        let percent = format!("{}%", (self.level * 1e6).round() / 1e4);
        let held_out = format!("held out ({percent} CI)");
        let mut read = FixedTable::new("subgroups", ["subgroup", "n", "inside", "outside", "p max-T", &held_out, "p held out"]);
        for (at, finding) in found.findings.iter().take(MOST_LISTED).enumerate() {
            let row = self.row(finding);
            if at < MOST_SHOWN {
                let [name, n, inside, outside, max_t, p] = [0, 2, 4, 5, 8, 14].map(|column: usize| row[column].clone());
                read.push([name, n, inside, outside, max_t, self.again(finding), p]);
            }
            tidy.push(row);
        }
        let looks = notice::counted(found.looks as u64, "group");
        let (exposure, outcome) = (&rows.layout.features()[rows.exposure].name, rows.layout.target());
        let name = |level: u32| rows.layout.level_name(rows.exposure, level as usize).unwrap_or_default();
        let footnotes = vec![
            format!(
                "odds ratios of {exposure} = {} against {}; {looks} looked at in {} rows, p max-T by {} deals",
                name(levels[1]),
                name(levels[0]),
                found.searched,
                self.deals
            ),
            format!("held out: the same groups in the other {} rows, which had no part in the search; believe these", found.held_out),
        ];
        let mut notices = Vec::new();
        if found.cut {
            let text = format!("there are more groups of two columns than {MOST_GROUPS}; only so many were looked at");
            notices.push(Notice::new(notice::SEARCH_CUT, text));
        }
        let facts = vec![
            ("outcome".into(), format!("{outcome} = {}", rows.layout.classes().label(1)).into()),
            ("exposure".into(), exposure.as_str().into()),
            ("looks".into(), found.looks.into()),
            ("searched rows".into(), found.searched.into()),
            ("held out rows".into(), found.held_out.into()),
            ("permutations".into(), self.deals.into()),
        ];
        let title = format!("Groups in which the odds ratio of {exposure} for {outcome} is another one");
        Ok(Card {
            pictures: vec![self.picture(&title, &found.findings)],
            title,
            facts,
            tidy: tidy.into(),
            summary: Some(Summary { facts: Vec::new(), table: Some(read.into()), footnotes }),
            notices,
            ..Card::default()
        })
    }

    /// What the held-out half says of the groups that were found, beside what the search saw in them.
    fn picture(&self, title: &str, findings: &[Finding]) -> Picture {
        let row = |finding: &Finding| {
            let held_out = &finding.held_out[0];
            HeldAgainst {
                name: finding.told.clone(),
                told: if held_out.is_informative() { held_out.score_odds_ratio(self.level) } else { Estimate::bare(f64::NAN) },
                others: vec![finding.searched[0].odds_ratio(), finding.searched[1].odds_ratio()],
            }
        };
        let rows: Vec<HeldAgainst> = findings.iter().take(MOST_SHOWN).map(row).collect();
        let summary = format!(
            "The {} whose odds ratio differs most from that outside: in the rows of the search, and with limits in the rows that had no part in it.",
            notice::counted(rows.len() as u64, "group")
        );
        let names = ["in the search", "in the search, outside the group"];
        held_against((title.to_owned(), summary), self.level, "in held-out rows, with limits", &names, &rows)
    }

    /// The odds ratio of the held-out half with its limits, for people.
    fn again(&self, finding: &Finding) -> Cell {
        let limits = finding.held_out[0].score_odds_ratio(self.level);
        let told = |value: f64| if value.is_infinite() { "∞".to_owned() } else { format!("{value:.2}") };
        match finding.held_out[0].is_informative() {
            true => format!("{} ({} – {})", told(limits.value), told(limits.low), told(limits.high)).into(),
            false => Cell::Empty,
        }
    }

    fn row(&self, finding: &Finding) -> [Cell; TIDY.len()] {
        let ([inside, outside], [again, rest]) = (finding.searched, finding.held_out);
        let p = |z: f64| Cell::PValue(normal::two_sided(z));
        let informative = again.is_informative();
        let limits = again.score_odds_ratio(self.level);
        let told = |value: f64| if informative { known(value) } else { Cell::Empty };
        [
            finding.told.as_str().into(),
            finding.depth.into(),
            Cell::Count(inside.total() as u64),
            Cell::Count(inside.cases() as u64),
            known(inside.odds_ratio()),
            known(outside.odds_ratio()),
            finding.z.into(),
            p(finding.z),
            Cell::PValue(finding.max_t),
            Cell::Count(again.total() as u64),
            told(limits.value),
            told(limits.low),
            told(limits.high),
            known(rest.odds_ratio()),
            if informative && rest.is_informative() { p(finding.z_held_out) } else { Cell::Empty },
        ]
    }
}
