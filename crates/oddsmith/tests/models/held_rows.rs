//! Words of few rows are held while an optimum is looked for: it is the optimum by its own conditions, and the one that passes over the rows find.
//!
//! The conditions are checked from the rows, with nothing of the search: the slope of the loss by a weight is −λθ − a sign θ where it is not zero, and within ±a
//! where it is; that by the intercept is zero.

use std::num::NonZeroUsize;

use crate::support::Room;
use oddsmith::control::Control;
use oddsmith::data::{Classes, Csr, Feature, Features, Layout, ViewSource, Vocabulary, Weighting, WordValue};
use oddsmith::model::linear::{ClassWeighting, Logistic};
use oddsmith::model::{Classifier, Predictions, Predictor};
use oddsmith::train::fit;

const ROWS: usize = 120;
const WORDS: usize = 240;

/// Texts of a dozen words out of 240, some of which tell the classes apart; words beyond 200 are rare, many of them of a single text.
struct Texts {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    width: usize,
}

impl Texts {
    fn new() -> Self {
        let (mut starts, mut columns, mut values, mut labels) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for i in 0..ROWS {
            let label = usize::from((i * i + 3 * i) % 7 < 3);
            let mut words: Vec<usize> = (0..11).map(|t| (i * i * (t + 1) + 31 * t * (1 + label) + 7 * i) % 200).collect();
            if i % 3 == 0 {
                words.push(200 + i / 3);
            }
            words.sort_unstable();
            words.dedup();
            columns.extend(words.iter().map(|word| *word as u32));
            values.extend(words.iter().map(|word| 1.0 + (word % 3) as f64));
            starts.push(columns.len());
            labels.push(label as u32);
        }
        Texts { starts, columns, values, labels, weights: None, width: WORDS }
    }

    /// The same texts with a copy of one word beside it.
    fn with_twin(&self, word: u32) -> Self {
        let mut texts =
            Texts { starts: vec![0], columns: vec![], values: vec![], labels: self.labels.clone(), weights: None, width: WORDS + 1 };
        for i in 0..ROWS {
            let entries = self.starts[i]..self.starts[i + 1];
            texts.columns.extend_from_slice(&self.columns[entries.clone()]);
            texts.values.extend_from_slice(&self.values[entries.clone()]);
            if let Some(at) = entries.clone().find(|&at| self.columns[at] == word) {
                texts.columns.push(WORDS as u32);
                texts.values.push(self.values[at]);
            }
            texts.starts.push(texts.columns.len());
        }
        texts
    }

    /// Every text with a word that gives its class away.
    fn separated(&self) -> Self {
        let mut texts =
            Texts { starts: vec![0], columns: vec![], values: vec![], labels: self.labels.clone(), weights: None, width: WORDS + 2 };
        for i in 0..ROWS {
            texts.columns.extend_from_slice(&self.columns[self.starts[i]..self.starts[i + 1]]);
            texts.values.extend_from_slice(&self.values[self.starts[i]..self.starts[i + 1]]);
            texts.columns.push(WORDS as u32 + self.labels[i]);
            texts.values.push(1.0);
            texts.starts.push(texts.columns.len());
        }
        texts
    }

    fn layout(&self) -> Layout {
        let words = Vocabulary::Listed((0..self.width).map(|word| format!("w{word:03}")).collect());
        let classes = Classes::new(vec!["ham".into(), "spam".into()]).unwrap();
        let weighting = if self.weights.is_some() { Weighting::Frequency } else { Weighting::None };
        Layout::new("kind", vec![Feature::words("text", words, WordValue::Count)], classes, weighting).unwrap()
    }

    fn words(&self) -> [Csr<'_>; 1] {
        [Csr { starts: &self.starts, columns: &self.columns, values: &self.values, width: self.width, present: None }]
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }
}

/// A fit: probabilities of the second class, the weights of the words, and passes over the rows.
struct Found {
    probabilities: Vec<f64>,
    weights: Vec<f64>,
    passes: usize,
}

fn found(learner: &Logistic, texts: &Texts, hold: bool, threads: usize) -> Found {
    let (layout, words) = (texts.layout(), texts.words());
    let rows = Features::of_words(&words);
    let source = ViewSource::new(&layout, rows, &texts.labels, texts.weights.as_deref()).unwrap();
    let (control, threads) = (Control::new(), NonZeroUsize::new(threads));
    let fitted = match hold {
        true => fit(learner, &source, threads, &control).unwrap(),
        false => fit(learner, &Room(source, 0), threads, &control).unwrap(),
    };
    let notices = &fitted.model.card().notices;
    assert!(notices.iter().all(|notice| notice.id != "W215"), "{notices:?}");
    let mut out = Predictions::new();
    Predictor::new(&fitted.model).predict(&rows, &mut out).unwrap();
    let weights = fitted.model.linear().unwrap().weights(fitted.model.layout()).iter().skip(1).map(|weight| weight.values[1]).collect();
    Found { probabilities: (0..ROWS).map(|i| out.row(i)[1]).collect(), weights, passes: fitted.passes }
}

/// Slopes of the loss with the ridge by the intercept and every word, and the diagonal of the second derivatives.
fn slopes(texts: &Texts, l2: f64, found: &Found, factor: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>) {
    let mut slopes: Vec<f64> = std::iter::once(0.0).chain(found.weights.iter().map(|w| l2 * w)).collect();
    let mut squares: Vec<f64> = std::iter::once(0.0).chain(found.weights.iter().map(|_| l2)).collect();
    for i in 0..ROWS {
        let (p, weight) = (found.probabilities[i], texts.weight(i) * factor(i));
        let mut add = |j: usize, x: f64| {
            slopes[j] += weight * x * (p - f64::from(texts.labels[i]));
            squares[j] += weight * x * x * p * (1.0 - p);
        };
        add(0, 1.0);
        (texts.starts[i]..texts.starts[i + 1]).for_each(|entry| add(1 + texts.columns[entry] as usize, texts.values[entry]));
    }
    (slopes, squares)
}

/// Checks the conditions of the optimum: to a share of the absolute penalty, or, with ridge alone, to a distance in standard errors.
fn check(texts: &Texts, (l1, l2): (f64, f64), found: &Found, factor: impl Fn(usize) -> f64) {
    let (slopes, squares) = slopes(texts, l2, found, factor);
    let beyond = |(slope, weight): (&f64, &f64)| {
        if *weight == 0.0 { (slope.abs() - l1).max(0.0) } else { (slope + l1.copysign(*weight)).abs() }
    };
    let violations: Vec<f64> = std::iter::once(slopes[0].abs()).chain(slopes[1..].iter().zip(&found.weights).map(beyond)).collect();
    if l1 > 0.0 {
        let worst = violations.iter().fold(0.0f64, |a, b| a.max(*b));
        assert!(worst <= 2e-5 * l1, "l1 {l1}, l2 {l2}: {worst}");
    } else {
        let distance = violations.iter().zip(&squares).map(|(v, d)| v * v / d).sum::<f64>().sqrt();
        assert!(distance <= 1e-3, "l2 {l2}: {distance}");
    }
}

fn objective(texts: &Texts, (l1, l2): (f64, f64), found: &Found) -> f64 {
    let loss = |i: usize| {
        let p = if texts.labels[i] == 1 { found.probabilities[i] } else { 1.0 - found.probabilities[i] };
        -texts.weight(i) * p.ln()
    };
    (0..ROWS).map(loss).sum::<f64>() + found.weights.iter().map(|w| l1 * w.abs() + 0.5 * l2 * w * w).sum::<f64>()
}

/// Strengths 1/C for C from 0.01 to 100, of ridge, lasso and both.
fn penalties() -> impl Iterator<Item = (f64, f64)> {
    [100.0, 10.0, 1.0, 0.1, 0.01].into_iter().flat_map(|s| [(s, 0.0), (0.0, s), (0.5 * s, 0.5 * s)])
}

#[test]
fn held_rows_lead_to_the_optimum() {
    let texts = Texts::new();
    for (l1, l2) in penalties() {
        let learner = Logistic { l1, l2, ..Logistic::new() };
        let found = found(&learner, &texts, true, 1);
        check(&texts, (l1, l2), &found, |_| 1.0);
        // A look at the columns, the rows themselves, a look at the optimum and what is summed there.
        assert!(found.passes <= 5, "l1 {l1}, l2 {l2}: {} passes", found.passes);
    }
}

#[test]
fn lasso_leaves_most_words_out() {
    let texts = Texts::new();
    let nonzero = |l1: f64| {
        let found = found(&Logistic { l1, ..Logistic::new() }, &texts, true, 1);
        found.weights.iter().filter(|weight| **weight != 0.0).count()
    };
    assert_eq!(nonzero(100.0), 0);
    assert!((1..WORDS / 2).contains(&nonzero(1.0)));
}

#[test]
fn weights_of_rows_count() {
    let weights = (0..ROWS).map(|i| [1.0, 2.0, 3.0][i % 3]).collect();
    let texts = Texts { weights: Some(weights), ..Texts::new() };
    for (l1, l2) in penalties() {
        check(&texts, (l1, l2), &found(&Logistic { l1, l2, ..Logistic::new() }, &texts, true, 1), |_| 1.0);
    }
}

#[test]
fn weights_of_classes_count() {
    let texts = Texts::new();
    let class_weights = ClassWeighting::Given(vec![("spam".into(), 4.0)]);
    for (l1, l2) in penalties() {
        let learner = Logistic { l1, l2, class_weights: class_weights.clone(), keep_class_weights: true, ..Logistic::new() };
        check(&texts, (l1, l2), &found(&learner, &texts, true, 1), |i| if texts.labels[i] == 1 { 4.0 } else { 1.0 });
    }
}

#[test]
fn a_word_beside_its_copy_changes_nothing() {
    let (texts, word) = (Texts::new(), 31u32);
    let twins = texts.with_twin(word);
    for (l1, l2) in penalties() {
        let learner = Logistic { l1, l2, ..Logistic::new() };
        let both = found(&learner, &twins, true, 1);
        check(&twins, (l1, l2), &both, |_| 1.0);
        let (one, two) = (both.weights[word as usize], both.weights[WORDS]);
        if l2 > 0.0 {
            assert!((one - two).abs() <= 1e-4 * one.abs().max(1e-3), "l1 {l1}, l2 {l2}: {one} {two}");
        } else {
            let alone = found(&learner, &texts, true, 1);
            let (a, b) = (objective(&twins, (l1, l2), &both), objective(&texts, (l1, l2), &alone));
            assert!((a - b).abs() <= 1e-8 * b, "l1 {l1}: {a} {b}");
            assert!(two == 0.0, "the first of two equal words takes all: {one} {two}");
        }
    }
}

#[test]
fn classes_that_words_tell_apart_have_an_optimum_with_a_penalty() {
    let texts = Texts::new().separated();
    for (l1, l2) in penalties().chain([(0.001, 0.0), (0.0, 0.001)]) {
        check(&texts, (l1, l2), &found(&Logistic { l1, l2, ..Logistic::new() }, &texts, true, 1), |_| 1.0);
    }
}

#[test]
fn passes_over_the_rows_find_the_same() {
    let texts = Texts::new();
    for (l1, l2) in [(0.0, 1.0), (0.0, 10.0), (1.0, 0.0), (3.0, 0.0), (0.5, 0.5)] {
        let learner = Logistic { l1, l2, tolerance: Some(1e-6), most_steps: Some(5000), ..Logistic::new() };
        let (held, passed) = (found(&learner, &texts, true, 1), found(&learner, &texts, false, 1));
        let (a, b) = (objective(&texts, (l1, l2), &held), objective(&texts, (l1, l2), &passed));
        assert!((a - b).abs() <= 1e-8 * b, "l1 {l1}, l2 {l2}: {a} {b}");
        assert!(held.passes < passed.passes, "l1 {l1}, l2 {l2}: {} {}", held.passes, passed.passes);
    }
}

#[test]
fn threads_change_no_bit() {
    let texts = Texts::new();
    for (l1, l2) in [(0.0, 0.1), (0.1, 0.0)] {
        let learner = Logistic { l1, l2, ..Logistic::new() };
        let (one, four) = (found(&learner, &texts, true, 1), found(&learner, &texts, true, 4));
        assert_eq!(one.weights, four.weights);
        assert_eq!(one.probabilities, four.probabilities);
    }
}
