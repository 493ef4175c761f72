use super::*;
use crate::data::formula::Formula;
use crate::data::{Classes, CodesView, Feature, Features, Layout, Levels, MISSING, UNSEEN, Weighting};
use crate::num::MatrixView;

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| s.to_string()).collect()
}

/// age, weight; race (black, other, white), smoke.
fn layout() -> Layout {
    let features = vec![
        Feature::number("age"),
        Feature::category("race", Levels::in_order(texts(&["black", "other", "white"]))),
        Feature::boolean("smoke"),
        Feature::number("lwt"),
    ];
    Layout::new("low", features, Classes::new(texts(&["no", "yes"])).unwrap(), Weighting::None).unwrap()
}

const NUMBERS: [f64; 8] = [20.0, 100.0, 30.0, 120.0, 25.0, 90.0, 40.0, 150.0];
const CODES: [u32; 8] = [0, 0, 1, 1, 2, 0, 2, 1];

fn design(formula: &str) -> Design {
    Design::compile(&Formula::parse(formula).unwrap(), &layout(), &DesignOptions::default(), None).unwrap()
}

fn expanded(design: &Design, numbers: &[f64], codes: &[u32]) -> DesignBlock {
    let rows = numbers.len() / 2;
    let features = Features {
        numbers: MatrixView::row_major(numbers, rows, 2).unwrap(),
        codes: CodesView::row_major(codes, rows, 2).unwrap(),
        words: &[],
    };
    let mut block = DesignBlock::new();
    design.expand(&features, 0, rows, &mut block).unwrap();
    block
}

fn names(design: &Design) -> Vec<&str> {
    design.columns().iter().map(|c| c.name.as_str()).collect()
}

#[test]
fn numbers_and_treatment_contrasts() {
    let design = design("low ~ age + race + smoke");
    assert_eq!(names(&design), ["age", "raceother", "racewhite", "smoketrue"]);
    assert_eq!(design.terms()[1].reference, [("race".to_owned(), "black".to_owned())]);
    assert_eq!(design.terms()[1].columns, 1..3);
    let block = expanded(&design, &NUMBERS, &CODES);
    let expected = [20.0, 0.0, 0.0, 0.0, 30.0, 1.0, 0.0, 1.0, 25.0, 0.0, 1.0, 0.0, 40.0, 0.0, 1.0, 1.0];
    assert_eq!(block.cells, expected);
    assert!(!block.has_gaps && block.offset == [0.0; 4]);
}

#[test]
fn interactions_vary_the_first_variable_fastest() {
    let design = design("low ~ race*smoke + smoke:age + offset(lwt/10)");
    assert_eq!(
        names(&design),
        ["raceother", "racewhite", "smoketrue", "raceother:smoketrue", "racewhite:smoketrue", "smokefalse:age", "smoketrue:age"]
    );
    let block = expanded(&design, &NUMBERS, &CODES);
    assert_eq!(block.cells[14 + 5..14 + 7], [25.0, 0.0]);
    assert_eq!(block.cells[21..28], [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 40.0]);
    assert_eq!(block.offset, [10.0, 12.0, 9.0, 15.0]);
    assert!(design.is_marginal(0) && !design.is_marginal(2));
    assert_eq!(design.columns_without(1), [0, 1]);
    assert_eq!(design.columns_before(2), [0, 1, 2]);
}

#[test]
fn offsets_have_one_part_or_one_for_each_class() {
    let block = expanded(&design("low ~ smoke + offset(age, lwt) + offset(1)"), &NUMBERS, &CODES);
    assert_eq!(block.offset, [81.0, 91.0, 66.0, 111.0]);
    let formula = Formula::parse("low ~ age + offset(age, lwt, 0)").unwrap();
    let error = Design::compile(&formula, &layout(), &DesignOptions::default(), None).unwrap_err();
    assert!(error.to_string().contains("one part for each of the 2 classes"), "{error}");

    let classes = Classes::new(texts(&["no", "some", "yes"])).unwrap();
    let layout = Layout::new("low", vec![Feature::number("age"), Feature::number("lwt")], classes, Weighting::None).unwrap();
    let design = Design::compile(&formula, &layout, &DesignOptions::default(), None).unwrap();
    let numbers = [20.0, 100.0, f64::NAN, 120.0];
    let features = Features::of_numbers(MatrixView::row_major(&numbers, 2, 2).unwrap());
    let mut block = DesignBlock::new();
    design.expand(&features, 0, 2, &mut block).unwrap();
    assert_eq!(block.offset, [80.0, -20.0, 0.0, 0.0]);
}

#[test]
fn gaps_are_reported_and_their_rows_are_zero() {
    let design = design("low ~ age + log(lwt) + race");
    let mut numbers = NUMBERS;
    numbers[0] = f64::NAN;
    numbers[3] = f64::NAN;
    let mut codes = CODES;
    codes[2] = MISSING;
    codes[4] = UNSEEN;
    let block = expanded(&design, &numbers, &codes);
    assert_eq!(block.gaps, [Gap::Missing(0), Gap::Missing(1), Gap::Unseen(1), Gap::None]);
    assert_eq!(block.cells[..12], [0.0; 12]);
    assert_eq!(block.cells[12..], [40.0, 150f64.ln(), 0.0, 1.0]);
}

#[test]
fn plain_numbers_are_seen_in_place() {
    assert_eq!(design("low ~ lwt + age").plain_numbers(), Some(&[1, 0][..]));
    for other in ["low ~ age + smoke", "low ~ log(age)", "low ~ age + offset(lwt)", "low ~ age:lwt"] {
        assert_eq!(design(other).plain_numbers(), None, "{other}");
    }
}

#[test]
fn marks_stand_for_the_cells_of_wide_categories() {
    let many: Vec<String> = (0..10).map(|at| format!("town{at}")).collect();
    let features =
        vec![Feature::number("age"), Feature::category("town", Levels::in_order(many)), Feature::boolean("smoke"), Feature::number("lwt")];
    let layout = Layout::new("low", features, Classes::new(texts(&["no", "yes"])).unwrap(), Weighting::None).unwrap();
    let formula = Formula::parse("low ~ age + town + smoke*lwt + town:smoke + town:lwt + offset(age)").unwrap();
    let design = Design::compile(&formula, &layout, &DesignOptions::default(), None).unwrap();
    let numbers: Vec<f64> = (0..40).flat_map(|i| [i as f64, if i == 7 { f64::NAN } else { (i * i) as f64 }]).collect();
    let codes: Vec<u32> = (0..40).flat_map(|i| [if i == 3 { UNSEEN } else { i * 7 % 10 }, i / 3 % 2]).collect();
    let features = Features {
        numbers: MatrixView::row_major(&numbers, 40, 2).unwrap(),
        codes: CodesView::row_major(&codes, 40, 2).unwrap(),
        words: &[],
    };
    let (mut cells, mut marked) = (DesignBlock::new(), DesignBlock::new());
    design.expand(&features, 1, 39, &mut cells).unwrap();
    design.expand_marked(&features, 1, 39, &mut marked).unwrap();
    let (columns, width) = (design.marked_columns().unwrap(), design.columns().len());
    // Nine columns each of town and town:smoke are marked; town:lwt has numbers in its cells.
    assert_eq!((columns.terms(), columns.marks(), columns.cells()), (2, 18, width - 18));
    assert_eq!((&cells.gaps, &cells.offset), (&marked.gaps, &marked.offset));
    for i in 0..38 {
        for j in 0..width {
            let value = match columns.place(j) {
                Place::Cell(cell) => marked.cells[i * columns.cells() + cell],
                Place::Mark(mark) => f64::from(u8::from(marked.marks[2 * i..2 * i + 2].contains(&(mark as u32)))),
            };
            assert_eq!(value, cells.cells[i * width + j], "row {i}, column {}", design.columns()[j].name);
        }
    }
}

#[test]
fn narrow_categories_have_cells() {
    assert!(design("low ~ age + race*smoke").marked_columns().is_none());
}
