//! Entropies, capacities and description lengths against base R, closed forms and NIST's data.

use std::f64::consts::LN_2;

use oddsmith::info::code::{PrefixCode, ProbabilityRows, encode_classes};
use oddsmith::info::{Channel, Distribution, Joint, TwoPart, polynomial_residuals};
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

/// The log likelihood of a sample is a sum over its rows, so minus it is N times cross-entropy, N (H + D), and not H + D.
#[test]
fn the_log_likelihood_of_a_sample_is_n_cross_entropies() {
    let (counts, q) = ([4.0, 3.0, 0.0, 5.0], [0.2, 0.3, 0.1, 0.4]);
    let (observed, told) = (Distribution::of_counts(&counts).unwrap(), Distribution::new(&q).unwrap());
    let minus_log_likelihood: f64 = counts.iter().zip(q).map(|(count, q)| -count * q.ln()).sum();
    let mean = minus_log_likelihood / 12.0;
    assert!((observed.cross_entropy(&told).unwrap() - mean).abs() < 1e-14);
    assert!((12.0 * (observed.entropy() + observed.relative_entropy(&told).unwrap()) - minus_log_likelihood).abs() < 1e-13);
}

/// Single words are within a bit of −log2 p by Shannon's lengths alone; Huffman's are so on average, and a single one may be longer. Arithmetic
/// coding is within its bound for the whole message, however long it is, which no code of words is.
#[test]
fn within_a_bit_of_a_word_on_average_or_of_the_message() {
    let p = [0.4, 0.3, 0.2, 0.05, 0.03, 0.02];
    let distribution = Distribution::new(&p).unwrap();
    let [shannon, huffman] = [PrefixCode::shannon(&distribution).unwrap(), PrefixCode::huffman(&distribution).unwrap()];
    for (length, p) in shannon.lengths().iter().zip(p) {
        let above = f64::from(length.unwrap()) + p.log2();
        assert!((0.0..1.0).contains(&above), "{p}: {above}");
    }
    let entropy = distribution.entropy() / LN_2;
    assert!(
        (entropy..entropy + 1.0).contains(&huffman.mean_length(&distribution))
            && huffman.mean_length(&distribution) <= shannon.mean_length(&distribution)
    );
    // The rarest of these has 7 bits by Huffman and 5.75 by its probability.
    let fibonacci = Distribution::of_counts(&[1.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0]).unwrap();
    let longest = PrefixCode::huffman(&fibonacci).unwrap().lengths()[0].unwrap();
    assert!(f64::from(longest) > 1.0 - fibonacci.probabilities()[0].log2(), "{longest}");
    for rows in [1usize, 100, 100_000] {
        let cells = p.repeat(rows);
        let classes: Vec<u32> = (0..rows).map(|at| [0, 1, 2, 0, 1, 5, 3, 0, 4, 2][at % 10]).collect();
        let stream = encode_classes(&classes, ProbabilityRows::OfAll { cells: &cells, classes: 6 }, 1).unwrap();
        let ideal: f64 = classes.iter().map(|class| -p[*class as usize].log2()).sum();
        let above = 8.0 * stream.len() as f64 - ideal;
        assert!((0.0..=48.1).contains(&above), "{rows}: {above}");
    }
}
