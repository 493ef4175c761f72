//! Free parameters against what can be counted by hand.
//!
//! The rows have three classes (two where it says so), three number columns, `town` with three levels, `smoker` with two, the listed words
//! `cough` and `fever`, and five hashed ones.

use std::sync::Arc;

use oddsmith::control::Control;
use oddsmith::data::Weighting;
use oddsmith::model::Classifier;
use oddsmith::{registry, train};

use crate::table::stored::fitted;
use crate::table::{Batches, Encoded, layout_weighted, many_rows};

/// Class proportions, Gaussians of three columns, levels, listed words, hashed words.
const MIXED: usize = 2 + (9 + 9) + 3 * 2 + 3 + 3 + 3 * (5 - 1);
/// Intercept, age, two levels of town against the third, dose, smoker.
const DESIGN: usize = 1 + 1 + 2 + 1 + 1;

#[test]
fn kept_models_have_as_many_as_can_be_counted() {
    let expected = [
        ("gaussian-nb", 2 + 9 + 9),
        ("gaussian-nb-predictive", 2 + 9 + 9),
        ("gaussian-nb-single", 2 + 9 + 1),
        ("gaussian-nb-single-predictive", 2 + 9 + 1),
        ("nb", MIXED),
        ("nb-predictive", MIXED),
        ("nb-unsmoothed", MIXED),
        ("nb-per-column", MIXED - 9 + 3),
        ("nb-words", 2 + 3 + 12),
        ("bernoulli-nb", 2 + 9 + 3 + 6 + 15),
        ("bernoulli-nb-words", 2 + 6 + 15),
        ("multinomial-nb-words", 2 + 3 + 12),
        ("complement-nb-words", 2 + 3 + 12),
        ("categorical-nb", 2 + 6 + 3),
        // Two 0/1 columns of the town and one of the smoker beside the numbers.
        ("lda", 2 + 18 + 21),
        ("lda-predictive", 2 + 18 + 21),
        ("lda-shrunk", 2 + 9 + 6),
        ("qda", 2 + 18 + 3 * 21),
        ("logistic", DESIGN),
        ("logistic-firth", DESIGN),
        ("logistic-cluster", DESIGN - 2),
        ("softmax", 2 * DESIGN),
        ("logistic-words", 1 + 7),
        ("softmax-words", 2 * (1 + 1 + 2 + 7)),
        // Three columns of the spline, the product, and no coefficient for the offset.
        ("logistic-formula", 1 + 1 + 1 + 3 + 2 + 1),
        ("one-vs-rest", 3 * DESIGN),
        // Lines of all classes add up to a constant.
        ("least-squares", 2 * (DESIGN + 1)),
        ("least-squares-numbers", 2 * 3),
        ("perceptron", DESIGN),
        ("perceptron-by-class", 3 * 3),
        // The number of neighbours, and the units of two columns.
        ("knn", 1 + 2),
        ("knn-distance", 1),
        // Three units of five columns and a constant each; outputs of two classes from them, which may move together.
        ("network", 3 * DESIGN + 2 * 4 - 4),
        ("adjusted-margin", DESIGN + 2),
        ("adjusted-platt", DESIGN + 2),
        ("adjusted-beta", DESIGN + 3),
        ("adjusted-threshold", DESIGN),
        ("adjusted-twice", DESIGN + 2),
        ("adjusted-platt-by-class", MIXED + 3 * 2),
        ("adjusted-class-shares", MIXED + 2),
        ("adjusted-costs", MIXED),
        // A temperature.
        ("adjusted-one-vs-rest", 3 * DESIGN + 1),
    ];
    let models = fitted();
    for (name, count) in expected {
        assert_eq!(models[name].free_parameters(), count, "{name}");
    }
}

#[test]
fn count_columns_share_one_draw() {
    let rows = many_rows(240);
    for model in ["multinomial-nb", "multinomial-nb(predictive)", "complement-nb"] {
        let (entry, params) = registry::parse(model).unwrap();
        let encoded = Encoded::new(&rows, &Arc::new(layout_weighted(&rows, &[0, 6], Weighting::Sampling)), true);
        let fitted = train::fit(&(entry.build)(&params).unwrap(), &Batches { encoded: &encoded, size: 100 }, None, &Control::new());
        assert_eq!(fitted.unwrap().model.free_parameters(), 2 + 3, "{model}");
    }
}
