//! Every model of the registry under every command, in every format, on tables of two and of three classes.

use serde_json::Value;

use crate::folder::Folder;
use crate::{terminal, well_formed};

/// A table: its file, its target, and the columns that a model may take, the first that it accepts.
const TABLES: [(&str, &str, [&str; 4]); 2] = [
    ("births.csv", "low", ["age,lwt,race,smoke,ht,ui", "smoke,ht,ui", "age,lwt", "race"]),
    ("births.csv", "race", ["age,lwt,smoke,ht,ui", "smoke,ht,ui", "age,lwt", "low"]),
];

/// Exit codes by which a model may refuse what it cannot do: usage, data, no estimate.
const REFUSALS: [i32; 3] = [2, 3, 5];

/// Names of all models.
fn models(folder: &Folder) -> Vec<String> {
    let listed: Value = serde_json::from_str(&folder.run("oddsmith models --json").out).unwrap();
    let names = listed.as_array().unwrap().iter().map(|model| model["name"].as_str().unwrap().to_owned());
    names.collect()
}

/// The commands that follow a fit.
fn commands(table: &str, target: &str, model: &str, features: &str) -> Vec<String> {
    vec![
        format!("oddsmith fit {table} --target {target} --model {model} --features {features} -o m.odds"),
        "oddsmith show m.odds".into(),
        "oddsmith show m.odds --weights".into(),
        "oddsmith show m.odds --tidy".into(),
        "oddsmith show m.odds --glance".into(),
        "oddsmith show m.odds --tests".into(),
        format!("oddsmith show m.odds --augment {table}"),
        format!("oddsmith predict m.odds {table}"),
        format!("oddsmith evaluate m.odds {table}"),
        format!("oddsmith explain m.odds {table} --row 3"),
        format!("oddsmith compare {table} --target {target} --models {model} --features {features} --folds 3"),
        "oddsmith sample m.odds -n 5 --seed 1".into(),
    ]
}

/// Runs every command of every model in a format; what is refused must be refused in words.
fn run(format: &str, at: usize) {
    let folder = Folder::new();
    let (table, target, choices) = TABLES[at];
    let models = models(&folder);
    assert!(models.len() >= 10, "{models:?}");
    for model in &models {
        let fits = |features: &&&str| {
            let fit = format!("oddsmith fit {table} --target {target} --model {model} --features {features} -o m.odds");
            folder.run(&fit).code == Some(0)
        };
        let features = choices.iter().find(fits).unwrap_or_else(|| panic!("{model} fits no columns of {table}"));
        let mut answered = 0;
        for command in commands(table, target, model, features) {
            let ran = folder.run(&format!("{command} --format {format}"));
            let told = format!("{command} --format {format}: exit {:?}\n{}{}", ran.code, ran.out, ran.err);
            assert!(!told.contains("internal error") && !told.contains("panicked"), "{told}");
            if ran.code == Some(0) {
                answered += 1;
                assert!(well_formed::fault(format, &ran.out).is_none(), "{:?}\n{told}", well_formed::fault(format, &ran.out));
            } else {
                assert!(ran.code.is_some_and(|code| REFUSALS.contains(&code)) && ran.err.contains("error"), "{told}");
            }
        }
        assert!(answered >= 7, "{model} answers {answered} commands only");
    }
}

/// The same at a terminal of eighty columns.
fn run_at_terminal(at: usize) {
    let folder = Folder::new();
    let (table, target, choices) = TABLES[at];
    for model in models(&folder) {
        for command in choices.iter().flat_map(|features| commands(table, target, &model, features)) {
            let (code, shown) = terminal::run(folder.shell(&command));
            let told = format!("{command}: exit {code:?}\n{}", shown.join("\n"));
            assert!(!told.contains("internal error") && !told.contains("panicked"), "{told}");
            let wide = shown.iter().find(|text| text.chars().count() > usize::from(terminal::COLUMNS));
            assert!(wide.is_none(), "{told}\ntoo wide: {wide:?}");
        }
    }
}

/// Names that mean something in some format: separators, markup, letters beyond ASCII, a line end.
const HOSTILE: &str = "\"cla|ss_\",<b>x</b>,\"100% & {\\y}\",größe χ²,\"two\nlines\"\n";

#[test]
fn names_of_columns_and_classes_break_no_format() {
    let folder = Folder::new();
    let classes = ["a|b_$", "<i>", "年 & 50%"];
    let row = |i: usize| format!("{},{},{},{},l{}\n", classes[i % 3], i * 7 % 11, (i * 5 + i % 3) % 13, i % 17, i % 2);
    folder.write("hostile.csv", &(0..60).map(row).fold(HOSTILE.to_owned(), |all, row| all + &row));
    for format in oddsmith_report::Format::ALL.into_iter().filter(|format| format.is_text()) {
        for model in ["nb", "logistic --l2 1"] {
            let fit = format!("oddsmith fit hostile.csv --target 'cla|ss_' --model {model} -o m.odds");
            let others = ["show m.odds", "evaluate m.odds hostile.csv", "predict m.odds hostile.csv", "explain m.odds hostile.csv --row 3"];
            for command in std::iter::once(fit).chain(others.map(|command| format!("oddsmith {command}"))) {
                let ran = folder.run(&format!("{command} --format {format}"));
                assert_eq!(ran.code, Some(0), "{command}\n{}{}", ran.out, ran.err);
                assert!(
                    well_formed::fault(format.name(), &ran.out).is_none(),
                    "{:?}\n{}",
                    well_formed::fault(format.name(), &ran.out),
                    ran.out
                );
            }
        }
    }
}

macro_rules! in_every_format {
    ($($name:ident: $format:literal),*) => {
        mod two_classes_in {
            $(#[test]
            fn $name() {
                super::run($format, 0);
            })*
            #[test]
            fn a_terminal_of_eighty_columns() {
                super::run_at_terminal(0);
            }
        }
        mod three_classes_in {
            $(#[test]
            fn $name() {
                super::run($format, 1);
            })*
            #[test]
            fn a_terminal_of_eighty_columns() {
                super::run_at_terminal(1);
            }
        }
    };
}

in_every_format!(tables: "table", csv: "csv", json: "json", lines_of_json: "ndjson", markdown: "md", html: "html", latex: "latex");
