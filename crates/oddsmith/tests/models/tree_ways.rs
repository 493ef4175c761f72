//! The ways of rows through trees: they add up to scores, and rows that walk side by side come to the leaves of their own ways.

use crate::support::Frame;
use crate::tree_golden::{fitted, fitted_plainly, kyphosis, noisy};
use oddsmith::control::Control;
use oddsmith::data::{Layout, Weighting};
use oddsmith::model::tree::DecisionTree;
use oddsmith::model::{Classifier, Predictions, Predictor};
use oddsmith::train::fit;

#[test]
fn the_way_of_a_row_adds_up_to_its_score() {
    let (frame, mut out) = (kyphosis(), Predictions::new());
    let model = fitted(&DecisionTree::default(), &frame);
    Predictor::new(&model).predict(&frame.features(), &mut out).unwrap();
    let paths = model.paths().unwrap();
    assert_eq!((paths.trees(), paths.nodes(0)), (1, 2 * model.leaves() - 1));
    for i in 0..frame.rows() {
        let mut way = Vec::new();
        paths.follow(0, &frame.features(), i, &mut way);
        let nodes: Vec<_> = way.iter().map(|at| paths.node(*at).unwrap()).collect();
        assert_eq!((way[0], nodes[0].condition.as_str(), nodes[0].weight), (0, "all rows", 81.0));
        assert!(nodes.windows(2).all(|pair| pair[1].weight < pair[0].weight));
        let odds = |log_p: &[f64]| log_p[1] - log_p[0];
        let steps = nodes.windows(2).map(|pair| odds(&pair[1].log_p) - odds(&pair[0].log_p));
        let scores = out.scores().row(i);
        assert!((odds(&nodes[0].log_p) + steps.sum::<f64>() - (scores[1] - scores[0])).abs() < 1e-12, "row {i}");
    }
}

#[test]
fn rows_side_by_side_come_to_the_leaves_of_their_own_ways() {
    // A small tree, and one that rows are sorted through.
    for (rows, max_depth, leaves) in [(1003, 9, 20), (24_000, 60, 2100)] {
        of_numbers_side_by_side(rows, max_depth, leaves);
    }
}

fn of_numbers_side_by_side(rows: u64, max_depth: u32, leaves: usize) {
    let (mut frame, mut out) = (noisy(rows), Predictions::new());
    for i in 0..frame.rows() {
        // Gaps of the first column say nothing, those of the second say much.
        if i % 7 == 0 {
            frame.numbers[2 * i] = f64::NAN;
        }
        if i % 5 < 2 && frame.labels[i] == 1 {
            frame.numbers[2 * i + 1] = f64::NAN;
        }
    }
    let model = fitted_plainly(&DecisionTree { max_depth, smoothing: 0.5, ..DecisionTree::default() }, &frame);
    assert!(model.leaves() > leaves, "{}", model.leaves());
    Predictor::new(&model).predict(&frame.features(), &mut out).unwrap();
    for i in 0..frame.rows() {
        let mut way = Vec::new();
        model.paths().unwrap().follow(0, &frame.features(), i, &mut way);
        let leaf = model.paths().unwrap().node(*way.last().unwrap()).unwrap();
        assert_eq!(leaf.log_p, out.scores().row(i), "row {i}");
    }
}

#[test]
fn rows_of_numbers_and_levels_come_to_the_leaves_of_their_own_ways() {
    for (rows, max_depth, leaves) in [(2003, 9, 20), (24_003, 60, 2100)] {
        of_levels_side_by_side(rows, max_depth, leaves);
    }
}

fn of_levels_side_by_side(rows: u64, max_depth: u32, leaves: usize) {
    let draw = |i: u64, k: u64| {
        let x = (i * 8 + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11
    };
    let share = |i: u64, k: u64| draw(i, k) as f64 / (1u64 << 53) as f64;
    // More levels than a word of bits has room for, and two; numbers of which some are below zero.
    let names = |count: usize| oddsmith::data::Levels::sorted((0..count).map(|level| format!("l{level:03}")).collect());
    let features = vec![
        oddsmith::data::Feature::category("many", names(150)),
        oddsmith::data::Feature::number("a"),
        oddsmith::data::Feature::category("two", names(2)),
        oddsmith::data::Feature::number("b"),
    ];
    let classes = oddsmith::data::Classes::new(vec!["no".into(), "some".into(), "yes".into()]).unwrap();
    let layout = Layout::new("y", features, classes, Weighting::None).unwrap();
    let code = |i: u64| (draw(i, 2) % 150) as u32;
    let two = |i: u64| (draw(i, 3) % 2) as u32;
    let number = |i: u64, k: u64| 6.0 * share(i, k) - 3.0;
    let told = |i: u64| u32::from((code(i) * 7) % 11 < 4) + u32::from(two(i) == 1 && number(i, 0) > number(i, 1));
    let label = |i: u64| if draw(i, 4) % 4 == 0 { (draw(i, 5) % 3) as u32 } else { told(i) };
    let mut frame = Frame {
        numbers: (0..rows).flat_map(|i| [if i % 9 == 0 { f64::NAN } else { number(i, 0) }, number(i, 1)]).collect(),
        codes: (0..rows).flat_map(|i| [if i % 13 == 0 { oddsmith::data::MISSING } else { code(i) }, two(i)]).collect(),
        labels: (0..rows).map(label).collect(),
        layout,
        weights: None,
    };
    let tree = DecisionTree { max_depth, smoothing: 0.5, ..DecisionTree::default() };
    let model = fit(&tree, &frame.source(), None, &Control::new()).unwrap().model;
    assert!(model.leaves() > leaves, "{}", model.leaves());
    // A level that was not there, beyond the words of its set too, and infinities.
    for (i, strange) in [(5, 150), (6, 191), (7, 192), (8, 1 << 20), (9, oddsmith::data::UNSEEN)] {
        frame.codes[2 * i] = strange;
        frame.codes[2 * i + 1] = strange;
    }
    (frame.numbers[30], frame.numbers[33]) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut out = Predictions::new();
    Predictor::new(&model).predict(&frame.features(), &mut out).unwrap();
    let mut by_levels = 0;
    for i in 0..frame.rows() {
        let mut way = Vec::new();
        model.paths().unwrap().follow(0, &frame.features(), i, &mut way);
        let leaf = model.paths().unwrap().node(*way.last().unwrap()).unwrap();
        assert_eq!(leaf.log_p, out.scores().row(i), "row {i}");
        by_levels += usize::from(leaf.condition.starts_with("many") || leaf.condition.starts_with("two"));
    }
    assert!(by_levels > 100 && by_levels < frame.rows() - 100, "{by_levels} of {} leaves are told by levels", frame.rows());
}
