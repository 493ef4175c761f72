//! Intervals and null p-values of everything that prints them, over drawings of as many rows: a line each, for programs.
//!
//! ```text
//! interval  NAME  rows  drawings  of which told  of which hold the truth
//! test      NAME  rows  drawings  of which told  share below 5 %  p-value of an even spread
//! ```

use oddsmith::card::{Card, Cell};
use oddsmith::data::Weighting;
use oddsmith::error::Result;
use oddsmith::eval::{self, Auc, CalibrationLine, Ranking, ScoreScale, at_threshold, hosmer_lemeshow, paired_areas};
use oddsmith::info::Joint;
use oddsmith::study::estimate::Estimate;
use oddsmith::study::strata::StratifiedTable;
use oddsmith::study::table::independence;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::p_values::PValues;
use crate::regressions::{Drawn, cohort, effects, interval, logistic, matched_card, matched_sets, number, regressed, row_of, truths};
use crate::{LEVEL, Random, Tally};

/// What was counted, by name.
#[derive(Default)]
struct Ledger {
    intervals: Vec<(&'static str, Tally)>,
    tests: Vec<(&'static str, PValues)>,
}

impl Ledger {
    fn interval(&mut self, name: &'static str, estimate: Option<Estimate>, truth: f64) {
        let at = self.intervals.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.intervals.push((name, Tally::default()));
            self.intervals.len() - 1
        });
        self.intervals[at].1.see(estimate, truth);
    }

    fn test(&mut self, name: &'static str, p: f64) {
        let at = self.tests.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.tests.push((name, PValues::default()));
            self.tests.len() - 1
        });
        self.tests[at].1.see(p);
    }

    /// An interval of the evaluation.
    fn judged(&mut self, name: &'static str, told: eval::Metric, truth: f64) {
        let estimate = told.ok().and_then(|told| told.interval.map(|ends| Estimate::between(told.value, ends)));
        self.interval(name, estimate, truth);
    }
}

/// Every line, over so many drawings of so many rows.
pub(crate) fn lines(drawn: u32, rows: usize) -> Result<String> {
    let (mut random, mut ledger) = (Random(ChaCha8Rng::seed_from_u64(rows as u64)), Ledger::default());
    for _ in 0..drawn {
        regressions(&mut random, &mut ledger, rows)?;
        several_classes(&mut random, &mut ledger, rows)?;
        sets(&mut random, &mut ledger, rows)?;
        strata(&mut random, &mut ledger, rows);
        judgement(&mut random, &mut ledger, rows);
        information(&mut random, &mut ledger, rows)?;
    }
    let mut text = Vec::new();
    for (name, tally) in &ledger.intervals {
        text.push(format!("interval\t{name}\t{rows}\t{drawn}\t{}\t{}", tally.told, tally.held));
    }
    for (name, p_values) in &mut ledger.tests {
        let (told, alarms) = (p_values.told(), p_values.alarms());
        text.push(format!("test\t{name}\t{rows}\t{drawn}\t{told}\t{alarms:.5}\t{:.6}", p_values.evenness()));
    }
    Ok(text.join("\n"))
}

/// What an interval and a test of a regression are called, and the options that give them.
type Road = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The p-values of a term in a table of tests.
fn test_of_term(card: &Card, table: &str, term: &str, column: &str) -> f64 {
    let Some(table) = card.tables.iter().find(|known| known.name() == table) else { return f64::NAN };
    let (Some(terms), Some(at)) = (table.position("term"), table.position(column)) else { return f64::NAN };
    let row = table.rows().iter().find(|row| matches!(&row[terms], Cell::Text(name) if name == term));
    match row.map(|row| &row[at]) {
        Some(Cell::Number(p) | Cell::PValue(p)) => *p,
        _ => f64::NAN,
    }
}

/// Coefficients and effects in risk of a regression with two classes.
fn regressions(random: &mut Random, ledger: &mut Ledger, rows: usize) -> Result<()> {
    const ROADS: [Road; 5] = [
        ("log odds ratio, Wald", "log odds ratio, Wald test", &[("ci", "wald")]),
        ("log odds ratio, profile", "", &[("ci", "profile")]),
        ("log odds ratio, Firth, profile", "log odds ratio, Firth's test", &[("firth", "true"), ("ci", "profile")]),
        ("log odds ratio, robust HC1", "log odds ratio, robust test", &[("robust", "HC1"), ("ci", "wald")]),
        ("log odds ratio, clusters of five", "log odds ratio, cluster test", &[("cluster", "site"), ("ci", "wald")]),
    ];
    let (there, nothing) = (cohort(random, rows, 0.8)?, cohort(random, rows, 0.0)?);
    for (name, test, given) in ROADS {
        let told = regressed(given, &there).ok().map(|model| model.card());
        ledger.interval(name, told.and_then(|card| interval(&card, 1)), 0.8);
        if !test.is_empty()
            && let Ok(model) = regressed(given, &nothing)
        {
            ledger.test(test, number(&model.card(), 1, "p_value"));
        }
    }
    if let Ok(model) = regressed(&[("ci", "wald")], &nothing) {
        let card = model.card();
        ledger.test("likelihood-ratio test of a term", test_of_term(&card, "drop1", "x", "p_value"));
        ledger.test("score test of a term", test_of_term(&card, "drop1", "x", "score_p"));
    }
    let Ok(model) = regressed(&[("ci", "wald")], &there) else { return Ok(()) };
    let truth = truths(there.numbers.chunks_exact(2).map(|cells| (cells[0], cells[1])));
    for (at, (column, measure, name)) in [
        ("x", "risk difference", "effect in risk, difference"),
        ("x", "risk ratio", "effect in risk, ratio"),
        ("x", "marginal odds ratio", "effect in risk, marginal odds ratio"),
        ("z", "mean effect per unit", "effect in risk, mean slope"),
    ]
    .into_iter()
    .enumerate()
    {
        let told = effects(&*model, column, &there).and_then(|card| interval(&card, row_of(&card, measure)?));
        ledger.interval(name, told, truth[at]);
    }
    Ok(())
}

/// A regression of three classes: log odds of the second and the third against the first.
fn several_classes(random: &mut Random, ledger: &mut Ledger, rows: usize) -> Result<()> {
    let mut draw = |effect: f64| -> Result<Drawn> {
        let mut drawn = Drawn::of_classes(1, 1, &["a", "b", "c"])?;
        for _ in 0..rows {
            let (x, z) = (f64::from(random.uniform() < 0.5), random.normal());
            let weights = [1.0, (effect * x + 0.5 * z).exp(), (-0.3 + 0.4 * z).exp()];
            let mut left = random.uniform() * weights.iter().sum::<f64>();
            let class = weights.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            drawn.push_class(x, z, (0, 0), class.unwrap_or(2) as u32);
        }
        Ok(drawn)
    };
    let (there, nothing) = (draw(0.7)?, draw(0.0)?);
    let told = regressed(&[("ci", "wald")], &there).ok().map(|model| model.card());
    ledger.interval("log odds ratio of three classes, Wald", told.and_then(|card| interval(&card, 1)), 0.7);
    if let Ok(model) = regressed(&[("ci", "wald")], &nothing) {
        ledger.test("log odds ratio of three classes, Wald test", number(&model.card(), 1, "p_value"));
    }
    Ok(())
}

/// Matched sets of one case and two controls.
fn sets(random: &mut Random, ledger: &mut Ledger, rows: usize) -> Result<()> {
    let design = (rows / 3, 1, 2);
    let (there, nothing) = (matched_sets(random, design, 0.8)?, matched_sets(random, design, 0.0)?);
    let given = [("strata", "set"), ("no-tests", "true")];
    ledger.interval("conditional logistic, profile", matched_card(&given, &there).ok().and_then(|card| interval(&card, 0)), 0.8);
    let wald = [&given[..], &[("ci", "wald")]].concat();
    ledger.interval("conditional logistic, Wald", matched_card(&wald, &there).ok().and_then(|card| interval(&card, 0)), 0.8);
    if let Ok(card) = matched_card(&wald, &nothing) {
        ledger.test("conditional logistic, Wald test", number(&card, 0, "p_value"));
    }
    Ok(())
}

/// Five strata of a flag: Mantel and Haenszel's estimate and test.
fn strata(random: &mut Random, ledger: &mut Ledger, rows: usize) {
    let size = (rows / 10) as u32;
    let mut draw = |odds_ratio: f64| {
        let strata = (0..5).map(|at| random.table(size, size, 0.2 + 0.1 * f64::from(at), odds_ratio)).collect();
        StratifiedTable { strata }
    };
    let (there, nothing) = (draw(2.0), draw(1.0));
    ledger.interval("Mantel–Haenszel odds ratio", Some(there.mh_odds_ratio(LEVEL)), 2.0);
    ledger.test("Cochran–Mantel–Haenszel test, uncorrected", nothing.cmh(false).p_value);
    ledger.test("homogeneity of odds ratios, Breslow–Day", there.breslow_day()[0].p_value);
    let one = random.table(5 * size, 5 * size, 0.3, 1.0);
    ledger.test("Pearson's χ² of one table", independence(&one.cells(), 2).pearson.p_value);
    ledger.interval("odds ratio of one table, score", Some(one.score_odds_ratio(LEVEL)), 1.0);
}

/// Probabilities beside the truth.
fn judgement(random: &mut Random, ledger: &mut Ledger, rows: usize) {
    const ROOT_HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let plain = Weighting::None;
    // Scores of events are normal about 1, those of others about 0.
    let scored: Vec<(f64, bool, f64)> = (0..rows)
        .map(|_| {
            let event = random.uniform() < 0.4;
            (random.normal() + f64::from(u8::from(event)), event, 1.0)
        })
        .collect();
    let area = oddsmith::num::special::normal::cdf(ROOT_HALF);
    ledger.judged(
        "area under the ROC curve, DeLong",
        Auc::of(&Ranking::new(scored, ScoreScale::Order), plain).map(|auc| auc.estimate()),
        area,
    );
    // Two scores that know as much as each other.
    let labels: Vec<u32> = (0..rows).map(|_| u32::from(random.uniform() < 0.4)).collect();
    let mut score = || labels.iter().map(|label| random.normal() + f64::from(*label)).collect::<Vec<f64>>();
    let scores = [score(), score()];
    if let Ok(paired) = paired_areas([&scores[0], &scores[1]], &labels, None, 1, plain) {
        ledger.test("DeLong's paired test of two areas", paired.p_value());
    }
    let log_odds: Vec<(f64, bool, f64)> = (0..rows)
        .map(|_| {
            let eta = -0.4 + 1.2 * random.normal();
            (eta, random.uniform() < logistic(eta), 1.0)
        })
        .collect();
    let ranking = Ranking::new(log_odds, ScoreScale::LogOdds);
    let line = CalibrationLine::of(&ranking, plain);
    ledger.judged("calibration intercept", line.intercept, 0.0);
    ledger.judged("calibration slope", line.slope, 1.0);
    // Scores at a threshold that was given: Φ of its distance.
    let separate: Vec<(f64, bool, f64)> = (0..rows)
        .map(|_| {
            let event = random.uniform() < 0.4;
            (logistic(random.normal() + f64::from(u8::from(event))), event, 1.0)
        })
        .collect();
    let cut = at_threshold(&Ranking::new(separate, ScoreScale::Probability), 0.5, plain);
    ledger.judged("sensitivity at a threshold, Wilson", cut.sensitivity, oddsmith::num::special::normal::cdf(1.0));
    ledger.judged("specificity at a threshold, Wilson", cut.specificity, 0.5);
    if let Ok(test) = fitted_hosmer_lemeshow(random, rows) {
        ledger.test("Hosmer–Lemeshow test of the rows of the fit", test);
    }
}

/// The test over the rows that a right model was fitted to.
fn fitted_hosmer_lemeshow(random: &mut Random, rows: usize) -> std::result::Result<f64, eval::Undefined> {
    let undefined = |error: oddsmith::Error| eval::Undefined(error.to_string());
    let there = cohort(random, rows, 0.8).map_err(undefined)?;
    let model = regressed(&[("ci", "wald")], &there).map_err(undefined)?.card();
    let [a, b, c] = [0, 1, 2].map(|row| number(&model, row, "estimate"));
    let fitted = there.numbers.chunks_exact(2).zip(&there.labels).map(|(cells, label)| (a + b * cells[0] + c * cells[1], *label == 1, 1.0));
    hosmer_lemeshow(&Ranking::new(fitted.collect::<Vec<_>>(), ScoreScale::LogOdds), 10, Weighting::None).map(|test| test.p_value)
}

/// A table of three by three: what two columns tell of each other.
fn information(random: &mut Random, ledger: &mut Ledger, rows: usize) -> Result<()> {
    const RELATED: [f64; 9] = [0.20, 0.08, 0.05, 0.07, 0.18, 0.08, 0.06, 0.08, 0.20];
    let mut draw = |shares: [f64; 9]| {
        let mut cells = vec![0.0; 9];
        for _ in 0..rows {
            let mut left = random.uniform();
            let cell = shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            cells[cell.unwrap_or(8)] += 1.0;
        }
        Joint::new(3, cells)
    };
    let truth = Joint::new(3, RELATED.to_vec())?.mutual_information();
    let told = draw(RELATED)?.inference(rows as f64, LEVEL);
    ledger.interval("mutual information", Some(Estimate::between(told.estimate, told.interval)), truth);
    let limits = told.non_central_limits(rows as f64, LEVEL);
    ledger.interval("mutual information, non-central χ²", Some(Estimate::between(told.estimate, limits)), truth);
    ledger.test("G test of mutual information", draw([1.0 / 9.0; 9])?.inference(rows as f64, LEVEL).p_value);
    Ok(())
}
