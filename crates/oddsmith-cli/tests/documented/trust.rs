//! Every number that the command reports stands in the table of docs/trust.md, with the test that holds it against something else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::folder::{Folder, project};

/// Fits and what follows them; `m.odds` is fitted anew for every model.
const OF_MODELS: [&str; 9] = [
    "fit TABLE --target TARGET --model MODEL --features FEATURES -o m.odds",
    "show m.odds",
    "show m.odds --weights",
    "show m.odds --tests",
    "show m.odds --augment TABLE",
    "predict m.odds TABLE --log-odds",
    "evaluate m.odds TABLE",
    "explain m.odds TABLE --row 3",
    "compare TABLE --target TARGET --models MODEL --features FEATURES --folds 3",
];

/// Options that bring further figures, and commands of one kind of model.
const OTHERS: [&str; 46] = [
    "fit births.csv 'low ~ age + race' --tests",
    "fit births.csv 'low ~ age + race' --crude",
    "fit births.csv 'low ~ age + race' --firth",
    "fit births.csv 'low ~ age + race' --prior-sd 2",
    "fit births.csv 'low ~ age' --l2 1",
    "fit births.csv 'low ~ age' --cluster race --robust HC1",
    "fit births.csv --target low --features age,race --predictive",
    "fit births.csv --target low --features age,lwt --model lda --predictive",
    "fit births.csv --target low --features age,lwt --model lda --shrinkage ledoit-wolf",
    "fit spam.txt --model multinomial-nb",
    "fit births.csv 'low ~ age + lwt' -o l.odds",
    "fit births.csv 'race ~ age + lwt' -o r.odds",
    "predict l.odds new.csv --interval 0.95",
    "evaluate l.odds new.csv --show metrics",
    "evaluate r.odds births.csv --show metrics",
    "evaluate l.odds new.csv --show classes",
    "evaluate l.odds new.csv --show confusion",
    "evaluate l.odds new.csv --show roc",
    "evaluate l.odds new.csv --show pr",
    "evaluate l.odds new.csv --show reliability",
    "evaluate l.odds new.csv --show groups",
    "evaluate l.odds new.csv --show decision",
    "evaluate l.odds new.csv --show lift",
    "check births.csv --target low",
    "stats gather births.csv --target low -o a.stats",
    "show a.stats",
    "threshold l.odds new.csv --youden",
    "threshold l.odds new.csv --costs yes:no=5 --reject 0.2",
    "calibrate l.odds new.csv -o c.odds",
    "calibrate l.odds --prevalence yes=0.01 --prevalence-rows 100 -o p.odds",
    "calibrate l.odds new.csv --estimate-prevalence -o p.odds",
    "select births.csv --target low --features age,lwt --by aic --model logistic",
    "compare births.csv --target low --models lda,logistic --features age,lwt",
    "compare births.csv --target low --models lda,logistic --features age,lwt --show twins",
    "compare births.csv --target low --models lda,logistic --features age,lwt --show weights",
    "compare births.csv --target low --models lda --features age,lwt --show curve",
    "table births.csv --outcome low --exposure smoke",
    "table births.csv --outcome low --exposure smoke --strata race",
    "table births.csv --outcome low --exposure race",
    "fit births.csv 'low ~ age + race + smoke' --effects smoke",
    "fit infertility.csv 'case ~ spontaneous + induced + strata(stratum)'",
    "fit infertility.csv 'case ~ spontaneous + induced + strata(stratum)' --firth",
    "describe births.csv --by low",
    "confounding births.csv --outcome low --exposure smoke --exclude bwt",
    "confounding births.csv --outcome low --exposure smoke --exclude bwt --design case-control",
    "subgroups births.csv --outcome low --exposure smoke --candidates race,age",
];

/// Information, codes and evidence.
const OF_INFORMATION: [&str; 12] = [
    "info births.csv --target low --exclude bwt --forms",
    "info entropy 0.5 0.5",
    "info entropy --gaussian 0,1",
    "info cross 0.5,0.5 0.9,0.1",
    "info kl 0.5,0.5 0.9,0.1",
    "info mi 3,1 1,3",
    "info capacity 0.9,0.1 0.1,0.9",
    "code tree a=0.5 b=0.5",
    "code flips 1/3,2/3",
    "code labels l.odds births.csv -o l.bits",
    "bayes --model bent=0.8 --model straight=0.5 --counts 8,4",
    "degree births.csv 'bwt ~ lwt' --most 3",
];

/// Tables with their targets, and columns of which a model takes the first that it can.
const TABLES: [(&str, &str, [&str; 4]); 2] = [
    ("births.csv", "low", ["age,lwt,race,smoke,ht,ui", "smoke,ht,ui", "age,lwt", "race"]),
    ("births.csv", "race", ["age,lwt,smoke,ht,ui", "smoke,ht,ui", "age,lwt", "low"]),
];

/// Columns of the tables themselves, which `augment` repeats, and models whose weights stand side by side.
const OWN: [&str; 12] = ["age", "lwt", "race", "smoke", "ptl", "ht", "ui", "ftv", "bwt", "low", "lda", "logistic"];

/// Names of everything that some command reports as a number.
fn reported() -> BTreeMap<String, String> {
    let folder = Folder::new();
    let mut names = BTreeMap::new();
    let mut run = |command: &str| {
        let ran = folder.run(&format!("oddsmith {command} --json -q"));
        if ran.code == Some(0) {
            collect(&serde_json::from_str(&ran.out).unwrap(), command, &mut names);
        }
        ran.code == Some(0)
    };
    for (table, target, choices) in TABLES {
        for model in oddsmith::registry::MODELS {
            let filled = |text: &str, features: &str| {
                let text = text.replace("TABLE", table).replace("TARGET", target).replace("FEATURES", features);
                text.replace("MODEL", model.name)
            };
            let features = choices.iter().find(|features| run(&filled(OF_MODELS[0], features))).unwrap();
            for command in &OF_MODELS[1..] {
                run(&filled(command, features));
            }
        }
    }
    for command in OTHERS.into_iter().chain(OF_INFORMATION) {
        assert!(run(command), "{command} fails");
    }
    names
}

/// Adds the names of numbers: facts, columns, and the metrics and parameters that are named in cells.
fn collect(value: &Value, place: &str, names: &mut BTreeMap<String, String>) {
    match value {
        Value::Array(rows) => {
            for row in rows.iter().filter_map(Value::as_object) {
                let numeric = row.iter().filter(|(_, cell)| cell.is_number()).map(|(name, _)| name.clone());
                let named = ["metric", "parameter"].into_iter().filter_map(|name| Some(row.get(name)?.as_str()?.to_owned()));
                numeric.chain(named).for_each(|name| drop(names.insert(plain(&name), place.to_owned())));
            }
        }
        Value::Object(card) => {
            let facts = card.get("facts").and_then(Value::as_object).into_iter().flatten();
            facts.filter(|(_, fact)| fact.is_number()).for_each(|(name, _)| drop(names.insert(plain(name), place.to_owned())));
            card.values().for_each(|part| collect(part, place, names));
        }
        _ => {}
    }
}

/// A name without spaces and without the class that it is about.
fn plain(name: &str) -> String {
    let name = name.to_lowercase().replace(' ', "_");
    let class = ["_yes", "_no", "_black", "_other", "_white"].into_iter().find(|class| name.ends_with(class));
    class.map_or(name.clone(), |class| name.trim_end_matches(class).to_owned() + "_CLASS")
}

/// The rows of the table: name and tests.
fn listed() -> Vec<(String, Vec<String>)> {
    let page = std::fs::read_to_string(project().join("docs/trust.md")).unwrap();
    let code = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = page.lines().filter(|line| line.starts_with("| `")).map(|line| line.split('|').collect::<Vec<_>>());
    rows.flat_map(|cells| code(cells[1]).into_iter().map(move |name| (name, code(cells[3])))).collect()
}

/// Sources of all tests.
fn sources(folder: &Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() && !entry.ends_with("target") {
            sources(&entry, texts);
        } else if entry.extension().is_some_and(|extension| extension == "rs" || extension == "py") {
            texts.push(std::fs::read_to_string(&entry).unwrap());
        }
    }
}

#[test]
fn every_number_has_an_independent_check() {
    let known: BTreeSet<String> = listed().into_iter().map(|(name, _)| name).collect();
    let missing: Vec<(String, String)> =
        reported().into_iter().filter(|(name, _)| !known.contains(name) && !OWN.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "docs/trust.md does not name: {missing:#?}");
}

#[test]
fn every_check_that_is_named_exists() {
    let mut texts = Vec::new();
    sources(&project().join("crates"), &mut texts);
    sources(&project().join("python/tests"), &mut texts);
    let rows = listed();
    assert!(rows.len() > 100, "{}", rows.len());
    for (name, tests) in rows {
        assert!(!tests.is_empty(), "{name} has no test");
        for test in tests {
            let written = [format!("fn {test}("), format!("def {test}("), format!("    {test}:"), format!("    {test},")];
            let exists = texts.iter().any(|text| written.iter().any(|written| text.contains(written)));
            assert!(exists, "{name}: there is no test {test}");
        }
    }
}
