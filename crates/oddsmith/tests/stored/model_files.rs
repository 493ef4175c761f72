//! Model files: those of older formats still load and score the same, and mutated ones are refused or usable.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use crate::table::Encoded;
use crate::table::mutation::{mutation, resealed};
use crate::table::recipes::recipes;
use crate::table::stored::{Expected, fitted, instructions, scores};
use oddsmith::error::ErrorKind;
use oddsmith::model::{Classifier, Contributions, Predictions, Predictor, Scores, Uncertainty};
use oddsmith::persist::{from_bytes, load_model, save_model, to_bytes};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/files")).join(name)
}

/// The files are written by the example `model_files`.
#[test]
fn models_of_the_first_format_still_load_and_score_the_same() {
    let expected: Expected = serde_json::from_str(&std::fs::read_to_string(path("scores-1.json")).unwrap()).unwrap();
    let unkept: Vec<String> = recipes().into_iter().map(|recipe| recipe.name).filter(|name| !expected.scores.contains_key(name)).collect();
    assert_eq!(unkept, Vec::<String>::new(), "kinds of models without a kept file");
    let same_bits = expected.instructions == instructions();
    for (name, expected) in expected.scores {
        let bytes = std::fs::read(path(&format!("{name}-1.odds"))).unwrap();
        let model = load_model(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let given = scores(&*model);
        assert_eq!(given.len(), expected.len(), "{name}");
        for (score, expected) in given.iter().zip(&expected) {
            let near = |a: f64, b: f64| a.to_bits() == b.to_bits() || (!same_bits && (a - b).abs() <= 1e-12 * b.abs().max(1.0));
            let same = score.zip(*expected).map_or(score.is_none() && expected.is_none(), |(score, expected)| near(score, expected));
            assert!(same, "{name}: {score:?} instead of {expected:?}");
        }
        // All but the version of the program that wrote it.
        let (kind, record) = from_bytes(&bytes, None).unwrap();
        assert_eq!(save_model(&*model).unwrap(), to_bytes(&record, kind).unwrap(), "{name}");
        let program = format!(r#"\"program\":\"{}\""#, env!("CARGO_PKG_VERSION"));
        let written_by_this = bytes.windows(program.len()).any(|window| window == program.as_bytes());
        assert!(!written_by_this || to_bytes(&record, kind).unwrap() == bytes, "{name}");
    }
}

/// Does with a model whatever can be done with one; it may refuse, but not panic.
fn use_everything(model: &dyn Classifier) {
    let encoded = Encoded::shaped(&Arc::new(model.layout().clone()), 20);
    let words = encoded.words();
    let features = encoded.features(&words);
    let _ = Predictor::new(model).predict(&features, &mut Predictions::new());
    let _ = model.contributions().and_then(|model| model.contribute(&features, &mut Contributions::new()));
    if let Some(limits) = model.limits() {
        let _ = limits.uncertainty(&features, &mut Uncertainty::default());
    }
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
