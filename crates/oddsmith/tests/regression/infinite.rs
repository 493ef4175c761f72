//! Infinite coefficients are those of the supremum of the likelihood.
//!
//! What is reported is proved, not compared with ourselves: along the direction no row loses and some gain, and at the finite point the rows
//! that it leaves where they are have a slope of zero, so that by concavity nothing is higher (Albert and Anderson 1984, Geyer 2009). The
//! finite coefficients are those of a plain fit of those rows, and a finite limit is where a constrained search of this file's own is as far
//! below the supremum as the quantile says.

use nalgebra::{DMatrix, DVector};
use oddsmith::ErrorKind;
use oddsmith::model::linear::{Intervals, Logistic, LogisticModel, OnSeparation};

use crate::problem::Problem;
use crate::separation::Draws;

/// χ²₁ at 95 %.
const QUANTILE: f64 = 3.841_458_820_694_126;

fn learner() -> Logistic {
    Logistic { on_separation: OnSeparation::Infinite, precision: Intervals::Profile, ..Logistic::new() }
}

/// 8 events of 20 where the column is 0, 7 of 7 where it is 1.
fn known() -> Problem {
    let cells = [(0.0, 0, 12), (0.0, 1, 8), (1.0, 1, 7)];
    let rows = || cells.iter().flat_map(|(x, label, count)| std::iter::repeat_n((*x, *label), *count));
    Problem::new(rows().map(|(x, _)| vec![x]).collect(), rows().map(|(_, label)| label).collect(), 2)
}

#[test]
fn a_column_that_settles_one_of_its_values_has_an_infinite_odds_ratio_with_one_limit() {
    let model = known().fit(&learner()).unwrap();
    let estimates = model.parameters().estimates();
    assert!((estimates[0] - (8.0f64 / 12.0).ln()).abs() < 1e-12 && estimates[1] == f64::INFINITY, "{estimates:?}");
    // The limit by mpmath with 40 digits; those of the intercept are the profile limits of 8 of 20, in closed form up to one root.
    let precision = model.precision().unwrap();
    assert!((precision.lower[1] - 1.396_023_091_808_583_7).abs() < 1e-9 && precision.upper[1] == f64::INFINITY, "{:?}", precision.lower);
    let supremum = 8.0 * 0.4f64.ln() + 12.0 * 0.6f64.ln();
    let share = |b: f64| 8.0 * b - 20.0 * b.exp().ln_1p();
    for end in [precision.lower[0], precision.upper[0]] {
        assert!((2.0 * (supremum - share(end)) - QUANTILE).abs() < 1e-9, "{end}");
    }
    assert!((model.account().log_likelihood - supremum).abs() < 1e-12);
    // The test of the column against 15 events of 27.
    let null = 15.0 * (15.0f64 / 27.0).ln() + 12.0 * (12.0f64 / 27.0).ln();
    assert!((model.account().tests[0].statistic - 2.0 * (supremum - null)).abs() < 1e-10);
    let waldish = known().fit(&Logistic { precision: Intervals::Wald, ..learner() }).unwrap();
    assert!((waldish.precision().unwrap().lower[1] - precision.lower[1]).abs() < 1e-9);
}

#[test]
fn what_has_no_one_direction_is_refused_with_the_reason() {
    let complete = Problem::new((0..8).map(|i| vec![f64::from(i)]).collect(), (0..8).map(|i| u32::from(i > 3)).collect(), 2);
    // Two columns, each of which settles a value of its own.
    let cells = [(0.0, 0.0, 0), (0.0, 0.0, 1), (1.0, 0.0, 1), (0.0, 1.0, 0)];
    let rows = || cells.iter().cycle().take(24);
    let two = Problem::new(rows().map(|(a, b, _)| vec![*a, *b]).collect(), rows().map(|(.., label)| *label).collect(), 2);
    for (problem, reason) in [(complete, "completely"), (two, "more than one direction")] {
        let error = problem.fit(&learner()).map(|_| ()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoEstimate { .. }) && error.to_string().contains(reason), "{error}");
    }
}

/// Integer designs of two classes with ties, so that many are separated and not completely.
fn draw(draws: &mut Draws) -> Problem {
    let columns = draws.within(1, 3) as usize;
    let rows = draws.within(10, 40) as usize;
    let slopes: Vec<i64> = (0..=columns).map(|_| draws.within(-2, 2)).collect();
    let mut problem = Problem::new(Vec::new(), Vec::new(), 2);
    for _ in 0..rows {
        let x: Vec<i64> = (0..columns).map(|_| draws.within(-1, 2)).collect();
        let score = slopes[0] + slopes[1..].iter().zip(&x).map(|(s, x)| s * x).sum::<i64>();
        problem.labels.push(if score == 0 { draws.within(0, 1) as u32 } else { u32::from(score > 0) });
        problem.x.push(x.iter().map(|x| *x as f64).collect());
    }
    problem
}

/// Rows as (1, x) with the sign of their class.
fn signed(problem: &Problem) -> Vec<(DVector<f64>, f64)> {
    let row = |(x, label): (&Vec<f64>, &u32)| {
        let z = DVector::from_iterator(x.len() + 1, std::iter::once(1.0).chain(x.iter().copied()));
        (z, if *label == 1 { 1.0 } else { -1.0 })
    };
    problem.x.iter().zip(&problem.labels).map(row).collect()
}

/// ln(1 + e^−m) of a margin, its slope and its curvature.
fn loss(margin: f64) -> (f64, f64, f64) {
    let p = 1.0 / (1.0 + margin.exp());
    ((-margin).max(0.0) + (-margin.abs()).exp().ln_1p(), -p, p * (1.0 - p))
}

/// The least loss with one parameter at a value, by Newton's method with steps halved.
fn profile(rows: &[(DVector<f64>, f64)], at: usize, value: f64) -> f64 {
    let size = rows[0].0.len();
    let mut theta = DVector::zeros(size);
    theta[at] = value;
    let total = |theta: &DVector<f64>| rows.iter().map(|(z, sign)| loss(sign * z.dot(theta)).0).sum::<f64>();
    for _ in 0..200 {
        let (mut slope, mut curve) = (DVector::zeros(size), DMatrix::zeros(size, size));
        for (z, sign) in rows {
            let (_, first, second) = loss(sign * z.dot(&theta));
            slope += z * (sign * first);
            curve += z * z.transpose() * second;
        }
        slope[at] = 0.0;
        curve.row_mut(at).fill(0.0);
        curve.column_mut(at).fill(0.0);
        curve[(at, at)] = 1.0;
        let Some(step) = curve.lu().solve(&slope) else { break };
        let mut share = 1.0;
        while share > 1e-9 && total(&(&theta - &step * share)) > total(&theta) {
            share *= 0.5;
        }
        theta -= &step * share;
        if step.norm() * share < 1e-13 * (1.0 + theta.norm()) {
            break;
        }
    }
    total(&theta)
}

/// What is wrong with a report of infinite coefficients.
fn fault(problem: &Problem, model: &LogisticModel) -> Option<String> {
    let rows = signed(problem);
    let (parameters, precision) = (model.parameters(), model.precision().unwrap());
    let rise = parameters.rise.as_ref().unwrap();
    let direction = DVector::from_iterator(rows[0].0.len(), std::iter::once(rise.intercept).chain(rise.coefficients.iter().copied()));
    let gain = |(z, sign): &(DVector<f64>, f64)| {
        let gain = sign * z.dot(&direction);
        if gain.abs() < 1e-9 { 0.0 } else { gain }
    };
    if rows.iter().any(|row| gain(row) < 0.0) || rows.iter().all(|row| gain(row) == 0.0) {
        return Some(format!("the direction {direction} does not separate"));
    }
    let undecided: Vec<usize> = (0..rows.len()).filter(|i| gain(&rows[*i]) == 0.0).collect();
    let intercept = parameters.base[0] - parameters.centre.iter().zip(&rise.finite).map(|(c, b)| c * b).sum::<f64>();
    let point = DVector::from_iterator(direction.len(), std::iter::once(intercept).chain(rise.finite.iter().copied()));
    let slope = undecided.iter().fold(DVector::zeros(point.len()), |sum, i| {
        let (z, sign) = &rows[*i];
        sum + z * (sign * loss(sign * z.dot(&point)).1)
    });
    if slope.amax() > 1e-8 * rows.len() as f64 {
        return Some(format!("the undecided rows have the slope {slope}"));
    }
    let supremum: f64 = undecided.iter().map(|i| loss(rows[*i].1 * rows[*i].0.dot(&point)).0).sum();
    if (supremum + model.account().log_likelihood).abs() > 1e-9 * (1.0 + supremum) {
        return Some(format!("the supremum is {supremum}, not {}", model.account().log_likelihood));
    }
    let estimates = parameters.estimates();
    let plain = |problem: &Problem| problem.fit(&Logistic { precision: Intervals::Profile, ..Logistic::new() });
    let reduced = without(problem, &undecided, (1..direction.len()).find(|j| direction[*j] != 0.0).unwrap() - 1);
    let finite = plain(&reduced.0).ok();
    for (j, estimate) in estimates.iter().enumerate() {
        let ends = [precision.lower[j], precision.upper[j]];
        if direction[j] == 0.0 {
            let at = reduced.1.iter().position(|k| *k == j).unwrap();
            let Some(finite) = &finite else { return Some("the undecided rows have no fit of their own".into()) };
            let known = finite.precision().unwrap();
            let want = [finite.parameters().estimates()[at], known.lower[at], known.upper[at]];
            for (got, want) in [*estimate, ends[0], ends[1]].iter().zip(want) {
                if (got - want).abs() > 1e-6 * (1.0 + want.abs()) {
                    return Some(format!("parameter {j} is {got}, and {want} among the undecided rows"));
                }
            }
            continue;
        }
        let (finite, infinite) = if direction[j] > 0.0 { (ends[0], ends[1]) } else { (ends[1], ends[0]) };
        if *estimate != direction[j] * f64::INFINITY || infinite != *estimate {
            return Some(format!("parameter {j} rises by {}, not to {estimate} ({ends:?})", direction[j]));
        }
        let distance = 2.0 * (profile(&rows, j, finite) - supremum);
        if (distance - QUANTILE).abs() > 1e-6 {
            return Some(format!("the limit {finite} of parameter {j} lies {distance} below the supremum"));
        }
    }
    None
}

/// Some rows without a column, and which parameters are left.
fn without(problem: &Problem, rows: &[usize], column: usize) -> (Problem, Vec<usize>) {
    let left: Vec<usize> = (0..problem.columns()).filter(|j| *j != column).collect();
    let x = rows.iter().map(|i| left.iter().map(|j| problem.x[*i][*j]).collect()).collect();
    let labels = rows.iter().map(|i| problem.labels[*i]).collect();
    (Problem::new(x, labels, 2), std::iter::once(0).chain(left.iter().map(|j| j + 1)).collect())
}

#[test]
fn every_report_of_infinite_coefficients_is_proved() {
    let (mut draws, mut told, mut refused, mut wrong) = (Draws(99), 0, 0, Vec::new());
    while told < 150 {
        let problem = draw(&mut draws);
        match problem.fit(&learner()) {
            Ok(model) if model.parameters().rise.is_some() => {
                told += 1;
                wrong.extend(fault(&problem, &model).map(|fault| format!("{fault}\n  x {:?}\n  y {:?}", problem.x, problem.labels)));
            }
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    println!("{told} reports, {refused} refusals");
    let shown: Vec<_> = wrong.iter().take(5).cloned().collect();
    assert!(wrong.is_empty(), "{} of {told}\n{}", wrong.len(), shown.join("\n"));
}
