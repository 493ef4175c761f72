//! Discriminants of tables with categories: scikit-learn on 0/1 columns made by hand, and what must follow from them.

use std::sync::Arc;

use crate::support::{Frame, Golden, RowByRow, close, same_digits};
use oddsmith::control::Control;
use oddsmith::data::{Kind, Layout, MISSING, SKIP, Source, UNSEEN};
use oddsmith::error::ErrorKind;
use oddsmith::model::discriminant::{DiscriminantParams, FisherProjection, Lda, LdaModel, Qda};
use oddsmith::model::{BoxedStats, Classifier, Contributions, Learner, Predictions, Predictor, Scores, Shrinkage};
use oddsmith::persist;
use oddsmith::registry;
use oddsmith::stats::Parts;
use oddsmith::train;

const TOLERANCE: f64 = 1e-10;
const COLUMNS: [(&str, Kind); 5] =
    [("age", Kind::Number), ("race", Kind::Category), ("smoke", Kind::Category), ("lwt", Kind::Number), ("ht", Kind::Category)];

fn births() -> (Golden, Frame) {
    let golden = Golden::load("sklearn_dummies");
    let frame = Frame::new(&golden.table("data"), "low", &COLUMNS);
    (golden, frame)
}

fn fit<L: Learner>(learner: &L, source: &dyn Source) -> oddsmith::Result<L::Model> {
    Ok(train::fit(learner, source, None, &Control::new())?.model)
}

fn probabilities(model: &dyn Classifier, frame: &Frame) -> Vec<f64> {
    let mut out = Predictions::new();
    Predictor::new(model).probabilities(&frame.features(), &mut out).unwrap();
    out.probabilities().to_vec()
}

fn check(got: &[f64], want: Vec<f64>) {
    assert_eq!(got.len(), want.len());
    got.iter().zip(want).for_each(|(got, want)| close(*got, want, TOLERANCE));
}

#[test]
fn lda_is_that_of_columns_of_zeros_and_ones() {
    let (golden, frame) = births();
    let model = fit(&Lda::default(), &frame.source()).unwrap();
    check(&probabilities(&model, &frame), golden.numbers("results/lda/posterior"));
    let width = golden.texts("columns").len();
    for (cell, want) in golden.numbers("results/lda/means").into_iter().enumerate() {
        same_digits(model.mean(cell / width, cell % width).unwrap(), want, TOLERANCE);
    }
    for (cell, want) in golden.numbers("results/lda/covariance").into_iter().enumerate() {
        close(model.covariance(cell / width, cell % width), want, TOLERANCE);
    }
    let line = model.linear().unwrap();
    let weights = line.weights(model.layout());
    let shown = |weight: &oddsmith::model::Weight| {
        let name = weight.feature.map_or("(intercept)".to_owned(), |j| model.layout().features()[j].name.clone());
        (format!("{name} {}", weight.level.clone().unwrap_or_default()).trim().to_owned(), weight.values[1])
    };
    let found: Vec<(String, f64)> = weights.iter().map(shown).collect();
    let coefficients = golden.numbers("results/lda/coef");
    let want = [
        ("(intercept)", golden.number("results/lda/intercept")),
        ("age", coefficients[0]),
        ("race black", 0.0),
        ("race other", coefficients[1]),
        ("race white", coefficients[2]),
        ("smoke 0", 0.0),
        ("smoke 1", coefficients[3]),
        ("lwt", coefficients[4]),
        ("ht 0", 0.0),
        ("ht 1", coefficients[5]),
    ];
    for ((name, value), (wanted, coefficient)) in found.iter().zip(want) {
        assert_eq!(name, wanted);
        close(*value, coefficient, TOLERANCE);
    }
    assert_eq!(found.len(), want.len());
    let shrunk = Lda::new(DiscriminantParams { shrinkage: Shrinkage::LedoitWolf, ..DiscriminantParams::default() });
    check(&probabilities(&fit(&shrunk, &frame.source()).unwrap(), &frame), golden.numbers("results/lda_ledoit_wolf/posterior"));
}

#[test]
fn qda_is_that_of_columns_of_zeros_and_ones() {
    let (golden, frame) = births();
    let model = fit(&Qda::default(), &frame.source()).unwrap();
    check(&probabilities(&model, &frame), golden.numbers("results/qda/posterior"));
    let width = golden.texts("columns").len();
    for (cell, want) in golden.numbers("results/qda/covariance").into_iter().enumerate() {
        close(model.covariance(cell / (width * width), cell / width % width, cell % width), want, TOLERANCE);
    }
}

#[test]
fn categories_are_told_and_accounted_for() {
    let (_, frame) = births();
    let model = fit(&Lda::default(), &frame.source()).unwrap();
    let notices: Vec<String> = model.notices().iter().map(ToString::to_string).collect();
    assert_eq!(notices, ["W250 race (black), smoke (0), ht (0) enter as 0/1 columns; the level in parentheses has none"]);
    assert!(model.notices().iter().all(|notice| !notice.is_warning()));
    let tidy: Vec<String> = model.card().tidy.rows().iter().map(|row| format!("{:?} {:?}", row[1], row[2])).collect();
    assert!(tidy.iter().any(|row| row.contains("race") && row.contains("white")), "{tidy:?}");
    let (mut addends, mut scores) = (Contributions::new(), Scores::new());
    model.contributions().unwrap().contribute(&frame.features(), &mut addends).unwrap();
    model.score(&frame.features(), &mut scores).unwrap();
    for i in 0..frame.rows() {
        for k in 0..2 {
            let sum: f64 = addends.base()[k] + (0..COLUMNS.len()).map(|j| addends.addends(i, j)[k]).sum::<f64>();
            close(sum, scores.row(i)[k], 1e-12);
        }
    }
    let random = &mut unused();
    let error = model.generative().unwrap().sample(0, random).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
}

/// A source of random numbers that is not asked for any.
fn unused() -> impl rand_core::Rng {
    use rand_core::SeedableRng;
    rand_chacha::ChaCha8Rng::seed_from_u64(1)
}

#[test]
fn batches_and_the_first_level_do_not_matter() {
    let (_, frame) = births();
    let (_, mut turned) = births();
    let features = turned.layout.features().iter().cloned().map(|mut feature| {
        if let oddsmith::data::Space::Levels { levels, .. } = &mut feature.space {
            *levels = oddsmith::data::Levels::in_order(levels.names().iter().rev().cloned().collect());
        }
        feature
    });
    let layout = Layout::new("low", features.collect(), turned.layout.classes().clone(), turned.layout.weighting()).unwrap();
    let counts = layout.level_counts();
    turned.codes.iter_mut().enumerate().for_each(|(at, code)| *code = counts[at % counts.len()] as u32 - 1 - *code);
    turned.layout = layout;
    let direct = probabilities(&fit(&Qda::default(), &frame.source()).unwrap(), &frame);
    check(&probabilities(&fit(&Qda::default(), &turned.source()).unwrap(), &turned), direct.clone());
    check(&probabilities(&fit(&Qda::default(), &RowByRow(&frame)).unwrap(), &frame), direct);
}

#[test]
fn a_category_without_a_value_is_integrated_out() {
    let (golden, frame) = births();
    let without: Vec<(&str, Kind)> = COLUMNS.into_iter().filter(|(name, _)| *name != "race").collect();
    let smaller = Frame::new(&golden.table("data"), "low", &without);
    let want = probabilities(&fit(&Lda::default(), &smaller.source()).unwrap(), &smaller);
    let model = fit(&Lda::default(), &frame.source()).unwrap();
    for code in [MISSING, UNSEEN] {
        let (_, mut gaps) = births();
        gaps.codes.iter_mut().step_by(3).for_each(|cell| *cell = code);
        check(&probabilities(&model, &gaps), want.clone());
    }
}

/// Births in which no row that counts has some level.
fn lacking(level: u32, class: Option<u32>) -> Frame {
    let (_, mut frame) = births();
    for i in 0..frame.rows() {
        if frame.codes[3 * i] == level && class.is_none_or(|class| frame.labels[i] == class) {
            frame.labels[i] = SKIP;
        }
    }
    frame
}

#[test]
fn a_level_that_no_row_had_is_an_unseen_one() {
    for level in [0, 2] {
        let frame = lacking(level, None);
        let model = fit(&Lda::default(), &frame.source()).unwrap();
        let name = ["black", "other", "white"][level as usize];
        assert!(model.notices().iter().any(|notice| notice.id == "W124" && notice.level.as_deref() == Some(name)), "{:?}", model.notices());
        let (_, mut gaps) = births();
        gaps.codes.iter_mut().step_by(3).for_each(|cell| *cell = if *cell == level { UNSEEN } else { *cell });
        let (_, all) = births();
        assert_eq!(probabilities(&model, &all), probabilities(&model, &gaps));
        let back = persist::load_model(&persist::save_model(&model).unwrap()).unwrap();
        assert_eq!(probabilities(&*back, &all), probabilities(&model, &all));
        assert_eq!(back.card(), model.card());
    }
}

#[test]
fn a_class_without_a_level_has_no_covariance_of_its_own() {
    for (level, name) in [(0, "black"), (2, "white")] {
        let frame = lacking(level, Some(1));
        let error = fit(&Qda::default(), &frame.source()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoEstimate { .. }));
        let start =
            format!("no row of class `yes` has the level `{name}` of column `race`, so the 0/1 columns of the category do not all vary");
        assert!(error.to_string().starts_with(&start), "{error}");
        assert!(fit(&Lda::default(), &frame.source()).is_ok());
    }
}

#[test]
fn statistics_hold_no_products_of_categories() {
    let (_, frame) = births();
    let sums = train::gather(&frame.source(), Parts::all(), None, &Control::new()).unwrap();
    for name in ["lda", "qda"] {
        let learner = registry::find(name).unwrap().learner().unwrap();
        let error = learner.finish(&BoxedStats::new(sums.clone())).err().unwrap();
        assert_eq!(
            error.to_string(),
            format!(
                "{name} cannot learn from `race` (category), `smoke` (category), `ht` (category) by statistics, which hold products of number \
                 columns only: fit from the data, or leave `race`, `smoke`, `ht` out"
            )
        );
    }
}

#[test]
fn projections_take_categories() {
    let (_, frame) = births();
    let model: LdaModel = fit(&Lda::default(), &frame.source()).unwrap();
    let projection = FisherProjection::new(&model).unwrap();
    let (mut places, mut scores) = (Vec::new(), Scores::new());
    projection.project(&frame.features(), &mut places);
    model.score(&frame.features(), &mut scores).unwrap();
    assert_eq!(places.len(), frame.rows());
    // With two classes the one direction is that of the log odds.
    let odds: Vec<f64> = (0..frame.rows()).map(|i| scores.row(i)[1] - scores.row(i)[0]).collect();
    let slope = (odds[1] - odds[0]) / (places[1] - places[0]);
    (0..frame.rows()).for_each(|i| close(odds[i] - odds[0], slope * (places[i] - places[0]), 1e-9));
    assert_eq!(projection.columns().len(), 6);
}

#[test]
fn a_category_of_countless_levels_is_refused_by_name() {
    let levels: Vec<String> = (0..1001).map(|level| format!("p{level}")).collect();
    let features = vec![oddsmith::data::Feature::category("patient", oddsmith::data::Levels::in_order(levels))];
    let classes = oddsmith::data::Classes::new(vec!["no".into(), "yes".into()]).unwrap();
    let layout = Arc::new(Layout::new("low", features, classes, oddsmith::data::Weighting::None).unwrap());
    let error = Lda::default().begin(&layout, &oddsmith::model::PassInfo::default()).unwrap_err();
    assert!(error.to_string().starts_with("category `patient` has 1001 levels"), "{error}");
}
