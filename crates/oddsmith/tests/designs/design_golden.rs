//! Designs against R's `model.matrix`: which columns, in which order, under which names, with which values.

use crate::support::{Golden, flat};
use oddsmith::control::Control;
use oddsmith::data::design::{Design, DesignBlock, DesignOptions, DesignSurvey};
use oddsmith::data::formula::Formula;
use oddsmith::data::{Classes, CodesView, Feature, Features, Layout, Levels, ViewSource, Weighting};
use oddsmith::num::MatrixView;
use oddsmith::record::Record;
use oddsmith::train::pass;
use serde_json::Value;

/// The columns of a data frame: numbers column after column, codes likewise.
struct Columns {
    features: Vec<Feature>,
    numbers: Vec<f64>,
    codes: Vec<u32>,
    rows: usize,
}

impl Columns {
    fn new(json: &Value) -> Self {
        let mut columns = Columns { features: Vec::new(), numbers: Vec::new(), codes: Vec::new(), rows: 0 };
        for (name, column) in json.as_object().unwrap() {
            match column.get("levels") {
                Some(levels) => {
                    let levels = levels.as_array().unwrap().iter().map(|level| level.as_str().unwrap().to_owned()).collect();
                    columns.features.push(Feature::category(name, Levels::in_order(levels)));
                    columns.codes.extend(flat(&column["codes"]).iter().map(|code| *code as u32));
                }
                None => {
                    columns.features.push(Feature::number(name));
                    columns.numbers.extend(flat(column));
                    columns.rows = column.as_array().unwrap().len();
                }
            }
        }
        columns
    }

    fn layout(&self) -> Layout {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        Layout::new("y", self.features.clone(), classes, Weighting::None).unwrap()
    }

    fn features(&self) -> Features<'_> {
        Features {
            numbers: MatrixView::column_major(&self.numbers, self.rows, self.numbers.len() / self.rows).unwrap(),
            codes: CodesView::column_major(&self.codes, self.rows, self.codes.len() / self.rows).unwrap(),
            words: &[],
        }
    }
}

fn design(formula: &str, layout: &Layout, features: Features<'_>) -> Design {
    let formula = Formula::parse(formula).unwrap();
    let options = DesignOptions::default();
    let survey = DesignSurvey::new(&formula, layout, &options).unwrap();
    let labels = vec![0; features.rows()];
    let source = ViewSource::new(layout, features, &labels, None).unwrap();
    let survey = survey.is_needed().then(|| pass(&source, &survey, None, &Control::new()).unwrap());
    Design::compile(&formula, layout, &options, survey.as_ref()).unwrap()
}

fn compare(case: &str, design: &Design, features: Features<'_>, expected: &Value) {
    let mut block = DesignBlock::new();
    design.expand(&features, 0, features.rows(), &mut block).unwrap();
    let width = design.columns().len();
    for (i, row) in expected.as_array().unwrap().iter().enumerate() {
        let row = flat(row);
        let row = if design.intercept() { &row[1..] } else { &row[..] };
        assert_eq!(row.len(), width, "{case}");
        for (j, (ours, theirs)) in block.cells[i * width..(i + 1) * width].iter().zip(row).enumerate() {
            let close = (ours - theirs).abs() <= 1e-10 * (1.0 + theirs.abs());
            assert!(close, "{case}, row {i}, `{}`: {ours} instead of {theirs}", design.columns()[j].name);
        }
    }
}

fn check(id: &str) {
    let golden = Golden::load(id);
    let (data, new) = (Columns::new(golden.at("data")), Columns::new(golden.at("new")));
    let layout = data.layout();
    for case in golden.at("cases").as_array().unwrap() {
        let formula = case["formula"].as_str().unwrap();
        let design = design(formula, &layout, data.features());
        let texts = |key: &str| case[key].as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect::<Vec<_>>();
        let mut names = texts("columns");
        let mut assign: Vec<usize> = flat(&case["assign"]).iter().map(|at| *at as usize).collect();
        assert_eq!(design.intercept(), names[0] == "(Intercept)", "{formula}");
        if design.intercept() {
            names.remove(0);
            assign.remove(0);
        }
        assert_eq!(design.columns().iter().map(|c| c.name.clone()).collect::<Vec<_>>(), names, "{formula}");
        assert_eq!(design.columns().iter().map(|c| c.term + 1).collect::<Vec<_>>(), assign, "{formula}");
        assert_eq!(design.terms().iter().map(|t| t.label.clone()).collect::<Vec<_>>(), texts("term_labels"), "{formula}");
        compare(formula, &design, data.features(), &case["X"]);
        compare(formula, &design, new.features(), &case["X_new"]);

        let mut record = Record::new("test", 1, &serde_json::json!({})).unwrap();
        design.write(&mut record, "design").unwrap();
        assert_eq!(Design::read(&record, "design", &layout).unwrap(), design, "{formula}");
    }
}

#[test]
fn codings_are_those_of_r() {
    check("design_coding");
}

#[test]
fn contrasts_are_those_of_r() {
    check("design_contrasts");
}

#[test]
fn bases_are_those_of_r() {
    check("design_bases");
}
