//! Laplace's approximation against sums over a fine grid of the posterior, and averages over it against averages over draws.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::{Cholesky, DMatrix, DVector};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Layout, ViewSource, Weighting};
use oddsmith::model::linear::Logistic;
use oddsmith::model::{Classifier, Predictions, Predictor};
use oddsmith::num::MatrixView;
use oddsmith::train::fit;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

#[test]
fn evidence_and_predictions_agree_with_a_grid() {
    let rows = 60;
    let cells: Vec<f64> = (0..rows).map(|i| f64::from((i * 37) % 61) / 20.0 - 1.5).collect();
    let labels: Vec<u32> = (0..rows).map(|i| u32::from(cells[i as usize] + f64::from((i * 53) % 17) / 8.0 - 1.0 > 0.0)).collect();
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
    let view = Features::of_numbers(MatrixView::row_major(&cells, rows as usize, 1).unwrap());
    let source = ViewSource::new(&layout, view, &labels, None).unwrap();
    let sd = 1.5;
    let model = fit(&Logistic { prior_sd: Some(sd), ..Logistic::new() }, &source, None, &Control::new()).unwrap().model;
    // The prior of the intercept is that at the mean of the column, with standard deviation 10.
    let mean = cells.iter().sum::<f64>() / f64::from(rows);
    let log_density = |value: f64, sd: f64| -0.5 * (value / sd).powi(2) - (sd * (2.0 * std::f64::consts::PI).sqrt()).ln();
    let log_joint = |a: f64, b: f64| {
        let loss = cells.iter().zip(&labels).map(|(x, y)| {
            let eta = a + b * (x - mean);
            if *y == 1 { (1.0 + (-eta).exp()).ln() } else { (1.0 + eta.exp()).ln() }
        });
        -loss.sum::<f64>() + log_density(a, 10.0) + log_density(b, sd)
    };
    let (step, mut total, mut predicted) = (0.02, 0.0, [0.0; 3]);
    let points = [-3.0, 0.3, 4.0];
    let base = log_joint(0.0, 1.0);
    for i in -200..=200 {
        for j in -150..=450 {
            let (a, b) = (f64::from(i) * step, f64::from(j) * step);
            let mass = (log_joint(a, b) - base).exp();
            total += mass;
            for (sum, x) in predicted.iter_mut().zip(points) {
                *sum += mass / (1.0 + (-(a + b * (x - mean))).exp());
            }
        }
    }
    let evidence = base + (total * step * step).ln();
    let got = model.account().log_marginal_likelihood.unwrap();
    assert!((got - evidence).abs() < 0.05, "log evidence {got} is not {evidence}");
    let mut out = Predictions::new();
    let new = Features::of_numbers(MatrixView::row_major(&points, 3, 1).unwrap());
    Predictor::new(&model).predict(&new, &mut out).unwrap();
    for i in 0..3 {
        let want = predicted[i] / total;
        assert!((out.row(i)[1] - want).abs() < 0.012, "at {}: {} is not {want}", points[i], out.row(i)[1]);
    }
    assert!(model.card().title.contains("posterior") && model.precision().is_some());
    assert!(fit(&Logistic { prior_sd: Some(-1.0), ..Logistic::new() }, &source, None, &Control::new()).is_err());
}

#[test]
fn averages_of_three_classes_agree_with_draws_from_the_posterior() {
    let rows = 24;
    let cells: Vec<f64> = (0..rows).map(|i| f64::from((i * 37) % 25) / 8.0 - 1.5).collect();
    let labels: Vec<u32> = (0..rows).map(|i| ((cells[i as usize] + 1.6 + f64::from((i * 53) % 17) / 12.0) / 1.6) as u32 % 3).collect();
    let classes = Classes::new(vec!["a".into(), "b".into(), "c".into()]).unwrap();
    let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
    let view = Features::of_numbers(MatrixView::row_major(&cells, rows as usize, 1).unwrap());
    let source = ViewSource::new(&layout, view, &labels, None).unwrap();
    let model = fit(&Logistic { prior_sd: Some(2.0), ..Logistic::new() }, &source, None, &Control::new()).unwrap().model;
    let points = [-4.0, -1.0, 0.2, 1.0, 5.0];
    let mut out = Predictions::new();
    Predictor::new(&model).predict(&Features::of_numbers(MatrixView::row_major(&points, 5, 1).unwrap()), &mut out).unwrap();
    let mode = DVector::from_vec(model.parameters().estimates());
    let covariance = DMatrix::from_row_slice(4, 4, &model.precision().unwrap().matrix);
    let root = Cholesky::new(covariance).unwrap().l();
    let (draws, mut random) = (200_000, ChaCha8Rng::seed_from_u64(5));
    let mut sums = [[0.0; 3]; 5];
    for _ in 0..draws {
        let drawn = &mode + &root * DVector::from_fn(4, |_, _| StandardNormal.sample(&mut random));
        for (sums, x) in sums.iter_mut().zip(points) {
            let odds = [1.0, (drawn[0] + drawn[1] * x).exp(), (drawn[2] + drawn[3] * x).exp()];
            let total: f64 = odds.iter().sum();
            sums.iter_mut().zip(odds).for_each(|(sum, odds)| *sum += odds / total / f64::from(draws));
        }
    }
    for (i, sums) in sums.iter().enumerate() {
        for (k, want) in sums.iter().enumerate() {
            let got = out.row(i)[k];
            assert!((got - want).abs() < 0.02, "class {k} at {}: {got} is not {want}", points[i]);
        }
    }
}
