//! Areas and tests against R's pROC and the definition of Hosmer and Lemeshow's test.

use oddsmith::data::Weighting;
use oddsmith::eval::{Auc, Brier, LogLoss, Ranking, Reliability, Roc, ScoreScale, ScoredBatch, hosmer_lemeshow, paired_areas};
use oddsmith::stats::Statistics;

use crate::support::{Csv, Golden, close, same_digits};

fn asah() -> (Golden, Csv, Vec<u32>) {
    let golden = Golden::load("roc_asah");
    let table = golden.table("data");
    let labels = table.column("y").iter().map(|cell| cell.parse().unwrap()).collect();
    (golden, table, labels)
}

fn numbers(table: &Csv, name: &str) -> Vec<f64> {
    table.column(name).iter().map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn areas_and_their_variances_agree_with_proc() {
    let (golden, table, labels) = asah();
    for name in ["s100b", "ndka", "wfns"] {
        let at = |figure: &str| golden.number(&format!("results/scores/{name}/{figure}"));
        let ranking = Ranking::of_labels(&numbers(&table, name), &labels, None, 1, ScoreScale::Order);
        let auc = Auc::of(&ranking, Weighting::None).unwrap();
        same_digits(auc.area, at("auc"), 1e-14);
        same_digits(auc.variance.unwrap(), at("delong_variance"), 1e-12);
        let (low, high) = auc.estimate().interval.unwrap();
        same_digits(low, at("delong_lo"), 1e-12);
        same_digits(high, at("delong_hi"), 1e-12);
    }
}

#[test]
fn every_point_of_the_curves_agrees_with_proc() {
    let (golden, table, labels) = asah();
    for name in ["s100b", "ndka", "wfns"] {
        let path = |part: &str| format!("results/scores/{name}/{part}");
        let roc = Roc::of(&Ranking::of_labels(&numbers(&table, name), &labels, None, 1, ScoreScale::Order)).unwrap();
        // pROC lists thresholds from the lowest up, between the scores.
        let points: Vec<_> = roc.points.iter().rev().collect();
        let (sensitivity, specificity) = (golden.numbers(&path("sensitivities")), golden.numbers(&path("specificities")));
        assert_eq!(points.len(), sensitivity.len());
        for (point, (sensitivity, specificity)) in points.iter().zip(sensitivity.iter().zip(&specificity)) {
            close(roc.sensitivity(point), *sensitivity, 1e-15);
            close(roc.specificity(point), *specificity, 1e-15);
        }
        let best = roc.youden();
        assert_eq!(vec![roc.sensitivity(&best)], golden.numbers(&path("youden_best/sensitivity")));
        close(roc.specificity(&best), golden.numbers(&path("youden_best/specificity"))[0], 1e-15);
    }
}

#[test]
fn paired_tests_agree_with_proc() {
    let (golden, table, labels) = asah();
    for (i, test) in golden.at("results/paired_tests").as_array().unwrap().iter().enumerate() {
        let scores = ["a", "b"].map(|side| numbers(&table, test[side].as_str().unwrap()));
        let paired = paired_areas([&scores[0], &scores[1]], &labels, None, 1, Weighting::None).unwrap();
        let at = |figure: &str| golden.number(&format!("results/paired_tests/{i}/{figure}"));
        same_digits(paired.z().unwrap(), at("z"), 1e-10);
        same_digits(paired.p_value(), at("p"), 1e-10);
        same_digits(paired.covariance, at("covariance"), 1e-10);
    }
}

#[test]
fn hosmer_lemeshow_and_losses_agree_with_r() {
    let golden = Golden::load("hl_birthwt");
    let table = golden.table("data");
    let labels: Vec<u32> = table.column("y").iter().map(|cell| cell.parse().unwrap()).collect();
    let p = numbers(&table, "p");
    let ranking = Ranking::of_labels(&p, &labels, None, 1, ScoreScale::Probability);
    let test = hosmer_lemeshow(&ranking, 10, Weighting::None).unwrap();
    let all = |path: &str| golden.numbers(&format!("results/{path}"));
    assert_eq!(test.groups.iter().map(|g| g.rows).collect::<Vec<_>>(), all("n"));
    assert_eq!(test.groups.iter().map(|g| g.observed).collect::<Vec<_>>(), all("observed"));
    test.groups.iter().zip(all("expected")).for_each(|(group, want)| same_digits(group.expected, want, 1e-13));
    test.breaks.iter().zip(all("breaks")).for_each(|(got, want)| same_digits(*got, want, 1e-14));
    same_digits(test.chi_squared, golden.number("results/chisq"), 1e-12);
    same_digits(test.p_value, golden.number("results/p"), 1e-12);
    assert_eq!(test.df as f64, golden.number("results/df"));

    let probabilities: Vec<f64> = p.iter().flat_map(|p| [1.0 - p, *p]).collect();
    let rows = ScoredBatch { probabilities: &probabilities, log_odds: None, log_true: None, labels: &labels, weights: None, first_row: 0 };
    let (mut loss, mut brier) = (LogLoss::new(2, Weighting::None), Brier::new(2, Weighting::None));
    loss.observe(rows).unwrap();
    brier.observe(rows).unwrap();
    same_digits(loss.nats().unwrap().value, golden.number("results/log_loss"), 1e-12);
    same_digits(brier.score().unwrap().value, golden.number("results/brier"), 1e-12);
    same_digits(Reliability::of(&ranking, Weighting::None).unwrap().brier, golden.number("results/brier"), 1e-12);
}
