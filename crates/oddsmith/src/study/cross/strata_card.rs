//! The card of strata: every stratum, pooled measures, tests, and confounding apart from non-collapsibility.

use super::super::cells::{count, known, p_text};
use super::super::estimate::{ChiSquared, Estimate, two_sided_z};
use super::super::forest::forest;
use super::super::reversal::reversal;
use super::super::strata::{Standardised, StratifiedTable};
use super::super::table::ConditionalCount;
use super::described::{Measures, Tests};
use super::table_card::meaning;
use super::{CrossAnalysis, CrossTable, Design};
use crate::card::{Card, FixedTable, Summary, Table};
use crate::error::{DataFault, Result};
use crate::notice::{self, Notice};

/// Most strata of a forest, and most that a notice names.
const MOST_DRAWN: usize = 40;
const MOST_NAMED: usize = 5;
/// Strata up to which each has score limits, which are searched for; those of more strata are Woolf's, which have a formula.
const MOST_SCORED: usize = 1000;
/// Below this p-value strata are told to differ.
const DIFFERENT: f64 = 0.05;

/// The three odds ratios that are told apart.
struct Compared {
    crude: Estimate,
    conditional: Estimate,
    marginal: Standardised,
}

impl CrossAnalysis {
    pub(super) fn strata_card(&self, table: &CrossTable) -> Result<Card> {
        let strata = StratifiedTable { strata: table.stratified().strata.iter().map(|stratum| stratum.plus(self.add)).collect() };
        let informative = strata.informative().count();
        if informative == 0 {
            let none = match strata.strata.len() {
                1 => "the one stratum does not have".to_owned(),
                count => format!("none of the {count} strata has"),
            };
            let what = format!("{none} both levels of the exposure and both outcomes");
            return Err(DataFault::new(what).accepted("use coarser strata").into());
        }
        let compared = Compared {
            crude: strata.crude().woolf(self.level),
            conditional: strata.mh_odds_ratio(self.level),
            marginal: strata.standardised(self.level),
        };
        let exact = strata.exact();
        let (tidy, read) = self.pooled(table, &strata, exact.as_ref(), &compared);
        let homogeneity = strata.breslow_day();
        let (tests, mut footnotes) = self.tests(&strata, exact.as_ref(), &homogeneity);
        footnotes.extend(compared.told(self.design, &table.by.join(", ")));
        footnotes.push(meaning(self.design).into());
        if strata.strata.len() > MOST_SCORED {
            footnotes.push(format!("limits of single strata are Woolf's, because there are more than {MOST_SCORED}"));
        }
        let mut facts = table.facts();
        facts.push(("strata".into(), strata.strata.len().into()));
        facts.push(("informative strata".into(), informative.into()));
        let mut notices = table.notices();
        notices.extend(uninformative(table, &strata));
        notices.extend(reversal(&table.exposure, &table.by.join(", "), &compared.crude, &compared.conditional));
        notices.extend(differing(table, &homogeneity[1]));
        let own = |(at, stratum): (usize, &super::super::table::Table2x2)| (table.strata[at].clone(), stratum.score_odds_ratio(self.level));
        let parts: Vec<(String, Estimate)> =
            strata.strata.iter().enumerate().filter(|(_, stratum)| stratum.is_informative()).take(MOST_DRAWN).map(own).collect();
        let wholes = [("Mantel–Haenszel".to_owned(), compared.conditional), ("crude".to_owned(), compared.crude)];
        let mut told = table.groups();
        told.push(("strata".into(), format!("{}: {}, {informative} of them informative", table.by.join(", "), strata.strata.len()).into()));
        let title = format!("{} by {} within {}", table.outcome, table.exposure, table.by.join(", "));
        Ok(Card {
            facts,
            tidy,
            summary: Some(Summary { facts: told, table: Some(read), footnotes }),
            tables: vec![self.each(table, &strata), tests, compared.table(&strata, self.level)],
            pictures: vec![forest(format!("Odds of {title}"), self.level, &parts, &wholes)],
            title,
            notices,
        })
    }

    /// Crude, pooled and standardised measures.
    fn pooled(
        &self,
        table: &CrossTable,
        strata: &StratifiedTable,
        exact: Option<&ConditionalCount>,
        compared: &Compared,
    ) -> (Table, Table) {
        let (mut measures, crude, last) = (Measures::new(self.level), strata.crude(), table.levels.len() - 1);
        let mut push = |names: (&str, &str), told: &Estimate| measures.push(table, last, "", names, told);
        push(("odds ratio", "crude"), &compared.crude);
        push(("odds ratio", "Mantel–Haenszel"), &compared.conditional);
        push(("odds ratio", "logistic, stratum intercepts"), &strata.logistic_odds_ratio(self.level));
        if let Some(exact) = exact {
            push(("odds ratio", "exact conditional"), &exact.estimate(self.level, false));
            push(("odds ratio", "mid-p"), &exact.estimate(self.level, true));
        }
        if self.design != Design::CaseControl {
            push(("odds ratio", "standardised (marginal)"), &compared.marginal.odds_ratio);
            push(("risk ratio", "crude"), &crude.katz(self.level));
            push(("risk ratio", "Mantel–Haenszel"), &strata.mh_risk_ratio(self.level));
            push(("risk ratio", "standardised (marginal)"), &compared.marginal.risk_ratio);
            push(("risk difference", "crude"), &crude.wald_difference(self.level));
            push(("risk difference", "Mantel–Haenszel"), &strata.mh_risk_difference(self.level));
            push(("risk difference", "standardised (marginal)"), &compared.marginal.risk_difference);
            push(("risk if exposed", "standardised"), &compared.marginal.exposed);
            push(("risk if not exposed", "standardised"), &compared.marginal.unexposed);
        }
        if let Some(told) = strata.additive_interaction(self.level) {
            let mut push = |names: (&str, &str), told: &Estimate| measures.push(table, last, "", names, told);
            push(("RERI", "additive interaction"), &told.reri);
            push(("attributable proportion", "additive interaction"), &told.attributable);
            push(("synergy index", "additive interaction"), &told.synergy);
        }
        measures.tables()
    }

    /// Tests as a table and in words.
    fn tests(&self, strata: &StratifiedTable, exact: Option<&ConditionalCount>, [plain, tarone]: &[ChiSquared; 2]) -> (Table, Vec<String>) {
        let mut tests = Tests::new();
        let (cmh, corrected) = (strata.cmh(false), strata.cmh(true));
        tests.push("Cochran–Mantel–Haenszel", &cmh);
        tests.push("Cochran–Mantel–Haenszel, corrected", &corrected);
        if let Some(exact) = exact {
            tests.push_exact("exact conditional", exact.p_value());
        }
        tests.push("Breslow–Day", plain);
        tests.push("Breslow–Day, Tarone's correction", tarone);
        tests.push("Woolf, odds ratios", &strata.woolf_odds_ratios());
        tests.push("Woolf, risk ratios", &strata.woolf_risk_ratios());
        let exact = exact.map(|exact| format!(" · exact p {}", p_text(exact.p_value()))).unwrap_or_default();
        let mut told = vec![format!("no association in any stratum: CMH χ² {:.3}, p {}{exact}", cmh.statistic, p_text(cmh.p_value))];
        if tarone.df > 0 {
            let p = p_text(tarone.p_value);
            told.push(format!(
                "the same odds ratio in all strata: Breslow–Day χ² {:.3} (Tarone), df {}, p {p}",
                tarone.statistic, tarone.df
            ));
        }
        (tests.table(), told)
    }

    /// Every stratum with its counts and odds ratio.
    fn each(&self, table: &CrossTable, strata: &StratifiedTable) -> Table {
        let columns = [
            "stratum",
            "exposed_cases",
            "exposed",
            "unexposed_cases",
            "unexposed",
            "odds_ratio",
            "conf_low",
            "conf_high",
            "risk_difference",
            "informative",
        ];
        let mut each = FixedTable::new("strata", columns);
        let (many, z) = (strata.strata.len() > MOST_SCORED, two_sided_z(self.level));
        for (name, stratum) in table.strata.iter().zip(&strata.strata) {
            let odds = if many { stratum.woolf_at(z) } else { stratum.score_odds_ratio(self.level) };
            let [value, low, high] = if stratum.is_informative() { [odds.value, odds.low, odds.high] } else { [f64::NAN; 3] };
            let told = if stratum.is_informative() { "yes" } else { "no" };
            each.push([
                name.as_str().into(),
                count(stratum.a),
                count(stratum.exposed()),
                count(stratum.c),
                count(stratum.unexposed()),
                known(value),
                known(low),
                known(high),
                known(stratum.risk_difference()),
                told.into(),
            ]);
        }
        each.into()
    }
}

impl Compared {
    /// Crude against marginal, marginal against conditional.
    fn table(&self, strata: &StratifiedTable, level: f64) -> Table {
        let crude = strata.crude();
        let mut table = FixedTable::new("comparison", ["measure", "crude", "marginal", "conditional", "confounding", "non_collapsibility"]);
        let mut ratio = |name: &str, crude: f64, marginal: f64, conditional: f64| {
            table.push([
                name.into(),
                known(crude),
                known(marginal),
                known(conditional),
                known(crude / marginal),
                known(marginal / conditional),
            ]);
        };
        ratio("odds ratio", self.crude.value, self.marginal.odds_ratio.value, self.conditional.value);
        ratio("risk ratio", crude.risk_ratio(), self.marginal.risk_ratio.value, strata.mh_risk_ratio(level).value);
        let (own, marginal, pooled) =
            (crude.risk_difference(), self.marginal.risk_difference.value, strata.mh_risk_difference(level).value);
        table.push(["risk difference".into(), known(own), known(marginal), known(pooled), known(own - marginal), known(marginal - pooled)]);
        table.into()
    }

    /// The comparison in words.
    fn told(&self, design: Design, by: &str) -> Vec<String> {
        let (crude, marginal, conditional) = (self.crude.value, self.marginal.odds_ratio.value, self.conditional.value);
        if design == Design::CaseControl || !(crude.is_finite() && marginal.is_finite() && conditional.is_finite()) {
            let change = 100.0 * (crude / conditional - 1.0);
            return if change.is_finite() {
                vec![format!("the crude odds ratio is {change:+.1} % from the one within strata")]
            } else {
                Vec::new()
            };
        }
        let (confounding, collapse) = (100.0 * (crude / marginal - 1.0), 100.0 * (marginal / conditional - 1.0));
        let named = match design {
            Design::Trial => "imbalance by chance, which a treatment at random leaves".to_owned(),
            _ => format!("confounding, if {by} came before the exposure"),
        };
        vec![format!(
            "the crude odds ratio is {confounding:+.1} % from the marginal one ({named}), the marginal {collapse:+.1} % from the conditional \
             one (non-collapsibility)"
        )]
    }
}

/// Strata that say nothing about an odds ratio.
fn uninformative(table: &CrossTable, strata: &StratifiedTable) -> Option<Notice> {
    let silent: Vec<&str> =
        table.strata.iter().zip(&strata.strata).filter(|(_, stratum)| !stratum.is_informative()).map(|(name, _)| name.as_str()).collect();
    let first = silent.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join("; ");
    let more = if silent.len() > MOST_NAMED { "; …" } else { "" };
    (!silent.is_empty()).then(|| {
        let count = silent.len() as u64;
        let text = format!(
            "{} without an exposed, an unexposed, a case or another row: {first}{more}",
            notice::counted(count, "stratum").replace("stratums", "strata")
        );
        Notice::new(notice::UNINFORMATIVE_STRATA, text)
    })
}

/// Strata whose odds ratios differ by more than chance.
fn differing(table: &CrossTable, tarone: &ChiSquared) -> Option<Notice> {
    (tarone.p_value < DIFFERENT).then(|| {
        let text = format!(
            "odds ratios differ between strata of {} (Breslow–Day p {}): one pooled number stands for different ones",
            table.by.join(", "),
            p_text(tarone.p_value)
        );
        Notice::new(notice::DIFFERENT_STRATA, text).column(&table.exposure)
    })
}
