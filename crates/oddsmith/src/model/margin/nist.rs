//! The solvers against NIST's sets: coefficients to the digits that f64 can hold. Responses there are numbers, so the solvers are asked and
//! not the classifier around them.

use nalgebra::{DMatrix, DVector};
use serde_json::Value;

use super::gram::Gram;
use super::row_sums::RowSums;
use super::solved::{ILL_CONDITIONED, by_products};
use crate::stats::ClassWeights;

/// Columns (without the constant), response, and coefficients with the intercept first.
fn load(name: &str) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/golden");
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap()).unwrap();
    let text = std::fs::read_to_string(format!("{folder}/data/{name}.csv")).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    let column = |name: &str| names.iter().position(|known| *known == name).unwrap();
    let terms: Vec<&str> = golden["model"]["terms"].as_array().unwrap().iter().skip(1).map(|term| term.as_str().unwrap()).collect();
    let cell = |row: &Vec<f64>, term: &str| match term.split_once('^') {
        Some((name, power)) => row[column(name)].powi(power.parse().unwrap()),
        None => row[column(term)],
    };
    let columns = terms.iter().map(|term| rows.iter().map(|row| cell(row, term)).collect()).collect();
    let coefficients = golden["results"]["coef"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    (columns, rows.iter().map(|row| row[column("y")]).collect(), coefficients)
}

fn mean(values: &[f64]) -> f64 {
    let sum = values.iter().fold(crate::num::logspace::NeumaierSum::default(), |mut sum, x| {
        sum.add(*x);
        sum
    });
    sum.value() / values.len() as f64
}

/// NIST's two sets that other ones tell: Wampler2 is 1 + x/10 + … + (x/10)⁵ with cells of five decimals, Wampler4 has a hundred times the
/// residuals of Wampler3.
fn made(name: &str) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
    let (columns, y, ones) = load("nist_wampler3");
    let powers = |i: usize| std::iter::once(1.0).chain(columns.iter().map(move |column| column[i]));
    match name {
        "wampler2" => {
            // The cells are sums of whole hundred-thousandths.
            let cell = |i: usize| powers(i).zip([1e5, 1e4, 1e3, 1e2, 1e1, 1e0]).map(|(x, share)| x * share).sum::<f64>() / 1e5;
            let coefficients = vec![1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001];
            (columns.clone(), (0..y.len()).map(cell).collect(), coefficients)
        }
        _ => {
            let line = |i: usize| powers(i).sum::<f64>();
            let cells = y.iter().enumerate().map(|(i, y)| line(i) + 100.0 * (y - line(i))).collect();
            (columns.clone(), cells, ones)
        }
    }
}

/// Correct digits of the coefficients, the fewest of all, and whether products were enough.
fn digits(name: &str) -> (f64, bool) {
    let (columns, y, certified) = if name.starts_with("nist_") { load(name) } else { made(name) };
    let centre: Vec<f64> = columns.iter().map(|column| mean(column)).collect();
    let centred: Vec<Vec<f64>> = columns.iter().zip(&centre).map(|(column, c)| column.iter().map(|x| x - c).collect()).collect();
    let power = |column: &Vec<f64>| {
        let deviation = (column.iter().map(|x| x * x).sum::<f64>() / column.len() as f64).sqrt();
        f64::from_bits(deviation.to_bits() & 0x7ff0_0000_0000_0000)
    };
    let scale: Vec<f64> = centred.iter().map(power).collect();
    let x: Vec<Vec<f64>> = centred.iter().zip(&scale).map(|(column, s)| column.iter().map(|x| x / s).collect()).collect();
    let middle = mean(&y);
    let t: Vec<f64> = y.iter().map(|y| y - middle).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let gram = Gram {
        classes: ClassWeights::new(1),
        left_out: 0,
        centre: centre.clone(),
        scale: scale.clone(),
        kept: (0..x.len()).collect(),
        products: DMatrix::from_fn(x.len(), x.len(), |i, j| dot(&x[i], &x[j])),
        cross: vec![DVector::from_fn(x.len(), |j, _| dot(&x[j], &t))],
    };
    let products = by_products(&gram, 0.0).filter(|solved| solved.condition.unwrap() <= ILL_CONDITIONED);
    let (solved, by_products) = match products {
        Some(solved) => (solved, true),
        None => return (by_rows_refined(&columns, &y, &gram, &certified), false),
    };
    assert!(solved.aliased.is_empty(), "{name}: {:?} have no coefficient", solved.aliased);
    let slopes: Vec<f64> = solved.coefficients[0].iter().zip(&scale).map(|(b, s)| b / s).collect();
    let intercept = middle - dot(&slopes, &centre);
    let got = std::iter::once(intercept).chain(slopes);
    (correct(name, got, &certified), by_products)
}

fn correct(name: &str, got: impl Iterator<Item = f64>, certified: &[f64]) -> f64 {
    let error = got.zip(certified).map(|(got, want)| (got - want).abs() / want.abs()).fold(0.0, f64::max);
    assert!(error.is_finite(), "{name}");
    -error.max(1e-16).log10()
}

/// The passes of an ill-conditioned fit with a number as the target.
fn by_rows_refined(columns: &[Vec<f64>], y: &[f64], gram: &Gram, certified: &[f64]) -> f64 {
    let mut sums = RowSums::of_targets(gram);
    let rows: Vec<Vec<f64>> = (0..y.len()).map(|i| columns.iter().map(|column| column[i]).collect()).collect();
    let middle = mean(y).round();
    rows.iter().zip(y).for_each(|(row, y)| sums.add(row, 1.0, &[y - middle]));
    let mut sums = sums.refining(0.0);
    rows.iter().zip(y).for_each(|(row, y)| sums.add(row, 1.0, &[y - middle]));
    let (reduced, gram) = (sums.refined(0.0).unwrap(), sums.coordinates());
    let solved = reduced.solved(columns.len());
    assert!(solved.aliased.is_empty(), "{:?} have no coefficient", solved.aliased);
    let slopes: Vec<f64> = solved.coefficients[0].iter().zip(&gram.scale).map(|(b, s)| b / s).collect();
    // As `LinearPart::intercept` adds them up.
    let mut intercept = crate::num::logspace::NeumaierSum::default();
    intercept.add(middle + reduced.constant(0));
    slopes.iter().zip(&gram.centre).for_each(|(b, c)| intercept.add(-b * c));
    correct("rows", std::iter::once(intercept.value()).chain(slopes), certified)
}

#[test]
fn coefficients_have_the_digits_that_the_data_allow() {
    for (name, least, by_products) in [
        ("nist_norris", 11.0, true),
        ("nist_pontius", 10.0, true),
        ("nist_longley", 11.0, true),
        ("nist_wampler1", 9.0, false),
        ("wampler2", 9.0, false),
        ("nist_wampler3", 9.0, false),
        ("wampler4", 7.0, false),
        ("nist_wampler5", 7.0, false),
        ("nist_filip", 7.0, false),
    ] {
        let (digits, enough) = digits(name);
        assert!(digits >= least, "{name}: {digits:.1} digits of {least}");
        assert!(enough || !by_products, "{name}");
    }
}
