//! Regressions through the command against R: the formula, the table and the weights of R's call go in, and every figure
//! that R gives comes out.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod rounds;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

struct Golden {
    id: String,
    json: Value,
}

impl Golden {
    fn load(id: &str) -> Self {
        let text = std::fs::read_to_string(folder().join(format!("{id}.json"))).unwrap();
        Golden { id: id.into(), json: serde_json::from_str(&text).unwrap() }
    }

    fn at(&self, path: &str) -> &Value {
        path.split('/').fold(&self.json, |value, key| &value[key])
    }

    fn numbers(&self, path: &str) -> Vec<f64> {
        numbers(self.at(path))
    }

    fn number(&self, path: &str) -> f64 {
        self.at(path).as_f64().unwrap_or_else(|| panic!("{}: {path} is no number", self.id))
    }

    fn texts(&self, path: &str) -> Vec<String> {
        self.at(path).as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    fn formula(&self) -> String {
        self.at("model/formula").as_str().unwrap().to_owned()
    }

    fn table(&self) -> PathBuf {
        let data = self.at("data");
        folder().join(data.as_str().unwrap_or_else(|| data["train"].as_str().unwrap()))
    }

    /// R's reference levels as flags.
    fn references(&self) -> Vec<String> {
        let factors = self.at("model/factors").as_object().cloned().unwrap_or_default();
        let treated = factors.iter().filter(|(_, factor)| factor["contrasts"] == "contr.treatment");
        treated.flat_map(|(column, factor)| ["--ref".to_owned(), format!("{column}={}", factor["levels"][0].as_str().unwrap())]).collect()
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden")
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        Value::Number(number) => vec![number.as_f64().unwrap()],
        _ => Vec::new(),
    }
}

fn command(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_oddsmith")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A fit as programs see it.
struct Fit(Value);

impl Fit {
    fn run(table: &Path, formula: &str, flags: &[String]) -> Self {
        let mut arguments = vec!["fit", table.to_str().unwrap(), formula, "--json", "-q"];
        arguments.extend(flags.iter().map(String::as_str));
        Fit(serde_json::from_slice(&command(&arguments)).unwrap())
    }

    fn fact(&self, name: &str) -> f64 {
        self.0["model"]["facts"][name].as_f64().unwrap_or_else(|| panic!("there is no fact {name}"))
    }

    /// Rows of parameters by class and column, without reference rows.
    fn parameters(&self) -> BTreeMap<(String, String), &Value> {
        let rows = self.0["model"]["tidy"].as_array().unwrap().iter().filter(|row| !row["column"].is_null());
        rows.map(|row| ((row["class"].as_str().unwrap().to_owned(), row["column"].as_str().unwrap().to_owned()), row)).collect()
    }

    fn parameter(&self, class: &str, term: &str) -> &Value {
        let name = if term == "(Intercept)" { "(intercept)" } else { term };
        self.parameters().get(&(class.to_owned(), name.to_owned())).copied().unwrap_or_else(|| panic!("there is no {term} of {class}"))
    }

    fn events(&self) -> String {
        self.0["model"]["tidy"][0]["class"].as_str().unwrap().to_owned()
    }
}

fn figure(row: &Value, name: &str) -> f64 {
    match &row[name] {
        Value::String(text) if text == "Infinity" => f64::INFINITY,
        Value::String(text) if text == "-Infinity" => f64::NEG_INFINITY,
        value => value.as_f64().unwrap_or_else(|| panic!("{name} is missing in {row}")),
    }
}

/// Within `tolerance` of the scale of the figure.
fn near(what: &str, got: f64, want: f64, scale: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * scale.abs(), "{what}: {got} is not {want}");
}

fn relative(what: &str, got: f64, want: f64, tolerance: f64) {
    near(what, got, want, want, tolerance);
}

/// Coefficients, standard errors, z, p, Wald or profile limits and odds ratios of all terms of one class.
fn check_terms(golden: &Golden, fit: &Fit, class: &str, of: &dyn Fn(&str) -> Vec<f64>, limits: Option<(&str, &str)>) {
    let (coefficients, errors, z, p) = (of("coef"), of("se"), of("z"), of("p"));
    let limits = limits.map(|(low, high)| (of(low), of(high))).filter(|(low, _)| low.len() == coefficients.len());
    for (at, term) in golden.texts("results/terms").iter().enumerate() {
        let (row, error) = (fit.parameter(class, term), errors[at]);
        let what = format!("{} {class} {term}", golden.id);
        near(&what, figure(row, "estimate"), coefficients[at], error, 1e-8);
        relative(&what, figure(row, "std_error"), error, 1e-8);
        relative(&what, figure(row, "odds_ratio"), coefficients[at].exp(), 1e-8 * (1.0 + error));
        if limits.is_none() || !golden.id.starts_with("firth") {
            near(&what, figure(row, "statistic"), z[at], 1.0 + z[at].abs(), 1e-8);
            relative(&what, figure(row, "p_value"), p[at], 1e-6);
        }
        if let Some((low, high)) = &limits {
            near(&what, figure(row, "conf_low"), low[at], error, 1e-8);
            near(&what, figure(row, "conf_high"), high[at], error, 1e-8);
            relative(&what, figure(row, "odds_low"), low[at].exp(), 1e-7 * (1.0 + error));
            relative(&what, figure(row, "odds_high"), high[at].exp(), 1e-7 * (1.0 + error));
        }
    }
}

/// The rows of a table of tests against R's columns, by term.
fn check_tests(golden: &Golden, fit: &Fit, (table, of_r, statistic): (&str, &str, &str), observations: f64) {
    let r = golden.at(&format!("results/{of_r}"));
    let ours = fit.0[table][table].as_array().unwrap_or_else(|| panic!("{}: there is no {table}", golden.id));
    let deviances = if table == "drop1" { "deviance" } else { "resid_dev" };
    let mut seen = 0;
    for (at, term) in r["term"].as_array().unwrap().iter().enumerate().filter(|(at, _)| r["df"][*at].is_number()) {
        let term = term.as_str().unwrap();
        let row = ours.iter().find(|row| row["term"] == term).unwrap_or_else(|| panic!("{}: no {table} of {term}", golden.id));
        let what = format!("{} {table} {term}", golden.id);
        let number = |column: &str| r[column][at].as_f64().unwrap();
        relative(&what, figure(row, "df"), number("df"), 0.0);
        near(&what, figure(row, "chi2"), number(statistic), golden.number("results/deviance"), 1e-10);
        near(&what, figure(row, "deviance"), number(deviances), golden.number("results/deviance"), 1e-9);
        match table {
            "drop1" => near(&what, figure(row, "aic"), number("aic"), golden.number("results/aic"), 1e-10),
            // R counts rows; a frequency of ten is ten of them here.
            _ => relative(&what, figure(row, "df_residual"), number("resid_df") + observations - golden.number("results/nobs"), 0.0),
        }
        if number("p") > 1e-300 {
            relative(&what, figure(row, "p_value"), number("p"), 1e-6);
        }
        seen += 1;
    }
    assert_eq!(seen, ours.len(), "{}: as many rows of {table} as R has", golden.id);
}

fn check_glm(id: &str, table: &Path, flags: &[&str], observations: f64) {
    let golden = Golden::load(id);
    let flags: Vec<String> = golden.references().into_iter().chain(flags.iter().map(|flag| flag.to_string())).collect();
    let fit = Fit::run(table, &golden.formula(), &flags);
    check_fit(&golden, &fit, observations);
    let of = |name: &str| golden.numbers(&format!("results/{name}"));
    let wald: Vec<String> = flags.iter().cloned().chain(["--ci".into(), "wald".into(), "--no-tests".into()]).collect();
    let fit_wald = Fit::run(table, &golden.formula(), &wald);
    check_terms(&golden, &fit_wald, &fit.events(), &of, Some(("wald_lo", "wald_hi")));
    check_rows(&golden, table, &flags);
}

/// All figures of a fit with profile limits and tests.
fn check_fit(golden: &Golden, fit: &Fit, observations: f64) {
    let id = &golden.id;
    let of = |name: &str| golden.numbers(&format!("results/{name}"));
    check_terms(golden, fit, &fit.events(), &of, Some(("profile_lo", "profile_hi")));
    for (ours, of_r) in [("aic", "aic"), ("deviance", "deviance"), ("null deviance", "null_deviance"), ("log likelihood", "loglik")] {
        near(
            &format!("{id} {ours}"),
            fit.fact(ours),
            golden.number(&format!("results/{of_r}")),
            1.0 + golden.number("results/aic").abs(),
            1e-10,
        );
    }
    let parameters = golden.number("results/rank");
    // R counts rows in BIC; a frequency of ten is ten observations here.
    let bic = -2.0 * golden.number("results/loglik") + parameters * observations.ln();
    relative(&format!("{id} bic"), fit.fact("bic"), bic, 1e-10);
    if observations == golden.number("results/nobs") {
        relative(&format!("{id} bic"), fit.fact("bic"), golden.number("results/bic"), 1e-10);
    }
    relative(&format!("{id} pearson"), fit.fact("pearson chi2"), golden.number("results/pearson_chisq"), 1e-10);
    for (ours, of_r) in [("df residual", "df_residual"), ("df null", "df_null")] {
        let more = observations - golden.number("results/nobs");
        relative(&format!("{id} {ours}"), fit.fact(ours), golden.number(&format!("results/{of_r}")) + more, 0.0);
    }
    check_tests(golden, fit, ("drop1", "drop1", "lrt"), observations);
    check_tests(golden, fit, ("anova", "anova_sequential", "deviance"), observations);
}

/// What R says about every row, at the fit and from a file.
fn check_rows(golden: &Golden, table: &Path, flags: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.odds");
    let (model, table, formula) = (model.to_str().unwrap(), table.to_str().unwrap(), golden.formula());
    let mut arguments = vec!["fit", table, &formula, "--augment", "--json", "-q", "-o", model];
    arguments.extend(flags.iter().map(String::as_str));
    let rows = command(&arguments);
    assert!(rows == command(&["show", model, "--augment", table, "--json", "-q"]), "{}: the file knows the rows of the fit", golden.id);
    check_row_figures(golden, &serde_json::from_slice(&rows).unwrap());
}

fn check_row_figures(golden: &Golden, rows: &Value) {
    let rows = rows.as_array().unwrap();
    let (residuals, leverages) = (golden.numbers("results/resid_pearson"), golden.numbers("results/hat"));
    for (i, (residual, leverage)) in residuals.iter().zip(leverages).enumerate() {
        let want = residual / (1.0 - leverage).sqrt();
        near(&format!("{} row {}", golden.id, i + 1), figure(&rows[i], "std_resid_pearson"), want, 1.0 + want.abs(), 1e-8);
    }
    for (ours, of_r) in [
        ("fitted", "fitted"),
        ("log_odds", "eta"),
        ("leverage", "hat"),
        ("cooks_distance", "cooks"),
        ("resid_deviance", "resid_deviance"),
        ("resid_pearson", "resid_pearson"),
        ("std_resid_deviance", "rstandard_deviance"),
    ] {
        let want = golden.numbers(&format!("results/{of_r}"));
        assert_eq!(rows.len(), want.len(), "{}: rows", golden.id);
        for (i, want) in want.iter().enumerate() {
            let what = format!("{} {ours} of row {}", golden.id, i + 1);
            near(&what, figure(&rows[i], ours), *want, 1.0 + want.abs(), 1e-8);
        }
    }
}

macro_rules! plain_glm {
    ($($name:ident),+ $(,)?) => {
        $(#[test] fn $name() {
            let golden = Golden::load(stringify!($name));
            check_glm(stringify!($name), &golden.table(), &[], golden.number("results/nobs"));
        })+
    };
}

plain_glm!(
    glm_birthwt_main,
    glm_birthwt_offset,
    glm_birthwt_smoke_by_race,
    glm_budworm,
    glm_infert_unmatched,
    glm_iris_virginica,
    glm_kyphosis,
    glm_menarche_grouped,
    glm_mtcars_am_wt,
    glm_mtcars_no_intercept,
    glm_nodal,
    glm_pima_main,
);

#[test]
fn glm_esoph_poly_contrasts() {
    let golden = Golden::load("glm_esoph_poly_contrasts");
    let levels = ["--levels", "alcgp=0-39g/day<40-79<80-119<120+", "--contrast", "poly"];
    check_glm("glm_esoph_poly_contrasts", &golden.table(), &levels, golden.number("results/nobs"));
}

#[test]
fn glm_ucb_freq_weights() {
    check_glm("glm_ucb_freq_weights", &Golden::load("glm_ucb_freq_weights").table(), &["--weight", "Freq"], 4526.0);
}

#[test]
fn glm_birthwt_int_weights() {
    let golden = Golden::load("glm_birthwt_int_weights");
    let text = std::fs::read_to_string(golden.table()).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let mut weighted = format!("{},w\n", header.join(","));
    let mut total = 0.0;
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let weight = 1.0 + cells[at("ptl")].parse::<f64>().unwrap() + cells[at("ui")].parse::<f64>().unwrap();
        total += weight;
        weighted.push_str(&format!("{line},{weight}\n"));
    }
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    std::fs::write(file.path(), weighted).unwrap();
    check_glm("glm_birthwt_int_weights", file.path(), &["--weight", "w"], total);
}

#[test]
fn new_rows_have_rs_predictions_and_standard_errors() {
    let golden = Golden::load("glm_pima_main");
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("pima.odds");
    let (model, new) = (model.to_str().unwrap(), self::folder().join(golden.at("data/new").as_str().unwrap()));
    command(&["fit", "-q", golden.table().to_str().unwrap(), &golden.formula(), "-o", model]);
    let rows: Value = serde_json::from_slice(&command(&["show", "-q", model, "--augment", new.to_str().unwrap(), "--json"])).unwrap();
    let limits: Value =
        serde_json::from_slice(&command(&["predict", "-q", model, new.to_str().unwrap(), "--interval", "0.9", "--json"])).unwrap();
    let (eta, errors, probabilities) = (
        golden.numbers("results/predict_new/eta"),
        golden.numbers("results/predict_new/se_eta"),
        golden.numbers("results/predict_new/prob"),
    );
    assert_eq!(rows.as_array().unwrap().len(), eta.len());
    // qnorm(0.95), and R's plogis(eta ± q se).
    let quantile = 1.644_853_626_951_472_7;
    let logistic = |eta: f64| 1.0 / (1.0 + (-eta).exp());
    for i in 0..eta.len() {
        let what = format!("row {}", i + 1);
        near(&what, figure(&rows[i], "log_odds"), eta[i], errors[i], 1e-8);
        relative(&what, figure(&rows[i], "std_error"), errors[i], 1e-8);
        near(&what, figure(&rows[i], "fitted"), probabilities[i], 1.0, 1e-9);
        near(&what, figure(&limits[i], "low_Yes"), logistic(eta[i] - quantile * errors[i]), 1.0, 1e-9);
        near(&what, figure(&limits[i], "high_Yes"), logistic(eta[i] + quantile * errors[i]), 1.0, 1e-9);
    }
}

fn check_multinom(id: &str, flags: &[&str]) {
    let golden = Golden::load(id);
    let formula = golden.formula();
    let target = formula.split('~').next().unwrap().trim();
    let reference = golden.at("results/reference").as_str().unwrap();
    let mut all = golden.references();
    all.extend(["--ref".to_owned(), format!("{target}={reference}"), "--ci".into(), "wald".into()]);
    all.extend(flags.iter().map(|flag| flag.to_string()));
    check_classes(&golden, &Fit::run(&golden.table(), &formula, &all));
}

/// All figures of a fit of several classes.
fn check_classes(golden: &Golden, fit: &Fit) {
    let (id, reference) = (&golden.id, golden.at("results/reference").as_str().unwrap());
    let classes: Vec<String> = golden.texts("results/classes").into_iter().filter(|class| class != reference).collect();
    for (at, class) in classes.iter().enumerate() {
        let of = |name: &str| numbers(&golden.at(&format!("results/{name}"))[at]);
        check_terms(golden, fit, class, &of, None);
    }
    relative(id, fit.fact("log likelihood"), golden.number("results/loglik"), 1e-10);
    relative(id, fit.fact("deviance"), golden.number("results/deviance"), 1e-10);
    relative(id, fit.fact("aic"), golden.number("results/aic"), 1e-10);
}

#[test]
fn multinom_birthwt_race() {
    check_multinom("multinom_birthwt_race", &[]);
}

#[test]
fn multinom_haireye() {
    check_multinom("multinom_haireye", &["--weight", "Freq"]);
}

#[test]
fn multinom_iris_sepal_length() {
    check_multinom("multinom_iris_sepal_length", &[]);
}

fn check_firth(id: &str, flags: &[&str]) {
    let golden = Golden::load(id);
    let flags: Vec<String> = golden.references().into_iter().chain(flags.iter().map(|flag| flag.to_string())).collect();
    let fit = Fit::run(&golden.table(), &golden.formula(), &flags);
    let of = |name: &str| golden.numbers(&format!("results/{name}"));
    check_terms(&golden, &fit, &fit.events(), &of, Some(("profile_penalized_lo", "profile_penalized_hi")));
    let (ratios, p) = (of("penalized_lr_chisq"), of("penalized_lr_p"));
    for (at, term) in golden.texts("results/terms").iter().enumerate() {
        let row = fit.parameter(&fit.events(), term);
        near(id, figure(row, "statistic").powi(2), ratios[at], 1.0 + ratios[at], 1e-8);
        relative(id, figure(row, "p_value"), p[at], 1e-6);
    }
    relative(id, fit.fact("penalised log likelihood"), golden.number("results/penalized_loglik_kernel"), 1e-10);
}

#[test]
fn firth_birthwt() {
    check_firth("firth_birthwt", &["--firth"]);
}

#[test]
fn firth_endometrial() {
    check_firth("firth_endometrial", &["--on-separation", "firth"]);
}

#[test]
fn firth_separated_toy() {
    check_firth("firth_separated_toy", &["--firth"]);
}

#[test]
fn glm_separated_toy() {
    let golden = Golden::load("glm_separated_toy");
    let table = golden.table();
    let output = Command::new(env!("CARGO_BIN_EXE_oddsmith")).args(["fit", table.to_str().unwrap(), &golden.formula()]).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stderr).contains("complete separation") && output.stdout.is_empty());
}
