//! Every model of the registry, with default options and with others, and what it must not depend on.

use oddsmith::data::{Formula, Weighting};
use oddsmith::model::Params;
use oddsmith::registry::{self, Entry, MODELS, Units};

use super::ample::Ample;
use super::{Row, all_columns, columns_taken};

/// A model with some options.
#[derive(Clone)]
pub(crate) struct Variant {
    /// The model as people write it, and its formula.
    pub(crate) label: String,
    pub(crate) entry: &'static Entry,
    pub(crate) params: Params,
    /// Positions in the test table.
    pub(crate) columns: Vec<usize>,
    pub(crate) units: Units,
    pub(crate) first: FirstClass,
    pub(crate) order: RowOrder,
    pub(crate) cuts: Cuts,
    /// How far two fits of the same rows may lie apart: that of the entry unless the search ends earlier.
    pub(crate) tolerance: f64,
}

/// Which problems do not care which class comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstClass {
    /// All.
    Any,
    /// None: an offset is added to the log odds of every class against the first.
    Matters,
}

/// Whether a model depends on the order of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowOrder {
    /// No.
    Any,
    /// Yes: it learns from one row after the other.
    Matters,
}

/// What another cut of the same rows into partitions may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cuts {
    /// Nothing, to the bit: what is summed up are whole numbers, or rows that are brought into one order.
    NoBit,
    /// The rounding of sums of fractions.
    Rounding,
}

impl Cuts {
    /// Trees count in whole numbers, neighbours are rows in an order of their own, and a perceptron takes rows one after the other. Means that
    /// fill gaps are fractions.
    fn of(entry: &Entry, params: &Params) -> Self {
        let whole = ["tree", "forest", "boosting", "knn", "perceptron"].contains(&entry.name);
        if whole && !params.has("missing") { Cuts::NoBit } else { Cuts::Rounding }
    }
}

impl Variant {
    fn new(model: &str, units: Units) -> Self {
        let (entry, params) = registry::parse(model).unwrap();
        let (columns, tolerance) = (columns_taken(entry), entry.tolerance);
        let in_order = entry.name == "perceptron" || params.text("search") == Some("adam");
        let order = if in_order { RowOrder::Matters } else { RowOrder::Any };
        let cuts = Cuts::of(entry, &params);
        Variant { label: model.into(), entry, params, columns, units, first: FirstClass::Any, order, cuts, tolerance }
    }

    fn of(self, columns: &[usize]) -> Self {
        Variant { label: format!("{} of columns {columns:?}", self.label), columns: columns.to_vec(), ..self }
    }

    fn by(self, formula: &str) -> Self {
        let params = self.params.with_formula(Some(Formula::parse(formula).unwrap())).unwrap();
        Variant { label: format!("{} {formula}", self.label), params, ..self }
    }

    /// Whether it is the model with default options.
    pub(crate) fn is_plain(&self) -> bool {
        self.label == self.entry.name
    }

    /// The table with weights that the variant takes: where they must count rows, sampling weights are rounded up.
    pub(crate) fn suited(&self, table: &Ample) -> Ample {
        let counts_rows = self.params.has("firth") || self.params.has("prior-sd");
        match counts_rows && table.weighting == Weighting::Sampling {
            true => {
                let rows = table.rows.iter().map(|row| Row { weight: row.weight.ceil(), ..row.clone() }).collect();
                Ample { rows, weighting: Weighting::Frequency }
            }
            false => table.clone(),
        }
    }
}

/// Every entry of the registry with default options, and some with others.
pub(crate) fn variants() -> Vec<Variant> {
    let mut all: Vec<Variant> = MODELS.iter().map(|entry| Variant::new(entry.name, entry.units)).collect();
    all.extend(bayes());
    all.extend(discriminants());
    all.extend(regressions());
    all.extend(trees());
    all.extend(margins());
    all
}

fn bayes() -> Vec<Variant> {
    use Units::{Fixed, Free, Zero};
    vec![
        Variant::new("nb(predictive)", Free),
        Variant::new("nb(smoothing=0)", Free),
        Variant::new("nb(tying=per-column)", Free),
        Variant::new("nb(distribution=age=multinomial, distribution=dose=bernoulli)", Fixed),
        Variant::new("gaussian-nb(predictive)", Free),
        Variant::new("gaussian-nb(tying=per-column)", Free),
        Variant::new("gaussian-nb(tying=per-column, predictive)", Free),
        Variant::new("gaussian-nb(tying=single)", Zero),
        Variant::new("gaussian-nb(tying=single, predictive)", Zero),
        Variant::new("gaussian-nb(divisor=unbiased)", Free),
        Variant::new("bernoulli-nb(predictive)", Fixed),
        Variant::new("bernoulli-nb(binarize=3)", Fixed),
        Variant::new("multinomial-nb(predictive)", Fixed),
        Variant::new("categorical-nb(predictive)", Fixed),
    ]
}

fn discriminants() -> Vec<Variant> {
    let options = ["(predictive)", "(divisor=unbiased)", "(shrinkage=0.3)", "(shrinkage=ledoit-wolf)"];
    let of = |entry: &'static str| options.into_iter().map(move |options| Variant::new(&format!("{entry}{options}"), Units::Free));
    ["lda", "qda"].into_iter().flat_map(of).collect()
}

fn margins() -> Vec<Variant> {
    use Units::{Fixed, Free, Zero};
    vec![
        Variant::new("least-squares(coding=zero-one)", Free),
        Variant::new("least-squares(l2=3)", Zero),
        Variant::new("least-squares(missing=indicator)", Free),
        Variant::new("least-squares", Free).of(&[0, 2, 6]),
        Variant::new("perceptron(variant=pocket, epochs=7, no-verdict)", Fixed),
        Variant::new("perceptron(variant=last, epochs=7, missing=mean)", Fixed),
        Variant::new("knn(k=2, vote=distance, alpha=0)", Free),
        Variant::new("knn(standardize=none, most-k=9)", Zero),
        Variant::new("kernel-logistic(kernel=polynomial, degree=2, landmarks=20)", Fixed),
        Variant::new("network(hidden=none)", Free),
        Variant::new("network(search=adam, steps=3)", Free),
        Variant::new("network(search=adam, steps=2, hidden=4, activation=logistic, missing=mean)", Free),
    ]
}

fn regressions() -> Vec<Variant> {
    use Units::{Fixed, Free, Zero};
    let all = all_columns();
    let offset = Variant::new("logistic(ci=wald, no-tests)", Fixed)
        .by("died ~ age + town + offset(dose / 4) + offset((height - 100000000) * age / 90)");
    vec![
        Variant::new("logistic(ci=none, no-tests)", Free),
        Variant::new("logistic(l2=1.5)", Zero),
        // Text is fitted to a thousandth of a standard error unless it is asked for more, which an absolute penalty does not reach.
        Variant::new("logistic(l2=1.5, tolerance=1e-10)", Zero).of(&all),
        Variant::new("logistic(l1=1.5)", Zero),
        Variant { tolerance: 1e-3, ..Variant::new("logistic(l1=1.5)", Zero).of(&all) },
        Variant::new("logistic(l1=0.5, l2=0.5)", Zero),
        Variant::new("logistic(firth, ci=wald, no-tests)", Free),
        Variant::new("logistic(prior-sd=0.7, ci=wald)", Zero),
        Variant::new("logistic(missing=indicator, l2=0.5)", Zero),
        Variant::new("logistic(class-weight=balanced, ci=wald, no-tests)", Free),
        Variant::new("logistic(robust=HC1)", Free),
        Variant::new("logistic(ci=wald, no-tests)", Free).by("died ~ age * smoker + ns(dose, df = 3) + C(town, contrast = sum)"),
        Variant { first: FirstClass::Matters, ..offset },
        Variant::new("one-vs-rest(l2=1.5, tolerance=1e-10)", Zero).of(&all),
        Variant::new("one-vs-rest(firth, ci=wald)", Free),
        Variant::new("one-vs-rest(prior-sd=0.7, ci=wald)", Zero),
        Variant::new("one-vs-rest(ci=wald)", Free).by("died ~ age * smoker + ns(dose, df = 3)"),
    ]
}

fn trees() -> Vec<Variant> {
    let options = [
        "criterion=gini",
        "leaf-smoothing=0",
        "max-depth=3, min-samples-leaf=5",
        "ccp-alpha=0.01",
        "min-impurity-decrease=0.005, min-samples-split=10",
    ];
    let tree = options.into_iter().map(|options| format!("tree({options})"));
    let many = [
        "forest(n-estimators=5, max-features=all, leaf-smoothing=0)",
        "forest(n-estimators=7, max-depth=3, criterion=gini, importance=gain)",
        "boosting(max-iter=10, max-depth=2, l2-regularization=0)",
        "boosting(max-iter=3, min-samples-leaf=1)",
    ];
    tree.chain(many.map(str::to_owned)).map(|model| Variant::new(&model, Units::Free)).collect()
}
