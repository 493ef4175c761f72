//! What must hold for discriminants whatever the data: units, offsets, priors, weights, gaps, draws and bytes.

use crate::support::{close, same_digits};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Layout, ViewSource, Weighting};
use oddsmith::model::discriminant::{DiscriminantParams, Lda, Qda};
use oddsmith::model::{Classifier, Contributions, Divisor, Generative, Learner, Predictions, Predictor, Prior, Scores, Shrinkage, Value};
use oddsmith::num::MatrixView;
use oddsmith::record::{Array, Record};
use oddsmith::{ErrorKind, registry, train};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

struct Table {
    layout: Layout,
    values: Vec<f64>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
}

const ROWS: [usize; 3] = [37, 23, 41];

impl Table {
    /// Three classes of correlated columns, class by class with another shape; all values are multiples of 2^-10.
    fn random(seed: u64) -> Table {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for (k, rows) in ROWS.into_iter().enumerate() {
            for _ in 0..rows {
                let z: [f64; 3] = std::array::from_fn(|_| StandardNormal.sample(&mut random));
                let bend = 1.0 + 0.5 * k as f64;
                let row = [z[0] + k as f64, 0.6 * z[0] + bend * z[1], -0.4 * z[1] + 0.5 * bend * z[2] - 0.7 * k as f64];
                values.extend(row.map(|x| (x * 1024.0).round() / 1024.0));
                labels.push(k as u32);
            }
        }
        Table { layout: layout(3, 3, Weighting::None), values, labels, weights: None }
    }

    fn width(&self) -> usize {
        self.layout.features().len()
    }

    fn mapped(&self, change: impl Fn(usize, f64) -> f64) -> Table {
        let width = self.width();
        let values = self.values.iter().enumerate().map(|(cell, x)| change(cell % width, *x)).collect();
        Table { layout: self.layout.clone(), values, labels: self.labels.clone(), weights: self.weights.clone() }
    }

    fn weighted(&self, weighting: Weighting, weight: impl Fn(usize) -> f64) -> Table {
        let weights = Some((0..self.labels.len()).map(weight).collect());
        Table { layout: layout(self.width(), 3, weighting), values: self.values.clone(), labels: self.labels.clone(), weights }
    }

    fn features(&self) -> Features<'_> {
        features(&self.values, self.width())
    }

    fn fit<L: Learner>(&self, learner: &L) -> L::Model {
        let source = ViewSource::new(&self.layout, self.features(), &self.labels, self.weights.as_deref()).unwrap();
        train::fit(learner, &source, None, &Control::new()).unwrap().model
    }
}

fn layout(columns: usize, classes: usize, weighting: Weighting) -> Layout {
    let features = (0..columns).map(|j| Feature::number(format!("x{j}"))).collect();
    Layout::new("y", features, Classes::new((0..classes).map(|k| format!("c{k}")).collect()).unwrap(), weighting).unwrap()
}

fn features(values: &[f64], width: usize) -> Features<'_> {
    Features::of_numbers(MatrixView::row_major(values, values.len() / width, width).unwrap())
}

fn scores(model: &dyn Classifier, rows: &Features<'_>) -> Vec<f64> {
    let mut out = Scores::new();
    model.score(rows, &mut out).unwrap();
    out.values().to_vec()
}

fn probabilities(model: &dyn Classifier, rows: &Features<'_>) -> Vec<f64> {
    let mut out = Predictions::new();
    Predictor::new(model).predict(rows, &mut out).unwrap();
    out.probabilities().to_vec()
}

fn plug_in(divisor: Divisor) -> DiscriminantParams {
    DiscriminantParams { divisor, ..DiscriminantParams::default() }
}

fn predictive() -> DiscriminantParams {
    DiscriminantParams { predictive: true, ..DiscriminantParams::default() }
}

/// A model of every kind, fitted to a table.
fn every_model(table: &Table) -> Vec<Box<dyn Classifier>> {
    let shrunk = |shrinkage| DiscriminantParams { shrinkage, ..DiscriminantParams::default() };
    let all =
        [plug_in(Divisor::Ml), plug_in(Divisor::Unbiased), shrunk(Shrinkage::Fixed(0.2)), shrunk(Shrinkage::LedoitWolf), predictive()];
    let mut models: Vec<Box<dyn Classifier>> = Vec::new();
    for settings in all {
        models.push(Box::new(table.fit(&Lda::new(settings.clone()))));
        models.push(Box::new(table.fit(&Qda::new(settings))));
    }
    models
}

#[test]
fn an_offset_of_1e8_costs_no_digits() {
    let near = Table::random(1);
    let far = near.mapped(|j, x| x + [1e8, -1e8, 3e8][j]);
    for (near_model, far_model) in every_model(&near).iter().zip(every_model(&far)) {
        for (a, b) in scores(near_model, &near.features()).iter().zip(scores(&far_model, &far.features())) {
            close(b, *a, 1e-12);
        }
        if let (Some(a), Some(b)) = (near_model.linear(), far_model.linear()) {
            let pairs = a.weights(&near.layout).into_iter().zip(b.weights(&far.layout)).skip(1);
            pairs.for_each(|(a, b)| same_digits(b.values[2], a.values[2], 1e-12));
        }
    }
}

#[test]
fn powers_of_two_scale_weights_exactly() {
    let plain = Table::random(2);
    for exponents in [[3, -7, 0], [480, -500, 2], [900, -950, 1000]] {
        let scaled = plain.mapped(|j, x| libm::ldexp(x, exponents[j]));
        for (a, b) in every_model(&plain).iter().zip(every_model(&scaled)) {
            for (p, q) in probabilities(a, &plain.features()).iter().zip(probabilities(&b, &scaled.features())) {
                close(q, *p, 1e-12);
            }
            let (Some(a), Some(b)) = (a.linear(), b.linear()) else { continue };
            let (a, b) = (a.weights(&plain.layout), b.weights(&scaled.layout));
            for j in 0..3 {
                for k in 0..3 {
                    assert_eq!(libm::ldexp(b[j + 1].values[k], exponents[j]), a[j + 1].values[k]);
                }
            }
        }
    }
}

#[test]
fn the_prior_moves_the_intercept_of_lda_alone() {
    let table = Table::random(3);
    let given = vec![("c0".to_owned(), 0.2), ("c1".to_owned(), 0.7), ("c2".to_owned(), 0.1)];
    for shrinkage in [Shrinkage::None, Shrinkage::LedoitWolf] {
        let settings = |prior| DiscriminantParams { prior, shrinkage, ..DiscriminantParams::default() };
        let even = table.fit(&Lda::new(settings(Prior::Uniform))).linear().unwrap().weights(&table.layout);
        let model = table.fit(&Lda::new(settings(Prior::Given(given.clone()))));
        let uneven = model.linear().unwrap().weights(&table.layout);
        assert_eq!(even[1..], uneven[1..]);
        for k in 1..3 {
            close(uneven[0].values[k] - even[0].values[k], (given[k].1 / given[0].1).ln(), 1e-13);
        }
        // Changed after the fit, the prior does the same.
        let changed = table.fit(&Lda::new(settings(Prior::Uniform))).with_log_prior(model.log_prior().to_vec());
        assert_eq!(scores(&changed, &table.features()), scores(&model, &table.features()));
    }
}

/// Two classes whose rows deviate from their means by `left` and `right`.
fn two_classes(left: &[[f64; 2]], right: &[[f64; 2]], right_weight: f64) -> Table {
    let (mut values, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (k, (rows, weight)) in [(left, 1.0), (right, right_weight)].into_iter().enumerate() {
        for row in rows {
            values.extend([row[0] + 2.0 * k as f64, row[1] - 1.5 * k as f64]);
            labels.push(k as u32);
            weights.push(weight);
        }
    }
    Table { layout: layout(2, 2, Weighting::Frequency), values, labels, weights: Some(weights) }
}

#[test]
fn class_proportions_move_lda_weights_only_when_covariances_differ() {
    let round = [[1.0, 0.25], [-1.0, -0.25], [0.5, -1.0], [-0.5, 1.0]];
    let long = [[4.0, 3.0], [-4.0, -3.0], [1.0, -0.5], [-1.0, 0.5]];
    let slope = |right: &[[f64; 2]], weight: f64| {
        let table = two_classes(&round, right, weight);
        table.fit(&Lda::default()).linear().unwrap().weights(&table.layout)[1].values[1]
    };
    same_digits(slope(&round, 10.0), slope(&round, 1.0), 1e-13);
    assert!((slope(&long, 10.0) / slope(&long, 1.0) - 1.0).abs() > 0.1);
    // The densities of QDA never depend on the mix.
    let densities = |weight: f64| {
        let table = two_classes(&round, &long, weight);
        let model = table.fit(&Qda::default());
        let prior = model.log_prior().to_vec();
        scores(&model, &table.features()).iter().enumerate().map(|(at, score)| score - prior[at % 2]).collect::<Vec<_>>()
    };
    densities(1.0).iter().zip(densities(7.0)).for_each(|(a, b)| close(b, *a, 1e-12));
}

#[test]
fn a_weight_of_two_is_a_row_twice() {
    let table = Table::random(4);
    let weighted = table.weighted(Weighting::Frequency, |i| 1.0 + (i % 3) as f64);
    let mut repeated = Table { layout: table.layout.clone(), values: Vec::new(), labels: Vec::new(), weights: None };
    for i in 0..table.labels.len() {
        for _ in 0..=i % 3 {
            repeated.values.extend_from_slice(&table.values[i * 3..(i + 1) * 3]);
            repeated.labels.push(table.labels[i]);
        }
    }
    for (a, b) in every_model(&weighted).iter().zip(every_model(&repeated)) {
        for (s, t) in scores(a, &table.features()).iter().zip(scores(&b, &table.features())) {
            close(*s, t, 1e-12);
        }
        match (a.generative().unwrap().log_marginal_likelihood(), b.generative().unwrap().log_marginal_likelihood()) {
            (Some(a), Some(b)) => close(a, b, 1e-12),
            (a, b) => assert_eq!(a, b),
        }
    }
}

#[test]
fn sampling_weights_have_no_unit() {
    let table = Table::random(5);
    let weighted = |unit: f64| table.weighted(Weighting::Sampling, |i| unit * (1.0 + (i % 5) as f64));
    for (a, b) in every_model(&weighted(1.0)).iter().zip(every_model(&weighted(1000.0))) {
        scores(a, &table.features()).iter().zip(scores(&b, &table.features())).for_each(|(s, t)| close(t, *s, 1e-11));
        assert_eq!(a.generative().unwrap().log_marginal_likelihood(), None);
    }
    // Equal weights are no weights, whatever the divisor.
    let equal = table.weighted(Weighting::Sampling, |_| 3.0);
    for (a, b) in every_model(&equal).iter().zip(every_model(&table)) {
        scores(a, &table.features()).iter().zip(scores(&b, &table.features())).for_each(|(s, t)| close(*s, t, 1e-11));
    }
}

/// ∫ exp(score) over column `at`, by the trapezoid rule, which is exact to rounding for such smooth densities.
fn integrated(model: &dyn Classifier, row: &[f64], at: usize) -> Vec<f64> {
    let (step, steps) = (1.0 / 32.0, 12_800);
    let grid: Vec<f64> = (-steps..=steps).map(|i| f64::from(i) * step).collect();
    let mut rows = Vec::new();
    for x in &grid {
        let mut row = row.to_vec();
        row[at] = *x;
        rows.extend(row);
    }
    let values = scores(model, &features(&rows, row.len()));
    let classes = model.layout().classes().len();
    (0..classes).map(|k| values.iter().skip(k).step_by(classes).map(|score| score.exp()).sum::<f64>() * step).collect()
}

#[test]
fn gaps_are_integrated_out() {
    let table = Table::random(6);
    for model in every_model(&table) {
        for at in 0..3 {
            let row = [0.75, -0.5, 1.25];
            let mut gap = row;
            gap[at] = f64::NAN;
            for (score, integral) in scores(&model, &features(&gap, 3)).iter().zip(integrated(&model, &row, at)) {
                close(*score, integral.ln(), 1e-9);
            }
        }
        // Nothing observed leaves the prior; and a density over one column has mass one.
        let nothing = scores(&model, &features(&[f64::NAN; 3], 3));
        assert_eq!(nothing, model.generative().unwrap().log_prior());
        for (mass, prior) in integrated(&model, &[f64::NAN; 3], 1).iter().zip(nothing) {
            close(mass.ln(), prior, 1e-9);
        }
    }
}

#[test]
fn evidence_adds_up_with_gaps_and_is_linear_for_lda() {
    let table = Table::random(7);
    let rows = [0.5, 1.0, -2.0, f64::NAN, 1.0, -2.0, 0.5, f64::NAN, f64::NAN, 3e5, -1e6, 1e14, 1.0, 2.0, 3.0];
    let rows = features(&rows, 3);
    for model in every_model(&table) {
        let mut evidence = Contributions::new();
        model.contributions().unwrap().contribute(&rows, &mut evidence).unwrap();
        for (cell, score) in scores(&model, &rows).into_iter().enumerate() {
            let (i, k) = (cell / 3, cell % 3);
            close(evidence.base()[k] + (0..3).map(|j| evidence.addends(i, j)[k]).sum::<f64>(), score, 1e-12);
        }
        assert_eq!(evidence.addends(1, 0), [0.0; 3]);
    }
    let round = [[1.0, 0.25], [-1.0, -0.25], [0.5, -1.0], [-0.5, 1.0]];
    let table = two_classes(&round, &round, 3.0);
    let model = table.fit(&Lda::default());
    let weights = model.linear().unwrap().weights(&table.layout);
    let mut evidence = Contributions::new();
    model.contributions().unwrap().contribute(&features(&[0.3, -2.0], 2), &mut evidence).unwrap();
    for (j, (x, midpoint)) in [(0.3, 1.0), (-2.0, -0.75)].into_iter().enumerate() {
        let addends = evidence.addends(0, j);
        close(addends[1] - addends[0], weights[j + 1].values[1] * (x - midpoint), 1e-13);
    }
}

#[test]
fn probabilities_alone_are_those_of_the_scores() {
    let table = Table::random(15);
    let rows = [0.5, 1.0, -2.0, f64::NAN, 1.0, -2.0, 1e60, 0.0, 3.0, f64::NAN, f64::NAN, 0.25, 1.0, 2.0, 3.0];
    for model in every_model(&table) {
        let mut out = Predictions::new();
        Predictor::new(&model).probabilities(&features(&rows, 3), &mut out).unwrap();
        out.probabilities().iter().zip(probabilities(&model, &features(&rows, 3))).for_each(|(p, q)| close(*p, q, 1e-13));
    }
}

#[test]
fn much_data_leaves_nothing_to_integrate() {
    let table = Table::random(8);
    let many = table.weighted(Weighting::Frequency, |_| 1e7);
    let pairs: [(Box<dyn Classifier>, Box<dyn Classifier>); 2] = [
        (Box::new(many.fit(&Lda::new(predictive()))), Box::new(many.fit(&Lda::default()))),
        (Box::new(many.fit(&Qda::new(predictive()))), Box::new(many.fit(&Qda::default()))),
    ];
    for (integrated, plugged) in pairs {
        for (p, q) in probabilities(&integrated, &table.features()).iter().zip(probabilities(&plugged, &table.features())) {
            close(*p, q, 1e-6);
        }
    }
    // With few rows it does make a difference, towards caution.
    let sure = |model: &dyn Classifier| {
        probabilities(model, &table.features()).chunks(3).map(|p| p.iter().copied().fold(0.0, f64::max)).sum::<f64>()
    };
    assert!(sure(&table.fit(&Qda::new(predictive()))) < sure(&table.fit(&Qda::default())) - 0.1);
}

#[test]
fn draws_have_the_moments_of_the_model() {
    const DRAWS: usize = 200_000;
    let table = Table::random(9);
    // x1 is constant here and x2 is twice x0 less one.
    let mut degenerate = table.mapped(|j, x| if j == 1 { 4.25 } else { x });
    degenerate.values.chunks_exact_mut(3).for_each(|row| row[2] = 2.0 * row[0] - 1.0);
    let heavy = table.fit(&Qda::new(predictive()));
    let models: Vec<(Box<dyn Classifier>, f64)> = vec![
        (Box::new(table.fit(&Lda::default())), 1.0),
        (Box::new(table.fit(&Qda::default())), 1.0),
        (Box::new(degenerate.fit(&Lda::default())), 1.0),
        (Box::new(heavy), f64::NAN),
    ];
    for (model, widening) in models {
        let mut random = ChaCha8Rng::seed_from_u64(77);
        let generative = model.generative().unwrap();
        let mut drawn = Vec::with_capacity(DRAWS * 3);
        for _ in 0..DRAWS {
            let row = generative.sample(1, &mut random).unwrap();
            assert_eq!(row.class, 1);
            drawn.extend(row.values.iter().map(|value| match value {
                Value::Number(x) => *x,
                other => panic!("{other:?} is no number"),
            }));
        }
        let tidy = model.card().tidy;
        let stated = |j: usize, parameter: &str| {
            let wanted = ["c1".into(), format!("x{j}").into(), oddsmith::card::Cell::Empty, parameter.into()];
            match tidy.rows().iter().find(|row| row[..4] == wanted).map(|row| &row[4]) {
                Some(oddsmith::card::Cell::Number(value)) => *value,
                other => panic!("{other:?}"),
            }
        };
        let column = |j: usize| drawn.iter().skip(j).step_by(3);
        let means: Vec<f64> = (0..3).map(|j| column(j).sum::<f64>() / DRAWS as f64).collect();
        for (j, mean) in means.into_iter().enumerate() {
            let sd = (column(j).map(|x| (x - mean).powi(2)).sum::<f64>() / DRAWS as f64).sqrt();
            assert!((mean - stated(j, "mean")).abs() <= 5.0 * sd / (DRAWS as f64).sqrt() + 1e-12);
            if widening == 1.0 {
                assert!((sd - stated(j, "sd")).abs() <= 0.012 * sd + 1e-12, "{sd} is not {}", stated(j, "sd"));
            } else {
                // A new row varies by (κ + 1)/κ times the mean covariance.
                let kappa = 0.01 + ROWS[1] as f64;
                assert!((sd - stated(j, "sd") * ((kappa + 1.0) / kappa).sqrt()).abs() <= 0.015 * sd);
            }
        }
        if stated(1, "sd") == 0.0 {
            assert!(drawn.chunks(3).all(|row| row[1] == 4.25 && (row[2] - (2.0 * row[0] - 1.0)).abs() < 1e-6));
        }
    }
}

#[test]
fn draws_have_the_correlations_of_the_model() {
    const DRAWS: usize = 200_000;
    let table = Table::random(10);
    let model = table.fit(&Qda::default());
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut product = 0.0;
    for _ in 0..DRAWS {
        let row = model.sample(2, &mut random).unwrap();
        let [Value::Number(a), Value::Number(b), _] = row.values[..] else { panic!("numbers") };
        product += (a - model.mean(2, 0).unwrap()) * (b - model.mean(2, 1).unwrap());
    }
    let bound = 0.02 * (model.covariance(2, 0, 0) * model.covariance(2, 1, 1)).sqrt();
    assert!((product / DRAWS as f64 - model.covariance(2, 0, 1)).abs() < bound);
}

#[test]
fn records_keep_every_bit() {
    let table = Table::random(11);
    let mut degenerate = table.mapped(|j, x| if j == 1 { 4.25 } else { x });
    degenerate.values.chunks_exact_mut(3).for_each(|row| row[2] = 2.0 * row[0] - 1.0);
    let mut models = every_model(&table);
    models.push(Box::new(degenerate.fit(&Lda::default())));
    models.push(Box::new(degenerate.fit(&Qda::default())));
    let rows = [0.5, 1.0, -2.0, f64::NAN, 1.0, -2.0, 0.5, f64::NAN, f64::NAN];
    for model in models {
        let record = model.record().unwrap();
        assert_eq!(record.tag, model.tag());
        let read = registry::read(&record).unwrap();
        assert_eq!(read.record().unwrap(), record);
        assert_eq!(scores(&read, &features(&rows, 3)), scores(&model, &features(&rows, 3)));
        assert_eq!(read.card(), model.card());
    }
}

#[test]
fn spoiled_records_are_refused() {
    let table = Table::random(12);
    let good = table.fit(&Qda::new(predictive())).record().unwrap();
    let refused = |spoil: &dyn Fn(&mut Record), what: &str| {
        let mut record = good.clone();
        spoil(&mut record);
        let error = registry::read(&record).err().unwrap_or_else(|| panic!("{what} was accepted"));
        assert!(matches!(error.kind(), ErrorKind::Format { .. }), "{what}: {error}");
    };
    let change = |name: &'static str, at: usize, value: f64| {
        move |record: &mut Record| match record.arrays.get_mut(name) {
            Some(Array::Numbers(values)) => values[at] = value,
            _ => panic!("no array {name}"),
        }
    };
    for name in good.arrays.keys() {
        let name = name.clone();
        refused(&|record| drop(record.arrays.remove(&name)), &format!("a record without {name}"));
    }
    refused(&change("covariances", 0, -1.0), "a negative variance");
    refused(&change("covariances", 1, 100.0), "a correlation above one");
    refused(&change("scale", 0, 3.0), "a scale that is no power of two");
    refused(&change("scale", 0, 0.0), "no scale");
    refused(&change("freedom", 0, 0.0), "no freedom");
    refused(&change("widening", 1, -1.0), "a negative widening");
    refused(&change("centre", 1, f64::NAN), "a centre that is not a number");
    refused(&change("offsets", 1, f64::INFINITY), "an infinite mean");
    refused(&|record| record.put("offsets", &[0.0; 8]), "too few offsets");
    refused(&|record| record.put_counts("constant.columns", &[7]), "a constant beyond the columns");
    refused(&|record| record.version = 9, "a version to come");
    refused(&|record| record.tag = "lda".into(), "the other discriminant");
}

#[test]
fn far_rows_have_finite_scores_and_infinite_ones_are_refused() {
    let table = Table::random(13);
    let rows = [1e300, 0.0, 0.0, -1e300, 1e300, 1e300, f64::MAX, -f64::MAX, f64::MAX, 1e18, f64::NAN, 0.0, 1e150, -1e150, 1e-300];
    for model in every_model(&table) {
        let probabilities = probabilities(&model, &features(&rows, 3));
        for p in probabilities.chunks(3) {
            close(p.iter().sum(), 1.0, 1e-15);
        }
        assert!(scores(&model, &features(&rows, 3)).iter().all(|score| score.is_finite()));
        let mut out = Scores::new();
        let error = model.score(&features(&[0.0, 1.0, f64::INFINITY], 3), &mut out).unwrap_err().to_string();
        assert_eq!(error, "column `x2`, row 1: an infinite value cannot be used: `inf`; use a finite number or leave the cell empty");
    }
    // Far out along the first discriminant, the class on that side is certain.
    let model = table.fit(&Lda::default());
    let weights: Vec<f64> = model.linear().unwrap().weights(&table.layout)[1..].iter().map(|w| w.values[2]).collect();
    let far: Vec<f64> = weights.iter().map(|w| w * 1e200).collect();
    assert_eq!(probabilities(&model, &features(&far, 3))[0], 0.0);
}

#[test]
fn threads_do_not_change_a_bit() {
    let table = Table::random(14);
    let mut values = Vec::new();
    let mut labels = Vec::new();
    for _ in 0..400 {
        values.extend_from_slice(&table.values);
        labels.extend_from_slice(&table.labels);
    }
    let source = ViewSource::new(&table.layout, features(&values, 3), &labels, None).unwrap();
    let settings = DiscriminantParams { shrinkage: Shrinkage::LedoitWolf, ..DiscriminantParams::default() };
    let fit = |threads: usize| {
        let fitted = train::fit(&Lda::new(settings.clone()), &source, threads.try_into().ok(), &Control::new()).unwrap();
        assert_eq!(fitted.passes, 2);
        fitted.model.record().unwrap()
    };
    assert_eq!(fit(1), fit(2));
    assert_eq!(fit(1), fit(3));
}
