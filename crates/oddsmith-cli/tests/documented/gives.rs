//! What README says that every model gives is what the command finds.

use serde_json::Value;

use crate::folder::{Folder, project};

/// A row of the table of models: the cells behind the name.
struct Row {
    name: String,
    cells: Vec<String>,
}

/// The table whose head begins with `model`.
fn table(text: &str) -> (Vec<String>, Vec<Row>) {
    let split = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("| model |"));
    let head = split(lines.next().unwrap());
    let rows = lines.skip(1).take_while(|line| line.starts_with('|')).map(split).map(|mut cells| {
        let linked = cells.remove(0);
        Row { name: linked.split('`').nth(1).unwrap().to_owned(), cells }
    });
    (head, rows.collect())
}

/// Columns of `births.csv` of which a model takes the first that it accepts.
const FEATURES: [&str; 4] = ["age,lwt,race,smoke,ht,ui", "smoke,ht,ui", "age,lwt", "race"];

#[test]
fn the_table_of_models_tells_what_each_gives() {
    let folder = Folder::new();
    let (head, rows) = table(&std::fs::read_to_string(project().join("README.md")).unwrap());
    let listed: Value = serde_json::from_str(&folder.run("oddsmith models --json").out).unwrap();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|model| model["name"].as_str().unwrap()).collect();
    assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), names);
    for (row, entry) in rows.iter().zip(listed.as_array().unwrap()) {
        let cell = |column: &str| row.cells[head.iter().position(|name| name == column).unwrap() - 1].as_str();
        let fit = |features: &&&str| {
            let line = format!("oddsmith fit births.csv --target low --model {} --features {features} -o m.odds", row.name);
            folder.run(&line).code == Some(0)
        };
        assert!(FEATURES.iter().any(|features| fit(&features)), "{}", row.name);
        let works = |line: &str| folder.run(line).code == Some(0);
        let said = |column: &str| cell(column) == "yes";
        let head_of_scores = folder.run("oddsmith predict m.odds births.csv --format csv").out;
        assert_eq!(said("probabilities"), head_of_scores.lines().next().unwrap().contains("p_yes"), "{}: probabilities", row.name);
        assert_eq!(said("explain"), works("oddsmith explain m.odds births.csv --row 3"), "{}: explain", row.name);
        assert_eq!(said("inference"), works("oddsmith show m.odds --augment births.csv"), "{}: inference", row.name);
        assert_eq!(said("merges"), entry["one_pass"].as_bool().unwrap(), "{}: merges", row.name);
    }
}
