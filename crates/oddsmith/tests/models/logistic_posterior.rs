//! Laplace's approximation against sums over a fine grid of the posterior, and averages over it against averages over draws.

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

/// Nodes of Gauss and Hermite, from the eigenvalues of their recurrence, and weights times e^(x²), from the sum of squares of Hermite's
/// functions, which loses no digits however far out a node lies.
fn gauss_hermite(count: usize) -> Vec<(f64, f64)> {
    let beside = |i: usize, j: usize| if i.abs_diff(j) == 1 { (0.5 * i.max(j) as f64).sqrt() } else { 0.0 };
    let eigen = DMatrix::from_fn(count, count, beside).symmetric_eigen();
    let weight = |x: f64| {
        let (mut before, mut now, mut squares) = (0.0, std::f64::consts::PI.powf(-0.25) * (-0.5 * x * x).exp(), 0.0);
        for k in 0..count {
            squares += now * now;
            let next = (2.0 / (k + 1) as f64).sqrt() * x * now - (k as f64 / (k + 1) as f64).sqrt() * before;
            (before, now) = (now, next);
        }
        1.0 / squares
    };
    eigen.eigenvalues.iter().map(|x| (*x, weight(*x))).collect()
}

/// ln ∫ p(y|θ) p(θ) dθ of a regression with a Gaussian prior of every coefficient: Newton's steps to the mode, then Gauss–Hermite around it.
fn log_evidence(columns: &[Vec<f64>], labels: &[u32], sd: f64) -> f64 {
    let d = columns.len();
    let eta = |theta: &DVector<f64>, i: usize| (0..d).map(|j| theta[j] * columns[j][i]).sum::<f64>();
    let log_joint = |theta: &DVector<f64>| -> f64 {
        let fit: f64 = labels
            .iter()
            .enumerate()
            .map(|(i, y)| {
                let eta = eta(theta, i);
                -if *y == 1 { (-eta).exp().ln_1p() } else { eta.exp().ln_1p() }
            })
            .sum();
        fit - 0.5 * theta.norm_squared() / (sd * sd) - d as f64 * (sd * std::f64::consts::TAU.sqrt()).ln()
    };
    let mut theta = DVector::zeros(d);
    let mut root = DMatrix::identity(d, d);
    for _ in 0..60 {
        let mut gradient = -&theta / (sd * sd);
        let mut hessian = DMatrix::identity(d, d) / (sd * sd);
        for (i, y) in labels.iter().enumerate() {
            let p = 1.0 / (1.0 + (-eta(&theta, i)).exp());
            for a in 0..d {
                gradient[a] += (f64::from(*y) - p) * columns[a][i];
                (0..d).for_each(|b| hessian[(a, b)] += p * (1.0 - p) * columns[a][i] * columns[b][i]);
            }
        }
        let factor = Cholesky::new(hessian).unwrap();
        theta += factor.solve(&gradient);
        root = factor.l().transpose().try_inverse().unwrap();
    }
    let (nodes, at_mode) = (gauss_hermite(if d < 3 { 61 } else { 25 }), log_joint(&theta));
    let mut sum = 0.0;
    for combination in 0..nodes.len().pow(d as u32) {
        let pick: Vec<(f64, f64)> = (0..d).map(|j| nodes[combination / nodes.len().pow(j as u32) % nodes.len()]).collect();
        let z = DVector::from_iterator(d, pick.iter().map(|(node, _)| *node));
        let weight: f64 = pick.iter().map(|(_, weight)| weight).product();
        sum += weight * (log_joint(&(&theta + std::f64::consts::SQRT_2 * &root * &z)) - at_mode).exp();
    }
    at_mode + sum.ln() + 0.5 * d as f64 * 2f64.ln() + root.diagonal().iter().map(|x| x.ln()).sum::<f64>()
}

#[test]
fn the_evidence_of_cars_is_the_known_one_and_near_its_integral() {
    let text = include_str!("../../../../testdata/golden/data/mtcars.csv");
    let mut lines = text.lines().map(|line| line.split(',').map(|cell| cell.trim_matches('"')).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |name: &str| -> Vec<f64> {
        let at = header.iter().position(|known| *known == name).unwrap();
        rows.iter().map(|row| row[at].parse().unwrap()).collect()
    };
    let centred = |values: Vec<f64>| -> Vec<f64> {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|x| x - mean).collect()
    };
    let labels: Vec<u32> = column("am").iter().map(|am| *am as u32).collect();
    let (ones, weight) = (vec![1.0; labels.len()], centred(column("wt")));
    let quarter = centred(column("qsec"));
    // Of `columns` numbers, row after row.
    let laplace = |cells: &[f64], columns: usize, formula: &str| {
        let names = ["wt", "qsec"];
        let features = names[..columns].iter().map(|name| Feature::number(*name)).collect();
        let layout = Layout::new("am", features, Classes::new(vec!["0".into(), "1".into()]).unwrap(), Weighting::None).unwrap();
        let view = Features::of_numbers(MatrixView::row_major(cells, labels.len(), columns).unwrap());
        let source = ViewSource::new(&layout, view, &labels, None).unwrap();
        let formula = Some(oddsmith::data::Formula::parse(formula).unwrap());
        let options = Logistic { formula, prior_sd: Some(2.5), intercept_sd: Some(2.5), ..Logistic::new() };
        let model = fit(&options, &source, None, &Control::new()).unwrap().model;
        let evidence = model.evidence().unwrap();
        assert!(evidence.is_laplace && evidence.of == oddsmith::model::EvidenceOf::Classes);
        evidence.ln
    };
    let near = |found: f64, known: f64, within: f64| assert!((found - known).abs() <= within, "{found} {known}");
    // Computed by two other programs.
    near(log_evidence(std::slice::from_ref(&ones), &labels, 2.5), -23.567_408_07, 6e-9);
    near(log_evidence(&[ones.clone(), weight.clone()], &labels, 2.5), -13.089_167_95, 6e-9);
    near(laplace(&weight, 1, "am ~ 1"), -23.575_229_458, 6e-10);
    near(laplace(&weight, 1, "am ~ wt"), -13.126_950_327, 6e-10);
    let factor = log_evidence(&[ones.clone(), weight.clone()], &labels, 2.5) - log_evidence(std::slice::from_ref(&ones), &labels, 2.5);
    near(factor, 10.478_240_119, 6e-9);
    // Three coefficients, against the integral.
    let both: Vec<f64> = weight.iter().zip(&quarter).flat_map(|(w, q)| [*w, *q]).collect();
    near(laplace(&both, 2, "am ~ wt + qsec"), log_evidence(&[ones, weight, quarter], &labels, 2.5), 0.15);
    // A prior of the intercept alone is none.
    let alone = Logistic { intercept_sd: Some(1.0), ..Logistic::new() };
    let refused = alone.params().and_then(|params| Logistic::from_params(&params)).unwrap_err();
    assert!(refused.to_string().contains("prior-sd"), "{refused}");
}
