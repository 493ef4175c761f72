//! The card of a conditional fit: odds ratios first.

use super::super::cells::known;
use super::super::estimate::Estimate;
use super::fitted::{Coefficient, Fitted};
use super::procedure::{ConditionalLogit, separating};
use super::statistics::PassState;
use crate::card::{Card, Cell, FixedTable, Summary, Table};
use crate::data::Design;
use crate::model::coefficient::{COEFFICIENT_COLUMNS, CoefficientInference, coefficient_row};
use crate::notice::{self, Notice};
use crate::num::special::normal;

impl ConditionalLogit {
    pub(super) fn card(&self, state: &PassState, design: &Design, fitted: &Fitted) -> Card {
        let counts = &state.counts;
        let occurring = counts.members.iter().filter(|members| **members > 0).count();
        let informative = state.sizes.iter().filter(|size| **size > 0).count();
        let of_informative =
            |counts: &[u64]| counts.iter().zip(state.sizes.iter()).filter(|(_, size)| **size > 0).map(|(n, _)| *n).sum::<u64>();
        let (rows, cases) = (of_informative(&counts.members), of_informative(&counts.cases));
        let ratio = &fitted.likelihood_ratio;
        let (penalty, kind_of) = if fitted.firth { (" with Firth's penalty", "penalised ") } else { ("", "") };
        let facts: Vec<(String, Cell)> = vec![
            ("outcome".into(), format!("{} = {}", state.layout.target(), state.layout.classes().label(1)).into()),
            ("sets".into(), occurring.into()),
            ("informative sets".into(), informative.into()),
            ("rows".into(), rows.into()),
            ("cases".into(), cases.into()),
            (format!("{kind_of}log likelihood"), fitted.log_likelihood.into()),
            (format!("{kind_of}null log likelihood"), fitted.null_log_likelihood.into()),
            ("model chi2".into(), ratio.statistic.into()),
            ("model df".into(), ratio.df.into()),
            ("model p".into(), Cell::PValue(ratio.p_value)),
            ("wald chi2".into(), fitted.wald.statistic.into()),
            ("wald p".into(), Cell::PValue(fitted.wald.p_value)),
            ("score chi2".into(), fitted.score.statistic.into()),
            ("score p".into(), Cell::PValue(fitted.score.p_value)),
            ("steps".into(), fitted.steps.into()),
        ];
        let told = vec![
            ("sets".into(), format!("{informative} informative of {occurring}").into()),
            ("rows".into(), rows.into()),
            ("cases".into(), cases.into()),
            ("likelihood-ratio χ² of the model".into(), ratio.statistic.into()),
            ("p".into(), Cell::PValue(ratio.p_value)),
        ];
        let kind = if self.profile {
            if fitted.firth { "profile of the penalised likelihood".to_owned() } else { "profile likelihood".into() }
        } else if self.robust {
            match self.clusters() {
                Some(column) => format!("Wald, errors from scores of clusters of sets ({column})"),
                None => "Wald, errors from scores of sets".into(),
            }
        } else {
            "Wald".into()
        };
        let footnotes = vec![
            format!(
                "odds ratios within sets; intervals: {kind}; exact conditional likelihood{penalty}, {kind_of}log likelihood {:.4}",
                fitted.log_likelihood
            ),
            "an association within sets: an effect only if nothing else that matters differs between members of a set".into(),
        ];
        let parts: Vec<(String, Estimate)> =
            fitted.coefficients.iter().map(|found| (design.columns()[found.column].name.clone(), found.odds())).collect();
        Card {
            title: format!("Conditional logistic regression, exact{}", if fitted.firth { ", Firth's likelihood" } else { "" }),
            facts,
            tidy: self.tidy(design, fitted),
            summary: Some(Summary { facts: told, table: Some(self.read(design, fitted)), footnotes }),
            tables: if fitted.terms.is_empty() { Vec::new() } else { vec![drop1(fitted)] },
            pictures: vec![super::super::forest::forest("Odds ratios within sets".into(), self.level, &parts, &[])],
            notices: self.notices(state, design, fitted, occurring - informative),
        }
    }

    fn tidy(&self, design: &Design, fitted: &Fitted) -> Table {
        let mut table = FixedTable::new("tidy", COEFFICIENT_COLUMNS);
        for found in &fitted.coefficients {
            let (term, level) = named(design, found.column);
            let column = design.columns()[found.column].name.as_str().into();
            table.push(coefficient_row([term, level, column], found.estimate, Some(found.inference()), 1.0));
        }
        table.into()
    }

    fn read(&self, design: &Design, fitted: &Fitted) -> Table {
        let percent = format!("{}%", (self.level * 1e6).round() / 1e4);
        let (low, high) = (format!("{percent} low"), format!("{percent} high"));
        let mut table = FixedTable::new("odds ratios", ["term", "level", "odds ratio", &low, &high, "p"]);
        for found in &fitted.coefficients {
            let ((term, level), odds) = (named(design, found.column), found.odds());
            table.push([term, level, odds.value.into(), known(odds.low), known(odds.high), Cell::PValue(found.p_value())]);
        }
        let mut table = Table::from(table);
        if fitted.coefficients.iter().all(|found| named(design, found.column).1 == Cell::Empty) {
            table.retain_columns(|_, name| name != "level");
        }
        table
    }

    fn notices(&self, state: &PassState, design: &Design, fitted: &Fitted, silent: usize) -> Vec<Notice> {
        let mut notices = Vec::new();
        if state.counts.gaps > 0 {
            let text = format!("{} excluded for missing values", notice::counted(state.counts.gaps, "row"));
            notices.push(Notice::new(notice::MISSING_VALUES, text));
        }
        if silent > 0 {
            let text = format!(
                "{} without a case or without a control; they say nothing and were left out",
                notice::counted(silent as u64, "set")
            );
            notices.push(Notice::new(notice::SILENT_SETS, text));
        }
        if let Some((direction, complete)) = &fitted.rescued {
            let kind = if *complete { "complete" } else { "quasi-complete" };
            let names: Vec<String> = separating(direction).iter().map(|j| format!("`{}`", design.columns()[*j].name)).collect();
            let text = format!(
                "{kind} separation within sets along {}: the likelihood has no finite maximum, Firth's penalised likelihood was fitted in its place",
                names.join(", ")
            );
            notices.push(Notice::new(notice::SEPARATION, text));
        }
        for (column, constant) in &fitted.left_out {
            let name = &design.columns()[*column].name;
            notices.push(match constant {
                true => Notice::new(notice::CONSTANT_IN_SETS, "the same in all members of every set, so that its effect cannot be told")
                    .column(name),
                false => {
                    Notice::new(notice::ALIASED, "within sets it is a combination of earlier columns, so it has no coefficient of its own")
                        .column(name)
                }
            });
        }
        for found in fitted.coefficients.iter().filter(|found| found.lost) {
            let text = "an end of its profile interval was not found";
            notices.push(Notice::new(notice::PROFILE_NOT_FOUND, text).column(&design.columns()[found.column].name));
        }
        notices
    }
}

impl Coefficient {
    fn inference(&self) -> CoefficientInference {
        CoefficientInference {
            error: self.error,
            statistic: self.z(),
            p_value: self.p_value(),
            log_p_value: normal::log_two_sided(self.z()),
            lower: self.low,
            upper: self.high,
        }
    }

    fn odds(&self) -> Estimate {
        Estimate { value: self.estimate.exp(), std_error: self.error, low: self.low.exp(), high: self.high.exp() }
    }
}

fn drop1(fitted: &Fitted) -> Table {
    let mut table = FixedTable::new("drop1", ["term", "chi2", "df", "p_value"]);
    for (term, test) in &fitted.terms {
        table.push([term.as_str().into(), test.statistic.into(), test.df.into(), Cell::PValue(test.p_value)]);
    }
    table.into()
}

fn named(design: &Design, column: usize) -> (Cell, Cell) {
    let column = &design.columns()[column];
    let levels: Vec<&str> = column.labels.iter().filter_map(|(_, level)| level.as_deref()).collect();
    let level = if levels.is_empty() { Cell::Empty } else { levels.join(":").into() };
    (design.terms()[column.term].label.as_str().into(), level)
}
