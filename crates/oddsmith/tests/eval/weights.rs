//! What weights mean to every interval and test: a frequency of 3 is the row three times, and the unit of sampling weights says nothing.

use oddsmith::calibrate::{HeldOut, Method};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Layout, ViewSource, Weighting};
use oddsmith::eval::{
    Aim, EvalSettings, Evaluation, Metric, Ranking, Reliability, ScoreScale, ScoredBatch, at_threshold, choose_threshold, hosmer_lemeshow,
    paired_areas,
};
use oddsmith::model::Decision;
use oddsmith::num::MatrixView;
use oddsmith::stats::{Parts, Statistics};
use oddsmith::train::{self, Candidate, Comparison, ScoredTable, SumsModel, likelihood_of_sums, paired_loss};
use proptest::prelude::*;

use crate::population::Population;

/// A row: log odds of two models, whether it has the event, its weight.
#[derive(Debug, Clone, Copy)]
struct Row {
    odds: [f64; 2],
    event: bool,
    weight: f64,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..30u32, 0..50u32, any::<bool>(), 1..4u32).prop_map(|(a, b, event, weight)| Row {
        odds: [f64::from(a) / 8.0 - 2.5 + f64::from(u8::from(event)), f64::from(b) / 16.0 - 2.5],
        event,
        weight: f64::from(weight),
    });
    prop::collection::vec(row, 12..60)
}

/// Everything that says how sure something is, by name; `None` where there is no answer.
type Findings = Vec<(String, Option<Vec<f64>>)>;

struct Asked {
    findings: Findings,
    weighting: Weighting,
}

impl Asked {
    fn put(&mut self, name: impl Into<String>, found: Option<Vec<f64>>) {
        self.findings.push((name.into(), found));
    }

    fn figure(&mut self, name: impl Into<String>, figure: &Metric) {
        let ends = |estimate: &oddsmith::eval::Estimate| estimate.interval.map_or(vec![], |(low, high)| vec![low, high]);
        self.put(name, figure.as_ref().ok().map(|estimate| [vec![estimate.value], ends(estimate)].concat()));
    }

    fn of_scores(&mut self, rows: &[Row], labels: &[u32], weights: &[f64]) {
        let odds = [0, 1].map(|at: usize| rows.iter().map(|row| row.odds[at]).collect::<Vec<f64>>());
        let probabilities: Vec<f64> = odds[0].iter().map(|h| 1.0 / (1.0 + (-h).exp())).flat_map(|p| [1.0 - p, p]).collect();
        let decision = Decision::threshold(0.4, 2).unwrap();
        let settings = EvalSettings { weighting: self.weighting, decision, ..EvalSettings::default() };
        let mut evaluation = Evaluation::new(2, ScoreScale::LogOdds, settings);
        let judged = ScoredBatch {
            probabilities: &probabilities,
            log_odds: Some(&odds[0]),
            log_true: None,
            labels,
            weights: Some(weights),
            first_row: 0,
        };
        evaluation.observe(judged).unwrap();
        evaluation.figures().iter().for_each(|(name, figure)| self.figure(*name, figure));
        let ranking = evaluation.ranking().unwrap();
        self.of_ranking(&ranking);
        let areas = paired_areas([&odds[0], &odds[1]], labels, Some(weights), 1, self.weighting);
        self.put("delong", areas.ok().map(|areas| vec![areas.variance(), areas.covariance, areas.p_value()]));
        let table = |at: usize| {
            let scores = odds[at].iter().flat_map(|h| [0.0, *h]).collect();
            ScoredTable::of_scores(2, scores, labels.to_vec(), Some(weights.to_vec())).unwrap()
        };
        let pair = paired_loss(&table(0), &table(1), self.weighting).unwrap();
        self.figure("paired loss", &Ok(pair.difference));
        self.put("paired loss p", Some(vec![pair.p_value]));
    }

    fn of_ranking(&mut self, ranking: &Ranking) {
        let curve = Reliability::of(ranking, self.weighting).unwrap();
        self.put("band", Some(curve.steps.iter().flat_map(|step| [step.band.0, step.band.1]).collect()));
        let test = hosmer_lemeshow(ranking, 5, self.weighting).ok();
        self.put("hosmer-lemeshow", test.map(|test| vec![test.chi_squared, test.p_value]));
        let aims = [Aim::Youden, Aim::Prevalence, Aim::Sensitivity(0.8), Aim::Precision(0.5)];
        let chosen = aims.map(|aim| (format!("{aim:?}"), choose_threshold(ranking, aim, self.weighting, 1)));
        for (name, cut) in chosen.into_iter().chain([("at".into(), Ok(at_threshold(ranking, 0.4, self.weighting)))]) {
            let Ok(cut) = cut else { continue };
            self.figure(format!("{name} threshold"), &Ok(cut.threshold));
            let shares = [cut.sensitivity, cut.specificity, cut.precision, cut.negative_predictive_value, cut.called];
            shares.iter().for_each(|share| self.figure(format!("{name} share"), share));
        }
    }

    fn of_columns(&mut self, rows: &[Row], labels: &[u32], weights: &[f64]) {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Layout::new("y", ["a", "b"].map(Feature::number).to_vec(), classes, self.weighting).unwrap();
        let values: Vec<f64> = rows.iter().flat_map(|row| row.odds).collect();
        let features = Features::of_numbers(MatrixView::row_major(&values, rows.len(), 2).unwrap());
        let source = ViewSource::new(&layout, features, labels, Some(weights)).unwrap();
        let sums = train::gather(&source, Parts::all(), None, &Control::new()).unwrap();
        for model in [SumsModel::NaiveBayes, SumsModel::Lda, SumsModel::Qda] {
            let fit = likelihood_of_sums(&sums, model).ok();
            self.put(format!("likelihood of {model:?}"), fit.map(|fit| vec![fit.deviance, fit.parameters]));
        }
    }
}

fn findings(rows: &[Row], weighting: Weighting) -> Findings {
    let labels: Vec<u32> = rows.iter().map(|row| u32::from(row.event)).collect();
    let weights: Vec<f64> = rows.iter().map(|row| row.weight).collect();
    let mut asked = Asked { findings: Vec::new(), weighting };
    asked.of_scores(rows, &labels, &weights);
    asked.of_columns(rows, &labels, &weights);
    asked.findings
}

fn same(left: &Findings, right: &Findings) {
    assert_eq!(left.len(), right.len());
    for ((name, left), (_, right)) in left.iter().zip(right) {
        match (left, right) {
            (Some(left), Some(right)) => {
                assert_eq!(left.len(), right.len(), "{name}: {left:?} {right:?}");
                let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-7 * a.abs().max(1.0);
                assert!(left.iter().zip(right).all(close), "{name}: {left:?} {right:?}");
            }
            _ => assert_eq!(left, right, "{name}"),
        }
    }
}

fn weighed(rows: &[Row], factor: f64) -> Vec<Row> {
    rows.iter().map(|row| Row { weight: factor * row.weight, ..*row }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: proptest::test_runner::RngSeed::Fixed(9), ..ProptestConfig::default() })]

    #[test]
    fn a_frequency_is_the_row_so_many_times(rows in rows()) {
        let expanded: Vec<Row> = rows.iter().flat_map(|row| vec![Row { weight: 1.0, ..*row }; row.weight as usize]).collect();
        let (weighted, expanded) = (findings(&rows, Weighting::Frequency), findings(&expanded, Weighting::None));
        same(&weighted, &expanded);
        // More rows are more evidence: were weights ignored, the laws above and below could both hold.
        let (few, many) = (paired_spread(&weighted), paired_spread(&findings(&weighed(&rows, 10.0), Weighting::Frequency)));
        prop_assert!((many * 10f64.sqrt() - few).abs() <= 1e-9 * few, "{} {}", few, many);
    }

    #[test]
    fn the_unit_of_sampling_weights_says_nothing(rows in rows()) {
        same(&findings(&rows, Weighting::Sampling), &findings(&weighed(&rows, 10.0), Weighting::Sampling));
        let plain: Vec<Row> = rows.iter().map(|row| Row { weight: 1.0, ..*row }).collect();
        same(&findings(&plain, Weighting::None), &findings(&weighed(&plain, 7.0), Weighting::Sampling));
    }
}

/// Half the width of the interval of the paired loss.
fn paired_spread(findings: &Findings) -> f64 {
    let found = findings.iter().find(|(name, _)| name == "paired loss").unwrap().1.clone().unwrap();
    0.5 * (found[2] - found[1])
}

#[test]
fn maps_of_repeated_rows_are_those_of_frequencies() {
    let population = Population::new(400, 0.4, [1.0, 1.0], 41);
    let odds: Vec<f64> = (0..400).map(|i| population.features().numbers.get(i, 0) - 0.5).collect();
    let scores = |times: usize| odds.iter().flat_map(|h| [0.0, *h].repeat(times)).collect::<Vec<_>>();
    let repeated: Vec<u32> = population.labels.iter().flat_map(|label| [*label; 3]).collect();
    let (once, thrice) = (scores(1), scores(3));
    let weights = vec![3.0; 400];
    for method in Method::ALL {
        let weighted = HeldOut { classes: 2, scores: &once, labels: &population.labels, weights: Some(&weights) };
        let expanded = HeldOut { classes: 2, scores: &thrice, labels: &repeated, weights: None };
        let (weighted, expanded) = (method.fit(&weighted).unwrap(), method.fit(&expanded).unwrap());
        for h in [-3.0, -0.3, 0.0, 0.7, 2.0] {
            let mapped = [&weighted, &expanded].map(|map| {
                let mut row = [0.0, h];
                map.apply(&mut row);
                row[1] - row[0]
            });
            assert!((mapped[0] - mapped[1]).abs() < 1e-9, "{method}: {mapped:?}");
        }
    }
}

#[test]
fn twins_differ_as_much_with_frequencies_as_with_rows_that_stand_there_so_often() {
    let population = Population::new(300, 0.4, [1.0, 1.0], 42);
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let names = ["lda", "logistic"].map(String::from);
    let candidates = Candidate::parse_list(&names.join(",")).unwrap();
    // Whole groups go to folds by their sizes, which a factor for all rows does not reorder.
    let twins = |times: usize, weight: f64, weighting: Weighting| {
        let layout = Layout::new("y", ["a", "b", "c"].map(Feature::number).to_vec(), classes.clone(), weighting).unwrap();
        let at = |i: usize, j: usize| population.features().numbers.get(i / times, j);
        let values: Vec<f64> = (0..300 * times).flat_map(|i| (0..3).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect();
        let labels: Vec<u32> = (0..300 * times).map(|i| population.labels[i / times]).collect();
        let groups: Vec<u32> = (0..300 * times).map(|i| (i / times / 5) as u32).collect();
        let weights = vec![weight; labels.len()];
        let features = Features::of_numbers(MatrixView::row_major(&values, labels.len(), 3).unwrap());
        let source = ViewSource::new(&layout, features, &labels, Some(&weights)).unwrap();
        let control = Control::new();
        let comparison = Comparison {
            source: &source,
            candidates: &candidates,
            folds: 6,
            repeats: 1,
            seed: 3,
            groups: Some(&groups),
            memory: u64::MAX,
            threads: None,
            control: &control,
        };
        let table = comparison.twins().unwrap();
        let number = |cell: &oddsmith::card::Cell| if let oddsmith::card::Cell::Number(value) = cell { *value } else { f64::NAN };
        table.rows().iter().flat_map(|row| row[7..11].iter().map(number).collect::<Vec<_>>()).collect::<Vec<f64>>()
    };
    let expanded = twins(3, 1.0, Weighting::None);
    assert!(expanded.len() >= 16 && expanded.iter().all(|value| value.is_finite()));
    let close = |left: &[f64]| left.iter().zip(&expanded).all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs().max(1e-3));
    assert!(close(&twins(1, 3.0, Weighting::Frequency)), "{expanded:?} {:?}", twins(1, 3.0, Weighting::Frequency));
    let sampled = |weight: f64| twins(1, weight, Weighting::Sampling);
    let (one, ten) = (sampled(1.0), sampled(10.0));
    assert!(one.iter().zip(&ten).all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs().max(1e-3)), "{one:?} {ten:?}");
}
