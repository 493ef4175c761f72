//! The card of one 2×2 table.

use super::super::cells::p_text;
use super::super::estimate::Estimate;
use super::super::forest::forest;
use super::super::table::{ConditionalCount, Table2x2, independence};
use super::described::{Measures, Tests};
use super::{CrossAnalysis, CrossTable, Design};
use crate::card::{Card, Summary};
use crate::error::Result;
use crate::notice::{self, Notice};

impl CrossAnalysis {
    pub(super) fn table_card(&self, table: &CrossTable) -> Result<Card> {
        let counts = table.two_by_two(0, 1).plus(self.add);
        let mut measures = Measures::new(self.level);
        self.push_measures(&mut measures, table, 1, &counts);
        let (tidy, read) = measures.tables();
        let mut tests = Tests::new();
        let independent = independence(&counts.cells(), 2);
        let exact = ConditionalCount::of(&counts);
        if let Some(exact) = &exact {
            tests.push_exact("Fisher's exact test", exact.p_value());
            tests.push_exact("mid-p", exact.mid_p_value());
        }
        tests.independence(&independent);
        let mut facts = table.facts();
        facts.push(("least expected count".into(), independent.least_expected.into()));
        let mut footnotes = vec![tests_told(exact.as_ref(), &independent)];
        footnotes.extend(self.rare_outcome(&counts));
        footnotes.push(meaning(self.design).into());
        let mut notices = table.notices();
        notices.extend(self.sparse(table, &counts, independent.least_expected));
        let summary = Summary { facts: table.groups(), table: Some(read), footnotes };
        let title = format!("{} by {}", table.outcome, table.exposure);
        let odds =
            vec![(format!("{} = {} against {}", table.exposure, table.levels[1], table.levels[0]), counts.score_odds_ratio(self.level))];
        Ok(Card {
            facts,
            tidy,
            summary: Some(summary),
            tables: vec![table.counts_table(), tests.table()],
            pictures: vec![forest(format!("Odds of {title}"), self.level, &[], &odds)],
            title,
            notices,
        })
    }

    /// All measures of a level against the first.
    pub(super) fn push_measures(&self, measures: &mut Measures, table: &CrossTable, level: usize, counts: &Table2x2) {
        let mut push = |names: (&str, &str), told: &Estimate| measures.push(table, level, "", names, told);
        push(("odds ratio", "score"), &counts.score_odds_ratio(self.level));
        push(("odds ratio", "Woolf"), &counts.woolf(self.level));
        if let Some(exact) = ConditionalCount::of(counts) {
            push(("odds ratio", "exact conditional"), &exact.estimate(self.level, false));
            push(("odds ratio", "mid-p"), &exact.estimate(self.level, true));
        }
        if self.design == Design::CaseControl {
            let fraction = Table2x2::attributable_exposed(&counts.score_odds_ratio(self.level));
            return push(("attributable fraction of exposed", "score, rare outcome"), &fraction);
        }
        let (ratio, difference) = (counts.score_risk_ratio(self.level), counts.score_difference(self.level));
        push(("risk ratio", "score"), &ratio);
        push(("risk ratio", "Katz"), &counts.katz(self.level));
        push(("risk difference", "score"), &difference);
        push(("risk difference", "Wald"), &counts.wald_difference(self.level));
        push(("number needed", if difference.excludes(0.0) { "score" } else { "score, through ∞" }), &Table2x2::number_needed(&difference));
        push(("attributable fraction of exposed", "score"), &Table2x2::attributable_exposed(&ratio));
        push(("attributable fraction of all", "Walter"), &counts.attributable_population(self.level));
    }

    /// How far the odds ratio is from the risk ratio.
    fn rare_outcome(&self, counts: &Table2x2) -> Option<String> {
        if self.design == Design::CaseControl || !counts.odds_ratio().is_finite() || !counts.risk_ratio().is_finite() {
            return None;
        }
        let share = counts.cases() / counts.total();
        let rare = if share < 0.1 {
            "rare enough for the odds ratio to stand for the risk ratio"
        } else {
            "too common for the odds ratio to stand for the risk ratio"
        };
        let (odds, risk) = (counts.odds_ratio(), counts.risk_ratio());
        Some(format!("the outcome occurs in {:.1} % of the rows, {rare}: odds ratio {odds:.3}, risk ratio {risk:.3}", 100.0 * share))
    }

    /// Empty cells and small expected counts.
    pub(super) fn sparse(&self, table: &CrossTable, counts: &Table2x2, least: f64) -> Option<Notice> {
        let text = if counts.has_zero() {
            "a count is zero: the odds ratio is 0 or infinite, and only score and exact limits say how far it may be from that".to_owned()
        } else if least < 5.0 {
            format!("the least expected count is {least:.1}: read the exact test and the score or exact limits")
        } else {
            return None;
        };
        Some(Notice::new(notice::SPARSE_TABLE, text).column(&table.exposure))
    }
}

fn tests_told(exact: Option<&ConditionalCount>, tests: &super::super::table::Independence) -> String {
    let p = p_text;
    let fisher = exact.map(|exact| format!("Fisher's exact test p {} · ", p(exact.p_value()))).unwrap_or_default();
    let yates = tests.yates.map(|yates| format!(" · with Yates' correction p {}", p(yates.p_value))).unwrap_or_default();
    format!(
        "{fisher}χ² {:.3} p {}{yates} · G {:.3} p {}",
        tests.pearson.statistic,
        p(tests.pearson.p_value),
        tests.g.statistic,
        p(tests.g.p_value)
    )
}

/// What the numbers mean, and what they would need to be more.
pub(super) fn meaning(design: Design) -> &'static str {
    match design {
        Design::Cohort => {
            "an association: an effect of the exposure only if groups that differ in it differ in nothing else that matters, as when it was given at random"
        }
        Design::Trial => {
            "a treatment that was given at random: an effect of giving it, but for chance, as long as no outcome is missing for reasons that the treatment changed"
        }
        Design::CaseControl => {
            "rows were sampled by their outcome: odds ratios are those of the population, risks are not told; an association, not an effect by itself"
        }
    }
}
