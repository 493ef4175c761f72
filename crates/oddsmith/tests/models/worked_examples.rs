//! Examples that can be worked out by hand.

use crate::support::{Csv, Frame, close};
use oddsmith::control::Control;
use oddsmith::data::Kind;
use oddsmith::model::bayes::{Family, NaiveBayes, NaiveBayesModel};
use oddsmith::model::{Classifier, Generative, Learner, LinearLogOdds, PassInfo, Predictions, Predictor, Prior, Step, Tying};
use oddsmith::train::fit;

const MAIL: &str = "pill,meeting,kind
T,T,spam
T,F,spam
T,T,ham
T,T,ham
F,T,ham
F,T,ham
F,T,ham
F,F,spam
T,F,spam
F,F,spam
F,F,ham";

fn table(text: &str) -> Csv {
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let mut lines = text.lines();
    Csv { names: cells(lines.next().unwrap()), rows: lines.map(cells).collect() }
}

fn learn(learner: &NaiveBayes, frame: &Frame) -> NaiveBayesModel {
    fit(learner, &frame.source(), None, &Control::new()).unwrap().model
}

fn probabilities(model: &dyn Classifier, frame: &Frame) -> Predictions {
    let mut out = Predictions::new();
    Predictor::new(model).predict(&frame.features(), &mut out).unwrap();
    out
}

#[test]
fn a_mail_with_pill_and_meeting_is_ham_with_25_34ths() {
    let frame = Frame::new(&table(MAIL), "kind", &[("pill", Kind::Category), ("meeting", Kind::Category)]);
    let model = learn(&NaiveBayes { smoothing: 0.0, ..NaiveBayes::new(Family::Mixed) }, &frame);
    let out = probabilities(&model, &frame);
    // Row 0 has both words; class 0 is ham.
    close(out.row(0)[0], 25.0 / 34.0, 1e-15);
    close(out.scores().row(0)[0], (5f64 / 33.0).ln(), 1e-15);
    close(out.scores().row(0)[1], (3f64 / 55.0).ln(), 1e-15);
    close(out.log_density(0), (5f64 / 33.0 + 3.0 / 55.0).ln(), 1e-15);
}

/// Eight heads and four tails from a bent coin (0.8) or a fair one, equally likely beforehand.
#[test]
fn twelve_tosses_leave_the_bent_coin_with_0_5237() {
    let (bent, fair) = (0.8f64.ln() * 8.0 + 0.2f64.ln() * 4.0, 0.5f64.ln() * 12.0);
    close(bent.exp(), 2.684_354_56e-4, 1e-12);
    close(fair.exp(), 2.441_406_25e-4, 1e-12);
    let mut posterior = [bent + 0.5f64.ln(), fair + 0.5f64.ln()];
    oddsmith::num::kernel::softmax(&mut posterior, 2, None);
    close(posterior[0], 2.684_354_56 / (2.684_354_56 + 2.441_406_25), 1e-14);
    assert_eq!((posterior[0] * 1e4).round(), 5237.0);
}

#[test]
fn the_joint_log_likelihood_adds_up_over_rows() {
    let frame = Frame::new(&table(MAIL), "kind", &[("pill", Kind::Category), ("meeting", Kind::Category)]);
    let model = learn(&NaiveBayes { smoothing: 0.0, ..NaiveBayes::new(Family::Mixed) }, &frame);
    let loss = oddsmith::train::pass(&frame.source(), &oddsmith::train::JointLoss::new(&model).unwrap(), None, &Control::new()).unwrap();
    // Counting words: 2 and 4 of 6 ham have pill or not, 5 and 1 meeting or not; 3 and 2, 1 and 4 of 5 spam.
    let ham = 6.0 * (6f64 / 11.0).ln() + 2.0 * (2f64 / 6.0).ln() + 4.0 * (4f64 / 6.0).ln() + 5.0 * (5f64 / 6.0).ln() + (1f64 / 6.0).ln();
    let spam = 5.0 * (5f64 / 11.0).ln() + 3.0 * 0.6f64.ln() + 2.0 * 0.4f64.ln() + 0.2f64.ln() + 4.0 * 0.8f64.ln();
    close(loss.nats().unwrap(), -(ham + spam) / 11.0, 1e-14);
}

#[test]
fn smoothing_adds_pseudo_counts_to_conditionals_and_leaves_the_prior_alone() {
    let frame = Frame::new(&table(MAIL), "kind", &[("pill", Kind::Category), ("meeting", Kind::Category)]);
    for lambda in [1.0, 0.01] {
        let model = learn(&NaiveBayes { smoothing: lambda, ..NaiveBayes::new(Family::Mixed) }, &frame);
        let share = |n: f64, total: f64| (n + lambda) / (total + 2.0 * lambda);
        let ham = share(2.0, 6.0) * share(5.0, 6.0) * 6.0 / 11.0;
        let spam = share(3.0, 5.0) * share(1.0, 5.0) * 5.0 / 11.0;
        close(probabilities(&model, &frame).row(0)[0], ham / (ham + spam), 1e-14);
    }
    let smoothed_prior = learn(&NaiveBayes { prior_smoothing: Some(2.0), ..NaiveBayes::new(Family::Mixed) }, &frame);
    close(smoothed_prior.log_prior()[0].exp(), 8.0 / 15.0, 1e-15);
}

#[test]
fn without_smoothing_a_value_never_seen_makes_a_class_impossible_and_two_such_leave_the_prior() {
    let text = "a,b,y\n1,1,p\n1,2,p\n2,1,p\n3,3,q\n3,4,q\n3,4,q";
    let frame = Frame::new(&table(text), "y", &[("a", Kind::Category), ("b", Kind::Category)]);
    let model = learn(&NaiveBayes { smoothing: 0.0, ..NaiveBayes::new(Family::Mixed) }, &frame);
    let out = probabilities(&model, &frame);
    assert_eq!((out.row(0), out.row(5)), (&[1.0, 0.0][..], &[0.0, 1.0][..]));
    assert!(out.scores().impossible().is_empty());
    // a = 1 belongs to p alone, b = 4 to q alone: together they are impossible.
    let mut mixed = Frame::new(&table(text), "y", &[("a", Kind::Category), ("b", Kind::Category)]);
    mixed.codes[1] = 3;
    let out = probabilities(&model, &mixed);
    assert_eq!(out.scores().impossible(), [0]);
    close(out.row(0)[0], 0.5, 1e-15);
    assert!(model.linear().is_none(), "infinite weights are no straight line");
}

/// The mean of a column by class, the shared variance, and the line w0 + w x that Bayes' rule gives for them.
#[test]
fn a_tied_gaussian_column_gives_the_straight_line_of_the_textbook() {
    let text = "x,y\n1,a\n2,a\n4,a\n5,b\n6,b\n9,b\n8,b";
    let frame = Frame::new(&table(text), "y", &[("x", Kind::Number)]);
    let model = learn(&NaiveBayes { tying: Tying::PerColumn, ..NaiveBayes::new(Family::Gaussian) }, &frame);
    let (m0, m1) = (7.0 / 3.0, 7.0);
    let squares: f64 = [1.0, 2.0, 4.0].iter().map(|x: &f64| (x - m0).powi(2)).sum::<f64>() + 4.0 + 1.0 + 4.0 + 1.0;
    let variance = squares / 7.0;
    let slope = (m1 - m0) / variance;
    let intercept = (m0 * m0 - m1 * m1) / (2.0 * variance) + (4f64 / 3.0).ln();
    let weights = model.linear().unwrap().weights(&frame.layout);
    close(weights[0].values[1], intercept, 1e-13);
    close(weights[1].values[1], slope, 1e-13);
}

#[test]
fn a_weight_of_naive_bayes_does_not_feel_the_other_columns_and_the_prior_moves_the_intercept_alone() {
    let text = "x,z,c,y\n1,5,u,a\n2,1,v,a\n4,2,u,a\n5,9,v,b\n6,4,v,b\n9,4,u,b\n8,0,v,b";
    let csv = table(text);
    let columns = [("x", Kind::Number), ("z", Kind::Number), ("c", Kind::Category)];
    let learner = NaiveBayes { tying: Tying::PerColumn, ..NaiveBayes::new(Family::Mixed) };
    let full = Frame::new(&csv, "y", &columns);
    let alone = Frame::new(&csv, "y", &columns[..1]);
    let line = |model: &dyn Classifier| -> LinearLogOdds { model.linear().unwrap() };
    let of_x = |line: &LinearLogOdds, frame: &Frame| line.weights(&frame.layout)[1].values[1];
    let (with, without) = (learn(&learner, &full), learn(&learner, &alone));
    assert_eq!(of_x(&line(&with), &full).to_bits(), of_x(&line(&without), &alone).to_bits());

    let given = NaiveBayes { prior: Prior::Given(vec![("a".into(), 0.9), ("b".into(), 0.1)]), ..learner.clone() };
    let (before, after) = (line(&with).weights(&full.layout), line(&learn(&given, &full)).weights(&full.layout));
    let shift = (0.1f64 / 0.9).ln() - (4f64 / 3.0).ln();
    close(after[0].values[1] - before[0].values[1], shift, 1e-13);
    assert_eq!(before[1..], after[1..]);
    // The prior can also be changed after the fit, without the data.
    let changed = with.with_log_prior(vec![0.9f64.ln(), 0.1f64.ln()]);
    assert_eq!(line(&*changed).weights(&full.layout)[1..], before[1..]);
    close(line(&*changed).weights(&full.layout)[0].values[1] - before[0].values[1], shift, 1e-13);
}

/// p(data) is the product of one-step-ahead predictions, whatever the order: the evidence must agree with the predictive
/// probabilities of models that have seen the earlier rows. Hyper-parameters that come from the data are kept fixed by
/// comparing differences: two rows exchanged at the end.
#[test]
fn the_evidence_of_categories_is_the_product_of_one_step_predictions() {
    let frame = Frame::new(&table(MAIL), "kind", &[("pill", Kind::Category), ("meeting", Kind::Category)]);
    let learner = NaiveBayes { predictive: true, ..NaiveBayes::new(Family::Mixed) };
    let first = |rows: usize| {
        let labels: Vec<u32> = frame.labels.iter().enumerate().map(|(i, &l)| if i < rows { l } else { oddsmith::data::SKIP }).collect();
        let mut stats = learner.begin(&std::sync::Arc::new(frame.layout.clone()), &PassInfo::default()).unwrap();
        let rows = oddsmith::data::Rows::new(frame.features(), &labels, None, 0);
        oddsmith::stats::Statistics::observe(&mut stats, rows).unwrap();
        match learner.finish(&stats) {
            Ok(Step::Done(model)) => Some(model),
            _ => None,
        }
    };
    // Three rows are the fewest that hold both classes.
    let (start, end) = (3, frame.rows());
    let mut product = first(start).unwrap().log_marginal_likelihood().unwrap();
    for i in start..end {
        let out = probabilities(&first(i).unwrap(), &frame);
        product += out.scores().row(i)[frame.labels[i] as usize];
    }
    close(product, first(end).unwrap().log_marginal_likelihood().unwrap(), 1e-13);
}

#[test]
fn drawn_rows_come_from_the_model() {
    use rand_chacha::ChaCha8Rng;
    use rand_core::SeedableRng;
    let text = "x,c,y\n1,u,a\n2,v,a\n4,u,a\n5,v,b\n6,v,b\n9,u,b\n8,v,b";
    let frame = Frame::new(&table(text), "y", &[("x", Kind::Number), ("c", Kind::Category)]);
    let model = learn(&NaiveBayes::new(Family::Mixed), &frame);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let (mut sum, mut squares, mut levels) = (0.0, 0.0, 0.0);
    let draws = 20_000;
    for _ in 0..draws {
        let row = model.sample(1, &mut random).unwrap();
        let oddsmith::model::Value::Number(x) = row.values[0] else { panic!() };
        let oddsmith::model::Value::Code(c) = row.values[1] else { panic!() };
        sum += x;
        squares += x * x;
        levels += f64::from(c);
    }
    let n = f64::from(draws);
    // Mean 7, variance 2.5, share of `v` (3 + 1)/(4 + 2); five standard errors.
    assert!((sum / n - 7.0).abs() < 5.0 * (2.5 / n).sqrt());
    assert!((squares / n - (sum / n).powi(2) - 2.5).abs() < 5.0 * 2.5 * (2.0 / n).sqrt());
    assert!((levels / n - 2.0 / 3.0).abs() < 5.0 * (2.0 / 9.0 / n).sqrt());
}

#[test]
fn extreme_units_change_nothing_but_the_units() {
    let text = "x,z,y\n1,3,a\n2,1,a\n4,2,a\n5,9,b\n6,4,b\n9,4,b\n8,1,b";
    let columns = [("x", Kind::Number), ("z", Kind::Number)];
    let frame = Frame::new(&table(text), "y", &columns);
    for tying in [Tying::PerClass, Tying::PerColumn] {
        for predictive in [false, true] {
            let learner = NaiveBayes { tying, predictive, ..NaiveBayes::new(Family::Gaussian) };
            let plain = probabilities(&learn(&learner, &frame), &frame);
            for power in [-1000, -540, -500, 500, 540, 1000] {
                let mut scaled = Frame::new(&table(text), "y", &columns);
                scaled.numbers.iter_mut().step_by(2).for_each(|x| *x *= 2f64.powi(power));
                let out = probabilities(&learn(&learner, &scaled), &scaled);
                for (a, b) in out.probabilities().iter().zip(plain.probabilities()) {
                    assert!((a - b).abs() < 1e-12, "2^{power}: {a} is not {b}");
                }
            }
        }
    }
}

#[test]
fn an_offset_of_1e8_loses_no_digit() {
    let text = "x,y\n1,a\n2,a\n4,a\n5,b\n6,b\n9,b\n8,b";
    let frame = Frame::new(&table(text), "y", &[("x", Kind::Number)]);
    let plain = probabilities(&learn(&NaiveBayes::new(Family::Gaussian), &frame), &frame);
    let mut moved = Frame::new(&table(text), "y", &[("x", Kind::Number)]);
    moved.numbers.iter_mut().for_each(|x| *x += 1e8);
    let out = probabilities(&learn(&NaiveBayes::new(Family::Gaussian), &moved), &moved);
    // The mean 1e8 + 7/3 itself is rounded at 1e-8; everything else is exact.
    out.probabilities().iter().zip(plain.probabilities()).for_each(|(a, b)| close(*a, *b, 1e-7));
    let sd = |model: NaiveBayesModel| match &model.parts()[0] {
        oddsmith::model::bayes::Part::Gaussian(part) => part.deviations.clone(),
        _ => panic!(),
    };
    let (near, far) = (sd(learn(&NaiveBayes::new(Family::Gaussian), &frame)), sd(learn(&NaiveBayes::new(Family::Gaussian), &moved)));
    near.iter().zip(&far).for_each(|(a, b)| close(*b, *a, 1e-14));
}

#[test]
fn a_target_with_one_class_is_refused_by_name() {
    let frame = Frame::new(&table("x,y\n1,no\n2,no"), "y", &[("x", Kind::Number)]);
    let error = fit(&NaiveBayes::new(Family::Mixed), &frame.source(), None, &Control::new()).err().unwrap();
    assert_eq!(error.to_string(), "column `y`: the target has one class: no (2 rows); two classes or more are needed");
}
