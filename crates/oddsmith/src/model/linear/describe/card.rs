//! What there is to say about a fitted regression: the card, the table for people, the tables of tests.

use crate::card::{Card, Cell, Table};
use crate::data::Weighting;
use crate::model::Classifier;
use crate::model::linear::describe::build::wald;
use crate::model::linear::infer::account::{IntervalKind, Method};
use crate::model::linear::model::LogisticModel;
use crate::notice;
use crate::num::special::{chi_squared, normal};

/// One estimated parameter.
pub(crate) struct Line {
    /// The output (class but the first).
    pub(crate) output: usize,
    /// The design column; `None` for the intercept.
    pub(crate) column: Option<usize>,
    pub(crate) estimate: f64,
    /// Standard error, z or χ, p-value and its logarithm, limits.
    pub(crate) inference: Option<Inference>,
}

/// What is known about the precision of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inference {
    pub(crate) error: f64,
    pub(crate) statistic: f64,
    pub(crate) p_value: f64,
    pub(crate) log_p_value: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl LogisticModel {
    /// All estimated parameters in order: class after class, the intercept first.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let parameters = &self.parameters;
        let width = parameters.width();
        let estimates = parameters.estimates();
        let line = |(at, &estimate): (usize, &f64)| {
            let within = at % width;
            let column = match parameters.intercept {
                true if within == 0 => None,
                true => Some(parameters.kept[within - 1]),
                false => Some(parameters.kept[within]),
            };
            Line { output: at / width, column, estimate, inference: self.inference(at, estimate) }
        };
        estimates.iter().enumerate().map(line).collect()
    }

    fn inference(&self, at: usize, estimate: f64) -> Option<Inference> {
        let precision = self.precision.as_ref()?;
        let size = precision.lower.len();
        let error = precision.matrix[at * size + at].max(0.0).sqrt();
        let (statistic, p_value, log_p_value) = match self.account.parameter_tests.get(at) {
            // Firth: the penalised likelihood ratio, signed like the estimate.
            Some(&ratio) => {
                let ratio = ratio.max(0.0);
                (ratio.sqrt().copysign(estimate), chi_squared::sf(ratio, 1.0), chi_squared::log_sf(ratio, 1.0))
            }
            // A posterior has no p-values.
            None if self.account.method == Method::Bayes => (estimate / error, f64::NAN, f64::NAN),
            None => {
                let z = estimate / error;
                (z, normal::two_sided(z), normal::log_two_sided(z))
            }
        };
        Some(Inference { error, statistic, p_value, log_p_value, lower: precision.lower[at], upper: precision.upper[at] })
    }

    /// The unit of change of a column's odds ratio.
    fn unit(&self, column: Option<usize>) -> f64 {
        let name = column.map_or("", |j| self.design.columns()[j].name.as_str());
        self.account.units.iter().find(|(unit, _)| unit == name).map_or(1.0, |(_, size)| *size)
    }

    pub(crate) fn describe(&self) -> Card {
        Card {
            title: self.title(),
            facts: self.facts(),
            tidy: self.tidy(),
            summary: self.summary(),
            tables: self.test_tables(),
            notices: self.account.notices.clone(),
            ..Card::default()
        }
    }

    fn title(&self) -> String {
        let model = if self.parameters.outputs() == 1 { "Logistic regression" } else { "Softmax regression" };
        let method = match self.account.method {
            Method::Likelihood => "maximum likelihood".to_owned(),
            Method::Firth => "Firth's penalised likelihood".to_owned(),
            Method::Bayes => format!("Gaussian posterior, prior sd {}", self.account.prior_sd.unwrap_or(f64::NAN)),
            Method::Penalised if self.account.l1 > 0.0 && self.account.l2 > 0.0 => "elastic net".to_owned(),
            Method::Penalised if self.account.l1 > 0.0 => format!("L1 penalty {}", self.account.l1),
            Method::Penalised => format!("L2 penalty {}", self.account.l2),
        };
        format!("{model}, {method}")
    }

    fn facts(&self) -> Vec<(String, Cell)> {
        let account = &self.account;
        let parameters = self.free_parameters();
        let mut facts: Vec<(String, Cell)> =
            vec![("formula".into(), account.formula.as_str().into()), ("rows".into(), account.rows.into())];
        let mut say = |name: &str, value: Cell| facts.push((name.into(), value));
        let dropped: u64 = account.dropped.iter().map(|(_, rows)| rows).sum();
        if dropped > 0 {
            say("rows left out", dropped.into());
        }
        if self.parameters.outputs() == 1 {
            say("events", whole_or_number(account.class_weights[1]));
        }
        say("parameters", parameters.into());
        say("steps", account.steps.into());
        say("passes", account.passes.into());
        say("distance", account.distance.into());
        say("log likelihood", account.log_likelihood.into());
        if let Some(penalised) = account.penalised_log_likelihood {
            say("penalised log likelihood", penalised.into());
        }
        if let Some(evidence) = account.log_marginal_likelihood {
            say("log evidence", evidence.into());
        }
        if self.has_likelihood() {
            say("null log likelihood", account.null_log_likelihood.into());
            say("deviance", account.deviance().into());
            say("null deviance", account.null_deviance().into());
            say("aic", account.aic(parameters).into());
            say("bic", account.bic(parameters).into());
            say("mcfadden", account.mcfadden().into());
        }
        if let Some((statistic, freedom)) = self.any_signal() {
            say("signal chi2", statistic.into());
            say("signal df", freedom.into());
            say("signal p", chi_squared::sf(statistic, freedom).into());
        }
        if let Some(robust) = account.robust {
            say("standard errors", format!("{robust:?}").to_uppercase().into());
        }
        if let Some(clusters) = account.clusters {
            say("clusters", clusters.into());
        }
        facts
    }

    /// Whether the likelihood says how well models do beside each other: that of a penalised fit is not the largest, and that of weights which do not
    /// count rows depends on their unit.
    pub(in crate::model::linear) fn has_likelihood(&self) -> bool {
        !matches!(self.account.method, Method::Penalised | Method::Bayes) && !self.is_design_based()
    }

    /// Whether rows were weighted by class, or stand for parts of a population.
    pub(in crate::model::linear) fn is_design_based(&self) -> bool {
        let by_class = self.account.notices.iter().any(|told| told.id == notice::CLASS_WEIGHTS);
        by_class || self.layout.weighting() == Weighting::Sampling
    }

    /// The test of all slopes together, by the ratio of likelihoods, or Wald's where weights do not count rows: is there any signal at all?
    pub fn any_signal(&self) -> Option<(f64, f64)> {
        let account = &self.account;
        let slopes = (self.parameters.kept.len() * self.parameters.outputs()) as f64;
        if slopes == 0.0 || matches!(account.method, Method::Penalised | Method::Bayes) {
            return None;
        }
        if self.is_design_based() {
            return self.wald_of_slopes().map(|statistic| (statistic, slopes));
        }
        let statistic = match (account.penalised_log_likelihood, account.null_penalised_log_likelihood) {
            (Some(full), Some(null)) => 2.0 * (full - null),
            (Some(_), None) => return None,
            _ => 2.0 * (account.log_likelihood - account.null_log_likelihood),
        };
        Some((statistic.max(0.0), slopes))
    }

    /// βᵀ V⁻¹ β of all slopes.
    fn wald_of_slopes(&self) -> Option<f64> {
        let (width, shift) = (self.parameters.width(), usize::from(self.parameters.intercept));
        let slopes: Vec<usize> = (0..self.parameters.outputs()).flat_map(|m| (shift..width).map(move |at| m * width + at)).collect();
        let columns = self.design.columns().len();
        let of =
            |parameter: usize| self.parameters.coefficients[parameter / width * columns + self.parameters.kept[parameter % width - shift]];
        let estimates: Vec<f64> = (0..self.parameters.outputs() * width).map(|p| if p % width < shift { 0.0 } else { of(p) }).collect();
        wald(self.precision.as_ref()?, &estimates, &slopes)
    }

    /// Variable and level of a column; the intercept has none.
    fn named(&self, column: Option<usize>) -> (String, Cell) {
        let Some(j) = column else { return ("(intercept)".into(), Cell::Empty) };
        let column = &self.design.columns()[j];
        let term = &self.design.terms()[column.term];
        let levels: Vec<&str> = column.labels.iter().filter_map(|(_, level)| level.as_deref()).collect();
        let level = if levels.is_empty() { Cell::Empty } else { levels.join(":").into() };
        (term.label.clone(), level)
    }

    /// Every parameter, with reference rows, for programs.
    fn tidy(&self) -> Table {
        let columns = [
            "class",
            "term",
            "level",
            "column",
            "estimate",
            "std_error",
            "statistic",
            "p_value",
            "log_p_value",
            "conf_low",
            "conf_high",
            "odds_ratio",
            "odds_low",
            "odds_high",
            "unit",
            "flag",
        ];
        let mut table = Table::new("tidy", &columns);
        let classes = self.layout.classes();
        let mut referred = std::collections::BTreeSet::new();
        for line in self.lines() {
            let class: Cell = classes.label(line.output + 1).into();
            self.push_references(&line, &class, &mut referred, &mut table);
            let (term, level) = self.named(line.column);
            let column: Cell = line.column.map_or("(intercept)".into(), |j| self.design.columns()[j].name.as_str().into());
            let unit = self.unit(line.column);
            let mut row = vec![class, term.into(), level, column, line.estimate.into()];
            match line.inference {
                Some(known) => row.extend([known.error, known.statistic, known.p_value, known.log_p_value].map(finite)),
                None => row.extend(std::iter::repeat_n(Cell::Empty, 4)),
            }
            row.extend(line.inference.map_or([Cell::Empty, Cell::Empty], |known| [known.lower, known.upper].map(Cell::from)));
            row.push((line.estimate * unit).exp().into());
            row.extend(
                line.inference
                    .map_or([Cell::Empty, Cell::Empty], |known| [known.lower, known.upper].map(|limit| Cell::from((limit * unit).exp()))),
            );
            row.extend([unit.into(), Cell::Empty]);
            table.push(row);
        }
        self.push_words(&mut table);
        table
    }

    /// A row for the reference level of a term, before its first level.
    fn push_references(&self, line: &Line, class: &Cell, seen: &mut std::collections::BTreeSet<(usize, usize)>, table: &mut Table) {
        let Some(j) = line.column else { return };
        let term = self.design.columns()[j].term;
        let reference = &self.design.terms()[term].reference;
        if let [(_, level)] = &reference[..]
            && seen.insert((line.output, term))
        {
            let label = self.design.terms()[term].label.as_str();
            let mut row = vec![class.clone(), label.into(), level.as_str().into(), Cell::Empty, 0.0.into()];
            row.extend(std::iter::repeat_n(Cell::Empty, 6));
            row.extend([1.0.into(), Cell::Empty, Cell::Empty, 1.0.into(), "reference".into()]);
            table.push(row);
        }
    }

    /// Words, the heaviest first.
    fn push_words(&self, table: &mut Table) {
        let outputs = self.parameters.outputs();
        let mut start = 0;
        for (plane, width) in self.layout.word_widths().into_iter().enumerate() {
            let feature = self.layout.words()[plane];
            let weights = &self.parameters.words[start * outputs..(start + width) * outputs];
            for m in 0..outputs {
                let mut order: Vec<usize> = (0..width).collect();
                let size = |word: usize| weights[word * outputs + m].abs();
                order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
                for word in order {
                    let estimate = weights[word * outputs + m];
                    let level = self.layout.level_name(feature, word).unwrap_or_default();
                    let mut row: Vec<Cell> = vec![
                        self.layout.classes().label(m + 1).into(),
                        self.layout.features()[feature].name.as_str().into(),
                        level.into(),
                        Cell::Empty,
                        estimate.into(),
                    ];
                    row.extend(std::iter::repeat_n(Cell::Empty, 6));
                    row.extend([estimate.exp().into(), Cell::Empty, Cell::Empty, 1.0.into(), Cell::Empty]);
                    table.push(row);
                }
            }
            start += width;
        }
    }

    /// The table for people: odds ratios first, reference rows, one p-value per coefficient, bits per row that a term brings.
    pub(crate) fn people_table(&self) -> Option<Table> {
        if !self.parameters.words.is_empty() {
            return None;
        }
        let several = self.parameters.outputs() > 1;
        let kind = match self.account.intervals {
            Some(IntervalKind::Profile) => "profile",
            _ => "wald",
        };
        let interval = format!("{}% CI ({kind})", percent(self.account.level));
        let known = self.precision.is_some();
        let mut columns: Vec<&str> = if several { vec!["class"] } else { Vec::new() };
        columns.extend(["term", "level", "odds ratio"]);
        if known {
            columns.extend([interval.as_str(), "p"]);
        } else {
            columns.push("coefficient");
        }
        let bits = known && !self.account.tests.is_empty();
        if bits {
            columns.push("Δ bits");
        }
        let mut table = Table::new("odds ratios", &columns);
        let (mut referred, mut told) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
        for line in self.lines() {
            let Some(j) = line.column else { continue };
            let term = self.design.columns()[j].term;
            let label = self.term_label(term, j);
            let class: Option<Cell> = several.then(|| self.layout.classes().label(line.output + 1).into());
            let fresh = told.insert((line.output, term));
            let reference = &self.design.terms()[term].reference;
            if let [(_, level)] = &reference[..]
                && referred.insert((line.output, term))
            {
                let mut row: Vec<Cell> = class.clone().into_iter().collect();
                row.extend([
                    label.as_str().into(),
                    level.as_str().into(),
                    "1".into(),
                    if known { "reference".into() } else { Cell::Empty },
                ]);
                row.extend(std::iter::repeat_n(Cell::Empty, columns.len() - row.len()));
                table.push(row);
            }
            let unit = self.unit(line.column);
            let mut row: Vec<Cell> = class.into_iter().collect();
            let shown = if fresh && reference.len() != 1 { label.as_str().into() } else { Cell::Empty };
            row.extend([shown, self.named(line.column).1, ratio((line.estimate * unit).exp()).into()]);
            match line.inference {
                Some(known) => {
                    row.push(format!("{} – {}", ratio((known.lower * unit).exp()), ratio((known.upper * unit).exp())).into());
                    row.push(p_for_people(known.p_value).into());
                }
                None => row.push(line.estimate.into()),
            }
            if bits {
                let test = self.account.tests.iter().find(|test| test.label == self.design.terms()[term].label);
                let cell = test.filter(|_| fresh).map(|test| 0.5 * test.statistic / self.total_weight() / std::f64::consts::LN_2);
                row.push(cell.map_or(Cell::Empty, |bits| format!("{bits:.3}").into()));
            }
            table.push(row);
        }
        Some(table)
    }

    fn total_weight(&self) -> f64 {
        self.account.class_weights.iter().sum()
    }

    fn term_label(&self, term: usize, column: usize) -> String {
        let label = &self.design.terms()[term].label;
        match self.unit(Some(column)) {
            1.0 => label.clone(),
            unit => format!("{label} (per {unit})"),
        }
    }

    /// Tests of terms and the sequence of the formula.
    pub(crate) fn test_tables(&self) -> Vec<Table> {
        let table = |name: &str, tests: &[crate::model::linear::RatioTest]| {
            let columns = ["term", "df", "chi2", "p_value", "log_p_value", "deviance", "wald_chi2", "wald_p", "score_chi2", "score_p"];
            // Only tests against the whole model have companions.
            let several = tests.iter().any(|test| test.wald.is_some());
            let mut table = Table::new(name, if several { &columns } else { &columns[..6] });
            for test in tests {
                let mut row = vec![test.label.as_str().into()];
                row.extend([test.freedom, test.statistic, test.p_value(), test.log_p_value(), test.deviance].map(Cell::from));
                if several {
                    for statistic in [test.wald, test.score] {
                        row.push(statistic.map_or(Cell::Empty, Cell::from));
                        row.push(statistic.map_or(Cell::Empty, |chi2| chi_squared::sf(chi2.max(0.0), test.freedom).into()));
                    }
                }
                table.push(row);
            }
            table
        };
        let tests = [("drop1", &self.account.tests), ("anova", &self.account.sequence)];
        tests.into_iter().filter(|(_, tests)| !tests.is_empty()).map(|(name, tests)| table(name, tests)).collect()
    }
}

/// A weight as a count where it is one.
pub(in crate::model::linear) fn whole_or_number(weight: f64) -> Cell {
    if weight.fract() == 0.0 && weight < 9e15 { Cell::Count(weight as u64) } else { weight.into() }
}

/// A number, or nothing where there is none.
fn finite(value: f64) -> Cell {
    if value.is_nan() { Cell::Empty } else { value.into() }
}

fn percent(level: f64) -> String {
    let percent = format!("{:.4}", level * 100.0);
    percent.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An odds ratio with three digits that matter.
fn ratio(value: f64) -> String {
    match value {
        v if v.is_infinite() => "∞".into(),
        0.0 => "0".into(),
        v if !(1e-3..1e5).contains(&v) => format!("{v:.2e}"),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v if v >= 0.01 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

/// p-values as medical journals print them; programs read the full number.
fn p_for_people(p: f64) -> String {
    match p {
        p if p.is_nan() => String::new(),
        p if p < 0.001 => "<0.001".into(),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}
