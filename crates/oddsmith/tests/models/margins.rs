//! Least squares and the perceptron against closed forms and known answers.

use std::num::NonZeroUsize;

use crate::support::{Csv, Frame, RowByRow, close, same_digits};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Kind, Layout, ViewSource, Weighting};
use oddsmith::error::ErrorKind;
use oddsmith::model::discriminant::{DiscriminantParams, Lda};
use oddsmith::model::margin::{Coding, LeastSquares, LeastSquaresModel, Perceptron, PerceptronModel, Variant, Verdict};
use oddsmith::model::{Classifier, Learner, Predictions, Predictor, Scale, Scores};
use oddsmith::num::MatrixView;
use oddsmith::{persist, train};

const COLUMNS: [(&str, Kind); 4] =
    [("Sepal.Length", Kind::Number), ("Sepal.Width", Kind::Number), ("Petal.Length", Kind::Number), ("Petal.Width", Kind::Number)];

fn golden(name: &str) -> Csv {
    Csv::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data").join(name))
}

/// Rows of iris of some species.
fn iris(species: &[&str]) -> Frame {
    let mut csv = golden("iris.csv");
    let at = csv.names.iter().position(|name| name == "Species").unwrap();
    csv.rows.retain(|row| species.contains(&row[at].as_str()));
    Frame::new(&csv, "Species", &COLUMNS)
}

fn fit<L: Learner>(learner: &L, frame: &Frame) -> L::Model {
    train::fit(learner, &frame.source(), None, &Control::new()).unwrap().model
}

fn scores(model: &dyn Classifier, frame: &Frame) -> Scores {
    let mut scores = Scores::new();
    model.score(&frame.features(), &mut scores).unwrap();
    scores
}

fn errors(model: &dyn Classifier, frame: &Frame) -> usize {
    let scores = scores(model, frame);
    let best = |i: usize| (1..scores.classes()).fold(0, |best, k| if scores.row(i)[k] > scores.row(i)[best] { k } else { best });
    (0..frame.rows()).filter(|&i| best(i) as u32 != frame.labels[i]).count()
}

fn zero_one() -> LeastSquares {
    LeastSquares { coding: Coding::ZeroOne, ..LeastSquares::default() }
}

#[test]
fn two_kinds_of_iris_have_the_known_line() {
    let frame = iris(&["versicolor", "virginica"]);
    let model = fit(&zero_one(), &frame);
    // Two programs agree on these digits.
    let want = [-0.4186388638, -0.1960595997, -0.307550348, 0.3842643785, 0.6828446513];
    close(model.intercept(1), want[0], 1e-9);
    model.coefficients(1).iter().zip(&want[1..]).for_each(|(got, want)| close(*got, *want, 1e-9));
    assert_eq!(errors(&model, &frame), 3);
    // The direction is that of LDA, with the covariance divided by N − K.
    let params = DiscriminantParams { divisor: oddsmith::model::Divisor::Unbiased, ..DiscriminantParams::default() };
    let weights = fit(&Lda::new(params), &frame).linear().unwrap().weights(&frame.layout);
    for (weight, b) in weights[1..].iter().zip(model.coefficients(1)) {
        same_digits(weight.values[1] / b, 18.13888581, 1e-9);
    }
}

#[test]
fn other_codings_double_the_coefficients_and_change_no_class() {
    for species in [&["versicolor", "virginica"][..], &["setosa", "versicolor", "virginica"]] {
        let frame = iris(species);
        let (left, right) = (fit(&zero_one(), &frame), fit(&LeastSquares::default(), &frame));
        for k in 0..species.len() {
            close(right.intercept(k), 2.0 * left.intercept(k) - 1.0, 1e-13);
            left.coefficients(k).iter().zip(right.coefficients(k)).for_each(|(a, b)| close(b, 2.0 * a, 1e-13));
        }
        let (a, b) = (scores(&left, &frame), scores(&right, &frame));
        a.values().iter().zip(b.values()).for_each(|(a, b)| close(*b, 2.0 * a - 1.0, 1e-13));
        (0..frame.rows()).for_each(|i| close(a.row(i).iter().sum(), 1.0, 1e-12));
    }
}

/// (XᵀX + λ I)⁻¹ Xᵀt with centred columns, by elimination in plain loops.
fn ridge_by_hand(frame: &Frame, l2: f64) -> Vec<f64> {
    let (n, p) = (frame.rows(), 4);
    let x = |i: usize, j: usize| frame.numbers[i * p + j];
    let mean: Vec<f64> = (0..p).map(|j| (0..n).map(|i| x(i, j)).sum::<f64>() / n as f64).collect();
    let t: Vec<f64> = frame.labels.iter().map(|label| f64::from(*label)).collect();
    let mut a = vec![vec![0.0; p + 1]; p];
    for (i, t) in t.iter().enumerate() {
        for r in 0..p {
            for c in 0..p {
                a[r][c] += (x(i, r) - mean[r]) * (x(i, c) - mean[c]);
            }
            a[r][p] += (x(i, r) - mean[r]) * t;
        }
    }
    (0..p).for_each(|j| a[j][j] += l2);
    for r in 0..p {
        for below in r + 1..p {
            let (factor, row) = (a[below][r] / a[r][r], a[r].clone());
            a[below].iter_mut().zip(&row).skip(r).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    let mut b = vec![0.0; p];
    for r in (0..p).rev() {
        let later: f64 = (r + 1..p).map(|c| a[r][c] * b[c]).sum();
        b[r] = (a[r][p] - later) / a[r][r];
    }
    b
}

#[test]
fn a_penalty_is_that_of_ridge_regression() {
    let frame = iris(&["versicolor", "virginica"]);
    for l2 in [0.0, 0.3, 10.0, 1e4] {
        let model = fit(&LeastSquares { l2, ..zero_one() }, &frame);
        model.coefficients(1).iter().zip(ridge_by_hand(&frame, l2)).for_each(|(got, want)| same_digits(*got, want, 1e-10));
    }
}

/// A frame of plain numbers and labels.
fn frame(columns: &[&str], rows: &[(&[f64], u32)]) -> Frame {
    let classes = 1 + rows.iter().map(|row| row.1).max().unwrap();
    let classes = Classes::new((0..classes).map(|k| format!("c{k}")).collect()).unwrap();
    let layout = Layout::new("y", columns.iter().map(|name| Feature::number(*name)).collect(), classes, Weighting::None).unwrap();
    let numbers = rows.iter().flat_map(|row| row.0.iter().copied()).collect();
    Frame { layout, numbers, codes: Vec::new(), labels: rows.iter().map(|row| row.1).collect(), weights: None }
}

#[test]
fn a_far_row_on_its_own_side_spoils_the_line_of_least_squares_alone() {
    // Ten rows that a threshold at 0 tells apart, and then one more far out on the right side.
    let near: Vec<(Vec<f64>, u32)> = (-5..5).map(|i| (vec![f64::from(i) + 0.5], u32::from(i >= 0))).collect();
    let far = [near.clone(), vec![(vec![200.0], 1)]].concat();
    let of = |rows: &[(Vec<f64>, u32)]| frame(&["x"], &rows.iter().map(|row| (&row.0[..], row.1)).collect::<Vec<_>>());
    let (near, far) = (of(&near), of(&far));
    assert_eq!(errors(&fit(&zero_one(), &near), &near), 0);
    assert_eq!(errors(&fit(&zero_one(), &far), &far), 2, "the far row should pull the line over two of the others");
    let logistic = oddsmith::model::linear::Logistic { l2: 1e-3, ..Default::default() };
    assert_eq!(errors(&fit(&logistic, &far), &far), 0);
}

#[test]
fn columns_that_others_explain_have_no_coefficient_and_predictions_do_not_suffer() {
    let plain = iris(&["versicolor", "virginica"]);
    let rows: Vec<(Vec<f64>, u32)> = (0..plain.rows())
        .map(|i| {
            let row = &plain.numbers[4 * i..4 * i + 4];
            (vec![row[0], row[1], row[0] + 2.0 * row[1], row[2], row[3], 7.0], plain.labels[i])
        })
        .collect();
    let wide = frame(&["a", "b", "twice", "c", "d", "seven"], &rows.iter().map(|row| (&row.0[..], row.1)).collect::<Vec<_>>());
    let model = fit(&zero_one(), &wide);
    let ids: Vec<(&str, Option<String>)> = model.notices().iter().map(|notice| (notice.id, notice.column.clone())).collect();
    assert_eq!(ids, [("W201", Some("seven".into())), ("W211", Some("twice".into()))]);
    let (left, right) = (scores(&fit(&zero_one(), &plain), &plain), scores(&model, &wide));
    left.values().iter().zip(right.values()).for_each(|(a, b)| close(*b, *a, 1e-10));
    assert_eq!(model.free_parameters(), 5);
}

#[test]
fn margins_are_no_probabilities_before_they_are_calibrated() {
    let frame = iris(&["versicolor", "virginica"]);
    let model = fit(&LeastSquares::default(), &frame);
    assert_eq!(model.scale(), Scale::Margin);
    let refused = Predictor::new(&model).predict(&frame.features(), &mut Predictions::new()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Unsupported { .. }) && refused.to_string().contains("calibrate"), "{refused}");
}

#[test]
fn the_perceptron_takes_the_known_steps() {
    let frame = iris(&["setosa", "versicolor"]);
    let last = Perceptron { variant: Variant::Last, ..Perceptron::default() };
    let check = |model: &PerceptronModel| {
        let want = [-1.0, -1.3, -4.1, 5.2, 2.2];
        model.weights(0).iter().zip(want).for_each(|(got, want)| close(*got, want, 1e-14));
        assert_eq!((model.mistakes().len(), model.mistakes().iter().sum::<u64>(), model.converged()), (4, 5, true));
        assert_eq!(model.mistakes().last(), Some(&0));
        assert_eq!(errors(model, &frame), 0);
    };
    check(&fit(&last, &frame));
    // Neither partitions nor threads change the order of rows.
    for threads in [1, 2, 8] {
        check(&train::fit(&last, &RowByRow(&frame), NonZeroUsize::new(threads), &Control::new()).unwrap().model);
    }
}

#[test]
fn the_margin_of_the_last_weights_bounds_the_mistakes() {
    let frame = iris(&["setosa", "versicolor"]);
    let model = fit(&Perceptron { variant: Variant::Last, ..Perceptron::default() }, &frame);
    let w = model.weights(0);
    let length = w.iter().map(|w| w * w).sum::<f64>().sqrt();
    let (mut radius, mut margin) = (0.0f64, f64::INFINITY);
    for i in 0..frame.rows() {
        let x: Vec<f64> = std::iter::once(1.0).chain(frame.numbers[4 * i..4 * i + 4].iter().copied()).collect();
        let y = if frame.labels[i] == 1 { 1.0 } else { -1.0 };
        radius = radius.max(x.iter().map(|x| x * x).sum::<f64>().sqrt());
        margin = margin.min(y * w.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() / length);
    }
    let fact = |name: &str| match model.card().facts.iter().find(|(known, _)| known == name) {
        Some((_, oddsmith::card::Cell::Number(value))) => *value,
        other => panic!("{name}: {other:?}"),
    };
    close(fact("radius"), radius, 1e-13);
    close(fact("margin"), margin, 1e-12);
    close(fact("bound of mistakes"), (radius / margin).powi(2), 1e-11);
    assert!(model.mistakes().iter().sum::<u64>() as f64 <= fact("bound of mistakes"));
}

#[test]
fn two_columns_have_the_condition_of_their_correlation() {
    // ‖A‖ ‖A⁻¹‖ / 2 of ((1, ρ), (ρ, 1)) in the norm of Frobenius is (1 + ρ²)/(1 − ρ²).
    let rows = [(&[1.0, 2.0][..], 0), (&[2.0, 1.0], 1), (&[3.0, 4.5], 0), (&[4.0, 3.0], 1), (&[5.0, 6.0], 1)];
    let table = frame(&["a", "b"], &rows);
    let mean = |j: usize| rows.iter().map(|row| row.0[j]).sum::<f64>() / 5.0;
    let product = |i: usize, j: usize| rows.iter().map(|row| (row.0[i] - mean(i)) * (row.0[j] - mean(j))).sum::<f64>();
    let squared = product(0, 1).powi(2) / (product(0, 0) * product(1, 1));
    let model = fit(&zero_one(), &table);
    let told = model.card().facts.into_iter().find(|(name, _)| name == "condition number").unwrap().1;
    let oddsmith::card::Cell::Number(told) = told else { panic!("no condition number") };
    close(told, (1.0 + squared) / (1.0 - squared), 1e-12);
}

#[test]
fn averaged_weights_are_the_mean_of_all_weights() {
    let frame = iris(&["versicolor", "virginica"]);
    let model = fit(&Perceptron { epochs: 3, ..Perceptron::default() }, &frame);
    let (mut w, mut sum) = ([0.0; 5], [0.0; 5]);
    let mut mistakes = vec![0u64; 3];
    for mistakes in &mut mistakes {
        for i in 0..frame.rows() {
            let x: Vec<f64> = std::iter::once(1.0).chain(frame.numbers[4 * i..4 * i + 4].iter().copied()).collect();
            let y = if frame.labels[i] == 1 { 1.0 } else { -1.0 };
            if y * w.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() <= 0.0 {
                w.iter_mut().zip(&x).for_each(|(w, x)| *w += y * x);
                *mistakes += 1;
            }
            sum.iter_mut().zip(&w).for_each(|(sum, w)| *sum += w);
        }
    }
    model.weights(0).iter().zip(sum).for_each(|(got, sum)| close(*got, sum / (3 * frame.rows()) as f64, 1e-10));
    assert_eq!(model.mistakes(), mistakes);
}

const XOR: [(&[f64], u32); 4] = [(&[0.0, 0.0], 0), (&[0.0, 1.0], 1), (&[1.0, 0.0], 1), (&[1.0, 1.0], 0)];

#[test]
fn exclusive_or_fails_and_the_verdict_says_why() {
    let model = fit(&Perceptron::default(), &frame(&["a", "b"], &XOR));
    assert!(!model.converged());
    assert_eq!(model.verdict(), Some(Verdict::Overlapping));
    let notices = model.notices();
    assert!(notices.len() == 1 && notices[0].id == "W431" && notices[0].text.contains("no line tells the classes apart"), "{notices:?}");
    // Where a line exists and epochs are too few, the verdict says so.
    let narrow: Vec<(Vec<f64>, u32)> = (0..40).map(|i| (vec![f64::from(i)], u32::from(i > 29))).collect();
    let narrow = frame(&["x"], &narrow.iter().map(|row| (&row.0[..], row.1)).collect::<Vec<_>>());
    let model = fit(&Perceptron { epochs: 2, ..Perceptron::default() }, &narrow);
    assert_eq!(model.verdict(), Some(Verdict::Separable));
    let model = fit(&Perceptron { epochs: 100_000, variant: Variant::Last, ..Perceptron::default() }, &narrow);
    assert!(model.converged() && errors(&model, &narrow) == 0);
    // Novikoff: no more steps than R²/γ² for any separating vector; 29.5 is the middle of the gap.
    let gamma = 0.5 / (1.0 + 29.5f64 * 29.5).sqrt();
    let steps = model.mistakes().iter().sum::<u64>() as f64;
    assert!(steps <= (1.0 + 39.0 * 39.0) / (gamma * gamma), "{steps}");
}

#[test]
fn of_several_classes_each_is_asked_for_against_the_others() {
    // On a line the outer classes have a side of their own, and the one between them has none.
    let line: Vec<(Vec<f64>, u32)> = (0..12).map(|i| (vec![f64::from(i)], i / 4)).collect();
    let of = |rows: &[(Vec<f64>, u32)], columns: &[&str]| frame(columns, &rows.iter().map(|row| (&row.0[..], row.1)).collect::<Vec<_>>());
    let model = fit(&Perceptron { epochs: 50, ..Perceptron::default() }, &of(&line, &["x"]));
    assert_eq!((model.converged(), model.verdict()), (false, Some(Verdict::Overlapping)));
    let notices = model.notices();
    assert!(notices[0].text.contains("no line tells `c1` from the other classes"), "{notices:?}");
    // On a parabola every class is in a corner; too few epochs are not taken for overlap.
    let bent: Vec<(Vec<f64>, u32)> = line.iter().map(|(x, class)| (vec![x[0], x[0] * x[0]], *class)).collect();
    let model = fit(&Perceptron { epochs: 2, ..Perceptron::default() }, &of(&bent, &["x", "square"]));
    assert_eq!((model.converged(), model.verdict()), (false, Some(Verdict::Separable)));
    // Rows of two classes at one place, with all others on their sides, only touch.
    let mut shared = bent.clone();
    shared.push((vec![4.0, 16.0], 0));
    let model = fit(&Perceptron { epochs: 50, ..Perceptron::default() }, &of(&shared, &["x", "square"]));
    assert_eq!(model.verdict(), Some(Verdict::Touching));
    // Setosa has a line of its own, the other two kinds have none.
    let model = fit(&Perceptron { epochs: 20, ..Perceptron::default() }, &iris(&["setosa", "versicolor", "virginica"]));
    let notices = model.notices();
    assert!(notices[0].text.contains("no line tells `versicolor`, `virginica` from the other classes"), "{notices:?}");
}

#[test]
fn the_pocket_keeps_what_errs_least() {
    let frame = iris(&["versicolor", "virginica"]);
    let of = |variant| fit(&Perceptron { variant, epochs: 40, verdict: false, ..Perceptron::default() }, &frame);
    let (pocket, last) = (errors(&of(Variant::Pocket), &frame), errors(&of(Variant::Last), &frame));
    assert!(pocket <= last && last > 10, "{pocket} errors of the pocket, {last} of the last weights");
    assert!(errors(&of(Variant::Averaged), &frame) <= 10);
}

#[test]
fn three_kinds_have_a_line_each_and_files_keep_all_of_it() {
    let frame = iris(&["setosa", "versicolor", "virginica"]);
    let (least, perceptron) = (fit(&LeastSquares { l2: 2.0, ..LeastSquares::default() }, &frame), fit(&Perceptron::default(), &frame));
    let models: [&dyn Classifier; 2] = [&least as &LeastSquaresModel, &perceptron as &PerceptronModel];
    for model in models {
        let bytes = persist::save_model(model).unwrap();
        let back = persist::load_model(&bytes).unwrap();
        assert_eq!(scores(&*back, &frame).values(), scores(model, &frame).values());
        assert_eq!(back.card(), model.card());
    }
    assert!(errors(&least, &frame) < 30);
}

#[test]
fn rows_without_a_value_are_left_out_or_filled() {
    let mut gaps = iris(&["versicolor", "virginica"]);
    gaps.numbers[4 * 7 + 2] = f64::NAN;
    let mut without = iris(&["versicolor", "virginica"]);
    without.numbers.drain(28..32);
    without.labels.remove(7);
    let (left, right) = (fit(&zero_one(), &gaps), fit(&zero_one(), &without));
    left.coefficients(1).iter().zip(right.coefficients(1)).for_each(|(a, b)| close(*a, b, 1e-12));
    assert_eq!(left.notices()[0].id, "W121");
    let out = scores(&left, &gaps);
    assert!(out.row(7).iter().all(|score| score.is_nan()) && out.row(8).iter().all(|score| score.is_finite()));
    let options = oddsmith::data::DesignOptions { missing: oddsmith::data::design::MissingPolicy::Mean, ..Default::default() };
    let filled = fit(&LeastSquares { options, ..zero_one() }, &gaps);
    assert!(scores(&filled, &gaps).values().iter().all(|score| score.is_finite()));
    let bare = Features::of_numbers(MatrixView::row_major(&gaps.numbers, gaps.rows(), 4).unwrap());
    assert!(ViewSource::new(&gaps.layout, bare, &gaps.labels, None).is_ok());
}
