//! Pictures of models say what the models say: read by hand, they give the predicted probabilities, the known densities and the likelihood.

use oddsmith::data::Rows;
use oddsmith::eval::pictures::Judged;
use oddsmith::eval::{EvalSettings, Evaluation, ScoreScale, ScoredBatch};
use oddsmith::num::special::normal;
use oddsmith::picture::{Mark, Picture, Role};
use oddsmith::prelude::*;
use oddsmith::stats::Statistics;
use oddsmith::train::findings::{Findings, SourceRows};
use oddsmith::train::pictures::{Landscape, Nomogram, RowDigest, SAMPLE, Waterfall, densities, map, over_rows, residuals};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Rows of two normal columns, whose means differ between the classes.
struct Normals {
    layout: Layout,
    numbers: Vec<f64>,
    labels: Vec<u32>,
}

impl Normals {
    fn new(rows: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || normal::quantile((random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 + 1e-17);
        let (mut numbers, mut labels) = (Vec::new(), Vec::new());
        for i in 0..rows {
            let event = u32::from(i % 3 == 0);
            numbers.extend([30.0 + 5.0 * draw() + 4.0 * f64::from(event), 100.0 + 20.0 * draw() - 8.0 * f64::from(event)]);
            labels.push(event);
        }
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let features = vec![Feature::number("age"), Feature::number("weight")];
        Normals { layout: Layout::new("low", features, classes, Weighting::None).unwrap(), numbers, labels }
    }

    fn features(&self) -> Features<'_> {
        Features::of_numbers(MatrixView::row_major(&self.numbers, self.labels.len(), 2).unwrap())
    }

    fn source(&self) -> ViewSource<'_> {
        ViewSource::new(&self.layout, self.features(), &self.labels, None).unwrap()
    }

    fn fitted(&self, name: &str) -> Box<dyn Classifier> {
        let (entry, params) = registry::parse(name).unwrap();
        let learner = (entry.build)(&params).unwrap();
        fit(&learner, &self.source(), None, &Control::new()).unwrap().model
    }

    fn digest(&self) -> RowDigest {
        oddsmith::train::pass(&self.source(), &RowDigest::new(&self.layout), None, &Control::new()).unwrap()
    }

    fn probabilities(&self, model: &dyn Classifier) -> Predictions {
        let mut out = Predictions::new();
        Predictor::new(model).predict(&self.features(), &mut out).unwrap();
        out
    }
}

/// The mark of a kind that is drawn in the colour of a class of two.
fn of_class<'a>(picture: &'a Picture, kind: &str, k: usize) -> &'a Mark {
    let drawn = |mark: &&Mark| mark.kind() == kind && mark.role() == Role::of_class(k, 2);
    picture.panels.iter().flat_map(|panel| &panel.marks).map(Mark::still).find(drawn).unwrap()
}

#[test]
fn a_nomogram_read_by_hand_gives_the_predicted_probability() {
    let rows = Normals::new(300, 1);
    for name in ["logistic", "nb", "lda"] {
        let model = rows.fitted(name);
        let nomogram = Nomogram::of(&*model, &rows.digest()).unwrap();
        // A row that stands at ticks of both rulers.
        let (_, ages) = &nomogram.rulers[0];
        let (_, weights) = &nomogram.rulers[1];
        let ((age, age_points), (weight, weight_points)) = (&ages[2], &weights[1]);
        let cells = [age.parse().unwrap(), weight.parse().unwrap()];
        let mut out = Predictions::new();
        let features = Features::of_numbers(MatrixView::row_major(&cells, 1, 2).unwrap());
        Predictor::new(&*model).predict(&features, &mut out).unwrap();
        let log_odds = nomogram.line.0 + nomogram.line.1 * (age_points + weight_points);
        let read = 1.0 / (1.0 + (-log_odds).exp());
        assert!((read - out.row(0)[1]).abs() < 1e-9, "{name}: {read} and {}", out.row(0)[1]);
        let most = ages.iter().chain(weights).map(|(_, points)| *points).fold(0.0, f64::max);
        assert!((most - 100.0).abs() < 1e-9, "{most}");
    }
}

#[test]
fn columns_that_act_together_have_no_rulers() {
    let rows = Normals::new(200, 2);
    let told = Nomogram::of(&*rows.fitted("tree"), &rows.digest()).unwrap_err().to_string();
    assert!(told.contains("sums") || told.contains("addends") || told.contains("depends on other columns"), "{told}");
}

#[test]
fn steps_of_a_waterfall_end_at_the_predicted_log_odds() {
    let rows = Normals::new(300, 3);
    for name in ["logistic", "nb", "qda(shrinkage=0.1)"] {
        let model = rows.fitted(name);
        let mut words = Vec::new();
        let row = rows.features().slice(7, 8, &mut words);
        let Ok(found) = Waterfall::of_row(&*model, &row, 8) else { continue };
        let wanted = rows.probabilities(&*model);
        assert!((found.total() - wanted.log_odds(7, 1)).abs() < 1e-9, "{name}");
        let Mark::Bars { bars, .. } =
            found.picture().panels[0].marks.iter().rev().find(|mark| mark.kind() == "bars").unwrap().still().clone()
        else {
            panic!("the result is a bar")
        };
        assert!((bars[0].2 - 10.0 * std::f64::consts::LOG10_E * found.total()).abs() < 1e-9);
    }
}

#[test]
fn curves_of_naive_bayes_are_normal_densities() {
    let rows = Normals::new(600, 4);
    let (model, digest) = (rows.fitted("nb"), rows.digest());
    let picture = densities(&*model, &digest, 0).unwrap();
    for (k, label) in ["no", "yes"].iter().enumerate() {
        let of = digest.number(k, 0);
        let sd = (of.squares / of.weight).sqrt();
        let Mark::Line { points, .. } = of_class(&picture, "line", k) else { panic!("a curve is a line") };
        for (x, density) in points.iter().step_by(10) {
            let z = (x - of.mean) / sd;
            let wanted = (-0.5 * z * z).exp() / (sd * (2.0 * std::f64::consts::PI).sqrt());
            assert!((density - wanted).abs() < 1e-6 * wanted.max(1e-3), "{label} at {x}: {density} and {wanted}");
        }
    }
}

#[test]
fn a_ring_holds_half_of_its_class() {
    ring_holds_half(&Normals::new(4000, 5));
    // A class that is two points of the map's grid wide.
    let mut rows = Normals::new(4000, 5);
    rows.numbers.chunks_mut(2).zip(&rows.labels).filter(|(_, label)| **label == 1).for_each(|(row, _)| {
        (row[0], row[1]) = (34.0 + 0.05 * (row[0] - 34.0), 92.0 + 0.05 * (row[1] - 92.0));
    });
    ring_holds_half(&rows);
}

fn ring_holds_half(rows: &Normals) {
    let (model, digest) = (rows.fitted("qda"), rows.digest());
    let picture = map(&*model, &digest, [0, 1]).unwrap();
    for (k, label) in ["no", "yes"].iter().enumerate() {
        let Mark::Contour { x, y, values, level, .. } = of_class(&picture, "contour", k) else { panic!("a ring is a contour") };
        let nearest =
            |grid: &[f64], at: f64| (0..grid.len()).min_by(|a, b| (grid[*a] - at).abs().total_cmp(&(grid[*b] - at).abs())).unwrap();
        let own: Vec<usize> = (0..rows.labels.len()).filter(|i| rows.labels[*i] as usize == k).collect();
        let inside = own.iter().filter(|i| {
            let (u, v) = (rows.numbers[2 * **i], rows.numbers[2 * **i + 1]);
            values[nearest(y, v) * x.len() + nearest(x, u)] > *level
        });
        let share = inside.count() as f64 / own.len() as f64;
        assert!((share - 0.5).abs() < 0.04, "{label}: {share}");
    }
}

/// A boundary of LDA is a straight line, however steep the probabilities are between two points of the grid.
#[test]
fn a_steep_boundary_is_straight() {
    let mut rows = Normals::new(600, 5);
    // Classes a hundred spreads apart: log odds of hundreds from one point of the grid to the next.
    rows.numbers.chunks_mut(2).zip(&rows.labels).for_each(|(row, label)| row[0] += 500.0 * f64::from(*label));
    let model = rows.fitted("lda");
    let picture = map(&*model, &rows.digest(), [0, 1]).unwrap();
    let lines = picture.panels[0].marks.iter().filter_map(|mark| match mark {
        Mark::Contour { role: Role::Plain, x, y, values, level, .. } => Some((x, y, values, *level)),
        _ => None,
    });
    let [(x, y, values, level)] = lines.collect::<Vec<_>>()[..] else { panic!("one boundary") };
    // Where every row of the grid crosses the level lies on one line.
    let crossing = |i: usize| {
        let row = &values[i * x.len()..(i + 1) * x.len()];
        let j = (0..x.len() - 1).find(|j| (row[*j] > level) != (row[j + 1] > level)).unwrap();
        x[j] + (level - row[j]) / (row[j + 1] - row[j]) * (x[j + 1] - x[j])
    };
    let (first, last, many) = (crossing(0), crossing(y.len() - 1), y.len() - 1);
    let worst = (0..=many).map(|i| (crossing(i) - (first + (last - first) * i as f64 / many as f64)).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-6 * (x[1] - x[0]), "{worst} in cells of {}", x[1] - x[0]);
}

/// Where two classes meet both find the boundary in the same place, also where a third is second: else it is drawn twice, with a gap between.
#[test]
fn a_boundary_of_several_classes_is_one_line() {
    let mut rows = Normals::new(900, 3);
    let class = |i: usize, row: &[f64]| if row[0] < 28.0 { 0 } else { 1 + u32::from((row[1] > 100.0) != i.is_multiple_of(7)) };
    rows.labels = rows.numbers.chunks(2).enumerate().map(|(i, row)| class(i, row)).collect();
    let classes = Classes::new(["a", "b", "c"].map(String::from).to_vec()).unwrap();
    rows.layout = Layout::new("y", rows.layout.features().to_vec(), classes, Weighting::None).unwrap();
    let picture = map(&*rows.fitted("tree"), &rows.digest(), [0, 1]).unwrap();
    let leads = picture.panels[0].marks.iter().filter_map(|mark| match mark {
        Mark::Contour { role: Role::Plain, x, values, .. } => Some((x.len(), values)),
        _ => None,
    });
    let leads: Vec<(usize, &Vec<f64>)> = leads.collect();
    assert_eq!(leads.len(), 3);
    let (mut met, mut apart) = (0, 0);
    for i in (0..leads[0].1.len()).filter(|i| (i + 1) % leads[0].0 != 0) {
        let shares: Vec<f64> = leads
            .iter()
            .filter(|(_, values)| (values[i] > 0.0) != (values[i + 1] > 0.0))
            .map(|(_, values)| values[i] / (values[i] - values[i + 1]))
            .collect();
        met += usize::from(shares.len() == 2);
        apart += usize::from(shares.len() == 2 && (shares[0] - shares[1]).abs() > 1e-9);
    }
    // Only beside places where all three meet.
    assert!(met > 50 && 8 * apart < met, "{apart} of {met}");
}

/// Models without addends are drawn over the columns that they lean on, wherever these stand in the table.
#[test]
fn a_forest_is_drawn_over_the_columns_that_matter() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut draw = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let numbers: Vec<f64> = (0..1200).map(|_| draw()).collect();
    let labels: Vec<u32> = numbers.chunks(4).map(|row| u32::from(row[2] + row[3] > 1.0)).collect();
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let layout = Layout::new("y", ["noise", "more", "a", "b"].map(Feature::number).to_vec(), classes, Weighting::None).unwrap();
    let features = Features::of_numbers(MatrixView::row_major(&numbers, labels.len(), 4).unwrap());
    let source = ViewSource::new(&layout, features, &labels, None).unwrap();
    let (entry, params) = registry::parse("forest").unwrap();
    let control = Control::new();
    let model = fit(&(entry.build)(&params).unwrap(), &source, None, &control).unwrap().model;
    let seen = SourceRows { source: &source, threads: None, control: &control };
    let findings = Findings::gather(&*model, &seen, None, false).unwrap();
    let boundary = findings.shape.iter().find(|picture| picture.name == "boundary").unwrap();
    let mut axes = [boundary.panels[0].x.label.as_str(), boundary.panels[0].y.label.as_str()];
    axes.sort_unstable();
    assert_eq!(axes, ["a", "b"]);
}

#[test]
fn the_landscape_is_the_likelihood() {
    let rows = Normals::new(250, 6);
    let (model, digest) = (rows.fitted("logistic"), rows.digest());
    let means = [digest.all_numbers(0).mean, digest.all_numbers(1).mean];
    let empty = Landscape::new(&*model, &[0, 1], &means).unwrap();
    let found = oddsmith::train::pass(&rows.source(), &empty, None, &Control::new()).unwrap();
    let values = found.values();
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // The estimate stands in the middle of the grid, where the likelihood is that of the fit, and nowhere larger.
    let fitted = model.inference().unwrap().likelihood().log_likelihood;
    assert!((values[values.len() / 2] - fitted).abs() < 1e-8 && top <= fitted + 1e-8, "{top} and {fitted}");
    let picture = found.picture();
    let (Mark::Contour { x, y, .. }, at) = (picture.panels[0].marks[1].still(), 7) else { panic!("contours follow the surface") };
    let weights = model.linear().unwrap().weights(&rows.layout);
    let by_hand: f64 = (0..rows.labels.len())
        .map(|i| {
            let moved = (x[at] - weights[1].values[1]) * (rows.numbers[2 * i] - means[0])
                + (y[at] - weights[2].values[1]) * (rows.numbers[2 * i + 1] - means[1]);
            let eta = rows.probabilities(&*model).log_odds(i, 1) + moved;
            if rows.labels[i] == 1 { -(1.0 + (-eta).exp()).ln() } else { -(1.0 + eta.exp()).ln() }
        })
        .sum();
    assert!((values[at * x.len() + at] - by_hand).abs() < 1e-8, "{} and {by_hand}", values[at * x.len() + at]);
}

#[test]
fn the_landscape_of_a_normal_is_the_likelihood_of_its_rows() {
    let rows = Normals::new(250, 8);
    let (source, control) = (rows.source(), Control::new());
    let seen = SourceRows { source: &source, threads: None, control: &control };
    for (name, tied) in [("nb", false), ("qda", false), ("lda", true)] {
        let model = rows.fitted(name);
        let picture = over_rows("landscape", &*model, &seen, &["weight".into()]).unwrap();
        assert_eq!(picture.panels.len(), 2);
        for (k, panel) in picture.panels.iter().enumerate() {
            let of_class = |i: &usize| rows.labels[*i] == k as u32;
            let own: Vec<f64> = (0..rows.labels.len()).filter(of_class).map(|i| rows.numbers[2 * i + 1]).collect();
            let log_likelihood =
                |mean: f64, spread: f64| -> f64 { own.iter().map(|x| -0.5 * ((x - mean) / spread).powi(2) - spread.ln()).sum() };
            let mean = own.iter().sum::<f64>() / own.len() as f64;
            let spread = (own.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / own.len() as f64).sqrt();
            let Mark::Contour { x, y, values, level, .. } = panel.marks[4].still() else { panic!("the last line is a contour") };
            // The whole grid differs from the sums over rows by one constant.
            let constant = values[0] - log_likelihood(x[0], y[0]);
            for (j, b) in y.iter().enumerate() {
                for (i, a) in x.iter().enumerate() {
                    let by_hand = log_likelihood(*a, *b) + constant;
                    assert!((values[j * x.len() + i] - by_hand).abs() < 1e-8 * by_hand.abs().max(1.0), "{name} {k}: {a} {b}");
                }
            }
            // The line of 99 % lies 4.605 below the top, within the grid on every side.
            let top = log_likelihood(mean, spread) + constant;
            assert!((top - level - 0.01f64.ln().abs()).abs() < 1e-3, "{name} {k}: {top} {level}");
            let border = (0..x.len()).flat_map(|i| [i, (y.len() - 1) * x.len() + i, i * x.len(), (i + 1) * x.len() - 1]);
            assert!(border.into_iter().all(|place| values[place] < *level), "{name} {k}: the line leaves the picture");
            let Mark::Points { points, .. } = panel.marks[5].still() else { panic!("the estimate is a point") };
            assert!((points[0].0 - mean).abs() < 1e-6 * mean.abs(), "{name} {k}");
            let ratio = points[0].1 / spread;
            assert!((ratio - 1.0).abs() < if tied { 0.2 } else { 0.01 }, "{name} {k}: {ratio}");
        }
    }
}

#[test]
fn a_digest_of_pieces_is_that_of_the_whole() {
    let rows = Normals::new(2 * SAMPLE, 7);
    let whole = rows.digest();
    let mut pieces: Vec<RowDigest> = Vec::new();
    for (lo, hi) in [(0, 100), (100, 2000), (2000, rows.labels.len())] {
        let mut piece = RowDigest::new(&rows.layout);
        let mut words = Vec::new();
        piece.observe(Rows::new(rows.features().slice(lo, hi, &mut words), &rows.labels[lo..hi], None, lo as u64)).unwrap();
        pieces.push(piece);
    }
    let mut merged = RowDigest::new(&rows.layout);
    pieces.iter().rev().for_each(|piece| merged.merge(piece).unwrap());
    assert_eq!(merged.rows(), whole.rows());
    assert_eq!((merged.rows().len(), merged.is_whole()), (SAMPLE, false));
    assert_eq!(merged.class_rows, whole.class_rows);
    for at in 0..2 {
        let (a, b) = (merged.all_numbers(at), whole.all_numbers(at));
        assert!((a.mean - b.mean).abs() < 1e-9 && (a.deviation() - b.deviation()).abs() < 1e-9);
    }
}

#[test]
fn findings_of_every_model_have_pictures_or_reasons() {
    let rows = Normals::new(120, 8);
    let source = rows.source();
    let control = Control::new();
    let mut drawn = 0;
    for entry in registry::MODELS {
        let Ok(learner) = (entry.build)(&entry.defaults()) else { continue };
        let Ok(fitted) = fit(&learner, &source, None, &control) else { continue };
        let seen = SourceRows { source: &source, threads: None, control: &control };
        let findings = Findings::gather(&*fitted.model, &seen, None, false).unwrap();
        assert!(!findings.shape.is_empty(), "{}", entry.name);
        assert!(findings.row.is_ok() || !findings.row.unwrap_err().is_empty(), "{}", entry.name);
        let hidden = Findings::gather(&*fitted.model, &seen, None, true).unwrap();
        assert!(hidden.row.is_err() && hidden.influence.is_err(), "{}", entry.name);
        let points =
            hidden.shape.iter().flat_map(|picture| &picture.panels).flat_map(|panel| &panel.marks).any(|mark| mark.kind() == "points");
        assert!(!points, "{}", entry.name);
        drawn += 1;
    }
    assert!(drawn >= 10, "{drawn}");
}

#[test]
fn pictures_that_a_model_lacks_are_refused_with_a_reason() {
    let rows = Normals::new(100, 9);
    let (source, control) = (rows.source(), Control::new());
    let seen = SourceRows { source: &source, threads: None, control: &control };
    let model = rows.fitted("nb");
    for (name, word) in [("influence", "regressions"), ("nowhere", "one of")] {
        let told = over_rows(name, &*model, &seen, &[]).unwrap_err().to_string();
        assert!(told.contains(word), "{name}: {told}");
    }
    for (name, word) in [("knn", "logistic"), ("nb(predictive)", "no normal one")] {
        let told = over_rows("landscape", &*rows.fitted(name), &seen, &[]).unwrap_err().to_string();
        assert!(told.contains(word), "{name}: {told}");
    }
    let margins = rows.fitted("least-squares");
    let told = over_rows("nomogram", &*margins, &seen, &[]).unwrap_err().to_string();
    assert!(told.contains("margins"), "a margin read as log odds is no probability: {told}");
    let told = over_rows("boundary", &*model, &seen, &["age".into()]).unwrap_err().to_string();
    assert!(told.contains("two number columns"), "{told}");
}

#[test]
fn rows_of_parts_that_are_counted_from_their_own_beginning_stay_apart() {
    let rows = Normals::new(120, 5);
    let part = |lo: usize, hi: usize| {
        let mut words = Vec::new();
        let features = rows.features();
        let mut digest = RowDigest::new(&rows.layout);
        digest.observe(Rows::new(features.slice(lo, hi, &mut words), &rows.labels[lo..hi], None, 0)).unwrap();
        digest
    };
    let mut whole = part(0, 50);
    let mut later = part(50, 120);
    later.come_after(50);
    whole.merge(&later).unwrap();
    let kept: Vec<(u64, f64)> = whole.rows().iter().map(|row| (row.row, row.numbers[0])).collect();
    let expected: Vec<(u64, f64)> = (0..120).map(|i| (i as u64, rows.numbers[2 * i])).collect();
    assert_eq!(kept, expected);
}

#[test]
fn a_model_that_is_too_sure_does_not_squeeze_its_decision_curve() {
    let mut evaluation = Evaluation::new(2, ScoreScale::LogOdds, EvalSettings::default());
    // Every fifth row is an event, and half of all are called with certainty, whatever they are.
    let labels: Vec<u32> = (0..200).map(|i| u32::from(i % 5 == 0)).collect();
    let odds: Vec<f64> = (0..200).map(|i| if (i / 5) % 2 == 0 { 30.0 } else { -30.0 }).collect();
    let log_p = |odds: f64| -(-odds).exp().ln_1p();
    let probabilities: Vec<f64> = odds.iter().flat_map(|odds| [log_p(-odds).exp(), log_p(*odds).exp()]).collect();
    let log_true: Vec<f64> = odds.iter().zip(&labels).map(|(odds, label)| log_p(if *label == 1 { *odds } else { -odds })).collect();
    let batch = ScoredBatch {
        probabilities: &probabilities,
        log_odds: Some(&odds),
        log_true: Some(&log_true),
        labels: &labels,
        weights: None,
        first_row: 0,
    };
    evaluation.observe(batch).unwrap();
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let picture = Judged { evaluation: &evaluation, classes: &classes, target: "low", threshold: None, no_rows: false }.decision().unwrap();
    let (low, high) = picture.panels[0].y.range.unwrap();
    // At 90 % each of the 80 false alarms of 200 rows costs nine events.
    let lowest = of_class(&picture, "line", 0);
    let Mark::Line { points, .. } = lowest else { panic!("{lowest:?}") };
    assert!(points.iter().any(|(t, benefit)| *t > 0.89 && *t < 0.91 && (benefit - (0.1 - 0.4 * 9.0)).abs() < 1e-9), "{points:?}");
    assert!((low + 0.3 * 0.2).abs() < 1e-12 && high > 0.2 && high < 0.22, "{low} {high}");
    assert!(picture.summary.contains("leaves the picture below") && picture.summary.contains(" below zero at 9"), "{}", picture.summary);
}

/// Scores of many rows, judged.
fn judged_rows(rows: usize) -> Evaluation {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let odds: Vec<f64> = (0..rows).map(|_| 6.0 * uniform() - 3.0).collect();
    let labels: Vec<u32> = odds.iter().map(|odds| u32::from(uniform() < 1.0 / (1.0 + (-odds).exp()))).collect();
    let log_p = |odds: f64| -(-odds).exp().ln_1p();
    let probabilities: Vec<f64> = odds.iter().flat_map(|odds| [log_p(-odds).exp(), log_p(*odds).exp()]).collect();
    let log_true: Vec<f64> = odds.iter().zip(&labels).map(|(odds, label)| log_p(if *label == 1 { *odds } else { -odds })).collect();
    let (log_odds, log_true) = (Some(&odds[..]), Some(&log_true[..]));
    let batch = ScoredBatch { probabilities: &probabilities, log_odds, log_true, labels: &labels, weights: None, first_row: 0 };
    let mut evaluation = Evaluation::new(2, ScoreScale::LogOdds, EvalSettings::default());
    evaluation.observe(batch).unwrap();
    evaluation
}

/// Neighbouring points of a curve stand for ten rows or more where no single row may show; the rows of the finest curve give one each.
#[test]
fn curves_without_rows_have_no_step_of_a_single_row() {
    let evaluation = judged_rows(203);
    let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let ranking = evaluation.ranking().unwrap();
    let judged = |no_rows| Judged { evaluation: &evaluation, classes: &classes, target: "low", threshold: None, no_rows };
    let fewest = |no_rows| {
        let picture = judged(no_rows).roc().unwrap();
        let Some(Mark::Line { points, .. }) = picture.panels[0].marks.iter().find(|mark| mark.name() == "model") else {
            panic!("no curve")
        };
        let rows = |(x, y): (f64, f64)| x * ranking.others_weight + y * ranking.events_weight;
        points.windows(2).map(|two| rows(two[1]) - rows(two[0])).fold(f64::INFINITY, f64::min)
    };
    assert!(fewest(false) < 1.5 && fewest(true) > 9.99, "{} {}", fewest(false), fewest(true));
    // Bars of a histogram and blocks of the calibration curve, too.
    let bars = |no_rows| {
        let picture = judged(no_rows).calibration().unwrap();
        let Mark::Blocks { blocks, .. } = &picture.panels[1].marks[0] else { panic!("no histogram") };
        blocks.iter().map(|(.., rows)| *rows).fold(f64::INFINITY, f64::min)
    };
    assert!(bars(false) < 10.0 && bars(true) >= 10.0, "{} {}", bars(false), bars(true));
    assert!(judged(true).roc().unwrap().summary.contains("10 rows or more"));
    let weights = |no_rows| oddsmith::eval::Reliability::of(&judged(no_rows).shown(ranking.clone()), Weighting::None).unwrap().steps;
    assert!(weights(true).iter().all(|step| step.weight >= 10.0) && weights(false).iter().any(|step| step.weight < 10.0));
}

/// Ends of columns and histograms come for ten rows or more.
#[test]
fn a_digest_that_shows_no_row_joins_them() {
    let normals = Normals::new(300, 9);
    let (open, closed) = (normals.digest(), normals.digest().with_rows_together(10));
    let mut ages: Vec<f64> = normals.numbers.iter().step_by(2).copied().collect();
    ages.sort_by(f64::total_cmp);
    let mean = ages[..10].iter().sum::<f64>() / 10.0;
    assert_eq!(open.range(0).unwrap().0, ages[0]);
    assert!((closed.range(0).unwrap().0 - mean).abs() < 1e-9 && mean > ages[1]);
    let runs = closed.runs(&ages, (ages[0], ages[299]), 24);
    assert!(runs.iter().all(|(_, blocks, count)| *count == 0.0 || count * *blocks as f64 > 9.99), "{runs:?}");
    assert_eq!(runs.iter().map(|(_, blocks, _)| blocks).sum::<usize>(), 24);
    assert!((runs.iter().map(|(_, blocks, count)| count * *blocks as f64).sum::<f64>() - 300.0).abs() < 1e-9);
    assert!(open.runs(&ages, (ages[0], ages[299]), 24).iter().any(|(.., count)| *count > 0.0 && *count < 10.0));
    assert!(closed.distinct(0, 1000).is_none_or(|values| values.is_empty()));
}

/// Quantile residuals of the true model are standard normal; those of one that expects the event too often are not.
#[test]
fn residuals_are_normal_where_probabilities_are_right() {
    let normals = Normals::new(1500, 3);
    let (fitted, digest) = (normals.fitted("lda"), normals.digest());
    let found = |model: &dyn Classifier| -> Vec<f64> {
        let picture = residuals(model, &digest).unwrap();
        let points = picture.panels[0].marks.iter().filter_map(|mark| match mark {
            Mark::Points { points, .. } => Some(points.iter().map(|(_, residual)| *residual)),
            _ => None,
        });
        points.flatten().collect()
    };
    // Kolmogorov's distance to the normal distribution; 1.36/√n is exceeded once in twenty.
    let distance = |mut of: Vec<f64>| {
        of.sort_by(f64::total_cmp);
        let n = of.len() as f64;
        of.iter().enumerate().map(|(i, r)| (normal::cdf(*r) - (i as f64 + 0.5) / n).abs()).fold(0.0, f64::max) * n.sqrt()
    };
    assert!(distance(found(&*fitted)) < 1.36, "{}", distance(found(&*fitted)));
    let wrong = fitted.generative().unwrap().with_log_prior(vec![0.2f64.ln(), 0.8f64.ln()]);
    assert!(distance(found(&*wrong)) > 2.5, "{}", distance(found(&*wrong)));
}
