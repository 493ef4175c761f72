//! Figures of the command beside what their definitions give from the rows, the predictions and each other.

use serde_json::Value;

use crate::folder::{Folder, project};
use crate::well_formed::records;

/// What a command prints as JSON.
fn json(folder: &Folder, command: &str) -> Value {
    let ran = folder.run(&format!("{command} --json -q"));
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{command}: {error}\n{}{}", ran.out, ran.err))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The row of a table whose cell is so.
fn row<'a>(table: &'a Value, column: &str, cell: &str) -> &'a Value {
    let found = table.as_array().unwrap().iter().find(|row| row[column] == cell);
    found.unwrap_or_else(|| panic!("no row with {column} = {cell} in {table}"))
}

#[track_caller]
fn close(got: &Value, want: f64) {
    let got = number(got);
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "{got} is not {want}");
}

/// A column of a table in `examples`, as text.
fn column(file: &str, name: &str) -> Vec<String> {
    let table = records(&std::fs::read_to_string(project().join("examples").join(file)).unwrap());
    let at = table[0].iter().position(|column| column == name).unwrap();
    table[1..].iter().map(|record| record[at].clone()).collect()
}

fn numbers(file: &str, name: &str) -> Vec<f64> {
    column(file, name).iter().map(|cell| cell.parse().unwrap()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Σ (x − mean)².
fn squares(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|value| (value - centre).powi(2)).sum()
}

/// Standard error of a mean over many rows: the root of the mean square around it, divided by the root of their number.
fn error_of_mean(values: &[f64]) -> f64 {
    squares(values).sqrt() / values.len() as f64
}

/// A regression, its probabilities of the event on `new.csv`, and which rows are events.
fn judged(folder: &Folder) -> (Vec<f64>, Vec<bool>) {
    folder.run("oddsmith fit births.csv 'low ~ age + lwt + race + smoke' -o low.odds");
    let scored = json(folder, "oddsmith predict low.odds new.csv");
    let p = scored.as_array().unwrap().iter().map(|row| number(&row["p_yes"])).collect();
    (p, column("new.csv", "low").iter().map(|label| label == "yes").collect())
}

#[test]
fn losses_are_means_over_predictions() {
    let folder = Folder::new();
    let (p, events) = judged(&folder);
    let metrics = json(&folder, "oddsmith evaluate low.odds new.csv --show metrics");
    let metric = |name: &str| row(&metrics, "metric", name);
    let losses: Vec<f64> = p.iter().zip(&events).map(|(p, event)| -if *event { *p } else { 1.0 - p }.ln()).collect();
    let distances: Vec<f64> = p.iter().zip(&events).map(|(p, event)| (p - f64::from(u8::from(*event))).powi(2)).collect();
    let rate = mean(&events.iter().map(|event| f64::from(u8::from(*event))).collect::<Vec<_>>());
    let base = -(rate * rate.log2() + (1.0 - rate) * (1.0 - rate).log2());
    close(&metric("log_loss")["estimate"], mean(&losses));
    close(&metric("log_loss")["std_error"], error_of_mean(&losses));
    close(&metric("log_loss")["conf_low"], mean(&losses) - 1.959_963_984_540_054 * error_of_mean(&losses));
    close(&metric("log_loss")["conf_high"], mean(&losses) + 1.959_963_984_540_054 * error_of_mean(&losses));
    close(&metric("bits")["estimate"], mean(&losses) / std::f64::consts::LN_2);
    close(&metric("bits")["std_error"], error_of_mean(&losses) / std::f64::consts::LN_2);
    close(&metric("base_rate_bits")["estimate"], base);
    close(&metric("bits_saved")["estimate"], base - mean(&losses) / std::f64::consts::LN_2);
    close(&metric("brier")["estimate"], mean(&distances));
    close(&metric("brier")["std_error"], error_of_mean(&distances));
    close(&metric("brier_uncertainty")["estimate"], rate * (1.0 - rate));
    let parts = ["brier_reliability", "brier_resolution", "brier_uncertainty"].map(|name| number(&metric(name)["estimate"]));
    close(&metric("brier")["estimate"], parts[0] - parts[1] + parts[2]);
}

#[test]
fn decisions_are_counted() {
    let folder = Folder::new();
    let (p, events) = judged(&folder);
    let count =
        |predicted: bool, event: bool| p.iter().zip(&events).filter(|(p, e)| (**p >= 0.5) == predicted && **e == event).count() as f64;
    let (hits, misses, alarms, rest) = (count(true, true), count(false, true), count(true, false), count(false, false));
    let rows = events.len() as f64;
    let metrics = json(&folder, "oddsmith evaluate low.odds new.csv --show metrics");
    let expected = (hits + alarms) / rows * (hits + misses) / rows + (misses + rest) / rows * (alarms + rest) / rows;
    let accuracy = (hits + rest) / rows;
    let (sensitivity, specificity) = (hits / (hits + misses), rest / (rest + alarms));
    for (name, want) in [
        ("accuracy", accuracy),
        ("balanced_accuracy", 0.5 * (sensitivity + specificity)),
        ("kappa", (accuracy - expected) / (1.0 - expected)),
        ("mcc", (hits * rest - alarms * misses) / ((hits + alarms) * (hits + misses) * (rest + alarms) * (rest + misses)).sqrt()),
        ("sensitivity", sensitivity),
        ("specificity", specificity),
        ("precision", hits / (hits + alarms)),
        ("negative_predictive_value", rest / (rest + misses)),
        ("f1", 2.0 * hits / (2.0 * hits + alarms + misses)),
    ] {
        close(&row(&metrics, "metric", name)["estimate"], want);
    }
    let classes = json(&folder, "oddsmith evaluate low.odds new.csv --show classes");
    let yes = row(&classes, "class", "yes");
    for (name, want) in
        [("weight", hits + misses), ("predicted", hits + alarms), ("precision", hits / (hits + alarms)), ("recall", sensitivity)]
    {
        close(&yes[name], want);
    }
    let confusion = json(&folder, "oddsmith evaluate low.odds new.csv --show confusion");
    let cells: Vec<f64> = confusion.as_array().unwrap().iter().map(|cell| number(&cell["weight"])).collect();
    assert_eq!(cells, [rest, alarms, misses, hits]);
    let benefit = json(&folder, "oddsmith evaluate low.odds new.csv --show decision");
    let half = &benefit[49];
    close(&half["threshold"], 0.5);
    close(&half["net_benefit"], (hits - alarms) / rows);
    close(&half["net_benefit_of_all"], (hits + misses - (alarms + rest)) / rows);
    close(&half["net_benefit_of_none"], 0.0);
}

#[test]
fn points_of_curves_are_counted() {
    let folder = Folder::new();
    let (p, events) = judged(&folder);
    let all: f64 = events.iter().filter(|event| **event).count() as f64;
    for point in json(&folder, "oddsmith evaluate low.odds new.csv --show roc").as_array().unwrap() {
        let threshold = point["threshold"].as_f64().unwrap_or(f64::INFINITY);
        let above = |event: bool| p.iter().zip(&events).filter(|(p, e)| **p >= threshold - 1e-12 && **e == event).count() as f64;
        close(&point["true_positives"], above(true));
        close(&point["false_positives"], above(false));
        close(&point["sensitivity"], above(true) / all);
        close(&point["specificity"], 1.0 - above(false) / (events.len() as f64 - all));
    }
    for tenth in json(&folder, "oddsmith evaluate low.odds new.csv --show lift").as_array().unwrap() {
        let (rows, found) = (number(&tenth["share_of_rows"]), number(&tenth["share_of_events"]));
        close(&tenth["lift"], found / rows);
        let mut sorted: Vec<(f64, bool)> = p.iter().copied().zip(events.iter().copied()).collect();
        sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
        let top = &sorted[..(rows * events.len() as f64).round() as usize];
        close(&tenth["share_of_events"], top.iter().filter(|(_, event)| *event).count() as f64 / all);
    }
}

#[test]
fn facts_of_a_regression_follow_from_its_likelihood() {
    let folder = Folder::new();
    let fit = json(&folder, "oddsmith fit births.csv 'low ~ age + lwt + smoke' -o low.odds");
    let facts = &fit["model"]["facts"];
    let scored = json(&folder, "oddsmith predict low.odds births.csv");
    let labels = column("births.csv", "low");
    let likelihood: f64 = scored.as_array().unwrap().iter().zip(&labels).map(|(row, label)| number(&row[&format!("p_{label}")]).ln()).sum();
    let (n, events) = (labels.len() as f64, labels.iter().filter(|label| *label == "yes").count() as f64);
    let null = events * (events / n).ln() + (n - events) * (1.0 - events / n).ln();
    for (name, want) in [
        ("rows", n),
        ("events", events),
        ("parameters", 4.0),
        ("log likelihood", likelihood),
        ("null log likelihood", null),
        ("deviance", -2.0 * likelihood),
        ("null deviance", -2.0 * null),
        ("aic", -2.0 * likelihood + 8.0),
        ("bic", -2.0 * likelihood + 4.0 * n.ln()),
        ("mcfadden", 1.0 - likelihood / null),
        ("df residual", n - 4.0),
        ("df null", n - 1.0),
        ("model chi2", 2.0 * (likelihood - null)),
        ("model df", 3.0),
        ("log loss", -likelihood / n),
        ("bits per row", -likelihood / n / std::f64::consts::LN_2),
        ("bits of class proportions", -null / n / std::f64::consts::LN_2),
    ] {
        close(&facts[name], want);
    }
    let pearson = scored.as_array().unwrap().iter().zip(&labels).map(|(row, label)| {
        let (p, y) = (number(&row["p_yes"]), f64::from(u8::from(label == "yes")));
        (y - p).powi(2) / (p * (1.0 - p))
    });
    close(&facts["pearson chi2"], pearson.sum());
    let judged = json(&folder, "oddsmith evaluate low.odds births.csv --show metrics");
    for (fact, metric, column) in
        [("auc", "auc", "estimate"), ("auc low", "auc", "conf_low"), ("auc high", "auc", "conf_high"), ("brier", "brier", "estimate")]
    {
        close(&facts[fact], number(&row(&judged, "metric", metric)[column]));
    }
}

#[test]
fn one_flag_has_the_odds_ratio_of_its_table() {
    let folder = Folder::new();
    let tidy = json(&folder, "oddsmith fit births.csv 'low ~ C(smoke) + age' --crude --ci wald --tidy");
    let smoke = row(&tidy, "level", "1");
    let count = |low: &str, smoke: &str| {
        let pairs = column("births.csv", "low").into_iter().zip(column("births.csv", "smoke"));
        pairs.filter(|(a, b)| a == low && b == smoke).count() as f64
    };
    let (a, b, c, d) = (count("yes", "1"), count("no", "1"), count("yes", "0"), count("no", "0"));
    let (log, error) = ((a * d / (b * c)).ln(), (1.0 / a + 1.0 / b + 1.0 / c + 1.0 / d).sqrt());
    close(&smoke["n"], a + b);
    close(&smoke["events"], a);
    close(&smoke["crude_odds_ratio"], log.exp());
    close(&smoke["crude_low"], (log - 1.959_963_984_540_054 * error).exp());
    close(&smoke["crude_high"], (log + 1.959_963_984_540_054 * error).exp());
    for parameter in tidy.as_array().unwrap().iter().filter(|row| row["flag"].is_null()) {
        let (estimate, error) = (number(&parameter["estimate"]), number(&parameter["std_error"]));
        close(&parameter["statistic"], estimate / error);
        close(&parameter["conf_low"], estimate - 1.959_963_984_540_054 * error);
        close(&parameter["odds_ratio"], (estimate * number(&parameter["unit"])).exp());
        close(&parameter["odds_low"], number(&parameter["conf_low"]).exp());
        close(&parameter["odds_high"], number(&parameter["conf_high"]).exp());
        close(&parameter["log_p_value"], number(&parameter["p_value"]).ln());
    }
}

#[test]
fn columns_have_their_moments_and_events_per_variable_are_a_quotient() {
    let folder = Folder::new();
    let checked = json(&folder, "oddsmith check births.csv --target low");
    let ages = numbers("births.csv", "age");
    let age = row(&checked["columns"], "column", "age");
    close(&age["min"], ages.iter().copied().fold(f64::INFINITY, f64::min));
    close(&age["max"], ages.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    close(&age["missing"], 0.0);
    close(&row(&checked["columns"], "column", "race")["levels"], 3.0);
    let (events, predictors) = (number(&checked["facts"]["rows of the rarest class"]), number(&checked["facts"]["predictors"]));
    close(&checked["facts"]["rows of the rarest class"], 59.0);
    // Eight columns of one parameter and a category of three levels.
    close(&checked["facts"]["predictors"], 10.0);
    close(&checked["facts"]["events per variable"], events / predictors);
    folder.run("oddsmith stats gather births.csv --target low -o all.stats");
    let gathered = json(&folder, "oddsmith show all.stats");
    let age = row(&gathered["columns"], "column", "age");
    close(&age["mean"], mean(&ages));
    close(&age["sd"], (squares(&ages) / (ages.len() as f64 - 1.0)).sqrt());
    close(&gathered["facts"]["rows"], 189.0);
    close(&gathered["facts"]["weight"], 189.0);
    close(&gathered["facts"]["columns"], 9.0);
}

#[test]
fn evidence_is_log_odds_in_other_units_and_adds_up() {
    let folder = Folder::new();
    folder.run("oddsmith fit births.csv --target low --features age,lwt,race -o nb.odds");
    let explained = json(&folder, "oddsmith explain nb.odds births.csv --row 7");
    let evidence = explained["evidence"].as_array().unwrap();
    let predicted = &json(&folder, "oddsmith predict nb.odds births.csv --log-odds")[6];
    let (total, addends) = evidence.split_last().unwrap();
    close(&total["decibans"], addends.iter().map(|row| number(&row["decibans"])).sum());
    close(&total["decibans"], number(&predicted["log_odds_yes"]) * 10.0 / std::f64::consts::LN_10);
    close(&explained["facts"]["log odds in decibans"], number(&total["decibans"]));
    close(&explained["facts"]["p_yes"], number(&predicted["p_yes"]));
    close(&predicted["log_odds_yes"], (number(&predicted["p_yes"]) / number(&predicted["p_no"])).ln());
    evidence.iter().for_each(|row| close(&row["odds_factor"], 10f64.powf(number(&row["decibans"]) / 10.0)));
}

#[test]
fn other_class_proportions_move_log_odds_by_a_known_amount() {
    let folder = Folder::new();
    folder.run("oddsmith fit births.csv 'low ~ age' -o low.odds");
    let moved = json(&folder, "oddsmith calibrate low.odds --prevalence yes=0.01 -o p.odds");
    let (yes, no) = (row(&moved["class_proportions"], "label", "yes"), row(&moved["class_proportions"], "label", "no"));
    close(&yes["sampled"], 59.0 / 189.0);
    close(&yes["population"], 0.01);
    close(&no["population"], 0.99);
    let expected = (0.01f64 / 0.99).ln() - (59.0f64 / 130.0).ln();
    close(&moved["facts"]["log odds of the event move by"], expected);
    assert!((number(&yes["offset"]) - number(&no["offset"]) - expected).abs() < 1e-9);
    let odds = |file: &str| number(&json(&folder, &format!("oddsmith predict {file} new.csv --log-odds"))[0]["log_odds_yes"]);
    assert!((odds("p.odds") - odds("low.odds") - expected).abs() < 1e-9);
}

#[test]
fn a_comparison_is_that_of_its_own_figures() {
    let folder = Folder::new();
    let compared = json(&folder, "oddsmith compare births.csv --target low --models lda,logistic,qda --features age,lwt --folds 4");
    let (models, pairs) = (&compared["models"]["models"], &compared["pairs"]["pairs"]);
    for model in models.as_array().unwrap() {
        close(&model["log_loss"], number(&model["bits"]) * std::f64::consts::LN_2);
    }
    for pair in pairs.as_array().unwrap() {
        let of = |name: &Value, figure: &str| number(&row(models, "model", name.as_str().unwrap())[figure]);
        close(&pair["more_bits"], of(&pair["model"], "bits") - of(&pair["against"], "bits"));
        close(&pair["auc_difference"], of(&pair["model"], "auc") - of(&pair["against"], "auc"));
    }
    let mut p: Vec<f64> = pairs.as_array().unwrap().iter().map(|pair| number(&pair["p_value"])).collect();
    let mut holm: Vec<f64> = pairs.as_array().unwrap().iter().map(|pair| number(&pair["p_holm"])).collect();
    p.sort_by(f64::total_cmp);
    holm.sort_by(f64::total_cmp);
    assert!((holm[0] - (2.0 * p[0]).min(1.0)).abs() < 1e-12);
    // Two means of two columns, the three entries of a shared covariance and one prior; a line of two slopes; two covariances.
    let parameters = |name: &str| number(&row(models, "model", name)["parameters"]);
    assert_eq!([parameters("lda"), parameters("logistic"), parameters("qda")], [8.0, 3.0, 11.0]);
}

#[test]
fn words_of_a_text_are_listed_strongest_first_and_add_up() {
    let folder = Folder::new();
    for model in ["multinomial-nb", "bernoulli-nb", "logistic --l2 1"] {
        folder.run(&format!("oddsmith fit spam.txt --model {model} -o spam.odds"));
        let explained = json(&folder, "oddsmith explain spam.odds spam.txt --row 3");
        let evidence = explained["evidence"].as_array().unwrap();
        let (total, addends) = evidence.split_last().unwrap();
        close(&total["decibans"], addends.iter().map(|row| number(&row["decibans"])).sum());
        let words: Vec<&Value> = addends.iter().filter(|row| row["value"].as_str().is_some_and(|word| !word.starts_with('('))).collect();
        let line = std::fs::read_to_string(project().join("examples/spam.txt")).unwrap();
        let line = line.lines().nth(2).unwrap().to_owned();
        assert!(words.len() >= 5, "{model}: {explained}");
        for word in &words {
            let spelled = word["value"].as_str().unwrap().split(" ×").next().unwrap();
            assert!(line.contains(spelled), "{model}: {spelled} is not in {line}");
        }
        let sizes: Vec<f64> = words.iter().map(|row| number(&row["decibans"]).abs()).collect();
        assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "{model}: {sizes:?}");
    }
}
