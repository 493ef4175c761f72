//! Kernel models: with the linear kernel they are penalised regressions, with others they bend.

use crate::support::{Csv, Frame, Golden, close, same_digits};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Kind, Layout, Weighting};
use oddsmith::model::kernel::{KernelLearner, KernelModel};
use oddsmith::model::margin::LeastSquares;
use oddsmith::model::{Classifier, Learner, Predictions, Predictor, Scores, Uncertainty};
use oddsmith::{persist, registry, train};

fn fit<L: Learner>(learner: &L, frame: &Frame) -> L::Model {
    train::fit(learner, &frame.source(), None, &Control::new()).unwrap().model
}

fn learner(model: &str) -> KernelLearner {
    let (entry, params) = registry::parse(model).unwrap();
    if entry.name == "kernel-logistic" { KernelLearner::logistic(&params).unwrap() } else { KernelLearner::least_squares(&params).unwrap() }
}

fn probabilities(model: &dyn Classifier, frame: &Frame) -> Vec<f64> {
    let mut out = Predictions::new();
    Predictor::new(model).predict(&frame.features(), &mut out).unwrap();
    out.probabilities().to_vec()
}

fn scores(model: &dyn Classifier, frame: &Frame) -> Vec<f64> {
    let mut out = Scores::new();
    model.score(&frame.features(), &mut out).unwrap();
    out.values().to_vec()
}

#[test]
fn the_linear_kernel_is_the_penalised_regression_of_r() {
    let reference = Golden::load("logit_l2_pima");
    let table = reference.table("data");
    let names = ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"];
    let frame = Frame::new(&table, "type", &names.map(|name| (name, Kind::Number)));
    for (at, fit_of) in reference.at("results/fits").as_array().unwrap().iter().enumerate() {
        let lambda = fit_of["lambda"].as_f64().unwrap() * frame.rows() as f64;
        let model = fit(&learner(&format!("kernel-logistic(kernel=linear, standardize=none, ridge={lambda})")), &frame);
        assert!(model.is_exact() && model.landmarks() == 7, "{}", model.landmarks());
        let intercept = fit_of["intercept"].as_f64().unwrap();
        let coefficients: Vec<f64> = fit_of["coef"].as_array().unwrap().iter().map(|b| b.as_f64().unwrap()).collect();
        let p = probabilities(&model, &frame);
        for i in 0..frame.rows() {
            let eta = intercept + (0..7).map(|j| coefficients[j] * frame.numbers[i * 7 + j]).sum::<f64>();
            assert!((p[2 * i + 1] - 1.0 / (1.0 + (-eta).exp())).abs() < 1e-8, "fit {at}, row {i}");
        }
    }
}

/// Solves A x = b in plain loops.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let size = b.len();
    for r in 0..size {
        for below in r + 1..size {
            let (factor, row) = (a[below][r] / a[r][r], a[r].clone());
            a[below].iter_mut().zip(&row).skip(r).for_each(|(cell, above)| *cell -= factor * above);
            b[below] -= factor * b[r];
        }
    }
    for r in (0..size).rev() {
        let later: f64 = (r + 1..size).map(|c| a[r][c] * b[c]).sum();
        b[r] = (b[r] - later) / a[r][r];
    }
    b
}

/// Log odds of every class against the first with the rest of the posterior: Σ w (p_m [m = l] − p_m p_l) z zᵀ + Λ over the columns themselves.
fn bend(p: &[f64], rows: &[Vec<f64>], classes: usize, lambda: f64) -> Vec<Vec<f64>> {
    let (width, outputs) = (rows[0].len(), classes - 1);
    let mut bend = vec![vec![0.0; outputs * width]; outputs * width];
    for (z, p) in rows.iter().zip(p.chunks(classes)) {
        for (i, j) in (0..outputs * width).flat_map(|i| (0..outputs * width).map(move |j| (i, j))) {
            let (m, l) = (1 + i / width, 1 + j / width);
            let share = if m == l { p[m] * (1.0 - p[m]) } else { -p[m] * p[l] };
            bend[i][j] += share * z[i % width] * z[j % width];
        }
    }
    let shared = if classes == 2 { 0.0 } else { 1.0 / classes as f64 };
    for (i, j) in (0..outputs * width).flat_map(|i| (0..outputs * width).map(move |j| (i, j))) {
        if i % width == j % width && i % width > 0 {
            bend[i][j] += lambda * (if i == j { 1.0 } else { 0.0 } - shared);
        }
    }
    bend
}

#[test]
fn log_odds_are_as_sure_as_the_posterior_of_the_columns_says() {
    let two = {
        let reference = Golden::load("logit_l2_pima");
        let names = ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"];
        Frame::new(&reference.table("data"), "type", &names.map(|name| (name, Kind::Number)))
    };
    for (frame, lambda) in [(two, 3.0), (iris(), 0.5)] {
        let (columns, classes) = (frame.layout.numbers().len(), frame.layout.classes().len());
        let model = fit(&learner(&format!("kernel-logistic(kernel=linear, standardize=none, ridge={lambda})")), &frame);
        let mut known = Uncertainty::default();
        model.limits().unwrap().uncertainty(&frame.features(), &mut known).unwrap();
        let p = probabilities(&model, &frame);
        let mean = |j: usize| frame.numbers.iter().skip(j).step_by(columns).sum::<f64>() / frame.rows() as f64;
        let means: Vec<f64> = (0..columns).map(mean).collect();
        let centred = |row: &[f64]| std::iter::once(1.0).chain(row.iter().zip(&means).map(|(x, mean)| x - mean)).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = frame.numbers.chunks(columns).map(centred).collect();
        let bend = bend(&p, &rows, classes, lambda);
        for i in (0..frame.rows()).step_by(17) {
            for k in 0..classes {
                // The log odds of k against the others: slope 1 for k itself, −p_m/(1 − p_k) for another class m.
                let p = &p[i * classes..(i + 1) * classes];
                let slope = |m: usize| if m == k { 1.0 } else { -p[m] / (1.0 - p[k]) };
                let g: Vec<f64> = (1..classes).flat_map(|m| rows[i].iter().map(move |z| (m, *z))).map(|(m, z)| slope(m) * z).collect();
                let variance: f64 = solve(bend.clone(), g.clone()).iter().zip(&g).map(|(v, g)| v * g).sum();
                same_digits(known.errors[i * classes + k], variance.sqrt(), 1e-6);
                close(known.log_odds[i * classes + k], (p[k] / (1.0 - p[k])).ln(), 1e-9);
            }
        }
        let back = persist::load_model(&persist::save_model(&model).unwrap()).unwrap();
        let mut again = Uncertainty::default();
        back.limits().unwrap().uncertainty(&frame.features(), &mut again).unwrap();
        assert_eq!(again.errors, known.errors);
    }
}

#[test]
fn margins_have_no_limits() {
    let frame = iris();
    assert!(fit(&learner("kernel-least-squares(kernel=linear)"), &frame).limits().is_none());
    assert!(fit(&learner("kernel-logistic(landmarks=20)"), &frame).limits().is_some());
}

fn iris() -> Frame {
    let csv = Csv::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data/iris.csv"));
    let columns = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"];
    Frame::new(&csv, "Species", &columns.map(|name| (name, Kind::Number)))
}

#[test]
fn least_squares_of_the_linear_kernel_is_ridge() {
    let frame = iris();
    let model = fit(&learner("kernel-least-squares(kernel=linear, standardize=none, ridge=2.5)"), &frame);
    let ridge = fit(&LeastSquares { l2: 2.5, ..LeastSquares::default() }, &frame);
    scores(&model, &frame).iter().zip(scores(&ridge, &frame)).for_each(|(a, b)| close(*a, b, 1e-9));
}

/// (K + λ I) a = t − b with Σ a = 0, by elimination in plain loops: what the whole kernel matrix gives.
fn by_hand(x: &[f64], t: &[f64], gamma: f64, lambda: f64) -> Vec<f64> {
    let n = x.len();
    let kernel = |a: f64, b: f64| (-gamma * (a - b) * (a - b)).exp();
    let mut a = vec![vec![0.0; n + 2]; n + 1];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = kernel(x[i], x[j]) + if i == j { lambda } else { 0.0 };
        }
        (a[i][n], a[i][n + 1], a[n][i]) = (1.0, t[i], 1.0);
    }
    for r in 0..=n {
        let best = (r..=n).max_by(|&p, &q| a[p][r].abs().total_cmp(&a[q][r].abs())).unwrap();
        a.swap(r, best);
        for below in r + 1..=n {
            let (factor, row) = (a[below][r] / a[r][r], a[r].clone());
            a[below].iter_mut().zip(&row).skip(r).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    let mut solution = vec![0.0; n + 1];
    for r in (0..=n).rev() {
        let later: f64 = (r + 1..=n).map(|c| a[r][c] * solution[c]).sum();
        solution[r] = (a[r][n + 1] - later) / a[r][r];
    }
    (0..n).map(|i| solution[n] + (0..n).map(|j| solution[j] * kernel(x[i], x[j])).sum::<f64>()).collect()
}

#[test]
fn landmarks_that_say_all_give_the_fit_of_the_whole_matrix() {
    let x: Vec<f64> = (0..30).map(|i| f64::from(i) * 0.37 - 4.0).collect();
    let labels: Vec<u32> = x.iter().map(|x| u32::from((1.5 * x).sin() > 0.0)).collect();
    let classes = Classes::new(vec!["low".into(), "high".into()]).unwrap();
    let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
    let t: Vec<f64> = labels.iter().map(|label| 2.0 * f64::from(*label) - 1.0).collect();
    let frame = Frame { layout, numbers: x.clone(), codes: Vec::new(), labels, weights: None };
    let model = fit(&learner("kernel-least-squares(gamma=2, ridge=0.1, standardize=none)"), &frame);
    assert!(model.is_exact());
    let told = scores(&model, &frame);
    for (i, want) in by_hand(&x, &t, 2.0, 0.1).iter().enumerate() {
        close(told[2 * i + 1], *want, 1e-6);
        assert!(told[2 * i + 1] * t[i] > 0.0);
    }
}

#[test]
fn kernels_bend_where_lines_do_not_and_files_keep_all() {
    let classes = Classes::new(vec!["even".into(), "odd".into()]).unwrap();
    let layout = Layout::new("y", vec![Feature::number("a"), Feature::number("b")], classes, Weighting::None).unwrap();
    let (mut numbers, mut labels) = (Vec::new(), Vec::new());
    for i in 0..100u32 {
        let (a, b) = (f64::from(i % 10) - 4.5, f64::from(i / 10) - 4.5);
        numbers.extend([a, b]);
        labels.push(u32::from(a * b > 0.0));
    }
    let frame = Frame { layout, numbers, codes: Vec::new(), labels, weights: None };
    for options in ["(ridge=0.1)", "(kernel=polynomial, degree=2, ridge=0.01)", "(landmarks=40, ridge=0.1)"] {
        let model: KernelModel = fit(&learner(&format!("kernel-logistic{options}")), &frame);
        let p = probabilities(&model, &frame);
        assert!(p.chunks(2).zip(&frame.labels).all(|(p, label)| p[*label as usize] > 0.5), "{options}");
        let back = persist::load_model(&persist::save_model(&model).unwrap()).unwrap();
        assert_eq!(probabilities(&*back, &frame), p);
        assert_eq!(back.card(), model.card());
    }
}
