//! Designs where data have gaps and where formulas, data or files are wrong.

use oddsmith::data::design::{
    Contrast, Design, DesignBlock, DesignOptions, DesignSurvey, Gap, MissingPolicy, ResponseBlock, ResponseReader,
};
use oddsmith::data::formula::Formula;
use oddsmith::data::{
    Classes, CodesView, Csr, Feature, Features, Layout, Levels, MISSING, Rows, SKIP, UNSEEN, Vocabulary, Weighting, WordValue,
};
use oddsmith::num::MatrixView;
use oddsmith::record::{Array, Record};
use oddsmith::stats::Statistics;
use oddsmith::{ErrorKind, Result};

const NAN: f64 = f64::NAN;

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| s.to_string()).collect()
}

/// age, dose; race (black, white), note.
fn layout() -> Layout {
    let features = vec![
        Feature::number("age"),
        Feature::category("race", Levels::in_order(texts(&["black", "white"]))),
        Feature::number("dose"),
        Feature::words("note", Vocabulary::Listed(texts(&["fever", "cough"])), WordValue::Count),
        Feature::category("empty", Levels::in_order(Vec::new())),
        Feature::category("single", Levels::in_order(texts(&["one"]))),
    ];
    Layout::new("low", features, Classes::new(texts(&["no", "yes"])).unwrap(), Weighting::None).unwrap()
}

/// A table with the columns of the layout; `note` is present where `present` says so.
struct Table {
    numbers: Vec<f64>,
    codes: Vec<u32>,
    present: Vec<bool>,
}

impl Table {
    fn new(rows: &[(f64, f64, u32)]) -> Self {
        Table {
            numbers: rows.iter().flat_map(|(age, dose, _)| [*age, *dose]).collect(),
            codes: rows.iter().flat_map(|(_, _, race)| [*race, MISSING, 0]).collect(),
            present: vec![true; rows.len()],
        }
    }

    fn with<T>(&self, act: impl FnOnce(&Features<'_>) -> T) -> T {
        let rows = self.present.len();
        let starts = vec![0; rows + 1];
        let words = [Csr { starts: &starts, columns: &[], values: &[], width: 2, present: Some(&self.present) }];
        let features = Features {
            numbers: MatrixView::row_major(&self.numbers, rows, 2).unwrap(),
            codes: CodesView::row_major(&self.codes, rows, 3).unwrap(),
            words: &words,
        };
        features.check(&layout()).unwrap();
        act(&features)
    }

    fn survey(&self, formula: &str, options: &DesignOptions) -> Result<DesignSurvey> {
        let mut survey = DesignSurvey::new(&Formula::parse(formula)?, &layout(), options)?;
        let labels = vec![0; self.present.len()];
        self.with(|features| survey.observe(Rows::new(*features, &labels, None, 0)))?;
        Ok(survey)
    }

    fn design(&self, formula: &str, options: &DesignOptions) -> Result<Design> {
        Design::compile(&Formula::parse(formula)?, &layout(), options, Some(&self.survey(formula, options)?))
    }

    fn expand(&self, design: &Design) -> Result<DesignBlock> {
        let mut block = DesignBlock::new();
        block.first_row = 100;
        self.with(|features| design.expand(features, 0, features.rows(), &mut block))?;
        Ok(block)
    }
}

fn policy(missing: MissingPolicy) -> DesignOptions {
    DesignOptions { missing, ..DesignOptions::default() }
}

fn names(design: &Design) -> Vec<&str> {
    design.columns().iter().map(|column| column.name.as_str()).collect()
}

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("nothing was wrong"),
        Err(error) => error.to_string(),
    }
}

const GAPPED: [(f64, f64, u32); 4] = [(20.0, 1.0, 0), (NAN, 2.0, 1), (40.0, NAN, MISSING), (60.0, 4.0, UNSEEN)];

#[test]
fn the_mean_stands_in_for_missing_numbers() {
    let table = Table::new(&GAPPED);
    let options = policy(MissingPolicy::Mean);
    let design = table.design("low ~ age + log(dose) + race", &options).unwrap();
    assert_eq!(names(&design), ["age", "log(dose)", "racewhite"]);
    let block = table.expand(&design).unwrap();
    assert_eq!(block.gaps, [Gap::None, Gap::None, Gap::Missing(1), Gap::Unseen(1)]);
    assert_eq!(block.cells[..6], [20.0, 0.0, 0.0, 40.0, 2f64.ln(), 1.0]);
    // Also where only the new rows have gaps.
    let whole = Table::new(&[(10.0, 1.0, 0), (20.0, 3.0, 1)]);
    let design = whole.design("low ~ age", &options).unwrap();
    assert_eq!(table.expand(&design).unwrap().cells, [20.0, 15.0, 40.0, 60.0]);
    assert_eq!(design.plain_numbers(), None);
}

#[test]
fn an_indicator_tells_what_was_missing() {
    let table = Table::new(&GAPPED);
    let options = policy(MissingPolicy::Indicator);
    let design = table.design("low ~ age + race + age:dose", &options).unwrap();
    assert_eq!(names(&design), ["age", "racewhite", "race(missing)", "age:dose", "missing(age)", "missing(dose)"]);
    let labels: Vec<&str> = design.terms().iter().map(|term| term.label.as_str()).collect();
    assert_eq!(labels, ["age", "race", "age:dose", "missing(age)", "missing(dose)"]);
    assert_eq!(design.terms()[3].features, [0]);
    assert!(!design.is_marginal(3) && design.is_marginal(0));
    let block = table.expand(&design).unwrap();
    assert_eq!(block.gaps, [Gap::None, Gap::None, Gap::None, Gap::Unseen(1)]);
    let dose = 7.0 / 3.0;
    let expected = [[20.0, 0.0, 0.0, 20.0, 0.0, 0.0], [40.0, 1.0, 0.0, 80.0, 1.0, 0.0], [40.0, 0.0, 1.0, 40.0 * dose, 0.0, 1.0], [0.0; 6]];
    for (ours, theirs) in block.cells.iter().zip(expected.as_flattened()) {
        assert!((ours - theirs).abs() < 1e-12, "{:?}", block.cells);
    }
    // No column is made for gaps that the surveyed data do not have; such a row is left out.
    let whole = Table::new(&[(10.0, 1.0, 0), (20.0, 3.0, 1)]);
    let design = whole.design("low ~ age + race", &options).unwrap();
    assert_eq!(names(&design), ["age", "racewhite"]);
    assert_eq!(table.expand(&design).unwrap().gaps, [Gap::None, Gap::Missing(0), Gap::Missing(1), Gap::Unseen(1)]);
}

#[test]
fn a_missing_value_can_be_an_error() {
    let options = policy(MissingPolicy::Error);
    let table = Table::new(&GAPPED);
    let refused = |formula: &str| message(table.expand(&table.design(formula, &options).unwrap()));
    assert!(refused("low ~ age").starts_with("column `age`, row 102: the value is missing; "));
    assert!(refused("low ~ race").starts_with("column `race`, row 103: the value is missing; "));
    let unseen = Table::new(&GAPPED[3..]);
    assert_eq!(unseen.expand(&table.design("low ~ race", &options).unwrap()).unwrap().gaps, [Gap::Unseen(1)]);
}

#[test]
fn texts_follow_the_dense_columns_and_may_be_missing() {
    let mut table = Table::new(&GAPPED[..2]);
    let design = table.design("low ~ note + dose", &DesignOptions::default()).unwrap();
    assert_eq!((names(&design), design.words()), (vec!["dose"], &[0][..]));
    table.present[1] = false;
    assert_eq!(table.expand(&design).unwrap().gaps, [Gap::None, Gap::Missing(3)]);
    let crossed = message(table.design("low ~ age:note", &DesignOptions::default()));
    assert!(crossed.starts_with("the text column `note` cannot be part of an interaction; text columns are added with `+`"), "{crossed}");
    assert!(crossed.ends_with("  low ~ age:note\n            ^^^^"), "{crossed}");
}

#[test]
fn categories_of_no_and_of_one_level_have_no_column() {
    let table = Table::new(&GAPPED[..1]);
    for contrast in Contrast::ALL {
        let options = DesignOptions { contrast, ..DesignOptions::default() };
        let design = table.design("low ~ age + empty*race + single + single:age - 1", &options).unwrap();
        assert_eq!(design.terms()[1].columns.len(), 0);
        assert_eq!(table.expand(&design).unwrap().gaps, [Gap::Missing(4)]);
        let design = table.design("low ~ single + single:age", &options).unwrap();
        assert_eq!(design.terms()[0].columns, 0..0);
        assert_eq!(table.expand(&design).unwrap().gaps, [Gap::None]);
    }
}

#[test]
fn what_is_wrong_in_the_data_is_named() {
    let options = DesignOptions::default();
    for (formula, row, expected) in [
        ("low ~ age", (f64::INFINITY, 1.0, 0), "column `age`, row 102: the value is not finite: `inf`; "),
        ("low ~ age + dose:age", (1.0, f64::NEG_INFINITY, 0), "column `dose`, row 102: the value is not finite: `-inf`; "),
        ("low ~ log(dose)", (1.0, 0.0, 0), "column `dose`, row 102: `log(dose)` has no finite value for `0`; "),
        ("low ~ race + offset(sqrt(dose - 5))", (1.0, 4.5, 0), "column `dose`, row 102: `sqrt(dose - 5)` has no finite value for `4.5`; "),
        ("low ~ exp(age)", (800.0, 3.0, 0), "column `age`, row 102: `exp(age)` has no finite value for `800`; "),
        ("low ~ I(1/(age - dose))", (3.0, 3.0, 0), "column `age`, row 102: `1/(age - dose)` has no finite value for `3`; "),
        ("low ~ poly(dose, 2, raw = true)", (3.0, 1e200, 0), "column `dose`, row 102: `poly(dose, 2, raw = true)` has no finite value for"),
    ] {
        let design = Table::new(&[(1.0, 10.0, 0), (2.0, 11.0, 1)]).design(formula, &options).unwrap();
        let error = message(Table::new(&[(1.0, 10.0, 0), row]).expand(&design));
        assert!(error.starts_with(expected), "{error}");
    }
    // A row that does not count, or is left out anyway, may hold anything.
    let design = Table::new(&[(1.0, 10.0, 0)]).design("low ~ log(dose) + age", &policy(MissingPolicy::Error)).unwrap();
    let junk = Table::new(&[(f64::INFINITY, 1.0, 0), (1.0, -1.0, 0), (NAN, 1.0, 0), (5.0, 1.0, 0)]);
    let mut block = DesignBlock::new();
    block.uncounted = vec![true, true, true, false];
    junk.with(|features| design.expand(features, 0, 4, &mut block)).unwrap();
    assert_eq!(block.gaps, [Gap::Missing(0), Gap::Missing(2), Gap::Missing(0), Gap::None]);
    assert_eq!(block.cells, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0]);
    let design = Table::new(&[(1.0, 10.0, 0)]).design("low ~ log(dose) + age", &options).unwrap();
    assert_eq!(Table::new(&[(NAN, -1.0, 0)]).expand(&design).unwrap().gaps, [Gap::Missing(0)]);
    let survey = message(Table::new(&[(1.0, -1.0, 0)]).survey("low ~ poly(log(dose), 1)", &options));
    assert!(survey.starts_with("column `dose`, row 1: `log(dose)` has no finite value for `-1`"), "{survey}");
}

#[test]
fn what_is_wrong_in_the_formula_is_shown() {
    let table = Table::new(&[(1.0, 10.0, 0), (1.0, 11.0, 1), (1.0, 12.0, 1)]);
    for (formula, expected) in [
        ("low ~ agee + race", "there is no column `agee`; did you mean `age`?\n  low ~ agee + race\n        ^^^^"),
        ("low ~ log(race)", "arithmetic takes numbers, and `race` holds categories; a number column\n  low ~ log(race)\n            ^^^^"),
        ("low ~ C(age)", "C() takes a category, and `age` holds numbers; read the column as a category\n  low ~ C(age)\n          ^^^"),
        (
            "low ~ C(race, ref=brown)",
            "there is no level of `race` called `brown`; there are: black, white\n  low ~ C(race, ref=brown)\n                    ^^^^^",
        ),
        ("low ~ C(race, ref=white, contrast=poly)", "polynomial contrasts have no reference level"),
        ("low ~ poly(dose, 3)", "needs more than 3 different values, and there are 3"),
        ("low ~ bs(age, df = 4)", "`bs(age, df = 4)` cannot be computed: a spline needs at least two different values"),
        ("low ~ bs(dose, knots = 20)", "between the extremes of the data, 10 and 12"),
        ("low ~ rbf(dose, centers = 11)", "a single centre needs a width"),
        ("low ~ ns(note, df = 2)", "arithmetic takes numbers, and `note` holds texts"),
        ("low ~ offset(race)", "arithmetic takes numbers"),
    ] {
        let error = table.design(formula, &DesignOptions::default()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Formula { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    let reference = |column: &str, level: &str| {
        let options = DesignOptions { references: vec![(column.into(), level.into())], ..DesignOptions::default() };
        message(table.design("low ~ race", &options))
    };
    assert_eq!(reference("race", "brown"), "there is no level `brown`; there are: black, white");
    assert!(reference("rice", "white").starts_with("there is no column `rice`; did you mean `race`?"));
    assert!(reference("age", "3").contains("reference levels belong to categories"));
    assert_eq!("indicator".parse::<MissingPolicy>().unwrap(), MissingPolicy::Indicator);
    assert!(message("indicater".parse::<MissingPolicy>()).ends_with("did you mean `indicator`?"));
}

#[test]
fn a_design_that_depends_on_data_needs_their_survey() {
    let formula = Formula::parse("low ~ poly(age, 2)").unwrap();
    let options = DesignOptions::default();
    let nothing_seen = DesignSurvey::new(&formula, &layout(), &options).unwrap();
    assert!(nothing_seen.is_needed());
    for survey in [None, Some(&nothing_seen)] {
        assert!(Design::compile(&formula, &layout(), &options, survey).is_err());
    }
    let plain = Formula::parse("low ~ race*age + poly(dose, 2, raw=true) + rbf(age, centers = c(1, 2)) + offset(log(dose))").unwrap();
    assert!(!DesignSurvey::new(&plain, &layout(), &options).unwrap().is_needed());
    assert!(Design::compile(&plain, &layout(), &options, None).is_ok());
    assert!(
        message(Design::compile(&formula, &layout(), &options, Some(&DesignSurvey::new(&plain, &layout(), &options).unwrap())))
            .contains("another design")
    );
}

#[test]
fn rows_that_do_not_count_are_not_surveyed() {
    let formula = Formula::parse("low ~ bs(dose, df = 3)").unwrap();
    let table = Table::new(&[(0.0, -50.0, 0), (0.0, 1.0, 0), (0.0, 3.0, 0), (0.0, 90.0, 0)]);
    let mut survey = DesignSurvey::new(&formula, &layout(), &DesignOptions::default()).unwrap();
    table.with(|features| survey.observe(Rows::new(*features, &[SKIP, 0, 1, 0], Some(&[1.0, 1.0, 1.0, 0.0]), 0))).unwrap();
    let design = Design::compile(&formula, &layout(), &DesignOptions::default(), Some(&survey)).unwrap();
    let ends = Table::new(&[(0.0, 1.0, 0), (0.0, 3.0, 0)]);
    assert_eq!(ends.expand(&design).unwrap().cells, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn centres_are_placed_where_the_data_are() {
    let xor = Table::new(&[(0.0, 0.0, 0), (0.0, 1.0, 0), (1.0, 0.0, 0), (1.0, 1.0, 0), (1.0, 1.0, 0)]);
    let design = xor.design("low ~ rbf(age, dose, k = 4, width = 0.1)", &DesignOptions::default()).unwrap();
    let block = xor.expand(&design).unwrap();
    for (i, row) in block.cells.chunks(4).enumerate() {
        assert!(row.iter().filter(|x| **x == 1.0).count() == 1 && row.iter().sum::<f64>() < 1.0 + 1e-9, "row {i}: {row:?}");
    }
    // Fewer different points than centres: every point once.
    let design = xor.design("low ~ rbf(age, k = 7)", &DesignOptions::default()).unwrap();
    assert_eq!(names(&design), ["rbf(age, k = 7)1", "rbf(age, k = 7)2"]);
}

#[test]
fn successes_and_trials_are_read() {
    let read = |formula: &str, rows: &[(f64, f64, u32)]| {
        let reader = ResponseReader::compile(&Formula::parse(formula)?, &layout())?.unwrap();
        let mut block = ResponseBlock::new();
        block.first_row = 10;
        Table::new(rows).with(|features| reader.read(features, 0, features.rows(), &mut block))?;
        Ok::<_, oddsmith::Error>((block.successes.clone(), block.trials.clone(), block.gaps().to_vec()))
    };
    let rows = [(3.0, 10.0, 0), (0.0, 4.0, 0), (1.0, NAN, 0)];
    let (successes, trials, gaps) = read("age/dose ~ race", &rows).unwrap();
    assert_eq!((&successes[..], &trials[..]), (&[3.0, 0.0, 0.0][..], &[10.0, 4.0, 0.0][..]));
    assert_eq!(gaps, [Gap::None, Gap::None, Gap::Missing(2)]);
    assert_eq!(read("cbind(age, dose) ~ race", &rows).unwrap().1, [13.0, 4.0, 0.0]);
    assert_eq!(read("cbind(age, 20 - age) ~ race", &rows).unwrap().1, [20.0, 20.0, 20.0]);
    for (formula, row, expected) in [
        ("cbind(age, 2 - age) ~ race", (3.0, 0.0, 0), "column `2 - age`, row 11: a count cannot be `-1`; counts are numbers from 0 up"),
        ("age/dose ~ race", (-3.0, 1.0, 0), "column `age`, row 11: a count cannot be `-3`; "),
        ("age/dose ~ race", (3.0, 1.0, 0), "column `age`, row 11: there are more successes than the 1 trials of `dose`: `3`; "),
        ("age/dose ~ race", (f64::INFINITY, 1.0, 0), "column `age`, row 11: the value is not finite: `inf`"),
        ("cbind(age, race) ~ dose", (1.0, 1.0, 0), "arithmetic takes numbers, and `race` holds categories"),
    ] {
        assert!(message(read(formula, &[row])).starts_with(expected), "{}", message(read(formula, &[row])));
    }
    assert!(ResponseReader::compile(&Formula::parse("low ~ age").unwrap(), &layout()).unwrap().is_none());
    // The columns of the counts are not among those of `.`.
    let dotted = Formula::parse("cbind(age, dose) ~ . - note - empty").unwrap();
    let design = Design::compile(&dotted, &layout(), &DesignOptions::default(), None).unwrap();
    assert_eq!(names(&design), ["racewhite"]);
}

#[test]
fn a_damaged_record_is_refused() {
    let table = Table::new(&[(1.0, NAN, 0), (2.0, 11.0, 1), (4.0, 13.0, 1), (NAN, 17.0, MISSING)]);
    let design = table.design("low ~ poly(age, 2) + ns(dose, df = 2) + race", &policy(MissingPolicy::Indicator)).unwrap();
    let whole = || {
        let mut record = Record::new("test", 1, &serde_json::json!({})).unwrap();
        design.write(&mut record, "d").unwrap();
        record
    };
    assert_eq!(Design::read(&whole(), "d", &layout()).unwrap(), design);
    type Damage = fn(&mut Record);
    let damage: [(&str, Damage); 18] = [
        ("has no `d`", |r| r.head = serde_json::json!({})),
        ("unknown variant `gone`", |r| r.head["d"]["missing"] = "gone".into()),
        ("unknown field `extra`", |r| r.head["d"]["extra"] = 1.into()),
        ("there is no column `rice`", |r| r.head["d"]["references"] = serde_json::json!([["rice", "white"]])),
        ("`d.formula` is missing", |r| drop(r.arrays.remove("d.formula"))),
        ("is not UTF-8", |r| r.put_bytes("d.formula", vec![0xff])),
        ("ends too early", |r| r.put_bytes("d.formula", b"low ~ poly(age".to_vec())),
        ("not in its plain form", |r| r.put_bytes("d.formula", b"low ~ .".to_vec())),
        ("not in its plain form", |r| r.put_bytes("d.formula", b"low~age".to_vec())),
        ("does not fit the columns", |r| r.put_bytes("d.formula", b"low ~ poly(age, 2) + dose + race".to_vec())),
        ("does not fit the columns", |r| r.put_texts("d.means.columns", ["age", "race"])),
        ("does not fit the columns", |r| r.put_texts("d.gaps", ["age", "note"])),
        ("names a column or variable twice", |r| r.put_texts("d.gaps", ["age", "age"])),
        ("has 1 numbers where 2 belong", |r| r.put("d.means", &[1.0])),
        ("has 2 variables and 1 lengths", |r| r.put_counts("d.bases.lengths", &[1])),
        ("is too long", |r| r.put_counts("d.bases.lengths", &[u64::MAX, 1])),
        ("the number of coefficients is wrong", |r| r.put_counts("d.bases.lengths", &[6, 4])),
        ("holds a number that is not finite", |r| match r.arrays.get_mut("d.bases") {
            Some(Array::Numbers(numbers)) => numbers[0] = f64::INFINITY,
            _ => panic!("there are no numbers"),
        }),
    ];
    for (expected, damage) in damage {
        let mut record = whole();
        damage(&mut record);
        let error = Design::read(&record, "d", &layout()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Format { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error} instead of {expected}");
    }
    let mut unordered = whole();
    let parameters = unordered.numbers("d.bases", 10).unwrap();
    for (at, value) in [(1, 0.0), (4, -1.0), (7, 99.0), (9, 99.0)] {
        let mut wrong = parameters.clone();
        wrong[at] = value;
        unordered.put("d.bases", &wrong);
        let error = Design::read(&unordered, "d", &layout()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Format { .. }), "{error}");
    }
}
