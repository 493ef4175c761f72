//! The card of two answers of the same pair.

use super::super::cells::p_text;
use super::super::table::mcnemar;
use super::described::{Measures, Tests};
use super::{CrossAnalysis, CrossTable};
use crate::card::{Card, Summary};
use crate::error::{DataFault, Result, visible};
use crate::notice::{self, Notice};

impl CrossAnalysis {
    pub(super) fn paired_card(&self, table: &CrossTable) -> Result<Card> {
        if table.levels.len() != 2 || table.classes.len() != 2 {
            let what = format!("pairs have two answers of two values each, not {} and {}", table.levels.len(), table.classes.len());
            return Err(DataFault::new(what).column(&table.exposure).accepted("read the rows of two levels only").into());
        }
        let counts = table.two_by_two(0, 1);
        let told = mcnemar(&counts, self.level);
        let mut measures = Measures::new(self.level);
        measures.push(table, 1, "", ("matched odds ratio", "exact"), &told.odds_ratio);
        let mut tests = Tests::new();
        tests.push("McNemar", &told.plain);
        tests.push("McNemar, corrected", &told.corrected);
        tests.push_exact("exact", told.exact_p);
        tests.push_exact("mid-p", told.mid_p);
        let (tidy, read) = measures.tables();
        let mut footnotes = vec![
            format!("{} and {} pairs disagree; the other pairs say nothing about a difference", counts.b, counts.c),
            format!(
                "McNemar χ² {:.3} p {} · exact p {} · mid-p {}",
                told.plain.statistic,
                p_text(told.plain.p_value),
                p_text(told.exact_p),
                p_text(told.mid_p)
            ),
        ];
        let mut notices = table.notices();
        if !table.given {
            let (exposure, outcome) = (&table.exposure, &table.outcome);
            footnotes.push(format!(
                "every row is a pair of answers, {exposure} and {outcome}; pairs whose members are rows of their own are compared within strata"
            ));
            notices.extend(other_names(table));
        }
        Ok(Card {
            title: format!("Pairs: {} and {}", table.exposure, table.outcome),
            facts: table.facts(),
            tidy,
            summary: Some(Summary { facts: table.groups(), table: Some(read), footnotes }),
            tables: vec![table.counts_table(), tests.table()],
            notices,
            ..Card::default()
        })
    }
}

/// Answers to the same question have the same names.
fn other_names(table: &CrossTable) -> Option<Notice> {
    let names = |names: &[String]| names.iter().map(|name| format!("`{}`", visible(name))).collect::<Vec<_>>().join(" or ");
    let (mine, theirs) = (names(&table.levels), names(&table.classes));
    let text = format!("two answers to one question are compared, and one is {mine}, the other {theirs}");
    (table.levels != table.classes).then(|| Notice::new(notice::DIFFERENT_ANSWERS, text).column(&table.exposure))
}
