//! Decision trees against R's rpart, and against splits that were worked out by two programs.

use std::f64::consts::LN_2;
use std::num::NonZeroUsize;
use std::path::Path;

use crate::support::{Csv, Frame, Golden, Room, RowByRow, same_digits};
use oddsmith::card::Cell;
use oddsmith::control::Control;
use oddsmith::data::{Kind, Layout, Weighting};
use oddsmith::model::tree::{Criterion, DecisionTree, GradientBoosting, RandomForest, TreeModel};
use oddsmith::model::{Classifier, Contributions, Learner, Predictions, Predictor};
use oddsmith::persist;
use oddsmith::train::fit;

/// rpart's rules: minsplit 20, minbucket 7, no complexity penalty, proportions of the leaves.
fn rpart(criterion: Criterion) -> DecisionTree {
    let (min_samples_split, min_samples_leaf) = (20.0, 7.0);
    DecisionTree { criterion, max_depth: 30, min_samples_split, min_samples_leaf, smoothing: 0.0, ..DecisionTree::default() }
}

/// The tree by all roads, which must be the same to the byte: rows in memory, a pass per level, one row at a time.
pub(crate) fn fitted(learner: &DecisionTree, frame: &Frame) -> TreeModel {
    let model = fit(learner, &frame.source(), NonZeroUsize::new(1), &Control::new()).unwrap();
    assert_eq!(model.passes, 2);
    let by_level = fit(learner, &Room(frame.source(), 0), NonZeroUsize::new(3), &Control::new()).unwrap();
    assert!(by_level.passes >= 2);
    let row_by_row = fit(learner, &RowByRow(frame), None, &Control::new()).unwrap();
    for other in [&by_level.model, &row_by_row.model] {
        assert_eq!(persist::save_model(other).unwrap(), persist::save_model(&model.model).unwrap());
    }
    model.model
}

fn golden_csv(name: &str) -> Csv {
    Csv::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data").join(name))
}

pub(crate) fn kyphosis() -> Frame {
    Frame::new(&golden_csv("kyphosis.csv"), "Kyphosis", &[("Age", Kind::Number), ("Number", Kind::Number), ("Start", Kind::Number)])
}

/// Columns of the table of nodes, by name.
fn cells(model: &TreeModel, column: &str) -> Vec<Cell> {
    model.card().tidy.column(column).unwrap().cloned().collect()
}

fn numbers(model: &TreeModel, column: &str) -> Vec<f64> {
    let number = |cell: Cell| if let Cell::Number(value) = cell { value } else { f64::NAN };
    cells(model, column).into_iter().map(number).collect()
}

fn texts(model: &TreeModel, column: &str) -> Vec<String> {
    let text = |cell: Cell| if let Cell::Text(value) = cell { value } else { String::new() };
    cells(model, column).into_iter().map(text).collect()
}

fn iris(id: &str, criterion: Criterion) {
    let golden = Golden::load(id);
    let names = golden.texts("model/features");
    let columns: Vec<(&str, Kind)> = names.iter().map(|name| (name.as_str(), Kind::Number)).collect();
    let frame = Frame::new(&golden.table("data"), "Species", &columns);
    // Below that depth rpart takes splits away that keep the majority class, because it prunes by misclassified rows.
    let model = fitted(&DecisionTree { max_depth: 2, ..rpart(criterion) }, &frame);
    // rpart numbers a node's children 2i and 2i + 1, and lists nodes in preorder.
    let vars: Vec<String> =
        golden.texts("results/frame/var").into_iter().map(|var| if var == "<leaf>" { String::new() } else { var }).collect();
    assert_eq!(texts(&model, "column"), vars);
    assert_eq!(numbers(&model, "weight"), golden.numbers("results/frame/n"));
    let improve = golden.numbers("results/root_primary_splits_rpart/improve")[0];
    let unit = if criterion == Criterion::Information { LN_2 } else { 1.0 };
    let gain = numbers(&model, if criterion == Criterion::Information { "bits" } else { "gini" })[0];
    same_digits(gain * unit, improve, 1e-13);
    assert_eq!(numbers(&model, "threshold")[0], golden.numbers("results/root_primary_splits_rpart/threshold")[0]);
    let mut out = Predictions::new();
    Predictor::new(&model).predict(&frame.features(), &mut out).unwrap();
    let posterior: Vec<f64> = (0..frame.rows()).flat_map(|i| out.row(i).to_vec()).collect();
    for (got, want) in posterior.iter().zip(golden.numbers("results/posterior")) {
        assert!((got - want).abs() < 1e-14, "{got} is not {want}");
    }
    // Petal.Length and Petal.Width tie at the root, as rpart's list of splits shows.
    let tie = &model.notices()[0];
    assert!(tie.id == "W401" && tie.text.contains("`Petal.Width`") && tie.text.contains("Petal.Length < 2.45"), "{tie}");
}

#[test]
fn rpart_iris_gini() {
    iris("rpart_iris_gini", Criterion::Gini);
}

#[test]
fn rpart_iris_information() {
    iris("rpart_iris_information", Criterion::Information);
}

#[test]
fn kyphosis_splits_are_those_of_two_programs() {
    let information = fitted(&rpart(Criterion::Information), &kyphosis());
    // The rows with Start ≥ 12.5 are split once more than in rpart, which takes a split away that keeps the majority class.
    assert_eq!(texts(&information, "column")[..7], ["Start", "Age", "", "Number", "", "", "Start"]);
    let split = |model: &TreeModel, at: usize| (texts(model, "column")[at].clone(), numbers(model, "threshold")[at]);
    assert_eq!(split(&information, 0), ("Start".into(), 12.5));
    let gain = numbers(&information, "bits")[0] * LN_2;
    assert!((gain - 9.488587695).abs() < 5e-10, "{gain}");
    assert_eq!([split(&information, 1), split(&information, 3)], [("Age".into(), 34.5), ("Number".into(), 4.5)]);
    // rpart's leaves: rows, and rows of the rarer class.
    let (n, present, absent) =
        (numbers(&information, "weight"), numbers(&information, "weight_present"), numbers(&information, "weight_absent"));
    let leaves = [2, 4, 5, 6].map(|at: usize| (n[at] as u64, present[at].min(absent[at]) as u64));
    assert_eq!(leaves, [(10, 1), (12, 5), (13, 4), (46, 2)]);
    let gini = fitted(&rpart(Criterion::Gini), &kyphosis());
    assert_eq!(split(&gini, 0), ("Start".into(), 8.5));
    assert!((numbers(&gini, "gini")[0] - 6.762329959).abs() < 5e-10);
}

#[test]
fn kyphosis_without_its_best_column_splits_as_the_runner_up_of_two_programs() {
    let frame = Frame::new(&golden_csv("kyphosis.csv"), "Kyphosis", &[("Age", Kind::Number), ("Number", Kind::Number)]);
    let root = |criterion: Criterion, gain: &str| {
        let model = fitted(&DecisionTree { max_depth: 1, ..rpart(criterion) }, &frame);
        (texts(&model, "column")[0].clone(), numbers(&model, "threshold")[0], numbers(&model, gain)[0])
    };
    let (column, threshold, bits) = root(Criterion::Information, "bits");
    assert_eq!((column.as_str(), threshold), ("Age", 39.5));
    assert!((bits * LN_2 - 4.215621545).abs() < 5e-10, "{bits}");
    let (column, threshold, gini) = root(Criterion::Gini, "gini");
    assert_eq!((column.as_str(), threshold), ("Number", 5.5));
    assert!((gini - 2.866794933).abs() < 5e-10, "{gini}");
}

#[test]
fn races_are_told_apart_without_one_hot() {
    let frame = Frame::new(&golden_csv("birthwt_factors.csv"), "low", &[("race", Kind::Category)]);
    let stump = DecisionTree { max_depth: 1, smoothing: 0.0, ..DecisionTree::default() };
    let model = fitted(&stump, &frame);
    assert!((numbers(&model, "bits")[0] * LN_2 - 2.407329074).abs() < 5e-10);
    assert_eq!(texts(&model, "condition")[1..], ["race in {black, other}", "race = white"].map(str::to_owned));
}

#[test]
fn levels_are_those_that_splits_further_up_leave() {
    let frame = Frame::new(&golden_csv("birthwt_factors.csv"), "low", &[("race", Kind::Category)]);
    let model = fitted(&DecisionTree { max_depth: 2, smoothing: 0.0, ..DecisionTree::default() }, &frame);
    let conditions = ["all rows", "race in {black, other}", "race = black", "race = other", "race = white"];
    assert_eq!(texts(&model, "condition"), conditions.map(str::to_owned));
    assert_eq!(texts(&model, "left_levels"), [r#"["black","other"]"#, r#"["black"]"#, "", "", ""].map(str::to_owned));
    // 93 of 189 rows are on the left of the first split, 26 of them on the left of the second.
    assert_eq!(texts(&model, "missing"), ["right", "right", "", "", ""].map(str::to_owned));
}

#[test]
fn the_price_of_a_leaf_prunes_what_costs_less() {
    // The one split gains 2.407329074 nats over 189 rows and makes one leaf more.
    let frame = Frame::new(&golden_csv("birthwt_factors.csv"), "low", &[("race", Kind::Category)]);
    let bits_per_row = 2.407329074 / 189.0 / LN_2;
    let leaves = |price: f64| fitted_plainly(&DecisionTree { max_depth: 1, ccp_alpha: price, ..DecisionTree::default() }, &frame).leaves();
    assert_eq!([leaves(0.0), leaves(0.999 * bits_per_row), leaves(1.001 * bits_per_row)], [2, 2, 1]);
    // At every price no smaller tree of the sequence is cheaper: R(T) + price × leaves, R in bits per row.
    let frame = kyphosis();
    let cost = |model: &TreeModel, price: f64| {
        price * model.leaves() as f64 - numbers(model, "bits").iter().filter(|bits| !bits.is_nan()).sum::<f64>() / 81.0
    };
    let at = |price: f64| fitted_plainly(&DecisionTree { ccp_alpha: price, ..DecisionTree::default() }, &frame);
    let prices = [0.0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.2];
    let trees: Vec<TreeModel> = prices.iter().map(|price| at(*price)).collect();
    assert!(trees.windows(2).all(|pair| pair[1].leaves() <= pair[0].leaves()) && trees[6].leaves() < trees[0].leaves());
    for (price, chosen) in prices.iter().zip(&trees) {
        assert!(trees.iter().all(|other| cost(chosen, *price) <= cost(other, *price) + 1e-12), "{price}");
    }
}

pub(crate) fn fitted_plainly(learner: &DecisionTree, frame: &Frame) -> TreeModel {
    fit(learner, &frame.source(), None, &Control::new()).unwrap().model
}

#[test]
fn a_column_without_an_effect_of_its_own_leaves_the_root() {
    let csv = Csv {
        names: ["a", "b", "y"].map(str::to_owned).to_vec(),
        rows: [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]].iter().map(|row| row.map(|x| x.to_string()).to_vec()).collect(),
    };
    let frame = Frame::new(&csv, "y", &[("a", Kind::Number), ("b", Kind::Number)]);
    let model = fit(&DecisionTree::default(), &frame.source(), None, &Control::new()).unwrap().model;
    assert_eq!((model.leaves(), model.depth(), model.notices()[0].id), (1, 0, "W402"));
}

#[test]
fn the_size_that_held_out_rows_prefer_is_smaller_than_the_whole_tree() {
    let frame = kyphosis();
    let full = DecisionTree { smoothing: 1.0, ..DecisionTree::default() };
    let pruned = DecisionTree { cross_validated: true, ..full.clone() };
    let leaves = |learner: &DecisionTree| fit(learner, &frame.source(), None, &Control::new()).unwrap().model.leaves();
    let (whole, chosen) = (leaves(&full), leaves(&pruned));
    assert!(chosen > 1 && chosen < whole, "{chosen} of {whole}");
    assert!(bytes(&pruned, &frame) == bytes(&pruned, &reversed(&frame)));
}

/// The rows in the opposite order.
fn reversed(frame: &Frame) -> Frame {
    Frame {
        numbers: frame.numbers.chunks_exact(frame.layout.numbers().len()).rev().flatten().copied().collect(),
        labels: frame.labels.iter().rev().copied().collect(),
        layout: frame.layout.clone(),
        codes: Vec::new(),
        weights: None,
    }
}

fn bytes<L: Learner<Model: 'static>>(learner: &L, frame: &Frame) -> Vec<u8> {
    persist::save_model(&fit(learner, &frame.source(), None, &Control::new()).unwrap().model).unwrap()
}

#[test]
fn the_order_of_rows_changes_no_bit_of_what_is_drawn() {
    let (frame, boosting) = (kyphosis(), GradientBoosting { early_stopping: true, max_iter: 30, ..GradientBoosting::default() });
    assert!(bytes(&boosting, &frame) == bytes(&boosting, &reversed(&frame)));
    let forest = RandomForest { n_estimators: 9, ..RandomForest::default() };
    assert!(bytes(&forest, &frame) == bytes(&forest, &reversed(&frame)));
    assert!(bytes(&forest, &frame) != bytes(&RandomForest { seed: 1, ..forest }, &frame));
}

#[test]
fn the_first_stump_of_boosting_is_that_of_two_programs() {
    let (frame, learning_rate, min_samples_leaf) = (kyphosis(), 1.0, Some(1.0));
    let stump =
        GradientBoosting { max_iter: 1, learning_rate, max_leaf_nodes: 2, min_samples_leaf, l2: 0.0, ..GradientBoosting::default() };
    let model = fit(&stump, &frame.source(), None, &Control::new()).unwrap().model;
    let mut out = Predictions::new();
    Predictor::new(&model).predict(&frame.features(), &mut out).unwrap();
    // Gradients are whole parts of 2^-30, which leaves a sum of 81 of them eight digits.
    for (i, row) in frame.numbers.chunks_exact(3).enumerate() {
        let leaf = if row[2] < 8.5 { 2.225619195 } else { -0.682044592 };
        let scores = out.scores().row(i);
        assert!((scores[1] - scores[0] - (leaf - 1.325669739)).abs() < 1e-8, "row {i}");
    }
    // Before the first round: the log odds of all rows, and what they lose.
    let mut addends = Contributions::new();
    model.contributions().unwrap().contribute(&frame.features(), &mut addends).unwrap();
    let start = addends.base()[1] - addends.base()[0];
    assert!((start + 1.325669739).abs() < 1e-8, "{start}");
    let mean: f64 =
        frame.labels.iter().map(|label| if *label == 1 { (-start).exp().ln_1p() } else { start.exp().ln_1p() }).sum::<f64>() / 81.0;
    assert!((mean - 0.5137930536).abs() < 1e-9, "{mean}");
    let losses: Vec<Cell> = model.card().tables[0].column("log_loss").unwrap().cloned().collect();
    let [Cell::Number(loss)] = losses[..] else { panic!("no loss") };
    assert!((loss - 0.4140839439).abs() < 1e-9, "{loss}");
}

/// Probabilities of the rows of a frame.
fn fitted_probabilities<L: Learner<Model: 'static>>(learner: &L, frame: &Frame) -> Vec<f64> {
    let (model, mut out) = (fit(learner, &frame.source(), None, &Control::new()).unwrap().model, Predictions::new());
    Predictor::new(&model).predict(&frame.features(), &mut out).unwrap();
    (0..frame.rows()).flat_map(|i| out.row(i).to_vec()).collect()
}

#[test]
fn an_increasing_map_of_numbers_changes_no_probability() {
    let plain = kyphosis();
    let mapped = Frame { numbers: plain.numbers.iter().map(|x| (x / 40.0).exp() * 1e6).collect(), ..kyphosis() };
    let (tree, boosting) = (DecisionTree::default(), GradientBoosting { max_iter: 20, ..GradientBoosting::default() });
    assert_eq!(fitted_probabilities(&tree, &plain), fitted_probabilities(&tree, &mapped));
    assert_eq!(fitted_probabilities(&boosting, &plain), fitted_probabilities(&boosting, &mapped));
}

#[test]
fn other_names_of_levels_change_no_probability() {
    let csv = golden_csv("birthwt_factors.csv");
    let renamed = |name: &str| match name {
        "white" => "a",
        "black" => "c",
        _ => "b",
    };
    let race = csv.names.iter().position(|name| name == "race").unwrap();
    let rows = csv
        .rows
        .iter()
        .map(|row| row.iter().enumerate().map(|(j, cell)| if j == race { renamed(cell).to_owned() } else { cell.clone() }).collect());
    let other = Csv { names: csv.names.clone(), rows: rows.collect() };
    let columns = [("race", Kind::Category), ("age", Kind::Number), ("lwt", Kind::Number)];
    let tree = DecisionTree { min_samples_leaf: 5.0, ..DecisionTree::default() };
    let of = |csv: &Csv| fitted_probabilities(&tree, &Frame::new(csv, "low", &columns));
    assert_eq!(of(&csv), of(&other));
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let once = kyphosis();
    let layout = Layout::new("Kyphosis", once.layout.features().to_vec(), once.layout.classes().clone(), Weighting::Frequency).unwrap();
    let weighted = Frame { weights: Some(vec![2.0; once.rows()]), layout, ..kyphosis() };
    let twice = Frame {
        numbers: once.numbers.chunks_exact(3).flat_map(|row| [row, row].concat()).collect(),
        labels: once.labels.iter().flat_map(|label| [*label; 2]).collect(),
        ..kyphosis()
    };
    let (tree, boosting) = (DecisionTree::default(), GradientBoosting { max_iter: 20, ..GradientBoosting::default() });
    let pairs = |all: Vec<f64>| all.chunks_exact(2).flat_map(|row| [row, row].concat()).collect::<Vec<f64>>();
    assert_eq!(pairs(fitted_probabilities(&tree, &weighted)), fitted_probabilities(&tree, &twice));
    assert_eq!(pairs(fitted_probabilities(&boosting, &weighted)), fitted_probabilities(&boosting, &twice));
}

/// The bytes of a model that is fitted by some threads with some memory, and the passes that it took.
fn bytes_with<L: Learner<Model: 'static>>(learner: &L, frame: &Frame, threads: usize, memory: u64) -> (Vec<u8>, usize) {
    let fitted = fit(learner, &Room(frame.source(), memory), NonZeroUsize::new(threads), &Control::new()).unwrap();
    (persist::save_model(&fitted.model).unwrap(), fitted.passes)
}

#[test]
fn boosting_by_passes_gives_the_bits_of_boosting_in_memory() {
    let births =
        Frame::new(&golden_csv("birthwt_factors.csv"), "low", &[("race", Kind::Category), ("age", Kind::Number), ("lwt", Kind::Number)]);
    let iris = Frame::new(&golden_csv("iris.csv"), "Species", &[("Petal.Length", Kind::Number), ("Sepal.Width", Kind::Number)]);
    let weighted = Frame { weights: Some((0..81).map(|i| 0.3 + f64::from(i % 7)).collect()), ..kyphosis() };
    for (frame, leaves) in [(&births, 8), (&iris, 5), (&kyphosis(), 31), (&weighted, 6), (&noisy(3000), 12)] {
        let learner = GradientBoosting { max_iter: 6, max_leaf_nodes: leaves, min_samples_leaf: Some(3.0), ..GradientBoosting::default() };
        let (whole, passes) = bytes_with(&learner, frame, 1, u64::MAX);
        assert_eq!(passes, 2);
        for threads in [1, 3] {
            let (by_passes, passes) = bytes_with(&learner, frame, threads, 1);
            assert!(passes > 6 * 2, "{passes}");
            assert!(by_passes == whole, "{leaves} leaves on {threads} threads");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    // Enough rows for branches of their own, and for several counters of one node.
    let frame = noisy(40_000);
    let tree = DecisionTree { max_depth: 9, ..DecisionTree::default() };
    let boosting = GradientBoosting { max_iter: 3, early_stopping: true, ..GradientBoosting::default() };
    let forest = RandomForest { n_estimators: 3, max_depth: Some(8), ..RandomForest::default() };
    let all = |threads: usize| {
        let of_tree = bytes_with(&tree, &frame, threads, u64::MAX).0;
        [of_tree, bytes_with(&boosting, &frame, threads, u64::MAX).0, bytes_with(&forest, &frame, threads, u64::MAX).0]
    };
    let alone = all(1);
    assert!([2, 3, 8].into_iter().all(|threads| all(threads) == alone));
    assert!(bytes_with(&tree, &frame, 2, 0).0 == alone[0]);
}

/// Rows of two classes with p = 1/(1 + e^{−2a}) and a column that says nothing.
pub(crate) fn noisy(rows: u64) -> Frame {
    // SplitMix64.
    let draw = |i: u64, k: u64| {
        let mut x = (i * 8 + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let classes = oddsmith::data::Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let features = vec![oddsmith::data::Feature::number("a"), oddsmith::data::Feature::number("z")];
    let layout = Layout::new("y", features, classes, Weighting::None).unwrap();
    let a = |i: u64| 4.0 * draw(i, 0) - 2.0;
    let label = |i: u64| u32::from(draw(i, 2) < 1.0 / (1.0 + (-2.0 * a(i)).exp()));
    Frame {
        numbers: (0..rows).flat_map(|i| [a(i), draw(i, 1)]).collect(),
        labels: (0..rows).map(label).collect(),
        layout,
        codes: Vec::new(),
        weights: None,
    }
}

/// Mean log loss of a model on rows, and the least that any can have.
fn losses(model: &dyn Classifier, frame: &Frame) -> (f64, f64) {
    let mut out = Predictions::new();
    Predictor::new(model).predict(&frame.features(), &mut out).unwrap();
    let of = |p: f64, label: u32| if label == 1 { -p.ln() } else { -(1.0 - p).ln() };
    let rows = frame.numbers.chunks_exact(2).zip(&frame.labels).enumerate();
    let sum = rows.fold((0.0, 0.0), |sum, (i, (row, label))| {
        (sum.0 + of(out.row(i)[1], *label), sum.1 + of(1.0 / (1.0 + (-2.0 * row[0]).exp()), *label))
    });
    (sum.0 / frame.rows() as f64, sum.1 / frame.rows() as f64)
}

#[test]
fn probabilities_come_near_those_that_made_the_rows() {
    let all = noisy(24_000);
    let part = |lo: usize, hi: usize| Frame {
        numbers: all.numbers[2 * lo..2 * hi].to_vec(),
        labels: all.labels[lo..hi].to_vec(),
        layout: all.layout.clone(),
        codes: Vec::new(),
        weights: None,
    };
    let (training, fresh) = (part(0, 12_000), part(12_000, 24_000));
    let excess = |model: &dyn Classifier| {
        let (loss, least) = losses(model, &fresh);
        loss - least
    };
    let boosting = GradientBoosting { early_stopping: true, max_leaf_nodes: 6, ..GradientBoosting::default() };
    let boosted = fit(&boosting, &training.source(), None, &Control::new()).unwrap().model;
    assert!(excess(&boosted) < 0.005, "{}", excess(&boosted));
    let forest = RandomForest { n_estimators: 50, min_samples_leaf: 100.0, ..RandomForest::default() };
    let planted = fit(&forest, &training.source(), None, &Control::new()).unwrap().model;
    assert!(excess(&planted) < 0.01, "{}", excess(&planted));
    // Rows out of the bag are as good as new ones: what they lose beyond the least of their own labels is the same.
    let fact = |name: &str| planted.card().facts.into_iter().find(|(known, _)| known == name).unwrap().1;
    let Cell::Number(out_of_bag) = fact("out-of-bag log loss") else { panic!("no loss") };
    let of_bag = out_of_bag - losses(&planted, &training).1;
    assert!((of_bag - excess(&planted)).abs() < 0.005, "{of_bag} and {}", excess(&planted));
    // Shuffling a column that says nothing costs nothing.
    let worth: Vec<Cell> = planted.card().tidy.column("bits_lost_when_shuffled").unwrap().cloned().collect();
    let [Cell::Number(a), Cell::Number(z)] = worth[..] else { panic!("no worth") };
    assert!(a > 0.2 && z.abs() < 0.01, "{a} {z}");
}
