//! The card: pairs in the order of what they change, reversals named, and the number of looks.

use super::super::cells::{count, known, p_value};
use super::super::cross::Design;
use super::super::forest::{HeldAgainst, held_against};
use super::super::reversal::reversal;
use super::{Confounding, ConfoundingCounts, Pair};
use crate::card::{Card, Cell, FixedTable, Summary, Table};
use crate::error::Result;
use crate::model::linear::ratio;
use crate::notice::{self, Notice};
use crate::picture::Picture;

/// Most pairs that people read; programs get all.
const MOST_SHOWN: usize = 25;
/// Most reversals that are named.
const MOST_NAMED: usize = 5;

const TIDY: [&str; 17] = [
    "term",
    "candidate",
    "strata",
    "rows",
    "not_compared",
    "crude",
    "crude_low",
    "crude_high",
    "marginal",
    "marginal_low",
    "marginal_high",
    "conditional",
    "conditional_low",
    "conditional_high",
    "confounding",
    "non_collapsibility",
    "homogeneity_p",
];

impl Confounding {
    pub(super) fn card(&self, counts: &ConfoundingCounts) -> Result<Card> {
        let pairs = self.pairs(counts)?;
        let by_outcome = self.design == Design::CaseControl;
        let layout = &counts.layout;
        let mut tidy = FixedTable::new("tidy", TIDY);
        let mut read = FixedTable::new(
            "pairs",
            ["exposure", "within", "crude", "marginal", "conditional", "confounding", "non-collapsibility", "change"],
        );
        for (at, pair) in pairs.iter().enumerate() {
            let marginal = &pair.marginal.odds_ratio;
            let told = |value: f64| if by_outcome { Cell::Empty } else { known(value) };
            tidy.push([
                pair.exposure.as_str().into(),
                pair.candidate.as_str().into(),
                pair.strata.into(),
                count(pair.rows),
                count(pair.not_compared),
                known(pair.crude.value),
                known(pair.crude.low),
                known(pair.crude.high),
                told(marginal.value),
                told(marginal.low),
                told(marginal.high),
                known(pair.conditional.value),
                known(pair.conditional.low),
                known(pair.conditional.high),
                known(if by_outcome { pair.change() } else { pair.confounding() }),
                told(pair.non_collapsibility()),
                p_value(pair.homogeneity),
            ]);
            if at < MOST_SHOWN {
                read.push([
                    pair.exposure.as_str().into(),
                    pair.candidate.as_str().into(),
                    known(pair.crude.value),
                    told(marginal.value),
                    known(pair.conditional.value),
                    percent(pair.confounding()),
                    percent(pair.non_collapsibility()),
                    percent(pair.change()),
                ]);
            }
        }
        let mut read = Table::from(read);
        read.retain_columns(|_, name| match name {
            "exposure" => counts.exposures.len() > 1,
            "marginal" | "confounding" | "non-collapsibility" => !by_outcome,
            "change" => by_outcome,
            _ => true,
        });
        let event = layout.classes().label(1);
        let facts = vec![
            ("outcome".into(), format!("{} = {event}", layout.target()).into()),
            ("looks".into(), pairs.len().into()),
            ("reversals".into(), pairs.iter().filter(|pair| pair.is_reversed()).count().into()),
        ];
        let named: Vec<&str> = counts.exposures.iter().map(|exposure| layout.features()[exposure.feature].name.as_str()).collect();
        let title = format!("What moves the odds ratio of {} for {} = {event}", named.join(", "), layout.target());
        Ok(Card {
            pictures: vec![self.picture(&title, &pairs, counts.exposures.len() > 1)],
            title,
            facts,
            tidy: tidy.into(),
            summary: Some(Summary { facts: Vec::new(), table: Some(read), footnotes: self.footnotes(pairs.len()) }),
            notices: reversals(&pairs),
            ..Card::default()
        })
    }

    /// The odds ratio within the levels of every candidate, beside the one over all rows and the standardised one.
    fn picture(&self, title: &str, pairs: &[Pair], several: bool) -> Picture {
        let by_outcome = self.design == Design::CaseControl;
        let drawn = &pairs[..pairs.len().min(MOST_SHOWN)];
        let row = |pair: &Pair| HeldAgainst {
            name: if several { format!("{} within {}", pair.exposure, pair.candidate) } else { format!("within {}", pair.candidate) },
            told: pair.conditional,
            others: vec![pair.crude.value, pair.marginal.odds_ratio.value],
        };
        let rows: Vec<HeldAgainst> = drawn.iter().map(row).collect();
        let names = ["over all rows", "standardised to all rows"];
        let reversed = pairs.iter().filter(|pair| pair.is_reversed()).count();
        let told = |pair: &&Pair| {
            let [crude, within] = [pair.crude.value, pair.conditional.value].map(ratio);
            format!("; most moves within {}, from {crude} to {within}", pair.candidate)
        };
        let summary = format!(
            "Odds ratios within the levels of {}, the largest change first{}; {reversed} on the other side of 1.",
            notice::counted(drawn.len() as u64, "column"),
            drawn.first().as_ref().map_or_else(String::new, told),
        );
        held_against(
            (title.to_owned(), summary),
            self.level,
            "within levels, with limits",
            if by_outcome { &names[..1] } else { &names },
            &rows,
        )
    }

    fn footnotes(&self, looks: usize) -> Vec<String> {
        let mut lines = Vec::new();
        lines.push(match self.design {
            Design::Cohort | Design::Trial => "odds ratios: over all rows, standardised to all rows, and within levels (Mantel–Haenszel); confounding is crude against \
                               marginal, non-collapsibility marginal against conditional"
                .to_owned(),
            Design::CaseControl => {
                "odds ratios: over all rows, and within levels (Mantel–Haenszel); rows were sampled by their outcome, so standardised risks are not told".to_owned()
            }
        });
        let told = notice::counted(looks as u64, "pair");
        let shown = if looks > MOST_SHOWN { format!(", of which the first {MOST_SHOWN} are shown") } else { String::new() };
        lines.push(format!(
            "{told} looked at{shown}: the first of them is there for being the largest. No table tells a confounder from a consequence of the exposure; \
             compare within what was there before it"
        ));
        lines
    }
}

/// Pairs whose odds ratio is on the other side of 1 within strata.
fn reversals(pairs: &[Pair]) -> Vec<Notice> {
    let told = |pair: &Pair| reversal(&pair.exposure, &pair.candidate, &pair.crude, &pair.conditional);
    pairs.iter().filter_map(told).take(MOST_NAMED).collect()
}

/// A change of the logarithm of a ratio in percent of the ratio.
fn percent(log: f64) -> Cell {
    if log.is_finite() { format!("{:+.1} %", 100.0 * log.exp_m1()).into() } else { Cell::Empty }
}
