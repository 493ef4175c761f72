//! What a fit must not depend on, and how it must move with its data.

use std::num::NonZeroUsize;

use oddsmith::ErrorKind;
use oddsmith::error::Advice;
use oddsmith::model::linear::{Intervals, Logistic, LogisticModel, Robust};
use oddsmith::num::special::normal;

use crate::problem::{Problem, errors};
use crate::separation::Draws;

/// Agreement of estimates in standard errors, and of standard errors in themselves.
const ACCURACY: f64 = 1e-10;

/// Rows with `columns` covariates and labels that follow them a little.
fn drawn(seed: u64, rows: usize, columns: usize, classes: usize) -> Problem {
    let mut draws = Draws(seed);
    let x: Vec<Vec<f64>> = (0..rows).map(|_| (0..columns).map(|j| draws.number() * (1 + j) as f64 + j as f64).collect()).collect();
    let label = |row: &Vec<f64>| {
        let lean: f64 = row.iter().enumerate().map(|(j, x)| (x - j as f64) * 0.4).sum();
        (((draws.number() + 1.0) / 2.0 * classes as f64 + lean).clamp(0.0, classes as f64 - 1.0)) as u32
    };
    let labels = x.iter().map(label).collect();
    Problem::new(x, labels, classes)
}

fn numbers(model: &LogisticModel) -> Vec<f64> {
    let precision = model.precision().unwrap();
    let limits = precision.lower.iter().chain(&precision.upper);
    let account = model.account();
    let tests = account.tests.iter().map(|test| test.statistic);
    model
        .parameters()
        .estimates()
        .into_iter()
        .chain(precision.matrix.iter().chain(limits).copied())
        .chain([account.log_likelihood])
        .chain(tests)
        .collect()
}

fn bits(model: &LogisticModel) -> Vec<u64> {
    numbers(model).iter().map(|number| number.to_bits()).collect()
}

/// Both fits say the same, up to rounding.
fn assert_same(what: &str, left: &LogisticModel, right: &LogisticModel) {
    let (a, b) = (errors(left), errors(right));
    for (at, (l, r)) in left.parameters().estimates().iter().zip(right.parameters().estimates()).enumerate() {
        assert!((l - r).abs() <= ACCURACY * a[at], "{what}: coefficient {at}: {l} and {r} (± {})", a[at]);
        assert!((a[at] - b[at]).abs() <= ACCURACY * a[at], "{what}: standard error {at}: {} and {}", a[at], b[at]);
    }
    let (l, r) = (left.account().log_likelihood, right.account().log_likelihood);
    assert!((l - r).abs() <= ACCURACY * l.abs(), "{what}: log likelihood {l} and {r}");
}

#[test]
fn threads_change_no_bit() {
    let profile = Logistic { precision: Intervals::Profile, ..Logistic::new() };
    let robust = Logistic { robust: Some(Robust::Hc3), tests: false, ..Logistic::new() };
    let firth = Logistic { firth: true, tests: false, ..Logistic::new() };
    let cases = [
        (drawn(1, 60_000, 4, 2), profile),
        (drawn(2, 40_000, 3, 3), Logistic::new()),
        (drawn(3, 30_000, 2, 2), robust),
        (drawn(4, 30_000, 2, 3), firth),
    ];
    for (problem, learner) in cases {
        let one = bits(&problem.fit_with(&learner, NonZeroUsize::new(1)).unwrap());
        for threads in 2..=4 {
            assert_eq!(one, bits(&problem.fit_with(&learner, NonZeroUsize::new(threads)).unwrap()), "{threads} threads");
        }
    }
}

#[test]
fn the_order_of_rows_does_not_matter() {
    for (rows, classes) in [(90, 2), (40_000, 2), (40_000, 3)] {
        let problem = drawn(5, rows, 3, classes);
        let order: Vec<usize> = (0..rows).map(|i| (i * 7919 + 13) % rows).collect();
        let x = order.iter().map(|i| problem.x[*i].clone()).collect();
        let labels = order.iter().map(|i| problem.labels[*i]).collect();
        let shuffled = Problem::new(x, labels, classes);
        assert_same("shuffled", &problem.fit(&Logistic::new()).unwrap(), &shuffled.fit(&Logistic::new()).unwrap());
    }
}

#[test]
fn a_weight_of_two_is_a_row_twice() {
    for classes in [2, 3] {
        let mut problem = drawn(6, 120, 3, classes);
        let weights: Vec<usize> = (0..120).map(|i| 1 + i % 3).collect();
        let repeated = (0..120).flat_map(|i| std::iter::repeat_n(i, weights[i]));
        let (x, labels) = repeated.map(|i| (problem.x[i].clone(), problem.labels[i])).unzip();
        problem.weights = Some(weights.iter().map(|w| *w as f64).collect());
        let repeated = Problem::new(x, labels, classes);
        assert_same("weighted", &problem.fit(&Logistic::new()).unwrap(), &repeated.fit(&Logistic::new()).unwrap());
        // Leverages, which the last two need, are for two classes.
        for kind in [Robust::Hc0, Robust::Hc1, Robust::Hc2, Robust::Hc3].into_iter().take(if classes == 2 { 4 } else { 2 }) {
            let learner = Logistic { robust: Some(kind), tests: false, ..Logistic::new() };
            assert_same(&format!("weighted {kind:?}"), &problem.fit(&learner).unwrap(), &repeated.fit(&learner).unwrap());
        }
    }
}

#[test]
fn a_weight_of_zero_is_no_row() {
    let mut problem = drawn(7, 100, 2, 2);
    let fewer = Problem::new(problem.x[..80].to_vec(), problem.labels[..80].to_vec(), 2);
    problem.weights = Some((0..100).map(|i| f64::from(u8::from(i < 80))).collect());
    assert_same("without", &problem.fit(&Logistic::new()).unwrap(), &fewer.fit(&Logistic::new()).unwrap());
}

#[test]
fn counts_are_rows_that_were_added_up() {
    let rows = drawn(8, 400, 1, 2);
    let cells: Vec<i64> = rows.x.iter().map(|row| (row[0] * 4.0).round() as i64).collect();
    let single = Problem::new(cells.iter().map(|cell| vec![*cell as f64]).collect(), rows.labels.clone(), 2);
    let mut values = cells.clone();
    values.sort_unstable();
    values.dedup();
    let count = |value: i64, label: u32| cells.iter().zip(&rows.labels).filter(|(c, l)| **c == value && **l == label).count() as f64;
    let grouped = Problem {
        counts: Some(values.iter().map(|value| [count(*value, 1), count(*value, 0)]).collect()),
        ..Problem::new(values.iter().map(|value| vec![*value as f64]).collect(), vec![0; values.len()], 2)
    };
    let (single, grouped) = (single.fit(&Logistic::new()).unwrap(), grouped.fit(&Logistic::new()).unwrap());
    for (at, error) in errors(&single).iter().enumerate() {
        let difference = single.parameters().estimates()[at] - grouped.parameters().estimates()[at];
        assert!(difference.abs() <= ACCURACY * error && (errors(&grouped)[at] - error).abs() <= ACCURACY * error);
    }
}

#[test]
fn swapped_labels_turn_signs() {
    let problem = drawn(9, 300, 3, 2);
    let swapped = Problem { labels: problem.labels.iter().map(|label| 1 - label).collect(), ..problem.clone() };
    let (one, other) = (problem.fit(&Logistic::new()).unwrap(), swapped.fit(&Logistic::new()).unwrap());
    for (at, error) in errors(&one).iter().enumerate() {
        let sum = one.parameters().estimates()[at] + other.parameters().estimates()[at];
        assert!(sum.abs() <= ACCURACY * error, "coefficient {at} differs by {sum}");
        assert!((errors(&other)[at] - error).abs() <= ACCURACY * error);
    }
}

#[test]
fn another_baseline_shows_differences() {
    // The last class first: coefficients against it are differences of those against the old first class.
    let problem = drawn(10, 400, 2, 3);
    let turned = Problem { labels: problem.labels.iter().map(|label| (label + 1) % 3).collect(), ..problem.clone() };
    let (one, other) = (problem.fit(&Logistic::new()).unwrap(), turned.fit(&Logistic::new()).unwrap());
    let (b, c, size) = (one.parameters().estimates(), other.parameters().estimates(), errors(&one));
    for j in 0..3 {
        // Old classes 0, 1, 2 are now 1, 2, 0.
        assert!((c[j] + b[3 + j]).abs() <= ACCURACY * size[3 + j]);
        assert!((c[3 + j] - (b[j] - b[3 + j])).abs() <= ACCURACY * size[j]);
    }
}

#[test]
fn powers_of_two_change_no_digit() {
    for classes in [2, 3] {
        let problem = drawn(11, 500, 3, classes);
        let plain = problem.fit(&Logistic::new()).unwrap();
        for exponent in [-60, -7, 20, 90] {
            let factor = 2f64.powi(exponent);
            let x = problem.x.iter().map(|row| vec![row[0], row[1] * factor, row[2] / factor]).collect();
            let scaled = Problem { x, ..problem.clone() }.fit(&Logistic::new()).unwrap();
            let factors = [1.0, 1.0, factor, factor.recip()];
            let (a, b) = (plain.parameters().estimates(), scaled.parameters().estimates());
            for (at, (a, b)) in a.iter().zip(&b).enumerate() {
                assert_eq!(a.to_bits(), (b * factors[at % 4]).to_bits(), "coefficient {at} with 2^{exponent}: {a} and {b}");
            }
            assert_eq!(plain.account().log_likelihood.to_bits(), scaled.account().log_likelihood.to_bits());
        }
        // Squares leave the range of numbers: another way to the same answer.
        let factor = 2f64.powi(700);
        let x = problem.x.iter().map(|row| vec![row[0], row[1] * factor, row[2] / factor]).collect();
        let scaled = Problem { x, ..problem.clone() }.fit(&Logistic::new()).unwrap();
        let (a, b, size) = (plain.parameters().estimates(), scaled.parameters().estimates(), errors(&plain));
        for (at, (a, b)) in a.iter().zip(&b).enumerate() {
            let b = b * [1.0, 1.0, factor, factor.recip()][at % 4];
            assert!((a - b).abs() <= ACCURACY * size[at], "coefficient {at} with 2^700: {a} and {b}");
        }
    }
}

#[test]
fn columns_without_information_are_named() {
    let problem = drawn(12, 200, 2, 2);
    let plain = problem.fit(&Logistic::new()).unwrap();
    let x = problem.x.iter().map(|row| vec![row[0], 3.7, row[1], 0.1 * row[0] - 0.7 * row[1] + 1e6]).collect();
    let wider = Problem { x, ..problem }.fit(&Logistic::new()).unwrap();
    let named: Vec<&str> = wider.account().aliased.iter().map(|(name, _)| name.as_str()).collect();
    assert!(named.iter().any(|name| name.contains("x2")) && named.iter().any(|name| name.contains("x4")), "{named:?}");
    assert_eq!(named.len(), 2, "{named:?}");
    assert_same("without the idle columns", &plain, &wider);
}

#[test]
fn more_coefficients_than_rows_are_refused_with_advice() {
    let error = drawn(13, 12, 15, 2).fit(&Logistic::new()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoEstimate { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("12 rows") && text.contains("use a penalty (l2=1)"), "{text}");
    let Some(Advice::AnyOf(remedies)) = error.advice() else { panic!("{text}") };
    assert_eq!(remedies[0], Advice::PenaliseWith { l2: 1.0 });
}

#[test]
fn hauck_and_donner_do_not_mislead_the_ratio_test() {
    // 25 of 100 against k of 100: the Wald statistic falls as k grows from 90 to 99, the likelihood ratio does not.
    let table = |k: f64| Problem {
        weights: Some(vec![75.0, 25.0, 100.0 - k, k]),
        ..Problem::new(vec![vec![0.0], vec![0.0], vec![1.0], vec![1.0]], vec![0, 1, 0, 1], 2)
    };
    let entropy = |k: f64| k * (k / 100.0).ln() + (100.0 - k) * (1.0 - k / 100.0).ln();
    let mut before: Option<(f64, f64)> = None;
    for k in [90.0, 95.0, 98.0, 99.0] {
        let model = table(k).fit(&Logistic::new()).unwrap();
        let (slope, error) = (model.parameters().estimates()[1], errors(&model)[1]);
        let want = (k / (100.0 - k)).ln() + 3f64.ln();
        let spread = (1.0 / k + 1.0 / (100.0 - k) + 1.0 / 25.0 + 1.0 / 75.0).sqrt();
        assert!((slope - want).abs() < 1e-12 * want && (error - spread).abs() < 1e-12 * spread);
        let test = &model.account().tests[0];
        let both = (25.0 + k) / 200.0;
        let ratio = 2.0 * (entropy(k) + entropy(25.0) - 200.0 * (both * both.ln() + (1.0 - both) * (1.0 - both).ln()));
        assert!((test.statistic - ratio).abs() < 1e-11 * ratio, "{} is not {ratio}", test.statistic);
        let wald = (slope / error).powi(2);
        if let Some((earlier_wald, earlier_ratio)) = before {
            assert!(wald < earlier_wald && test.statistic > earlier_ratio);
        }
        before = Some((wald, test.statistic));
    }
    // Nearly separated: Wald sees nothing at all.
    let x = [-1e-4, 1e-4, -1.0, -1.25, -1.5, -2.0, 1.0, 1.3, 1.6, 2.1].map(|x| vec![x]).to_vec();
    let model = Problem::new(x, vec![1, 0, 0, 0, 0, 0, 1, 1, 1, 1], 2).fit(&Logistic::new()).unwrap();
    let wald = 2.0 * normal::sf((model.parameters().estimates()[1] / errors(&model)[1]).abs());
    assert!(wald > 0.5 && model.account().tests[0].p_value() < 0.002, "{wald} and {}", model.account().tests[0].p_value());
}

#[test]
fn a_row_far_out_is_not_separation() {
    let problem = drawn(14, 60, 1, 2);
    let plain = problem.fit(&Logistic::new()).unwrap();
    assert!(plain.parameters().estimates()[1] > 0.0);
    for far in [1e3, 1e4, 1e5, 1e6, 1e9] {
        let mut wider = problem.clone();
        wider.x.push(vec![far]);
        wider.labels.push(1);
        // The far row is beyond doubt and adds nothing.
        let model = match wider.fit(&Logistic { tests: false, ..Logistic::new() }) {
            Ok(model) => model,
            // Beside a billion the other rows lie on one point as far as squares can tell: no answer, but no wrong reason either.
            Err(error) if far == 1e9 && !error.to_string().contains("separation") => continue,
            Err(error) => panic!("{far}: {error}"),
        };
        let (a, b, size) = (plain.parameters().estimates(), model.parameters().estimates(), errors(&plain));
        for at in 0..2 {
            // Centring at a mean of far/61 costs the other rows that many digits.
            assert!((a[at] - b[at]).abs() <= (1e-10 + 1e-15 * far) * size[at], "{far}: {} and {}", a[at], b[at]);
        }
    }
}

#[test]
fn what_only_the_last_rows_show_is_seen() {
    // A level, and a huge value, that no sample of the first rows holds.
    let mut problem = drawn(15, 50_000, 2, 2);
    for (i, row) in problem.x.iter_mut().enumerate() {
        row.push(f64::from(u8::from(i >= 49_700)));
        row[1] *= if i == 49_999 { 1e3 } else { 1.0 };
    }
    let turned =
        Problem { x: problem.x.iter().rev().cloned().collect(), labels: problem.labels.iter().rev().copied().collect(), ..problem.clone() };
    assert_same("turned round", &problem.fit(&Logistic::new()).unwrap(), &turned.fit(&Logistic::new()).unwrap());
}

/// A row far out on the side of its class has probability 1 and says nothing, however far it lies.
#[test]
fn a_row_far_away_on_the_right_side_changes_nothing() {
    let near = drawn(21, 300, 2, 2);
    let learner = Logistic { precision: Intervals::Profile, tests: false, ..Logistic::new() };
    let plain = near.fit(&learner).unwrap();
    assert!(plain.parameters().of(0)[0] > 0.1);
    for distance in [1e4, 1e6] {
        let mut problem = near.clone();
        problem.x.push(vec![distance, 0.0]);
        problem.labels.push(1);
        let model = problem.fit(&learner).unwrap();
        let size = errors(&plain);
        for (at, (l, r)) in plain.parameters().estimates().iter().zip(model.parameters().estimates()).enumerate() {
            assert!((l - r).abs() <= 1e-6 * size[at], "a row at {distance}: coefficient {at}: {l} and {r}");
        }
        let limits = model.precision().unwrap();
        assert!(limits.lower.iter().chain(&limits.upper).all(|limit| limit.is_finite()), "{limits:?}");
        assert!((limits.upper[1] / plain.precision().unwrap().upper[1] - 1.0).abs() < 1e-6, "{limits:?}");
    }
}

/// ln Γ of whole numbers.
fn ln_factorial(n: f64) -> f64 {
    (1..=n as usize).map(|k| (k as f64).ln()).sum()
}

#[test]
fn the_penalised_likelihood_of_firth_is_in_the_units_of_the_columns() {
    // ½ ln |X'WX| by hand at the estimate, for columns of spreads whose powers of two do not cancel.
    let mut problem = drawn(77, 60, 2, 2);
    problem.x.iter_mut().for_each(|row| (row[0], row[1]) = (1000.0 * row[0], 300.0 * row[1] + 1e6));
    let model = problem.fit(&Logistic { firth: true, ..Logistic::new() }).unwrap();
    let estimates = model.parameters().estimates();
    // About its own centre a column has the same determinant, and loses no digits.
    let centre: Vec<f64> = (0..2).map(|j| problem.x.iter().map(|row| row[j]).sum::<f64>() / 60.0).collect();
    let intercept = estimates[0] + estimates[1] * centre[0] + estimates[2] * centre[1];
    let (mut likelihood, mut information) = (0.0, nalgebra::Matrix3::<f64>::zeros());
    for (row, label) in problem.x.iter().zip(&problem.labels) {
        let z = nalgebra::Vector3::new(1.0, row[0] - centre[0], row[1] - centre[1]);
        let eta = intercept + estimates[1] * z[1] + estimates[2] * z[2];
        let p = 1.0 / (1.0 + (-eta).exp());
        likelihood += if *label == 1 { p.ln() } else { (1.0 - p).ln() };
        information += p * (1.0 - p) * z * z.transpose();
    }
    let want = likelihood + 0.5 * information.determinant().ln();
    let got = model.account().penalised_log_likelihood.unwrap();
    assert!((got - want).abs() < 1e-9 * want.abs(), "{got} is not {want}");
}

#[test]
fn grouped_counts_have_their_binomial_coefficients_under_firths_penalty_too() {
    let counts = vec![[3.0, 7.0], [5.0, 5.0], [9.0, 2.0], [6.0, 1.0], [2.0, 9.0]];
    let x: Vec<Vec<f64>> = [1.0, 2.0, 4.0, 5.0, 0.5].map(|x| vec![x]).to_vec();
    let grouped = Problem { counts: Some(counts.clone()), ..Problem::new(x.clone(), vec![0; 5], 2) };
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for (x, [events, others]) in x.iter().zip(&counts) {
        for (label, count) in [(1, events), (0, others)] {
            rows.extend(std::iter::repeat_n(x.clone(), *count as usize));
            labels.extend(std::iter::repeat_n(label, *count as usize));
        }
    }
    let single = Problem::new(rows, labels, 2);
    let coefficients: f64 =
        counts.iter().map(|[events, others]| ln_factorial(events + others) - ln_factorial(*events) - ln_factorial(*others)).sum();
    for learner in [Logistic { firth: true, ..Logistic::new() }, Logistic::new()] {
        let (grouped, single) = (grouped.fit(&learner).unwrap(), single.fit(&learner).unwrap());
        let differences = [
            grouped.account().log_likelihood - single.account().log_likelihood,
            grouped.account().penalised_log_likelihood.unwrap_or(coefficients) - single.account().penalised_log_likelihood.unwrap_or(0.0),
            grouped.account().null_penalised_log_likelihood.unwrap_or(coefficients)
                - single.account().null_penalised_log_likelihood.unwrap_or(0.0),
        ];
        for difference in differences {
            assert!((difference - coefficients).abs() < 1e-9, "{difference} is not {coefficients}");
        }
    }
}

#[test]
fn firths_estimates_of_separated_rows_are_where_their_slopes_vanish() {
    // 1e-10 standard errors from the optimum, by the slopes of the penalised likelihood computed anew at the estimates.
    for rows in [8, 20, 60] {
        let x: Vec<Vec<f64>> = (0..rows).map(|i| vec![i as f64, ((i * 7) % 11) as f64]).collect();
        let labels: Vec<u32> = (0..rows).map(|i| u32::from(2 * i >= rows)).collect();
        let model = Problem::new(x.clone(), labels.clone(), 2).fit(&Logistic { firth: true, tests: false, ..Logistic::new() }).unwrap();
        let beta = nalgebra::DVector::from_vec(model.parameters().estimates());
        let design = nalgebra::DMatrix::from_fn(rows, 3, |i, j| if j == 0 { 1.0 } else { x[i][j - 1] });
        let p = (&design * &beta).map(|eta| 1.0 / (1.0 + (-eta).exp()));
        let weighted = nalgebra::DMatrix::from_fn(rows, 3, |i, j| design[(i, j)] * p[i] * (1.0 - p[i]));
        let covariance = (design.transpose() * &weighted).try_inverse().unwrap();
        let slopes: nalgebra::DVector<f64> = (0..rows).fold(nalgebra::DVector::zeros(3), |sum, i| {
            let row = design.row(i).transpose();
            let leverage = p[i] * (1.0 - p[i]) * (row.transpose() * &covariance * &row)[0];
            sum + row * (f64::from(labels[i]) - p[i] + leverage * (0.5 - p[i]))
        });
        let distance = (slopes.transpose() * covariance * &slopes)[0].sqrt();
        assert!(distance < 1e-10, "{rows} rows: {distance:e} standard errors, {:e} were said", model.account().distance);
    }
}
