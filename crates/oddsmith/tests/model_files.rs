//! Model files: those of older formats still load and score the same, and mutated ones are refused or usable.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "every test binary uses its own share of the tables")]
mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use oddsmith::error::ErrorKind;
use oddsmith::model::{BoxedStats, Classifier, Evidence, Knobs, Predictions, Predictor, Scores, Step};
use oddsmith::persist::{load_model, save_model};
use oddsmith::registry::MODELS;
use oddsmith::stats::Parts;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use table::mutation::{mutation, resealed};
use table::{Encoded, gathered, layout_of, many_rows};

/// Columns (positions in the test table) that a model takes.
fn columns(model: &str) -> Vec<usize> {
    match model {
        "gaussian-nb" | "lda" | "qda" => vec![0, 2, 6],
        "bernoulli-nb" => vec![2, 3, 4, 5],
        "multinomial-nb" | "complement-nb" => vec![0, 3, 5],
        "categorical-nb" => vec![1, 4],
        _ => (0..7).collect(),
    }
}

/// Every model of the registry, plug-in and predictive, by the name of its file.
fn fitted() -> BTreeMap<String, Box<dyn Classifier>> {
    let rows = many_rows(60);
    let mut models = BTreeMap::new();
    for (entry, predictive) in MODELS.iter().filter(|entry| entry.one_pass).flat_map(|entry| [(entry, false), (entry, true)]) {
        let knobs = Knobs { predictive, ..Knobs::default() };
        let layout = Arc::new(layout_of(&rows, &columns(entry.name)));
        let Ok(learner) = (entry.build)(&knobs) else { continue };
        let stats = gathered(&rows, &layout, Parts::all(), 100).unwrap();
        match learner.finish_any(&BoxedStats::new(stats)) {
            Ok(Step::Done(model)) => drop(models.insert(format!("{}{}", entry.name, if predictive { "-predictive" } else { "" }), model)),
            Ok(Step::Again(_)) => panic!("{} wants another pass", entry.name),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Knob { .. } | ErrorKind::Unsupported { .. }), "{}: {error}", entry.name)
            }
        }
    }
    models
}

fn scores(model: &dyn Classifier) -> Vec<f64> {
    let encoded = Encoded::new(&many_rows(20), &Arc::new(model.layout().clone()), false);
    let mut scores = Scores::new();
    let words = encoded.words();
    model.score(&encoded.features(&words), &mut scores).unwrap();
    scores.values().to_vec()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/files")).join(name)
}

#[test]
fn models_of_the_first_format_still_load_and_score_the_same() {
    let text = std::fs::read_to_string(path("scores-1.json")).unwrap();
    let expected: BTreeMap<String, Vec<f64>> = serde_json::from_str(&text).unwrap();
    assert!(expected.len() >= MODELS.iter().filter(|entry| entry.one_pass).count());
    for (name, expected) in expected {
        let model = load_model(&std::fs::read(path(&format!("{name}-1.odds"))).unwrap()).unwrap();
        for (score, expected) in scores(&*model).iter().zip(&expected) {
            assert!((score - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{name}: {score} instead of {expected}");
        }
    }
}

/// Writes the files that the test above reads. To be run when there is a new format or a new model, never to make that
/// test pass for files that were given to people.
#[test]
#[ignore = "writes files"]
fn write_the_files_of_this_format() {
    let models = fitted();
    let expected: BTreeMap<&String, Vec<f64>> = models.iter().map(|(name, model)| (name, scores(&**model))).collect();
    std::fs::write(path("scores-1.json"), serde_json::to_string_pretty(&expected).unwrap() + "\n").unwrap();
    for (name, model) in &models {
        std::fs::write(path(&format!("{name}-1.odds")), save_model(&**model).unwrap()).unwrap();
    }
}

/// Does with a model whatever can be done with one; it may refuse, but not panic.
fn use_everything(model: &dyn Classifier) {
    let encoded = Encoded::shaped(&Arc::new(model.layout().clone()), 20);
    let words = encoded.words();
    let features = encoded.features(&words);
    let _ = Predictor::new(model).predict(&features, &mut Predictions::new());
    let _ = model.evidence(&features, &mut Evidence::new());
    if let Some(linear) = model.linear() {
        let _ = linear.table(model.layout());
        let _ = linear.score(&features, &mut Scores::new());
    }
    let _ = model.card();
    if let Some(generative) = model.generative() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let _ = (0..model.layout().classes().len()).map(|k| generative.sample(k, &mut random)).collect::<Vec<_>>();
        let _ = save_model(&*generative.with_log_prior(generative.log_prior().to_vec()));
    }
    let _ = save_model(model);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_models_are_refused_or_usable(at in any::<prop::sample::Index>(), mutations in prop::collection::vec(mutation(), 1..4)) {
        static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| fitted().values().map(|model| save_model(&**model).unwrap()).collect());
        let mut bytes = FILES[at.index(FILES.len())].clone();
        mutations.iter().for_each(|mutation| mutation.apply(&mut bytes));
        match load_model(&resealed(bytes)) {
            Ok(model) => use_everything(&*model),
            Err(error) => {
                let refused = matches!(error.kind(), ErrorKind::Format { .. });
                prop_assert!(refused, "{}", error);
            }
        }
    }
}
