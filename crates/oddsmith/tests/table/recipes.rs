//! One recipe for every kind of model that can be stored: what it is learned from, with which options, and what is done to it afterwards.

use oddsmith::calibrate::Method;
use oddsmith::data::{Formula, Weighting};
use oddsmith::model::{Costs, Decision, Params};
use oddsmith::registry::{self, Entry, MODELS};

use super::columns_taken;

/// How a kept model is made.
pub(crate) struct Recipe {
    /// Name of its file.
    pub(crate) name: String,
    pub(crate) entry: &'static Entry,
    pub(crate) params: Params,
    /// Positions in the test table.
    pub(crate) columns: Vec<usize>,
    /// Number of the first rows that are learned from.
    pub(crate) rows: u64,
    /// Whether rows of the class `perhaps` are left away.
    pub(crate) two_classes: bool,
    pub(crate) weighting: Weighting,
    pub(crate) after: After,
}

/// What is done to a fitted model.
pub(crate) enum After {
    Nothing,
    Calibrated(Method),
    /// Another share of every class.
    ClassShares(Vec<f64>),
    Decided(Decision),
    /// Calibrated, then given a rule.
    Both(Method, Decision),
}

const NUMBERS: [usize; 2] = [0, 2];
const PLAIN: [usize; 4] = [0, 1, 2, 4];
const TEXTS: [usize; 2] = [3, 5];

impl Recipe {
    /// A model with options, written as people write it.
    fn new(name: &str, model: &str, columns: &[usize]) -> Self {
        let (entry, params) = registry::parse(model).unwrap();
        let (columns, weighting) = (columns.to_vec(), Weighting::Sampling);
        Recipe { name: name.into(), entry, params, columns, rows: 60, two_classes: false, weighting, after: After::Nothing }
    }

    /// A regression of two classes; its rows have whole weights.
    fn regression(name: &str, model: &str, columns: &[usize]) -> Self {
        Recipe { rows: 240, two_classes: true, weighting: Weighting::Frequency, ..Recipe::new(name, model, columns) }
    }

    fn of_three_classes(self) -> Self {
        Recipe { two_classes: false, ..self }
    }

    fn by(self, formula: &str) -> Self {
        Recipe { params: self.params.with_formula(Some(Formula::parse(formula).unwrap())).unwrap(), ..self }
    }

    fn then(self, after: After) -> Self {
        Recipe { after, ..self }
    }
}

/// All recipes.
pub(crate) fn recipes() -> Vec<Recipe> {
    let mut all = every_entry();
    all.extend(variants_of_one_pass());
    all.extend(regressions());
    all.extend(others());
    all.extend(adjusted());
    all
}

/// Every model that learns in one pass, plug-in and predictive.
fn every_entry() -> Vec<Recipe> {
    let one = |entry: &Entry, predictive: bool| {
        let model = format!("{}{}", entry.name, if predictive { "(predictive)" } else { "" });
        let name = format!("{}{}", entry.name, if predictive { "-predictive" } else { "" });
        registry::parse(&model).is_ok().then(|| Recipe::new(&name, &model, &columns_taken(entry)))
    };
    MODELS.iter().filter(|entry| entry.one_pass).flat_map(|entry| [one(entry, false), one(entry, true)]).flatten().collect()
}

fn variants_of_one_pass() -> Vec<Recipe> {
    let (all, numbers) = (super::all_columns(), [0, 2, 6]);
    vec![
        Recipe::new("nb-per-column", "nb(tying=per-column)", &all),
        Recipe::new("gaussian-nb-single", "gaussian-nb(tying=single)", &numbers),
        Recipe::new("gaussian-nb-single-predictive", "gaussian-nb(tying=single, predictive)", &numbers),
        Recipe::new("nb-unsmoothed", "nb(smoothing=0)", &all),
        Recipe::new("bernoulli-nb-unsmoothed", "bernoulli-nb(smoothing=0)", &[2, 3, 4, 5]),
        Recipe::new("nb-words", "nb", &TEXTS),
        Recipe::new("bernoulli-nb-words", "bernoulli-nb", &TEXTS),
        Recipe::new("multinomial-nb-words", "multinomial-nb", &TEXTS),
        Recipe::new("complement-nb-words", "complement-nb", &TEXTS),
        Recipe::new("lda-shrunk", "lda(shrinkage=0.3)", &numbers),
        Recipe { weighting: Weighting::Frequency, ..Recipe::new("lda-ledoit-wolf", "lda(shrinkage=ledoit-wolf)", &numbers) },
        Recipe::new("qda-shrunk", "qda(shrinkage=0.3)", &numbers),
    ]
}

fn regressions() -> Vec<Recipe> {
    let bent = "died ~ age * smoker + ns(dose, df = 3) + C(town, contrast = sum) + offset((height - 100000000) / 100)";
    let by_class = "died ~ age + smoker + offset(dose / 100, 0 * dose, (height - 100000000) / 100)";
    let words = "logistic(l2=1, ci=none, no-tests)";
    vec![
        Recipe::regression("logistic", "logistic(ci=wald)", &PLAIN),
        Recipe::regression("logistic-profile", "logistic(ci=profile)", &PLAIN),
        Recipe::regression("logistic-numbers", "logistic(ci=wald)", &NUMBERS),
        Recipe::regression("softmax", "logistic(ci=wald)", &PLAIN).of_three_classes(),
        Recipe::regression("softmax-firth", "logistic(firth, ci=wald)", &NUMBERS).of_three_classes(),
        Recipe::regression("logistic-firth", "logistic(firth, ci=wald)", &PLAIN),
        Recipe::regression("logistic-l1", "logistic(l1=2)", &PLAIN),
        Recipe::regression("logistic-l2", "logistic(l2=2)", &PLAIN),
        Recipe::regression("logistic-prior", "logistic(prior-sd=0.5, ci=wald)", &PLAIN),
        Recipe::regression("softmax-prior", "logistic(prior-sd=0.5, ci=wald)", &PLAIN).of_three_classes(),
        Recipe::regression("logistic-robust", "logistic(robust=HC3)", &PLAIN),
        Recipe::regression("logistic-cluster", "logistic(cluster=town)", &PLAIN),
        Recipe::regression("logistic-balanced", "logistic(class-weight=balanced, ci=wald)", &PLAIN),
        Recipe::regression("logistic-indicator", "logistic(missing=indicator, ci=wald)", &PLAIN),
        Recipe::regression("logistic-mean", "logistic(missing=mean, ci=wald)", &PLAIN),
        Recipe { weighting: Weighting::Sampling, ..Recipe::regression("logistic-sampling", "logistic(ci=wald)", &PLAIN) },
        Recipe::regression("logistic-formula", "logistic(ci=wald)", &[0, 1, 2, 4, 6]).by(bent),
        Recipe::regression("softmax-offsets", "logistic(ci=wald)", &[0, 2, 4, 6]).of_three_classes().by(by_class),
        Recipe::regression("logistic-words", words, &TEXTS),
        Recipe::regression("softmax-words", words, &[0, 1, 3, 5]).of_three_classes(),
        Recipe::regression("one-vs-rest", "one-vs-rest(ci=wald)", &PLAIN).of_three_classes(),
        Recipe::regression("one-vs-rest-prior", "one-vs-rest(prior-sd=0.5, ci=wald)", &PLAIN).of_three_classes(),
    ]
}

fn others() -> Vec<Recipe> {
    vec![
        Recipe::new("least-squares-numbers", "least-squares(coding=zero-one, l2=2)", &NUMBERS),
        Recipe::new("least-squares-indicator", "least-squares(missing=indicator)", &PLAIN),
        Recipe::regression("perceptron", "perceptron(epochs=9)", &PLAIN),
        Recipe::new("perceptron-by-class", "perceptron(epochs=9, variant=pocket)", &NUMBERS),
        Recipe::new("knn", "knn", &PLAIN),
        Recipe::new("knn-distance", "knn(k=7, vote=distance, standardize=none, ties=row)", &NUMBERS),
        Recipe::regression("network", "network(hidden=3)", &PLAIN),
        Recipe::regression("kernel-logistic", "kernel-logistic(landmarks=9)", &PLAIN),
        Recipe::new("kernel-least-squares", "kernel-least-squares(kernel=polynomial, degree=2)", &NUMBERS),
        Recipe::new("tree", "tree(max-depth=3)", &PLAIN),
        Recipe::new("forest", "forest(n-estimators=3, max-depth=3)", &PLAIN),
        Recipe::new("boosting", "boosting(max-iter=3, max-leaf-nodes=3)", &PLAIN),
        Recipe::new("network-two-layers", "network(hidden=\"4,2\", activation=relu, steps=20)", &NUMBERS),
    ]
}

fn adjusted() -> Vec<Recipe> {
    let two = |name: &str| Recipe::regression(name, "logistic(ci=wald)", &PLAIN);
    let three = |name: &str| Recipe::new(name, "nb", &super::all_columns());
    let costs = |reject: Option<f64>| Decision::Costs(Costs::new(vec![0.0, 1.0, 2.0, 4.0, 0.0, 1.0, 5.0, 2.0, 0.0], reject, 3).unwrap());
    vec![
        Recipe::regression("adjusted-margin", "least-squares", &PLAIN).then(After::Calibrated(Method::Platt)),
        two("adjusted-platt").then(After::Calibrated(Method::Platt)),
        two("adjusted-beta").then(After::Calibrated(Method::Beta)),
        two("adjusted-isotonic").then(After::Calibrated(Method::Isotonic)),
        two("adjusted-temperature").then(After::Calibrated(Method::Temperature)),
        three("adjusted-platt-by-class").then(After::Calibrated(Method::Platt)),
        three("adjusted-isotonic-by-class").then(After::Calibrated(Method::Isotonic)),
        three("adjusted-class-shares").then(After::ClassShares(vec![0.7, 0.2, 0.1])),
        two("adjusted-threshold").then(After::Decided(Decision::threshold(0.25, 2).unwrap())),
        three("adjusted-costs").then(After::Decided(costs(None))),
        three("adjusted-reject").then(After::Decided(costs(Some(0.75)))),
        two("adjusted-twice").then(After::Both(Method::Platt, Decision::threshold(0.4, 2).unwrap())),
        Recipe::regression("adjusted-one-vs-rest", "one-vs-rest(ci=wald)", &PLAIN)
            .of_three_classes()
            .then(After::Calibrated(Method::Temperature)),
    ]
}
