//! The screen of inputs: against base R, closed forms and the literature, by any road through the rows.

use std::f64::consts::LN_2;

use crate::support::{Csv, Frame, Golden, RowByRow, close};
use oddsmith::card::{Card, Cell};
use oddsmith::control::Control;
use oddsmith::data::{Classes, Kind};
use oddsmith::study::information::{Information, NumberMethod};
use oddsmith::train::conclude;

fn screened(options: &Information, frame: &Frame) -> Card {
    conclude(options, &frame.source(), None, &Control::new()).unwrap().model
}

fn number(card: &Card, column: &str, name: &str) -> f64 {
    let row = card.tidy.rows().iter().find(|row| row[0] == Cell::from(column)).unwrap();
    match row[card.tidy.position(name).unwrap()] {
        Cell::Number(value) | Cell::PValue(value) => value,
        Cell::Count(value) => value as f64,
        ref other => panic!("{name} of {column} is {other:?}"),
    }
}

/// Rows of a table of counts: the row as the category `x`, the column as the target `y`.
fn rows_of(table: &[Vec<f64>]) -> Csv {
    let mut rows = Vec::new();
    for (i, cells) in table.iter().enumerate() {
        for (j, count) in cells.iter().enumerate() {
            rows.extend(std::iter::repeat_n(vec![format!("x{i}"), format!("y{j}")], *count as usize));
        }
    }
    Csv { names: vec!["x".into(), "y".into()], rows }
}

fn iris() -> Csv {
    Csv::load(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/golden/data/iris.csv")))
}

#[test]
fn hair_and_eyes_as_base_r_counts_them() {
    let golden = Golden::load("info_hair_eye");
    let table: Vec<Vec<f64>> = serde_json::from_value(golden.at("results/table").clone()).unwrap();
    let frame = Frame::new(&rows_of(&table), "y", &[("x", Kind::Category)]);
    let card = screened(&Information::default(), &frame);
    close(number(&card, "x", "plug_in_bits") * LN_2, golden.number("results/mutual_information"), 1e-13);
    close(number(&card, "x", "g"), golden.number("results/g_statistic"), 1e-12);
    close(number(&card, "x", "p_value") / golden.number("results/g_p"), 1.0, 1e-10);
    close(number(&card, "x", "bias_bits") * LN_2, 0.007_601_351_351, 1e-12);
    close(number(&card, "x", "std_error") * LN_2, 0.018_272_940_6, 1e-10);
    let bias_corrected = number(&card, "x", "plug_in_bits") - number(&card, "x", "bias_bits");
    close(number(&card, "x", "mi_bits"), bias_corrected, 1e-14);
    close(number(&card, "x", "share"), bias_corrected * LN_2 / golden.number("results/H_cols"), 1e-12);
    let forms = screened(&Information { forms: true, ..Information::default() }, &frame);
    // What remains to be said of the column where the row is known.
    close(number(&card, "x", "conditional_bits") * LN_2, golden.number("results/H_cols_given_rows"), 1e-13);
    for form in ["divergence_bits", "entropy_less_conditional_bits", "entropies_less_joint_bits"] {
        close(number(&forms, "x", form), golden.number("results/mutual_information_bits"), 1e-12);
    }
}

#[test]
fn few_rows_are_permuted() {
    let golden = Golden::load("info_small_with_zero");
    let table: Vec<Vec<f64>> = serde_json::from_value(golden.at("results/table").clone()).unwrap();
    let card = screened(&Information::default(), &Frame::new(&rows_of(&table), "y", &[("x", Kind::Category)]));
    assert!(card.tidy.column("p_by").unwrap().any(|cell| *cell == Cell::from("permutation")));
    // All 45 ways to choose two of ten rows, by their columns: the pairs (0,0) 6, (0,1) 12, (0,2) 12, (1,1) 3, (1,2) 9, (2,2) 3. Only both
    // in column 1, or both in column 2, tell at least as much as what was seen.
    let p = number(&card, "x", "p_value");
    assert!((p - 6.0 / 45.0).abs() < 0.05, "{p}");
}

#[test]
fn numbers_are_cut_where_the_literature_cuts_them() {
    let columns = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"];
    let frame = Frame::new(&iris(), "Species", &columns.map(|name| (name, Kind::Number)));
    let card = screened(&Information::default(), &frame);
    let cuts = |column: &str| -> Vec<f64> {
        let row = card.tidy.rows().iter().find(|row| row[0] == Cell::from(column)).unwrap();
        let Cell::Text(text) = &row[card.tidy.position("cuts").unwrap()] else { panic!("no cuts") };
        text.split(' ').map(|cut| cut.parse().unwrap()).collect()
    };
    for (column, known) in columns.iter().zip([[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]) {
        assert!(cuts(column).iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-9), "{column}: {:?}", cuts(column));
    }
    // Petals tell more than sepals, and everything tells something.
    let ranked: Vec<&Cell> = card.tidy.column("column").unwrap().collect();
    assert_eq!(ranked[3], &Cell::from("Sepal.Width"));
    assert!(columns.iter().all(|column| number(&card, column, "p_value") < 1e-3));
    assert!(number(&card, "Petal.Width", "mi_bits") > 1.2);
}

#[test]
fn any_road_through_the_rows_gives_the_same_bits() {
    let mut frame = Frame::new(&iris(), "Species", &[("Sepal.Length", Kind::Number), ("Petal.Width", Kind::Number)]);
    frame.numbers[7] = f64::NAN;
    for numbers in [NumberMethod::DescriptionLength, NumberMethod::Quantiles, NumberMethod::Neighbours] {
        let options = Information { numbers, ..Information::default() };
        let whole = screened(&options, &frame);
        for threads in [1, 3] {
            let pieces = conclude(&options, &RowByRow(&frame), std::num::NonZeroUsize::new(threads), &Control::new()).unwrap().model;
            assert_eq!(pieces, whole);
        }
    }
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let csv = iris();
    let columns = [("Sepal.Length", Kind::Number), ("Petal.Width", Kind::Number)];
    let twice = Csv { names: csv.names.clone(), rows: csv.rows.iter().chain(&csv.rows).cloned().collect() };
    let mut weighted = Frame::new(&csv, "Species", &columns);
    weighted.weights = Some(vec![2.0; weighted.rows()]);
    let classes = Classes::new(weighted.layout.classes().labels().to_vec()).unwrap();
    weighted.layout =
        oddsmith::data::Layout::new("Species", weighted.layout.features().to_vec(), classes, oddsmith::data::Weighting::Frequency).unwrap();
    let (one, two) =
        (screened(&Information::default(), &weighted), screened(&Information::default(), &Frame::new(&twice, "Species", &columns)));
    for (column, _) in columns {
        for name in ["mi_bits", "conf_low", "g", "p_value", "values", "weight"] {
            close(number(&one, column, name), number(&two, column, name), 1e-12);
        }
    }
}

#[test]
fn strata_ask_what_is_told_within_them() {
    // y = x where z is a, y is a coin where z is b: I(X;Y|Z) is 1 bit in half of the rows.
    let mut rows = Vec::new();
    for i in 0..400 {
        let (x, z) = (i % 2, if i < 200 { "a" } else { "b" });
        let y = if z == "a" { x } else { i / 2 % 2 };
        rows.push(vec![x.to_string(), y.to_string(), z.to_string()]);
    }
    let csv = Csv { names: ["x", "y", "z"].map(String::from).to_vec(), rows };
    let frame = Frame::new(&csv, "y", &[("x", Kind::Category), ("z", Kind::Category)]);
    let card = screened(&Information { strata: Some("z".into()), ..Information::default() }, &frame);
    close(number(&card, "x", "plug_in_bits"), 0.5, 1e-12);
    assert_eq!(number(&card, "x", "df"), 2.0);
    close(number(&card, "z", "plug_in_bits"), 0.0, 1e-15);
    let numbers = Frame::new(&csv, "y", &[("x", Kind::Category), ("z", Kind::Number)]);
    let refused = conclude(&Information { strata: Some("z".into()), ..Information::default() }, &numbers.source(), None, &Control::new());
    assert!(refused.err().unwrap().to_string().contains("strata are no numbers or texts"));
}

#[test]
fn neighbours_find_what_bins_find_and_say_when_values_tie() {
    let rows = (0..2000).map(|i: u64| {
        // The finaliser of splitmix64.
        let mut z = i.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let x = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
        vec![x.to_string(), if x < 0.5 { "low" } else { "high" }.to_owned(), (i % 7).to_string()]
    });
    let csv = Csv { names: ["x", "y", "day"].map(String::from).to_vec(), rows: rows.collect() };
    let frame = Frame::new(&csv, "y", &[("x", Kind::Number), ("day", Kind::Number)]);
    let options = Information { numbers: NumberMethod::Neighbours, ..Information::default() };
    let card = screened(&options, &frame);
    // scikit-learn's mutual_info_classif of these numbers, in bits; its noise is 1e-10 of their spread.
    close(number(&card, "x", "mi_bits"), 0.999_468_557_619_698_2, 1e-7);
    assert_eq!(card.notices.iter().map(|notice| (notice.id, notice.column.as_deref())).collect::<Vec<_>>(), [("W502", Some("day"))]);
    close(number(&card, "day", "mi_bits"), 0.0, 0.01);
}

/// The row of a pair in the table of pairs.
fn pair(card: &Card, first: &str, second: &str, name: &str) -> f64 {
    let pairs = card.tables.iter().find(|table| table.name() == "pairs").unwrap();
    let row = pairs.rows().iter().find(|row| row[0] == Cell::from(first) && row[1] == Cell::from(second)).unwrap();
    match row[pairs.position(name).unwrap()] {
        Cell::Number(value) | Cell::PValue(value) => value,
        ref other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn pairs_tell_what_tables_counted_by_hand_tell() {
    // Exclusive or: neither tells anything, both tell all. 25 rows of each of four kinds, and a copy of the second column.
    let mut rows = Vec::new();
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        rows.extend(std::iter::repeat_n(vec![format!("a{a}"), format!("b{b}"), format!("c{b}"), format!("y{}", a ^ b)], 25));
    }
    let csv = Csv { names: ["a", "b", "c", "y"].map(String::from).to_vec(), rows };
    let columns = [("a", Kind::Category), ("b", Kind::Category), ("c", Kind::Category)];
    let frame = Frame::new(&csv, "y", &columns);
    let card = screened(&Information { pairs: 3, ..Information::default() }, &frame);
    // Less the bias (r − 1)(c − 1)/2N of chance: 3/200 nats for both, 1/200 for each.
    let nat = 1.0 / LN_2;
    close(pair(&card, "a", "b", "both_bits"), 1.0 - 3.0 / 200.0 * nat, 1e-12);
    close(pair(&card, "a", "b", "first_bits"), -nat / 200.0, 1e-12);
    close(pair(&card, "a", "b", "interaction_bits"), 1.0 - nat / 200.0, 1e-12);
    assert!(pair(&card, "a", "b", "p_value") < 1e-20);
    // The chain rule: what the second adds is what both tell less what the first tells.
    let (both, first) = (pair(&card, "a", "b", "both_bits"), pair(&card, "a", "b", "first_bits"));
    close(pair(&card, "a", "b", "second_given_first_bits"), both - first, 1e-14);
    // A column and its copy say nothing, together as alone.
    close(pair(&card, "b", "c", "both_bits"), -nat / 200.0, 1e-12);
    close(pair(&card, "b", "c", "p_value"), 1.0, 0.0);
    // By any road through the rows.
    let options = Information { pairs: 3, ..Information::default() };
    for threads in [1, 3] {
        let pieces = conclude(&options, &RowByRow(&frame), std::num::NonZeroUsize::new(threads), &Control::new()).unwrap().model;
        assert_eq!(pieces, card);
    }
    // Numbers are cut as the screen cuts them: the petals of irises tell nearly the same twice.
    let petals = Frame::new(&iris(), "Species", &[("Petal.Length", Kind::Number), ("Petal.Width", Kind::Number)]);
    let card = screened(&Information { pairs: 2, numbers: NumberMethod::Both, ..Information::default() }, &petals);
    assert!(pair(&card, "Petal.Width", "Petal.Length", "interaction_bits") < -0.9);
}

#[test]
fn bins_of_a_formula_are_those_of_the_literature_and_stay_with_the_model() {
    use oddsmith::model::{Classifier, Predictions, Predictor};
    let frame = Frame::new(&iris(), "Species", &[("Sepal.Length", Kind::Number), ("Petal.Width", Kind::Number)]);
    let (entry, params) = oddsmith::registry::parse("logistic(l2=1)").unwrap();
    let formula = oddsmith::data::Formula::parse("Species ~ mdl_bins(Petal.Width)").unwrap();
    let learner = (entry.build)(&params.with_formula(Some(formula)).unwrap()).unwrap();
    let model = oddsmith::train::fit(&learner, &frame.source(), None, &Control::new()).unwrap().model;
    let terms: Vec<String> = model.card().tidy.rows().iter().map(|row| format!("{row:?}")).collect();
    assert!(terms.iter().any(|term| term.contains("[0.8,1.75)")) && terms.iter().any(|term| term.contains("[1.75, Inf)")), "{terms:?}");
    // One row for every interval, and the ends belong to the upper one; the file remembers the cuts.
    let read = oddsmith::persist::load_model(&oddsmith::persist::save_model(&*model).unwrap()).unwrap();
    let columns: Vec<String> = read.layout().names();
    assert_eq!(columns, ["Petal.Width"]);
    let of = |width: f64| {
        let view = oddsmith::num::MatrixView::row_major(std::slice::from_ref(&width), 1, 1).unwrap();
        let mut out = Predictions::new();
        Predictor::new(&*read).predict(&oddsmith::data::Features::of_numbers(view), &mut out).unwrap();
        out.row(0).to_vec()
    };
    assert_eq!(of(0.1), of(0.79));
    assert_eq!(of(0.8), of(1.7));
    assert_eq!(of(1.75), of(9.0));
    assert!(of(0.1) != of(0.8) && of(1.7) != of(1.75));
}
