//! The card: pairs in the order of what they change, reversals named, and the number of looks.

use super::super::cells::{count, known, p_value};
use super::super::cross::Design;
use super::super::reversal::reversal;
use super::{Confounding, ConfoundingCounts, Pair};
use crate::card::{Card, Cell, FixedTable, Summary, Table};
use crate::error::Result;
use crate::notice::{self, Notice};

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
        Ok(Card {
            title: format!("What moves the odds ratio of {} for {} = {event}", named.join(", "), layout.target()),
            facts,
            tidy: tidy.into(),
            summary: Some(Summary { facts: Vec::new(), table: Some(read), footnotes: self.footnotes(pairs.len()) }),
            notices: reversals(&pairs),
            ..Card::default()
        })
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
