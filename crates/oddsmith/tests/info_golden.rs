//! Entropies, capacities and description lengths against base R, closed forms and NIST's data.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use oddsmith::info::{Channel, Joint, TwoPart, polynomial_residuals};
use serde_json::Value;

fn golden(name: &str) -> Value {
    let path = format!("{}/../../testdata/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str::<Value>(&std::fs::read_to_string(path).unwrap()).unwrap()["results"].clone()
}

fn matrix(value: &Value) -> (usize, Vec<f64>) {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    (rows[0].len(), rows.concat())
}

fn near(found: f64, known: &Value, what: &str) {
    let known = known.as_f64().unwrap();
    assert!((found - known).abs() <= 2e-15 + 1e-13 * known.abs(), "{what}: {found} {known}");
}

#[test]
fn tables_of_two_variables() {
    for name in ["info_hair_eye", "info_small_with_zero"] {
        let known = golden(name);
        let (columns, cells) = matrix(&known["table"]);
        let joint = Joint::new(columns, cells).unwrap();
        near(joint.row_entropy(), &known["H_rows"], name);
        near(joint.column_entropy(), &known["H_cols"], name);
        near(joint.joint_entropy(), &known["H_joint"], name);
        near(joint.column_given_row(), &known["H_cols_given_rows"], name);
        near(joint.row_given_column(), &known["H_rows_given_cols"], name);
        for form in joint.three_forms() {
            near(form, &known["mutual_information"], name);
        }
        let found = joint.inference(joint.total(), 0.95);
        near(found.g, &known["g_statistic"], name);
        near(found.plug_in / joint.column_entropy(), &known["uncertainty_coefficient_cols"], name);
        let p = known["g_p"].as_f64().unwrap();
        assert!((found.p_value / p - 1.0).abs() < 1e-12, "{name}: {} {p}", found.p_value);
    }
}

#[test]
fn capacities() {
    for name in ["capacity_bsc_011", "capacity_bec_03", "capacity_z_05"] {
        let known = golden(name);
        let (outputs, rows) = matrix(&known["channel_rows_P_y_given_x"]);
        let capacity = Channel::new(outputs, &rows).unwrap().capacity();
        assert!(capacity.is_found());
        near(capacity.value(), &known["closed_form"], name);
        let close = |found: &[f64], known: &Value| {
            let known: Vec<f64> = serde_json::from_value(known.clone()).unwrap();
            assert!(found.iter().zip(&known).all(|(a, b)| (a - b).abs() < 1e-7), "{name}: {found:?} {known:?}");
        };
        close(&capacity.input, &known["input_distribution"]);
        close(&capacity.output, &known["output_distribution"]);
    }
}

/// Degrees 0 to 10 of a data set of NIST: residual squares of the degree of its model, and total lengths.
fn lengths(name: &str) -> Vec<f64> {
    let path = format!("{}/../../testdata/golden/data/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').map(|cell| cell.trim_matches('"')).collect();
    let at = |column: &str| header.iter().position(|name| *name == column).unwrap();
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    let column = |column: &str| rows.iter().map(|row| row[at(column)]).collect::<Vec<f64>>();
    let (x, y) = (column("x"), column("y"));
    let squares = polynomial_residuals(&x, &y, None, 10).unwrap();
    squares.iter().enumerate().map(|(degree, rss)| TwoPart::of_least_squares(*rss, degree + 1, x.len() as f64).total()).collect()
}

#[test]
fn degrees_of_polynomials() {
    for (name, degree, bits) in [
        ("nist_norris", 1, 73.609_036_6),
        ("nist_pontius", 2, -399.755_430_2),
        ("nist_wampler3", 5, 288.562_992_3),
        ("nist_wampler5", 0, 556.658_230_5),
    ] {
        let lengths = lengths(name);
        let best = (0..lengths.len()).min_by(|&a, &b| lengths[a].total_cmp(&lengths[b])).unwrap();
        assert_eq!(best, degree, "{name}: {lengths:?}");
        assert!((lengths[best] - bits).abs() < 5e-7, "{name}: {}", lengths[best]);
    }
}
