//! Times of the passes of regressions at the shapes of the benchmark workloads.
//!
//! `cargo run --release -p oddsmith --example regression_times [name…]` prints every pass and the total of the best of several
//! runs; names select workloads by their beginning.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Instant;

use oddsmith::control::Control;
use oddsmith::data::{Classes, Csr, Feature, Features, Layout, Source, ViewSource, Vocabulary, Weighting, WordValue};
use oddsmith::model::linear::{Intervals, Logistic};
use oddsmith::model::{Learner, PassInfo, Step};
use oddsmith::num::MatrixView;
use oddsmith::train::pass;

const RUNS: usize = 3;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.starts_with(&w[..]));
    let fast = Logistic { precision: Intervals::None, ..Logistic::new() };
    let workloads = [
        ("dense", 500_000, 50, 2, Logistic { l2: 1.0, ..fast.clone() }),
        ("unpenalised", 500_000, 50, 2, fast.clone()),
        ("inference", 500_000, 30, 2, Logistic { tests: false, ..Logistic::new() }),
        ("profile", 500_000, 30, 2, Logistic { precision: Intervals::Profile, ..Logistic::new() }),
        ("wide", 20_000, 500, 2, Logistic { l2: 1.0, ..fast.clone() }),
        ("softmax", 200_000, 50, 10, Logistic { l2: 1.0, ..fast }),
    ];
    if chosen("sparse") {
        time_sparse(200_000, 100_000, &Logistic { l2: 1.0, precision: Intervals::None, ..Logistic::new() });
    }
    for (name, rows, columns, classes, learner) in workloads.into_iter().filter(|w| chosen(w.0)) {
        time(name, rows, columns, classes, &learner);
    }
}

fn time(name: &str, rows: usize, columns: usize, classes: usize, learner: &Logistic) {
    let (cells, labels) = data(rows, columns, classes);
    let features = (0..columns).map(|j| Feature::number(format!("x{j}"))).collect();
    let labelled = Classes::new((0..classes).map(|k| k.to_string()).collect()).unwrap();
    let layout = Layout::new("y", features, labelled, Weighting::None).unwrap();
    let view = Features::of_numbers(MatrixView::row_major(&cells, rows, columns).unwrap());
    let source = ViewSource::new(&layout, view, &labels, None).unwrap();
    let mut best = (f64::INFINITY, Vec::new());
    for _ in 0..RUNS {
        let started = Instant::now();
        let times = passes(learner, &source);
        let total = started.elapsed().as_secs_f64() * 1e3;
        if total < best.0 {
            best = (total, times);
        }
    }
    let each: Vec<String> = best.1.iter().map(|ms| format!("{ms:.1}")).collect();
    println!("{name:12} {rows} × {columns}, {classes} classes: {:7.1} ms in passes of {}", best.0, each.join(" "));
}

fn passes(learner: &Logistic, source: &dyn Source) -> Vec<f64> {
    let control = Control::new();
    let mut times = Vec::new();
    let mut empty = learner.begin(&Arc::new(source.layout().clone()), &PassInfo::of(source)).unwrap();
    loop {
        let start = Instant::now();
        let sums = pass(source, &empty, None, &control).unwrap();
        let step = learner.finish(&sums).unwrap();
        times.push(start.elapsed().as_secs_f64() * 1e3);
        match step {
            Step::Again(next) => empty = next,
            Step::Done(_) => return times,
        }
    }
}

/// Rows of about sixty words each, drawn by Zipf's law.
fn time_sparse(rows: usize, words: usize, learner: &Logistic) {
    let mut unit = uniform();
    let weights: Vec<f64> = (0..words).map(|_| 2.0 * unit() - 1.0).collect();
    let (mut starts, mut columns, mut values, mut labels) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let mut chosen: Vec<u32> = (0..60).map(|_| ((words as f64 + 2.0).powf(unit()) - 1.0).min(words as f64 - 1.0) as u32).collect();
        chosen.sort_unstable();
        let mut score = -0.2;
        for run in chosen.chunk_by(|a, b| a == b) {
            columns.push(run[0]);
            values.push(run.len() as f64);
            score += run.len() as f64 * weights[run[0] as usize] * 0.5;
        }
        starts.push(columns.len());
        labels.push(u32::from(unit() < 1.0 / (1.0 + (-score).exp())));
    }
    let vocabulary = Vocabulary::Hashed(words);
    let feature = Feature::words("text", vocabulary, WordValue::Count);
    let classes = Classes::new(vec!["0".into(), "1".into()]).unwrap();
    let layout = Layout::new("y", vec![feature], classes, Weighting::None).unwrap();
    let blocks = [Csr { starts: &starts, columns: &columns, values: &values, width: words, present: None }];
    let source = ViewSource::new(&layout, Features::of_words(&blocks), &labels, None).unwrap();
    let started = Instant::now();
    let times = passes(learner, &source);
    let total = started.elapsed().as_secs_f64() * 1e3;
    println!("sparse       {rows} × {words}, {} entries: {total:.1} ms in {} passes", columns.len(), times.len());
}

fn uniform() -> impl FnMut() -> f64 {
    let mut state = 88_172_645_463_325_252u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Columns that follow their left neighbours, and classes drawn from a softmax over them.
fn data(rows: usize, columns: usize, classes: usize) -> (Vec<f64>, Vec<u32>) {
    let mut unit = uniform();
    let mut normal = move || (0..6).map(|_| unit()).sum::<f64>() * std::f64::consts::SQRT_2 - 3.0 * std::f64::consts::SQRT_2;
    let scale: Vec<f64> = (0..columns).map(|_| (0.5 * normal()).exp()).collect();
    let weights: Vec<f64> = (0..columns * classes).map(|j| if j % 5 < 3 { normal() } else { 0.0 }).collect();
    let (mut cells, mut labels) = (vec![0.0; rows * columns], vec![0; rows]);
    let spread = (columns as f64).sqrt() / 1.8;
    for (row, label) in cells.chunks_exact_mut(columns).zip(&mut labels) {
        let mut previous = normal();
        let mut scores = vec![0.0; classes];
        for j in 0..columns {
            previous = if j == 0 { previous } else { 0.7 * previous + 0.51f64.sqrt() * normal() };
            row[j] = previous * scale[j];
            for (k, score) in scores.iter_mut().enumerate().skip(1) {
                *score += previous * weights[k * columns + j] / spread;
            }
        }
        let total: f64 = scores.iter().map(|s| s.exp()).sum();
        let mut draw = (normal() / 4.3 + 0.5).clamp(0.0, 0.999) * total;
        *label = scores
            .iter()
            .position(|s| {
                draw -= s.exp();
                draw < 0.0
            })
            .unwrap_or(0) as u32;
    }
    (cells, labels)
}
