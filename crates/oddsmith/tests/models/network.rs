//! Networks: without a hidden layer they are logistic regressions; with one they bend.

use std::num::NonZeroUsize;

use crate::support::{Csv, Frame, Golden, RowByRow, close};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Kind, Layout, Weighting};
use oddsmith::model::linear::{Intervals, Logistic};
use oddsmith::model::network::{Activation, Network, Search};
use oddsmith::model::{Classifier, Learner, Predictions, Predictor};
use oddsmith::{persist, train};

fn fit<L: Learner>(learner: &L, frame: &Frame) -> L::Model {
    train::fit(learner, &frame.source(), None, &Control::new()).unwrap().model
}

fn probabilities(model: &dyn Classifier, frame: &Frame) -> Vec<f64> {
    let mut out = Predictions::new();
    Predictor::new(model).predict(&frame.features(), &mut out).unwrap();
    out.probabilities().to_vec()
}

fn golden(name: &str) -> Csv {
    Csv::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data").join(name))
}

fn without_layer() -> Network {
    Network { hidden: Vec::new(), decay: 0.0, steps: Some(5000), ..Network::default() }
}

#[test]
fn without_a_hidden_layer_it_is_logistic_regression() {
    // R's coefficients of the same model.
    let reference = Golden::load("glm_pima_main");
    let table = reference.table("data/train");
    let names = ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"];
    let frame = Frame::new(&table, "type", &names.map(|name| (name, Kind::Number)));
    let coefficients = reference.numbers("results/coef");
    let p = probabilities(&fit(&without_layer(), &frame), &frame);
    for i in 0..frame.rows() {
        let eta = coefficients[0] + (0..7).map(|j| coefficients[j + 1] * frame.numbers[i * 7 + j]).sum::<f64>();
        close(p[2 * i + 1], 1.0 / (1.0 + (-eta).exp()), 1e-8);
    }
}

#[test]
fn with_three_classes_it_is_softmax_regression() {
    let frame = Frame::new(&golden("iris.csv"), "Species", &[("Sepal.Width", Kind::Number)]);
    let regression = fit(&Logistic { precision: Intervals::None, tests: false, ..Logistic::default() }, &frame);
    let (left, right) = (probabilities(&fit(&without_layer(), &frame), &frame), probabilities(&regression, &frame));
    left.iter().zip(&right).for_each(|(a, b)| close(*a, *b, 1e-6));
}

fn exclusive_or(copies: usize) -> Frame {
    let classes = Classes::new(vec!["even".into(), "odd".into()]).unwrap();
    let layout = Layout::new("y", vec![Feature::number("a"), Feature::number("b")], classes, Weighting::None).unwrap();
    let corners = [(0.0, 0.0, 0), (0.0, 1.0, 1), (1.0, 0.0, 1), (1.0, 1.0, 0)];
    let rows: Vec<(f64, f64, u32)> = corners.iter().copied().cycle().take(4 * copies).collect();
    let numbers = rows.iter().flat_map(|row| [row.0, row.1]).collect();
    Frame { layout, numbers, codes: Vec::new(), labels: rows.iter().map(|row| row.2).collect(), weights: None }
}

#[test]
fn hidden_units_learn_exclusive_or() {
    for activation in [Activation::Tanh, Activation::Relu] {
        let frame = exclusive_or(25);
        let model = fit(&Network { activation, decay: 0.1, ..Network::default() }, &frame);
        let p = probabilities(&model, &frame);
        assert!(p.chunks(2).zip(&frame.labels).all(|(p, label)| p[*label as usize] > 0.9), "{activation:?}: {:?}", &p[..8]);
    }
}

#[test]
fn the_objective_is_the_loss_of_the_predictions() {
    let frame = exclusive_or(25);
    let model = fit(&Network { decay: 0.7, ..Network::default() }, &frame);
    let p = probabilities(&model, &frame);
    let loss: f64 = p.chunks(2).zip(&frame.labels).map(|(p, label)| -p[*label as usize].ln()).sum();
    let weights: f64 = (0..2).flat_map(|layer| model.layer(layer).0).map(|w| w * w).sum();
    close(model.objective(), (loss + 0.35 * weights) / 100.0, 1e-12);
}

#[test]
fn threads_and_partitions_change_no_bit_and_no_model() {
    let frame = exclusive_or(40);
    let learner = Network { hidden: vec![4, 3], ..Network::default() };
    let whole = fit(&learner, &frame);
    let of = |threads: usize| train::fit(&learner, &RowByRow(&frame), NonZeroUsize::new(threads), &Control::new()).unwrap().model;
    let one = persist::save_model(&of(1)).unwrap();
    for threads in [2, 3, 8] {
        assert!(persist::save_model(&of(threads)).unwrap() == one, "{threads} threads");
    }
    probabilities(&whole, &frame).iter().zip(probabilities(&of(1), &frame)).for_each(|(a, b)| close(*a, b, 1e-6));
}

#[test]
fn a_weight_of_three_is_three_rows_and_files_keep_all() {
    let mut weighted = exclusive_or(10);
    weighted.layout =
        Layout::new("y", weighted.layout.features().to_vec(), weighted.layout.classes().clone(), Weighting::Frequency).unwrap();
    weighted.weights = Some(vec![3.0; weighted.rows()]);
    let (left, right) = (fit(&Network::default(), &weighted), fit(&Network::default(), &exclusive_or(30)));
    probabilities(&left, &weighted).iter().zip(probabilities(&right, &exclusive_or(10))).for_each(|(a, b)| close(*a, b, 1e-7));
    let back = persist::load_model(&persist::save_model(&left).unwrap()).unwrap();
    assert_eq!(probabilities(&*back, &weighted), probabilities(&left, &weighted));
    assert_eq!(back.card(), left.card());
    assert_eq!(left.free_parameters(), 8 * 3 + 9);
}

fn by_parts(epochs: usize) -> Network {
    Network { search: Search::Adam, steps: Some(epochs), ..Network::default() }
}

#[test]
fn steps_by_parts_of_the_rows_end_near_where_all_rows_at_once_end() {
    let frame = Frame::new(&golden("iris.csv"), "Species", &[("Petal.Length", Kind::Number), ("Sepal.Width", Kind::Number)]);
    let (whole, parts) =
        (fit(&Network { hidden: Vec::new(), ..Network::default() }, &frame), Network { hidden: Vec::new(), ..by_parts(4000) });
    let parts = fit(&parts, &frame);
    assert_eq!(parts.steps(), 4000);
    // There is one best fit without a hidden layer, and none is below it.
    assert!(parts.objective() >= whole.objective() - 1e-12, "{} {}", parts.objective(), whole.objective());
    close(parts.objective(), whole.objective(), 1e-4);
    // What is told of the end is the loss of the predictions there.
    let p = probabilities(&parts, &frame);
    let loss: f64 = p.chunks(3).zip(&frame.labels).map(|(p, label)| -p[*label as usize].ln()).sum();
    let penalty: f64 = parts.layer(0).0.iter().map(|w| 0.5 * w * w).sum();
    close(parts.objective(), (loss + penalty) / 150.0, 1e-12);
}

#[test]
fn neither_threads_nor_batches_show_in_steps_by_parts() {
    // One batch of all rows, and a partition for every row.
    let frame = exclusive_or(150);
    let learner = Network { hidden: vec![4], ..by_parts(3) };
    let of = |threads: usize| train::fit(&learner, &RowByRow(&frame), NonZeroUsize::new(threads), &Control::new()).unwrap().model;
    let one = persist::save_model(&of(1)).unwrap();
    for threads in [2, 3, 8] {
        assert!(persist::save_model(&of(threads)).unwrap() == one, "{threads} threads");
    }
    probabilities(&fit(&learner, &frame), &frame).iter().zip(probabilities(&of(1), &frame)).for_each(|(a, b)| close(*a, b, 1e-12));
    assert!(persist::save_model(&fit(&Network { seed: 2, ..learner.clone() }, &frame)).unwrap() != one);
    assert_eq!(fit(&learner, &frame).notices().iter().map(|notice| notice.id).collect::<Vec<_>>(), ["W433"]);
}

#[test]
fn a_row_of_weight_two_is_shown_twice_by_steps_of_parts() {
    let once = exclusive_or(60);
    let layout = Layout::new("y", once.layout.features().to_vec(), once.layout.classes().clone(), Weighting::Frequency).unwrap();
    let weighted = Frame { layout, weights: Some(vec![2.0; once.rows()]), ..exclusive_or(60) };
    let twice = Frame {
        numbers: once.numbers.chunks_exact(2).flat_map(|row| [row, row].concat()).collect(),
        labels: once.labels.iter().flat_map(|label| [*label; 2]).collect(),
        ..exclusive_or(60)
    };
    let (left, right) = (fit(&by_parts(5), &weighted), fit(&by_parts(5), &twice));
    probabilities(&left, &once).iter().zip(probabilities(&right, &once)).for_each(|(a, b)| close(*a, b, 1e-12));
}
