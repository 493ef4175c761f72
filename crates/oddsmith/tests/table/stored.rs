//! The models whose files are kept, and what they say.

use std::collections::BTreeMap;
use std::sync::Arc;

use oddsmith::error::ErrorKind;
use oddsmith::model::{BoxedStats, Classifier, Scores, Step};
use oddsmith::registry::MODELS;
use oddsmith::stats::Parts;

use super::{Encoded, gathered, layout_of, many_rows};

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
pub(crate) fn fitted() -> BTreeMap<String, Box<dyn Classifier>> {
    let rows = many_rows(60);
    let mut models = BTreeMap::new();
    for (entry, predictive) in MODELS.iter().filter(|entry| entry.one_pass).flat_map(|entry| [(entry, false), (entry, true)]) {
        let layout = Arc::new(layout_of(&rows, &columns(entry.name)));
        let params = entry.defaults();
        let Ok(params) = (if predictive { params.with("predictive", "") } else { Ok(params) }) else { continue };
        let Ok(learner) = (entry.build)(&params) else { continue };
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

/// What a model says about some rows.
pub(crate) fn scores(model: &dyn Classifier) -> Vec<f64> {
    let encoded = Encoded::new(&many_rows(20), &Arc::new(model.layout().clone()), false);
    let mut scores = Scores::new();
    let words = encoded.words();
    model.score(&encoded.features(&words), &mut scores).unwrap();
    scores.values().to_vec()
}
