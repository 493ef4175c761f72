//! Small tables and reference results for integration tests.

#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part")]

use std::path::{Path, PathBuf};

use oddsmith::data::{Classes, CodesView, Feature, Features, Kind, Layout, Levels, MISSING, Rows, SKIP, Source, ViewSource, Weighting};
use oddsmith::num::MatrixView;
use serde_json::Value;

/// A reference result.
pub struct Golden {
    json: Value,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden")
}

impl Golden {
    pub fn load(id: &str) -> Self {
        let text = std::fs::read_to_string(folder().join(format!("{id}.json"))).expect("the reference file is there");
        Golden { json: serde_json::from_str(&text).expect("the reference file is JSON") }
    }

    /// The value at a path such as `results/posterior`.
    pub fn at(&self, path: &str) -> &Value {
        self.json.pointer(&format!("/{path}")).unwrap_or_else(|| panic!("no {path} in the reference"))
    }

    pub fn has(&self, path: &str) -> bool {
        self.json.pointer(&format!("/{path}")).is_some()
    }

    pub fn number(&self, path: &str) -> f64 {
        self.at(path).as_f64().unwrap_or_else(|| panic!("{path} is no number"))
    }

    pub fn texts(&self, path: &str) -> Vec<String> {
        self.at(path).as_array().expect("a list").iter().map(|v| v.as_str().expect("a text").to_owned()).collect()
    }

    pub fn numbers(&self, path: &str) -> Vec<f64> {
        flat(self.at(path))
    }

    pub fn table(&self, path: &str) -> Csv {
        Csv::load(&folder().join(self.at(path).as_str().expect("a path")))
    }
}

/// All numbers of a nested list, in order.
pub fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flat).collect(),
        Value::Number(number) => vec![number.as_f64().expect("a number")],
        other => panic!("not a number: {other}"),
    }
}

/// A plain comma-separated table without quotes inside cells.
pub struct Csv {
    pub names: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Csv {
    pub fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let cells = |line: &str| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect::<Vec<_>>();
        let mut lines = text.lines();
        Csv { names: cells(lines.next().expect("a header")), rows: lines.map(cells).collect() }
    }

    pub fn column(&self, name: &str) -> Vec<&str> {
        let j = self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no column {name}"));
        self.rows.iter().map(|row| row[j].as_str()).collect()
    }
}

/// An encoded table.
pub struct Frame {
    pub layout: Layout,
    pub numbers: Vec<f64>,
    pub codes: Vec<u32>,
    pub labels: Vec<u32>,
    pub weights: Option<Vec<f64>>,
}

impl Frame {
    /// Encodes columns of a table; `NA` is missing. Levels and classes are sorted.
    pub fn new(csv: &Csv, target: &str, columns: &[(&str, Kind)]) -> Self {
        let levels = |name: &str| Levels::sorted(csv.column(name).iter().filter(|v| **v != "NA").map(|v| v.to_string()).collect());
        let classes = levels(target);
        let features = columns.iter().map(|&(name, kind)| match kind {
            Kind::Number => Feature::number(name),
            _ => Feature::category(name, levels(name)),
        });
        let layout = Layout::new(target, features.collect(), Classes::new(classes.names().to_vec()).unwrap(), Weighting::None).unwrap();
        let labels = csv.column(target).iter().map(|v| classes.code(v).unwrap_or(SKIP)).collect();
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        for i in 0..csv.rows.len() {
            for &(name, kind) in columns {
                let cell = csv.column(name)[i];
                match kind {
                    Kind::Number => numbers.push(cell.parse().unwrap_or(f64::NAN)),
                    _ => codes.push(levels(name).code(cell).unwrap_or(MISSING)),
                }
            }
        }
        Frame { layout, numbers, codes, labels, weights: None }
    }

    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    pub fn features(&self) -> Features<'_> {
        let rows = self.rows();
        Features {
            numbers: MatrixView::row_major(&self.numbers, rows, self.layout.numbers().len()).unwrap(),
            codes: CodesView::row_major(&self.codes, rows, self.layout.codes().len()).unwrap(),
            words: &[],
        }
    }

    pub fn source(&self) -> ViewSource<'_> {
        ViewSource::new(&self.layout, self.features(), &self.labels, self.weights.as_deref()).unwrap()
    }
}

/// Cuts another source into single rows, so that a test can see that batches do not matter.
pub struct RowByRow<'a>(pub &'a Frame);

impl Source for RowByRow<'_> {
    fn layout(&self) -> &Layout {
        &self.0.layout
    }

    fn partitions(&self) -> usize {
        self.0.rows()
    }

    fn bytes(&self) -> u64 {
        self.0.rows() as u64
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> oddsmith::Result<()>) -> oddsmith::Result<()> {
        let mut words = Vec::new();
        let features = self.0.features();
        let (lo, hi) = (partition, partition + 1);
        sink(Rows {
            features: features.slice(lo, hi, &mut words),
            labels: &self.0.labels[lo..hi],
            weights: self.0.weights.as_ref().map(|w| &w[lo..hi]),
            first_row: lo as u64,
            keys: oddsmith::data::CodesView::none(hi - lo),
            finite: false,
        })
    }
}

/// Asserts that two numbers agree relative to the larger of 1 and the expected one.
#[track_caller]
pub fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{got} is not {want} within {tolerance}");
}

/// Asserts that two numbers agree relative to the expected one.
#[track_caller]
pub fn same_digits(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * want.abs(), "{got} is not {want} within {tolerance} relative");
}

/// A source beside which so many bytes may be kept: with few, a fit that would hold rows goes over them again.
pub struct Room<'a>(pub ViewSource<'a>, pub u64);

impl Source for Room<'_> {
    fn layout(&self) -> &Layout {
        self.0.layout()
    }

    fn partitions(&self) -> usize {
        self.0.partitions()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn rows(&self) -> Option<u64> {
        self.0.rows()
    }

    fn memory(&self) -> u64 {
        self.1
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> oddsmith::Result<()>) -> oddsmith::Result<()> {
        self.0.scan(partition, sink)
    }
}
