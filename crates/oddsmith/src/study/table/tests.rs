use super::*;
use serde_json::Value;

fn golden(text: &str) -> (Table2x2, Value) {
    let golden: Value = serde_json::from_str(text).unwrap();
    let results = golden["results"].clone();
    let cell = |row: usize, column: usize| results["table"][row][column].as_f64().unwrap();
    (Table2x2::new([cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)]).unwrap(), results)
}

fn close(name: &str, ours: f64, expected: f64, tolerance: f64) {
    assert!((ours - expected).abs() <= tolerance * expected.abs().max(tolerance), "{name}: {ours} is not {expected}");
}

/// R 4.2.2: `fisher.test` (limits re-solved to full precision), `chisq.test`, `mcnemar.test`.
#[test]
fn tables_agree_with_r() {
    for text in [
        include_str!("../../../../../testdata/golden/table22_smoke_low.json"),
        include_str!("../../../../../testdata/golden/table22_tea.json"),
    ] {
        let (table, r) = golden(text);
        let check = |name: &str, ours: f64, expected: &Value| close(name, ours, expected.as_f64().unwrap(), 1e-12);
        let (woolf, katz) = (table.woolf(0.95), table.katz(0.95));
        check("OR", woolf.value, &r["odds_ratio"]);
        check("SE", woolf.std_error, &r["log_or_se"]);
        check("OR low", woolf.low, &r["or_wald_lo"]);
        check("OR high", woolf.high, &r["or_wald_hi"]);
        check("RR", katz.value, &r["risk_ratio"]);
        check("RR low", katz.low, &r["rr_lo"]);
        check("RR high", katz.high, &r["rr_hi"]);
        check("RD", table.wald_difference(0.95).value, &r["risk_difference"]);
        let count = ConditionalCount::of(&table).unwrap();
        let exact = count.estimate(0.95, false);
        check("conditional OR", exact.value, &r["fisher"]["conditional_odds_ratio"]);
        check("exact low", exact.low, &r["fisher"]["lo"]);
        check("exact high", exact.high, &r["fisher"]["hi"]);
        check("Fisher", count.p_value(), &r["fisher"]["p"]);
        let tests = independence(&table.cells(), 2);
        check("chi", tests.pearson.statistic, &r["chisq"]);
        check("chi p", tests.pearson.p_value, &r["chisq_p"]);
        check("Yates", tests.yates.unwrap().statistic, &r["chisq_yates"]);
        check("Yates p", tests.yates.unwrap().p_value, &r["chisq_yates_p"]);
        let paired = mcnemar(&table, 0.95);
        check("McNemar", paired.plain.statistic, &r["mcnemar_chisq"]);
        check("McNemar p", paired.plain.p_value, &r["mcnemar_p"]);
    }
}

/// statsmodels 0.15.0: `test_proportions_2indep(a, n1, c, n0, value, method="score", compare=…, correction=True)` is z at the limits.
#[test]
fn score_limits_agree_with_statsmodels() {
    let file: Value = serde_json::from_str(include_str!("../../../../../testdata/golden/statsmodels_tables.json")).unwrap();
    let tables = file["score"].as_array().unwrap();
    assert!(tables.len() >= 6);
    for expected in tables {
        let cells: Vec<f64> = expected["cells"].as_array().unwrap().iter().map(|cell| cell.as_f64().unwrap()).collect();
        let table = Table2x2::new([cells[0], cells[1], cells[2], cells[3]]).unwrap();
        let check = |name: &str, ours: super::super::estimate::Estimate| {
            let [low, high] = [0, 1].map(|at| expected[name][at].as_f64().unwrap());
            close(name, ours.low, low, 1e-8);
            close(name, ours.high, high, 1e-8);
        };
        check("ratio", table.score_risk_ratio(0.95));
        check("odds-ratio", table.score_odds_ratio(0.95));
    }
}

#[test]
fn score_limits_exist_where_there_are_no_cases() {
    let table = Table2x2::new([0.0, 20.0, 0.0, 30.0]).unwrap();
    let difference = table.score_difference(0.95);
    assert!(difference.low > -0.2 && difference.low < 0.0 && difference.high > 0.0 && difference.high < 0.25);
    let ratio = table.score_risk_ratio(0.95);
    assert_eq!((ratio.low, ratio.high), (0.0, f64::INFINITY));
    // One empty cell: one finite limit.
    let ratio = Table2x2::new([5.0, 15.0, 0.0, 30.0]).unwrap().score_risk_ratio(0.95);
    assert!(ratio.value == f64::INFINITY && ratio.low > 1.0 && ratio.low < 10.0 && ratio.high == f64::INFINITY);
    let odds = Table2x2::new([0.0, 15.0, 8.0, 30.0]).unwrap().score_odds_ratio(0.95);
    assert!(odds.value == 0.0 && odds.low == 0.0 && odds.high > 0.3 && odds.high < 3.0);
    // Everybody ill in both groups.
    let all = Table2x2::new([20.0, 0.0, 30.0, 0.0]).unwrap().score_risk_ratio(0.95);
    assert!(all.low > 0.7 && all.low < 1.0 && all.high > 1.0 && all.high < 1.3, "{all:?}");
}

/// Limits of a separate program, which maximises the likelihood by golden section and finds the limits by bisection.
#[test]
fn score_limits_of_differences_are_those_of_another_program() {
    for (cells, low, high) in [
        ([56.0, 14.0, 48.0, 32.0], 0.0528, 0.3382),
        ([9.0, 1.0, 3.0, 7.0], 0.1700, 0.8406),
        ([6.0, 1.0, 2.0, 5.0], 0.0342, 0.8534),
        ([5.0, 51.0, 0.0, 29.0], -0.0326, 0.1933),
        ([0.0, 10.0, 0.0, 20.0], -0.1658, 0.2844),
        ([0.0, 10.0, 0.0, 10.0], -0.2879, 0.2879),
        ([10.0, 0.0, 0.0, 20.0], 0.7156, 1.0),
    ] {
        let ours = Table2x2::new(cells).unwrap().score_difference(0.95);
        assert!((ours.low - low).abs() < 5.1e-5 && (ours.high - high).abs() < 5.1e-5, "{cells:?}: {ours:?}");
    }
    // Ten of ten against none of ten has a closed form: (1 − δ)/(1 + δ) = z²/(N − 1).
    let ours = Table2x2::new([10.0, 0.0, 0.0, 10.0]).unwrap().score_difference(0.95);
    let ratio = 1.959_963_984_540_054_f64.powi(2) / 19.0;
    close("closed form", ours.low, (1.0 - ratio) / (1.0 + ratio), 1e-12);
    assert_eq!(ours.high, 1.0);
}

/// The score limits are where the statistic, computed from its definition, equals z².
#[test]
fn score_limits_solve_their_defining_equation() {
    let table = Table2x2::new([9.0, 21.0, 4.0, 46.0]).unwrap();
    let (z, n) = (1.959_963_984_540_054_f64, table.total());
    for delta in [table.score_difference(0.95).low, table.score_difference(0.95).high] {
        // The likeliest p0 by brute force over a fine grid, refined twice.
        let log_likelihood = |p0: f64| {
            let p1 = p0 + delta;
            9.0 * p1.ln() + 21.0 * (1.0 - p1).ln() + 4.0 * p0.ln() + 46.0 * (1.0 - p0).ln()
        };
        let (mut low, mut high) = (f64::max(0.0, -delta), f64::min(1.0, 1.0 - delta));
        for _ in 0..200 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if log_likelihood(left) < log_likelihood(right) { low = left } else { high = right }
        }
        let (p0, p1) = (low, low + delta);
        let variance = (p1 * (1.0 - p1) / 30.0 + p0 * (1.0 - p0) / 50.0) * n / (n - 1.0);
        close("z²", (table.risk_difference() - delta).powi(2) / variance, z * z, 1e-6);
    }
}

/// The delta method over four multinomial counts, by finite differences, gives Walter's variance.
#[test]
fn the_population_fraction_has_the_error_of_the_delta_method() {
    let cells = [30.0, 44.0, 29.0, 86.0];
    let fraction = |cells: [f64; 4]| (1.0 - Table2x2::new(cells).unwrap().attributable_population(0.95).value).ln();
    let n: f64 = cells.iter().sum();
    let slopes: Vec<f64> = (0..4)
        .map(|at| {
            let shifted = |way: f64| {
                let mut cells = cells;
                cells[at] += way;
                fraction(cells)
            };
            (shifted(1e-4) - shifted(-1e-4)) / 2e-4
        })
        .collect();
    let mean: f64 = cells.iter().zip(&slopes).map(|(count, slope)| count * slope).sum::<f64>() / n;
    let variance: f64 = cells.iter().zip(&slopes).map(|(count, slope)| count * (slope - mean) * (slope - mean)).sum();
    let ours = Table2x2::new(cells).unwrap().attributable_population(0.95);
    close("SE", ours.std_error, variance.sqrt(), 1e-7);
    assert!(ours.low < ours.value && ours.value < ours.high);
    let difference = Table2x2::new(cells).unwrap().wald_difference(0.95);
    close("NNT", Table2x2::number_needed(&difference).value, 1.0 / 0.153_231_492_361_927_18, 1e-12);
}

/// epiR 2.0.57 `epi.2by2` on random tables.
#[test]
fn random_tables_agree_with_epir() {
    let golden: Value = serde_json::from_str(include_str!("../../../../../testdata/golden/strata_r.json")).unwrap();
    for case in golden["results"]["tables"].as_array().unwrap() {
        let numbers = |name: &str| -> Vec<f64> { case[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
        let cells = numbers("cells");
        let table = Table2x2::new([cells[0], cells[1], cells[2], cells[3]]).unwrap();
        for (name, ours) in [("rr", table.katz(0.95)), ("or", table.woolf(0.95)), ("rd", table.wald_difference(0.95))] {
            for (ours, expected) in [ours.value, ours.low, ours.high].into_iter().zip(numbers(name)) {
                close(name, ours, expected, 1e-10);
            }
        }
        close("attributable fraction", Table2x2::attributable_exposed(&table.katz(0.95)).value, numbers("af")[0], 1e-10);
    }
}

/// R 4.2.2 `prop.trend.test` and `prop.test` of smokers 83, 90, 129, 70 of 86, 93, 136, 82 patients, the example of its manual.
#[test]
fn a_trend_agrees_with_r() {
    let (cases, all) = ([83.0, 90.0, 129.0, 70.0], [86.0, 93.0, 136.0, 82.0]);
    let others: Vec<f64> = cases.iter().zip(all).map(|(x, n)| n - x).collect();
    let trend = cochran_armitage(&[1.0, 2.0, 3.0, 4.0], &cases, &others);
    let golden: Value = serde_json::from_str(include_str!("../../../../../testdata/golden/strata_r.json")).unwrap();
    let r: Vec<f64> = golden["results"]["trend"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    close("χ²", trend.trend.statistic, r[0], 1e-10);
    close("p", trend.trend.p_value, r[1], 1e-10);
    // What a line leaves of the test of equal proportions is departure from it.
    assert_eq!(trend.departure.df, 2);
    close("departure", trend.departure.statistic + trend.trend.statistic, r[2], 1e-10);
    // Scores on another scale change the slope alone.
    let scaled = cochran_armitage(&[10.0, 20.0, 30.0, 40.0], &cases, &others);
    close("slope", 10.0 * scaled.slope, trend.slope, 1e-12);
    close("χ²", scaled.trend.statistic, trend.trend.statistic, 1e-12);
}
