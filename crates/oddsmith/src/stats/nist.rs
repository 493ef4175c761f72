//! Means and deviations against NIST's univariate sets of numerical accuracy, which are made here as NIST describes them: a first value, then
//! two that alternate around it. The answers are those of whole-number arithmetic on the cells as the floating-point numbers they are; NIST's
//! certified values, which are those of the decimal cells, are met as far as the cells allow.

use super::NumberMoments;
use crate::num::MatrixView;

/// A set: name, cells, NIST's certified mean and standard deviation, and the digits of the latter that the cells still have.
struct Set {
    name: &'static str,
    cells: Vec<f64>,
    mean: f64,
    deviation: f64,
    digits: f64,
}

/// `first`, then `low` and `high` in turn, 500 of each.
fn alternating(name: &'static str, [first, low, high]: [f64; 3], digits: f64) -> Set {
    let cells = std::iter::once(first).chain((0..500).flat_map(|_| [low, high])).collect();
    Set { name, cells, mean: first, deviation: 0.1, digits }
}

fn sets() -> [Set; 4] {
    let first =
        Set { name: "NumAcc1", cells: vec![10_000_001.0, 10_000_003.0, 10_000_002.0], mean: 10_000_002.0, deviation: 1.0, digits: 15.0 };
    [
        first,
        alternating("NumAcc2", [1.2, 1.1, 1.3], 15.0),
        alternating("NumAcc3", [1_000_000.2, 1_000_000.1, 1_000_000.3], 9.0),
        alternating("NumAcc4", [10_000_000.2, 10_000_000.1, 10_000_000.3], 8.0),
    ]
}

/// Mean and standard deviation of the cells, from sums of whole numbers: cells are multiples of a power of two.
fn exact(cells: &[f64]) -> [f64; 2] {
    let smallest = cells.iter().map(|x| x.abs()).fold(f64::INFINITY, f64::min);
    // The last bit of the smallest cell; larger ones are multiples of it, too.
    let unit = f64::EPSILON * 2f64.powi(smallest.log2().floor() as i32);
    let whole: Vec<i128> = cells.iter().map(|x| (x / unit) as i128).collect();
    assert!(cells.iter().zip(&whole).all(|(x, n)| *n as f64 * unit == *x));
    let (count, middle) = (cells.len() as i128, whole[0]);
    let (sum, squares) = whole.iter().map(|n| n - middle).fold((0i128, 0i128), |(sum, squares), n| (sum + n, squares + n * n));
    let mean = (middle * count + sum) as f64 / count as f64 * unit;
    let spread = (count * squares - sum * sum) as f64 / (count * (count - 1)) as f64;
    [mean, spread.sqrt() * unit]
}

/// Correct digits, 16 at most.
fn digits(got: f64, want: f64) -> f64 {
    -((got - want).abs() / want.abs()).max(1e-16).log10()
}

#[test]
fn means_and_deviations_have_the_digits_of_nists_sets() {
    for Set { name, cells, mean, deviation, digits: left } in sets() {
        let mut moments = NumberMoments::new(1, 1);
        // In batches of odd sizes, as files come.
        for (at, batch) in cells.chunks(97).enumerate() {
            let view = MatrixView::row_major(batch, batch.len(), 1).unwrap();
            moments.observe(view, &vec![0; batch.len()], None, 97 * at as u64, &|_| "x".into(), None).unwrap();
        }
        let got = moments.get(0, 0);
        let spread = (got.squares / (got.weight - 1.0)).sqrt();
        let [exact_mean, exact_deviation] = exact(&cells);
        assert!(digits(got.mean, exact_mean) >= 15.0, "{name}: mean {} of {exact_mean}", got.mean);
        assert!(digits(spread, exact_deviation) >= 14.5, "{name}: deviation {spread} of {exact_deviation}");
        assert!(digits(got.mean, mean) >= 15.0, "{name}: mean {} of {mean}", got.mean);
        assert!(digits(spread, deviation) >= left, "{name}: deviation {spread} of {deviation}");
    }
}
