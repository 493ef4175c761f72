//! The card of an exposure of several levels, or of an outcome of several classes.

use super::super::cells::{known, p_text};
use super::super::forest::forest;
use super::super::groups::fisher;
use super::super::table::{cochran_armitage, independence};
use super::described::{Measures, Tests};
use super::table_card::meaning;
use super::{CrossAnalysis, CrossTable};
use crate::card::{Card, Summary, Table};
use crate::error::{Error, Result};
use crate::notice::{self, Notice};

impl CrossAnalysis {
    pub(super) fn levels_card(&self, table: &CrossTable) -> Result<Card> {
        let classes = table.classes.len();
        let mut tests = Tests::new();
        let independent = independence(&table.all(), classes);
        tests.independence(&independent);
        let exact = fisher(&table.all(), classes);
        if let Some(p) = exact {
            tests.push_exact("Fisher's exact test", p);
        }
        let mut facts = table.facts();
        facts.push(("Cramér's V".into(), known(independent.cramers_v)));
        facts.push(("least expected count".into(), independent.least_expected.into()));
        let mut footnotes = vec![format!(
            "{}χ² {:.3}, df {}, p {} · Cramér's V {:.3}",
            exact.map(|p| format!("Fisher's exact test p {} · ", p_text(p))).unwrap_or_default(),
            independent.pearson.statistic,
            independent.pearson.df,
            p_text(independent.pearson.p_value),
            independent.cramers_v
        )];
        let mut notices = table.notices();
        if independent.least_expected < 5.0 {
            let text =
                format!("the least expected count is {:.1}: join levels, or take p-values of χ² with care", independent.least_expected);
            notices.push(Notice::new(notice::SPARSE_TABLE, text).column(&table.exposure));
        }
        let counts = table.counts_table();
        let title = format!("{} by {}", table.outcome, table.exposure);
        if classes > 2 {
            let summary = Some(Summary { facts: Vec::new(), table: Some(counts.clone()), footnotes });
            return Ok(Card { title, facts, tidy: counts, summary, tables: vec![tests.table()], notices, ..Card::default() });
        }
        let mut measures = Measures::new(self.level);
        let mut odds = Vec::new();
        for level in 1..table.levels.len() {
            let own = table.two_by_two(0, level).plus(self.add);
            self.push_measures(&mut measures, table, level, &own);
            odds.push((format!("{} = {}", table.exposure, table.levels[level]), own.score_odds_ratio(self.level)));
        }
        let (scores, named) = self.scores(table)?;
        let column = |class: usize| -> Vec<f64> { (0..table.levels.len()).map(|level| table.count(0, level, class)).collect() };
        let trend = cochran_armitage(&scores, &column(1), &column(0));
        tests.push("trend (Cochran–Armitage)", &trend.trend);
        tests.push("departure from a trend", &trend.departure);
        facts.push(("slope of the trend".into(), known(trend.slope)));
        footnotes.push(format!(
            "trend over {named}: χ² {:.3}, p {}; slope {:.4} per unit",
            trend.trend.statistic,
            p_text(trend.trend.p_value),
            trend.slope
        ));
        footnotes.push(format!(
            "{} = {} is what the other levels are compared with; {}",
            table.exposure,
            table.levels[0],
            meaning(self.design)
        ));
        let (tidy, all) = measures.tables();
        let summary = Some(Summary { facts: table.groups(), table: Some(by_score(&all)), footnotes });
        let seen = format!("Odds of {} = {} against {} = {}", table.outcome, table.classes[1], table.exposure, table.levels[0]);
        let pictures = vec![forest(seen, self.level, &odds, &[])];
        Ok(Card { title, facts, tidy, summary, tables: vec![counts, tests.table()], pictures, notices })
    }

    /// Numbers of the levels, and what they are.
    fn scores(&self, table: &CrossTable) -> Result<(Vec<f64>, &'static str)> {
        let levels = table.levels.len();
        if let Some(scores) = &self.scores {
            return match scores.len() == levels {
                true => Ok((scores.clone(), "the given scores")),
                false => Err(Error::option(
                    "scores",
                    scores.len(),
                    format!("one number for each of the {levels} levels of `{}`", table.exposure),
                )),
            };
        }
        let numbers: Option<Vec<f64>> = table.levels.iter().map(|level| level.trim().parse().ok()).collect();
        Ok(match numbers {
            Some(numbers) => (numbers, "the levels as numbers"),
            None => ((1..=levels).map(|at| at as f64).collect(), "1, 2, … in the order of the levels"),
        })
    }
}

/// The lines of the method that holds its level, which is the one of all that people read.
fn by_score(measures: &Table) -> Table {
    let (rows, method) = (measures.rows(), measures.position("method"));
    let shown: Vec<usize> = (0..rows.len()).filter(|i| method.is_none_or(|at| rows[*i][at] == "score".into())).collect();
    Table::tabulate("measures", measures.columns().to_vec(), shown.len(), |i, j| rows[shown[i]][j].clone())
}
