//! k nearest neighbours against known answers and plain loops.

use crate::support::{Csv, Frame, close};
use oddsmith::control::Control;
use oddsmith::data::{Classes, CodesView, Feature, Features, Kind, Layout, Levels, MISSING, UNSEEN, ViewSource, Weighting};
use oddsmith::error::ErrorKind;
use oddsmith::model::neighbors::{Knn, KnnModel, Standard, Ties, Votes};
use oddsmith::model::{Classifier, Learner, Neighbour, Predictions, Predictor};
use oddsmith::num::MatrixView;
use oddsmith::{persist, train};

const COLUMNS: [(&str, Kind); 4] =
    [("Sepal.Length", Kind::Number), ("Sepal.Width", Kind::Number), ("Petal.Length", Kind::Number), ("Petal.Width", Kind::Number)];

fn iris() -> Frame {
    let csv = Csv::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data/iris.csv"));
    Frame::new(&csv, "Species", &COLUMNS)
}

fn without(frame: &Frame, row: usize) -> Frame {
    let width = frame.layout.numbers().len();
    let mut numbers = frame.numbers.clone();
    numbers.drain(row * width..(row + 1) * width);
    let mut labels = frame.labels.clone();
    labels.remove(row);
    with(frame, numbers, labels)
}

/// Other rows of the same columns.
fn with(frame: &Frame, numbers: Vec<f64>, labels: Vec<u32>) -> Frame {
    Frame { layout: frame.layout.clone(), numbers, codes: Vec::new(), labels, weights: None }
}

fn fit<L: Learner>(learner: &L, frame: &Frame) -> L::Model {
    train::fit(learner, &frame.source(), None, &Control::new()).unwrap().model
}

fn probabilities(model: &dyn Classifier, features: &Features<'_>) -> Vec<f64> {
    let mut out = Predictions::new();
    Predictor::new(model).predict(features, &mut out).unwrap();
    out.probabilities().to_vec()
}

fn plain(k: u64) -> Knn {
    Knn { k: Some(k), alpha: 0.0, standard: Standard::None, ..Knn::default() }
}

#[test]
fn iris_left_out_one_by_one_errs_as_often_as_known() {
    // Exact in whole tenths of a centimetre, by two programs.
    let frame = iris();
    for (k, errors, tied) in [(1, 6, 17), (3, 6, 36), (5, 5, 28), (7, 5, 33), (15, 4, 39)] {
        for ties in [Ties::Share, Ties::Row] {
            let (mut wrong, mut with_ties) = (0, 0);
            for row in 0..frame.rows() {
                let model = fit(&Knn { ties, ..plain(k) }, &without(&frame, row));
                let cells = &frame.numbers[row * 4..row * 4 + 4];
                let query = Features::of_numbers(MatrixView::row_major(cells, 1, 4).unwrap());
                let p = probabilities(&model, &query);
                let best = (1..3).fold(0, |best, c| if p[c] > p[best] { c } else { best });
                wrong += usize::from(best as u32 != frame.labels[row]);
                with_ties += usize::from(model.neighbours().unwrap().nearest(&query, None).unwrap()[0].len() > k as usize);
            }
            assert_eq!((wrong, with_ties), (errors, tied), "k = {k}, {ties:?}");
        }
    }
}

/// Many points of a small generator, two classes.
fn cloud(rows: usize, columns: usize, seed: u64) -> Frame {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let numbers: Vec<f64> = (0..rows * columns).map(|_| 100.0 + draw() * 3.0).collect();
    let labels = (0..rows).map(|i| u32::from(numbers[i * columns] + draw() > 102.0)).collect();
    let classes = Classes::new(vec!["a".into(), "b".into()]).unwrap();
    let features = (0..columns).map(|j| Feature::number(format!("x{j}"))).collect();
    Frame { layout: Layout::new("y", features, classes, Weighting::None).unwrap(), numbers, codes: Vec::new(), labels, weights: None }
}

#[test]
fn the_screened_search_finds_what_a_plain_loop_finds() {
    for (rows, columns, k) in [(700, 3, 5), (2000, 16, 10), (1000, 1, 40), (300, 9, 1)] {
        let (frame, queries) = (cloud(rows, columns, 7), cloud(97, columns, 99));
        let model = fit(&Knn { standard: Standard::None, k: Some(k), ..Knn::default() }, &frame);
        let listed = model.neighbours().unwrap().nearest(&queries.features(), None).unwrap();
        for (q, listed) in listed.iter().enumerate() {
            let query = &queries.numbers[q * columns..(q + 1) * columns];
            let squared = |i: usize| -> f64 {
                query.iter().zip(&frame.numbers[i * columns..(i + 1) * columns]).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let mut all: Vec<(f64, usize)> = (0..rows).map(|i| (squared(i), i)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let want: Vec<u64> = all[..k as usize].iter().map(|(_, i)| *i as u64 + 1).collect();
            assert_eq!(listed.iter().map(|neighbour| neighbour.row).collect::<Vec<_>>(), want, "{rows} × {columns}, query {q}");
            listed.iter().zip(&all).for_each(|(neighbour, (squared, _))| close(neighbour.distance, squared.sqrt(), 1e-14));
        }
    }
}

#[test]
fn a_power_of_two_moves_no_neighbour() {
    // Squares of the larger ranges leave single precision, then all numbers; of the smaller ones they vanish. Many rows of few columns lie in boxes.
    for (rows, columns) in [(300, 9), (9_000, 2)] {
        let (frame, queries) = (cloud(rows, columns, 3), cloud(20, columns, 4));
        let learner = Knn { standard: Standard::None, k: Some(5), ..Knn::default() };
        let times = |frame: &Frame, factor: f64| with(frame, frame.numbers.iter().map(|x| x * factor).collect(), frame.labels.clone());
        let nearest = |factor: f64| {
            let model = fit(&learner, &times(&frame, factor));
            model.neighbours().unwrap().nearest(&times(&queries, factor).features(), None).unwrap()
        };
        let plain = nearest(1.0);
        for power in [-900, -560, -70, 64, 100, 530, 900] {
            for (plain, moved) in plain.iter().zip(&nearest(2f64.powi(power))) {
                let of = |list: &[Neighbour], factor: f64| list.iter().map(|one| (one.row, one.distance * factor)).collect::<Vec<_>>();
                assert_eq!(of(moved, 1.0), of(plain, 2f64.powi(power)), "{rows} × {columns} × 2^{power}");
            }
        }
    }
}

#[test]
fn a_row_far_from_all_others_has_neighbours() {
    let frame = cloud(300, 3, 3);
    let model = fit(&Knn { standard: Standard::None, k: Some(5), ..Knn::default() }, &frame);
    for far in [1e12, 1e22, 1e200] {
        let query = with(&frame, vec![far, 100.0, 100.0], vec![0]);
        let p = probabilities(&model, &query.features());
        assert!(p.iter().all(|p| p.is_finite()) && (p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{far}: {p:?}");
        assert!(model.neighbours().unwrap().nearest(&query.features(), None).unwrap()[0].len() >= 5, "{far}");
    }
}

#[test]
fn boxes_find_what_a_plain_loop_finds() {
    // Enough rows of few columns for boxes; on a grid of whole numbers most distances tie.
    for (rows, columns, k, grid) in
        [(2_000, 1, 3, false), (9_000, 2, 7, false), (9_000, 2, 5, true), (6_000, 3, 4, false), (33_000, 6, 5, false)]
    {
        let whole = |frame: Frame| {
            let numbers = if grid { frame.numbers.iter().map(|x| (x * 40.0).round()).collect() } else { frame.numbers.clone() };
            Frame { numbers, ..frame }
        };
        let (frame, queries) = (whole(cloud(rows, columns, 5)), whole(cloud(25, columns, 77)));
        let model = fit(&Knn { standard: Standard::None, k: Some(k), ..Knn::default() }, &frame);
        let listed = model.neighbours().unwrap().nearest(&queries.features(), None).unwrap();
        for (q, listed) in listed.iter().enumerate() {
            let query = &queries.numbers[q * columns..(q + 1) * columns];
            let squared = |i: usize| -> f64 {
                query.iter().zip(&frame.numbers[i * columns..(i + 1) * columns]).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let mut all: Vec<(f64, usize)> = (0..rows).map(|i| (squared(i), i)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let limit = all[k as usize - 1].0 * (1.0 + 1e-12);
            let want: Vec<u64> = all.iter().take_while(|(squared, _)| *squared <= limit).map(|(_, i)| *i as u64 + 1).collect();
            assert_eq!(listed.iter().map(|neighbour| neighbour.row).collect::<Vec<_>>(), want, "{rows} × {columns}, query {q}");
        }
    }
}

#[test]
fn leaving_out_one_by_one_is_what_refits_say() {
    let frame = cloud(120, 2, 3);
    let model = fit(&Knn { most_k: 12, ..Knn::default() }, &frame);
    assert_eq!(model.losses().len(), 12);
    for k in [1, 4, 12] {
        // Units are those of all rows, so refits take them as they are: the columns are brought to them first.
        let spread = |j: usize| {
            let column: Vec<f64> = frame.numbers.iter().skip(j).step_by(2).copied().collect();
            let mean = column.iter().sum::<f64>() / 120.0;
            (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 120.0).sqrt()
        };
        let units = [spread(0), spread(1)];
        let scaled = Frame {
            numbers: frame.numbers.iter().enumerate().map(|(at, x)| x / units[at % 2]).collect(),
            layout: frame.layout.clone(),
            codes: Vec::new(),
            labels: frame.labels.clone(),
            weights: None,
        };
        let mut loss = 0.0;
        for row in 0..120 {
            let refit = fit(&Knn { k: Some(k), standard: Standard::None, ..Knn::default() }, &without(&scaled, row));
            let query = Features::of_numbers(MatrixView::row_major(&scaled.numbers[2 * row..2 * row + 2], 1, 2).unwrap());
            loss -= probabilities(&refit, &query)[frame.labels[row] as usize].ln();
        }
        close(model.losses()[k as usize - 1], loss / 120.0, 1e-12);
    }
    let least = model.losses().iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(model.losses()[model.k() as usize - 1], least);
}

fn mixed() -> (Layout, Vec<f64>, Vec<u32>, Vec<u32>) {
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let levels = Levels::sorted(vec!["x".into(), "y".into(), "z".into()]);
    let features = vec![Feature::number("a"), Feature::category("c", levels), Feature::number("b")];
    let layout = Layout::new("t", features, classes, Weighting::None).unwrap();
    let numbers = vec![0.0, 0.0, 1.0, 0.0, 2.0, f64::NAN, 3.0, 4.0];
    (layout, numbers, vec![0, 1, 0, MISSING], vec![0, 0, 1, 1])
}

#[test]
fn mixed_columns_and_gaps_have_the_distance_that_is_said() {
    let (layout, numbers, codes, labels) = mixed();
    let features = |n: usize, numbers: &'static [f64], codes: &'static [u32]| Features {
        numbers: MatrixView::row_major(numbers, n, 2).unwrap(),
        codes: CodesView::row_major(codes, n, 1).unwrap(),
        words: &[],
    };
    let (numbers, codes) = (&*numbers.leak(), &*codes.leak());
    let source = ViewSource::new(&layout, features(4, numbers, codes), &labels, None).unwrap();
    let model: KnnModel = train::fit(&plain(4), &source, None, &Control::new()).unwrap().model;
    let told = |numbers: &'static [f64], codes: &'static [u32]| {
        let mut listed = model.neighbours().unwrap().nearest(&features(1, numbers, codes), None).unwrap().remove(0);
        listed.sort_by_key(|neighbour| neighbour.row);
        listed.into_iter().map(|neighbour| neighbour.distance.powi(2)).collect::<Vec<_>>()
    };
    let same = |got: Vec<f64>, want: [f64; 4]| got.iter().zip(want).for_each(|(got, want)| close(*got, want, 1e-14));
    // All of the query is known: gaps of the rows scale the rest up.
    same(told(&[1.0, 1.0], &[0]), [1.0 + 1.0, 0.0 + 1.0 + 1.0, 1.0 * 3.0 / 2.0, (4.0 + 9.0) * 3.0 / 2.0]);
    // A level that was never seen says nothing.
    same(told(&[1.0, 1.0], &[UNSEEN]), [2.0 * 1.5, 1.0 * 1.5, 1.0 * 3.0, 13.0 * 1.5]);
    // With nothing known every row is as far as any other, and the classes' shares are all that is left.
    let p = probabilities(&model, &features(1, &[f64::NAN, f64::NAN], &[MISSING]));
    assert_eq!(p, [0.5, 0.5]);
}

#[test]
fn more_neighbours_than_rows_are_refused_with_the_number_of_rows() {
    let frame = cloud(10, 2, 1);
    let refused = train::fit(&plain(11), &frame.source(), None, &Control::new()).err().unwrap();
    assert!(matches!(refused.kind(), ErrorKind::InvalidOption { .. }), "{refused}");
    assert_eq!(refused.to_string(), "k = 11 is not accepted: a whole number from 1 to 10, the rows with a class");
    assert!(train::fit(&plain(10), &frame.source(), None, &Control::new()).is_ok());
}

#[test]
fn infinite_numbers_are_named_with_their_place() {
    let mut frame = cloud(10, 2, 1);
    frame.numbers[7] = f64::INFINITY;
    let refused = train::fit(&plain(3), &frame.source(), None, &Control::new()).err().unwrap().to_string();
    assert!(refused.contains("x1") && refused.contains("row 4") && refused.contains("inf"), "{refused}");
}

#[test]
fn a_file_holds_the_rows_and_says_so() {
    let frame = iris();
    let model = fit(&Knn { votes: Votes::Distance, ..Knn::default() }, &frame);
    let bytes = persist::save_model(&model).unwrap();
    let back = persist::load_model(&bytes).unwrap();
    assert_eq!(probabilities(&*back, &frame.features()), probabilities(&model, &frame.features()));
    assert_eq!(back.card(), model.card());
    assert!(model.notices().iter().any(|notice| notice.id == "W432"));
    let two = back.neighbours().unwrap().nearest(&frame.features(), Some(2)).unwrap();
    assert!(two.iter().all(|listed| listed.len() >= 2 && listed[0].distance == 0.0));
    assert!(back.neighbours().unwrap().nearest(&frame.features(), Some(151)).is_err());
}
