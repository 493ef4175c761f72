//! Other roads to the same regression: gradient descent, one example after the other, one regression per class.

use crate::support::{Csv, Frame, Golden};
use oddsmith::ErrorKind;
use oddsmith::control::Control;
use oddsmith::data::Kind;
use oddsmith::model::linear::{Intervals, Logistic, OnSeparation, OneVsRest, Robust, Solver};
use oddsmith::model::{Classifier, Predictions, Predictor};
use oddsmith::persist;
use oddsmith::train::fit;

fn pima() -> Frame {
    let csv = Golden::load("logit_l2_pima").table("data");
    let columns = ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"].map(|name| (name, Kind::Number));
    Frame::new(&csv, "type", &columns)
}

#[test]
fn gradient_descent_ends_at_the_optimum() {
    let frame = pima();
    let newton = fit(&Logistic::new(), &frame.source(), None, &Control::new()).unwrap().model;
    let solver = Solver::Gradient { rate: 2.0, stop: 1e-10 };
    let descent = fit(&Logistic { solver, ..Logistic::new() }, &frame.source(), None, &Control::new()).unwrap().model;
    for (a, b) in newton.parameters().estimates().iter().zip(descent.parameters().estimates()) {
        assert!((a - b).abs() <= 1e-6 * a.abs(), "{b} is not {a}");
    }
    assert!(descent.account().distance < 1e-5 && descent.account().steps > 50);
    assert!(descent.card().notices.iter().all(|notice| notice.id != "W215"), "{:?}", descent.card().notices);
}

#[test]
fn a_rate_that_is_too_large_is_refused_and_a_short_walk_is_named() {
    let frame = pima();
    let wild = Logistic { solver: Solver::Gradient { rate: 500.0, stop: 1e-10 }, ..Logistic::new() };
    assert!(fit(&wild, &frame.source(), None, &Control::new()).err().unwrap().to_string().contains("rate is too large"));
    let short = Logistic { solver: Solver::Gradient { rate: 0.5, stop: 0.1 }, ..Logistic::new() };
    let model = fit(&short, &frame.source(), None, &Control::new()).unwrap().model;
    assert!(model.card().notices.iter().any(|notice| notice.id == "W215"), "{:?}", model.card().notices);
}

#[test]
fn walking_from_row_to_row_comes_near_the_optimum() {
    let frame = pima();
    let solver = Solver::Sgd { rate: 0.05, half_after: 2000.0, stop: 1e-4 };
    let model = fit(&Logistic { solver, most_steps: Some(2000), ..Logistic::new() }, &frame.source(), None, &Control::new()).unwrap().model;
    assert!(model.account().distance < 0.5, "{}", model.account().distance);
}

#[test]
fn one_regression_per_class_is_what_each_class_gives_alone() {
    let csv = Golden::load("multinom_iris_sepal_length").table("data");
    let frame = Frame::new(&csv, "Species", &[("Sepal.Length", Kind::Number)]);
    let learner = OneVsRest { each: Logistic { sampling: false, ..Logistic::new() } };
    let model = fit(&learner, &frame.source(), None, &Control::new()).unwrap().model;
    let mut out = Predictions::new();
    Predictor::new(&model).predict(&frame.features(), &mut out).unwrap();
    for (k, one) in model.models().iter().enumerate() {
        let mut alone = pima_like(&frame, k);
        alone.labels = frame.labels.iter().map(|label| u32::from(*label as usize == k)).collect();
        let single = fit(&Logistic::new(), &alone.source(), None, &Control::new()).unwrap().model;
        assert_eq!(single.parameters().estimates(), one.parameters().estimates());
    }
    assert!(out.probabilities().chunks_exact(3).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-14));
    let stored = persist::load_model(&persist::save_model(&model).unwrap()).unwrap();
    let mut again = Predictions::new();
    Predictor::new(&*stored).predict(&frame.features(), &mut again).unwrap();
    assert_eq!(out.probabilities(), again.probabilities());
}

/// An L1 penalty treats all classes alike: the slopes of the loss for K symmetric outputs are λ against the sign of every coefficient,
/// and at most λ where it is zero.
#[test]
fn an_absolute_penalty_of_several_classes_meets_the_conditions_of_its_optimum() {
    let csv = Golden::load("multinom_iris_sepal_length").table("data");
    let names = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"];
    let frame = Frame::new(&csv, "Species", &names.map(|name| (name, Kind::Number)));
    let mut zeros = Vec::new();
    for l1 in [0.5, 5.0, 20.0] {
        let model = fit(&Logistic { l1, ..Logistic::new() }, &frame.source(), None, &Control::new()).unwrap().model;
        let mut out = Predictions::new();
        Predictor::new(&model).predict(&frame.features(), &mut out).unwrap();
        let mut zero = 0;
        for j in 0..4 {
            let mut weights = [0.0, model.parameters().of(0)[j], model.parameters().of(1)[j]];
            let mut sorted = weights;
            sorted.sort_by(f64::total_cmp);
            weights.iter_mut().for_each(|w| *w -= sorted[1]);
            for (k, weight) in weights.iter().enumerate() {
                let slope: f64 = (0..frame.rows())
                    .map(|i| (out.row(i)[k] - f64::from(u8::from(frame.labels[i] as usize == k))) * frame.numbers[i * 4 + j])
                    .sum();
                match weight.abs() < 1e-9 {
                    true => assert!(slope.abs() <= l1 * (1.0 + 1e-7), "{l1} {j} {k}: {slope}"),
                    false => assert!((slope + l1 * weight.signum()).abs() <= 1e-6 * l1, "{l1} {j} {k}: {slope} at {weight}"),
                }
                zero += usize::from(weight.abs() < 1e-9);
            }
        }
        zeros.push(zero);
    }
    assert!(zeros[0] < zeros[2], "a stronger penalty leaves fewer coefficients: {zeros:?}");
}

#[test]
fn three_tests_of_one_flag_are_those_of_a_table_of_four_counts() {
    // 2 × 2 table: exposed 30 ill of 50, not exposed 14 ill of 60.
    let counts = [(0.0, 0u32, 46), (0.0, 1, 14), (1.0, 0, 20), (1.0, 1, 30)];
    let rows: Vec<(f64, u32)> = counts.iter().flat_map(|&(x, y, n)| std::iter::repeat_n((x, y), n)).collect();
    let cells: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let labels: Vec<u32> = rows.iter().map(|row| row.1).collect();
    let classes = oddsmith::data::Classes::new(vec!["well".into(), "ill".into()]).unwrap();
    let feature = oddsmith::data::Feature::number("x");
    let layout = oddsmith::data::Layout::new("y", vec![feature], classes, oddsmith::data::Weighting::None).unwrap();
    let frame = Frame { layout, numbers: cells, codes: Vec::new(), labels, weights: None };
    let model = fit(&Logistic::new(), &frame.source(), None, &Control::new()).unwrap().model;
    let test = &model.account().tests[0];
    let odds_ratio = (30.0f64 * 46.0) / (14.0 * 20.0);
    let wald = odds_ratio.ln().powi(2) / (1.0 / 30.0 + 1.0 / 46.0 + 1.0 / 14.0 + 1.0 / 20.0);
    // The score test of a 2 × 2 table is Pearson's χ².
    let pearson = 110.0 * (30.0f64 * 46.0 - 14.0 * 20.0).powi(2) / (50.0 * 60.0 * 44.0 * 66.0);
    let entropy = |n: f64| n * n.ln();
    let cells: f64 = [30.0, 46.0, 14.0, 20.0].into_iter().map(entropy).sum();
    let ratio = 2.0 * (cells + entropy(110.0) - [50.0, 60.0, 44.0, 66.0].into_iter().map(entropy).sum::<f64>());
    for (got, want) in [(test.wald.unwrap(), wald), (test.score.unwrap(), pearson), (test.statistic, ratio)] {
        assert!((got - want).abs() <= 1e-10 * want, "{got} is not {want}");
    }
}

/// The same table with two classes.
fn pima_like(frame: &Frame, _class: usize) -> Frame {
    use oddsmith::data::{Classes, Layout, Weighting};
    let classes = Classes::new(vec!["other".into(), "this".into()]).unwrap();
    let layout = Layout::new("y", frame.layout.features().to_vec(), classes, Weighting::None).unwrap();
    Frame { layout, numbers: frame.numbers.clone(), codes: Vec::new(), labels: Vec::new(), weights: None }
}

const TOWNS: usize = 12;

/// Two numbers, a town of twelve and a class; the same town as eleven 0/1 columns in the second table.
fn towns(classes: usize) -> (Frame, Frame) {
    let dummies: Vec<String> = (1..TOWNS).map(|town| format!("d{town:02}")).collect();
    let mut names: Vec<String> = ["x", "date", "town", "class"].map(String::from).to_vec();
    names.extend(dummies.iter().cloned());
    let row = |i: usize| {
        let town = i * i / 3 % 97 % TOWNS;
        let (x, date) = ((i * 37 % 101) as f64 / 50.0 - 1.0, 1_700_000_000.0 + (i * 7919 % 1000) as f64);
        let class = (i * 31 % 17 + town % 5 + usize::from(x > 0.0) * 4) * classes / 25;
        let mut cells = vec![x.to_string(), date.to_string(), format!("t{town:02}"), class.to_string()];
        cells.extend((1..TOWNS).map(|other| u8::from(town == other).to_string()));
        cells
    };
    let csv = Csv { names, rows: (0..900).map(row).collect() };
    let plain = [("x", Kind::Number), ("date", Kind::Number)];
    let by_town = [&plain[..], &[("town", Kind::Category)]].concat();
    let by_column = plain.into_iter().chain(dummies.iter().map(|name| (name.as_str(), Kind::Number))).collect::<Vec<_>>();
    (Frame::new(&csv, "class", &by_town), Frame::new(&csv, "class", &by_column))
}

#[test]
fn a_wide_category_is_its_columns() {
    for classes in [2, 3] {
        let (by_town, by_column) = towns(classes);
        let learners = [
            Logistic { precision: Intervals::Profile, ..Logistic::new() },
            Logistic { robust: Some(if classes == 2 { Robust::Hc3 } else { Robust::Hc1 }), tests: false, ..Logistic::new() },
            Logistic { firth: true, tests: false, ..Logistic::new() },
            Logistic { l2: 2.0, ..Logistic::new() },
            Logistic { l1: 2.0, ..Logistic::new() },
        ];
        for learner in learners {
            let marked = fit(&learner, &by_town.source(), None, &Control::new()).unwrap().model;
            let cells = fit(&learner, &by_column.source(), None, &Control::new()).unwrap().model;
            let size = |numbers: &[f64]| numbers.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            let same = |what: &str, left: &[f64], right: &[f64]| {
                let accuracy = if learner.l1 > 0.0 { 1e-6 } else { 1e-8 };
                assert_eq!(left.len(), right.len(), "{what}");
                for (l, r) in left.iter().zip(right) {
                    assert!((l - r).abs() <= accuracy * l.abs().max(1e-6 * size(left)), "{what} of {classes} classes: {l} and {r}");
                }
            };
            same("estimates", &marked.parameters().estimates(), &cells.parameters().estimates());
            same("log likelihood", &[marked.account().log_likelihood], &[cells.account().log_likelihood]);
            if let (Some(marked), Some(cells)) = (marked.precision(), cells.precision()) {
                same("covariances", &marked.matrix, &cells.matrix);
                same("centred covariances", &marked.centred, &cells.centred);
                same("lower limits", &marked.lower, &cells.lower);
                same("upper limits", &marked.upper, &cells.upper);
            }
            let (mut left, mut right) = (Predictions::new(), Predictions::new());
            Predictor::new(&marked).predict(&by_town.features(), &mut left).unwrap();
            Predictor::new(&cells).predict(&by_column.features(), &mut right).unwrap();
            same("probabilities", left.probabilities(), right.probabilities());
        }
    }
}

#[test]
fn a_level_of_a_wide_category_that_is_always_of_one_class_is_named() {
    let (mut frame, _) = towns(2);
    for (label, code) in frame.labels.iter_mut().zip(&frame.codes) {
        *label = if *code == 5 { 1 } else { *label };
    }
    let error = fit(&Logistic::new(), &frame.source(), None, &Control::new()).err().unwrap();
    let ErrorKind::Separation { extent, columns, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*extent, &columns[..]), ("quasi-complete", &["`townt05`".to_owned()][..]));
    let rescued = Logistic { on_separation: OnSeparation::Firth, tests: false, ..Logistic::new() };
    let model = fit(&rescued, &frame.source(), None, &Control::new()).unwrap().model;
    assert!(model.parameters().estimates().iter().all(|b| b.is_finite()) && model.notices().iter().any(|notice| notice.id == "W204"));
}

/// A column that tells the classes apart, beside one that does not.
fn separated(complete: bool) -> Frame {
    let row = |i: usize| {
        let noise = (i * 37 % 23) as f64 / 7.0;
        // Quasi-complete: one value of the column comes with both classes.
        let x = if complete { i as f64 / 10.0 } else { (i as f64 / 10.0 - 2.0).clamp(0.0, 1.0).mul_add(2.0, -1.0) };
        let class = if complete { u8::from(i >= 17) } else { u8::from(i > 20 || (i * 7 % 5) < 2) };
        vec![x.to_string(), noise.to_string(), class.to_string()]
    };
    let names = ["x", "noise", "class"].map(String::from).to_vec();
    Frame::new(&Csv { names, rows: (0..60).map(row).collect() }, "class", &[("x", Kind::Number), ("noise", Kind::Number)])
}

const SOLVERS: [Solver; 3] =
    [Solver::Newton, Solver::Gradient { rate: 1.0, stop: 1e-9 }, Solver::Sgd { rate: 0.05, half_after: 2000.0, stop: 1e-4 }];

#[test]
fn separated_data_end_in_the_error_of_separation_whatever_the_solver() {
    for solver in SOLVERS {
        for (complete, extent) in [(true, "complete"), (false, "quasi-complete")] {
            for most_steps in [None, Some(200)] {
                let learner = Logistic { solver, most_steps, ..Logistic::new() };
                let error = fit(&learner, &separated(complete).source(), None, &Control::new()).err().unwrap();
                let ErrorKind::Separation { extent: found, columns, .. } = error.kind() else { panic!("{solver:?}: {error}") };
                assert_eq!((*found, &columns[..]), (extent, &["`x`".to_owned()][..]), "{solver:?}");
            }
            let rescued = Logistic { solver, on_separation: OnSeparation::Firth, ..Logistic::new() };
            let model = fit(&rescued, &separated(complete).source(), None, &Control::new()).unwrap().model;
            assert!(!model.account().unfinished && model.precision().is_some(), "{solver:?}");
        }
    }
}

#[test]
fn a_loose_tolerance_does_not_hide_separation() {
    for complete in [true, false] {
        let learner = Logistic { tolerance: Some(0.5), ..Logistic::new() };
        let error = fit(&learner, &separated(complete).source(), None, &Control::new()).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Separation { .. }), "{error}");
    }
}

#[test]
fn every_solver_obeys_the_most_steps_and_says_that_it_did_not_converge() {
    let frame = pima();
    for solver in SOLVERS {
        for most_steps in [0, 2] {
            let learner = Logistic { solver, most_steps: Some(most_steps), precision: Intervals::Profile, ..Logistic::new() };
            let fitted = fit(&learner, &frame.source(), None, &Control::new());
            if solver == Solver::Newton {
                let error = fitted.err().unwrap().to_string();
                assert!(error.contains(&format!("did not converge after {most_steps} steps")) && error.contains("more steps"), "{error}");
                continue;
            }
            let model = fitted.unwrap().model;
            assert_eq!(model.account().steps, most_steps as u64, "{solver:?}");
            let card = model.card();
            assert!(card.title.ends_with("not converged"), "{}", card.title);
            let notice = card.notices.iter().find(|notice| notice.id == "W215").unwrap();
            assert!(notice.text.contains("more steps"), "{}", notice.text);
            assert!(model.precision().is_none() && model.account().tests.is_empty() && model.test_of_model().is_none());
            let facts: Vec<&str> = card.facts.iter().map(|(name, _)| name.as_str()).collect();
            assert!(facts.contains(&"converged") && !facts.contains(&"aic"), "{facts:?}");
        }
    }
}

#[test]
fn more_steps_than_any_other_learner_needs_are_made_where_they_are_allowed() {
    let csv = Golden::load("glm_mtcars_am_wt").table("data");
    let frame = Frame::new(&csv, "am", &[("wt", Kind::Number)]);
    let learner = Logistic { solver: Solver::Gradient { rate: 1e-6, stop: 1e-12 }, most_steps: Some(10_500), ..Logistic::new() };
    let model = fit(&learner, &frame.source(), std::num::NonZeroUsize::new(1), &Control::new()).unwrap().model;
    assert!(model.account().steps == 10_500 && model.account().unfinished);
}

/// Rows of x and an offset that is large everywhere, or differs by much.
fn with_offset(offset: impl Fn(usize) -> f64) -> Frame {
    let row = |i: usize| {
        let x = (i * 37 % 101) as f64 / 25.0 - 2.0;
        let class = u8::from((i * 31 % 17) as f64 / 8.0 - 1.0 + 0.4 * x > 0.0);
        vec![x.to_string(), offset(i).to_string(), class.to_string()]
    };
    let names = ["x", "z", "class"].map(String::from).to_vec();
    Frame::new(&Csv { names, rows: (0..200).map(row).collect() }, "class", &[("x", Kind::Number), ("z", Kind::Number)])
}

#[test]
fn a_large_offset_moves_the_intercept_and_nothing_else() {
    let formula = Some(oddsmith::data::Formula::parse("class ~ x + offset(z)").unwrap());
    let learner = Logistic { formula, precision: Intervals::Profile, ..Logistic::new() };
    let of = |height: f64| {
        let frame = with_offset(|i| height + (i % 7) as f64 / 8.0);
        fit(&learner, &frame.source(), None, &Control::new()).unwrap().model
    };
    let near = of(0.0);
    for height in [-40.0, 150.0, 1000.0, -1e6] {
        let far = of(height);
        let (a, b) = (near.parameters().estimates(), far.parameters().estimates());
        assert!((b[0] + height - a[0]).abs() < 1e-9 * (1.0 + height.abs()) && (b[1] - a[1]).abs() < 1e-8, "{height}: {b:?} and {a:?}");
        assert!((near.account().log_likelihood - far.account().log_likelihood).abs() < 1e-7);
        assert!((near.account().null_log_likelihood - far.account().null_log_likelihood).abs() < 1e-7);
    }
}

#[test]
fn an_offset_that_decides_everything_ends_in_an_answer_or_in_words() {
    let formula = Some(oddsmith::data::Formula::parse("class ~ x + offset(z)").unwrap());
    for spread in [1.0, 10.0, 100.0, 1e3, 1e5] {
        let frame = with_offset(|i| 3.0 * spread + spread * ((i * 29 % 83) as f64 / 41.0 - 1.0));
        match fit(&Logistic { formula: formula.clone(), ..Logistic::new() }, &frame.source(), None, &Control::new()) {
            Ok(fitted) => assert!(fitted.model.parameters().estimates().iter().all(|b| b.is_finite()), "{spread}"),
            Err(error) => assert!(matches!(error.kind(), ErrorKind::NoEstimate { .. }), "{spread}: {error}"),
        }
    }
}

#[test]
fn a_numeric_outcome_is_called_by_its_name() {
    let csv = Golden::load("glm_mtcars_am_wt").table("data");
    let frame = Frame::new(&csv, "wt", &[("am", Kind::Number)]);
    let error = fit(&Logistic::new(), &frame.source(), None, &Control::new()).err().unwrap().to_string();
    assert!(error.contains("`wt`") && error.contains("numeric outcome"), "{error}");
}

#[test]
fn few_events_per_degree_of_freedom_are_named_with_matched_sets() {
    let plain = pima();
    let by = |formula: &str| Logistic::with_formula(oddsmith::data::Formula::parse(formula).unwrap());
    let noticed = |learner: &Logistic| {
        let model = fit(learner, &plain.source(), None, &Control::new()).unwrap().model;
        model.card().notices.iter().any(|notice| notice.id == "W218")
    };
    // 68 events: six slopes leave more than ten for each, seven do not.
    assert!(!noticed(&by("type ~ npreg + glu + bp + skin + bmi + ped")) && noticed(&by("type ~ .")));
    // A case and a control per set: as many levels as events.
    let row =
        |i: usize| vec![format!("{}", (i * 37 % 23) as f64 / 4.0), format!("s{:02}", i / 4), format!("{}", u8::from(i % 4 == i / 4 % 4))];
    let names = ["x", "set", "case"].map(String::from).to_vec();
    let csv = Csv { names, rows: (0..80).map(row).collect() };
    let frame = Frame::new(&csv, "case", &[("x", Kind::Number), ("set", Kind::Category)]);
    let model = fit(&Logistic::new(), &frame.source(), None, &Control::new()).unwrap().model;
    let notices = model.card().notices;
    let notice = notices.iter().find(|notice| notice.id == "W218").unwrap();
    assert!(notice.text.contains("20 degrees of freedom for 20 events"), "{}", notice.text);
    assert!(notice.text.contains("`set`") && notice.text.contains("conditional likelihood"), "{}", notice.text);
    let penalised = fit(&Logistic { l2: 1.0, ..Logistic::new() }, &frame.source(), None, &Control::new()).unwrap().model;
    assert!(penalised.card().notices.iter().all(|notice| notice.id != "W218"));
}

#[test]
fn one_cluster_gives_no_standard_errors() {
    let csv = Golden::load("glm_mtcars_am_wt").table("data");
    let one = Csv {
        names: [&csv.names[..], &["site".to_owned()]].concat(),
        rows: csv.rows.iter().map(|row| [&row[..], &["7".to_owned()]].concat()).collect(),
    };
    let frame = Frame::new(&one, "am", &[("wt", Kind::Number), ("site", Kind::Number)]);
    let learner = Logistic { cluster: Some("site".into()), tests: false, ..Logistic::new() };
    let error = fit(&learner, &frame.source(), None, &Control::new()).err().unwrap().to_string();
    assert!(error.contains("`site`") && error.contains("one cluster"), "{error}");
}
