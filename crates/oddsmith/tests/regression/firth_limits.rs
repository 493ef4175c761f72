//! Profile limits under Firth's penalty are where the best fit of all, and not just one of several, reaches the level.
//!
//! Small designs of full rank, many of them separated: their penalised likelihood has several local optima along a constraint. The profile at
//! a value is the least of a dense grid over the other parameters, polished; an end is right if the profile has the wanted height there and
//! is lower at all points on the way from the estimate. A limit that is told to be Wald's (W214) is not wrong, but there may be few of them.

use nalgebra::DMatrix;
use oddsmith::model::Classifier;
use oddsmith::model::linear::{Intervals, Logistic};

use crate::problem::Problem;
use crate::separation::Draws;

/// χ²₁ at 95 %.
const QUANTILE: f64 = 3.841_458_820_694_126;
/// Designs, unless `ODDSMITH_DESIGNS` asks for another number.
const WANTED: usize = 120;
/// How far the height of the profile at an end may be from the wanted one.
const HEIGHT: f64 = 1e-6;
/// Points on the way to an end.
const ON_THE_WAY: usize = 10;

/// −log likelihood − ½ ln |I|.
fn objective(problem: &Problem, theta: &[f64]) -> f64 {
    let weights = problem.weights.as_ref().unwrap();
    let size = theta.len();
    let (mut sum, mut information) = (0.0, DMatrix::zeros(size, size));
    for ((x, label), weight) in problem.x.iter().zip(&problem.labels).zip(weights) {
        let z = |k: usize| if k == 0 { 1.0 } else { x[k - 1] };
        let eta: f64 = (0..size).map(|k| z(k) * theta[k]).sum();
        let tail = (-eta.abs()).exp();
        sum += weight * (eta.max(0.0) + tail.ln_1p() - f64::from(*label) * eta);
        let curve = weight * tail / ((1.0 + tail) * (1.0 + tail));
        for a in 0..size {
            for b in 0..size {
                information[(a, b)] += curve * z(a) * z(b);
            }
        }
    }
    let determinant: f64 = information.determinant();
    if determinant > 0.0 { sum - 0.5 * determinant.ln() } else { f64::INFINITY }
}

/// The least objective with one parameter at a value: that of a grid over the others, whose best points are polished by a pattern search.
fn profile(problem: &Problem, at: usize, value: f64, free: usize) -> f64 {
    let size = problem.columns() + 1;
    let others: Vec<usize> = (0..size).filter(|k| *k != at).collect();
    let of = |rest: &[f64]| {
        let mut theta = vec![0.0; size];
        theta[at] = value;
        others.iter().zip(rest).for_each(|(k, t)| theta[*k] = *t);
        objective(problem, &theta)
    };
    let reach = 12.0 + 3.0 * value.abs();
    let step = if free == 1 { reach / 150.0 } else { (reach / 25.0).min(1.0) };
    let marks: Vec<f64> = (0..).map(|i| f64::from(i) * step - reach).take_while(|mark| *mark <= reach).collect();
    let mut grid: Vec<(f64, Vec<f64>)> = match free {
        1 => marks.iter().map(|a| vec![*a]).map(|rest| (of(&rest), rest)).collect(),
        _ => marks.iter().flat_map(|a| marks.iter().map(move |b| vec![*a, *b])).map(|rest| (of(&rest), rest)).collect(),
    };
    grid.sort_by(|a, b| a.0.total_cmp(&b.0));
    let polished = grid.into_iter().take(if free == 1 { 6 } else { 60 }).map(|(mut least, mut rest)| {
        let mut pace = step;
        while pace > 1e-7 {
            let before = least;
            // Along every parameter and every diagonal: valleys are narrow and lie askew.
            for way in (0..3usize.pow(free as u32)).map(|code| (0..free).map(move |k| (code / 3usize.pow(k as u32) % 3) as f64 - 1.0)) {
                let moved: Vec<f64> = rest.iter().zip(way).map(|(at, way)| at + way * pace).collect();
                let value = of(&moved);
                if value < least {
                    (least, rest) = (value, moved);
                }
            }
            if least >= before {
                pace *= 0.5;
            }
        }
        least
    });
    polished.fold(f64::INFINITY, f64::min)
}

/// Rows of few values and counts, two classes, full rank.
fn draw(draws: &mut Draws) -> Problem {
    loop {
        let columns = if draws.within(0, 3) == 0 { 2 } else { 1 };
        let rows = draws.within(columns as i64 + 2, 7) as usize;
        let x: Vec<Vec<f64>> = (0..rows).map(|_| (0..columns).map(|_| draws.within(0, 6) as f64 / 2.0).collect()).collect();
        let labels: Vec<u32> = (0..rows).map(|_| draws.within(0, 1) as u32).collect();
        let weights = (0..rows).map(|_| [1.0, 1.0, 2.0, 3.0, 8.0, 20.0][draws.within(0, 5) as usize]).collect();
        let design = DMatrix::from_fn(rows, columns + 1, |i, k| if k == 0 { 1.0 } else { x[i][k - 1] });
        let full = design.svd(false, false).singular_values.min() > 0.2;
        if full && labels.contains(&0) && labels.contains(&1) {
            return Problem { weights: Some(weights), ..Problem::new(x, labels, 2) };
        }
    }
}

#[test]
fn no_limit_under_firths_penalty_is_one_of_a_worse_fit() {
    let wanted = std::env::var("ODDSMITH_DESIGNS").map_or(WANTED, |number| number.parse().unwrap());
    let learner = Logistic { firth: true, precision: Intervals::Profile, tests: false, ..Logistic::new() };
    let (mut draws, mut ends, mut untold, mut wrong) = (Draws(17), 0, 0, Vec::new());
    for _ in 0..wanted {
        let problem = draw(&mut draws);
        let model = problem.fit(&learner).unwrap();
        let (estimates, precision) = (model.parameters().estimates(), model.precision().unwrap());
        let free = estimates.len() - 1;
        let gave_up = model.notices().iter().any(|told| told.id == "W214");
        let level = objective(&problem, &estimates) + 0.5 * QUANTILE;
        for (at, estimate) in estimates.iter().enumerate() {
            for end in [precision.lower[at], precision.upper[at]] {
                ends += 1;
                let height = profile(&problem, at, end, free) - level;
                let between = (1..ON_THE_WAY).map(|i| estimate + (end - estimate) * i as f64 / ON_THE_WAY as f64);
                let highest = between.map(|b| profile(&problem, at, b, free) - level).fold(f64::NEG_INFINITY, f64::max);
                let right = height.abs() <= HEIGHT && highest <= HEIGHT;
                if !right && gave_up {
                    untold += 1;
                } else if !right {
                    let said = format!("parameter {at}: {end} is {height:.2e} off, on the way {highest:.2e}, from {estimate}");
                    wrong.push(format!("{said}\n  x {:?}\n  y {:?}\n  w {:?}", problem.x, problem.labels, problem.weights));
                }
            }
        }
    }
    println!("{} of {ends} limits are wrong, {untold} were not found", wrong.len());
    assert!(100 * untold <= ends, "{untold} of {ends} limits were not found");
    let shown: Vec<_> = wrong.iter().take(8).cloned().collect();
    assert!(wrong.is_empty(), "{} of {ends} limits\n{}", wrong.len(), shown.join("\n"));
}
