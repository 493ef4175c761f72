//! Times of expanding rows into design cells, block by block on one thread.
//!
//! `cargo run --release -p oddsmith --example design_times` prints the best of several runs in milliseconds for a million
//! rows, and what that is per cell.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use oddsmith::data::design::{Design, DesignBlock, DesignOptions, DesignSurvey};
use oddsmith::data::{Classes, CodesView, Feature, Features, Formula, Layout, Levels, Rows, Weighting};
use oddsmith::num::MatrixView;
use oddsmith::stats::Statistics;

/// Rows in memory; a pass over them is repeated until it stands for a million.
const ROWS: usize = 1 << 15;
const NUMBERS: usize = 20;
const CODES: usize = 3;
const LEVELS: u32 = 10;
const BLOCK: usize = 512;
const RUNS: usize = 9;

fn main() {
    let mut features: Vec<Feature> = (0..NUMBERS).map(|j| Feature::number(format!("x{j}"))).collect();
    let levels = || Levels::in_order((0..LEVELS).map(|level| format!("l{level}")).collect());
    features.extend((0..CODES).map(|j| Feature::category(format!("c{j}"), levels())));
    let layout = Layout::new("y", features, Classes::new(vec!["a".into(), "b".into()]).unwrap(), Weighting::None).unwrap();
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let numbers: Vec<f64> = (0..ROWS * NUMBERS).map(|_| f64::from(next()) / 2f64.powi(31) + 0.01).collect();
    let codes: Vec<u32> = (0..ROWS * CODES).map(|_| next() % LEVELS).collect();
    let names: Vec<String> = (0..NUMBERS).map(|j| format!("x{j}")).collect();
    let sum = names.join(" + ");
    for (title, formula) in [
        ("20 numbers", format!("~ {sum}")),
        ("20 numbers, 3 categories", format!("~ {sum} + c0 + c1 + c2")),
        ("3 categories", "~ c0 + c1 + c2".to_owned()),
        ("category × category", "~ c0*c1".to_owned()),
        ("category × 4 numbers", "~ c0:(x0 + x1 + x2 + x3)".to_owned()),
        ("4 logarithms", "~ log(x0) + log(x1) + log(x2) + log(x3)".to_owned()),
        ("poly(x, 3), 2 times", "~ poly(x0, 3) + poly(x1, 3)".to_owned()),
        ("bs(x, 6), 2 times", "~ bs(x0, df = 6) + bs(x1, df = 6)".to_owned()),
        ("ns(x, 5), 2 times", "~ ns(x0, df = 5) + ns(x1, df = 5)".to_owned()),
        ("rbf(x, y, k = 9)", "~ rbf(x0, x1, k = 9)".to_owned()),
    ] {
        let by_row = (MatrixView::row_major(&numbers, ROWS, NUMBERS).unwrap(), CodesView::row_major(&codes, ROWS, CODES).unwrap());
        let by_column = (MatrixView::column_major(&numbers, ROWS, NUMBERS).unwrap(), CodesView::column_major(&codes, ROWS, CODES).unwrap());
        for (order, (numbers, codes)) in [("rows", by_row), ("columns", by_column)] {
            let features = Features { numbers, codes, words: &[] };
            let formula = Formula::parse(&formula).unwrap();
            let options = DesignOptions::default();
            let mut survey = DesignSurvey::new(&formula, &layout, &options).unwrap();
            survey.observe(Rows::new(features, &vec![0; ROWS], None, 0)).unwrap();
            let design = Design::compile(&formula, &layout, &options, Some(&survey)).unwrap();
            let mut block = DesignBlock::new();
            let mut best = f64::INFINITY;
            for _ in 0..RUNS {
                let start = Instant::now();
                for lo in (0..ROWS).step_by(BLOCK) {
                    design.expand(&features, lo, lo + BLOCK, &mut block).unwrap();
                    black_box(&block.cells);
                }
                best = best.min(start.elapsed().as_secs_f64());
            }
            let width = design.columns().len();
            let (million, cell) = (best * 1e9 / ROWS as f64, best * 1e9 / (ROWS * width) as f64);
            println!("{title:28} {order:8} {width:4} columns {million:8.1} ms {cell:7.2} ns a cell");
        }
    }
}
