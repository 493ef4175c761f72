//! Logistic regression against R's glm, multinom, brglm2 and glmnet, from their design matrices.

use crate::support::{Golden, close, same_digits};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Formula, Layout, ViewSource, Weighting};
use oddsmith::model::linear::{Covariance, Intervals, Logistic, LogisticModel};
use oddsmith::model::{Predictions, Predictor};
use oddsmith::num::MatrixView;
use oddsmith::train::fit;
use serde_json::Value;

/// The design matrix of a golden as number columns, proportions of two classes or labels, weights and an offset.
struct Problem {
    layout: Layout,
    cells: Vec<f64>,
    labels: Vec<u32>,
    weights: Vec<f64>,
    learner: Logistic,
    rows: usize,
}

const OFFSET: &str = "the offset";
const SHARES: [&str; 2] = ["share of failures", "share of successes"];

impl Problem {
    fn new(golden: &Golden, learner: Logistic) -> Self {
        let columns = golden.texts("model/columns");
        let x = golden.at("model/X").as_array().unwrap();
        let rows = x.len();
        let intercept = columns[0] == "(Intercept)";
        let predictors: Vec<String> = columns.iter().skip(usize::from(intercept)).cloned().collect();
        let list = |path: &str| golden.at("model").get(path).filter(|v| v.is_array()).map(crate::support::flat);
        let offset = list("offset").filter(|offset| offset.iter().any(|o| *o != 0.0));
        let weights = list("weights").unwrap_or(vec![1.0; rows]);
        let y = golden.at("model/y").as_array().unwrap();
        let texts: Vec<String> = y.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let quoted = |name: &str| format!("`{name}`");
        let mut terms: Vec<String> = predictors.iter().map(|name| quoted(name)).collect();
        let mut names = predictors.clone();
        if offset.is_some() {
            terms.push(format!("offset({})", quoted(OFFSET)));
            names.push(OFFSET.into());
        }
        if !intercept {
            terms.push("-1".into());
        }
        if terms.is_empty() {
            terms.push("1".into());
        }
        let formula = Formula::parse(&format!("y ~ {}", terms.join(" + ").replace("+ -1", "- 1"))).unwrap();
        let mut learner = Logistic { formula: Some(formula), ..learner };
        let (mut labels, mut proportions) = (vec![0; rows], None);
        let classes = match texts.is_empty() {
            false => {
                let classes = golden.texts("results/classes");
                labels = texts.iter().map(|text| classes.iter().position(|c| c == text).unwrap() as u32).collect();
                classes
            }
            true => {
                let values: Vec<f64> = crate::support::flat(golden.at("model/y"));
                match values.iter().all(|v| *v == 0.0 || *v == 1.0) {
                    true => labels = values.iter().map(|v| *v as u32).collect(),
                    false => proportions = Some(values),
                }
                vec!["0".into(), "1".into()]
            }
        };
        if proportions.is_some() {
            names.extend(SHARES.map(String::from));
            learner.class_proportions = Some(SHARES.map(String::from).to_vec());
        }
        let mut cells = Vec::new();
        for (i, row) in x.iter().enumerate() {
            cells.extend(crate::support::flat(row).iter().skip(usize::from(intercept)));
            cells.extend(offset.as_ref().map(|offset| offset[i]));
            cells.extend(proportions.iter().flat_map(|s| [1.0 - s[i], s[i]]));
        }
        let features = names.into_iter().map(Feature::number).collect();
        let layout = Layout::new("y", features, Classes::new(classes).unwrap(), Weighting::Frequency).unwrap();
        Problem { layout, cells, labels, weights, learner, rows }
    }

    fn features(&self) -> Features<'_> {
        Features::of_numbers(MatrixView::row_major(&self.cells, self.rows, self.layout.features().len()).unwrap())
    }

    fn fit(&self) -> oddsmith::Result<LogisticModel> {
        let source = ViewSource::new(&self.layout, self.features(), &self.labels, Some(&self.weights)).unwrap();
        Ok(fit(&self.learner, &source, None, &Control::new())?.model)
    }
}

/// Numbers of a list in which R's NA stands for an aliased term.
fn known(golden: &Golden, path: &str) -> Vec<f64> {
    golden.at(path).as_array().unwrap().iter().filter_map(Value::as_f64).collect()
}

fn vcov(model: &LogisticModel) -> (Vec<f64>, usize) {
    let precision = model.precision().unwrap();
    (precision.matrix.clone(), precision.lower.len())
}

/// Profile limits, in units of the standard error.
fn same_limits(id: &str, precision: &Covariance, (lower, upper): (&[f64], &[f64]), errors: &[f64]) {
    for (end, found, wanted) in [("lower", &precision.lower, lower), ("upper", &precision.upper, upper)] {
        assert_eq!(found.len(), wanted.len());
        for (at, (got, want)) in found.iter().zip(wanted).enumerate() {
            assert!((got - want).abs() <= 1e-8 * errors[at], "{id}: {end} {at}: {got} is not {want}");
        }
    }
}

fn check_glm(id: &str) {
    let golden = Golden::load(id);
    let profile = Logistic { precision: Intervals::Profile, ..Logistic::new() };
    let problem = Problem::new(&golden, profile);
    let model = problem.fit().unwrap();
    let (covariance, size) = vcov(&model);
    let error = |at: usize| covariance[at * size + at].sqrt();
    let (coefficients, errors) = match golden.has("certified/coef") {
        true => (known(&golden, "certified/coef"), known(&golden, "certified/se")),
        false => (known(&golden, "results/coef"), known(&golden, "results/se")),
    };
    let estimates = model.parameters().estimates();
    assert_eq!(estimates.len(), coefficients.len(), "{id}: as many coefficients as R keeps");
    for (at, want) in coefficients.iter().enumerate() {
        assert!((estimates[at] - want).abs() <= 1e-11 * errors[at], "{id}: coefficient {at}: {} is not {want}", estimates[at]);
        same_digits(error(at), errors[at], 1e-10);
    }
    for (at, (got, want)) in covariance.iter().zip(golden.numbers("results/vcov")).enumerate() {
        let scale = error(at / size) * error(at % size);
        assert!((got - want).abs() <= 1e-10 * scale, "{id}: vcov {got} is not {want}");
    }
    let account = model.account();
    close(account.deviance(), golden.number("results/deviance"), 1e-10);
    close(account.null_deviance(), golden.number("results/null_deviance"), 1e-10);
    let precision = model.precision().unwrap();
    let (lower, upper) = (known(&golden, "results/profile_lo"), known(&golden, "results/profile_hi"));
    if lower.len() == size {
        same_limits(id, precision, (&lower, &upper), &errors);
    }
    let mut out = Predictions::new();
    Predictor::new(&model).predict(&problem_features(&problem, &model), &mut out).unwrap();
    for (i, want) in known(&golden, "results/fitted").iter().enumerate() {
        assert!((out.row(i)[1] - want).abs() <= 1e-11, "{id}: row {i}: {} is not {want}", out.row(i)[1]);
    }
}

/// The batch without the columns that only the fit needed.
fn problem_features<'a>(problem: &'a Problem, model: &LogisticModel) -> Features<'a> {
    use oddsmith::model::Classifier;
    let kept = model.layout().features().len();
    let all = problem.layout.features().len();
    Features::of_numbers(MatrixView::new(&problem.cells, 0, (problem.rows, kept), (all as isize, 1)).unwrap())
}

macro_rules! goldens {
    ($check:ident: $($name:ident),+ $(,)?) => {
        $(#[test] fn $name() { $check(stringify!($name)); })+
    };
}

goldens!(check_glm:
    glm_birthwt_int_weights, glm_birthwt_main, glm_birthwt_offset, glm_birthwt_smoke_by_race, glm_budworm,
    glm_esoph_poly_contrasts, glm_infert_unmatched, glm_iris_virginica, glm_kyphosis, glm_menarche_grouped, glm_mtcars_am_wt,
    glm_mtcars_no_intercept, glm_nodal, glm_pima_main, glm_ucb_freq_weights);

fn check_multinom(id: &str) {
    let golden = Golden::load(id);
    let problem = Problem::new(&golden, Logistic::new());
    let model = problem.fit().unwrap();
    let (covariance, size) = vcov(&model);
    let (coefficients, errors) = (golden.numbers("certified/coef"), golden.numbers("certified/se"));
    let estimates = model.parameters().estimates();
    assert_eq!((estimates.len(), size), (coefficients.len(), coefficients.len()));
    for at in 0..size {
        assert!((estimates[at] - coefficients[at]).abs() <= 1e-10 * errors[at], "{id}: {} is not {}", estimates[at], coefficients[at]);
        same_digits(covariance[at * size + at].sqrt(), errors[at], 1e-9);
    }
    for (at, want) in golden.numbers("results/vcov").iter().enumerate() {
        let scale = errors[at / size] * errors[at % size];
        assert!((covariance[at] - want).abs() <= 1e-8 * scale, "{id}: vcov {} is not {want}", covariance[at]);
    }
    same_digits(model.account().log_likelihood, golden.number("certified/loglik"), 1e-12);
    same_digits(model.account().aic(size), golden.number("results/aic"), 1e-12);
    let mut out = Predictions::new();
    Predictor::new(&model).predict(&problem_features(&problem, &model), &mut out).unwrap();
    for (got, want) in out.probabilities().iter().zip(golden.numbers("results/fitted")) {
        assert!((got - want).abs() <= 1e-10, "{id}: {got} is not {want}");
    }
}

goldens!(check_multinom: multinom_birthwt_race, multinom_haireye, multinom_iris_sepal_length);

fn check_firth(id: &str) {
    let golden = Golden::load(id);
    let problem = Problem::new(&golden, Logistic { firth: true, precision: Intervals::Profile, ..Logistic::new() });
    let model = problem.fit().unwrap();
    let (covariance, size) = vcov(&model);
    let (coefficients, errors) = (golden.numbers("certified/coef"), golden.numbers("certified/se"));
    let estimates = model.parameters().estimates();
    for at in 0..size {
        assert!((estimates[at] - coefficients[at]).abs() <= 1e-10 * errors[at], "{id}: {} is not {}", estimates[at], coefficients[at]);
        same_digits(covariance[at * size + at].sqrt(), errors[at], 1e-9);
    }
    let account = model.account();
    same_digits(account.log_likelihood, golden.number("certified/loglik_kernel"), 1e-11);
    same_digits(account.penalised_log_likelihood.unwrap(), golden.number("certified/penalized_loglik_kernel"), 1e-11);
    let precision = model.precision().unwrap();
    let (lower, upper) = (golden.numbers("results/profile_penalized_lo"), golden.numbers("results/profile_penalized_hi"));
    same_limits(id, precision, (&lower, &upper), &errors);
    let ratios = golden.numbers("results/penalized_lr_chisq");
    for (test, ratio) in account.parameter_tests[..size].iter().zip(ratios) {
        same_digits(*test, ratio, 1e-9);
    }
}

goldens!(check_firth: firth_birthwt, firth_endometrial, firth_separated_toy);

#[test]
fn glm_separated_toy() {
    let golden = Golden::load("glm_separated_toy");
    let error = Problem::new(&golden, Logistic::new()).fit().unwrap_err().to_string();
    assert!(error.contains("separation") && error.contains("`x`"), "{error}");
}

fn check_penalised(id: &str) {
    let golden = Golden::load(id);
    let columns = golden.texts("model/columns");
    let csv = golden.table("data");
    let y: Vec<u32> = golden.numbers("model/y").iter().map(|y| *y as u32).collect();
    let cells: Vec<f64> =
        (0..y.len()).flat_map(|i| columns.iter().map(|c| csv.column(c)[i].parse().unwrap()).collect::<Vec<f64>>()).collect();
    let features = columns.iter().cloned().map(Feature::number).collect();
    let layout = Layout::new("y", features, Classes::new(vec!["0".into(), "1".into()]).unwrap(), Weighting::None).unwrap();
    let view = Features::of_numbers(MatrixView::row_major(&cells, y.len(), columns.len()).unwrap());
    let source = ViewSource::new(&layout, view, &y, None).unwrap();
    for fitted in golden.at("certified/fits").as_array().unwrap() {
        let strength = fitted["lambda"].as_f64().unwrap() * y.len() as f64;
        let learner = match golden.number("model/alpha") {
            0.0 => Logistic { l2: strength, ..Logistic::new() },
            _ => Logistic { l1: strength, ..Logistic::new() },
        };
        let model = fit(&learner, &source, None, &Control::new()).unwrap().model;
        assert!(model.precision().is_none());
        close(model.parameters().intercept(0), fitted["intercept"].as_f64().unwrap(), 1e-10);
        for (got, want) in model.parameters().of(0).iter().zip(crate::support::flat(&fitted["coef"])) {
            assert!((got - want).abs() <= 1e-10 * want.abs(), "{id}: {got} is not {want}");
        }
    }
}

goldens!(check_penalised: logit_l1_pima, logit_l2_pima);
