//! Reads golden results (`testdata/golden/*.json`) and the tables beside them, and compares numbers with them.

// Every test binary compiles this file and uses its own part of it.
#![allow(dead_code)]

use serde_json::Value;

/// One golden case: what was computed elsewhere, and the data it was computed from.
pub(crate) struct Golden {
    id: String,
    json: Value,
}

/// A small CSV table without quotes.
pub(crate) struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn read(path: &str) -> String {
    let path = format!("{}/../../testdata/golden/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Number(n) => n.as_f64().unwrap(),
        Value::String(text) if text == "Infinity" => f64::INFINITY,
        Value::String(text) if text == "-Infinity" => f64::NEG_INFINITY,
        other => panic!("{other} is no number"),
    }
}

impl Golden {
    /// The case of an id.
    pub(crate) fn load(id: &str) -> Self {
        let json: Value = serde_json::from_str(&read(&format!("{id}.json"))).unwrap();
        assert_eq!(json["schema"], "oddsmith-golden/1");
        Golden { id: id.into(), json }
    }

    /// The table of a role (`train`, `new`), or the only one.
    pub(crate) fn grid(&self, role: &str) -> Grid {
        let data = &self.json["data"];
        let path = data.as_str().or_else(|| data[role].as_str()).unwrap();
        let text = read(path);
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut lines = text.lines();
        let header = cells(lines.next().unwrap());
        Grid { rows: lines.map(cells).collect(), header }
    }

    /// Texts under `model`.
    pub(crate) fn names(&self, key: &str) -> Vec<String> {
        self.json["model"][key].as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
    }

    /// Numbers under `results`.
    pub(crate) fn numbers(&self, key: &str) -> Vec<f64> {
        self.json["results"][key].as_array().unwrap_or_else(|| panic!("{} has no `{key}`", self.id)).iter().map(number).collect()
    }

    /// A matrix under `results`, row by row.
    pub(crate) fn matrix(&self, key: &str) -> Vec<Vec<f64>> {
        rows(&self.json["results"][key])
    }

    /// A list of matrices under `results`.
    pub(crate) fn matrices(&self, key: &str) -> Vec<Vec<Vec<f64>>> {
        self.json["results"][key].as_array().unwrap().iter().map(rows).collect()
    }
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(|row| row.as_array().unwrap().iter().map(number).collect()).collect()
}

impl Grid {
    fn column(&self, name: &str) -> usize {
        self.header.iter().position(|h| h == name).unwrap_or_else(|| panic!("no column {name}"))
    }

    /// Number columns, row after row; `NA` is NaN.
    pub(crate) fn row_major(&self, names: &[String]) -> Vec<f64> {
        let columns: Vec<usize> = names.iter().map(|name| self.column(name)).collect();
        let cell = |text: &String| if text == "NA" { f64::NAN } else { text.parse().unwrap() };
        self.rows.iter().flat_map(|row| columns.iter().map(|&j| cell(&row[j])).collect::<Vec<f64>>()).collect()
    }

    /// Codes of a label column in the order of `labels`.
    pub(crate) fn codes(&self, name: &str, labels: &[String]) -> Vec<u32> {
        let j = self.column(name);
        self.rows.iter().map(|row| labels.iter().position(|label| *label == row[j]).unwrap() as u32).collect()
    }
}

/// Fails when two numbers differ by more than `tolerance`, relative to the larger of `floor` and the expected size.
pub(crate) fn assert_near(what: &str, actual: f64, expected: f64, tolerance: f64, floor: f64) {
    let bound = tolerance * expected.abs().max(floor);
    assert!((actual - expected).abs() <= bound, "{what}: {actual:e} instead of {expected:e}, off by {:e}", (actual - expected).abs());
}
