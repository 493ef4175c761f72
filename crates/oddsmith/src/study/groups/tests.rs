use super::*;
use crate::stats::{Moment, ValueCounts};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str::<Value>(include_str!("../../../../../testdata/golden/describe_r.json")).unwrap()["results"].clone()
}

fn births() -> Vec<Vec<String>> {
    let text = include_str!("../../../../../testdata/golden/data/birthwt_factors.csv");
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect()).collect()
}

fn column(name: &str) -> Vec<String> {
    let text = include_str!("../../../../../testdata/golden/data/birthwt_factors.csv");
    let at = text.lines().next().unwrap().split(',').position(|known| known.trim_matches('"') == name).unwrap();
    births().into_iter().map(|row| row[at].clone()).collect()
}

fn codes(name: &str) -> (Vec<usize>, usize) {
    let cells = column(name);
    let mut levels = cells.clone();
    levels.sort();
    levels.dedup();
    (cells.iter().map(|cell| levels.iter().position(|level| level == cell).unwrap()).collect(), levels.len())
}

#[track_caller]
fn close(name: &str, ours: f64, expected: &Value) {
    match expected.as_f64() {
        Some(expected) => assert!((ours - expected).abs() <= 1e-10 * expected.abs().max(1e-10), "{name}: {ours} is not {expected}"),
        None => assert!(ours.is_nan(), "{name}: {ours} is not missing"),
    }
}

fn same(name: &str, ours: GroupTest, expected: &Value) {
    for (ours, expected) in [ours.statistic, ours.df, ours.df_within, ours.p_value].into_iter().zip(expected.as_array().unwrap()) {
        close(name, ours, expected);
    }
}

/// R 4.2.2: `t.test`, `oneway.test`, `wilcox.test`, `kruskal.test`; differences by their formula in R.
#[test]
fn tests_of_numbers_are_rs() {
    let r = golden();
    for (by, groups) in [("low", "by_low"), ("race", "by_race")] {
        let (group, count) = codes(by);
        for name in ["age", "lwt"] {
            let expected = &r[groups][name];
            let mut counts = ValueCounts::new(count, 4096);
            let mut moments = vec![Moment::default(); count];
            for (x, group) in column(name).iter().zip(&group) {
                let x: f64 = x.parse().unwrap();
                counts.add(x, *group, 1.0);
                moments[*group] = moments[*group].plus(Moment { weight: 1.0, mean: x, mean_low: 0.0, squares: 0.0 });
            }
            same(name, means(&moments, Variances::Unequal), &expected["welch"]);
            same(name, means(&moments, Variances::Equal), &expected["equal"]);
            same(name, ranks(&counts.sorted()), &expected["ranks"]);
            close(name, of_means(&moments), &expected["difference"]);
        }
    }
}

/// R 4.2.2: `chisq.test` without correction, `fisher.test`; differences with `MASS::ginv`.
#[test]
fn tests_of_levels_are_rs() {
    let r = golden();
    let mut exact = 0;
    for (by, name) in [
        ("by_low", "race"),
        ("by_low", "ht"),
        ("by_low", "ptl"),
        ("by_low", "ftv"),
        ("by_race", "smoke"),
        ("by_race", "ht"),
        ("by_race", "ptl"),
    ] {
        let expected = &r[by][name];
        let table: Vec<f64> = expected["counts"].as_array().unwrap().iter().map(|count| count.as_f64().unwrap()).collect();
        let groups = if by == "by_low" { 2 } else { 3 };
        let (told, doubtful) = counts(&table, groups);
        assert!(!doubtful);
        let p = fisher(&table, groups).unwrap();
        assert!((p / expected["fisher"].as_f64().unwrap() - 1.0).abs() < 1e-7, "{name}: {p} {}", expected["fisher"]);
        if expected["expected"].as_f64().unwrap() < 5.0 {
            assert_eq!((told.name, told.p_value), ("Fisher's exact test", p));
            exact += 1;
        } else {
            same(name, told, &expected["pearson"]);
        }
        close(name, of_levels(&table, groups), &expected["difference"]);
    }
    assert!(exact >= 3, "{exact}");
}

/// R 4.2.2: `wilcox.test(exact = TRUE)`.
#[test]
fn few_values_without_ties_have_exact_ranks() {
    let few = &golden()["few"];
    let mut counts = ValueCounts::new(2, 100);
    for (x, group) in few["x"].as_array().unwrap().iter().zip(few["group"].as_array().unwrap()) {
        counts.add(x.as_f64().unwrap(), group.as_f64().unwrap() as usize, 1.0);
    }
    let told = ranks(&counts.sorted());
    assert!(told.name.ends_with("exact"));
    close("W", told.statistic, &few["wilcoxon"][0]);
    close("p", told.p_value, &few["wilcoxon"][1]);
}

#[test]
fn what_cannot_be_tested_has_no_p_value() {
    let point = |mean: f64, weight: f64| Moment { weight, mean, mean_low: 0.0, squares: 0.0 };
    assert!(!means(&[point(1.0, 5.0), point(1.0, 4.0)], Variances::Unequal).is_known());
    assert!(!means(&[point(1.0, 5.0)], Variances::Equal).is_known());
    assert!(!means(&[], Variances::Unequal).is_known());
    assert!(!ranks(&[(1.0, vec![3.0, 4.0])]).is_known());
    assert!(!ranks(&[]).is_known());
    assert!(!counts(&[3.0, 4.0], 2).0.is_known());
    assert_eq!(fisher(&[1.5, 2.0, 3.0, 4.0], 2), None);
    assert!(of_levels(&[3.0, 0.0, 4.0, 0.0], 2).is_nan());
    // A category that tells the groups apart has no spread, and no difference that could be told.
    assert_eq!(of_levels(&[5.0, 0.0, 0.0, 5.0], 2), 0.0);
}

/// Two columns of a table in a closed form: of the C(8, 4) = 70 tables with these margins two are as extreme.
#[test]
fn an_exact_test_counts_tables() {
    let p = fisher(&[4.0, 0.0, 0.0, 4.0], 2).unwrap();
    assert!((p - 2.0 / 70.0).abs() < 1e-12, "{p}");
    assert_eq!(fisher(&vec![40.0; 60], 6), None);
}
